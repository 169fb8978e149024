#include "analyse/verdict/against_baseline.h"
#include "analyse/verdict/judgement.h"

#include "base/compiler.h"
#include "noise.h"
#include "stored.h"

#include <math.h>
#include <string.h>

#define HOST "{\"hostname\":\"a\",\"kernel\":\"6\",\"cpu\":{\"model\":\"x\"}}"
#define OTHER_HOST \
    "{\"hostname\":\"b\",\"kernel\":\"6\",\"cpu\":{\"model\":\"x\"}}"

/* A run of 400 inferences about 1 ms long with two operators. */
struct made {
    const char *host, *model, *tag;
    double slower;      /* of the second operator, and so of the whole */
    uint64_t kernel_us; /* of the second operator */
    uint64_t wall_ns;
    double memory_ns; /* of a load; 0: it was not probed */
};

static void make_run(struct store *s, const struct made *m, struct dice *d)
{
    static const char *const names[] = { "first", "second" };
    struct run r = {
        .started_wall_ns = m->wall_ns,
        .start_mono_ns = 77,
        .meter_pid = own_pid(),
        .command = "prog --flag",
        .version = "0.0.1",
        .host = m->host,
        .tags = m->tag,
    };

    CHECK_INT(store_begin_run(s, &r, NULL), 0);
    store_add_session(s, &(struct session){ .id = 1, .model = m->model });
    for (uint32_t i = 0; i < LEN(names); i++)
        store_add_operator(s, &(struct operator){ .id = i + 1,
                                      .session = 1,
                                      .name = names[i],
                                      .op_type = "Conv",
                                      .provider = "CPU",
                                      .node_index = UINT32_MAX });
    for (uint64_t i = 0; i < 400; i++) {
        uint64_t ns =
                (uint64_t)(1e6 * (1 + .01 * dice_part(d)) * (1 + m->slower));
        uint64_t start_ns = i * 2000000;
        uint64_t number = store_add_inference(s,
                &(struct inference){ .session = 1,
                        .process = 1,
                        .start_ns = start_ns,
                        .duration_ns = ns,
                        .flags = i % 10 ? 0 : FLAG_PROFILED });

        for (uint32_t k = 0; i % 10 == 0 && k < LEN(names); k++) {
            uint64_t kernel_ns =
                    (k ? m->kernel_us : 300) * 1000 + dice_below(d, 3000);

            store_add_operator_run(s,
                    &(struct operator_run){ .inference = number,
                            .operator_id = k + 1,
                            .thread = 1,
                            .start_ns = start_ns + k * UINT64_C(400000),
                            .raw_ns = kernel_ns,
                            .kernel_ns = kernel_ns,
                            .kernel_known = true });
        }
    }
    store_add_subject(s, 1, &(struct subject){ .kind = SUBJECT_HOST });
    for (uint64_t i = 0; m->memory_ns > 0 && i < 3; i++)
        store_add_rollup(s,
                &(struct rollup){ .second = i,
                        .subject = 1,
                        .metric = METRIC_host_memory_load_seconds,
                        .count = 4,
                        .mean = m->memory_ns * (i ? 1 : 50) / 1e9 });
    stored_flush(s);
    r.status = RUN_COMPLETE;
    r.peak_rss_bytes = 1000000 + dice_below(d, 100);
    CHECK_INT(store_end_run(s, &r, NULL), 0);
}

struct rows {
    int64_t row[64];
    size_t count;
};

static void take_row(void *to, int64_t row)
{
    struct rows *r = to;

    r->row[r->count++] = row;
}

static struct tree tree;
static struct store *store;
static struct judgement j;

/* Runs of both sides in turns, and what is said of them. */
static void judge(const struct made *before, const struct made *after,
        size_t count, bool anyway)
{
    struct dice d = { 4711 };
    struct rows rows[2] = { { { 0 }, 0 } };
    struct error e = { 0 };

    tree = tree_open();
    store = stored_open(&tree, STORE_WRITE);
    for (size_t i = 0; i < count; i++) {
        struct made a = *before, b = *after;

        a.tag = "before";
        b.tag = "after";
        a.wall_ns = 10 + 2 * i;
        b.wall_ns = 11 + 2 * i;
        make_run(store, &a, &d);
        make_run(store, &b, &d);
    }
    CHECK_INT(store_each_named(store, "before", take_row, &rows[0], &e), 0);
    CHECK_INT(store_each_named(store, "after", take_row, &rows[1], &e), 0);
    CHECK_INT(rows[0].count, count);
    CHECK_INT(judgement_make(&j,
                      &(struct judgement_runs){ store, rows[0].row,
                              rows[0].count },
                      &(struct judgement_runs){ store, rows[1].row,
                              rows[1].count },
                      &(struct judgement_want){ .anyway = anyway }, &e),
            0);
}

