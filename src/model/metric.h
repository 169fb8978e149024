/* metric.h -- everything ortmeter can say about a run, as one table.
 *
 * JSON, CSV, Prometheus, OTLP, the API, the page and docs/metrics.md are made
 * from it: a metric is added by one entry of METRIC_LIST, and nowhere else.
 *
 * A name is in snake_case and ends with its unit in full, which is a base unit:
 * seconds, not milliseconds (what is in flight says so behind it).  Behind the
 * unit of a counter stands "_total"; a
 * metric of kind info has no unit ("none") and ends with "_info".  Ratios go
 * from 0 to 1.  On export a name gets "ortmeter_" before it; here it has no
 * prefix.
 *
 * The table says what a metric is, never what it was: values are elsewhere, and
 * a value that could not be had is absent there. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

enum metric_kind {
    METRIC_COUNTER,   /* only grows, from the start of the run */
    METRIC_GAUGE,     /* one number, which may go up and down */
    METRIC_HISTOGRAM, /* how often each value occurred */
    METRIC_INFO,      /* always 1: the labels are what it says */
    METRIC_KINDS
};

/* What one value is about; the labels of a metric follow from it. */
enum metric_scope {
    METRIC_HOST,
    METRIC_PROCESS,
    METRIC_DEVICE,
    METRIC_ZONE, /* a part with a sensor of its own */
    METRIC_SESSION,
    METRIC_INFERENCE,
    METRIC_PHASE,
    METRIC_TOKEN,
    METRIC_OPERATOR,
    METRIC_RUN,
    METRIC_CORE,
    METRIC_THREAD,
    METRIC_SERVER, /* `ortmeter serve`: of no run */
    METRIC_SCOPES
};

/* Who knows it. */
enum metric_source {
    METRIC_FROM_SYSTEM,  /* the operating system */
    METRIC_FROM_DEVICE,  /* a device, through its driver or its maker's tool */
    METRIC_FROM_HOOK,    /* libortmeter, from ONNX Runtime's own calls */
    METRIC_FROM_PROGRAM, /* the program, by calls of ortmeter.h */
    METRIC_FROM_COLLECTOR, /* ortmeter, about itself */
    METRIC_FROM_METRICS,   /* arithmetic on other metrics */
    METRIC_SOURCES
};

