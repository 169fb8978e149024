/* call.c -- what a call is given, and answers that many operators share. */
#include "onnx/ops.h"

#include <math.h>
#include <stddef.h>

/* --- arguments ------------------------------------------------------------ */

bool call_has(const struct onnx_call *c, int i)
{
    return i < c->in_count && c->in[i];
}

const struct fact *call_in(const struct onnx_call *c, int i)
{
    static const struct fact nothing = { .rank = FACT_UNKNOWN };

    return call_has(c, i) ? c->in[i] : &nothing;
}

void call_set(struct onnx_call *c, int i, const struct fact *f)
{
    if (i < c->out_count)
        c->out[i] = *f;
}

const struct onnx_attr *call_attr(const struct onnx_call *c, const char *name)
{
    const struct onnx_attr *a = c->node ? onnx_attr(c->node, name) : NULL;

    /* A name in the caller may in turn be its caller's. */
    while (a && a->kind == ONNX_ATTR_REFERENCE) {
        struct str wanted = a->text;

        c = c->caller;
        a = NULL;
        for (uint32_t i = 0; c && c->node && i < c->node->attr_count; i++)
            if (str_eq(c->node->attrs[i].name, wanted))
                a = &c->node->attrs[i];
    }
    return a;
}

int64_t call_int(const struct onnx_call *c, const char *name, int64_t otherwise)
{
    const struct onnx_attr *a = call_attr(c, name);

    return a && a->kind == ONNX_ATTR_INT ? a->i : otherwise;
}

struct str call_text(const struct onnx_call *c, const char *name)
{
    const struct onnx_attr *a = call_attr(c, name);

    return a && a->kind == ONNX_ATTR_TEXT ? a->text : str_of("");
}

int call_ints(const struct onnx_call *c, const char *name, const int64_t **out)
{
    const struct onnx_attr *a = call_attr(c, name);

    if (!a || a->kind != ONNX_ATTR_INTS || a->count > ONNX_LIST_MAX)
        return FACT_UNKNOWN;
    *out = a->ints;
    return (int)a->count;
}

int call_numbers(const struct onnx_call *c, int i, int64_t out[FACT_DATA_MAX])
{
    const struct fact *f = call_in(c, i);
    int count = fact_count(f);

    if (!f->data)
        return FACT_UNKNOWN;
    for (int k = 0; k < count; k++)
        if (!fact_int(&out[k], f->data[k]))
            return FACT_UNKNOWN;
    return count;
}

int call_list(const struct onnx_call *c, int i, const char *name,
        int64_t out[FACT_DATA_MAX], bool *given)
{
    const int64_t *ints;
    int count = call_ints(c, name, &ints);

    *given = true;
    if (count < 0 && call_has(c, i))
        return call_numbers(c, i, out);
    *given = count >= 0;
    if (count > FACT_DATA_MAX)
        return FACT_UNKNOWN;
    for (int k = 0; k < count; k++)
        (void)fact_int(&out[k], (double)ints[k]);
    return count;
}

double *call_data(struct onnx_call *c, int count)
{
    return arena_take(c->arena, (size_t)count + 1, sizeof(double));
}

/* --- answers -------------------------------------------------------------- */

void infer_same(struct onnx_call *c)
{
    struct fact f = *call_in(c, 0);

    f.data = NULL;
    f.weight = false;
    call_set(c, 0, &f);
}

void infer_broadcast(struct onnx_call *c)
{
    struct fact f = *call_in(c, 0);

    f.data = NULL;
    f.weight = false;
    for (int i = 1; i < c->in_count; i++) {
        struct fact before = f;

        fact_broadcast(&f, &before, call_in(c, i));
        if (f.type == ONNX_UNKNOWN)
            f.type = call_in(c, i)->type;
    }
    call_set(c, 0, &f);
}

bool cost_free(const struct onnx_call *c, struct onnx_cost *out)
{
    (void)c;
    *out = (struct onnx_cost){ 0 };
    return true;
}

static bool cost_elements(const struct onnx_call *c, const struct fact *f,
        struct onnx_cost *out)
{
    uint64_t elements;

    return fact_elements(&elements, f) &&
           cost_add(&out->operations, elements, (uint64_t)c->op->each);
}

bool cost_each(const struct onnx_call *c, struct onnx_cost *out)
{
    return c->out_count && cost_elements(c, &c->out[0], out);
}

bool cost_read(const struct onnx_call *c, struct onnx_cost *out)
{
    return cost_elements(c, call_in(c, 0), out);
}

bool cost_add(uint64_t *sum, uint64_t a, uint64_t b)
{
    if (b && a > UINT64_MAX / b)
        return false;
    if (a * b > UINT64_MAX - *sum)
        return false;
    *sum += a * b;
    return true;
}
