#include "ort/provider.h"

#include "base/buf.h"
#include "ort/status.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static const char tail[] = "ExecutionProvider";

/* The name without its tail. */
static struct str short_name(const char *name)
{
    size_t len = strlen(name);
    size_t more = strlen(tail);

    if (len > more && strcasecmp(name + len - more, tail) == 0)
        len -= more;
    return (struct str){ name, len };
}

static bool same(struct str a, const char *b)
{
    return strlen(b) == a.len && strncasecmp(a.p, b, a.len) == 0;
}

/* As the runtime spells it.  False: it has none. */
static bool find(struct str *out, const struct runtime_info *runtime,
        struct str name)
{
    for (int i = 0; i < runtime->provider_count; i++) {
        struct str has = short_name(runtime->providers[i]);

        if (has.len == name.len && strncasecmp(has.p, name.p, has.len) == 0) {
            *out = has;
            return true;
        }
    }
    return false;
}

static int refuse(const struct runtime_info *runtime, struct str name,
        struct error *e)
{
    struct buf has = { 0 };

    for (int i = 0; i < runtime->provider_count; i++) {
        struct str one = short_name(runtime->providers[i]);

        buf_printf(&has, "%s%.*s", i ? ", " : "", (int)one.len, one.p);
    }

    int rc = fail(e, -ENOTSUP,
            "ONNX Runtime %s here has no provider %.*s, only %.128s",
            runtime->version, name.len > 40 ? 40 : (int)name.len, name.p,
            buf_cstr(&has));

    buf_release(&has);
    return rc;
}

/* These two are older than the call for all, and not among what it knows. */
static int append_cuda(struct ort_options *options, const struct ort_api *api,
        struct error *e)
{
    void *own = NULL;
    int rc = status_fail(api, ORT(api, CreateCUDAProviderOptions)(&own), e);

    if (rc)
        return rc;
    rc = status_fail(api,
            ORT(api, SessionOptionsAppendExecutionProvider_CUDA_V2)(options,
                    own),
            e);
    ORT(api, ReleaseCUDAProviderOptions)(own);
    return rc;
}

static int append_tensorrt(struct ort_options *options,
        const struct ort_api *api, struct error *e)
{
    void *own = NULL;
    int rc = status_fail(api, ORT(api, CreateTensorRTProviderOptions)(&own), e);

    if (rc)
        return rc;
    rc = status_fail(api,
            ORT(api, SessionOptionsAppendExecutionProvider_TensorRT_V2)(options,
                    own),
            e);
    ORT(api, ReleaseTensorRTProviderOptions)(own);
    return rc;
}

int provider_append(struct ort_options *options, const struct ort_api *api,
        const struct runtime_info *runtime, const char *name, struct error *e)
{
    struct str asked = short_name(name);
    struct str found;
    uint32_t version = runtime->api_version;

    if (same(asked, "CPU"))
        return 0;
    if (!find(&found, runtime, asked))
        return refuse(runtime, asked, e);
    if (same(found, "CUDA") && version >= ORT_SINCE_CreateCUDAProviderOptions)
        return append_cuda(options, api, e);
    if (same(found, "Tensorrt") &&
            version >= ORT_SINCE_CreateTensorRTProviderOptions)
        return append_tensorrt(options, api, e);
    if (version < ORT_SINCE_SessionOptionsAppendExecutionProvider)
        return fail(e, -ENOTSUP,
                "ONNX Runtime %s is too old to be asked for %.*s",
                runtime->version, (int)found.len, found.p);

    struct buf plain = { 0 };

    buf_add(&plain, found.p, found.len);

    int rc = status_fail(api,
            ORT(api, SessionOptionsAppendExecutionProvider)(options,
                    buf_cstr(&plain), NULL, NULL, 0),
            e);

    buf_release(&plain);
    return rc;
}
