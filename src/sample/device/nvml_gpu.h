/* nvml_gpu.h -- one NVIDIA GPU that is read again and again; for
 * src/sample/nvml*.c only. */
#pragma once

#include "base/counter.h"
#include "sample/device/nvml.h"
#include "sample/sampler.h"

#define NVML_FIGURES 12

struct nvml_gpu {
    struct nvml_device *device;
    uint32_t subject;
    bool lost;
    bool off[NVML_FIGURES]; /* what it does not tell: not asked for again */
    bool costly;            /* also calls that take long */
    bool fields_tell_pcie;
    struct counter pcie_sent, pcie_received;
    struct nvml_sample *gpm[2]; /* NULL: it has none */
    uint64_t gpm_time_ns;       /* of gpm[0]; 0: not taken yet */
    struct nvml_gpm *gpm_request;
};

/* Adds what can be read now.  What the GPU cannot tell is said once among the
 * subjects; a GPU that is lost ends. */
void nvml_gpu_read(const struct nvml *n, struct nvml_gpu *g,
        struct subjects *subjects, struct batch *out);

/* GPM: figures of the multiprocessors, on Hopper and newer. */
void nvml_gpm_open(const struct nvml *n, struct nvml_gpu *g);
int nvml_gpm_read(const struct nvml *n, struct nvml_gpu *g, struct batch *out);
void nvml_gpm_close(const struct nvml *n, struct nvml_gpu *g);
