/* attach.c -- gives a session our provider, through a copy of its options. */
#include "hook/ops.h"
#include "hook/table.h"
#include "hook/text.h"

#define OPTIONS 1024 /* a power of 2 */
#define DEVICES 64

static struct table_place marks[OPTIONS];

/* --- what is known of the options ----------------------------------------- */

void ops_options_new(const struct ort_options *options,
        const struct ort_options *from)
{
    if (ops_wanted())
        table_write(marks, OPTIONS, options,
                from ? table_read(marks, OPTIONS, from) : OPS_KNOWN);
}

void ops_options_mark(const struct ort_options *options, enum ops_mark mark,
        bool on)
{
    _Atomic uint64_t *word =
            ops_wanted() ? table_word(marks, OPTIONS, options) : NULL;

    if (!word)
        return;
    if (on)
        (void)atomic_fetch_or(word, (uint64_t)mark);
    else
        (void)atomic_fetch_and(word, ~(uint64_t)mark);
}

void ops_options_end(const struct ort_options *options)
{
    if (ops_wanted())
        table_write(marks, OPTIONS, options, 0);
}

/* --- our provider among the devices --------------------------------------- */

static bool failed(const struct library *lib, struct ort_status *status)
{
    if (status)
        ORT(lib->api, ReleaseStatus)(status);
    return status != NULL;
}

static bool is_ours(const struct library *lib, const struct ort_device *d)
{
    return text_is(ORT(lib->api, EpDevice_EpName)(d), PROBE_NAME);
}

static const struct ort_device *find_device(const struct library *lib,
        const struct ort_env *env)
{
    const struct ort_device *const *devices = NULL;
    size_t count = 0;
    ort_GetEpDevices real = (ort_GetEpDevices)lib->real[WRAP_GetEpDevices];

    if (failed(lib, real(env, &devices, &count)))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (is_ours(lib, devices[i]))
            return devices[i];
    return NULL;
}

static const struct ort_device *our_device(const struct library *lib,
        const struct ort_env *env)
{
    const struct ort_device *d = find_device(lib, env);

    if (d || !hook_own_path())
        return d;
    /* The environment is const in the call that brings it to us; registering
     * is what a program may do with it at any time.  If it fails, another
     * thread may have been faster. */
    (void)failed(lib, ORT(lib->api, RegisterExecutionProviderLibrary)(
                              (struct ort_env *)(uintptr_t)env, PROBE_NAME,
                              hook_own_path()));
    return find_device(lib, env);
}

void ops_hide_device(const struct library *lib,
        const struct ort_device *const **devices, size_t *count)
{
    /* The same for all who ask, and written once: somebody may be reading. */
    static _Atomic(const struct ort_device *) left[LIBRARIES][DEVICES];
    _Atomic(const struct ort_device *) *mine = left[lib->index];
    size_t n = 0;

    if (*count > DEVICES)
        return;
    for (size_t i = 0; i < *count; i++) {
        const struct ort_device *d = (*devices)[i];

        if (is_ours(lib, d))
            continue;
        if (atomic_load(&mine[n]) != d)
            atomic_store(&mine[n], d);
        n++;
    }
    *devices = (const struct ort_device *const *)(const void *)mine;
    *count = n;
}

/* --- a session ------------------------------------------------------------ */

static bool may_attach(const struct library *lib, const struct ort_env *env,
        const struct ort_options *theirs)
{
    return ops_wanted() && env &&
           (lib->minor >= ORT_SINCE_RunOptionsEnableProfiling ||
                   ops_burst_runs()) &&
           (!theirs || table_read(marks, OPTIONS, theirs) == OPS_KNOWN);
}

/* Adds our provider; or, before there were such, switches the profile on. */
static bool equip(const struct library *lib, const struct ort_env *env,
        struct ops_options *o)
{
    ort_SessionOptionsAppendExecutionProvider_V2 append =
            (ort_SessionOptionsAppendExecutionProvider_V2)
                    lib->real[WRAP_SessionOptionsAppendExecutionProvider_V2];

    if (lib->minor < ORT_SINCE_RunOptionsEnableProfiling) {
        o->burst = true;
        return burst_enable(lib, o->ours);
    }

    const struct ort_device *device = our_device(lib, env);

    return device &&
           !failed(lib, append(o->ours, (struct ort_env *)(uintptr_t)env,
                                &device, 1, NULL, NULL, 0));
}

struct ops_options ops_attach(const struct library *lib,
        const struct ort_env *env, const struct ort_options *theirs)
{
    struct ops_options o = { .use = theirs, .theirs = theirs };
    ort_CloneSessionOptions clone =
            (ort_CloneSessionOptions)lib->real[WRAP_CloneSessionOptions];
    ort_CreateSessionOptions create =
            (ort_CreateSessionOptions)lib->real[WRAP_CreateSessionOptions];

    if (!may_attach(lib, env, theirs) ||
            failed(lib, theirs ? clone(theirs, &o.ours) : create(&o.ours)))
        return o;
    if (!equip(lib, env, &o)) {
        ops_attached(lib, &o, NULL);
        return (struct ops_options){ .use = theirs, .theirs = theirs };
    }
    o.use = o.ours;
    (void)probe_nodes_seen();
    return o;
}

/* Errors that a model or a path makes are the same with their options, and
 * would only be logged twice. */
bool ops_try_again(const struct library *lib, struct ops_options *o,
        struct ort_status **status)
{
    /* OrtErrorCode: fail, invalid argument, runtime exception, not
     * implemented, execution provider's. */
    static const bool worth[] = { [1] = true,
        [2] = true,
        [6] = true,
        [9] = true,
        [11] = true };

    if (!o->ours || !*status)
        return false;

    int code = ORT(lib->api, GetErrorCode)(*status);

    if (code < 0 || code >= (int)sizeof(worth) || !worth[code])
        return false;
    ORT(lib->api, ReleaseStatus)(*status);
    *status = NULL;
    ops_attached(lib, o, NULL);
    *o = (struct ops_options){ .use = o->theirs, .theirs = o->theirs };
    return true;
}

void ops_attached(const struct library *lib, const struct ops_options *o,
        const struct ort_session *session)
{
    ort_ReleaseSessionOptions release =
            (ort_ReleaseSessionOptions)lib->real[WRAP_ReleaseSessionOptions];

    if (!o->ours)
        return;
    release(o->ours);
    if (session && o->burst)
        burst_watch(lib, session, ops_burst_runs());
    else if (session)
        ops_watch(session, probe_nodes_seen());
}

void ops_session_end(const struct ort_session *session)
{
    ops_unwatch(session);
    burst_session_end(session);
}
