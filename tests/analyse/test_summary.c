#include "analyse/summary.h"

#include "summed.h"

#include <math.h>

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

#define CHECK_NEAR(got, want)                                            \
    do {                                                                 \
        if (!near(got, want)) {                                          \
            test_failures++;                                             \
            (void)fprintf(stderr, "%s:%d: %s is %g, not %g\n", __FILE__, \
                    __LINE__, #got, (double)(got), (double)(want));      \
        }                                                                \
    } while (0)

static void nothing(void)
{
    struct summed x = summed_begin();
    const struct summary *s = summed_read(&x);

    CHECK(strcmp(s->run.id, x.run.id) == 0);
    CHECK(strcmp(s->run.command, "prog --flag") == 0);
    CHECK_INT(s->run.status, RUN_RUNNING);
    CHECK_INT(s->inferences, 0);
    CHECK_INT(s->latency.count, 0);
    CHECK_INT(s->process_count + s->session_count + s->library_count, 0);
    CHECK(!s->warmup.known && !s->lost && !s->hook_ns);
    summed_end(&x);
}

static void everything(void)
{
    struct summed x = summed_begin();

    summed_fill(&x);

    const struct summary *s = summed_read(&x);

    CHECK_INT(s->run.status, RUN_COMPLETE);
    CHECK_INT(s->process_count, 2);
    CHECK_INT(s->processes[1].parent, 1);
    CHECK_INT(s->lost, 3 + 4);
    CHECK_INT(s->unfinished, 5);
    CHECK_INT(s->hook_ns, 90);
    CHECK_INT(s->library_count, 1);
    CHECK(strcmp(s->libraries[0].language, "Node.js") == 0);
    CHECK_INT(s->session_count, 2);
    CHECK(s->sessions[0].first_load && !s->sessions[0].error);
    CHECK(strcmp(s->sessions[1].error, "no such file") == 0);
    CHECK_INT(s->inferences, 4);
    CHECK_INT(s->failed, 1);
    CHECK_INT(s->latency.count, 3);
    CHECK_NEAR(s->latency.mean, 12000);
    CHECK_NEAR(s->latency.median, 10000);
    CHECK_INT(s->first_start_ns, 100000);
    CHECK_INT(s->last_end_ns, 166000);
    CHECK_NEAR(s->samples, 2 + 2 + 1);
    CHECK_INT(s->phase[PHASE_PREFILL].count, 1);
    CHECK_INT(s->phase[PHASE_DECODE].count, 1);
    CHECK_INT(s->phase[PHASE_OTHER].count, 1);
    CHECK_INT(s->phase_tokens[PHASE_PREFILL], 14);
    CHECK_INT(s->phase_tokens[PHASE_DECODE], 2);
    CHECK_INT(s->tokens.generations, 1);
    CHECK_INT(s->tokens.count, 4); /* two texts, two tokens each */
    CHECK_NEAR(s->tokens.ttft_ns, 20000);
    CHECK_NEAR(s->tokens.tpot_ns, 20000);
    CHECK_INT(s->sessions[0].batch.count, 2);
    CHECK_INT(s->sessions[0].in_bytes.max, 112);
    CHECK_INT(s->sessions[0].out_bytes.count, 1);
    CHECK_INT(s->batch_size.count, 1);
    CHECK_INT(s->padding.max, 2);
    CHECK_INT(s->queue_depth.count, 1); /* it was told, and it was 0 */
    CHECK_INT(s->section_count, 1);
    CHECK_INT(s->sections[0].count, 2);
    CHECK_INT(s->sections[0].total_ns, 8000);
    CHECK_INT(s->item_count, 2);
    CHECK_INT(s->told_tokens, 2);
    CHECK(s->items[1].text == NULL && s->items[1].id == -1);
    CHECK_INT(s->mark_count, 1);
    CHECK_INT(s->thread_count, 1);
    CHECK_INT(s->error_count, 1);
    CHECK(strcmp(s->errors[0].text, "bad shape") == 0);
    summed_end(&x);
}

/* Jitter is from one inference to the next of a session: between two sessions
 * there is none. */
static void jitter(void)
{
    struct summed x = summed_begin();

    summed_session(&x, 1, "a.onnx");
    summed_session(&x, 2, "b.onnx");
    summed_run(&x, 1, 0, 10);
    summed_run(&x, 2, 20, 1000);

    const struct summary *s = summed_read(&x);

    CHECK_INT(s->latency.count, 2);
    CHECK_INT(s->latency.pairs, 0);
    CHECK_INT(s->sessions[0].latency.pairs, 0);
    summary_release(&x.summary);

    summed_run(&x, 1, 2000, 13);
    summed_run(&x, 2, 2020, 1005);
    summed_run(&x, 1, 4000, 9);
    s = summed_read(&x);
    CHECK_INT(s->latency.pairs, 3);
    CHECK_NEAR(s->latency.jitter, (3000 + 4000 + 5000) / 3.0);
    CHECK_NEAR(s->sessions[0].latency.jitter, 3500);
    CHECK_NEAR(s->sessions[1].latency.jitter, 5000);
    summed_end(&x);
}

/* One rule for traced ones (counting.h): here what it costs is not known, so
 * they count while there are few others, marked; the longest is what the
 * program saw in any case; and one whose values were looked at never counts. */
static void traced(void)
{
    struct summed x = summed_begin();

    summed_session(&x, 1, "a.onnx");
    SUMMED_RUN(&x, 0, 40, .flags = FLAG_PROFILED);
    SUMMED_RUN(&x, 100, 60, .flags = FLAG_PROFILED);
    SUMMED_RUN(&x, 150, 900, .flags = FLAG_PROFILED | FLAG_STATS);

    const struct summary *s = summed_read(&x);

    CHECK_INT(s->inferences, 3);
    CHECK_INT(s->traced, 2);
    CHECK_INT(s->marked, 2);
    CHECK_INT(s->looked_at, 1);
    CHECK_INT(s->latency.count, 2);
    CHECK_NEAR(s->latency.mean, 50000);
    CHECK_INT(s->latency.pairs, 1);
    CHECK_NEAR(s->latency.jitter, 20000);
    CHECK_NEAR(s->latency.max, 60000);
    summary_release(&x.summary);

    for (int i = 0; i < COUNTING_OTHERS; i++)
        SUMMED_RUN(&x, 2000 + 20 * i, 10, .flags = 0);
    s = summed_read(&x);
    CHECK_INT(s->inferences, 3 + COUNTING_OTHERS);
    CHECK_INT(s->left_out, 2);
    CHECK_INT(s->sessions[0].counted.left_out, 2);
    CHECK_INT(s->marked, 0);
    CHECK_NEAR(s->latency.mean, 10000);
    CHECK_INT(s->latency.count, COUNTING_OTHERS);
    CHECK_INT(s->phase[PHASE_OTHER].count, COUNTING_OTHERS);
    CHECK_NEAR(s->latency.max, 60000);
    CHECK_NEAR(s->phase[PHASE_OTHER].max, 60000);
    summed_end(&x);
}

/* 17 slow ones in one session; the other settles at once, a third was there
 * before the meter. */
static void warmup(void)
{
    struct summed x = summed_begin();

    summed_session(&x, 1, "a.onnx");
    summed_session(&x, 2, "b.onnx");
    store_add_session(x.store, &(struct session){ .id = 3, .seen_late = true });

    const struct summary *s = summed_read(&x);

    CHECK(!s->warmup.known);
    summary_release(&x.summary);
    for (int i = 0; i < 100; i++) {
        summed_run(&x, 1, i * 100, i < 17 ? 90 : 10);
        summed_run(&x, 2, i * 100, 10);
        summed_run(&x, 3, i * 100, i < 17 ? 90 : 10);
    }
    s = summed_read(&x);
    CHECK(s->warmup.known);
    CHECK_INT(s->warmup.count, 17);
    CHECK_NEAR(s->warmup.mean_ns, 90000);
    summed_end(&x);
}

/* The first good load of each model of the run. */
static void first_loads(void)
{
    static const struct {
        const char *model, *error;
        bool seen_late, first;
    } cases[] = {
        { "a.onnx", "out of memory", false, true },
        { "a.onnx", NULL, false, true },
        { "a.onnx", NULL, false, false },
        { "b.onnx", NULL, false, true },
        { NULL, NULL, false, false },
        { NULL, NULL, true, false },
    };
    struct summed x = summed_begin();

    for (uint32_t i = 0; i < LEN(cases); i++)
        store_add_session(x.store, &(struct session){ .id = i + 1,
                                           .model = cases[i].model,
                                           .error = cases[i].error,
                                           .seen_late = cases[i].seen_late });

    const struct summary *s = summed_read(&x);

    CHECK_INT(s->session_count, LEN(cases));
    for (size_t i = 0; i < LEN(cases); i++)
        CHECK_INT(s->sessions[i].first_load, cases[i].first);
    summed_end(&x);
}

/* Of a run whose meter died, rows may be missing. */
static void orphans(void)
{
    struct summed x = summed_begin();

    summed_session(&x, 1, "a.onnx");
    summed_session(&x, 5, "b.onnx");
    summed_run(&x, 5, 0, 10);
    summed_run(&x, 6, 0, 10);
    summed_run(&x, 0, 0, 10);
    SUMMED_RUN(&x, 0, 10, .phase = 99);

    const struct summary *s = summed_read(&x);

    CHECK_INT(s->inferences, 4);
    CHECK_INT(s->latency.count, 4);
    CHECK_INT(s->sessions[0].inferences, 1);
    CHECK_INT(s->sessions[1].inferences, 1);
    CHECK_INT(s->phase[PHASE_OTHER].count, 4);
    summed_end(&x);
}

static const char *why_no_tokens(struct summed *x)
{
    const char *why = summary_no_tokens(summed_read(x));

    summary_release(&x->summary);
    return why;
}

/* Where a model took ids and there are no texts, it is said why. */
static void no_tokens(void)
{
    struct summed x = summed_begin();

    summed_session(&x, 1, "a.onnx");
    summed_run(&x, 1, 0, 10);
    CHECK(!why_no_tokens(&x)); /* nobody asks */
    SUMMED_RUN(&x, 20, 10, .flags = FLAG_SEQUENCE, .sequence = 9);
    CHECK(strstr(why_no_tokens(&x), "neither takes nor returns a cache"));
    SUMMED_RUN(&x, 40, 10, .phase = PHASE_DECODE,
            .flags = FLAG_SEQUENCE | FLAG_PAST, .sequence = 1, .past = 5);
    CHECK(strstr(why_no_tokens(&x), "whose prompts were not"));
    SUMMED_RUN(&x, 60, 10, .phase = PHASE_PREFILL,
            .flags = FLAG_SEQUENCE | FLAG_PAST, .sequence = 5);
    CHECK(!why_no_tokens(&x)); /* there is one */
    summed_end(&x);
}

/* More than are listed are counted all the same. */
static void more_than_listed(void)
{
    struct summed x = summed_begin();

    CHECK_INT(stored_number(&x.tree, "SELECT 1"), 1);
    stored_change(&x.tree,
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
            " WHERE i < 12011) INSERT INTO tokens (run, number, process,"
            " thread, token_index, token_id, time_ns)"
            " SELECT 1, i, 1, 1, i - 1, i, i FROM n");

    const struct summary *s = summed_read(&x);

    CHECK_INT(s->told_tokens, 12011);
    CHECK_INT(s->item_count, 10000);
    CHECK_INT(s->items[9999].index, 9999);
    summed_end(&x);
}

static void model_names(void)
{
    static const struct {
        const char *path, *name;
    } cases[] = {
        { "/models/silero.onnx", "silero" },
        { "silero.onnx", "silero" },
        { "/models/silero.ort", "silero.ort" },
        { "/models/llama/model.onnx", "llama/model" },
        { "llama/model.onnx", "llama/model" },
        { "model.onnx", "model" },
        { "/model.onnx", "/model" },
        { "./model.onnx", "./model" },
        { "/a/b//model.onnx", "b//model" },
        { "/a/phi/onnx/model.onnx", "phi" },
        { "phi/onnx/model.onnx", "phi" },
        { "/onnx/model.onnx", "onnx/model" },
        { "onnx/model.onnx", "onnx/model" },
        { "/a/my_model.onnx", "my_model" },
        { "/a/.onnx", ".onnx" },
        { "/a/x.onnx.onnx", "x.onnx" },
        { "/a/", "" },
        { "", "" },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        char *name = summary_model_name(cases[i].path);

        CHECK(strcmp(name, cases[i].name) == 0);
        if (strcmp(name, cases[i].name) != 0)
            (void)fprintf(stderr, "%s: %s\n", cases[i].path, name);
        free(name);
    }
}

int main(void)
{
    nothing();
    everything();
    jitter();
    traced();
    warmup();
    first_loads();
    orphans();
    no_tokens();
    more_than_listed();
    model_names();
    return test_result();
}