/* clang-format off */
#define METRIC_LIST(X) \
    X(run_info, "none", INFO, RUN, SYSTEM, \
        "The run: its id, its command and when it began.") \
    X(host_info, "none", INFO, HOST, SYSTEM, \
        "The machine that the run was made on.") \
    X(onnxruntime_info, "none", INFO, PROCESS, HOOK, \
        "ONNX Runtime in the program: its version, path and providers.") \
    X(session_info, "none", INFO, SESSION, HOOK, \
        "An inference session: its model, its providers, and whether the " \
        "model was loaded for the first time.") \
    X(session_load_seconds, "seconds", GAUGE, SESSION, HOOK, \
        "From the call that creates a session until it returns.") \
    X(inferences_total, "inferences", COUNTER, SESSION, HOOK, \
        "Inferences that ended, with a result or with an error.") \
    X(failed_inferences_total, "inferences", COUNTER, SESSION, HOOK, \
        "Inferences that ended with an error.") \
    X(traced_inferences_total, "inferences", COUNTER, SESSION, HOOK, \
        "Inferences that ended and whose operators were recorded.") \
    X(session_busy_seconds_total, "seconds", COUNTER, SESSION, METRICS, \
        "Time in which one inference of the session or more was running, " \
        "told when those that ran then have ended.") \
    X(inferences_in_flight, "inferences", GAUGE, SESSION, METRICS, \
        "Inferences of the session that ran at the same time, in the mean of " \
        "a tenth of a second, told when those that ran then have ended.") \
    X(inference_duration_seconds, "seconds", HISTOGRAM, INFERENCE, HOOK, \
        "Latency: from the call of an inference until it returns, or, when " \
        "it is asynchronous, until its callback is called.") \
    X(inference_input_bytes, "bytes", HISTOGRAM, INFERENCE, HOOK, \
        "Size of the tensors that go into an inference.") \
    X(inference_output_bytes, "bytes", HISTOGRAM, INFERENCE, HOOK, \
        "Size of the tensors that come out of an inference.") \
    X(inference_batch_samples, "samples", HISTOGRAM, INFERENCE, HOOK, \
        "Batch size: samples that one inference works on, padding included.") \
    X(inference_padding_samples, "samples", HISTOGRAM, INFERENCE, PROGRAM, \
        "Padding: samples of the batch that are there only to fill it.") \
    X(inference_sequence_tokens, "tokens", HISTOGRAM, INFERENCE, HOOK, \
        "Sequence length: positions of each sample that one inference " \
        "computes.") \
    X(inference_past_tokens, "tokens", HISTOGRAM, INFERENCE, HOOK, \
        "Past length: positions that come from the key-value cache.") \
    X(inference_queue_requests, "requests", HISTOGRAM, INFERENCE, PROGRAM, \
        "Queue depth: requests that wait behind an inference.") \
    X(inference_runtime_seconds, "seconds", HISTOGRAM, INFERENCE, HOOK, \
        "ONNX Runtime itself, of an inference called from Python: what " \
        "compares with a program in C.") \
    X(inference_gil_wait_seconds, "seconds", HISTOGRAM, INFERENCE, HOOK, \
        "Waiting for Python's lock, the GIL, when an inference is done.") \
    X(prefill_duration_seconds, "seconds", HISTOGRAM, PHASE, HOOK, \
        "Latency of an inference that reads a prompt.") \
    X(decode_duration_seconds, "seconds", HISTOGRAM, PHASE, HOOK, \
        "Latency of an inference that adds one token to a text.") \
    X(time_to_first_token_seconds, "seconds", HISTOGRAM, TOKEN, METRICS, \
        "TTFT: from the start of a text's prefill to its first token.") \
    X(time_per_output_token_seconds, "seconds", HISTOGRAM, TOKEN, METRICS, \
        "TPOT: from one token of a text to the next.") \
    X(tokens_total, "tokens", COUNTER, RUN, HOOK, \
        "Tokens that were generated.") \
    X(tokens_per_second, "tokens_per_second", GAUGE, RUN, METRICS, \
        "Tokens generated in a second of generating.") \
    X(timed_inferences, "inferences", GAUGE, RUN, METRICS, \
        "Inferences that the latency figures of the run are made of.") \
    X(inference_duration_mean_seconds, "seconds", GAUGE, RUN, METRICS, \
        "Mean latency.") \
    X(inference_duration_median_seconds, "seconds", GAUGE, RUN, METRICS, \
        "Median latency: as many inferences took less as took more.") \
    X(inference_duration_min_seconds, "seconds", GAUGE, RUN, METRICS, \
        "The least latency.") \
    X(inference_duration_max_seconds, "seconds", GAUGE, RUN, METRICS, \
        "The greatest latency.") \
    X(inference_duration_stddev_seconds, "seconds", GAUGE, RUN, METRICS, \
        "Standard deviation of the latency.") \
    X(inference_duration_jitter_seconds, "seconds", GAUGE, RUN, METRICS, \
        "Jitter: mean distance between the latencies of an inference and " \
        "the next.") \
    X(inference_duration_p50_seconds, "seconds", GAUGE, RUN, METRICS, \
        "Latency that 50 % of the inferences do not exceed.") \
    X(inference_duration_p90_seconds, "seconds", GAUGE, RUN, METRICS, \
        "Latency that 90 % of the inferences do not exceed.") \
    X(inference_duration_p95_seconds, "seconds", GAUGE, RUN, METRICS, \
        "Latency that 95 % of the inferences do not exceed.") \
    X(inference_duration_p99_seconds, "seconds", GAUGE, RUN, METRICS, \
        "Latency that 99 % of the inferences do not exceed.") \
    X(inference_duration_p99_9_seconds, "seconds", GAUGE, RUN, METRICS, \
        "Latency that 99.9 % of the inferences do not exceed.") \
    X(inferences_per_second, "inferences_per_second", GAUGE, RUN, METRICS, \
        "Throughput: inferences that ended in a second.") \
    X(frames_per_second, "frames_per_second", GAUGE, RUN, METRICS, \
        "FPS: samples of all batches in a second.") \
    X(warmup_inferences, "inferences", GAUGE, RUN, METRICS, \
        "Inferences at the beginning that count as warm-up.") \
    X(warmup_duration_mean_seconds, "seconds", GAUGE, RUN, METRICS, \
        "Mean latency of the warm-up.") \
    X(device_utilization_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "Share of the time in which the device computed, as its driver " \
        "tells it.") \
    X(device_memory_utilization_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "Share of the time in which the device's memory was accessed.") \
    X(device_busy_seconds_total, "seconds", COUNTER, DEVICE, DEVICE, \
        "Time in which the device had work, since its driver was loaded.") \
    X(device_awake_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "Share of the time in which the device was not in its idle state: " \
        "it was busy for no more than that.") \
    X(device_asleep_ratio, "ratio", GAUGE, DEVICE, SYSTEM, \
        "1 while the device is suspended and is left alone, else 0.") \
    X(device_memory_used_bytes, "bytes", GAUGE, DEVICE, DEVICE, \
        "Memory of the device that is in use.") \
    X(device_memory_total_bytes, "bytes", GAUGE, DEVICE, DEVICE, \
        "Memory that the device has.") \
    X(device_shared_memory_used_bytes, "bytes", GAUGE, DEVICE, DEVICE, \
        "Memory of the machine that the device uses.") \
    X(device_shared_memory_total_bytes, "bytes", GAUGE, DEVICE, DEVICE, \
        "Memory of the machine that the device may use.") \
    X(device_power_watts, "watts", GAUGE, DEVICE, DEVICE, \
        "Power that the device draws.") \
    X(device_power_limit_watts, "watts", GAUGE, DEVICE, DEVICE, \
        "Power that the device may draw.") \
    X(device_energy_joules_total, "joules", COUNTER, DEVICE, DEVICE, \
        "Energy that the device used, since its counter began.") \
    X(device_temperature_celsius, "celsius", GAUGE, DEVICE, DEVICE, \
        "Temperature of the device.") \
    X(device_clock_hertz, "hertz", GAUGE, DEVICE, DEVICE, \
        "Clock of the device's compute units; 0: they sleep.") \
    X(device_memory_clock_hertz, "hertz", GAUGE, DEVICE, DEVICE, \
        "Clock of the device's memory.") \
    X(device_throttled_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "1 while something holds the clock back, else 0.") \
    X(device_throttled_power_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "1 while a limit of power or current holds the clock back, else 0.") \
    X(device_throttled_thermal_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "1 while the temperature holds the clock back, else 0.") \
    X(device_pcie_sent_bytes_per_second, "bytes_per_second", GAUGE, DEVICE, \
        DEVICE, "Data that the device sends over PCIe.") \
    X(device_pcie_received_bytes_per_second, "bytes_per_second", GAUGE, \
        DEVICE, DEVICE, "Data that the device receives over PCIe.") \
    X(device_encoder_utilization_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "Share of the time in which the device encoded video.") \
    X(device_decoder_utilization_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "Share of the time in which the device decoded video.") \
    X(device_sm_active_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "Share of the device's multiprocessors that had work.") \
    X(device_sm_occupancy_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "Warps at work, as a share of those that would fit.") \
    X(device_tensor_active_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "Share of the time in which the tensor cores computed.") \
    X(device_memory_bandwidth_ratio, "ratio", GAUGE, DEVICE, DEVICE, \
        "Traffic of the device's memory, as a share of the most it can do.") \
    X(device_memory_read_bytes_per_second, "bytes_per_second", GAUGE, \
        DEVICE, DEVICE, "Data that the device reads from memory.") \
    X(device_memory_written_bytes_per_second, "bytes_per_second", GAUGE, \
        DEVICE, DEVICE, "Data that the device writes to memory.") \
    X(zone_energy_joules_total, "joules", COUNTER, ZONE, DEVICE, \
        "Energy that a part used, since its counter began; its parent's " \
        "includes it.") \
    X(zone_power_watts, "watts", GAUGE, ZONE, DEVICE, \
        "Power that a part draws; its parent's includes it.") \
    X(zone_update_seconds, "seconds", GAUGE, ZONE, COLLECTOR, \
        "How long a counter of energy rests between two updates, as was " \
        "seen when the run began.") \
    X(zone_idle_watts, "watts", GAUGE, ZONE, METRICS, \
        "Power that a part draws while the machine does nothing, as " \
        "calibrate measured it.") \
    X(zone_temperature_celsius, "celsius", GAUGE, ZONE, DEVICE, \
        "Temperature of a part of the machine or of a device.") \
    X(zone_clock_hertz, "hertz", GAUGE, ZONE, DEVICE, \
        "Clock of a part, as of a cluster of cores.") \
    X(zone_utilization_ratio, "ratio", GAUGE, ZONE, DEVICE, \
        "Share of the time in which a part, as a cluster of cores, was " \
        "active.") \
    X(battery_power_watts, "watts", GAUGE, ZONE, SYSTEM, \
        "Power that the whole machine draws from its battery; only while it " \
        "does.") \
    X(battery_charge_ratio, "ratio", GAUGE, ZONE, SYSTEM, \
        "How full the battery is.") \
    X(battery_remaining_joules, "joules", GAUGE, ZONE, SYSTEM, \
        "Energy that the battery still holds.") \
    X(thermal_pressure_level, "level", GAUGE, HOST, SYSTEM, \
        "How much macOS holds the machine back for its heat: 0 nominal, " \
        "1 moderate, 2 heavy, 3 trapping, 4 sleeping.") \
    X(process_device_memory_bytes, "bytes", GAUGE, PROCESS, DEVICE, \
        "Memory that a process has on the devices.") \
    X(process_device_utilization_ratio, "ratio", GAUGE, PROCESS, DEVICE, \
        "Share of the time in which the busiest engine of a device worked " \
        "for a process.") \
    X(lost_events_total, "events", COUNTER, RUN, HOOK, \
        "Events that were seen and could not be recorded: the other figures " \
        "miss them.") \
    X(hook_overhead_seconds, "seconds", GAUGE, PROCESS, HOOK, \
        "Time that the hook adds to one inference, measured in the program.") \
    X(collector_cpu_seconds_total, "seconds", COUNTER, RUN, COLLECTOR, \
        "CPU time that ortmeter itself used.") \
    X(collector_resident_bytes, "bytes", GAUGE, RUN, COLLECTOR, \
        "Memory that ortmeter itself has resident.") \
    METRIC_LIST_SYSTEM(X)

