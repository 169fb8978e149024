#include "cmd/bench/bench_worker.h"

#include "cmd/bench/bench_case.h"
#include "cmd/cmd.h"
#include "os/clock.h"
#include "os/process/child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A model that takes longer to load is loaded once only; and one that takes
 * longer than the other, not once more to see how its time splits. */
#define LOAD_AGAIN_MOST_NS UINT64_C(20000000000)
#define SPLIT_MOST_NS      UINT64_C(2000000000)

/* Cases take turns in so many rounds, of so many inferences at least ... */
#define ROUNDS      8
#define ROUND_LEAST 8
/* ... where all of them together hold no more than this. */
#define HELD_MOST_BYTES (UINT64_C(2) << 30)

static volatile sig_atomic_t stop;

struct worker {
    struct bench_work work;
    FILE *to;
    struct bench_load load;
    bool told; /* what goes in, and how it loads */
};

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

static void listen_to_signals(void)
{
    static const int asked[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction a = { .sa_handler = on_signal };

    for (size_t i = 0; i < LEN(asked); i++)
        (void)sigaction(asked[i], &a, NULL);
}

static int give_up(const struct worker *w, const char *why)
{
    (void)bench_send_text(w->to, BENCH_ERROR, why);
    return EXIT_FAILED;
}

/* --- loading ----------------------------------------------------------------
 */

static void note(const struct worker *w, const char *text)
{
    (void)bench_send_text(w->to, BENCH_NOTE, text);
}

/* How ONNX Runtime splits the time of a load. */
static void split_load(struct worker *w, const struct bench_case *c)
{
    struct engine_setup setup = bench_case_setup(&w->work, c);
    struct ort_session *session = NULL;
    struct engine_profile profile;
    uint64_t start_ns = mono_ns();

    setup.profile = w->work.profile;
    if (engine_load(&session, w->work.engine, w->work.settings->model, &setup,
                NULL))
        return;
    w->load.split_ns = mono_ns() - start_ns;
    if (!engine_end_profile(&profile, w->work.engine, session, NULL)) {
        w->load.read_ns = profile.read_ns;
        w->load.initialise_ns = profile.initialise_ns;
    }
    engine_unload(w->work.engine, session);
}

/* The first load, thrown away so that the next one tells how long later loads
 * take; or kept for the first case, where loading takes too long. */
static int load_first(struct worker *w, const struct bench_case *c,
        struct ort_session **keep, struct error *e)
{
    struct engine_setup setup = bench_case_setup(&w->work, c);
    struct ort_session *session = NULL;
    uint64_t start_ns = mono_ns();

    progress_begin(&w->work.progress, "loading");
    progress_show(&w->work.progress, start_ns, 0);

    int rc = engine_load(&session, w->work.engine, w->work.settings->model,
            &setup, e);

    if (rc)
        return rc;
    w->load.first_ns = mono_ns() - start_ns;
    if (w->load.first_ns > LOAD_AGAIN_MOST_NS) {
        note(w, "The model was loaded once only, because that takes long.");
        *keep = session;
        return 0;
    }
    engine_unload(w->work.engine, session);
    if (w->load.first_ns <= SPLIT_MOST_NS)
        split_load(w, c);
    return 0;
}

/* --- telling ----------------------------------------------------------------
 */

static void tell_inputs(const struct worker *w, const struct inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        struct bench_input x = {
            .type = in->specs.item[i].type,
            .rank = in->specs.item[i].rank,
        };

        (void)snprintf(x.name, sizeof(x.name), "%s", in->names[i]);
        memcpy(x.shape, in->dims.shape[i], sizeof(x.shape));
        (void)bench_send(w->to, BENCH_INPUT, &x, sizeof(x));
    }
    for (size_t i = 0; i < in->dims.choice_count; i++) {
        struct bench_dim d = {
            .value = in->dims.choice[i].value,
            .given = in->dims.choice[i].given,
        };

        (void)snprintf(d.name, sizeof(d.name), "%s", in->dims.choice[i].name);
        (void)bench_send(w->to, BENCH_DIM, &d, sizeof(d));
    }
}

static void tell_first(struct worker *w, const struct bench_case_outcome *o)
{
    w->load.later_ns = o->row.load_ns;
    w->load.first_run_ns = o->first_run_ns;
    (void)bench_send(w->to, BENCH_LOAD, &w->load, sizeof(w->load));
    tell_inputs(w, &o->inputs);
    w->told = true;
}

/* --- cases ------------------------------------------------------------------
 */

/* What it found, or why it did not. */
static int end_case(struct worker *w, struct bench_running *r, int rc)
{
    struct bench_case_outcome o;

    bench_case_end(r, &o);
    if (!w->told && o.inputs.api)
        tell_first(w, &o);
    if (!rc && o.row.service.count)
        (void)bench_send(w->to, BENCH_ROW, &o.row, sizeof(o.row));
    else if (!rc)
        buf_text(&o.error, "stopped before anything was measured");
    if (o.error.len)
        rc = give_up(w, buf_cstr(&o.error));
    bench_case_release(&o);
    return rc;
}

/* What one of so many rounds measures of a case. */
static int measure_round(const struct worker *w, struct bench_running *r,
        uint64_t round, uint64_t rounds)
{
    const struct bench_settings *s = w->work.settings;
    uint64_t count = s->count;

    if (count != UINT64_MAX)
        count = count * (round + 1) / rounds - count * round / rounds;
    return bench_case_measure(r, count,
            (uint64_t)(s->duration_s * 1e9 / (double)rounds));
}

