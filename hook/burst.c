/* burst.c -- operators of ONNX Runtime before 1.25, which can only profile a
 * session from its beginning: so the first runs are profiled, and the profile
 * is ended.  After that the session is as fast as any.
 *
 * Ending it writes the file, in the program's thread, for some milliseconds; it
 * is begun only when no run that is profiled is under way. */
#include "hook/ops.h"
#include "hook/table.h"

#include <stdatomic.h>

#define SESSIONS 1024 /* a power of 2 */
#define BURSTS   64
#define OPEN     (UINT32_C(1) << 31)

struct burst {
    _Atomic bool taken;
    _Atomic(struct ort_session *) session;
    const struct library *lib;
    _Atomic int64_t left;    /* runs to come */
    _Atomic uint32_t active; /* runs under way, | OPEN: more may come */
};

static struct burst bursts[BURSTS];
static struct table_place by_session[SESSIONS]; /* place in bursts, + 1 */
static _Atomic uint64_t files;

/* Runs a function when the program ends; missing in no C library we know. */
extern int __cxa_atexit(void (*function)(void *), void *argument, void *dso)
        __attribute__((weak));

bool burst_enable(const struct library *lib, struct ort_options *options)
{
    ort_EnableProfiling enable =
            (ort_EnableProfiling)lib->real[WRAP_EnableProfiling];
    char path[CHANNEL_PATH];

    if (!channel_path(path, "profile-", atomic_fetch_add(&files, 1)))
        return false;

    struct ort_status *status = enable(options, path);

    if (status)
        ORT(lib->api, ReleaseStatus)(status);
    return !status;
}

/* --- ending --------------------------------------------------------------- */

static void write_profile(const struct library *lib,
        struct ort_session *session)
{
    struct ort_allocator *allocator = NULL;
    char *path = NULL;
    struct ort_status *status =
            ORT(lib->api, GetAllocatorWithDefaultOptions)(&allocator);

    if (!status)
        status = ORT(lib->api, SessionEndProfiling)(session, allocator, &path);
    if (status)
        ORT(lib->api, ReleaseStatus)(status);
    if (!path)
        return;
    channel_send(&(struct record){
            .kind = RECORD_PROFILE,
            .place = record_place(PHASE_OTHER, lib->index),
            .profile = { .session = (uintptr_t)session,
                    .path = channel_text(path) },
    });
    status = ORT(lib->api, AllocatorFree)(allocator, path);
    if (status)
        ORT(lib->api, ReleaseStatus)(status);
}

/* Whoever closes a burst ends it. */
static void end(struct burst *b)
{
    struct ort_session *session = atomic_load(&b->session);

    table_write(by_session, SESSIONS, session, 0);
    write_profile(b->lib, session);
}

static void end_if_idle(struct burst *b)
{
    uint32_t idle = OPEN;

    if (!atomic_compare_exchange_strong(&b->active, &idle, 0))
        return;
    end(b);
    atomic_store(&b->taken, false);
}

static void end_all(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < BURSTS; i++)
        end_if_idle(&bursts[i]);
}

void burst_session_end(const struct ort_session *session)
{
    uint64_t place =
            ops_wanted() ? table_read(by_session, SESSIONS, session) : 0;
    struct burst *b = place ? &bursts[place - 1] : NULL;
    uint32_t was = b ? atomic_fetch_and(&b->active, ~OPEN) : 0;

    if (!(was & OPEN))
        return;
    end(b);
    /* With runs under way, which no program may have, the place is lost. */
    if (was == OPEN)
        atomic_store(&b->taken, false);
}

void burst_in_child(void)
{
    for (size_t i = 0; i < BURSTS; i++)
        if (atomic_exchange(&bursts[i].taken, false)) {
            atomic_store(&bursts[i].active, 0);
            table_write(by_session, SESSIONS, bursts[i].session, 0);
        }
}

/* --- a session and its runs ----------------------------------------------- */

static struct burst *take(void)
{
    for (size_t i = 0; i < BURSTS; i++)
        if (!atomic_exchange(&bursts[i].taken, true))
            return &bursts[i];
    return NULL;
}

void burst_watch(const struct library *lib, const struct ort_session *session,
        uint64_t runs)
{
    static _Atomic bool registered;
    struct ort_session *theirs = (struct ort_session *)(uintptr_t)session;
    _Atomic uint64_t *place = table_word(by_session, SESSIONS, session);
    struct burst *b = place ? take() : NULL;

    /* Later than ONNX Runtime's own, so it comes before them. */
    if (!atomic_exchange(&registered, true) && __cxa_atexit)
        (void)__cxa_atexit(end_all, NULL, NULL);
    if (!b) { /* too many at a time: nobody would end it later */
        write_profile(lib, theirs);
        return;
    }
    b->lib = lib;
    atomic_store(&b->left, (int64_t)runs);
    atomic_store(&b->session, theirs);
    atomic_store(&b->active, OPEN);
    atomic_store(place, (uint64_t)(b - bursts) + 1);
}

struct burst *burst_begin(const struct ort_session *session)
{
    uint64_t place = table_read(by_session, SESSIONS, session);
    struct burst *b = place ? &bursts[place - 1] : NULL;
    uint32_t active = b ? atomic_load(&b->active) : 0;

    do
        if (!(active & OPEN))
            return NULL;
    while (!atomic_compare_exchange_weak(&b->active, &active, active + 1));
    if (atomic_load(&b->session) != session) { /* another has the place now */
        burst_end(b);
        return NULL;
    }
    (void)atomic_fetch_sub(&b->left, 1);
    return b;
}

void burst_end(struct burst *b)
{
    bool last = atomic_fetch_sub(&b->active, 1) == (OPEN | 1);

    if (last && atomic_load(&b->left) <= 0)
        end_if_idle(b);
}