static void end(void)
{
    judgement_release(&j);
    store_close(store);
    tree_close(&tree);
}

static bool because(const char *words)
{
    return strstr(buf_cstr(&j.because), words) != NULL;
}

static const struct made usual = { HOST, "m.onnx", NULL, 0, 500, 0, 0 };

/* Runs that are alike, and one operator that takes 100 us more. */
static void test_sets(void)
{
    struct made slow = usual;

    judge(&usual, &usual, 12, false);
    CHECK_INT(j.verdict, VERDICT_SAME);
    CHECK(j.in_turns && !j.because.len);
    CHECK_INT(j.figures[JUDGED_MEMORY].verdict, VERDICT_SAME);
    CHECK_INT(j.operators.items[0].verdict, VERDICT_SAME);
    end();

    slow.slower = .1;
    slow.kernel_us = 600;
    judge(&usual, &slow, 12, false);
    CHECK_INT(j.verdict, VERDICT_WORSE);
    CHECK(fabs(expm1(j.figures[JUDGED_P10].interval.middle) - .1) < .005);
    CHECK(j.operators.judged);
    CHECK(strcmp(j.operators.items[0].name, "second") == 0);
    CHECK_INT(j.operators.items[0].verdict, VERDICT_WORSE);
    CHECK(fabs(operator_change_explains(&j.operators, &j.operators.items[0]) -
                  1) < .05);
    CHECK_INT(j.operators.part_ns[OPERATOR_CHANGE_TIME] +
                      j.operators.part_ns[OPERATOR_CHANGE_REST],
            j.operators.whole_ns[1] - j.operators.whole_ns[0]);
    CHECK(fabs(j.shifts[4].change_ns - 100000) < 3000 &&
            j.shifts[4].low_ns < j.shifts[4].change_ns);
    end();
    judge(&slow, &usual, 12, false);
    CHECK_INT(j.verdict, VERDICT_BETTER);
    end();
}

/* Two single runs behind many of the first kind. */
static void judge_with_history(const struct made *before,
        const struct made *after)
{
    struct dice d = { 815 };
    struct rows last = { { 0 }, 0 };
    struct error e = { 0 };
    struct made m = *before, last_of_all = *after;
    const struct judgement_want want = { 0 };

    tree = tree_open();
    store = stored_open(&tree, STORE_WRITE);
    for (m.wall_ns = 1; m.wall_ns <= INTERVAL_HISTORY + 1; m.wall_ns++)
        make_run(store, &m, &d);
    /* Of the same command, but it ran another model: no part of the history. */
    m.model = "other.onnx";
    m.wall_ns = 998;
    make_run(store, &m, &d);
    m = *before;
    m.wall_ns = 999;
    make_run(store, &m, &d);
    last_of_all.wall_ns = 1000;
    make_run(store, &last_of_all, &d);
    CHECK_INT(store_each_named(store, "last~1", take_row, &last, &e), 0);
    CHECK_INT(store_each_named(store, "last", take_row, &last, &e), 0);
    CHECK_INT(judgement_make(&j, &(struct judgement_runs){ store, last.row, 1 },
                      &(struct judgement_runs){ store, last.row + 1, 1 }, &want,
                      &e),
            0);
}

/* Two single runs are not judged, however they differ; where the host has a
 * history, they are. */
static void test_single(void)
{
    struct made slow = usual;

    slow.slower = .5;
    judge(&usual, &slow, 1, false);
    CHECK_INT(j.verdict, VERDICT_CANNOT_TELL);
    CHECK(because("too few runs") && j.advice.len);
    CHECK(!j.operators.judged);
    end();

    judge_with_history(&usual, &slow);
    CHECK_INT(j.history.count, INTERVAL_HISTORY + 1);
    CHECK_INT(j.verdict, VERDICT_WORSE);
    end();
}

/* A run in which neighbours slowed the machine's memory tells nothing of the
 * program; nor does it where nobody probed the memory otherwise. */
static void test_neighbours(void)
{
    struct made quiet = usual, slow = usual;

    quiet.memory_ns = 10;
    slow.slower = .5;
    slow.memory_ns = 10.5;
    judge_with_history(&quiet, &slow);
    CHECK_INT(j.verdict, VERDICT_WORSE);
    CHECK(fabs(j.conditions[0][CONDITION_MEMORY] - 10) < 1e-6);
    end();
    slow.memory_ns = 13;
    judge_with_history(&quiet, &slow);
    CHECK_INT(j.verdict, VERDICT_CANNOT_TELL);
    CHECK(because("neighbours"));
    CHECK(condition_differs(CONDITION_MEMORY, j.conditions[0][CONDITION_MEMORY],
            j.conditions[1][CONDITION_MEMORY]));
    CHECK(!j.figures[JUDGED_MEMORY].because); /* which they do not change */
    end();
    judge_with_history(&usual, &slow);
    CHECK_INT(j.verdict, VERDICT_WORSE);
    end();
}

