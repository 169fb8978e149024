/* ops_attention.c -- attention as one operator, and what goes with it.
 *
 * Q K^T and the product with V: for each batch, head, query and key as many
 * MACs as a head of Q and a head of V are wide.  Masked places count: most
 * implementations compute them.  The softmax between takes three operations
 * for each pair of query and key. */
#include "onnx/ops.h"

#include <stddef.h>

struct sizes {
    int64_t batch, heads, queries, keys;
    int64_t head_size, value_size; /* of one head of Q and K, and of V */
};

static int64_t dim(const struct fact *f, int axis)
{
    return axis < f->rank ? f->dims[axis] : FACT_UNKNOWN;
}

static int64_t divided(int64_t size, int64_t by)
{
    return size < 0 || by < 1 ? FACT_UNKNOWN : size / by;
}

static int64_t times(int64_t a, int64_t b)
{
    return a < 0 || b < 0 || (b && a > INT64_MAX / b) ? FACT_UNKNOWN : a * b;
}

/* A length with what was cached before it; nothing cached is 0. */
static int64_t plus(int64_t a, int64_t b)
{
    return a < 0 || b < 0 || a > INT64_MAX - b ? FACT_UNKNOWN : a + b;
}

static bool cost_sizes(const struct sizes *s, struct onnx_cost *out)
{
    struct fact pairs = fact_rank(ONNX_UNKNOWN, 4);
    uint64_t count;

    pairs.dims[0] = s->batch;
    pairs.dims[1] = s->heads;
    pairs.dims[2] = s->queries;
    pairs.dims[3] = s->keys;
    return s->head_size >= 0 && s->value_size >= 0 &&
           fact_elements(&count, &pairs) &&
           cost_add(&out->macs, count, (uint64_t)s->head_size) &&
           cost_add(&out->macs, count, (uint64_t)s->value_size) &&
           cost_add(&out->operations, count, 3);
}

/* What is kept for the next run: [batch, heads, keys, size]. */
static struct fact cache(const struct fact *like, const struct sizes *s,
        int64_t heads, int64_t size)
{
    struct fact f = fact_rank(like->type, 4);

    f.dims[0] = s->batch;
    f.dims[1] = heads;
    f.dims[2] = s->keys;
    f.dims[3] = size;
    return f;
}

/* --- ONNX's own, from operator set 23 ------------------------------------- */

/* Q, K, V [batch, heads, length, size], or [batch, length, heads * size];
 * mask, past key, past value. */
static struct sizes sizes_of(const struct onnx_call *c)
{
    const struct fact *q = call_in(c, 0), *k = call_in(c, 1);
    const struct fact *v = call_in(c, 2), *past = call_in(c, 4);
    int64_t cached = call_has(c, 4) ? dim(past, 2) : 0;
    int64_t q_heads = call_int(c, "q_num_heads", FACT_UNKNOWN);
    int64_t kv_heads = call_int(c, "kv_num_heads", FACT_UNKNOWN);

    if (q->rank == 4)
        return (struct sizes){ dim(q, 0), dim(q, 1), dim(q, 2),
            plus(dim(k, 2), cached), dim(q, 3), dim(v, 3) };
    return (struct sizes){ dim(q, 0), q_heads < 1 ? FACT_UNKNOWN : q_heads,
        dim(q, 1), plus(dim(k, 1), cached), divided(dim(q, 2), q_heads),
        divided(dim(v, 2), kv_heads) };
}

static void infer_attention(struct onnx_call *c)
{
    const struct fact *q = call_in(c, 0);
    struct sizes s = sizes_of(c);
    int64_t kv_heads = q->rank == 4 ? dim(call_in(c, 1), 1)
                                    : call_int(c, "kv_num_heads", -1);
    struct fact f = fact_rank(q->type, q->rank);
    struct fact key = cache(q, &s, kv_heads, s.head_size);
    struct fact value = cache(q, &s, kv_heads, s.value_size);

    for (int i = 0; i + 1 < f.rank; i++)
        f.dims[i] = q->dims[i];
    if (f.rank == 4)
        f.dims[3] = s.value_size;
    else if (f.rank == 3)
        f.dims[2] = times(s.heads, s.value_size);
    call_set(c, 0, &f);
    call_set(c, 1, &key);
    call_set(c, 2, &value);
}

