#include "analyse/generation/deep_values.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/json_read.h"
#include "base/map.h"

#include <math.h>
#include <stdlib.h>

#define HEADS_MAX 65536

struct reader {
    const struct operators *operators;
    struct buf rows;
};

/* --- reading -------------------------------------------------------------- */

static void read_list(struct buf *out, const char *list)
{
    struct str rest = str_of(list ? list : ""), one;
    double number;

    while (json_next_element(&rest, &one) > 0 && !str_f64(&number, one) &&
            out->len < HEADS_MAX * sizeof(number))
        buf_add(out, &number, sizeof(number));
}

static void read_heads(struct deep_value *v, const struct activation *x)
{
    const char *const lists[] = { x->entropy_per_head, x->largest_per_head,
        x->sparsity_per_head };
    struct buf figures[HEAD_FIGURES] = { 0 };
    bool equal = true;

    for (size_t i = 0; i < HEAD_FIGURES; i++) {
        read_list(&figures[i], lists[i]);
        equal = equal && figures[i].len == figures[0].len;
    }
    if (equal && figures[0].len) {
        v->head_count = figures[0].len / sizeof(double);
        v->heads = alloc_zero(v->head_count * HEAD_FIGURES, sizeof(double));
        for (size_t k = 0; k < v->head_count; k++)
            for (size_t i = 0; i < HEAD_FIGURES; i++)
                v->heads[k * HEAD_FIGURES + i] =
                        ((const double *)(void *)figures[i].p)[k];
    }
    for (size_t i = 0; i < HEAD_FIGURES; i++)
        buf_release(&figures[i]);
}

static void take_activation(void *to, const struct activation *x)
{
    struct reader *r = to;
    const struct operator_figures *f =
            operators_find(r->operators, x->operator_id);
    struct deep_value v = {
        .inference = x->inference,
        .operator_id = x->operator_id,
        .output = x->output,
        .read = x->read,
        .near_zero = x->near_zero,
        .negative = x->negative,
        .negative_known = x->negative_known,
        .mean = x->mean_abs,
        .std = x->std_dev,
        .max = x->max_abs,
    };

    if (!f || !x->inference)
        return;
    read_heads(&v, x);
    buf_add(&r->rows, &v, sizeof(v));
}

/* --- all inferences together ---------------------------------------------- */

static double mean_of(double a, double a_weight, double b, double b_weight)
{
    return (a * a_weight + b * b_weight) / (a_weight + b_weight);
}

static void add_heads(struct deep_value *to, const struct deep_value *v,
        double had)
{
    if (v->head_count != to->head_count)
        return;
    for (size_t i = 0; i < v->head_count * HEAD_FIGURES; i++)
        to->heads[i] = i % HEAD_FIGURES == HEAD_LARGEST
                               ? fmax(to->heads[i], v->heads[i])
                               : mean_of(to->heads[i], had, v->heads[i], 1);
}

/* Means by the number of elements, deviations by their squares; each inference
 * is one of `had` + 1 for the heads. */
static void add_value(struct deep_value *to, const struct deep_value *v,
        double had)
{
    double before = (double)to->read, more = (double)v->read;

    if (!isnan(v->mean) && !isnan(to->mean)) {
        to->mean = mean_of(to->mean, before, v->mean, more);
        to->std =
                sqrt(mean_of(to->std * to->std, before, v->std * v->std, more));
        to->max = fmax(to->max, v->max);
    }
    to->read += v->read;
    to->near_zero += v->near_zero;
    to->negative += v->negative;
    to->negative_known = to->negative_known && v->negative_known;
    add_heads(to, v, had);
}

static struct deep_value first_of(const struct deep_value *v)
{
    struct deep_value sum = *v;

    sum.inference = 0;
    sum.heads = NULL;
    if (v->heads) {
        sum.heads = alloc_zero(v->head_count * HEAD_FIGURES, sizeof(double));
        for (size_t i = 0; i < v->head_count * HEAD_FIGURES; i++)
            sum.heads[i] = v->heads[i];
    }
    return sum;
}

static void sum_up(struct buf *rows)
{
    size_t count = rows->len / sizeof(struct deep_value);
    struct deep_value *sums = alloc_zero(count + 1, sizeof(*sums));
    double *added = alloc_zero(count + 1, sizeof(*added));
    struct map place = { 0 };
    size_t sum_count = 0;

    for (size_t i = 0; i < count; i++) {
        const struct deep_value *v =
                &((const struct deep_value *)(void *)rows->p)[i];
        uint64_t key = (uint64_t)v->operator_id << 16 | v->output;
        const uint64_t *at = map_find(&place, key);

        if (at) {
            add_value(&sums[*at], v, added[*at]);
            added[*at]++;
            continue;
        }
        map_put(&place, key, sum_count);
        sums[sum_count] = first_of(v);
        added[sum_count++] = 1;
    }
    if (sum_count)
        buf_add(rows, sums, sum_count * sizeof(*sums));
    free(sums);
    free(added);
    map_release(&place);
}

/* --- all of it ------------------------------------------------------------ */

static int by_key(const void *a, const void *b)
{
    const struct deep_value *x = a, *y = b;

    if (x->inference != y->inference)
        return x->inference < y->inference ? -1 : 1;
    if (x->operator_id != y->operator_id)
        return x->operator_id < y->operator_id ? -1 : 1;
    return (x->output > y->output) - (x->output < y->output);
}

int deep_values_read(struct deep_values *out, const struct operators *o,
        struct store *s, int64_t run, struct error *e)
{
    struct reader r = { .operators = o };
    int rc = store_each_activation(s, run, take_activation, &r, e);

    sum_up(&r.rows);
    *out = (struct deep_values){
        .items = (struct deep_value *)(void *)r.rows.p,
        .count = r.rows.len / sizeof(struct deep_value),
    };
    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items), by_key);
    return rc;
}

void deep_values_release(struct deep_values *v)
{
    for (size_t i = 0; i < v->count; i++)
        free(v->items[i].heads);
    free(v->items);
    *v = (struct deep_values){ 0 };
}

const struct deep_value *deep_values_find(const struct deep_values *v,
        uint64_t inference, uint32_t operator_id, uint16_t output)
{
    struct deep_value key = { .inference = inference,
        .operator_id = operator_id,
        .output = output };

    return v->count ? bsearch(&key, v->items, v->count, sizeof(key), by_key)
                    : NULL;
}
