#include "cmd/bench/bench_case.h"

#include "analyse/verdict/limit_to_bench.h"
#include "analyse/warmup.h"
#include "base/alloc.h"
#include "os/clock.h"
#include "os/process/self.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A warm-up that has not come to an end by then is let be. */
#define WARM_UP_MAX     1024
#define WARM_UP_MOST_NS UINT64_C(2000000000)

struct bench_running {
    struct bench_work *work;
    const struct bench_case *what;
    struct bench_case_outcome out;
    struct ort_session **sessions;
    size_t session_count;
    struct spread warm_ups, service, response;
    bool resident_known;
    uint64_t held_bytes; /* that it made resident until it was prepared */
};

struct engine_setup bench_case_setup(const struct bench_work *w,
        const struct bench_case *c)
{
    return (struct engine_setup){
        .provider = w->settings->provider,
        .threads = (uint32_t)w->settings->threads,
        .level = c->level,
    };
}

/* --- sessions and inputs ----------------------------------------------------
 */

static int load(struct bench_running *s, struct ort_session *take)
{
    const struct bench_work *w = s->work;
    struct engine_setup setup = bench_case_setup(w, s->what);
    size_t count = w->settings->sessions;
    struct error e = { 0 };
    int rc = 0;

    s->sessions = alloc_zero(count, sizeof(struct ort_session *));
    if (take)
        s->sessions[s->session_count++] = take;
    for (; s->session_count < count && !rc; s->session_count++) {
        uint64_t start_ns = mono_ns();

        rc = engine_load(&s->sessions[s->session_count], w->engine,
                w->settings->model, &setup, &e);
        if (!s->session_count)
            s->out.row.load_ns = mono_ns() - start_ns;
    }
    if (rc)
        buf_printf(&s->out.error, "%s: %s", w->settings->model, e.text);
    return rc;
}

static int make_inputs(struct bench_running *s)
{
    const struct bench_work *w = s->work;
    struct dims_wish wish = {
        .given = w->settings->dims,
        .given_count = w->settings->dim_count,
        .batch = s->what->batch,
    };
    struct error e = { 0 };
    int rc = inputs_make(&s->out.inputs, engine_api(w->engine), s->sessions[0],
            engine_memory(w->engine), &wish, &e);

    if (rc)
        buf_printf(&s->out.error, "%s: %s", w->settings->model, e.text);
    else if (s->out.inputs.dims.has_batch)
        s->out.row.batch = (uint32_t)s->out.inputs.dims.batch;
    return rc;
}

/* ONNX Runtime's own words, and what may have been guessed wrong. */
static void explain_failure(struct bench_running *s, const char *words)
{
    struct buf *error = &s->out.error;
    struct buf assumed = { 0 };

    buf_printf(error, "%s cannot be run: %s", s->work->settings->model, words);
    dims_explain(&assumed, &s->out.inputs.dims);
    if (assumed.len)
        buf_printf(error, "; sizes that were assumed: %s", buf_cstr(&assumed));
    buf_release(&assumed);
}

/* --- running ----------------------------------------------------------------
 */

struct amount {
    uint64_t count;
    uint64_t duration_ns;
    bool alone; /* one thread and one session, to begin with */
    double per_s;
};

static int run(struct bench_running *s, struct bench_times *times,
        struct amount a)
{
    const struct bench_settings *settings = s->work->settings;
    struct bench_load_plan plan = {
        .engine = s->work->engine,
        .sessions = s->sessions,
        .session_count = a.alone ? 1 : s->session_count,
        .inputs = &s->out.inputs,
        .threads = a.alone ? 1 : settings->concurrency,
        .count = a.count,
        .duration_ns = a.duration_ns,
        .per_s = a.per_s,
        .stop = s->work->stop,
        .progress = &s->work->progress,
    };
    int rc = bench_loop(times, &plan);

    if (rc == -EIO)
        explain_failure(s, buf_cstr(&times->error));
    else if (rc)
        buf_printf(&s->out.error, "cannot start %zu threads: %s",
                plan.threads * plan.session_count, strerror(-rc));
    return rc;
}

/* Runs that only warm up; `kept`, if there is one, gets their times. */
static int warm(struct bench_running *s, struct amount a, struct buf *kept)
{
    struct bench_times times = { 0 };
    int rc = a.count ? run(s, &times, a) : 0;

    for (size_t i = 0; i < times.count; i++) {
        spread_add(&s->warm_ups, times.items[i].service_ns);
        if (kept)
            buf_add(kept, &times.items[i].service_ns, sizeof(uint64_t));
    }
    bench_times_release(&times);
    return rc;
}

