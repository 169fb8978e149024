#include "analyse/operators/activations.h"

#include "base/alloc.h"
#include "base/map.h"
#include "onnx/graph.h"

#include <math.h>
#include <stdlib.h>

struct reader {
    struct activations *out;
    size_t cap;
    struct map place; /* of an operator and its output */
    uint64_t last;    /* inference that came */
};

static struct activation_figures *figures_of(struct reader *r,
        const struct activation *x)
{
    struct activations *a = r->out;
    uint64_t key = (uint64_t)x->operator_id << 16 | x->output;
    const uint64_t *place = map_find(&r->place, key);

    if (place)
        return &a->items[*place];
    if (a->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 64;
        a->items = alloc_resize(a->items, r->cap * sizeof(*a->items));
    }
    map_put(&r->place, key, a->count);
    a->items[a->count] = (struct activation_figures){
        .operator_id = x->operator_id,
        .output = x->output,
        .mean_abs = NAN,
        .std_dev = NAN,
        .max_abs = NAN,
    };
    return &a->items[a->count++];
}

/* Means by the number of elements; deviations by their squares. */
static void add_values(struct activation_figures *f, const struct activation *x)
{
    double had = (double)(f->read - f->nans - f->infinities);
    double more = (double)(x->read - x->nans - x->infinities);

    if (isnan(x->mean_abs) || !(more > 0))
        return;
    if (!(had > 0) || isnan(f->mean_abs)) {
        f->mean_abs = x->mean_abs;
        f->std_dev = x->std_dev;
        f->max_abs = x->max_abs;
        return;
    }
    f->mean_abs = (f->mean_abs * had + x->mean_abs * more) / (had + more);
    f->std_dev = sqrt(
            (f->std_dev * f->std_dev * had + x->std_dev * x->std_dev * more) /
            (had + more));
    f->max_abs = fmax(f->max_abs, x->max_abs);
}

/* Operators are numbered in the order in which they ran first, which is an
 * order of the graph. */
static void keep_first(uint32_t *first, uint64_t *inference,
        const struct activation *x)
{
    if (*first &&
            (x->inference > *inference ||
                    (x->inference == *inference && x->operator_id >= *first)))
        return;
    *first = x->operator_id;
    *inference = x->inference;
}

static void take_activation(void *to, const struct activation *x)
{
    struct reader *r = to;
    struct activation_figures *f = figures_of(r, x);

    add_values(f, x);
    f->inferences++;
    f->elements += x->elements;
    f->read += x->read;
    f->nans += x->nans;
    f->infinities += x->infinities;
    f->near_zero += x->near_zero;
    r->out->inferences += x->inference != r->last;
    r->last = x->inference;
    r->out->cost_ns += (double)x->cost_ns;
    r->out->looked_bytes +=
            (double)x->read * (double)onnx_type_bits(x->type) / 8;
    if (x->nans)
        keep_first(&r->out->first_nan, &r->out->nan_inference, x);
    if (x->infinities)
        keep_first(&r->out->first_infinity, &r->out->infinity_inference, x);
}

static int by_operator(const void *a, const void *b)
{
    const struct activation_figures *x = a, *y = b;

    if (x->operator_id != y->operator_id)
        return x->operator_id < y->operator_id ? -1 : 1;
    return x->output < y->output ? -1 : x->output > y->output;
}

int activations_read(struct activations *out, const struct operators *o,
        struct store *s, int64_t run, struct error *e)
{
    struct reader r = { .out = out };

    *out = (struct activations){ 0 };
    if (!o->count)
        return 0;

    int rc = store_each_activation(s, run, take_activation, &r, e);

    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items), by_operator);
    map_release(&r.place);
    if (rc)
        activations_release(out);
    return rc;
}

void activations_release(struct activations *a)
{
    free(a->items);
    *a = (struct activations){ 0 };
}
