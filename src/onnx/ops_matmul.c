/* ops_matmul.c -- products of matrices. */
#include "onnx/ops.h"

#include <stddef.h>

/* The last two axes, turned. */
static struct fact turned(const struct fact *f, bool turn)
{
    struct fact made = *f;

    if (turn && f->rank >= 2) {
        made.dims[f->rank - 1] = f->dims[f->rank - 2];
        made.dims[f->rank - 2] = f->dims[f->rank - 1];
    }
    return made;
}

/* numpy.matmul(): a row before a matrix, or a column behind one, loses the axis
 * that was added to it; all axes before the last two are broadcast. */
static struct fact product(const struct fact *a, const struct fact *b, int type)
{
    struct fact front_a = *a, front_b = *b, f = { .type = type };

    if (a->rank < 1 || b->rank < 1)
        return fact_rank(type, FACT_UNKNOWN);
    front_a.rank = a->rank > 2 ? a->rank - 2 : 0;
    front_b.rank = b->rank > 2 ? b->rank - 2 : 0;
    fact_broadcast(&f, &front_a, &front_b);
    if (f.rank > FACT_RANK_MAX - 2)
        return fact_rank(type, FACT_UNKNOWN);
    if (a->rank > 1)
        f.dims[f.rank++] = a->dims[a->rank - 2];
    if (b->rank > 1)
        f.dims[f.rank++] = b->dims[b->rank - 1];
    return f;
}

/* Each element of the product sums as many as the inner axis is long. */
static bool cost_product(const struct fact *made, const struct fact *a,
        const struct fact *b, struct onnx_cost *out)
{
    uint64_t elements;
    int64_t inner = a->rank > 0 ? a->dims[a->rank - 1] : FACT_UNKNOWN;

    if (inner < 0 && b->rank > 0)
        inner = b->dims[b->rank > 1 ? b->rank - 2 : 0];
    return inner >= 0 && fact_elements(&elements, made) &&
           cost_add(&out->macs, elements, (uint64_t)inner);
}

static void infer_matmul(struct onnx_call *c)
{
    struct fact f = product(call_in(c, 0), call_in(c, 1), call_in(c, 0)->type);

    call_set(c, 0, &f);
}

static void infer_matmul_integer(struct onnx_call *c)
{
    struct fact f = product(call_in(c, 0), call_in(c, 1), ONNX_INT32);

    call_set(c, 0, &f);
}

static bool cost_matmul(const struct onnx_call *c, struct onnx_cost *out)
{
    return c->out_count &&
           cost_product(&c->out[0], call_in(c, 0), call_in(c, 1), out);
}

/* a, its scale and zero, b, ..., zero of what is made. */
static void infer_quantised_matmul(struct onnx_call *c)
{
    struct fact f = product(call_in(c, 0), call_in(c, 3), call_in(c, 7)->type);

    call_set(c, 0, &f);
}

static bool cost_quantised_matmul(const struct onnx_call *c,
        struct onnx_cost *out)
{
    return c->out_count &&
           cost_product(&c->out[0], call_in(c, 0), call_in(c, 3), out);
}

static void infer_gemm_with(struct onnx_call *c, int second, int type)
{
    struct fact a = turned(call_in(c, 0), call_int(c, "transA", 0));
    struct fact b = turned(call_in(c, second), call_int(c, "transB", 0));
    struct fact f = fact_rank(type, 2);

    if (a.rank == 2)
        f.dims[0] = a.dims[0];
    if (b.rank == 2)
        f.dims[1] = b.dims[1];
    call_set(c, 0, &f);
}

static bool cost_gemm_with(const struct onnx_call *c, int second, bool bias,
        struct onnx_cost *out)
{
    struct fact a = turned(call_in(c, 0), call_int(c, "transA", 0));
    struct fact b = turned(call_in(c, second), call_int(c, "transB", 0));
    uint64_t elements;

