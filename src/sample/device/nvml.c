#include "sample/device/nvml.h"

#include <errno.h>
#include <stddef.h>

static int load(struct nvml *n, const char *library, struct error *e)
{
    int rc = dl_open(&n->lib, library, e);

    if (rc)
        return rc == -ENOENT ? -ENODEV : rc;
    n->nvmlErrorString =
            (const char *(*)(int))dl_find(n->lib, "nvmlErrorString");
#define X(name, must, args)                        \
    n->name = (int(*) args)dl_find(n->lib, #name); \
    if ((must) && !n->name)                        \
        return fail(e, -ENOSYS, "%s lacks " #name, library);
    NVML_CALLS(X)
#undef X
    return 0;
}

const char *nvml_words(const struct nvml *n, int rc)
{
    const char *words = n->nvmlErrorString ? n->nvmlErrorString(rc) : NULL;

    return words ? words : "unknown error";
}

int nvml_begin(struct nvml *n, const char *library, struct error *e)
{
    int rc = load(n, library, e);

    if (rc)
        return rc;
    rc = n->nvmlInit_v2();
    if (rc == NVML_OK) {
        n->begun = true;
        return 0;
    }
    return fail(e,
            rc == NVML_NO_PERMISSION || rc == NVML_OPERATING_SYSTEM ? -EACCES
                                                                    : -ENODEV,
            "NVML cannot begin: %s", nvml_words(n, rc));
}

void nvml_end(struct nvml *n)
{
    if (n->begun)
        (void)n->nvmlShutdown();
    dl_close(n->lib);
    *n = (struct nvml){ 0 };
}
