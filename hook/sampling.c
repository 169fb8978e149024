/* sampling.c -- which inferences are looked into, and with which options.
 *
 * Being looked into makes an inference slower: by a tenth, or five times, or,
 * with many threads, more.  So in the mode "auto" the cost is measured for each
 * session as it goes, and an inference is looked into only when what was spent
 * so far, and this one's likely cost, stay below a share of all the time. */
#include "base/ring.h"
#include "hook/ops.h"
#include "hook/table.h"
#include "hook/text.h"

#define SESSIONS    1024 /* a power of 2 */
#define WATCHED     256
#define RUN_OPTIONS 4096 /* a power of 2 */
#define POOL        64
#define FLIGHTS     64

/* Of the time, in the mode "auto"; the aim is one in a hundred. */
#define SHARE_OF 125
/* Until it was measured: what a node costs, and what the next run feels. */
#define GUESS_NODE_NS 8000
#define AFTERMATH_PCT 20

/* Runs in a burst: ONNX Runtime keeps two kilobytes for each of their nodes. */
#define BURST_SOME 8
#define BURST_ALL  128

enum mode { MODE_OFF, MODE_EVERY, MODE_AUTO };

static enum mode mode;
static uint64_t every = 1;

static struct watched {
    _Atomic bool taken;
    _Atomic uint64_t runs;
    _Atomic uint64_t plain_runs, plain_ns;
    _Atomic uint64_t sampled_runs, sampled_ns;
    _Atomic uint64_t spent_ns;
    uint64_t guess_ns;
} watched[WATCHED];

static struct table_place by_session[SESSIONS]; /* place in `watched`, + 1 */

enum { FRESH = 1, TOUCHED = 2 };
static struct table_place run_options[RUN_OPTIONS];

/* Options with profiling on, ready for use. */
static _Atomic(struct ort_run_options *) pool[LIBRARIES][POOL];

/* Runs under way in which ours stand in for theirs. */
static struct flight {
    _Atomic uintptr_t theirs; /* 0: free */
    _Atomic(struct ort_run_options *) ours;
    _Atomic bool terminated;
} flights[FLIGHTS];

static _Atomic uint32_t samples;
static _Thread_local uint32_t current;

/* 0: it is none, or one that no count of runs reaches. */
static uint64_t number_of(const char *text)
{
    uint64_t n = 0;

    for (; *text >= '0' && *text <= '9' && n < UINT32_MAX; text++)
        n = n * 10 + (uint64_t)(*text - '0');
    return *text ? 0 : n;
}

void ops_init(void)
{
    const char *asked = hook_variable("ORTMETER_OPS");

    if (!asked || !*asked || text_is(asked, "off"))
        return;
    if (text_is(asked, "auto")) {
        mode = MODE_AUTO;
        return;
    }
    every = text_is(asked, "all") ? 1 : number_of(asked);
    if (every)
        mode = MODE_EVERY;
}

bool ops_wanted(void)
{
    return mode != MODE_OFF;
}

uint64_t ops_burst_runs(void)
{
    if (mode != MODE_EVERY)
        return 0;
    return every == 1 ? BURST_ALL : BURST_SOME;
}

uint32_t ops_current(void)
{
    return current;
}

/* --- sessions ------------------------------------------------------------- */

void ops_watch(const struct ort_session *session, uint32_t nodes)
{
    for (size_t i = 0; i < WATCHED; i++) {
        struct watched *w = &watched[i];

        if (atomic_exchange(&w->taken, true))
            continue;
        atomic_store(&w->runs, 0);
        atomic_store(&w->plain_runs, 0);
        atomic_store(&w->plain_ns, 0);
        atomic_store(&w->sampled_runs, 0);
        atomic_store(&w->sampled_ns, 0);
        atomic_store(&w->spent_ns, 0);
        w->guess_ns = GUESS_NODE_NS * (uint64_t)(nodes ? nodes : 100);
        table_write(by_session, SESSIONS, session, i + 1);
        return;
    }
}

static struct watched *find(const struct ort_session *session)
{
    uint64_t place = table_read(by_session, SESSIONS, session);

    return place ? &watched[place - 1] : NULL;
}

void ops_unwatch(const struct ort_session *session)
{
    struct watched *w = ops_wanted() ? find(session) : NULL;

    if (!w)
        return;
    table_write(by_session, SESSIONS, session, 0);
    atomic_store(&w->taken, false);
}

