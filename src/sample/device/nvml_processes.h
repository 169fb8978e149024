/* nvml_processes.h -- which processes have memory on a GPU; for
 * src/sample/nvml*.c only. */
#pragma once

#include "sample/device/nvml.h"

#include <stddef.h>

#define NVML_PROCESSES 512 /* on one GPU; more are left out */

struct nvml_process {
    uint32_t pid;
    uint64_t bytes;
};

/* The processes that compute or draw, each once.  Processes whose memory is
 * not told, as under Windows' own memory management, are left out.  What NVML
 * returned. */
int nvml_processes(const struct nvml *n, struct nvml_device *d,
        struct nvml_process *out, size_t cap, size_t *count);
