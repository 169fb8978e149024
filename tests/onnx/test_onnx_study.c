/* Sizes that are chosen, and graphs within graphs: what they make and cost. */
#include "onnx/study.h"

#include "test.h"
#include "test_onnx_maker.h"

#include <stdlib.h>
#include <string.h>

/* A node costs this many operations; -1: it cannot be told. */
static void check_node(const struct study *s, uint32_t node, int64_t want)
{
    const struct study_node *n = study_node(s, node);

    CHECK_INT(n->cost_known ? (int64_t)n->cost.operations : -1, want);
}

/* A value has this shape: sizes, -1 for those that are not known. */
static void check_shape(const struct onnx_model *m, const struct study *s,
        const char *name, int rank, const int64_t *dims)
{
    const struct fact *f =
            study_value(s, symbol_find(&m->symbols, str_of(name)));

    CHECK(f);
    if (!f)
        return;
    CHECK_INT(f->rank, rank);
    for (int i = 0; i < rank && i < f->rank; i++)
        CHECK_INT(f->dims[i], dims[i]);
}

#define SHAPE(...)                                                           \
    (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (int64_t[]) \
    {                                                                        \
        __VA_ARGS__                                                          \
    }

static struct onnx_model *parse(struct str bytes)
{
    struct error e = { 0 };
    struct onnx_model *m = NULL;

    if (onnx_parse(&m, bytes, "m.onnx", &e)) {
        (void)fprintf(stderr, "%s\n", e.text);
        test_failures++;
        exit(test_result());
    }
    return m;
}

/* --- sizes ---------------------------------------------------------------- */

static void test_sizes(void)
{
    const struct study_size sizes[] = {
        { str_of("batch"), 3 }, { str_of("x:1"), 5 }, { str_of("hidden"), 11 },
        { str_of("nobody"), 7 }, { str_of("x:2"), 7 }, /* the file fixes that */
    };
    struct maker k = { 0 };

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "batch ? 4");
    make_value(&k, 13, "odd", ONNX_FLOAT, "batch hidden");
    make_node(&k, "Relu", "", "x", "y");
    make_node(&k, "NoSuchOperator", "", "y", "odd");
    make_node(&k, "Relu", "", "odd", "z");

    struct onnx_model *m = parse(make_end(&k));
    struct study *s = study_new(m, sizes, 5);

    check_shape(m, s, "y", SHAPE(3, 5, 4));
    check_node(s, 0, 60);
    /* What no operator tells, the file may. */
    check_shape(m, s, "z", SHAPE(3, 11));
    check_node(s, 1, -1);
    check_node(s, 2, 33);
    for (size_t i = 0; i < 5; i++)
        CHECK_INT(study_size_fits(s, i), i < 3);
    CHECK_INT(study_node(s, 0)->bytes_known, true);
    CHECK_INT(study_node(s, 0)->activation_bytes, 240);
    CHECK_INT(study_node(s, 0)->output_bytes, 240);
    CHECK_INT(study_node(s, 0)->parameter_bytes, 0);
    study_free(s);

    s = study_new(m, NULL, 0);
    check_shape(m, s, "y", SHAPE(-1, -1, 4));
    check_node(s, 0, -1);
    CHECK_INT(study_node(s, 0)->bytes_known, false);
    study_free(s);
    onnx_close(m);
    make_release(&k);
}

/* As exporters write a reshape that keeps the batch. */
static void test_reckoned_shape(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "N 6 4");
    make_numbers(&k, 5, "first", "0");
    make_numbers(&k, 5, "rest", "3 -1");
    make_node(&k, "Shape", "", "x", "shape");
    make_node(&k, "Gather", "", "shape first", "batch");

    size_t node = make_node_begin(&k, "Concat", "", "batch rest", "wanted");

    make_int(&k, "axis", 0);
    pb_end(&k.out, node);
    make_node(&k, "Reshape", "", "x wanted", "y");

    struct onnx_model *m = parse(make_end(&k));
    const struct study_size size = { str_of("N"), 2 };
    struct study *s = study_new(m, &size, 1);

    check_shape(m, s, "y", SHAPE(2, 3, 8));
    study_free(s);
    s = study_new(m, NULL, 0);
    check_shape(m, s, "y", SHAPE(-1, 3, -1));
    study_free(s);
    onnx_close(m);
    make_release(&k);
}

/* --- If ------------------------------------------------------------------- */

