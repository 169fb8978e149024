#include "sample/device/nvml_driver.h"

#include "os/dl.h"
#include "os/file.h"
#include "os/kernel_text.h"

#include <errno.h>
#include <stdlib.h>

int nvml_driver(char *version, size_t cap, const char *root)
{
    char text[512];
    int len = file_read(text, sizeof(text), "%s/proc/driver/nvidia/version",
            root);

    if (len < 0)
        return -ENODEV;
    text_copy(version, cap,
            text_nvidia_version((struct str){ text, (size_t)len }));
    return 0;
}

const char *nvml_library(void)
{
    const char *named = getenv("ORTMETER_NVML");

    return named && named[0] ? named : dl_nvml;
}