/* Until the times have settled: 16 runs, 32, 64 and so on. */
static int warm_until_settled(struct bench_running *s, struct buf *kept)
{
    struct bench_row *row = &s->out.row;
    uint64_t deadline_ns = mono_ns() + WARM_UP_MOST_NS;
    uint64_t goal = WARMUP_LEAST;
    uint64_t now_ns;
    int rc = 0;

    while (!rc && !row->settled && goal <= WARM_UP_MAX &&
            (now_ns = mono_ns()) < deadline_ns && !*s->work->stop) {
        uint64_t done = kept->len / sizeof(uint64_t);
        size_t length = 0;

        rc = warm(s,
                (struct amount){ .count = goal - done,
                        .duration_ns = deadline_ns - now_ns,
                        .alone = true },
                kept);
        row->settled = warmup_length((const uint64_t *)(void *)kept->p,
                kept->len / sizeof(uint64_t), &length);
        row->settled_after = length;
        goal *= 2;
    }
    /* The other sessions and threads have not run yet. */
    if (!rc && s->session_count * s->work->settings->concurrency > 1)
        rc = warm(s,
                (struct amount){ .count = 2 * s->session_count *
                                          s->work->settings->concurrency },
                NULL);
    return rc;
}

static int warm_up(struct bench_running *s)
{
    const struct bench_settings *settings = s->work->settings;
    struct buf kept = { 0 };

    if (!settings->warmup_auto && !settings->warmup)
        return 0;
    progress_begin(&s->work->progress, "warm-up");

    struct ortmeter_section section =
            own_sections_begin(&s->work->telling, WARM_UP_SECTION);
    int rc = warm(s, (struct amount){ .count = 1, .alone = true }, &kept);

    s->out.first_run_ns = s->warm_ups.last;
    if (!rc)
        rc = settings->warmup_auto
                     ? warm_until_settled(s, &kept)
                     : warm(s, (struct amount){ .count = settings->warmup - 1 },
                               NULL);
    own_sections_end(&s->work->telling, &section);
    s->out.row.warm_ups = s->warm_ups.count;
    s->out.row.warm_up_mean_ns = s->warm_ups.mean;
    buf_release(&kept);
    return rc;
}

/* --- what was measured ------------------------------------------------------
 */

/* Of all sessions together.  False: not told. */
static bool read_arena(const struct bench_running *s, struct arena_stats *out)
{
    const struct engine *g = s->work->engine;

    *out = (struct arena_stats){ 0 };
    for (size_t i = 0; i < s->session_count; i++) {
        struct arena_stats one;

        if (arena_stats_read(&one, engine_api(g),
                    engine_runtime(g)->api_version, s->sessions[i],
                    engine_memory(g)))
            return false;
        out->in_use_bytes += one.in_use_bytes;
        out->held_bytes += one.held_bytes;
        out->max_in_use_bytes += one.max_in_use_bytes;
        out->allocs += one.allocs;
        out->extensions += one.extensions;
        if (one.max_alloc_bytes > out->max_alloc_bytes)
            out->max_alloc_bytes = one.max_alloc_bytes;
    }
    return true;
}

static void keep_times(struct bench_running *s, const struct bench_times *t,
        bool open)
{
    struct bench_row *row = &s->out.row;

    for (size_t i = 0; i < t->count; i++) {
        spread_add(&s->service, t->items[i].service_ns);
        if (open)
            spread_add(&s->response, t->items[i].response_ns);
    }
    row->wall_ns += t->wall_ns;
    row->queued += t->queued;
    row->unserved += t->unserved;
}

/* --- memory -----------------------------------------------------------------
 */

/* Right after self_peak_reset(), the peak is what is resident. */
static bool resident_now(uint64_t *out)
{
    return self_peak_reset() == 0 && self_peak_bytes(out) == 0;
}

/* The sessions of other cases are there, too: what it grew by is its own. */
static void keep_peak(struct bench_running *s, uint64_t start_bytes,
        uint64_t alone_bytes)
{
    uint64_t peak_bytes;

    if (!s->resident_known || self_peak_bytes(&peak_bytes) != 0)
        return;
    alone_bytes += peak_bytes > start_bytes ? peak_bytes - start_bytes : 0;
    if (alone_bytes > s->out.row.peak_rss_bytes)
        s->out.row.peak_rss_bytes = alone_bytes;
}

