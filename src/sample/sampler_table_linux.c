/* sampler_table_linux.c -- what can be read on Linux, one line a source. */
#include "sample/sampler_table.h"

#include "sample/device/device_samplers.h"

const struct sampler *const sampler_table[] = {
    &sampler_process,
    &sampler_process_io,
    &sampler_process_status,
    &sampler_process_threads,
    &sampler_process_files,
    &sampler_process_memory,
    &sampler_process_sockets,
    &sampler_cores,
    &sampler_system_memory,
    &sampler_pressure,
    &sampler_memory_probe,
    &sampler_perf_software,
    &sampler_perf_hardware,
    &sampler_memory_bandwidth,
    &sampler_rapl_perf,
    &sampler_rapl_powercap,
    &sampler_battery,
    &sampler_hwmon,
    &sampler_thermal,
    &sampler_nvml,
    &sampler_amdgpu,
    &sampler_intel_gpu,
    &sampler_intel_npu,
    &sampler_amd_npu,
    &sampler_drm,
    &sampler_powermetrics,
    NULL,
};
