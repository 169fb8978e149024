/* device_reasons.h -- why a source of devices and energy is not there, in the
 * words that both `doctor` and the samplers use. */
#pragma once

#define POWERCAP_FOLDER "/sys/class/powercap"

#define REASON_NO_NVIDIA     "NVIDIA's driver is not loaded"
#define REASON_NO_NVML       "driver %s is loaded, but there is no %s"
#define REASON_NO_AMDGPU     "there is no AMD GPU with the driver amdgpu"
#define REASON_NO_INTEL_GPU  "there is no Intel GPU with the driver xe or i915"
#define REASON_NO_INTEL_NPU  "there is no Intel NPU with the driver intel_vpu"
#define REASON_NO_AMD_NPU    "there is no AMD NPU with the driver amdxdna"
#define REASON_NO_POWERCAP   "there are no zones in " POWERCAP_FOLDER
#define REASON_POWERCAP_ROOT "since Linux 5.10 energy_uj is for root only"
#define REMEDY_POWERCAP_ROOT                                                \
    "sudo chmod a+r " POWERCAP_FOLDER "/intel-rapl:*/energy_uj (until the " \
    "next start)"
#define REASON_NO_POWER_EVENTS "the kernel has no power events"
#define REASON_NO_HWMON        "/sys/class/hwmon has no chip"
#define REASON_NO_THERMAL      "/sys/class/thermal has no zone"
#define REASON_NO_BATTERY      "the machine has no battery"
#define REASON_NO_POWERMETRICS \
    "there is no program powermetrics, which is macOS's"
#define REASON_POWERMETRICS_ROOT "powermetrics is for root only"
#define REMEDY_POWERMETRICS_ROOT                                            \
    "run ortmeter with sudo, or name a program that calls it with sudo in " \
    "ORTMETER_POWERMETRICS"
