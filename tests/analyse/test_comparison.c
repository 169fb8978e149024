#include "analyse/verdict/comparison.h"

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

/* --- sweeps, and what is not alike ------------------------------------------
 */

static struct sweep_point point(uint32_t batch, double median_ns)
{
    return (struct sweep_point){
        .batch = batch,
        .level = SWEEP_NO_LEVEL,
        .latency = { .count = 7, .p50 = median_ns },
        .done = 10,
        .rounds = 6,
        .low_ns = 0.9 * median_ns,
        .high_ns = 1.1 * median_ns,
        .wall_ns = 1e9,
    };
}

/* Point by point, by batch and not by place; nothing of all points together. */
static void sweeps(void)
{
    struct sweep_point old[] = { point(1, 100), point(4, 200), point(8, 300) };
    struct sweep_point new[] = { point(4, 220), point(16, 900), point(1, 50) };
    struct summary a = { .sweep = { old, LEN(old), false },
        .inferences = 30,
        .last_end_ns = 1000 };
    struct summary b = { .sweep = { new, LEN(new), false },
        .inferences = 30,
        .last_end_ns = 1000,
        .operators.count = 0 };
    char name[16];
    double low, high;

    comparison_make(&c, &a, &b);
    CHECK_INT(c.point_count, 4);
    CHECK(c.points[0].before == &old[0] && c.points[0].after == &new[2]);
    CHECK(c.points[1].before == &old[1] && c.points[1].after == &new[0]);
    CHECK(c.points[2].before == &old[2] && !c.points[2].after);
    CHECK(!c.points[3].before && c.points[3].after == &new[1]);
    CHECK(strcmp(comparison_point_name(name, &c, 3), "16") == 0);
    CHECK(comparison_point_interval(&c, 1, &low, &high));
    CHECK(near(low, 198.0 / 220) && near(high, 242.0 / 180));
    CHECK(!comparison_point_interval(&c, 2, &low, &high));
    CHECK(isnan(c.figure[COMPARISON_RATE].before));
    CHECK(isnan(c.figure[COMPARISON_RATE].after));
    comparison_release(&c);

    /* One that is no sweep has no points to be compared with. */
    b.sweep.count = 0;
    comparison_make(&c, &a, &b);
    CHECK_INT(c.point_count, 0);
    CHECK(isnan(c.figure[COMPARISON_RATE].before));
    CHECK(!isnan(c.figure[COMPARISON_RATE].after));
    comparison_release(&c);
}

static struct summary_session session(const char *model, uint64_t inferences,
        uint64_t batch)
{
    return (struct summary_session){
        .model = (char *)model,
        .inferences = inferences,
        .batch = { .count = inferences, .min = batch, .max = batch },
        .options = (char *)"{\"intra_op_num_threads\":1}",
        .providers = (char *)"[\"CPUExecutionProvider\"]",
    };
}

/* Each model is compared with itself, not only the busiest one. */
static void models(void)
{
    struct summary_session old[] = { session("/m/det.onnx", 100, 1),
        session("/m/rec.onnx", 10, 1) };
    struct summary_session new[] = { session("/m/rec.onnx", 5, 4),
        session("/m/rec.onnx", 5, 8), session("/m/det.onnx", 100, 1) };
    struct summary a = { .sessions = old, .session_count = LEN(old) };
    struct summary b = { .sessions = new, .session_count = LEN(new) };

    new[1].options = (char *)"{\"intra_op_num_threads\":2}";
    comparison_make(&c, &a, &b);
    for (int i = 0; i < DIFFERENCES; i++)
        CHECK(c.differences[i].there ==
                (i == DIFFERENCE_BATCH || i == DIFFERENCE_THREADS));
    CHECK(strcmp(buf_cstr(&c.differences[DIFFERENCE_BATCH].before), "rec 1") ==
            0);
    CHECK(strcmp(buf_cstr(&c.differences[DIFFERENCE_BATCH].after),
                  "rec 4 to 8") == 0);
    CHECK(strcmp(buf_cstr(&c.differences[DIFFERENCE_THREADS].after),
                  "rec 1, 2") == 0);
    CHECK(!comparison_holds(&c, COMPARISON_MEDIAN));
    comparison_release(&c);

    /* What a session that ran nothing was made with is no difference. */
    new[0] = new[1] = session("/m/rec.onnx", 10, 1);
    new[1].inferences = 0;
    new[1].options = (char *)"{\"intra_op_num_threads\":2}";
    new[2].providers = (char *)"[\"XnnpackExecutionProvider\"]";
    comparison_make(&c, &a, &b);
    for (int i = 0; i < DIFFERENCES; i++)
        CHECK(c.differences[i].there == (i == DIFFERENCE_PROVIDERS));
    comparison_release(&c);
}

static void check_hosts(void)
{
    const char *host = "{\"hostname\":\"a b\",\"cpu\":{\"model\":\"x\"}}";

    CHECK(difference_same_host(host, host));
    CHECK(difference_same_host(host, "{\"cpu\" : { \"model\": \"x\" },\n"
                                     " \"hostname\": \"a b\"}"));
    CHECK(!difference_same_host(host,
            "{\"hostname\":\"ab\",\"cpu\":{\"model\":\"x\"}}"));
    CHECK(!difference_same_host(host, "{\"hostname\":\"a b\"}"));
    CHECK(difference_same_host(NULL, "{}"));
}

int main(void)
{
    check_hosts();
    sweeps();
    models();
    slower();
    faster_and_alike();
    return test_result();
}
