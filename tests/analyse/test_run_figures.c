/* test_run_figures.c -- figures that are kept, and runs whose meter died. */
#include "analyse/run_figures.h"

#include "stored.h"

#include <math.h>
#include <sys/wait.h>

struct seen {
    enum run_status status;
    bool has_value;
    double value;
    uint64_t inferences, failed;
};

static void take(void *to, const struct run_line *l)
{
    *(struct seen *)to = (struct seen){ l->run->status, l->has_value, l->value,
        l->inferences, l->failed };
}

static struct seen look(struct store *s, enum metric_id metric)
{
    struct seen seen = { .inferences = 999 };

    CHECK_INT(store_list_runs(s,
                      &(struct run_filter){ .limit = 1,
                              .metric = &metric_table[metric] },
                      take, &seen, NULL),
            0);
    return seen;
}

static void add_inferences(struct store *s)
{
    store_add_session(s,
            &(struct session){ .id = 1, .process = 1, .model = "/m/a.onnx" });
    for (uint64_t i = 0; i < 10; i++)
        (void)store_add_inference(s,
                &(struct inference){ .session = 1,
                        .process = 1,
                        .start_ns = 2000 * i,
                        .duration_ns = 1000 * (i + 1),
                        .flags = i == 9 ? FLAG_FAILED : 0 });
    stored_flush(s);
}

/* A meter that records and is killed: what a dead process leaves. */
static void die_recording(const struct tree *t)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        struct store *s = stored_open(t, STORE_WRITE);
        struct run r = stored_run(s, 5);

        (void)r;
        add_inferences(s);
        (void)kill(getpid(), SIGKILL);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

static void rescued(void)
{
    struct tree t = tree_open();

    die_recording(&t);
    CHECK_INT(stored_number(&t, "SELECT status FROM profiling_runs"),
            RUN_RUNNING);

    struct store *s = stored_open(&t, STORE_READ);
    struct seen seen = look(s, METRIC_inference_duration_max_seconds);

    CHECK_INT(seen.status, RUN_INTERRUPTED); /* seen, if not yet written */
    CHECK_INT(seen.inferences, 10);
    CHECK(!seen.has_value);
    store_close(s);

    s = stored_open(&t, STORE_CHANGE);
    CHECK_INT(run_figures_rescue(s, NULL), 0);
    seen = look(s, METRIC_inference_duration_max_seconds);
    CHECK(seen.has_value && fabs(seen.value - 9e-6) < 1e-12);
    CHECK_INT(seen.failed, 1);
    CHECK_INT(run_figures_rescue(s, NULL), 0); /* nothing is left to do */
    store_close(s);
    CHECK_INT(stored_number(&t, "SELECT status = 2 AND inferences = 10 AND"
                                " failed = 1 AND summed = 1 AND"
                                " model_name = '/m/a.onnx' AND"
                                " duration_ns IS NULL FROM profiling_runs"),
            1);
    tree_close(&t);
}

/* One that is being recorded is left alone. */
static void alive(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);

    (void)stored_run(s, 1);
    CHECK_INT(run_figures_rescue(s, NULL), 0);
    CHECK_INT(run_figures_complete(s, NULL), 0);
    CHECK_INT(stored_number(&t, "SELECT status + summed FROM profiling_runs"),
            0);
    store_close(s);
    tree_close(&t);
}

static void completed(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run r = stored_run(s, 1);

    add_inferences(s);
    r.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    CHECK(!look(s, METRIC_inferences_total).has_value);
    CHECK_INT(run_figures_complete(s, NULL), 0);
    CHECK(look(s, METRIC_inferences_total).value == 10);
    CHECK(fabs(look(s, METRIC_inference_duration_mean_seconds).value - 5e-6) <
            1e-12);
    CHECK(!look(s, METRIC_tokens_total).has_value); /* none, not 0 */
    store_close(s);
    tree_close(&t);
}

int main(void)
{
    rescued();
    alive();
    completed();
    return test_result();
}
