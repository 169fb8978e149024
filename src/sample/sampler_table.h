/* sampler_table.h -- the samplers there are; each is in a file of its own.
 * Those of another system are not built. */
#pragma once

#include "sample/sampler.h"

extern const struct sampler sampler_process;
extern const struct sampler sampler_process_io;
extern const struct sampler sampler_process_status;
extern const struct sampler sampler_process_threads;
extern const struct sampler sampler_process_files;
extern const struct sampler sampler_process_memory;
extern const struct sampler sampler_process_sockets;
extern const struct sampler sampler_cores;
extern const struct sampler sampler_system_memory;
extern const struct sampler sampler_pressure;
extern const struct sampler sampler_memory_probe;
extern const struct sampler sampler_perf_software;
extern const struct sampler sampler_perf_hardware;
extern const struct sampler sampler_memory_bandwidth;
