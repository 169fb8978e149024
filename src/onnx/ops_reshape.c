/* ops_reshape.c -- the same elements in another shape. */
#include "onnx/fold.h"

#include <math.h>
#include <stddef.h>

/* Passes the input on in a new shape, with its numbers. */
static void reshaped(struct onnx_call *c, struct fact *f)
{
    const struct fact *in = call_in(c, 0);
    uint64_t before, after;

    f->type = in->type;
    f->weight = false;
    if (in->data && fact_elements(&before, in) && fact_elements(&after, f) &&
            before == after)
        f->data = in->data;
    call_set(c, 0, f);
}

/* The size that -1 stands for: what is left when all others are taken. */
static int64_t left_over(const struct fact *in, const struct fact *f, int open)
{
    uint64_t all, taken;
    struct fact others = *f;

    others.dims[open] = 1;
    if (!fact_elements(&all, in) || !fact_elements(&taken, &others) || !taken ||
            all % taken)
        return FACT_UNKNOWN;
    return (int64_t)(all / taken);
}

/* The same where sizes of the input are not known: those that the new shape
 * keeps at their places (0) cancel out. */
static int64_t left_over_partly(const struct fact *in, const struct fact *f,
        const bool kept[FACT_RANK_MAX], int open)
{
    struct fact before = *in, after = *f;

    for (int i = 0; i < f->rank && i < in->rank; i++)
        if (kept[i] && in->dims[i] < 0)
            before.dims[i] = after.dims[i] = 1;
    return left_over(&before, &after, open);
}

/* The shape that is asked for, NaN where it is not known.  Returns its rank. */
static int target(const struct onnx_call *c, double out[FACT_RANK_MAX])
{
    const struct fact *shape = call_in(c, 1);
    const int64_t *old = NULL; /* before operator set 5 */
    int rank = call_has(c, 1) ? fact_count(shape) : call_ints(c, "shape", &old);

    if (rank > FACT_RANK_MAX)
        return FACT_UNKNOWN;
    for (int i = 0; i < rank; i++)
        out[i] = old ? (double)old[i] : shape->data[i];
    if (rank >= 0 || shape->rank != 1 || shape->dims[0] > FACT_RANK_MAX)
        return rank;
    /* The rank at least is known: as long as the shape is. */
    for (int i = 0; i < shape->dims[0]; i++)
        out[i] = NAN;
    return (int)shape->dims[0];
}

static void infer_reshape(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    bool zero_stays = !call_int(c, "allowzero", 0);
    bool kept[FACT_RANK_MAX] = { false };
    double wanted[FACT_RANK_MAX] = { 0 };
    struct fact f = fact_rank(in->type, target(c, wanted));
    int open = FACT_UNKNOWN, open_count = 0;

    for (int i = 0; i < f.rank; i++) {
        int64_t size;

        if (!fact_int(&size, wanted[i]) || size < 0) {
            open = i;
            open_count++;
        } else if (size == 0 && zero_stays) {
            kept[i] = true;
            f.dims[i] = i < in->rank ? in->dims[i] : FACT_UNKNOWN;
        } else {
            f.dims[i] = size;
        }
    }
    if (open_count == 1)
        f.dims[open] = left_over_partly(in, &f, kept, open);
    reshaped(c, &f);
}

static void infer_flatten(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    int64_t axis = call_int(c, "axis", 1);
    struct fact f = fact_rank(in->type, 2);
    uint64_t rows, columns;

    if (axis < 0)
        axis += in->rank;
    if (in->rank >= 0 && axis >= 0 && axis <= in->rank) {
        if (fact_product(&rows, in, 0, (int)axis))
            f.dims[0] = (int64_t)rows;
        if (fact_product(&columns, in, (int)axis, in->rank))
            f.dims[1] = (int64_t)columns;
    }
    reshaped(c, &f);
}