static uint64_t read(_Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void add(_Atomic uint64_t *value, uint64_t more)
{
    (void)atomic_fetch_add_explicit(value, more, memory_order_relaxed);
}

/* What looking into one more run is likely to cost. */
static uint64_t likely_ns(struct watched *w)
{
    uint64_t sampled = read(&w->sampled_runs), plain = read(&w->plain_runs);

    if (!sampled || !plain)
        return w->guess_ns;

    uint64_t with = read(&w->sampled_ns) / sampled;
    uint64_t without = read(&w->plain_ns) / plain;
    uint64_t more = with > without ? with - without : 0;

    return more + more * AFTERMATH_PCT / 100;
}

static bool is_due(struct watched *w)
{
    uint64_t number =
            atomic_fetch_add_explicit(&w->runs, 1, memory_order_relaxed);

    if (mode == MODE_EVERY)
        return number % every == 0;

    uint64_t all_ns = read(&w->plain_ns) + read(&w->sampled_ns);

    return read(&w->plain_runs) &&
           read(&w->spent_ns) + likely_ns(w) <= all_ns / SHARE_OF;
}

/* --- run options ---------------------------------------------------------- */

void ops_run_options_new(const struct ort_run_options *options)
{
    table_write(run_options, RUN_OPTIONS, options, FRESH);
}

void ops_run_options_touched(const struct ort_run_options *options)
{
    table_write(run_options, RUN_OPTIONS, options, TOUCHED);
}

void ops_run_options_end(const struct ort_run_options *options)
{
    table_write(run_options, RUN_OPTIONS, options, 0);
}

/* Nothing was set on them, so ours do the same. */
static bool is_fresh(const struct ort_run_options *options)
{
    return !options || table_read(run_options, RUN_OPTIONS, options) == FRESH;
}

static void drop(const struct library *lib, struct ort_status *status)
{
    if (status)
        ORT(lib->api, ReleaseStatus)(status);
}

static struct ort_run_options *take_ours(const struct library *lib)
{
    ort_CreateRunOptions create =
            (ort_CreateRunOptions)lib->real[WRAP_CreateRunOptions];
    ort_RunOptionsEnableProfiling enable =
            (ort_RunOptionsEnableProfiling)
                    lib->api->slot[ORT_SLOT_RunOptionsEnableProfiling];
    struct ort_run_options *ours = NULL;

    for (size_t i = 0; i < POOL && !ours; i++)
        ours = atomic_exchange(&pool[lib->index][i], NULL);
    if (ours)
        return ours;
    drop(lib, create(&ours));
    /* A path that cannot be: nothing is ever written. */
    if (ours)
        drop(lib, enable(ours, "/dev/null/x"));
    return ours;
}

static void give_back(const struct library *lib, struct ort_run_options *ours)
{
    ort_ReleaseRunOptions release =
            (ort_ReleaseRunOptions)lib->real[WRAP_ReleaseRunOptions];

    for (size_t i = 0; i < POOL; i++) {
        struct ort_run_options *nobody = NULL;

        if (atomic_compare_exchange_strong(&pool[lib->index][i], &nobody, ours))
            return;
    }
    release(ours);
}

/* --- stopping a run from another thread ----------------------------------- */

static struct flight *take_off(const struct ort_run_options *theirs,
        struct ort_run_options *ours)
{
    for (size_t i = 0; i < FLIGHTS; i++) {
        uintptr_t nobody = 0;

        if (!atomic_compare_exchange_strong(&flights[i].theirs, &nobody, 1))
            continue;
        atomic_store(&flights[i].terminated, false);
        atomic_store(&flights[i].ours, ours);
        atomic_store(&flights[i].theirs, (uintptr_t)theirs);
        return &flights[i];
    }
    return NULL;
}

void ops_terminate(const struct library *lib,
        const struct ort_run_options *options)
{
    ort_RunOptionsSetTerminate terminate =
            (ort_RunOptionsSetTerminate)lib->real[WRAP_RunOptionsSetTerminate];

    /* First this, then looking: a run that takes off meanwhile looks after it
     * has taken off, so one of us sees the other. */
    ops_run_options_touched(options);
    for (size_t i = 0; i < FLIGHTS; i++)
        if (atomic_load(&flights[i].theirs) == (uintptr_t)options) {
            atomic_store(&flights[i].terminated, true);
            drop(lib, terminate(atomic_load(&flights[i].ours)));
        }
}

static void land(const struct library *lib, struct sample *s)
{
    struct flight *f = s->flight;
    ort_RunOptionsUnsetTerminate unset =
            (ort_RunOptionsUnsetTerminate)
                    lib->real[WRAP_RunOptionsUnsetTerminate];

    if (!f)
        return;
    if (atomic_load(&f->terminated))
        drop(lib, unset(s->ours));
    atomic_store(&f->theirs, 0);
}

/* --- a run ---------------------------------------------------------------- */

struct sample ops_begin(const struct library *lib,
        const struct ort_session *session, const struct ort_run_options *theirs)
{
    struct sample s = { .use = theirs };
    struct watched *w = ops_wanted() ? find(session) : NULL;

    if (!w && ops_wanted())
        s.burst = burst_begin(session);
    if (!w || !is_due(w) || current || !is_fresh(theirs) ||
            !(s.ours = take_ours(lib)))
        return s;
    if (theirs) {
        s.flight = take_off(theirs, s.ours);
        if (!s.flight || !is_fresh(theirs)) {
            land(lib, &s);
            give_back(lib, s.ours);
            return (struct sample){ .use = theirs };
        }
    }
    s.id = atomic_fetch_add(&samples, 1) + 1;
    s.use = s.ours;
    s.depth = operator_depth();
    current = s.id;
    return s;
}

void ops_end(const struct library *lib, const struct ort_session *session,
        struct sample *s, struct record *run)
{
    struct watched *w = ops_wanted() ? find(session) : NULL;
    uint64_t took_ns = run->run.end_ns - run->run.start_ns;

    if (s->burst)
        run->flags |= FLAG_SAMPLED | FLAG_BURST;
    if (s->id) {
        current = 0;
        operator_return(s->depth);
        land(lib, s);
        give_back(lib, s->ours);
        run->flags |= FLAG_SAMPLED;
    }
    if (!w || run->flags & FLAG_FAILED)
        return;
    if (!s->id) {
        add(&w->plain_runs, 1);
        add(&w->plain_ns, took_ns);
        return;
    }
    add(&w->sampled_runs, 1);
    add(&w->sampled_ns, took_ns);
    add(&w->spent_ns, likely_ns(w));
}

void ops_sent(const struct sample *s, const struct record *run)
{
    if (s->burst)
        burst_end(s->burst);
    if (s->id)
        channel_send(&(struct record){
                .kind = RECORD_SAMPLE,
                .sample = { .id = s->id, .thread = run->run.thread },
        });
}