    if (!c->out_count || !cost_product(&c->out[0], &a, &b, out))
        return false;
    return !bias || (fact_elements(&elements, &c->out[0]) &&
                            cost_add(&out->operations, elements, 1));
}

static void infer_gemm(struct onnx_call *c)
{
    infer_gemm_with(c, 1, call_in(c, 0)->type);
}

static bool cost_gemm(const struct onnx_call *c, struct onnx_cost *out)
{
    return cost_gemm_with(c, 1, call_has(c, 2), out);
}

/* --- Einsum --------------------------------------------------------------- */

#define LETTERS 52

struct letters {
    int64_t size[LETTERS];
    bool seen[LETTERS];
};

static int letter(char c)
{
    if (c >= 'a' && c <= 'z')
        return c - 'a';
    return c >= 'A' && c <= 'Z' ? c - 'A' + 26 : -1;
}

/* Takes one term, up to a comma or the arrow, and learns the sizes of its
 * letters from an input.  False: it holds dots, or other axes than that. */
static bool learn(struct letters *l, struct str *rest, const struct fact *in)
{
    int axis = 0;

    while (rest->len && rest->p[0] != ',' && rest->p[0] != '-') {
        char c = rest->p[0];
        int i = letter(c);

        *rest = (struct str){ rest->p + 1, rest->len - 1 };
        if (c == ' ')
            continue;
        if (i < 0 || axis >= in->rank)
            return false;
        if (!l->seen[i] || l->size[i] < 0 || l->size[i] == 1)
            l->size[i] = in->dims[axis];
        l->seen[i] = true;
        axis++;
    }
    return axis == in->rank;
}

/* "ij,jk->ik": learns all sizes and leaves what stands behind the arrow.
 * Without an arrow letters that stand once are put out, which nobody writes. */
static bool learn_all(const struct onnx_call *c, struct letters *l,
        struct str *to)
{
    struct str rest = call_text(c, "equation");

    for (int i = 0; i < c->in_count; i++) {
        if (!learn(l, &rest, call_in(c, i)))
            return false;
        if (rest.len && rest.p[0] == ',')
            rest = (struct str){ rest.p + 1, rest.len - 1 };
    }
    if (!str_starts(rest, "->"))
        return false;
    *to = (struct str){ rest.p + 2, rest.len - 2 };
    return true;
}

static void infer_einsum(struct onnx_call *c)
{
    struct letters l = { .seen = { false } };
    struct fact f = fact_rank(call_in(c, 0)->type, 0);
    struct str to;

    if (!learn_all(c, &l, &to))
        return;
    for (size_t i = 0; i < to.len; i++) {
        int k = letter(to.p[i]);

        if (to.p[i] == ' ')
            continue;
        if (k < 0 || !l.seen[k] || f.rank == FACT_RANK_MAX)
            return;
        f.dims[f.rank++] = l.size[k];
    }
    call_set(c, 0, &f);
}

/* All letters run through all their values. */
static bool cost_einsum(const struct onnx_call *c, struct onnx_cost *out)
{
    struct letters l = { .seen = { false } };
    struct fact all = fact_rank(ONNX_UNKNOWN, 0);
    uint64_t steps;
    struct str to;

    if (!learn_all(c, &l, &to))
        return false;
    for (int i = 0; i < LETTERS; i++) {
        if (!l.seen[i])
            continue;
        if (all.rank == FACT_RANK_MAX)
            return false;
        all.dims[all.rank++] = l.size[i];
    }
    if (!fact_elements(&steps, &all))
        return false;
    return c->in_count > 1
                   ? cost_add(&out->macs, steps, (uint64_t)c->in_count - 1)
                   : cost_add(&out->operations, steps, 1);
}

const struct onnx_op ops_matmul[] = {
    { "MatMul", infer_matmul, cost_matmul, 0 },
    { "MatMulInteger", infer_matmul_integer, cost_matmul, 0 },
    { "QLinearMatMul", infer_quantised_matmul, cost_quantised_matmul, 0 },
    { "Gemm", infer_gemm, cost_gemm, 0 },
    { "Einsum", infer_einsum, cost_einsum, 0 },
    { 0 },
};