static bool cost_attention(const struct onnx_call *c, struct onnx_cost *out)
{
    struct sizes s = sizes_of(c);

    return cost_sizes(&s, out);
}

const struct onnx_op ops_attention[] = {
    { "Attention", infer_attention, cost_attention, 0 },
    /* Two products and a sum for each element. */
    { "RotaryEmbedding", infer_same, cost_each, 3 },
    { 0 },
};

/* --- com.microsoft: projections and attention in one -----------------------
 */

/* Input [batch, length, hidden], weights [hidden, q + k + v], bias, mask,
 * past [2, batch, heads, cached, size].  QAttention has scales between, so
 * that `each` says where the past is. */
static struct sizes whole_sizes(const struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0), *w = call_in(c, 1);
    const struct fact *past = call_in(c, c->op->each);
    int64_t heads = call_int(c, "num_heads", FACT_UNKNOWN);
    int64_t cached = call_has(c, c->op->each) ? dim(past, 3) : 0;
    int64_t q = divided(dim(w, 1), 3), v = q;
    const int64_t *parts;

    if (call_ints(c, "qkv_hidden_sizes", &parts) == 3) {
        q = parts[0];
        v = parts[2];
    }
    return (struct sizes){ dim(in, 0), heads < 1 ? FACT_UNKNOWN : heads,
        dim(in, 1), plus(dim(in, 1), cached), divided(q, heads),
        divided(v, heads) };
}

static void infer_whole(struct onnx_call *c)
{
    struct sizes s = whole_sizes(c);
    int type = c->op->each == 4 ? call_in(c, 0)->type : call_in(c, 3)->type;
    struct fact f = fact_rank(type, 3), present = fact_rank(type, 5);

    f.dims[0] = s.batch;
    f.dims[1] = s.queries;
    f.dims[2] = times(s.heads, s.value_size);
    present.dims[0] = 2;
    present.dims[1] = s.batch;
    present.dims[2] = s.heads;
    present.dims[3] = s.keys;
    present.dims[4] = s.head_size;
    call_set(c, 0, &f);
    call_set(c, 1, &present);
}

static bool cost_whole(const struct onnx_call *c, struct onnx_cost *out)
{
    struct sizes s = whole_sizes(c);
    uint64_t rows, weights;

    /* The projections: each token meets all weights. */
    return fact_product(&rows, call_in(c, 0), 0, 2) &&
           fact_elements(&weights, call_in(c, 1)) &&
           cost_add(&out->macs, rows, weights) && cost_sizes(&s, out);
}

/* --- com.microsoft: attention alone --------------------------------------- */

/* Query [batch, length, q], key [batch, keys, k] or [batch, heads, keys,
 * size], value the same; all three may be packed in the query. */
static struct sizes multi_head_sizes(const struct onnx_call *c)
{
    const struct fact *q = call_in(c, 0), *k = call_in(c, 1);
    const struct fact *v = call_in(c, 2), *past = call_in(c, 6);
    int64_t heads = call_int(c, "num_heads", FACT_UNKNOWN);
    int64_t cached = call_has(c, 6) ? dim(past, 2) : 0;
    struct sizes s = { dim(q, 0), heads < 1 ? FACT_UNKNOWN : heads, dim(q, 1),
        FACT_UNKNOWN, FACT_UNKNOWN, FACT_UNKNOWN };

    if (q->rank == 5) { /* [batch, length, heads, 3, size] */
        s.keys = s.queries;
        s.head_size = s.value_size = dim(q, 4);
        return s;
    }
    s.head_size = divided(dim(q, 2), heads);
    if (k->rank == 5) { /* [batch, keys, heads, 2, size] */
        s.keys = dim(k, 1);
        s.value_size = dim(k, 4);
    } else if (k->rank == 4) {
        s.keys = plus(dim(k, 2), cached);
        s.value_size = dim(v, 3);
    } else {
        s.keys = plus(dim(k, 1), cached);
        s.value_size = divided(dim(v, 2), heads);
    }
    return s;
}

