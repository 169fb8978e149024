/* sampling.c -- which inferences are looked into, and with which options.
 *
 * Being looked into makes an inference slower: by a tenth, or five times, or,
 * with many threads, more.  So in the mode "auto" the cost is measured for each
 * session as it goes, and an inference is looked into only when what was spent
 * so far, and this one's likely cost, stay below a share of all the time.
 *
 * An inference is taken to have cost what it took beyond the quickest that was
 * not looked into.  A session's inferences may be of very different lengths;
 * against their mean, a short one would seem to have cost nothing. */
#include "base/compiler.h"
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
/* What a node costs, at the least that we believe; and what the next run feels
 * of it. */
#define GUESS_NODE_NS 8000
#define AFTERMATH_PCT 20

/* Runs in a burst: ONNX Runtime keeps two kilobytes for each of their nodes. */
#define BURST_SOME 8
#define BURST_ALL  128

enum mode { MODE_OFF, MODE_EVERY, MODE_AUTO };

static enum mode mode;
static uint64_t every = 1;

/* Times are of the records' clock. */
static struct watched {
    _Atomic bool taken;
    _Atomic uint64_t runs;
    _Atomic uint64_t all;
    _Atomic uint64_t least; /* of those that were not looked into */
    _Atomic uint64_t sampled, spent;
    _Atomic bool rested; /* one was not, since the last that was */
    uint64_t guess;
} watched[WATCHED];

static struct table_place by_session[SESSIONS]; /* place in `watched`, + 1 */

enum { FRESH = 1, TOUCHED = 2 };
static struct table_place run_options[RUN_OPTIONS];

/* Options with profiling on, ready for use. */
static _Atomic(struct ort_run_options *) pool[LIBRARIES][POOL];

/* Runs under way in which ours stand in for theirs. */
enum { FREE = 0, BOARDING = 1, LANDED = 2 }; /* no addresses */
static struct flight {
    _Atomic uintptr_t theirs; /* or one of those */
    _Atomic uint32_t stoppers;
    _Atomic bool terminated;
    const struct library *lib;
    struct ort_run_options *ours;
} flights[FLIGHTS];

static _Atomic uint32_t samples;
static _Thread_local uint32_t current;

