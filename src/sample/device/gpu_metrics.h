/* gpu_metrics.h -- AMD's file gpu_metrics: all sensors of a GPU at one instant.
 *
 * The driver writes one of many layouts, which its first four bytes name:
 * format 1 for cards (1.0 to 1.9), 2 for processors with a GPU (2.0 to 2.4), 3
 * for those that have an NPU as well (3.0).  The truth is in the kernel's
 * drivers/gpu/drm/amd/include/kgd_pp_interface.h.  Pure. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* In base units: what is a share goes from 0 to 1. */
enum gpu_metrics_value {
    GPU_METRICS_EDGE_CELSIUS,
    GPU_METRICS_HOTSPOT_CELSIUS,
    GPU_METRICS_MEMORY_CELSIUS,
    GPU_METRICS_SOC_CELSIUS,
    GPU_METRICS_CORE_CELSIUS, /* of the hottest core */
    GPU_METRICS_SKIN_CELSIUS,
    GPU_METRICS_GFX_RATIO,
    GPU_METRICS_MEMORY_RATIO,
    GPU_METRICS_MEDIA_RATIO,
    GPU_METRICS_NPU_RATIO,    /* the mean of its columns */
    GPU_METRICS_SOCKET_WATTS, /* a card's, or the whole processor's; includes */
    GPU_METRICS_APU_WATTS,    /* all below */
    GPU_METRICS_CPU_WATTS,
    GPU_METRICS_SOC_WATTS,
    GPU_METRICS_GFX_WATTS,
    GPU_METRICS_NPU_WATTS,
    GPU_METRICS_GFX_HERTZ,
    GPU_METRICS_SOC_HERTZ,
    GPU_METRICS_MEMORY_HERTZ,
    GPU_METRICS_NPU_HERTZ,
    GPU_METRICS_NPU_READ_BYTES_PER_S,
    GPU_METRICS_NPU_WRITTEN_BYTES_PER_S,
    GPU_METRICS_PCIE_BYTES_PER_S,
    GPU_METRICS_ENERGY_JOULES, /* cumulative; only where its unit is certain */
    GPU_METRICS_VALUES
};

struct gpu_metrics {
    uint8_t format, content; /* 1.3: 1 and 3 */
    bool powers_unsure;      /* 2.2: in milliwatts or, with some firmware, in
                              * watts: compare with the driver's other files */
    bool has_throttle;
    uint64_t throttle; /* GPU_METRICS_THROTTLE_...: groups of bits */
    double value[GPU_METRICS_VALUES]; /* NAN: not available */
};

/* What holds the clock back, in groups. */
#define GPU_METRICS_THROTTLE_POWER   0x00000000ffffffffull /* and current */
#define GPU_METRICS_THROTTLE_THERMAL 0x00ffffff00000000ull

/* -EINVAL: cut short, or a layout that nobody has described. */
int gpu_metrics_parse(struct gpu_metrics *out, struct str file);

/* "npu_watts": for tests and for people. */
const char *gpu_metrics_name(enum gpu_metrics_value value);
