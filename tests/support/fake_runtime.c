/* fake_runtime.c -- a library that looks like ONNX Runtime from outside.
 *
 * FAKE_RUNTIME_VERSION is the version that it claims; "none": it has no API at
 * all, and "1.999.0": it does not know its own version. */
#include "wire/ort_api.h"

#include <stdlib.h>
#include <string.h>

const struct ort_api_base *OrtGetApiBase(void);

static char cpu[] = "CPUExecutionProvider";
static char toy[] = "ToyExecutionProvider";
static char *names[] = { cpu, toy };
static int given; /* out and not yet taken back */

static struct ort_status *get_providers(char ***out, int *count)
{
    given++;
    *out = names;
    *count = 2;
    return NULL;
}

/* An error, if it is not what was given. */
static struct ort_status *release_providers(char **providers, int count)
{
    given--;
    return providers == names && count == 2 && given == 0
                   ? NULL
                   : (struct ort_status *)names;
}

static void release_status(struct ort_status *status)
{
    (void)status;
    abort(); /* no call that the test makes fails */
}

static const char *build_info(void)
{
    return "a fake, built by hand";
}

static const char *version(void)
{
    const char *claimed = getenv("FAKE_RUNTIME_VERSION");

    return claimed ? claimed : "1.23.2";
}

static struct {
    ort_function slot[ORT_SLOT_GetBuildInfoString + 1];
} table = {
    .slot = {
        [ORT_SLOT_ReleaseStatus] = (ort_function)release_status,
        [ORT_SLOT_GetAvailableProviders] = (ort_function)get_providers,
        [ORT_SLOT_ReleaseAvailableProviders] = (ort_function)release_providers,
        [ORT_SLOT_GetBuildInfoString] = (ort_function)build_info,
    },
};

static const struct ort_api *get_api(uint32_t wanted)
{
    return wanted == 999 ? NULL : (const struct ort_api *)&table;
}

const struct ort_api_base *OrtGetApiBase(void)
{
    static const struct ort_api_base base = { get_api, version };

    return strcmp(version(), "none") == 0 ? NULL : &base;
}
