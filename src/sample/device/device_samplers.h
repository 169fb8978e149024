/* device_samplers.h -- the samplers of devices, energy and heat, for the table
 * of samplers. */
#pragma once

#include "sample/sampler.h"

extern const struct sampler sampler_rapl_perf, sampler_rapl_powercap,
        sampler_battery, sampler_hwmon, sampler_thermal, sampler_nvml,
        sampler_amdgpu, sampler_intel_gpu, sampler_intel_npu, sampler_amd_npu,
        sampler_drm, sampler_powermetrics;