/* 0: it is none, or one that no count of runs reaches. */
static uint64_t number_of(const char *text)
{
    uint64_t n = 0;

    for (; *text >= '0' && *text <= '9' && n < UINT64_MAX / 10; text++)
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

HOT bool ops_wanted(void)
{
    return mode != MODE_OFF;
}

void ops_in_child(void)
{
    if (!ops_wanted())
        return;
    burst_in_child();
    operator_in_child();
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

static uint64_t guess_node(void)
{
    return channel_ticks_per_us
                   ? (uint64_t)GUESS_NODE_NS * channel_ticks_per_us / 1000
                   : GUESS_NODE_NS;
}

void ops_watch(const struct ort_session *session, uint32_t nodes)
{
    _Atomic uint64_t *place = table_word(by_session, SESSIONS, session);

    for (size_t i = 0; place && i < WATCHED; i++) {
        struct watched *w = &watched[i];

        if (atomic_exchange(&w->taken, true))
            continue;
        atomic_store(&w->runs, 0);
        atomic_store(&w->all, 0);
        atomic_store(&w->least, UINT64_MAX);
        atomic_store(&w->sampled, 0);
        atomic_store(&w->spent, 0);
        atomic_store(&w->rested, false);
        w->guess = guess_node() * (nodes ? nodes : 100);
        atomic_store(place, i + 1);
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
static uint64_t likely(struct watched *w)
{
    uint64_t sampled = read(&w->sampled);

    return sampled ? read(&w->spent) / sampled : w->guess;
}

static bool is_due(struct watched *w)
{
    uint64_t number =
            atomic_fetch_add_explicit(&w->runs, 1, memory_order_relaxed);

    if (mode == MODE_EVERY)
        return number % every == 0;
    return read(&w->spent) + likely(w) <= read(&w->all) / SHARE_OF &&
           atomic_exchange(&w->rested, false);
}

static void account_plain(struct watched *w, uint64_t took)
{
    uint64_t least = read(&w->least);

    while (took < least &&
            !atomic_compare_exchange_weak(&w->least, &least, took))
        ;
    atomic_store(&w->rested, true);
}

static void account_sampled(struct watched *w, uint64_t took)
{
    uint64_t least = read(&w->least);
    uint64_t more = took > least ? took - least : 0;

    if (more < w->guess)
        more = w->guess;
    add(&w->spent, more + more * AFTERMATH_PCT / 100);
    add(&w->sampled, 1);
}

/* --- run options ---------------------------------------------------------- */

/* In one order with the flights: see ops_terminate(). */
static void know(const struct ort_run_options *options, uint64_t what)
{
    _Atomic uint64_t *word = table_word(run_options, RUN_OPTIONS, options);

    if (word)
        atomic_store(word, what);
}

void ops_run_options_new(const struct ort_run_options *options)
{
    know(options, FRESH);
}

void ops_run_options_touched(const struct ort_run_options *options)
{
    know(options, TOUCHED);
}

void ops_run_options_end(const struct ort_run_options *options)
{
    know(options, 0);
}

/* Nothing was set on them, so ours do the same. */
static bool is_fresh(const struct ort_run_options *options)
{
    _Atomic uint64_t *word =
            options ? table_word(run_options, RUN_OPTIONS, options) : NULL;

    return !options || (word && atomic_load(word) == FRESH);
}

static void drop(const struct library *lib, struct ort_status *status)
{
    if (status)
        ORT(lib->api, ReleaseStatus)(status);
}

/* NULL: there are none that profile. */
static struct ort_run_options *make_ours(const struct library *lib)
{
    ort_CreateRunOptions create =
            (ort_CreateRunOptions)lib->real[WRAP_CreateRunOptions];
    ort_ReleaseRunOptions release =
            (ort_ReleaseRunOptions)lib->real[WRAP_ReleaseRunOptions];
    ort_RunOptionsEnableProfiling enable =
            (ort_RunOptionsEnableProfiling)
                    lib->real[WRAP_RunOptionsEnableProfiling];
    struct ort_run_options *ours = NULL;
    struct ort_status *status = create(&ours);

    /* A path that cannot be: nothing is ever written. */
    if (!status)
        status = enable(ours, "/dev/null/x");
    if (!status)
        return ours;
    drop(lib, status);
    if (ours)
        release(ours);
    return NULL;
}

static struct ort_run_options *take_ours(const struct library *lib)
{
    struct ort_run_options *ours = NULL;

    for (size_t i = 0; i < POOL && !ours; i++)
        ours = atomic_exchange(&pool[lib->index][i], NULL);
    return ours ? ours : make_ours(lib);
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

static struct flight *take_off(const struct library *lib,
        const struct ort_run_options *theirs, struct ort_run_options *ours)
{
    for (size_t i = 0; i < FLIGHTS; i++) {
        struct flight *f = &flights[i];
        uintptr_t nobody = FREE;

        if (!atomic_compare_exchange_strong(&f->theirs, &nobody, BOARDING))
            continue;
        f->lib = lib;
        f->ours = ours;
        atomic_store(&f->terminated, false);
        atomic_store(&f->theirs, (uintptr_t)theirs);
        return f;
    }
    return NULL;
}

/* Ours are given back by the last that has to do with them: a thread that stops
 * them may be slower than the run. */
static void leave(struct flight *f)
{
    ort_RunOptionsUnsetTerminate unset;
    uintptr_t landed = LANDED;

    if (atomic_load(&f->stoppers) ||
            !atomic_compare_exchange_strong(&f->theirs, &landed, BOARDING))
        return;
    unset = (ort_RunOptionsUnsetTerminate)
                    f->lib->real[WRAP_RunOptionsUnsetTerminate];
    if (atomic_load(&f->terminated))
        drop(f->lib, unset(f->ours));
    give_back(f->lib, f->ours);
    atomic_store(&f->theirs, FREE);
}

static void land(struct flight *f)
{
    atomic_store(&f->theirs, LANDED);
    leave(f);
}

static void stop(struct flight *f, const struct ort_run_options *theirs)
{
    ort_RunOptionsSetTerminate terminate;

    (void)atomic_fetch_add(&f->stoppers, 1);
    if (atomic_load(&f->theirs) == (uintptr_t)theirs) {
        terminate = (ort_RunOptionsSetTerminate)
                            f->lib->real[WRAP_RunOptionsSetTerminate];
        atomic_store(&f->terminated, true);
        drop(f->lib, terminate(f->ours));
    }
    (void)atomic_fetch_sub(&f->stoppers, 1);
    leave(f);
}

void ops_terminate(const struct ort_run_options *options)
{
    /* First this, then looking: a run that takes off meanwhile looks after it
     * has taken off, so one of us sees the other. */
    ops_run_options_touched(options);
    for (size_t i = 0; i < FLIGHTS; i++)
        if (atomic_load(&flights[i].theirs) == (uintptr_t)options)
            stop(&flights[i], options);
}

/* --- a run ---------------------------------------------------------------- */

static void give_up(const struct library *lib, const struct sample *s)
{
    if (s->flight)
        land(s->flight);
    else
        give_back(lib, s->ours);
}

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
        s.flight = take_off(lib, theirs, s.ours);
        if (!s.flight || !is_fresh(theirs)) {
            give_up(lib, &s);
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
    uint64_t took =
            run->run.end > run->run.start ? run->run.end - run->run.start : 0;

    if (s->burst)
        run->flags |= FLAG_SAMPLED | FLAG_BURST;
    if (s->id) {
        current = 0;
        operator_return(s->depth);
        give_up(lib, s);
        run->flags |= FLAG_SAMPLED;
    }
    if (!w)
        return;
    add(&w->all, took);
    if (s->id)
        account_sampled(w, took);
    else if (!(run->flags & FLAG_FAILED)) /* which may be quick */
        account_plain(w, took);
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