/* What the operating system tells of processes, CPUs and memory. */
#define METRIC_LIST_SYSTEM(X) \
    X(process_cpu_seconds_total, "seconds", COUNTER, PROCESS, SYSTEM, \
        "CPU time of all threads of the process, exact.") \
    X(process_user_cpu_seconds_total, "seconds", COUNTER, PROCESS, SYSTEM, \
        "The part of it in the program itself: the exact total, shared out " \
        "as the kernel's clock ticks say.") \
    X(process_system_cpu_seconds_total, "seconds", COUNTER, PROCESS, SYSTEM, \
        "The part of it in the kernel, shared out likewise.") \
    X(process_cpu_cores, "cores", GAUGE, PROCESS, METRICS, \
        "CPU time used in a second since the reading before: 1 is one core " \
        "all the time.") \
    X(process_resident_bytes, "bytes", GAUGE, PROCESS, SYSTEM, \
        "RSS: memory of the process that is in RAM, shared pages included.") \
    X(process_virtual_bytes, "bytes", GAUGE, PROCESS, SYSTEM, \
        "Addresses that the process has reserved.") \
    X(process_peak_resident_bytes, "bytes", GAUGE, PROCESS, SYSTEM, \
        "The most RSS that the process ever had.") \
    X(process_anonymous_bytes, "bytes", GAUGE, PROCESS, SYSTEM, \
        "The part of RSS that belongs to no file: heap and stacks.") \
    X(process_swapped_bytes, "bytes", GAUGE, PROCESS, SYSTEM, \
        "Memory of the process that was moved out to swap.") \
    X(process_private_bytes, "bytes", GAUGE, PROCESS, SYSTEM, \
        "USS: memory in RAM that no other process shares.") \
    X(process_proportional_bytes, "bytes", GAUGE, PROCESS, SYSTEM, \
        "PSS: memory in RAM, each shared page divided by its sharers.") \
    X(process_minor_faults_total, "faults", COUNTER, PROCESS, SYSTEM, \
        "Page faults that needed no reading from storage.") \
    X(process_major_faults_total, "faults", COUNTER, PROCESS, SYSTEM, \
        "Page faults that waited for storage.") \
    X(process_threads, "threads", GAUGE, PROCESS, SYSTEM, \
        "Threads of the process.") \
    X(process_running_threads, "threads", GAUGE, PROCESS, SYSTEM, \
        "Threads that run or could run.") \
    X(process_sleeping_threads, "threads", GAUGE, PROCESS, SYSTEM, \
        "Threads that wait for something and can be interrupted.") \
    X(process_blocked_threads, "threads", GAUGE, PROCESS, SYSTEM, \
        "Threads that wait for storage or a device, uninterruptibly.") \
    X(process_other_threads, "threads", GAUGE, PROCESS, SYSTEM, \
        "Threads that are stopped, traced or ending.") \
    X(process_voluntary_switches_total, "switches", COUNTER, PROCESS, SYSTEM, \
        "Times that a thread gave its CPU up to wait; of threads that " \
        "ended, what was seen last.") \
    X(process_involuntary_switches_total, "switches", COUNTER, PROCESS, \
        SYSTEM, \
        "Times that a thread was taken off its CPU for another one; of " \
        "threads that ended, what was seen last.") \
    X(process_switches_total, "switches", COUNTER, PROCESS, SYSTEM, \
        "Context switches of all threads since we looked, exact.") \
    X(process_migrations_total, "migrations", COUNTER, PROCESS, SYSTEM, \
        "Moves of a thread to another CPU since we looked.") \
    X(process_priority_level, "level", GAUGE, PROCESS, SYSTEM, \
        "Priority as the kernel sees it: 20 is normal, lower runs earlier, " \
        "below 0 is real time.") \
    X(process_nice_level, "level", GAUGE, PROCESS, SYSTEM, \
        "Niceness, from -20 (first) to 19 (last).") \
    X(process_allowed_cores, "cores", GAUGE, PROCESS, SYSTEM, \
        "Affinity: CPUs that the process may run on.") \
    X(process_read_bytes_total, "bytes", COUNTER, PROCESS, SYSTEM, \
        "Bytes that calls of read brought, from wherever.") \
    X(process_written_bytes_total, "bytes", COUNTER, PROCESS, SYSTEM, \
        "Bytes that calls of write took, to wherever.") \
    X(process_read_calls_total, "calls", COUNTER, PROCESS, SYSTEM, \
        "Calls of read and its kin.") \
    X(process_write_calls_total, "calls", COUNTER, PROCESS, SYSTEM, \
        "Calls of write and its kin.") \
    X(process_storage_read_bytes_total, "bytes", COUNTER, PROCESS, SYSTEM, \
        "Bytes that storage had to bring for the process.") \
    X(process_storage_written_bytes_total, "bytes", COUNTER, PROCESS, SYSTEM, \
        "Bytes that the process caused to be sent to storage.") \
    X(process_open_files, "files", GAUGE, PROCESS, SYSTEM, \
        "File descriptors that the process has open.") \
    X(process_sockets, "sockets", GAUGE, PROCESS, SYSTEM, \
        "Sockets that the process has open, of any family.") \
    X(process_listening_sockets, "sockets", GAUGE, PROCESS, SYSTEM, \
        "TCP sockets that wait for connections.") \
    X(process_connected_sockets, "sockets", GAUGE, PROCESS, SYSTEM, \
        "TCP connections that are established.") \
    X(process_closing_sockets, "sockets", GAUGE, PROCESS, SYSTEM, \
        "TCP connections in any other state.") \
    X(process_datagram_sockets, "sockets", GAUGE, PROCESS, SYSTEM, \
        "UDP sockets.") \
    X(process_cycles_total, "cycles", COUNTER, PROCESS, SYSTEM, \
        "CPU cycles of all threads in the program itself, not in the kernel, " \
        "since we looked.") \
    X(process_instructions_total, "instructions", COUNTER, PROCESS, SYSTEM, \
        "Instructions that all threads retired in the program itself since " \
        "we looked.") \
    X(process_cache_references_total, "references", COUNTER, PROCESS, SYSTEM, \
        "Cache accesses, as the CPU's maker defines them; usually those of " \
        "the last level.") \
    X(process_cache_misses_total, "misses", COUNTER, PROCESS, SYSTEM, \
        "Those of them that missed.") \
    X(process_l1_data_misses_total, "misses", COUNTER, PROCESS, SYSTEM, \
        "Loads that missed the first data cache.") \
    X(process_last_level_misses_total, "misses", COUNTER, PROCESS, SYSTEM, \
        "Loads that missed the last cache.") \
    X(process_branches_total, "branches", COUNTER, PROCESS, SYSTEM, \
        "Branches that were retired.") \
    X(process_branch_misses_total, "misses", COUNTER, PROCESS, SYSTEM, \
        "Branches that were predicted wrongly.") \
    X(process_counted_ratio, "ratio", GAUGE, PROCESS, SYSTEM, \
        "Share of the time that the scarcest hardware counter was counting; " \
        "below 1 the counts are scaled up from it.") \
    X(thread_cpu_seconds_total, "seconds", COUNTER, THREAD, SYSTEM, \
        "CPU time of the thread.") \
    X(thread_wait_seconds_total, "seconds", COUNTER, THREAD, SYSTEM, \
        "Time that the thread could have run and had no CPU.") \
    X(core_busy_ratio, "ratio", GAUGE, CORE, METRICS, \
        "Share of the time that the CPU worked since the reading before, in " \
        "the kernel's steps of 10 ms.") \
    X(core_user_seconds_total, "seconds", COUNTER, CORE, SYSTEM, \
        "Time of the CPU in programs.") \
    X(core_system_seconds_total, "seconds", COUNTER, CORE, SYSTEM, \
        "Time of the CPU in the kernel, interrupts included.") \
    X(core_idle_seconds_total, "seconds", COUNTER, CORE, SYSTEM, \
        "Time of the CPU with nothing to do.") \
    X(core_stolen_seconds_total, "seconds", COUNTER, CORE, SYSTEM, \
        "Time that the machine below this virtual one gave to others.") \
    X(core_frequency_hertz, "hertz", GAUGE, CORE, SYSTEM, \
        "Clock of the CPU.") \
    X(host_busy_ratio, "ratio", GAUGE, HOST, METRICS, \
        "Share of the time that all CPUs worked since the reading before.") \
    X(others_cpu_cores, "cores", GAUGE, HOST, METRICS, \
        "CPU time that others than the program and ortmeter used in a " \
        "second, in the kernel's steps of 10 ms: 1 is one core all the time.") \
    X(host_switches_total, "switches", COUNTER, HOST, SYSTEM, \
        "Context switches of the whole machine since it started.") \
    X(host_started_processes_total, "processes", COUNTER, HOST, SYSTEM, \
        "Processes and threads started since the machine did.") \
    X(host_running_threads, "threads", GAUGE, HOST, SYSTEM, \
        "Threads of the whole machine that run or could run.") \
    X(host_memory_bytes, "bytes", GAUGE, HOST, SYSTEM, \
        "RAM of the machine.") \
    X(host_memory_available_bytes, "bytes", GAUGE, HOST, SYSTEM, \
        "RAM that programs could have without swapping, as the kernel " \
        "estimates.") \
    X(host_memory_free_bytes, "bytes", GAUGE, HOST, SYSTEM, \
        "RAM that is used for nothing at all.") \
    X(host_memory_cached_bytes, "bytes", GAUGE, HOST, SYSTEM, \
        "RAM that holds contents of files.") \
    X(host_swap_bytes, "bytes", GAUGE, HOST, SYSTEM, \
        "Swap space of the machine.") \
    X(host_swap_free_bytes, "bytes", GAUGE, HOST, SYSTEM, \
        "Swap space that is not used.") \
    X(host_memory_read_bytes_total, "bytes", COUNTER, HOST, SYSTEM, \
        "Bytes that the memory controllers read since we looked.") \
    X(host_memory_written_bytes_total, "bytes", COUNTER, HOST, SYSTEM, \
        "Bytes that the memory controllers wrote since we looked.") \
    X(host_memory_load_seconds, "seconds", GAUGE, HOST, SYSTEM, \
        "Time of a load from memory that waits for the one before, at " \
        "random over 2 MiB: neighbours in the caches slow it.") \
    X(host_cpu_pressure_seconds_total, "seconds", COUNTER, HOST, SYSTEM, \
        "Time that some thread had to wait for a CPU.") \
    X(host_memory_pressure_seconds_total, "seconds", COUNTER, HOST, SYSTEM, \
        "Time that some thread had to wait for memory.") \
    X(host_memory_stall_seconds_total, "seconds", COUNTER, HOST, SYSTEM, \
        "Time that all threads with work to do waited for memory.") \
    X(host_storage_pressure_seconds_total, "seconds", COUNTER, HOST, SYSTEM, \
        "Time that some thread had to wait for storage.") \
    X(host_storage_stall_seconds_total, "seconds", COUNTER, HOST, SYSTEM, \
        "Time that all threads with work to do waited for storage.") \
    X(server_requests_total, "requests", COUNTER, SERVER, COLLECTOR, \
        "Requests that were answered.") \
    X(server_refusals_total, "refusals", COUNTER, SERVER, COLLECTOR, \
        "Requests that were refused with a status 4xx.") \
    X(server_websocket_clients, "clients", GAUGE, SERVER, COLLECTOR, \
        "WebSocket clients now.") \
    X(server_merged_ticks_total, "ticks", COUNTER, SERVER, COLLECTOR, \
        "Ticks that found a client's last message unsent: what was due went " \
        "with the next.")
/* clang-format on */

#define X(name, unit, kind, scope, source, help) METRIC_##name,
enum metric_id { METRIC_LIST(X) METRIC_IDS };
#undef X

struct metric {
    const char *name;
    const char *unit;
    enum metric_kind kind;
    enum metric_scope scope;
    enum metric_source source;
    const char *help; /* one line, whole sentences */
};

/* Indexed by enum metric_id. */
extern const struct metric metric_table[METRIC_IDS];

/* Whether it tells of energy or power: then the last reading before each change
 * must be kept, too, as it shows when it changed; or of power alone. */
bool metric_is_energy(enum metric_id id);
bool metric_is_power(enum metric_id id);

/* By the name in the table, without prefix.  NULL: there is none. */
const struct metric *metric_find(struct str name);

/* "counter", "session", "hook": for exports and for people. */
const char *metric_kind_name(enum metric_kind kind);
const char *metric_scope_name(enum metric_scope scope);
const char *metric_source_name(enum metric_source source);

/* Adds the whole of docs/metrics.md to `out`. */
void metric_write_markdown(struct buf *out);
