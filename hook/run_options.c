/* run_options.c -- options of ours that stand in for the program's during a run
 * that ONNX Runtime is to describe.
 *
 * Only for options that the program left as they come, so ours do the same.
 * What stops a run from another thread is passed on to ours. */
#include "hook/ops.h"
#include "hook/table.h"

#define RUN_OPTIONS 4096 /* a power of 2 */
#define POOL        64
#define FLIGHTS     64

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

/* --- the program's -------------------------------------------------------- */

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

static bool is_fresh(const struct ort_run_options *options)
{
    _Atomic uint64_t *word =
            options ? table_word(run_options, RUN_OPTIONS, options) : NULL;

    return !options || (word && atomic_load(word) == FRESH);
}

/* --- ours ----------------------------------------------------------------- */

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

/* --- standing in ---------------------------------------------------------- */

void run_options_back(const struct library *lib, const struct stand_in *s)
{
    if (s->flight)
        land(s->flight);
    else
        give_back(lib, s->ours);
}

bool run_options_replace(struct stand_in *out, const struct library *lib,
        const struct ort_run_options *theirs)
{
    *out = (struct stand_in){ 0 };
    if (!is_fresh(theirs) || !(out->ours = take_ours(lib)))
        return false;
    if (!theirs)
        return true;
    out->flight = take_off(lib, theirs, out->ours);
    if (out->flight && is_fresh(theirs))
        return true;
    run_options_back(lib, out);
    return false;
}
