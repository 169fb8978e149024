/* burst.c -- operators of ONNX Runtime before 1.25, which can only profile a
 * session from its beginning: so the first runs are profiled, and the profile
 * is ended.  After that the session is as fast as any.
 *
 * Ending it writes the file, in the program's thread, for some milliseconds;
 * never while another run of the session is under way. */
#include "hook/ops.h"
#include "hook/table.h"

#include <stdatomic.h>

#define SESSIONS 1024 /* a power of 2 */
#define BURSTS   64

struct burst {
    _Atomic bool taken;
    _Atomic(struct ort_session *) session; /* NULL: ended */
    const struct library *lib;
    _Atomic int64_t left;    /* runs to come */
    _Atomic uint32_t active; /* runs under way */
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

/* Whoever takes the session out of the burst ends it. */
static void end(struct burst *b)
{
    struct ort_session *session = atomic_exchange(&b->session, NULL);
    struct ort_allocator *allocator = NULL;
    struct ort_status *status = NULL;
    char *path = NULL;

    if (!session)
        return;
    table_write(by_session, SESSIONS, session, 0);
    status = ORT(b->lib->api, GetAllocatorWithDefaultOptions)(&allocator);
    if (!status)
        status = ORT(b->lib->api, SessionEndProfiling)(session, allocator,
                &path);
    if (status)
        ORT(b->lib->api, ReleaseStatus)(status);
    if (path) {
        channel_send(&(struct record){
                .kind = RECORD_PROFILE,
                .place = record_place(PHASE_OTHER, b->lib->index),
                .profile = { .session = (uintptr_t)session,
                        .path = channel_text(path) },
        });
        status = ORT(b->lib->api, AllocatorFree)(allocator, path);
        if (status)
            ORT(b->lib->api, ReleaseStatus)(status);
    }
    atomic_store(&b->taken, false);
}

static void end_all(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < BURSTS; i++)
        if (!atomic_load(&bursts[i].active))
            end(&bursts[i]);
}

void burst_session_end(const struct ort_session *session)
{
    uint64_t place =
            ops_wanted() ? table_read(by_session, SESSIONS, session) : 0;

    if (place)
        end(&bursts[place - 1]);
}

/* --- a session and its runs ----------------------------------------------- */

void burst_watch(const struct library *lib, const struct ort_session *session,
        uint64_t runs)
{
    static _Atomic bool registered;

    /* Later than ONNX Runtime's own, so it comes before them. */
    if (!atomic_exchange(&registered, true) && __cxa_atexit)
        (void)__cxa_atexit(end_all, NULL, NULL);
    for (size_t i = 0; i < BURSTS; i++) {
        struct burst *b = &bursts[i];

        if (atomic_exchange(&b->taken, true))
            continue;
        b->lib = lib;
        atomic_store(&b->left, (int64_t)runs);
        atomic_store(&b->active, 0);
        atomic_store(&b->session, (struct ort_session *)(uintptr_t)session);
        table_write(by_session, SESSIONS, session, i + 1);
        return;
    }
}

struct burst *burst_begin(const struct ort_session *session)
{
    uint64_t place = table_read(by_session, SESSIONS, session);
    struct burst *b = place ? &bursts[place - 1] : NULL;

    if (!b)
        return NULL;
    (void)atomic_fetch_add(&b->active, 1);
    (void)atomic_fetch_sub(&b->left, 1);
    return b;
}

void burst_end(struct burst *b)
{
    bool last = atomic_fetch_sub(&b->active, 1) == 1;

    if (last && atomic_load(&b->left) <= 0)
        end(b);
}
