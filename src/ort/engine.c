#include "ort/engine.h"

#include "base/alloc.h"
#include "ort/profile.h"
#include "ort/provider.h"
#include "ort/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct engine {
    struct runtime *runtime;
    const struct ort_api *api;
    struct ort_env *env;
    struct ort_memory_info *memory;
};

int engine_open(struct engine **out, const char *ort_path, struct error *e)
{
    struct engine *g = alloc_zero(1, sizeof(*g));
    int rc = runtime_open(&g->runtime, ort_path, e);

    if (!rc) {
        g->api = runtime_api(g->runtime);
        rc = status_fail(g->api,
                ORT(g->api, CreateEnv)(ORT_LOG_FATAL, "ortmeter", &g->env), e);
    }
    if (!rc)
        rc = status_fail(g->api,
                ORT(g->api, CreateCpuMemoryInfo)(ORT_ALLOCATOR_ARENA,
                        ORT_MEMORY_DEFAULT, &g->memory),
                e);
    if (rc) {
        engine_close(g);
        return rc;
    }
    *out = g;
    return 0;
}

void engine_close(struct engine *g)
{
    if (!g)
        return;
    if (g->memory)
        ORT(g->api, ReleaseMemoryInfo)(g->memory);
    if (g->env)
        ORT(g->api, ReleaseEnv)(g->env);
    runtime_close(g->runtime);
    free(g);
}

const struct runtime_info *engine_runtime(const struct engine *g)
{
    return runtime_info(g->runtime);
}

const struct ort_api *engine_api(const struct engine *g)
{
    return g->api;
}

const struct ort_memory_info *engine_memory(const struct engine *g)
{
    return g->memory;
}

/* --- sessions ---------------------------------------------------------------
 */

static int set_up(const struct engine *g, struct ort_options *o,
        const struct engine_setup *s, struct error *e)
{
    int rc = status_fail(g->api,
            ORT(g->api, SetSessionGraphOptimizationLevel)(o, (int)s->level), e);

    if (!rc && s->threads)
        rc = status_fail(g->api,
                ORT(g->api, SetIntraOpNumThreads)(o, (int)s->threads), e);
    if (!rc && s->profile)
        rc = status_fail(g->api, ORT(g->api, EnableProfiling)(o, s->profile),
                e);
    if (!rc && s->provider)
        rc = provider_append(o, g->api, runtime_info(g->runtime), s->provider,
                e);
    return rc;
}

int engine_load(struct ort_session **out, const struct engine *g,
        const char *model, const struct engine_setup *setup, struct error *e)
{
    struct ort_options *options = NULL;
    struct ort_session *session = NULL;
    struct error why = { 0 };
    int rc =
            status_fail(g->api, ORT(g->api, CreateSessionOptions)(&options), e);

    if (!rc)
        rc = set_up(g, options, setup, e);
    if (!rc) {
        rc = status_fail(g->api,
                ORT(g->api, CreateSession)(g->env, model, options, &session),
                &why);
        if (rc)
            (void)fail(e, rc, "cannot load the model: %.230s", why.text);
    }
    if (options)
        ORT(g->api, ReleaseSessionOptions)(options);
    if (!rc)
        *out = session;
    return rc;
}

void engine_unload(const struct engine *g, struct ort_session *session)
{
    if (session)
        ORT(g->api, ReleaseSession)(session);
}

struct ort_status *engine_run(const struct engine *g,
        struct ort_session *session, const struct inputs *in,
        struct ort_value **out)
{
    for (size_t i = 0; i < in->outputs.count; i++)
        out[i] = NULL; /* it is to make them */
    return ORT(g->api, Run)(session, NULL, in->names,
            (const struct ort_value *const *)in->values, in->count,
            in->output_names, in->outputs.count, out);
}

void engine_drop(const struct engine *g, const struct inputs *in,
        struct ort_value **out)
{
    for (size_t i = 0; i < in->outputs.count; i++)
        if (out[i])
            ORT(g->api, ReleaseValue)(out[i]);
}

/* --- profiles ---------------------------------------------------------------
 */

static void take_event(void *to, const struct profile_event *e)
{
    struct engine_profile *p = to;

    switch (profile_kind(e)) {
    case PROFILE_LOADING: p->read_ns = (uint64_t)e->duration_ns; break;
    case PROFILE_INITIALIZATION:
        p->initialise_ns = (uint64_t)e->duration_ns;
        break;
    case PROFILE_KERNEL: p->nodes++; break;
    default: break;
    }
}

static int read_profile(struct engine_profile *out, const char *path,
        struct error *e)
{
    FILE *f = fopen(path, "r");
    char piece[16384];
    size_t len;

    if (!f)
        return fail(e, -errno, "cannot read the profile %.128s: %s", path,
                strerror(errno));

    struct profile *p = profile_new(take_event, out);

    while ((len = fread(piece, 1, sizeof(piece), f)) > 0)
        profile_feed(p, piece, len);
    (void)profile_end(p);
    profile_free(p);
    (void)fclose(f);
    return 0;
}

int engine_end_profile(struct engine_profile *out, const struct engine *g,
        struct ort_session *session, struct error *e)
{
    struct ort_allocator *allocator = NULL;
    char *path = NULL;
    int rc = status_fail(g->api,
            ORT(g->api, GetAllocatorWithDefaultOptions)(&allocator), e);

    *out = (struct engine_profile){ 0 };
    if (!rc)
        rc = status_fail(g->api,
                ORT(g->api, SessionEndProfiling)(session, allocator, &path), e);
    if (rc)
        return rc;
    rc = read_profile(out, path, e);
    (void)remove(path);
    status_drop(g->api, ORT(g->api, AllocatorFree)(allocator, path));
    return rc;
}
