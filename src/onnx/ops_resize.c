/* ops_resize.c -- pictures made larger, smaller, or seen through a grid. */
#include "onnx/ops.h"

#include <math.h>
#include <stddef.h>

/* The number that input `i` has for axis `at`; NaN: not known. */
static double number(const struct onnx_call *c, int i, int at)
{
    const struct fact *f = call_in(c, i);

    return at < fact_count(f) ? f->data[at] : (double)NAN;
}

/* Rounded down, or to the nearest for `add` = 0.5. */
static int64_t scaled(int64_t size, double by, double add)
{
    double to = floor((double)size * by + add);

    return size >= 0 && to >= 0 && to < 9e15 ? (int64_t)to : FACT_UNKNOWN;
}

/* Which entry of the scales or sizes speaks for an axis; FACT_UNKNOWN: none. */
static int entry_of(const struct onnx_call *c, int axis, int rank)
{
    const int64_t *axes;
    int count = call_ints(c, "axes", &axes);

    if (count < 0)
        return axis;
    for (int i = 0; i < count; i++)
        if (fact_axis(axes[i], rank) == axis)
            return i;
    return FACT_UNKNOWN;
}

/* "not_larger" and "not_smaller" take one scale for all axes that are sized. */
static double common_scale(const struct onnx_call *c, int sizes, bool larger)
{
    const struct fact *in = call_in(c, 0);
    double found = (double)NAN;

    for (int i = 0; i < in->rank; i++) {
        int k = entry_of(c, i, in->rank);
        double scale = k < 0 || in->dims[i] < 1
                               ? (double)NAN
                               : number(c, sizes, k) / (double)in->dims[i];

        if (k >= 0 && isnan(scale))
            return scale;
        if (k >= 0 &&
                (isnan(found) || (larger ? scale > found : scale < found)))
            found = scale;
    }
    return found;
}

/* `scales` and `sizes` are the inputs' numbers; the latter may be left out. */
static void resize_with(struct onnx_call *c, int scales, int sizes)
{
    const struct fact *in = call_in(c, 0);
    struct fact f = fact_rank(in->type, in->rank);
    struct str policy = call_text(c, "keep_aspect_ratio_policy");
    bool sized = call_has(c, sizes) && fact_count(call_in(c, sizes)) != 0;
    bool larger = str_is(policy, "not_smaller");
    bool common = sized && (larger || str_is(policy, "not_larger"));
    double scale = common ? common_scale(c, sizes, larger) : 0;

    for (int i = 0; i < f.rank; i++) {
        int k = entry_of(c, i, f.rank);

        if (k < 0)
            f.dims[i] = in->dims[i];
        else if (common && !isnan(scale))
            f.dims[i] = scaled(in->dims[i], scale, 0.5);
        else if (!sized)
            f.dims[i] = scaled(in->dims[i], number(c, scales, k), 0);
        else if (!common)
            (void)fact_int(&f.dims[i], number(c, sizes, k));
        if (f.dims[i] < 0)
            f.dims[i] = FACT_UNKNOWN;
    }
    call_set(c, 0, &f);
}

/* Operator set 10 had no region; from 11 on it is input 1. */
static void infer_resize(struct onnx_call *c)
{
    bool old = c->in_count == 2;

    resize_with(c, old ? 1 : 2, 3);
}

/* Before operator set 9 the scales are an attribute. */
static void infer_upsample(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    const struct onnx_attr *a = call_attr(c, "scales");
    struct fact f = fact_rank(in->type, in->rank);

    if (!a || a->kind != ONNX_ATTR_FLOATS) {
        resize_with(c, 1, 2);
        return;
    }
    for (int i = 0; a->count <= ONNX_LIST_MAX && i < f.rank; i++)
        if (i < (int)a->count)
            f.dims[i] = scaled(in->dims[i], (double)a->floats[i], 0);
    call_set(c, 0, &f);
}

/* X [N, C, ...], grid [N, ..., places]: the places' shape is put out. */
static void infer_grid_sample(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0), *grid = call_in(c, 1);
    struct fact f = fact_rank(in->type, in->rank);

    for (int i = 0; i < f.rank && i < 2; i++)
        f.dims[i] = in->dims[i];
    for (int i = 2; i < f.rank && grid->rank == in->rank; i++)
        f.dims[i] = grid->dims[i - 1];
    call_set(c, 0, &f);
}

static void infer_roi_align(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0), *regions = call_in(c, 1);
    struct fact f = fact_rank(in->type, 4);

    if (regions->rank == 2)
        f.dims[0] = regions->dims[0];
    if (in->rank == 4)
        f.dims[1] = in->dims[1];
    f.dims[2] = call_int(c, "output_height", 1);
    f.dims[3] = call_int(c, "output_width", 1);
    for (int i = 2; i < 4; i++)
        if (f.dims[i] < 0)
            f.dims[i] = FACT_UNKNOWN;
    call_set(c, 0, &f);
}

const struct onnx_op ops_resize[] = {
    { "Resize", infer_resize, cost_each, 1 },
    { "Upsample", infer_upsample, cost_each, 1 },
    { "GridSample", infer_grid_sample, cost_each, 7 },
    { "RoiAlign", infer_roi_align, NULL, 0 },
    { 0 },
};
