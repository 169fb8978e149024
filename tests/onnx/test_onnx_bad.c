/* Models that are none: each is refused, with one line that names the file and
 * what is wrong; and whatever is done to the bytes, nothing worse happens. */
#include "onnx/arch.h"
#include "onnx/study.h"

#include "base/alloc.h"
#include "test.h"
#include "test_onnx_maker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The model is refused, for a reason that holds these words. */
static void refused(struct str bytes, int rc, const char *words)
{
    struct error e = { 0 };
    struct onnx_model *m = NULL;
    int got = onnx_parse(&m, bytes, "some/m.onnx", &e);

    CHECK_INT(got, rc);
    if (!strstr(e.text, words) || strncmp(e.text, "some/m.onnx ", 12) != 0 ||
            strchr(e.text, '\n')) {
        (void)fprintf(stderr, "got:  %s\nwant: %s\n", e.text, words);
        test_failures++;
    }
    if (!got)
        onnx_close(m);
}

/* --- no model at all ------------------------------------------------------ */

static void test_others(void)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *words;
    } cases[] = {
        { "hello, world\n", 13, "is not an ONNX model" },
        { "root:x:0:0:root:/root:/bin/bash\n", 32, "is not an ONNX model" },
        { "\x08\x08", 2, "has no graph" },
        { "version https://git-lfs.github.com/spec/v1\n", 43, "Git LFS" },
        { "\x18\0\0\0ORTM\0\0\0\0", 12, ".ort" },
        { "GGUF\3\0\0\0", 8, "GGUF" },
        { "PK\3\4\x14\0", 6, "zip" },
        { "<!DOCTYPE html>", 15, "web page" },
        { "\x0b\x0b\x0b", 3, "is not an ONNX model" },
        { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10, "not an ONNX" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refused((struct str){ cases[i].bytes, cases[i].len }, -EINVAL,
                cases[i].words);
}

/* --- graphs that do not hold together ------------------------------------- */

static void test_circle(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "1");
    make_node(&k, "Neg", "before", "x", "p");
    make_node(&k, "Add", "one", "p c", "a");
    make_node(&k, "Neg", "two", "a", "b");
    make_node(&k, "Neg", "three", "b", "c");
    make_node(&k, "Neg", "after", "c", "y");
    make_output(&k, "y");

    struct error e = { 0 };
    struct onnx_model *m = NULL;

    CHECK_INT(onnx_parse(&m, make_end(&k), "m", &e), -EINVAL);
    CHECK(strstr(e.text, "circle"));
    /* It names a node of the circle, not one that only hangs on it. */
    CHECK(strstr(e.text, "'one'") || strstr(e.text, "'two'") ||
            strstr(e.text, "'three'"));

    make_begin(&k);
    make_node(&k, "Neg", "itself", "a", "a");
    refused(make_end(&k), -EINVAL, "circle through node 'itself'");
    make_release(&k);
}

/* A circle that goes through a graph within a node. */
static void test_inner_circle(void)
{
    struct maker k = { 0 };
    size_t graph;

    make_begin(&k);
    make_input(&k, "x", ONNX_BOOL, "");

    size_t node = make_node_begin(&k, "If", "if", "x", "y");
    size_t attr = make_graph_begin(&k, "then_branch", &graph);

    make_node(&k, "Neg", "", "z", "inner");
    make_output(&k, "inner");
    pb_end(&k.out, graph);
    pb_end(&k.out, attr);
    pb_end(&k.out, node);
    make_node(&k, "Neg", "back", "y", "z");
    refused(make_end(&k), -EINVAL, "circle");
    make_release(&k);
}

static void test_names(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    make_node(&k, "Neg", "n", "nowhere", "y");
    refused(make_end(&k), -EINVAL, "'n' that reads 'nowhere'");

    make_begin(&k);
    make_output(&k, "y");
    refused(make_end(&k), -EINVAL, "promises an output 'y'");

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "1");
    make_node(&k, "Neg", "a", "x", "y");
    make_node(&k, "Abs", "b", "x", "y");
    refused(make_end(&k), -EINVAL, "makes 'y' twice");

    make_begin(&k);
    make_node(&k, "", "n", "", "y");
    refused(make_end(&k), -EINVAL, "without an operator");

    /* Odd bytes in a name do not spoil the sentence. */
    make_begin(&k);
    make_node(&k, "Neg", "a\n\"b'\xff\\", "missing", "y");
    refused(make_end(&k), -EINVAL, "'a\\n\"b'\\xff\\\\'");
    make_release(&k);
}

static void test_long_name(void)
{
    struct maker k = { 0 };
    char name[1000];

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    make_begin(&k);
    make_node(&k, "Neg", name, "missing", "y");
    refused(make_end(&k), -EINVAL, "xxx…' that reads 'missing'");
    make_release(&k);
}

/* --- sizes ---------------------------------------------------------------- */