static void test_refused(void)
{
    struct made other = usual;

    other.host = OTHER_HOST;
    judge(&usual, &other, 8, false);
    CHECK_INT(j.verdict, VERDICT_REFUSED);
    CHECK(because("different hosts"));
    CHECK(j.differences[DIFFERENCE_HOST].there);
    end();
    judge(&usual, &other, 8, true);
    CHECK_INT(j.verdict, VERDICT_SAME);
    end();
    other = usual;
    other.model = "other.onnx";
    judge(&usual, &other, 8, false);
    CHECK_INT(j.verdict, VERDICT_REFUSED);
    CHECK(because("different models"));
    end();
}

/* Names of several runs. */
static void test_baselines(void)
{
    struct dice d = { 5 };
    struct made m = usual;
    struct rows rows = { { 0 }, 0 };
    struct error e = { 0 };
    const int64_t both[] = { 1, 3 };

    tree = tree_open();
    store = stored_open(&tree, STORE_WRITE);
    m.tag = "main";
    for (uint64_t i = 0; i < 3; i++) {
        m.wall_ns = i + 1;
        make_run(store, &m, &d);
    }
    CHECK_INT(store_set_baseline(store, "main", both, 2, &e), 0);
    CHECK_INT(store_each_named(store, "main", take_row, &rows, &e), 0);
    CHECK_INT(rows.count, 2); /* a baseline comes before a tag */
    CHECK_INT(rows.row[1], 3);
    CHECK_INT(store_set_baseline(store, "main", both, 1, &e), 0);
    rows.count = 0;
    CHECK_INT(store_each_named(store, "main", take_row, &rows, &e), 0);
    CHECK_INT(rows.count, 1);
    rows.count = 0; /* pruning leaves it alone */
    CHECK_INT(store_each_prunable(store, 0, 0, take_row, &rows, &e), 0);
    CHECK_INT(rows.count, 2);
    CHECK_INT(store_delete_baseline(store, "main", &e), 0);
    CHECK(store_delete_baseline(store, "main", &e) < 0);
    CHECK(strstr(e.text, "no baseline 'main'") != NULL);
    rows.count = 0;
    CHECK_INT(store_each_named(store, "main", take_row, &rows, &e), 0);
    CHECK_INT(rows.count, 3);
    rows.count = 0;
    CHECK(store_each_named(store, "nosuch", take_row, &rows, &e) < 0);
    CHECK_INT(rows.count, 0);
    store_close(store);
    tree_close(&tree);
}

/* A run beside the baseline of its program, which is not that of another. */
static void test_against_baseline(void)
{
    struct dice d = { 7 };
    struct made m = usual;
    struct error e = { 0 };
    struct run r = { .command = "prog --flag", .host = HOST };
    struct against_baseline a;
    const int64_t rows[] = { 1, 2, 3 };

    tree = tree_open();
    store = stored_open(&tree, STORE_WRITE);
    for (uint64_t i = 0; i < 5; i++) {
        m.wall_ns = i + 1;
        make_run(store, &m, &d);
    }
    r.row = 5;
    CHECK_INT(against_baseline_read(&a, store, &r, &e), 0);
    CHECK(!a.name);
    CHECK_INT(store_set_baseline(store, "main", rows, 2, &e), 0);
    CHECK_INT(store_set_baseline(store, "newer", rows + 1, 2, &e), 0);
    CHECK_INT(against_baseline_read(&a, store, &r, &e), 0);
    CHECK(a.name && strcmp(a.name, "newer") == 0);
    CHECK_INT(a.judgement.side[0].count, 2);
    CHECK_INT(a.judgement.verdict, VERDICT_CANNOT_TELL);
    against_baseline_release(&a);
    r.row = 3; /* which is in the newer one */
    CHECK_INT(against_baseline_read(&a, store, &r, &e), 0);
    CHECK(a.name && strcmp(a.name, "main") == 0);
    against_baseline_release(&a);
    r.command = "another";
    CHECK_INT(against_baseline_read(&a, store, &r, &e), 0);
    CHECK(!a.name);
    store_close(store);
    tree_close(&tree);
}

int main(void)
{
    test_sets();
    test_against_baseline();
    test_single();
    test_neighbours();
    test_refused();
    test_baselines();
    return test_result();
}
