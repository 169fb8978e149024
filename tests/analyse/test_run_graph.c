#include "analyse/operators/run_graph.h"

#include "base/compiler.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define IN(id, text)                        \
    {                                       \
        .operator_id = (id), .name = (text) \
    }
#define OUT(id, text)                                          \
    {                                                          \
        .operator_id = (id), .is_output = true, .name = (text) \
    }
#define WEIGHT(id, text)                                         \
    {                                                            \
        .operator_id = (id), .is_constant = true, .name = (text) \
    }

/* Whose results an operator reads, as "1 2". */
static const char *after(const struct run_graph *g, size_t place)
{
    static char text[128];

    text[0] = 0;
    for (size_t k = g->first[place]; k < g->first[place + 1]; k++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u",
                *text ? " " : "", g->operators[g->from[k]].id);
    return text;
}

/* A residual block: 1 -> 2 -> 3 -> 5, 1 -> 4 -> 5. */
static void test_block(void)
{
    static const struct run_operator operators[] = {
        { 1, 0, 10, true, 100 },
        { 2, 0, 20, true, 300 },
        { 3, 0, 30, true, 100 },
        { 4, 0, 5, true, 50 },
        { 5, 0, 7, true, 100 },
    };
    static const struct operator_tensor tensors[] = {
        IN(5, "c"), IN(5, "d"), OUT(5, "y"), /* in any order */
        IN(1, "x"), WEIGHT(1, "w"), OUT(1, "a"), IN(2, "a"), IN(2, "a"),
        OUT(2, "b"), IN(3, "b"), OUT(3, "c"), IN(4, "a"), IN(4, ""),
        OUT(4, "d"), OUT(9, "x"), /* not of this table */
    };
    struct run_graph g;
    uint32_t path[LEN(operators)];
    size_t steps;
    uint64_t bytes = 0;

    run_graph_build(&g, operators, LEN(operators), tensors, LEN(tensors));
    CHECK(strcmp(after(&g, 0), "") == 0);
    CHECK(strcmp(after(&g, 1), "1") == 0);
    CHECK(strcmp(after(&g, 2), "2") == 0);
    CHECK(strcmp(after(&g, 3), "1") == 0);
    CHECK(strcmp(after(&g, 4), "3 4") == 0);
    CHECK(run_graph_critical_path(&g, path, &steps) == 67);
    CHECK_INT(steps, 4);
    CHECK_INT(path[0], 0);
    CHECK_INT(path[3], 4);
    CHECK_INT(run_graph_width(&g), 2);
    /* 1's and 2's and 3's while 3 runs: 2's is not needed afterwards, 1's is,
     * by 4. */
    CHECK(run_graph_peak(&bytes, &g));
    CHECK_INT(bytes, 500);
    run_graph_release(&g);
}

/* An If reads what its body reads; its branches use one name. */
static void test_bodies(void)
{
    static const struct run_operator operators[] = {
        { 1, 0, 1, true, 10 },
        { 2, 0, 100, true, 10 }, /* the If, with 3 and 4 in it */
        { 3, 2, 60, true, 1000 },
        { 4, 2, 30, true, 10 },
        { 5, 0, 2, true, 10 },
    };
    static const struct operator_tensor tensors[] = {
        IN(1, "x"), OUT(1, "a"), IN(2, "condition"), OUT(2, "z"), IN(3, "a"),
        OUT(3, "t"), IN(4, "t"), OUT(4, "t2"), IN(5, "z"), IN(5, "t"),
        OUT(5, "y"), /* t is not seen from there */
    };
    struct run_graph g;
    uint64_t bytes = 0;

    run_graph_build(&g, operators, LEN(operators), tensors, LEN(tensors));
    CHECK(strcmp(after(&g, 1), "1") == 0);
    CHECK(strcmp(after(&g, 2), "1") == 0);
    CHECK(strcmp(after(&g, 3), "3") == 0);
    CHECK(strcmp(after(&g, 4), "2") == 0);
    CHECK(run_graph_critical_path(&g, NULL, NULL) == 103);
    CHECK_INT(run_graph_width(&g), 1);
    CHECK(run_graph_peak(&bytes, &g));
    CHECK_INT(bytes, 1020);
    run_graph_release(&g);
}

/* What cannot be is passed over: an operator that reads its own result, one
 * that is its own parent, parents in a circle; nothing at all. */
static void test_nonsense(void)
{
    static const struct run_operator operators[] = {
        { 1, 2, 1, true, 1 },
        { 2, 1, 1, false, 0 },
        { 3, 3, 1, true, 1 },
        { 4, 99, 1, true, 1 },
    };
    static const struct operator_tensor tensors[] = {
        IN(1, "a"),
        OUT(1, "a"),
        IN(2, "missing"),
        OUT(2, NULL),
        IN(3, "b"),
        OUT(4, "b"),
        IN(4, "c"),
        OUT(3, "c"),
    };
    struct run_graph g;
    uint64_t bytes = 7;

    run_graph_build(&g, operators, LEN(operators), tensors, LEN(tensors));
    CHECK(strcmp(after(&g, 2), "") == 0);
    CHECK(strcmp(after(&g, 3), "3") ==
            0); /* 3 ran before, so it did not wait for 4 */
    CHECK(!run_graph_peak(&bytes, &g)); /* 2's size is not known */
    CHECK_INT(bytes, 7);
    run_graph_release(&g);

    run_graph_build(&g, NULL, 0, NULL, 0);
    CHECK(run_graph_critical_path(&g, NULL, NULL) == 0);
    CHECK_INT(run_graph_width(&g), 0);
    CHECK(!run_graph_peak(&bytes, &g));
    run_graph_release(&g);
}

int main(void)
{
    test_block();
    test_bodies();
    test_nonsense();
    return test_result();
}
