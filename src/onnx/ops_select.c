/* ops_select.c -- operators that pick, cut, join and repeat. */
#include "onnx/fold.h"

#include <math.h>
#include <stddef.h>

/* --- join and cut --------------------------------------------------------- */

static void infer_concat(struct onnx_call *c)
{
    const struct fact *first = call_in(c, 0);
    int axis = fact_axis(call_int(c, "axis", 1), first->rank);
    struct fact f = *first;

    f.data = NULL;
    f.weight = false;
    if (axis < 0)
        return;
    for (int i = 1; i < c->in_count; i++) {
        const struct fact *in = call_in(c, i);
        bool known = in->rank == f.rank && in->dims[axis] >= 0 &&
                     f.dims[axis] >= 0 &&
                     in->dims[axis] <= INT64_MAX - f.dims[axis];

        f.dims[axis] = known ? f.dims[axis] + in->dims[axis] : FACT_UNKNOWN;
        for (int k = 0; in->rank == f.rank && k < f.rank; k++)
            if (k != axis && f.dims[k] < 0)
                f.dims[k] = in->dims[k];
    }
    f.data = fold_concat(c, &f, axis);
    call_set(c, 0, &f);
}

/* The size of piece `i`: as listed, or equal parts, the last one smaller. */
static int64_t piece(const struct onnx_call *c, int i, int64_t whole,
        const int64_t *sizes, int count)
{
    int64_t parts = call_int(c, "num_outputs", c->out_count);

    if (count >= 0)
        return i < count ? sizes[i] : FACT_UNKNOWN;
    if (whole < 1 || parts < 1 || i >= parts)
        return whole ? FACT_UNKNOWN : 0;

    int64_t size = (whole - 1) / parts + 1;

    if (i > whole / size)
        return 0;

    int64_t left = whole - size * i;

    return left < size ? left : size;
}

static void infer_split(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    int axis = fact_axis(call_int(c, "axis", 0), in->rank);
    int64_t sizes[FACT_DATA_MAX];
    int64_t start[FACT_RANK_MAX] = { 0 }, step[FACT_RANK_MAX];
    bool given;
    int count = call_list(c, 1, "split", sizes, &given);

    for (int i = 0; i < FACT_RANK_MAX; i++)
        step[i] = 1;
    for (int i = 0; axis >= 0 && i < c->out_count; i++) {
        struct fact f = *in;
        int64_t size = FACT_UNKNOWN;

        if (!given || count >= 0)
            size = piece(c, i, in->dims[axis], sizes, given ? count : -1);
        f.weight = false;
        f.dims[axis] = size < 0 ? FACT_UNKNOWN : size;
        f.data = NULL;

        bool inside = size >= 0 && size <= in->dims[axis] - start[axis];

        if (inside)
            f.data = fold_slice(c, &f, in, start, step);
        start[axis] = inside ? start[axis] + size : in->dims[axis];
        call_set(c, i, &f);
    }
}

/* --- Slice ---------------------------------------------------------------- */

/* One axis of a slice, as numbers that are known. */
struct cut {
    int64_t start, end, step;
};

static int64_t clamp(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : (x > most ? most : x);
}

/* How many elements remain of `size`; `c` gets its true start. */
static int64_t cut_size(struct cut *c, int64_t size)
{
    int64_t start = c->start < 0 ? c->start + size : c->start;
    int64_t end = c->end < 0 ? c->end + size : c->end;

    if (!c->step || !size)
        return c->step ? 0 : FACT_UNKNOWN;
    if (c->step > 0) {
        start = clamp(start, 0, size);
        end = clamp(end, 0, size);
    } else {
        start = clamp(start, 0, size - 1);
        end = clamp(end, -1, size - 1);
    }
    c->start = start;

    int64_t span = c->step > 0 ? end - start : start - end;
    int64_t step = c->step > 0 ? c->step : -c->step;

    return span <= 0 ? 0 : (span - 1) / step + 1;
}

/* What a slice is told: before operator set 10 by attributes, since then by
 * inputs.  Numbers that are not known are NaN. */
static double cut_number(const struct onnx_call *c, int input, const char *name,
        int i, double otherwise)
{
    const struct fact *f = call_in(c, input);
    const int64_t *ints;

    if (call_has(c, input))
        return i < fact_count(f) ? f->data[i] : (double)NAN;
    return i < call_ints(c, name, &ints) ? (double)ints[i] : otherwise;
}