static void infer_multi_head(struct onnx_call *c)
{
    struct sizes s = multi_head_sizes(c);
    const struct fact *q = call_in(c, 0);
    struct fact f = fact_rank(q->type, 3);
    struct fact key = cache(q, &s, s.heads, s.head_size);
    struct fact value = cache(q, &s, s.heads, s.value_size);

    f.dims[0] = s.batch;
    f.dims[1] = s.queries;
    f.dims[2] = times(s.heads, s.value_size);
    call_set(c, 0, &f);
    call_set(c, 1, &key);
    call_set(c, 2, &value);
}

static bool cost_multi_head(const struct onnx_call *c, struct onnx_cost *out)
{
    struct sizes s = multi_head_sizes(c);

    return cost_sizes(&s, out);
}

/* Query [batch, length, q], key and value [batch, length, kv], or all packed
 * in the query; past [batch, kv heads, cached, size]; then the lengths, of
 * which input 6 is all tokens so far.  The cache may be longer than that: it
 * may be a buffer for the longest text. */
static struct sizes grouped_sizes(const struct onnx_call *c)
{
    const struct fact *q = call_in(c, 0), *past = call_in(c, 3);
    int64_t heads = call_int(c, "num_heads", FACT_UNKNOWN);
    int64_t kv_heads = call_int(c, "kv_num_heads", FACT_UNKNOWN);
    int64_t cached = call_has(c, 3) ? dim(past, 2) : 0;
    int64_t total[FACT_DATA_MAX];
    struct sizes s = { dim(q, 0), heads < 1 ? FACT_UNKNOWN : heads, dim(q, 1),
        plus(dim(q, 1), cached), FACT_UNKNOWN, FACT_UNKNOWN };

    if (call_numbers(c, 6, total) == 1 && total[0] > 0)
        s.keys = total[0];
    if (call_has(c, 1))
        s.head_size = divided(dim(q, 2), heads);
    else if (heads > 0 && kv_heads > 0 && heads < INT32_MAX &&
             kv_heads < INT32_MAX)
        s.head_size = divided(dim(q, 2), heads + 2 * kv_heads);
    s.value_size = s.head_size;
    return s;
}

static void infer_grouped(struct onnx_call *c)
{
    struct sizes s = grouped_sizes(c);
    const struct fact *q = call_in(c, 0);
    int64_t kv_heads = call_int(c, "kv_num_heads", FACT_UNKNOWN);
    struct fact f = fact_rank(q->type, 3);
    struct fact present = cache(q, &s, kv_heads, s.head_size);

    f.dims[0] = s.batch;
    f.dims[1] = s.queries;
    f.dims[2] = times(s.heads, s.head_size);
    call_set(c, 0, &f);
    call_set(c, 1, &present);
    call_set(c, 2, &present);
}

static bool cost_grouped(const struct onnx_call *c, struct onnx_cost *out)
{
    struct sizes s = grouped_sizes(c);

    return cost_sizes(&s, out);
}

/* --- com.microsoft: the rest ---------------------------------------------- */

/* Ids [batch, length], segments, table of words [words, hidden], ... */
static void infer_embed(struct onnx_call *c)
{
    const struct fact *ids = call_in(c, 0), *words = call_in(c, 2);
    struct fact f = fact_rank(words->type, 3), mask = fact_rank(ONNX_INT32, 1);

    f.dims[0] = mask.dims[0] = dim(ids, 0);
    f.dims[1] = dim(ids, 1);
    f.dims[2] = dim(words, 1);
    call_set(c, 0, &f);
    call_set(c, 1, &mask);
    call_set(c, 2, &f);
}

const struct onnx_op ops_microsoft_attention[] = {
    { "Attention", infer_whole, cost_whole, 4 },
    { "QAttention", infer_whole, cost_whole, 8 },
    { "MultiHeadAttention", infer_multi_head, cost_multi_head, 0 },
    { "GroupQueryAttention", infer_grouped, cost_grouped, 0 },
    { "EmbedLayerNormalization", infer_embed, cost_each, 9 },
    { "RotaryEmbedding", infer_same, cost_each, 3 },
    { 0 },
};
