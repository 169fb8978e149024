#include "onnx/fold.h"

#include "base/compiler.h"

#include <math.h>
#include <string.h>

/* --- one number or two ---------------------------------------------------- */

static double divide(double a, double b, bool whole)
{
    if (b == 0)
        return NAN;
    return whole ? trunc(a / b) : a / b;
}

/* With the sign of the divisor, as Python has it. */
static double modulo(double a, double b)
{
    return b == 0 ? NAN : a - b * floor(a / b);
}

static double compare(const char *op, double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (strcmp(op, "Equal") == 0)
        return a >= b && a <= b;
    if (strcmp(op, "Less") == 0)
        return a < b;
    if (strcmp(op, "LessOrEqual") == 0)
        return a <= b;
    if (strcmp(op, "Greater") == 0)
        return a > b;
    if (strcmp(op, "GreaterOrEqual") == 0)
        return a >= b;
    if (strcmp(op, "And") == 0)
        return a != 0 && b != 0;
    if (strcmp(op, "Or") == 0)
        return a != 0 || b != 0;
    if (strcmp(op, "Max") == 0)
        return a > b ? a : b;
    return strcmp(op, "Min") == 0 ? (a < b ? a : b) : NAN;
}

static double binary(const char *op, double a, double b, bool whole)
{
    if (strcmp(op, "Add") == 0 || strcmp(op, "Sum") == 0)
        return a + b;
    if (strcmp(op, "Sub") == 0)
        return a - b;
    if (strcmp(op, "Mul") == 0 || strcmp(op, "Prod") == 0)
        return a * b;
    if (strcmp(op, "Div") == 0)
        return divide(a, b, whole);
    if (strcmp(op, "Mod") == 0)
        return modulo(a, b);
    if (strcmp(op, "Pow") == 0)
        return pow(a, b);
    return compare(op, a, b);
}

static double unary(const char *op, double a)
{
    if (isnan(a))
        return NAN;
    if (strcmp(op, "Neg") == 0)
        return -a;
    if (strcmp(op, "Abs") == 0)
        return fabs(a);
    if (strcmp(op, "Floor") == 0)
        return floor(a);
    if (strcmp(op, "Ceil") == 0)
        return ceil(a);
    if (strcmp(op, "Round") == 0)
        return nearbyint(a);
    if (strcmp(op, "Sqrt") == 0)
        return a < 0 ? NAN : sqrt(a);
    return strcmp(op, "Not") == 0 ? (double)(a == 0) : (double)NAN;
}

/* --- many ----------------------------------------------------------------- */

/* How many the result has; FACT_UNKNOWN: not known, or too many. */
static int size_of(const struct fact *to)
{
    uint64_t elements;

    if (!fact_elements(&elements, to) || elements > FACT_DATA_MAX)
        return FACT_UNKNOWN;
    return (int)elements;
}

/* The place of element `at` of `to`, axis by axis. */
static void place(int64_t out[FACT_RANK_MAX], const struct fact *to, int at)
{
    for (int i = to->rank; i > 0; i--) {
        out[i - 1] = at % to->dims[i - 1];
        at /= (int)to->dims[i - 1];
    }
}

/* The element of `f` there; sizes of 1 stand for any place. */
static double at_place(const struct fact *f, const struct fact *to,
        const int64_t *where)
{
    int64_t at = 0;

    for (int i = 0; i < f->rank; i++) {
        int64_t k = where[i + to->rank - f->rank];

        at = at * f->dims[i] + (f->dims[i] == 1 ? 0 : k);
    }
    return f->data[at];
}

/* Whether `f` has numbers, and can be broadcast to `to`. */
static bool fits(const struct fact *f, const struct fact *to)
{
    if (fact_count(f) < 0 || f->rank > to->rank)
        return false;
    for (int i = 1; i <= f->rank; i++)
        if (f->dims[f->rank - i] != 1 &&
                f->dims[f->rank - i] != to->dims[to->rank - i])
            return false;
    return true;
}

const double *fold_unary(struct onnx_call *c, const struct fact *to,
        const char *op, const struct fact *a)
{
    int count = size_of(to);

    if (count < 0 || fact_count(a) != count)
        return NULL;

    double *out = call_data(c, count);

    for (int i = 0; i < count; i++)
        out[i] = unary(op, a->data[i]);
    return out;
}

const double *fold_binary(struct onnx_call *c, const struct fact *to,
        const char *op, const struct fact *a, const struct fact *b)
{
    int count = size_of(to);
    bool whole = onnx_type_is_whole(a->type);
    int64_t where[FACT_RANK_MAX] = { 0 };

    if (count < 0 || !fits(a, to) || !fits(b, to))
        return NULL;

    double *out = call_data(c, count);

    for (int i = 0; i < count; i++) {
        place(where, to, i);
        out[i] = binary(op, at_place(a, to, where), at_place(b, to, where),
                whole);
    }
    return out;
}