/* How many axes are cut; FACT_UNKNOWN: cannot be told. */
static int cut_count(const struct onnx_call *c)
{
    const struct fact *f = call_in(c, 1);
    const int64_t *ints;

    if (!call_has(c, 1))
        return call_ints(c, "starts", &ints);
    if (f->rank == 1 && f->dims[0] >= 0 && f->dims[0] <= FACT_RANK_MAX)
        return (int)f->dims[0];
    return FACT_UNKNOWN;
}

/* Cuts the axis that entry `i` names.  False: nobody knows which. */
static bool cut_axis(const struct onnx_call *c, int i, struct fact *f,
        struct cut cuts[FACT_RANK_MAX])
{
    int64_t axis;
    struct cut cut;

    if (!fact_int(&axis, cut_number(c, 3, "axes", i, i)))
        return false;

    int at = fact_axis(axis, f->rank);

    if (at < 0)
        return false;
    /* An axis that is cut to an unknown length. */
    if (f->dims[at] < 0 ||
            !fact_int(&cut.start, cut_number(c, 1, "starts", i, 0)) ||
            !fact_int(&cut.end, cut_number(c, 2, "ends", i, 0)) ||
            !fact_int(&cut.step, cut_number(c, 4, "steps", i, 1))) {
        f->dims[at] = FACT_UNKNOWN;
        return true;
    }
    f->dims[at] = cut_size(&cut, f->dims[at]);
    cuts[at] = cut;
    return true;
}

static void infer_slice(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    int count = cut_count(c);
    struct fact f = *in;
    struct cut cuts[FACT_RANK_MAX];
    int64_t start[FACT_RANK_MAX], step[FACT_RANK_MAX];

    f.data = NULL;
    f.weight = false;
    for (int i = 0; i < FACT_RANK_MAX; i++)
        cuts[i] = (struct cut){ .step = 1 };
    for (int i = 0; i < count && in->rank >= 0; i++)
        if (!cut_axis(c, i, &f, cuts))
            count = FACT_UNKNOWN;
    if (count < 0)
        f = fact_rank(in->type, in->rank);
    for (int i = 0; i < FACT_RANK_MAX; i++) {
        start[i] = cuts[i].start;
        step[i] = cuts[i].step;
    }
    if (fact_is_whole(&f))
        f.data = fold_slice(c, &f, in, start, step);
    call_set(c, 0, &f);
}

/* --- by index ------------------------------------------------------------- */

/* Of a row of numbers, those that the indices name. */
static const double *pick_numbers(struct onnx_call *c, const struct fact *to)
{
    const struct fact *in = call_in(c, 0);
    int64_t at[FACT_DATA_MAX];
    int count = call_numbers(c, 1, at), size = fact_count(in);
    uint64_t elements;

    if (in->rank != 1 || size < 0 || count < 0 ||
            !fact_elements(&elements, to) || elements != (uint64_t)count)
        return NULL;

    double *out = call_data(c, count);

    for (int i = 0; i < count; i++) {
        int64_t k = at[i] < 0 ? at[i] + size : at[i];

        if (k < 0 || k >= size)
            return NULL;
        out[i] = in->data[k];
    }
    return out;
}

static void infer_gather(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0), *indices = call_in(c, 1);
    int axis = fact_axis(call_int(c, "axis", 0), in->rank);

    if (axis < 0 || indices->rank < 0)
        return;

    struct fact f = fact_rank(in->type, in->rank - 1 + indices->rank);

    for (int i = 0, k = 0; i < f.rank; i++) {
        bool from_indices = i >= axis && i < axis + indices->rank;

        if (k == axis)
            k++;
        f.dims[i] = from_indices ? indices->dims[i - axis] : in->dims[k++];
    }
    f.data = pick_numbers(c, &f);
    call_set(c, 0, &f);
}

/* The shape of the indices, the type of the data. */
static void infer_gather_elements(struct onnx_call *c)
{
    struct fact f = *call_in(c, 1);

    f.type = call_in(c, 0)->type;
    f.data = NULL;
    f.weight = false;
    call_set(c, 0, &f);
}

/* The last axis of the indices names a place, or a slice. */
static void infer_gather_nd(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0), *indices = call_in(c, 1);
    int64_t batch = call_int(c, "batch_dims", 0);
    int64_t named;

    if (in->rank < 0 || indices->rank < 1 || batch < 0)
        return;
    named = indices->dims[indices->rank - 1];
    if (named < 0 || batch + named > in->rank)
        return;

    struct fact f = fact_rank(in->type,
            indices->rank - 1 + in->rank - (int)(batch + named));

    for (int i = 0; i < f.rank; i++)
        f.dims[i] = i < indices->rank - 1
                            ? indices->dims[i]
                            : in->dims[i - indices->rank + 1 + batch + named];
    call_set(c, 0, &f);
}

