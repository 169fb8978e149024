/* test_onnx_maker.h -- writes small models for the tests of src/onnx, field by
 * field, right or wrong.
 *
 *     struct maker m = { 0 };
 *     make_begin(&m);
 *     make_input(&m, "x", ONNX_FLOAT, "1 N");
 *     make_node(&m, "Relu", "relu", "x", "y");
 *     make_output(&m, "y");
 *     struct str bytes = make_end(&m);        valid until make_release()
 *
 * Lists of names and sizes are words; "-" is a name left out, "?" a size
 * without a name. */
#pragma once

#include "base/pb.h"
#include "onnx/model.h"

struct maker {
    struct buf out;
    size_t graph;
};

static inline void make_begin(struct maker *m)
{
    buf_clear(&m->out);
    pb_u64(&m->out, 1, 8);
    m->graph = pb_begin(&m->out, 7);
}

static inline void make_opset(struct maker *m, const char *domain, int version)
{
    size_t opset = pb_begin(&m->out, 8);

    pb_text(&m->out, 1, domain);
    pb_i64(&m->out, 2, version);
    pb_end(&m->out, opset);
}

static inline struct str make_end(struct maker *m)
{
    pb_end(&m->out, m->graph);
    make_opset(m, "", 17);
    make_opset(m, "com.microsoft", 1);
    return buf_str(&m->out);
}

static inline void make_release(struct maker *m)
{
    buf_release(&m->out);
}

/* --- values --------------------------------------------------------------- */

static inline void make_dims(struct buf *out, const char *sizes)
{
    struct str rest = str_of(sizes), word;

    for (word = str_word(&rest); word.len; word = str_word(&rest)) {
        size_t dim = pb_begin(out, 1);
        int64_t size;

        if (str_i64(&size, word) == 0)
            pb_i64(out, 1, size);
        else if (!str_is(word, "?"))
            pb_str(out, 2, word);
        pb_end(out, dim);
    }
}

static inline void make_value(struct maker *m, uint32_t field, const char *name,
        int type, const char *sizes)
{
    size_t value = pb_begin(&m->out, field);

    pb_text(&m->out, 1, name);
    if (sizes) {
        size_t outer = pb_begin(&m->out, 2), tensor = pb_begin(&m->out, 1);

        pb_i64(&m->out, 1, type);

        size_t shape = pb_begin(&m->out, 2);

        make_dims(&m->out, sizes);
        pb_end(&m->out, shape);
        pb_end(&m->out, tensor);
        pb_end(&m->out, outer);
    }
    pb_end(&m->out, value);
}

static inline void make_input(struct maker *m, const char *name, int type,
        const char *sizes)
{
    make_value(m, 11, name, type, sizes);
}

static inline void make_output(struct maker *m, const char *name)
{
    make_value(m, 12, name, 0, NULL);
}

/* --- tensors -------------------------------------------------------------- */

/* Sizes and type; what holds the data is up to the caller, until pb_end(). */
static inline size_t make_tensor_begin(struct maker *m, uint32_t field,
        const char *name, int type, const char *sizes)
{
    size_t tensor = pb_begin(&m->out, field);
    struct str rest = str_of(sizes), word;

    for (word = str_word(&rest); word.len; word = str_word(&rest)) {
        int64_t size = 0;

        (void)str_i64(&size, word);
        pb_i64(&m->out, 1, size);
    }
    pb_i64(&m->out, 2, type);
    pb_text(&m->out, 8, name);
    return tensor;
}

/* An initializer whose data nobody will look at: it has none. */
static inline void make_weight(struct maker *m, const char *name, int type,
        const char *sizes)
{
    pb_end(&m->out, make_tensor_begin(m, 5, name, type, sizes));
}

/* Whole numbers, in a row. */
static inline void make_numbers(struct maker *m, uint32_t field,
        const char *name, const char *numbers)
{
    struct str rest = str_of(numbers), word;
    struct buf raw = { 0 };
    char count[24];
    int64_t number;

    for (word = str_word(&rest); word.len; word = str_word(&rest))
        if (str_i64(&number, word) == 0)
            pb_add_fixed64(&raw, (uint64_t)number);
    (void)snprintf(count, sizeof(count), "%zu", raw.len / 8);

    size_t tensor = make_tensor_begin(m, field, name, ONNX_INT64, count);

    pb_str(&m->out, 9, buf_str(&raw));
    pb_end(&m->out, tensor);
    buf_release(&raw);
}

/* --- nodes ---------------------------------------------------------------- */

static inline void make_names(struct buf *out, uint32_t field,
        const char *names)
{
    struct str rest = str_of(names), word;

    for (word = str_word(&rest); word.len; word = str_word(&rest))
        pb_str(out, field, str_is(word, "-") ? str_of("") : word);
}

/* Attributes follow, until pb_end(). */
static inline size_t make_node_begin(struct maker *m, const char *op_type,
        const char *name, const char *in, const char *out)
{
    size_t node = pb_begin(&m->out, 1);

    make_names(&m->out, 1, in);
    make_names(&m->out, 2, out);
    if (name[0])
        pb_text(&m->out, 3, name);
    pb_text(&m->out, 4, op_type);
    return node;
}

static inline void make_node(struct maker *m, const char *op_type,
        const char *name, const char *in, const char *out)
{
    pb_end(&m->out, make_node_begin(m, op_type, name, in, out));
}

static inline void make_int(struct maker *m, const char *name, int64_t value)
{
    size_t attr = pb_begin(&m->out, 5);

    pb_text(&m->out, 1, name);
    pb_i64(&m->out, 3, value);
    pb_u64(&m->out, 20, 2);
    pb_end(&m->out, attr);
}

/* The graph that the attribute holds follows, until pb_end() of both. */
static inline size_t make_graph_begin(struct maker *m, const char *name,
        size_t *graph)
{
    size_t attr = pb_begin(&m->out, 5);

    pb_text(&m->out, 1, name);
    pb_u64(&m->out, 20, 5);
    *graph = pb_begin(&m->out, 6);
    return attr;
}