/* --- measuring --------------------------------------------------------------
 */

int bench_case_measure(struct bench_running *s, uint64_t count,
        uint64_t duration_ns)
{
    struct bench_row *row = &s->out.row;
    struct bench_times times = { 0 };
    struct arena_stats before;
    uint64_t start_bytes = 0;
    struct amount amount = {
        .count = count,
        .duration_ns = duration_ns,
        .per_s = s->work->settings->qps,
    };

    progress_begin(&s->work->progress, s->what->title);
    s->resident_known = s->resident_known && resident_now(&start_bytes);
    row->arena_known = read_arena(s, &before);

    uint64_t cpu_ns = own_cpu_ns();
    struct ortmeter_section section =
            own_sections_begin(&s->work->telling, MEASURED_SECTION);
    int rc = run(s, &times, amount);

    own_sections_end(&s->work->telling, &section);
    row->cpu_ns += own_cpu_ns() - cpu_ns;
    row->arena_known = row->arena_known && read_arena(s, &row->arena);
    if (row->arena_known) {
        row->arena_allocs += row->arena.allocs - before.allocs;
        row->arena_extensions += row->arena.extensions - before.extensions;
    }
    keep_times(s, &times, amount.per_s > 0);
    keep_peak(s, start_bytes, s->work->first_bytes + s->held_bytes);
    bench_times_release(&times);
    return rc;
}

/* One inference of a session that profiles itself: what comes of it is no
 * figure of ours, so a failure only leaves it out. */
static void count_nodes(struct bench_running *s)
{
    const struct bench_work *w = s->work;
    struct engine_setup setup = bench_case_setup(w, s->what);
    struct ort_session *session = NULL;
    struct engine_profile profile;
    struct bench_times times = { 0 };

    setup.profile = w->profile;
    if (engine_load(&session, w->engine, w->settings->model, &setup, NULL))
        return;

    int rc = bench_loop(&times, &(struct bench_load_plan){
                                        .engine = w->engine,
                                        .sessions = &session,
                                        .session_count = 1,
                                        .inputs = &s->out.inputs,
                                        .threads = 1,
                                        .count = 1,
                                        .stop = w->stop,
                                        .progress = &s->work->progress,
                                });

    if (!engine_end_profile(&profile, w->engine, session, NULL) && !rc)
        s->out.row.nodes = profile.nodes;
    bench_times_release(&times);
    engine_unload(w->engine, session);
}

/* --- the whole --------------------------------------------------------------
 */

int bench_case_begin(struct bench_running **out, struct bench_work *w,
        const struct bench_case *c, struct ort_session *take)
{
    struct bench_running *s = alloc_zero(1, sizeof(*s));
    uint64_t start_bytes = 0, now_bytes = 0;

    *out = s;
    s->work = w;
    s->what = c;
    s->out.row.level = c->level;
    self_trim(); /* what a case before has left is not this one's */
    s->resident_known = resident_now(&start_bytes);
    if (!w->first_bytes)
        w->first_bytes = start_bytes;
    progress_begin(&w->progress, "loading");
    progress_show(&w->progress, mono_ns(), 0);

    int rc = load(s, take);

    if (!rc)
        rc = make_inputs(s);
    if (!rc)
        rc = warm_up(s);
    keep_peak(s, start_bytes, w->first_bytes);
    s->resident_known = s->resident_known && resident_now(&now_bytes);
    if (now_bytes > start_bytes)
        s->held_bytes = now_bytes - start_bytes;
    return rc;
}

uint64_t bench_case_held_bytes(const struct bench_running *s)
{
    return s->held_bytes;
}

void bench_case_end(struct bench_running *s, struct bench_case_outcome *out)
{
    (void)spread_figures(&s->service, &s->out.row.service);
    (void)spread_figures(&s->response, &s->out.row.response);
    if (s->what->count_nodes && s->out.row.service.count)
        count_nodes(s);
    for (size_t i = 0; i < s->session_count; i++)
        engine_unload(s->work->engine, s->sessions[i]);
    free((void *)s->sessions);
    spread_release(&s->warm_ups);
    spread_release(&s->service);
    spread_release(&s->response);
    *out = s->out;
    free(s);
}

void bench_case_release(struct bench_case_outcome *out)
{
    inputs_release(&out->inputs);
    buf_release(&out->error);
}