/* Which axes a list names, as bits; false: it names some that are not. */
static bool axes_of(unsigned *bits, const int64_t *axes, int count, int rank)
{
    *bits = 0;
    for (int i = 0; i < count; i++) {
        int axis = fact_axis(axes[i], rank);

        if (axis < 0)
            return false;
        *bits |= 1u << axis;
    }
    return true;
}

static void infer_squeeze(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    struct fact f = fact_rank(in->type, 0);
    int64_t axes[FACT_DATA_MAX];
    bool given;
    int count = call_list(c, 1, "axes", axes, &given);
    unsigned gone = 0;

    if (in->rank < 0 || (given && count < 0) ||
            (given && !axes_of(&gone, axes, count, in->rank)))
        return;
    for (int i = 0; i < in->rank; i++) {
        /* Without a list all that are 1 go; one that is not known may be. */
        if (!given && in->dims[i] < 0)
            return;
        if (!given && in->dims[i] == 1)
            gone |= 1u << i;
        if (!(gone & 1u << i))
            f.dims[f.rank++] = in->dims[i];
    }
    reshaped(c, &f);
}

static void infer_unsqueeze(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    int64_t axes[FACT_DATA_MAX];
    bool given;
    int count = call_list(c, 1, "axes", axes, &given), from = 0;
    unsigned added;

    if (in->rank < 0 || count < 0 || in->rank + count > FACT_RANK_MAX)
        return;

    struct fact f = fact_rank(in->type, in->rank + count);

    if (!axes_of(&added, axes, count, f.rank))
        return;
    for (int i = 0; i < f.rank; i++) {
        bool is_added = added & 1u << i;

        /* An axis named twice leaves one too many for the input. */
        if (!is_added && from == in->rank)
            return;
        f.dims[i] = is_added ? 1 : in->dims[from++];
    }
    reshaped(c, &f);
}

static void infer_transpose(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    struct fact f = fact_rank(in->type, in->rank);
    const int64_t *perm;
    int count = call_ints(c, "perm", &perm), order[FACT_RANK_MAX];
    unsigned seen = 0;

    if (in->rank < 0 || (count >= 0 && count != in->rank))
        return;
    for (int i = 0; i < in->rank; i++) {
        order[i] = count < 0 ? in->rank - 1 - i : fact_axis(perm[i], in->rank);
        if (order[i] < 0 || seen & 1u << order[i])
            return;
        seen |= 1u << order[i];
        f.dims[i] = in->dims[order[i]];
    }
    f.data = fold_transpose(c, &f, in, order);
    call_set(c, 0, &f);
}

/* Channels to space, or back: by the block's size, both ways. */
static void infer_blocks(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    int64_t block = call_int(c, "blocksize", 0);
    bool to_space = c->op->each;
    struct fact f = fact_rank(in->type, in->rank);

    if (in->rank != 4 || block < 1 || block > INT16_MAX)
        return;
    f.dims[0] = in->dims[0];
    for (int i = 1; i < 4; i++) {
        bool grows = to_space == (i > 1);
        int64_t by = i == 1 ? block * block : block;

        if (in->dims[i] < 0 || in->dims[i] > INT32_MAX)
            f.dims[i] = FACT_UNKNOWN;
        else
            f.dims[i] = grows ? in->dims[i] * by : in->dims[i] / by;
    }
    call_set(c, 0, &f);
}

const struct onnx_op ops_reshape[] = {
    { "Reshape", infer_reshape, cost_free, 0 },
    { "Flatten", infer_flatten, cost_free, 0 },
    { "Squeeze", infer_squeeze, cost_free, 0 },
    { "Unsqueeze", infer_unsqueeze, cost_free, 0 },
    { "Transpose", infer_transpose, cost_free, 0 },
    { "DepthToSpace", infer_blocks, cost_free, 1 },
    { "SpaceToDepth", infer_blocks, cost_free, 0 },
    { 0 },
};
