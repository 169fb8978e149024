#include "ort/runtime.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/str.h"
#include "ort/find.h"
#include "os/dl.h"
#include "os/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 16

struct runtime {
    struct dl *lib;
    const struct ort_api *api;
    struct runtime_info info;
    char path[RUNTIME_PATH];
    char version[32];
    char **providers;
};

typedef const struct ort_api_base *(*get_api_base)(void);

/* The 23 of "1.23.2", which is also the version of the API. */
static int read_minor(uint32_t *out, const char *version)
{
    struct str text = str_of(version);
    uint64_t minor;
    int rc = str_u64(&minor, str_before(str_after(text, '.'), '.'));

    if (rc || !str_starts(text, "1.") || minor < 1 || minor > 1000)
        return -EINVAL;
    *out = (uint32_t)minor;
    return 0;
}

/* The functions that lead to all others.  A library may have a function of
 * that name and be something else, so nothing is taken on trust. */
static int enter(struct runtime *r, const char *name, struct error *e)
{
    dl_function entry = dl_find(r->lib, "OrtGetApiBase");
    const struct ort_api_base *base = entry ? ((get_api_base)entry)() : NULL;

    if (!base || !base->get_api || !base->get_version_string)
        return fail(e, -EINVAL, "%s is a library, but not ONNX Runtime", name);

    const char *version = base->get_version_string();

    if (!version || read_minor(&r->info.api_version, version))
        return fail(e, -EINVAL, "%s has version '%.32s', not 1.something", name,
                version ? version : "");
    r->api = base->get_api(r->info.api_version);
    if (!r->api)
        return fail(e, -EINVAL, "%s, version %.32s, gives no API of version %u",
                name, version, r->info.api_version);
    (void)snprintf(r->version, sizeof(r->version), "%s", version);
    if (path_of_code(r->path, sizeof(r->path), entry))
        (void)snprintf(r->path, sizeof(r->path), "%s", name);
    return 0;
}

/* Copies the providers' names, since ONNX Runtime takes its own back. */
static int read_providers(struct runtime *r, struct error *e)
{
    char **names = NULL;
    int count = 0;

    if (r->info.api_version < ORT_SINCE_GetAvailableProviders)
        return 0;

    struct ort_status *status =
            ORT(r->api, GetAvailableProviders)(&names, &count);

    if (status) {
        int rc = fail(e, -EIO, "%s does not tell its providers: %s", r->path,
                ORT(r->api, GetErrorMessage)(status));

        ORT(r->api, ReleaseStatus)(status);
        return rc;
    }
    r->providers = alloc_zero((size_t)count + 1, sizeof(*r->providers));
    for (int i = 0; i < count; i++)
        r->providers[i] = alloc_text(names[i]);
    r->info.provider_count = count;
    status = ORT(r->api, ReleaseAvailableProviders)(names, count);
    if (status)
        ORT(r->api, ReleaseStatus)(status);
    return 0;
}

static int load(struct runtime **out, const char *name, const char *came_from,
        struct error *e)
{
    struct runtime *r = alloc_zero(1, sizeof(*r));
    struct error why = { 0 };
    int rc = dl_open(&r->lib, name, &why);

    if (rc)
        (void)fail(e, rc, "cannot load ONNX Runtime: %s", why.text);
    else
        rc = enter(r, name, e);
    if (!rc)
        rc = read_providers(r, e);
    if (rc) {
        runtime_close(r);
        return rc;
    }
    if (r->info.api_version >= ORT_SINCE_GetBuildInfoString)
        r->info.build_info = ORT(r->api, GetBuildInfoString)();
    r->info.path = r->path;
    r->info.version = r->version;
    r->info.came_from = came_from;
    r->info.providers = (const char *const *)r->providers;
    *out = r;
    return 0;
}

/* A file in the current folder is one too: the loader would look for a name
 * without a slash among the system's libraries only. */
static int load_named(struct runtime **out, const char *path,
        const char *came_from, struct error *e)
{
    char here[RUNTIME_PATH];
    int n = snprintf(here, sizeof(here), "./%s", path);
    bool plain = !strchr(path, '/') && n > 0 && (size_t)n < sizeof(here);

    return load(out, plain && path_readable("%s", here) == 0 ? here : path,
            came_from, e);
}

static int search(struct runtime **out, struct error *e)
{
    struct runtime_place *places = alloc_zero(PLACES, sizeof(*places));
    char folder[RUNTIME_PATH] = "";

    (void)path_own_folder(folder, sizeof(folder));

    size_t count = runtime_places(places, PLACES, folder);
    int rc = fail(e, -ENOENT,
            "there is no ONNX Runtime: no libonnxruntime.so.1 among the "
            "system's libraries, none that make fetched below %.80s/npm, and "
            "neither --ort nor ORTMETER_ORT names one",
            folder);
    for (size_t i = 0; i < count && rc; i++) {
        struct error why = { 0 };
        int found = load(out, places[i].path, places[i].came_from, &why);

        /* A name for the loader may well be absent; a file is there, so why
         * it cannot be used is worth knowing. */
        if (found && strchr(places[i].path, '/'))
            (void)fail(e, found, "%s", why.text);
        rc = found ? rc : 0;
    }
    free(places);
    return rc;
}

int runtime_open(struct runtime **out, const char *path, struct error *e)
{
    const char *named = getenv("ORTMETER_ORT");

    (void)setenv("ORT_DISABLE_TELEMETRY", "1", 1);
    if (path && path[0])
        return load_named(out, path, "--ort", e);
    if (named && named[0])
        return load_named(out, named, "ORTMETER_ORT", e);
    return search(out, e);
}

void runtime_close(struct runtime *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->info.provider_count; i++)
        free(r->providers[i]);
    free(r->providers);
    dl_close(r->lib);
    free(r);
}

const struct runtime_info *runtime_info(const struct runtime *r)
{
    return &r->info;
}

const struct ort_api *runtime_api(const struct runtime *r)
{
    return r->api;
}