/* A branch with as many Relus of x in a row. */
static void add_branch(struct maker *k, const char *name, int count)
{
    size_t graph, attr = make_graph_begin(k, name, &graph);
    char in[16] = "x", out[16];

    for (int i = 0; i < count; i++) {
        (void)snprintf(out, sizeof(out), "b%d", i);
        make_node(k, "Relu", "", in, out);
        memcpy(in, out, sizeof(in));
    }
    make_output(k, in);
    pb_end(&k->out, graph);
    pb_end(&k->out, attr);
}

static struct onnx_model *make_if(struct maker *k)
{
    make_begin(k);
    make_input(k, "x", ONNX_FLOAT, "10");
    make_input(k, "rate", ONNX_INT64, "");
    make_numbers(k, 5, "wanted", "16000");
    make_node(k, "Equal", "", "rate wanted", "which");

    size_t node = make_node_begin(k, "If", "", "which", "y");

    add_branch(k, "then_branch", 2);
    add_branch(k, "else_branch", 5);
    pb_end(&k->out, node);
    return parse(make_end(k));
}

static void test_if(void)
{
    struct maker k = { 0 };
    struct onnx_model *m = make_if(&k);
    const struct study_size rates[] = { { str_of("rate"), 16000 },
        { str_of("rate"), 8000 } };
    struct study *s = study_new(m, NULL, 0);

    /* Which branch is open: the dearer one. */
    check_node(s, 1, 50);
    check_shape(m, s, "y", SHAPE(10));
    study_free(s);
    s = study_new(m, &rates[0], 1);
    CHECK(study_size_fits(s, 0));
    check_node(s, 1, 20);
    study_free(s);
    s = study_new(m, &rates[1], 1);
    check_node(s, 1, 50);
    study_free(s);
    onnx_close(m);
    make_release(&k);
}

/* --- Loop and Scan -------------------------------------------------------- */

static void begin_body(struct maker *k, size_t open[3], const char *op,
        const char *in, const char *out)
{
    open[0] = make_node_begin(k, op, "", in, out);
    open[1] = make_graph_begin(k, "body", &open[2]);
}

static void end_body(struct maker *k, const size_t open[3])
{
    pb_end(&k->out, open[2]);
    pb_end(&k->out, open[1]);
}

/* `go` is what the body says of going on. */
static struct onnx_model *make_loop(struct maker *k, const char *go)
{
    size_t open[3];

    make_begin(k);
    make_input(k, "x", ONNX_FLOAT, "6");
    make_input(k, "maybe", ONNX_BOOL, "");
    make_numbers(k, 5, "rounds", "7");

    size_t yes = make_tensor_begin(k, 5, "yes", ONNX_BOOL, "");

    pb_bytes(&k->out, 9, "\1", 1);
    pb_end(&k->out, yes);
    begin_body(k, open, "Loop", "rounds yes x", "final rows");
    make_input(k, "i", ONNX_INT64, "");
    make_input(k, "on", ONNX_BOOL, "");
    make_value(k, 11, "carried", 0, NULL);
    make_node(k, "Identity", "", go, "on_out");
    make_node(k, "Neg", "", "carried", "next");
    make_node(k, "Identity", "", "next", "row");
    make_output(k, "on_out");
    make_output(k, "next");
    make_output(k, "row");
    end_body(k, open);
    pb_end(&k->out, open[0]);
    return parse(make_end(k));
}

static void test_loop(void)
{
    struct maker k = { 0 };
    struct onnx_model *m = make_loop(&k, "on");
    struct study *s = study_new(m, NULL, 0);

    check_node(s, 0, 7 * 6);
    check_shape(m, s, "final", SHAPE(6));
    check_shape(m, s, "rows", SHAPE(7, 6));
    study_free(s);
    onnx_close(m);

    /* It may end earlier: nobody knows when. */
    m = make_loop(&k, "maybe");
    s = study_new(m, NULL, 0);
    check_node(s, 0, -1);
    check_shape(m, s, "rows", SHAPE(-1, 6));
    study_free(s);
    onnx_close(m);
    make_release(&k);
}

/* What a loop makes longer with each round has no length. */
static void test_growing(void)
{
    struct maker k = { 0 };
    size_t open[3];

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "6 2");
    make_numbers(&k, 5, "rounds", "7");
    begin_body(&k, open, "Loop", "rounds - x", "final");
    make_input(&k, "i", ONNX_INT64, "");
    make_input(&k, "on", ONNX_BOOL, "");
    make_value(&k, 11, "carried", 0, NULL);

    size_t node = make_node_begin(&k, "Concat", "", "carried carried", "next");

    make_int(&k, "axis", 0);
    pb_end(&k.out, node);
    make_output(&k, "on");
    make_output(&k, "next");
    end_body(&k, open);
    pb_end(&k.out, open[0]);

    struct onnx_model *m = parse(make_end(&k));
    struct study *s = study_new(m, NULL, 0);

    check_shape(m, s, "final", SHAPE(-1, 2));
    study_free(s);
    onnx_close(m);
    make_release(&k);
}

