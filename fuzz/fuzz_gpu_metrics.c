#include "sample/device/gpu_metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gpu_metrics m;

    (void)gpu_metrics_parse(&m, (struct str){ (const char *)data, size });
    return 0;
}
