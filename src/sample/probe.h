/* probe.h -- what the files that look for sources share; for src/sample only.
 */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "sample/source.h"

/* What was found out, said by exactly one of these for each source. */
void probe_found(struct source *s, const char *detail_fmt, ...)
        PRINTF_LIKE(2, 3);
void probe_absent(struct source *s, const char *reason_fmt, ...)
        PRINTF_LIKE(2, 3);
void probe_denied(struct source *s, const char *reason_fmt, ...)
        PRINTF_LIKE(2, 3);

/* What a person can do about it. */
void probe_remedy(struct source *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* "; this is a virtual machine", which explains much, or "". */
const char *probe_where(const struct source_context *c);

/* Adds an item to a list in words: "a, b, c". */
void probe_list(struct buf *list, const char *item);

/* The first line of a file below the root, or "". */
void probe_line(char *out, size_t cap, const struct source_context *c,
        const char *path_fmt, ...) PRINTF_LIKE(4, 5);

/* One for each source. */
typedef void probe_function(struct source *s, const struct source_context *c);

probe_function probe_perf_software, probe_perf_hardware, probe_switches,
        probe_sched_trace, probe_rapl_perf; /* probe_perf_linux.c */
probe_function probe_powermetrics;          /* probe_device_linux.c */
probe_function probe_rapl_powercap, probe_hwmon, probe_thermal, probe_cpufreq,
        probe_battery; /* probe_power_linux.c */
probe_function probe_nvml, probe_amdgpu, probe_intel_gpu, probe_intel_npu,
        probe_amd_npu;    /* probe_device_linux.c */
probe_function probe_psi; /* source_linux.c */