static void test_scan(void)
{
    struct maker k = { 0 };
    size_t open[3];

    make_begin(&k);
    make_input(&k, "state", ONNX_FLOAT, "4");
    make_input(&k, "rows", ONNX_FLOAT, "9 4");
    begin_body(&k, open, "Scan", "state rows", "last sums");
    make_value(&k, 11, "before", 0, NULL);
    make_value(&k, 11, "row", 0, NULL);
    make_node(&k, "Add", "", "before row", "after");
    make_node(&k, "Identity", "", "after", "kept");
    make_output(&k, "after");
    make_output(&k, "kept");
    end_body(&k, open);
    make_int(&k, "num_scan_inputs", 1);
    pb_end(&k.out, open[0]);

    struct onnx_model *m = parse(make_end(&k));
    struct study *s = study_new(m, NULL, 0);

    check_node(s, 0, 9 * 4);
    check_shape(m, s, "last", SHAPE(4));
    check_shape(m, s, "sums", SHAPE(9, 4));
    study_free(s);
    onnx_close(m);
    make_release(&k);
}

/* --- functions ------------------------------------------------------------ */

/* A function of one node, which calls `op` in the domain. */
static void add_function(struct maker *k, const char *name, const char *op,
        const char *domain)
{
    size_t function = pb_begin(&k->out, 25);

    pb_text(&k->out, 1, name);
    pb_text(&k->out, 4, "a");
    pb_text(&k->out, 5, "b");
    pb_text(&k->out, 6, "along");

    size_t node = pb_begin(&k->out, 7);

    pb_text(&k->out, 1, "a");
    pb_text(&k->out, 2, "b");
    pb_text(&k->out, 4, op);
    pb_text(&k->out, 7, domain);

    size_t attr = pb_begin(&k->out, 5); /* the caller's */

    pb_text(&k->out, 1, "axis");
    pb_text(&k->out, 21, "along");
    pb_end(&k->out, attr);
    pb_end(&k->out, node);
    pb_text(&k->out, 10, "mine");
    pb_end(&k->out, function);
}

static struct onnx_model *make_call(struct maker *k, const char *op,
        const char *domain)
{
    make_begin(k);
    make_input(k, "x", ONNX_FLOAT, "2 3 4");

    size_t node = make_node_begin(k, "Mine", "", "x", "y");

    pb_text(&k->out, 7, "mine");
    make_int(k, "along", 2);
    pb_end(&k->out, node);
    (void)make_end(k);
    add_function(k, "Mine", op, domain);
    return parse(buf_str(&k->out));
}

static void test_functions(void)
{
    struct maker k = { 0 };
    struct onnx_model *m = make_call(&k, "Flatten", "");
    struct study *s = study_new(m, NULL, 0);

    check_shape(m, s, "y", SHAPE(6, 4));
    check_node(s, 0, 0);
    study_free(s);
    onnx_close(m);

    /* One that calls itself ends, and nobody knows what it would have done. */
    m = make_call(&k, "Mine", "mine");
    s = study_new(m, NULL, 0);
    check_node(s, 0, -1);
    study_free(s);
    onnx_close(m);
    make_release(&k);
}

/* --- the rest ------------------------------------------------------------- */

static void test_flops(void)
{
    CHECK_INT(onnx_flops(&(struct onnx_cost){ 10, 3 }), 23);
    CHECK(onnx_flops(&(struct onnx_cost){ UINT64_MAX / 2, 3 }) == UINT64_MAX);
}

/* Sizes whose product does not fit are no shape to count with. */
static void test_overflow(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "4611686018427387904 1");
    make_input(&k, "w", ONNX_FLOAT, "1 4611686018427387904");
    make_node(&k, "MatMul", "", "x w", "y");
    make_node(&k, "Relu", "", "y", "z");

    struct onnx_model *m = parse(make_end(&k));
    struct study *s = study_new(m, NULL, 0);

    check_node(s, 0, -1);
    check_node(s, 1, -1);
    study_free(s);
    onnx_close(m);
    make_release(&k);
}

int main(void)
{
    test_sizes();
    test_reckoned_shape();
    test_if();
    test_loop();
    test_growing();
    test_scan();
    test_functions();
    test_flops();
    test_overflow();
    return test_result();
}
