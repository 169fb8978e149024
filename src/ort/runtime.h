/* runtime.h -- an ONNX Runtime, found and loaded while we run.
 *
 * It is looked for in this order, and the first that was named by somebody is
 * the only one tried: the path given (`--ort`), the environment's ORTMETER_ORT,
 * the system's library, the one that `make` fetched.
 *
 * One thread at a time.  Loading sets ORT_DISABLE_TELEMETRY=1 in our own
 * environment, before the library can look: a meter sends nothing home. */
#pragma once

#include "base/error.h"
#include "wire/ort_api.h"

struct runtime;

/* Belongs to the runtime. */
struct runtime_info {
    const char *path;      /* absolute, without links */
    const char *came_from; /* "--ort", "ORTMETER_ORT", "the system", ... */
    const char *version;   /* "1.23.2" */
    uint32_t api_version;  /* 23: what ORT_SINCE_... is compared with */
    /* How it was built, as it says itself; NULL before 1.15. */
    const char *build_info;
    const char *const *providers; /* execution providers built in */
    int provider_count;
};

/* `path` may be NULL or "": then it is searched for.  -ENOENT: there is none,
 * or it cannot be loaded.  -EINVAL: a library, but no ONNX Runtime.  The error
 * is one sentence. */
int runtime_open(struct runtime **out, const char *path, struct error *e);

/* NULL is allowed. */
void runtime_close(struct runtime *r);

const struct runtime_info *runtime_info(const struct runtime *r);

/* The table of functions; valid until runtime_close(). */
const struct ort_api *runtime_api(const struct runtime *r);
