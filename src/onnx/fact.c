#include "onnx/fact.h"

#include <math.h>
#include <string.h>

struct fact fact_nothing(void)
{
    return (struct fact){ .rank = FACT_UNKNOWN };
}

struct fact fact_rank(int type, int rank)
{
    struct fact f = { .type = type, .rank = FACT_UNKNOWN };

    if (rank < 0 || rank > FACT_RANK_MAX)
        return f;
    f.rank = rank;
    for (int i = 0; i < rank; i++)
        f.dims[i] = FACT_UNKNOWN;
    return f;
}

struct fact fact_of_tensor(const struct onnx_tensor *t)
{
    struct fact f = fact_rank(t->type,
            t->rank <= FACT_RANK_MAX ? (int)t->rank : FACT_UNKNOWN);

    for (int i = 0; i < f.rank; i++)
        f.dims[i] = t->dims[i];
    f.weight = true;
    if (f.rank >= 0 && t->elements <= FACT_DATA_MAX)
        f.data = t->data;
    return f;
}

struct fact fact_of_value(const struct onnx_value *v)
{
    struct fact f = fact_rank(v->type, v->rank);

    for (int i = 0; i < f.rank; i++)
        f.dims[i] = v->dims[i].size;
    return f;
}

bool fact_product(uint64_t *out, const struct fact *f, int from, int to)
{
    uint64_t product = 1;

    if (f->rank < 0 || to > f->rank)
        return false;
    for (int i = from; i < to; i++)
        if (f->dims[i] < 0)
            return false;
    for (int i = from; i < to; i++)
        if (!f->dims[i]) {
            *out = 0;
            return true;
        }
    for (int i = from; i < to; i++) {
        if (product > INT64_MAX / (uint64_t)f->dims[i])
            return false;
        product *= (uint64_t)f->dims[i];
    }
    *out = product;
    return true;
}

bool fact_elements(uint64_t *out, const struct fact *f)
{
    return fact_product(out, f, 0, f->rank);
}

bool fact_bytes(uint64_t *out, const struct fact *f)
{
    uint64_t elements;

    return fact_elements(&elements, f) &&
           onnx_type_bytes(out, f->type, elements);
}

int fact_axis(int64_t axis, int rank)
{
    if (rank < 0 || axis < -rank || axis >= rank)
        return FACT_UNKNOWN;
    return (int)(axis < 0 ? axis + rank : axis);
}

bool fact_is_whole(const struct fact *f)
{
    for (int i = 0; i < f->rank; i++)
        if (f->dims[i] < 0)
            return false;
    return f->rank >= 0;
}

/* Of two sizes: equal ones, or one is 1.  An unknown one is 1, or the same. */
static int64_t broadcast_size(int64_t a, int64_t b)
{
    if (a == 1)
        return b;
    if (b == 1 || a == b)
        return a;
    if (a < 0)
        return b;
    return b < 0 ? a : FACT_UNKNOWN;
}

void fact_broadcast(struct fact *f, const struct fact *a, const struct fact *b)
{
    int type = f->type;

    if (a->rank < 0 || b->rank < 0) {
        *f = fact_rank(type, FACT_UNKNOWN);
        return;
    }

    struct fact made = fact_rank(type, a->rank > b->rank ? a->rank : b->rank);

    for (int i = 1; i <= made.rank; i++) {
        int64_t left = i <= a->rank ? a->dims[a->rank - i] : 1;
        int64_t right = i <= b->rank ? b->dims[b->rank - i] : 1;

        made.dims[made.rank - i] = broadcast_size(left, right);
    }
    *f = made;
}

void fact_complete(struct fact *f, const struct fact *other)
{
    if (f->type == ONNX_UNKNOWN)
        f->type = other->type;
    if (f->rank < 0 && other->rank >= 0) {
        f->rank = other->rank;
        memcpy(f->dims, other->dims, sizeof(f->dims));
        f->data = NULL;
    }
    if (f->rank != other->rank)
        return;
    for (int i = 0; i < f->rank; i++)
        if (f->dims[i] < 0)
            f->dims[i] = other->dims[i];
}

static bool same_data(const struct fact *a, const struct fact *b)
{
    int count = fact_count(a);

    if (count < 0 || count != fact_count(b))
        return false;
    for (int i = 0; i < count; i++)
        if (!(a->data[i] >= b->data[i] && a->data[i] <= b->data[i]))
            return false;
    return true;
}

void fact_either(struct fact *f, const struct fact *other)
{
    if (f->type != other->type)
        f->type = ONNX_UNKNOWN;
    if (f->rank != other->rank)
        *f = fact_rank(f->type, FACT_UNKNOWN);
    for (int i = 0; i < f->rank; i++)
        if (f->dims[i] != other->dims[i])
            f->dims[i] = FACT_UNKNOWN;
    if (!same_data(f, other))
        f->data = NULL;
    f->weight = false;
}

int fact_count(const struct fact *f)
{
    uint64_t elements;

    if (!f->data || !fact_elements(&elements, f) || elements > FACT_DATA_MAX)
        return FACT_UNKNOWN;
    return (int)elements;
}

bool fact_int(int64_t *out, double number)
{
    const double limit = 9007199254740992.0; /* 2^53: all are exact */

    if (isnan(number))
        return false;
    if (number > limit)
        number = limit;
    if (number < -limit)
        number = -limit;
    *out = (int64_t)number;
    return true;
}