static void test_sizes(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    make_weight(&k, "w", ONNX_FLOAT, "3 -1");
    refused(make_end(&k), -EINVAL, "dimension 1 of 'w' is -1");

    make_begin(&k);
    make_weight(&k, "w", ONNX_FLOAT, "4294967296 4294967296");
    refused(make_end(&k), -EINVAL, "impossible shape");

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "9223372036854775807 9223372036854775807");
    refused(make_end(&k), -EINVAL, "'x'");

    make_begin(&k);
    size_t tensor = make_tensor_begin(&k, 5, "w", ONNX_FLOAT, "2 2");
    pb_bytes(&k.out, 9, "12345678", 8);
    pb_end(&k.out, tensor);
    refused(make_end(&k), -EINVAL, "needs 16 bytes but that holds 8");
    make_release(&k);
}

static void test_depth(void)
{
    struct maker k = { 0 };
    size_t open[128];

    make_begin(&k);
    for (int i = 0; i < 40; i++) {
        open[3 * i] = make_node_begin(&k, "If", "", "", "");
        open[3 * i + 1] = make_graph_begin(&k, "g", &open[3 * i + 2]);
    }
    for (int i = 39; i >= 0; i--) {
        pb_end(&k.out, open[3 * i + 2]);
        pb_end(&k.out, open[3 * i + 1]);
        pb_end(&k.out, open[3 * i]);
    }
    refused(make_end(&k), -E2BIG, "graphs within graphs");
    make_release(&k);
}

/* --- any bytes ------------------------------------------------------------ */

/* Reads, and does all that can be done with what was read. */
static bool survives(struct str bytes)
{
    struct error e = { 0 };
    struct onnx_model *m = NULL;
    int rc = onnx_parse(&m, bytes, "m.onnx", &e);

    if (rc) {
        CHECK(rc == -EINVAL || rc == -E2BIG);
        CHECK(strlen(e.text) > 7 && !strchr(e.text, '\n'));
        return false;
    }
    study_free(study_new(m, NULL, 0));
    arch_free(arch_new(m));
    onnx_close(m);
    return true;
}

static struct str some_model(struct maker *k)
{
    size_t graph;

    make_begin(k);
    make_input(k, "x", ONNX_FLOAT, "1 3 8 N");
    make_input(k, "c", ONNX_BOOL, "");
    make_weight(k, "w", ONNX_FLOAT, "4 3 3 3");
    make_numbers(k, 5, "shape", "1 -1");

    size_t node = make_node_begin(k, "Conv", "/conv/Conv", "x w", "a");

    make_int(k, "group", 1);
    pb_end(&k->out, node);
    make_node(k, "Shape", "", "a", "s");
    make_node(k, "Reshape", "", "a shape", "b");
    node = make_node_begin(k, "If", "", "c", "y");
    for (int i = 0; i < 2; i++) {
        size_t attr =
                make_graph_begin(k, i ? "then_branch" : "else_branch", &graph);

        make_node(k, i ? "Relu" : "Softmax", "", "b", "inner");
        make_output(k, "inner");
        pb_end(&k->out, graph);
        pb_end(&k->out, attr);
    }
    pb_end(&k->out, node);
    make_output(k, "y");
    return make_end(k);
}

/* Exactly as long as the part, so that one byte further is noticed. */
static bool part_survives(struct str bytes, size_t len)
{
    char *copy = alloc_zero(len + 1, 1);
    char *part = alloc_resize(copy, len ? len : 1);
    bool good;

    memcpy(part, bytes.p, len);
    good = survives((struct str){ part, len });
    free(part);
    return good;
}

static void test_cuts(void)
{
    struct maker k = { 0 };
    struct str whole = some_model(&k);
    size_t graph_end = 0;

    CHECK(survives(whole));
    /* Where the last field of the model begins, more or less: its operator
     * sets follow the graph. */
    for (struct str rest = whole; !graph_end;) {
        struct pb_field f;

        CHECK_INT(pb_next(&f, &rest), 1);
        if (f.number == 7)
            graph_end = whole.len - rest.len;
    }
    for (size_t len = 0; len < whole.len; len++) {
        bool good = part_survives(whole, len);

        /* Without any operator set it is refused, too. */
        if (len <= graph_end)
            CHECK(!good);
    }
    make_release(&k);
}

static void test_flips(void)
{
    static const unsigned char masks[] = { 0x01, 0x08, 0x40, 0x80, 0xff };
    struct maker k = { 0 };
    struct str whole = some_model(&k);
    char *copy = alloc_zero(whole.len, 1);

    for (size_t i = 0; i < whole.len; i++)
        for (size_t bit = 0; bit < sizeof(masks); bit++) {
            memcpy(copy, whole.p, whole.len);
            copy[i] = (char)(copy[i] ^ masks[bit]);
            (void)survives((struct str){ copy, whole.len });
        }
    free(copy);
    make_release(&k);
}

int main(void)
{
    test_others();
    test_circle();
    test_inner_circle();
    test_names();
    test_long_name();
    test_sizes();
    test_depth();
    test_cuts();
    test_flips();
    return test_result();
}