const double *fold_cast(struct onnx_call *c, const struct fact *to,
        const struct fact *a)
{
    int count = size_of(to);

    if (count < 0 || fact_count(a) != count)
        return NULL;

    double *out = call_data(c, count);

    for (int i = 0; i < count; i++) {
        double x = a->data[i];

        if (to->type == ONNX_BOOL && !isnan(x))
            x = x != 0;
        out[i] = onnx_type_is_whole(to->type) ? trunc(x) : x;
    }
    return out;
}

const double *fold_where(struct onnx_call *c, const struct fact *to,
        const struct fact *condition, const struct fact *a,
        const struct fact *b)
{
    int count = size_of(to);
    int64_t where[FACT_RANK_MAX] = { 0 };

    if (count < 0 || !fits(condition, to) || !fits(a, to) || !fits(b, to))
        return NULL;

    double *out = call_data(c, count);

    for (int i = 0; i < count; i++) {
        place(where, to, i);

        double chosen = at_place(condition, to, where);
        double left = at_place(a, to, where);
        double right = at_place(b, to, where);

        /* Where both are the same the condition does not matter. */
        if (isnan(chosen))
            out[i] = left >= right && left <= right ? left : NAN;
        else
            out[i] = chosen != 0 ? left : right;
    }
    return out;
}

const double *fold_expand(struct onnx_call *c, const struct fact *to,
        const struct fact *a)
{
    int count = size_of(to);
    int64_t where[FACT_RANK_MAX] = { 0 };

    if (count < 0 || !fits(a, to))
        return NULL;

    double *out = call_data(c, count);

    for (int i = 0; i < count; i++) {
        place(where, to, i);
        out[i] = at_place(a, to, where);
    }
    return out;
}

const double *fold_slice(struct onnx_call *c, const struct fact *to,
        const struct fact *a, const int64_t *start, const int64_t *step)
{
    int count = size_of(to);

    if (count < 0 || fact_count(a) < 0)
        return NULL;

    double *out = call_data(c, count);

    for (int i = 0; i < count; i++) {
        int64_t where[FACT_RANK_MAX] = { 0 }, at = 0;

        place(where, to, i);
        for (int k = 0; k < a->rank; k++)
            at = at * a->dims[k] + start[k] + where[k] * step[k];
        out[i] = a->data[at];
    }
    return out;
}

const double *fold_transpose(struct onnx_call *c, const struct fact *to,
        const struct fact *a, const int *order)
{
    int count = size_of(to);

    if (count < 0 || fact_count(a) != count)
        return NULL;

    double *out = call_data(c, count);

    for (int i = 0; i < count; i++) {
        int64_t where[FACT_RANK_MAX] = { 0 };
        int64_t source[FACT_RANK_MAX] = { 0 }, at = 0;

        place(where, to, i);
        for (int k = 0; k < to->rank; k++)
            source[order[k]] = where[k];
        for (int k = 0; k < a->rank; k++)
            at = at * a->dims[k] + source[k];
        out[i] = a->data[at];
    }
    return out;
}

/* Whether `f` has numbers, and is a piece of `to` along the axis. */
static bool is_piece(const struct fact *f, const struct fact *to, int axis)
{
    if (fact_count(f) < 0 || f->rank != to->rank)
        return false;
    for (int i = 0; i < f->rank; i++)
        if (i != axis && f->dims[i] != to->dims[i])
            return false;
    return true;
}

const double *fold_concat(struct onnx_call *c, const struct fact *to, int axis)
{
    int count = size_of(to);

    for (int i = 0; i < c->in_count; i++)
        if (!is_piece(call_in(c, i), to, axis))
            return NULL;
    if (count < 0)
        return NULL;

    double *out = call_data(c, count);

    for (int i = 0; i < count; i++) {
        int64_t where[FACT_RANK_MAX] = { 0 };
        int from = 0;

        place(where, to, i);
        while (where[axis] >= call_in(c, from)->dims[axis])
            where[axis] -= call_in(c, from++)->dims[axis];

        const struct fact *f = call_in(c, from);
        int64_t at = 0;

        for (int k = 0; k < f->rank; k++)
            at = at * f->dims[k] + where[k];
        out[i] = f->data[at];
    }
    return out;
}

const double *fold_reduce(struct onnx_call *c, const char *op,
        const struct fact *a)
{
    int count = fact_count(a);

    if (count < 1)
        return NULL;

    double *out = call_data(c, 1);

    out[0] = a->data[0];
    for (int i = 1; i < count; i++)
        out[0] = binary(op, out[0], a->data[i], false);
    return out;
}