/* --- grow ----------------------------------------------------------------- */

static void infer_expand(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0), *shape = call_in(c, 1);
    int count = fact_count(shape);
    struct fact wanted = fact_rank(in->type,
            count >= 0 || shape->rank != 1 || shape->dims[0] > FACT_RANK_MAX
                    ? count
                    : (int)shape->dims[0]);
    struct fact f = { .type = in->type };

    for (int i = 0; count >= 0 && i < wanted.rank; i++) {
        int64_t size;

        if (fact_int(&size, shape->data[i]) && size >= 0)
            wanted.dims[i] = size;
    }
    fact_broadcast(&f, in, &wanted);
    f.data = fold_expand(c, &f, in);
    call_set(c, 0, &f);
}

static void infer_tile(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0), *times = call_in(c, 1);
    struct fact f = fact_rank(in->type, in->rank);
    int count = fact_count(times);

    for (int i = 0; count == in->rank && i < f.rank; i++) {
        int64_t by;

        if (fact_int(&by, times->data[i]) && by >= 0 && in->dims[i] >= 0 &&
                (!by || in->dims[i] <= INT64_MAX / by))
            f.dims[i] = in->dims[i] * by;
    }
    call_set(c, 0, &f);
}

/* The pads before all axes, then those behind; of some axes, if listed. */
static void infer_pad(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    struct fact f = *in;
    int64_t pads[FACT_DATA_MAX], axes[FACT_DATA_MAX];
    bool given, some;
    int count = call_list(c, 1, "pads", pads, &given);
    int axis_count = call_list(c, 3, "axes", axes, &some);
    int wanted = some ? axis_count : in->rank;

    f.data = NULL;
    f.weight = false;
    if (in->rank < 0)
        return;
    if (count < 0 || wanted < 0 || count != 2 * wanted)
        f = fact_rank(in->type, in->rank);
    for (int i = 0; count == 2 * wanted && i < wanted; i++) {
        int at = fact_axis(some ? axes[i] : i, in->rank);

        if (at >= 0 && f.dims[at] >= 0 && f.dims[at] <= INT64_MAX / 2)
            f.dims[at] += pads[i] + pads[i + wanted];
        if (at >= 0 && f.dims[at] < 0)
            f.dims[at] = FACT_UNKNOWN;
    }
    call_set(c, 0, &f);
}

static void infer_one_hot(struct onnx_call *c)
{
    const struct fact *indices = call_in(c, 0);
    int64_t depth[FACT_DATA_MAX];
    int known = call_numbers(c, 1, depth);
    struct fact f = fact_rank(call_in(c, 2)->type,
            indices->rank < 0 ? FACT_UNKNOWN : indices->rank + 1);
    int axis = fact_axis(call_int(c, "axis", -1), f.rank);

    for (int i = 0, k = 0; axis >= 0 && i < f.rank; i++)
        if (i != axis)
            f.dims[i] = indices->dims[k++];
    if (axis >= 0 && known == 1 && depth[0] >= 0)
        f.dims[axis] = depth[0];
    call_set(c, 0, &f);
}

const struct onnx_op ops_select[] = {
    { "Concat", infer_concat, cost_free, 0 },
    { "Split", infer_split, cost_free, 0 },
    { "Slice", infer_slice, cost_free, 0 },
    { "Gather", infer_gather, cost_free, 0 },
    { "GatherElements", infer_gather_elements, cost_free, 0 },
    { "GatherND", infer_gather_nd, cost_free, 0 },
    { "Scatter", infer_same, cost_free, 0 },
    { "ScatterElements", infer_same, cost_free, 0 },
    { "ScatterND", infer_same, cost_free, 0 },
    { "TensorScatter", infer_same, cost_free, 0 },
    { "Expand", infer_expand, cost_free, 0 },
    { "Tile", infer_tile, cost_free, 0 },
    { "Pad", infer_pad, cost_free, 0 },
    { "OneHot", infer_one_hot, cost_free, 0 },
    { "ReverseSequence", infer_same, cost_free, 0 },
    { "Trilu", infer_same, cost_free, 0 },
    { 0 },
};