/* --- com.microsoft -------------------------------------------------------- */

static void infer_fused_matmul(struct onnx_call *c)
{
    struct fact a = turned(call_in(c, 0), call_int(c, "transA", 0));
    struct fact b = turned(call_in(c, 1), call_int(c, "transB", 0));
    struct fact f = product(&a, &b, call_in(c, 0)->type);

    /* These turn more than two axes. */
    if (call_int(c, "transBatchA", 0) || call_int(c, "transBatchB", 0))
        return;
    call_set(c, 0, &f);
}

static bool cost_fused_matmul(const struct onnx_call *c, struct onnx_cost *out)
{
    struct fact a = turned(call_in(c, 0), call_int(c, "transA", 0));
    struct fact b = turned(call_in(c, 1), call_int(c, "transB", 0));

    if (call_int(c, "transBatchA", 0) || call_int(c, "transBatchB", 0))
        return false;
    return c->out_count && cost_product(&c->out[0], &a, &b, out);
}

static void infer_matmul_to_float(struct onnx_call *c)
{
    struct fact f = product(call_in(c, 0), call_in(c, 1), ONNX_FLOAT);

    call_set(c, 0, &f);
}

/* a, its scale and zero, b, its scale and zero, c, ... */
static void infer_quantised_gemm(struct onnx_call *c)
{
    infer_gemm_with(c, 3, call_has(c, 8) ? call_in(c, 8)->type : ONNX_FLOAT);
}

static bool cost_quantised_gemm(const struct onnx_call *c,
        struct onnx_cost *out)
{
    return cost_gemm_with(c, 3, call_has(c, 6), out);
}

/* The weights are packed bits: attributes say how many there are. */
static void infer_packed_matmul(struct onnx_call *c)
{
    struct fact f = *call_in(c, 0);
    int64_t columns = call_int(c, "N", FACT_UNKNOWN);

    f.data = NULL;
    f.weight = false;
    if (f.rank > 0)
        f.dims[f.rank - 1] = columns < 0 ? FACT_UNKNOWN : columns;
    call_set(c, 0, &f);
}

static bool cost_packed_matmul(const struct onnx_call *c, struct onnx_cost *out)
{
    uint64_t elements;
    int64_t columns = call_int(c, "N", FACT_UNKNOWN);

    return columns > 0 && fact_elements(&elements, call_in(c, 0)) &&
           cost_add(&out->macs, elements, (uint64_t)columns);
}

/* A product, then Gelu of it with a bias. */
static bool cost_gemm_gelu(const struct onnx_call *c, struct onnx_cost *out)
{
    uint64_t elements;

    return cost_matmul(c, out) && fact_elements(&elements, &c->out[0]) &&
           cost_add(&out->operations, elements, call_has(c, 2) ? 2 : 1);
}

const struct onnx_op ops_microsoft_matmul[] = {
    { "DynamicQuantizeMatMul", infer_matmul_to_float, cost_matmul, 0 },
    { "FusedGemm", infer_gemm, cost_gemm, 0 },
    { "FusedMatMul", infer_fused_matmul, cost_fused_matmul, 0 },
    { "GemmFastGelu", infer_matmul, cost_gemm_gelu, 0 },
    { "MatMulBnb4", infer_packed_matmul, cost_packed_matmul, 0 },
    { "MatMulInteger16", infer_matmul_integer, cost_matmul, 0 },
    { "MatMulIntegerToFloat", infer_matmul_to_float, cost_matmul, 0 },
    { "MatMulNBits", infer_packed_matmul, cost_packed_matmul, 0 },
    { "QGemm", infer_quantised_gemm, cost_quantised_gemm, 0 },
    { "TransposeMatMul", infer_fused_matmul, cost_fused_matmul, 0 },
    { 0 },
};
