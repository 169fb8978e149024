/* fake_options.c -- the fake runtime's options, of sessions and of runs. */
#include "fake_calls.h"

#include <sched.h>

/* --- options -------------------------------------------------------------- */

static struct ort_status *create_options(struct ort_options **out)
{
    struct ort_status *status = fake_failing("CreateSessionOptions");

    if (status)
        return status;
    *out = fake_new(sizeof(**out));
    fake.options++;
    return NULL;
}

static struct ort_status *clone_options(const struct ort_options *from,
        struct ort_options **out)
{
    struct ort_status *status = fake_failing("CloneSessionOptions");

    if (status)
        return status;
    (void)create_options(out);
    **out = *from;
    (*out)->cloned = true;
    return NULL;
}

static void release_options(struct ort_options *options)
{
    fake.options--;
    fake_delete(options);
}

static struct ort_status *enable_profiling(struct ort_options *options,
        const char *prefix)
{
    struct ort_status *status = fake_failing("EnableProfiling");

    if (!status)
        options->profiled = *prefix != 0;
    return status;
}

static struct ort_status *disable_profiling(struct ort_options *options)
{
    options->profiled = false;
    return NULL;
}

static struct ort_status *set_policy(struct ort_options *options, int policy)
{
    (void)options, (void)policy;
    return NULL;
}

static struct ort_status *set_delegate(struct ort_options *options,
        ort_function delegate, void *state)
{
    (void)options, (void)delegate, (void)state;
    return NULL;
}

static struct ort_status *add_entry(struct ort_options *options,
        const char *key, const char *value)
{
    (void)options, (void)key, (void)value;
    return NULL;
}

/* --- run options ---------------------------------------------------------- */

static struct ort_status *create_run_options(struct ort_run_options **out)
{
    struct ort_status *status = fake_failing("CreateRunOptions");

    if (status)
        return status;
    *out = fake_new(sizeof(**out));
    fake.run_options++;
    return NULL;
}

static void release_run_options(struct ort_run_options *options)
{
    fake.run_options--;
    fake_delete(options);
}

static struct ort_status *profile_runs(struct ort_run_options *options,
        const char *prefix)
{
    struct ort_status *status = fake_failing("RunOptionsEnableProfiling");

    /* Ours are such that no file can be made. */
    if (!status)
        options->profiled = strcmp(prefix, "/dev/null/x") == 0;
    return status;
}

static struct ort_status *set_tag(struct ort_run_options *options,
        const char *tag)
{
    (void)options, (void)tag;
    return NULL;
}

static struct ort_status *set_level(struct ort_run_options *options, int level)
{
    (void)options, (void)level;
    return NULL;
}

static struct ort_status *terminate(struct ort_run_options *options)
{
    if (fake.stopping)
        fake.stopping(options);
    (void)sched_yield(); /* others may come in between */
    options->terminated = true;
    return NULL;
}

static struct ort_status *carry_on(struct ort_run_options *options)
{
    options->terminated = false;
    return NULL;
}

const struct fake_call fake_option_calls[] = {
    FAKE_CALL(CreateSessionOptions, create_options),
    FAKE_CALL(CloneSessionOptions, clone_options),
    FAKE_CALL(ReleaseSessionOptions, release_options),
    FAKE_CALL(EnableProfiling, enable_profiling),
    FAKE_CALL(DisableProfiling, disable_profiling),
    FAKE_CALL(AddSessionConfigEntry, add_entry),
    FAKE_CALL(SessionOptionsSetEpSelectionPolicy, set_policy),
    FAKE_CALL(SessionOptionsSetEpSelectionPolicyDelegate, set_delegate),
    FAKE_CALL(CreateRunOptions, create_run_options),
    FAKE_CALL(ReleaseRunOptions, release_run_options),
    FAKE_CALL(RunOptionsEnableProfiling, profile_runs),
    FAKE_CALL(RunOptionsSetRunTag, set_tag),
    FAKE_CALL(RunOptionsSetRunLogSeverityLevel, set_level),
    FAKE_CALL(RunOptionsSetTerminate, terminate),
    FAKE_CALL(RunOptionsUnsetTerminate, carry_on),
    { 0, NULL },
};