/* Each has enough inferences for a median. */
static uint64_t rounds_of(const struct bench_settings *s, size_t cases)
{
    if (cases < 2 || s->qps > 0 || s->count / ROUND_LEAST < 2)
        return 1;
    return s->count / ROUND_LEAST < ROUNDS ? s->count / ROUND_LEAST : ROUNDS;
}

/* All are loaded first, and take turns. */
static int run_in_turns(struct worker *w, struct bench_running **running,
        size_t count)
{
    uint64_t rounds = rounds_of(w->work.settings, count);
    int rc = 0;

    for (uint64_t k = 0; k < rounds && !rc && !stop; k++)
        for (size_t i = 0; i < count && !rc && !stop; i++)
            rc = measure_round(w, running[i], k, rounds);
    for (size_t i = 0; i < count; i++) {
        int ended = end_case(w, running[i], rc);

        rc = rc ? rc : ended;
    }
    return rc;
}

static size_t list_cases(struct bench_case *out, const struct bench_settings *s)
{
    static const struct {
        enum ort_level level;
        const char *title;
    } levels[] = {
        { ORT_LEVEL_OFF, "level disabled" },
        { ORT_LEVEL_BASIC, "level basic" },
        { ORT_LEVEL_EXTENDED, "level extended" },
        { ORT_LEVEL_ALL, "level all" },
    };
    size_t count = 0;

    for (size_t i = 0; s->compare_levels && i < LEN(levels); i++) {
        struct bench_case *c = &out[count++];

        *c = (struct bench_case){
            .batch = s->batch_count ? s->batches[0] : 0,
            .level = levels[i].level,
            .count_nodes = true,
        };
        (void)snprintf(c->title, sizeof(c->title), "%s", levels[i].title);
    }
    for (size_t i = 0; !s->compare_levels && i < s->batch_count; i++) {
        struct bench_case *c = &out[count++];

        *c = (struct bench_case){ .batch = s->batches[i],
            .level = bench_level(s->level) };
        (void)snprintf(c->title, sizeof(c->title), "batch %u", s->batches[i]);
    }
    if (!count)
        out[count++] = (struct bench_case){ .level = bench_level(s->level),
            .title = "measuring" };
    return count;
}

/* The first shows whether all of them can be held at once. */
static int run_cases(struct worker *w, const struct bench_case *cases,
        size_t count, struct ort_session *kept)
{
    struct bench_running *running[BENCH_BATCHES_MAX];
    size_t begun = 0;
    bool together = true;
    int rc = 0;

    for (size_t i = 0; i < count && !rc && !stop; i++) {
        rc = bench_case_begin(&running[begun++], &w->work, &cases[i],
                i ? NULL : kept);
        if (rc) /* why is in its outcome; the others have nothing to tell */
            break;
        if (!i)
            together = bench_case_held_bytes(running[0]) <=
                       HELD_MOST_BYTES / count;
        if (!together) {
            rc = run_in_turns(w, running, begun);
            begun = 0;
        }
    }
    if (!together && count > 1)
        note(w, "The model is too large to be held several times: its cases "
                "ran one after the other, not in turns.");
    if (!rc && begun)
        return run_in_turns(w, running, begun);
    for (size_t i = 0; i < begun; i++)
        (void)end_case(w, running[i], rc);
    return rc;
}

static int run_all(struct worker *w)
{
    struct bench_case cases[BENCH_BATCHES_MAX];
    size_t count = list_cases(cases, w->work.settings);
    struct ort_session *kept = NULL;
    struct error e = { 0 };
    struct buf why = { 0 };
    int rc = engine_open(&w->work.engine, w->work.settings->ort, &e);

    if (rc)
        return give_up(w, e.text);
    if (load_first(w, &cases[0], &kept, &e)) {
        buf_printf(&why, "%s: %s", w->work.settings->model, e.text);
        rc = give_up(w, buf_cstr(&why));
        buf_release(&why);
        return rc;
    }
    rc = run_cases(w, cases, count, kept);
    if (!rc && stop)
        note(w, "It was asked to end early: these are the figures so far.");
    return rc;
}

/* A profile's path begins there; it is removed as soon as it is read. */
static void place_profiles(struct bench_work *w)
{
    const char *folder = getenv("TMPDIR");

    (void)snprintf(w->profile, sizeof(w->profile), "%.3900s/ortmeter-bench-%u",
            folder && *folder ? folder : "/tmp", own_pid());
}

int bench_worker(const struct bench_settings *settings, struct error *e)
{
    struct worker w = {
        .work = { .settings = settings, .stop = &stop },
        .to = settings->worker <= INT_MAX ? fdopen((int)settings->worker, "w")
                                          : NULL,
    };

    if (!w.to) {
        (void)fail(e, -EINVAL, BENCH_WORKER_VARIABLE " is for ortmeter itself");
        return EXIT_USAGE;
    }
    (void)unsetenv(BENCH_WORKER_VARIABLE);
    listen_to_signals();
    own_sections_open(&w.work.telling);
    progress_open(&w.work.progress, settings->quiet);
    place_profiles(&w.work);

    int rc = run_all(&w);

    progress_close(&w.work.progress);
    engine_close(w.work.engine);
    if (fclose(w.to) != 0 && !rc)
        rc = EXIT_FAILED;
    return rc ? EXIT_FAILED : EXIT_GOOD;
}
