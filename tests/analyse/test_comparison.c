#include "analyse/comparison.h"

#include "base/compiler.h"
#include "stored.h"

#include <math.h>

/* A run of `count` inferences about `typical_us` long, with one operator for
 * each name. */
struct made {
    uint64_t typical_us, count;
    const char *model;
    const char *operators[3];
    uint64_t kernel_us[3];
};

static void make(struct summary *out, struct tree *t, const struct made *m)
{
    struct store *s = stored_open(t, STORE_WRITE);
    struct run r = stored_run(s, 1);
    struct error e = { 0 };

    store_add_session(s, &(struct session){ .id = 1, .model = m->model });
    for (uint32_t i = 0; i < LEN(m->operators) && m->operators[i]; i++)
        store_add_operator(s, &(struct operator){ .id = i + 1,
                                      .session = 1,
                                      .name = m->operators[i],
                                      .op_type = "Conv",
                                      .node_index = UINT32_MAX });
    for (uint64_t i = 0; i < m->count; i++) {
        uint64_t number = store_add_inference(s,
                &(struct inference){ .session = 1,
                        .process = 1,
                        .start_ns = i * 1000000,
                        .duration_ns = m->typical_us * 1000 + i % 11 * 100,
                        .flags = i % 10 ? 0 : FLAG_PROFILED });

        for (uint32_t k = 0; i % 10 == 0 && k < LEN(m->operators); k++)
            if (m->operators[k])
                store_add_operator_run(s,
                        &(struct operator_run){ .inference = number,
                                .operator_id = k + 1,
                                .thread = 1,
                                .start_ns = i * 1000000 + k * UINT64_C(1000),
                                .raw_ns = m->kernel_us[k] * 1000,
                                .kernel_ns = m->kernel_us[k] * 1000,
                                .kernel_known = true });
    }
    stored_flush(s);
    r.status = RUN_COMPLETE;
    r.peak_rss_bytes = 1000 * m->typical_us;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    CHECK_INT(summary_read(out, s, r.row, &e), 0);
    store_close(s);
}

static struct summary before, after;
static struct comparison c;
static struct tree trees[2];

static void begin(const struct made *old, const struct made *new)
{
    trees[0] = tree_open();
    trees[1] = tree_open();
    make(&before, &trees[0], old);
    make(&after, &trees[1], new);
    comparison_make(&c, &before, &after);
}

static void end(void)
{
    comparison_release(&c);
    summary_release(&before);
    summary_release(&after);
    tree_close(&trees[0]);
    tree_close(&trees[1]);
}

static bool near(double got, double want)
{
    return fabs(got - want) < 1e-9 * fabs(want) + 1e-9;
}

/* Slower by a tenth: the interval says so, and the operator that did it stands
 * first.  One that is gone and one that is new are there, too. */
static void slower(void)
{
    begin(&(struct made){ 100, 500, "/a.onnx", { "a", "b", "gone" },
                  { 10, 30, 5 } },
            &(struct made){ 110, 500, "/a.onnx", { "new", "b", "a" },
                    { 2, 40, 10 } });
    CHECK(comparison_holds(&c, COMPARISON_MEDIAN));
    CHECK(c.has_interval && c.low > 1.09 && c.low < 1.1 && c.high < 1.11);
    CHECK(near(c.figure[COMPARISON_MEDIAN].before, 100500));
    CHECK(near(c.figure[COMPARISON_MEDIAN].after, 110500));
    CHECK(near(c.figure[COMPARISON_MEMORY].after, 110000));
    CHECK(c.figure[COMPARISON_RATE].before > 0);
    CHECK(isnan(c.figure[COMPARISON_JOULES].before)); /* nobody measured */
    CHECK_INT(c.operator_count, 4);
    CHECK(strcmp(c.operators[0].name, "b") == 0);
    CHECK(near(c.operators[0].ns.before, 30000));
    CHECK(near(c.operators[0].ns.after, 40000));
    CHECK(strcmp(c.operators[1].name, "gone") == 0);
    CHECK(isnan(c.operators[1].ns.after));
    CHECK(strcmp(c.operators[2].name, "new") == 0);
    CHECK(isnan(c.operators[2].ns.before));
    CHECK(strcmp(c.operators[3].name, "a") == 0);
    for (int i = 0; i < DIFFERENCES; i++)
        CHECK(!c.differences[i].there);
    end();
}

static void faster_and_alike(void)
{
    const struct made usual = { .typical_us = 100, .count = 500, .model = "a" };
    const struct made quick = { .typical_us = 90, .count = 500, .model = "b" };
    const struct made few = { .typical_us = 50, .count = 5, .model = "a" };

    begin(&usual, &quick);
    CHECK(c.high < 1 && c.differences[DIFFERENCE_MODELS].there);
    CHECK(!comparison_holds(&c, COMPARISON_MEDIAN)); /* not the same work */
    CHECK_INT(c.operator_count, 0);
    end();

    begin(&usual, &usual);
    CHECK(c.has_interval && c.low < 1 && c.high > 1);
    end();

    /* Of so few nobody can say. */
    begin(&usual, &few);
    CHECK(!c.has_interval);
    end();
}

int main(void)
{
    slower();
    faster_and_alike();
    return test_result();
}
