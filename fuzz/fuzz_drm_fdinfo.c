#include "sample/device/drm_fdinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct drm_fdinfo f;

    (void)drm_fdinfo_parse(&f, (struct str){ (const char *)data, size });
    return 0;
}
