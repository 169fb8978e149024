/* ortmeter_monitor.h -- look at processes from within a program of your own.
 *
 *     struct ortmeter_monitor_config config = ortmeter_monitor_defaults();
 *     struct ortmeter_monitor *m;
 *     struct ortmeter_process p;
 *
 *     config.target_processes = &pid;
 *     config.target_process_count = 1;
 *     if (ortmeter_monitor_new(&m, &config) || ortmeter_monitor_start(m))
 *         ...
 *     if (ortmeter_monitor_get_process(m, pid, &p) == ORTMETER_MONITOR_OK &&
 *             ortmeter_process_has(&p, ORTMETER_PROCESS_cpu_percent))
 *         printf("%.1f %%\n", p.cpu_percent);
 *     ortmeter_monitor_free(m);
 *
 * Link with -lortmeter-monitor.  A monitor reads in a thread of its own from
 * start to stop.  Its functions may be called from any thread, but for free,
 * which comes last, and not from its callback.  Nothing is printed.  What could
 * not be read is absent and never 0. */
#ifndef ORTMETER_MONITOR_H
#define ORTMETER_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORTMETER_MONITOR_API __attribute__((visibility("default")))

/* What a function returns. */
enum ortmeter_monitor_result {
    ORTMETER_MONITOR_OK = 0,
    ORTMETER_MONITOR_FAILED = -1,   /* something else: see the reason */
    ORTMETER_MONITOR_SESSION = -2,  /* it could not be started, is started
                                     * already, or is not */
    ORTMETER_MONITOR_DENIED = -3,   /* we may not */
    ORTMETER_MONITOR_PROVIDER = -4, /* a source that this system does not have,
                                     * or that cannot be switched */
};

struct ortmeter_monitor;

/* One figure: of a process, the machine, a core or a device. */
struct ortmeter_sample {
    uint64_t timestamp_ns; /* since 1970 */
    const char *kind;      /* "process", "host", "core", "device", ... */
    const char *name;      /* of the process or device; or NULL */
    uint64_t number;       /* pid, tid, CPU */
    const char *metric;    /* as docs/metrics.md has it */
    const char *unit;
    double value;
};

struct ortmeter_monitor_config {
    /* The session.  Sizes are for the history that statistics come from:
     * max_buffers times buffer_size_kb for each of min_buffers processes, and
     * 32 MB at least. */
    const char *session_name;
    uint32_t buffer_size_kb;
    uint32_t min_buffers, max_buffers;

    /* What to read. */
    bool enable_process_events;
    bool enable_thread_events;
    bool enable_cpu_sampling;
    bool enable_memory_events; /* private memory, which costs much to read */
    bool enable_disk_io;
    bool enable_context_switch;

    uint32_t cpu_sampling_interval; /* readings in a second: 1 to 10000 */
    double max_overhead_percent;    /* of a core; rates go down to keep it; 0:
                                     * no limit */
    bool enable_stack_walking;      /* not on Linux: then start fails */

    /* Which processes; none named: only the machine.  Not copied before
     * start. */
    const uint64_t *target_processes;
    size_t target_process_count;
    const char *const *target_process_names; /* globs */
    size_t target_process_name_count;
    bool exclude_system_processes; /* of those found by name: kernel threads */

    /* Called after every tick in the monitor's thread, with what is new.  The
     * samples are gone after it. */
    void (*callback)(void *context, const struct ortmeter_sample *samples,
            size_t count);
    void *context;
};

/* All fields of a process: type, name, what it is.  Those that a system does
 * not tell are absent there. */
#define ORTMETER_PROCESS_FIELDS(X)                                      \
    X(uint64_t, pid, "process ID")                                      \
    X(uint64_t, parent_pid, "parent process ID")                        \
    X(uint64_t, session_id, "Windows session ID")                       \
    X(uint64_t, create_time_ns, "when it began, since 1970")            \
    X(uint64_t, exit_time_ns, "when it ended, since 1970")              \
    X(int, exit_code, "process exit code")                              \
    X(double, cpu_percent, "CPU use in percent of one core")            \
    X(uint64_t, cpu_cycles, "CPU cycles consumed")                      \
    X(double, kernel_time_ms, "time in kernel mode")                    \
    X(double, user_time_ms, "time in user mode")                        \
    X(uint64_t, context_switches, "number of context switches")         \
    X(int, priority, "priority level")                                  \
    X(uint64_t, affinity_mask, "CPUs it may run on, of the first 64")   \
    X(uint64_t, working_set_size, "working set (RSS) in bytes")         \
    X(uint64_t, private_bytes, "private memory in bytes")               \
    X(uint64_t, virtual_bytes, "virtual memory in bytes")               \
    X(uint64_t, page_faults, "number of page faults")                   \
    X(uint64_t, hard_faults, "number of hard page faults")              \
    X(uint64_t, peak_working_set, "peak working set size")              \
    X(uint64_t, paged_pool, "paged pool usage (Windows)")               \
    X(uint64_t, non_paged_pool, "non-paged pool usage (Windows)")       \
    X(uint64_t, thread_count, "number of threads")                      \
    X(uint64_t, active_threads, "threads that run or could run")        \
    X(uint64_t, suspended_threads, "threads that are stopped")          \
    X(uint64_t, read_operations, "number of read operations")           \
    X(uint64_t, write_operations, "number of write operations")         \
    X(uint64_t, other_operations, "other I/O operations (Windows)")     \
    X(uint64_t, read_bytes, "total bytes read")                         \
    X(uint64_t, write_bytes, "total bytes written")                     \
    X(int, io_priority, "I/O priority level")                           \
    X(uint64_t, handle_count, "number of handles; open files on Linux") \
    X(uint64_t, gdi_objects, "GDI object count (Windows)")              \
    X(uint64_t, user_objects, "USER object count (Windows)")            \
    X(uint64_t, peak_handle_count, "peak handle count while watched")

#define X(type, name, about) ORTMETER_PROCESS_##name,
enum ortmeter_process_field {
    ORTMETER_PROCESS_FIELDS(X) ORTMETER_PROCESS_FIELD_COUNT
};
#undef X

struct ortmeter_process {
    uint64_t has; /* bit n: field n is known */
#define X(type, name, about) type name;
    ORTMETER_PROCESS_FIELDS(X)
#undef X
    char name[64];
    char command_line[1024]; /* secrets masked; "": not told */
    /* How many threads are in which state. */
    struct {
        bool known;
        uint64_t running, sleeping, blocked, other;
    } thread_states;
};

static inline bool ortmeter_process_has(const struct ortmeter_process *p,
        enum ortmeter_process_field field)
{
    return p->has >> field & 1;
}

/* Of one thread. */
struct ortmeter_thread {
    uint64_t tid;
    bool cpu_known;
    double cpu_s; /* CPU time */
};

/* How a figure spread since the start. */
struct ortmeter_statistics {
    uint64_t count;
    double min, max, mean;
    double stddev;
    double p50, p90, p95, p99;
    bool of_seconds; /* percentiles are those of the means of seconds */
};

/* 100 readings a second, of everything but stacks and disk I/O. */
ORTMETER_MONITOR_API struct ortmeter_monitor_config ortmeter_monitor_defaults(
        void);

/* `out` is set in any case but that there is no memory, so that the reason can
 * be asked for; it wants to be freed then, too. */
ORTMETER_MONITOR_API int ortmeter_monitor_new(struct ortmeter_monitor **out,
        const struct ortmeter_monitor_config *config);
/* Stops it first.  NULL is welcome. */
ORTMETER_MONITOR_API void ortmeter_monitor_free(struct ortmeter_monitor *m);

/* Returns when everything was read once. */
ORTMETER_MONITOR_API int ortmeter_monitor_start(struct ortmeter_monitor *m);
/* Returns when everything was read once more; what was read stays. */
ORTMETER_MONITOR_API int ortmeter_monitor_stop(struct ortmeter_monitor *m);

/* The newest of each figure, at most `cap`; `count` gets how many there are.
 * Texts belong to the monitor. */
ORTMETER_MONITOR_API int ortmeter_monitor_collect(struct ortmeter_monitor *m,
        struct ortmeter_sample *out, size_t cap, size_t *count);

/* SESSION: it was never started.  FAILED: no such process was seen. */
ORTMETER_MONITOR_API int ortmeter_monitor_get_process(
        struct ortmeter_monitor *m, uint64_t pid, struct ortmeter_process *out);

/* The threads of a process, where enable_thread_events is set. */
ORTMETER_MONITOR_API int ortmeter_monitor_get_threads(
        struct ortmeter_monitor *m, uint64_t pid, struct ortmeter_thread *out,
        size_t cap, size_t *count);

/* Of a metric by its name in docs/metrics.md; pid 0: of the machine. */
ORTMETER_MONITOR_API int ortmeter_monitor_statistics(struct ortmeter_monitor *m,
        uint64_t pid, const char *metric, struct ortmeter_statistics *out);

/* Which kernel events to capture, by their names: "EVENT_TRACE_FLAG_PROCESS",
 * _THREAD, _DISK_IO, _MEMORY_PAGE, _PROFILE, _CSWITCH; ends with NULL.  Before
 * start.  PROVIDER: one that this system does not have, such as _IMAGE_LOAD on
 * Linux; then nothing is changed. */
ORTMETER_MONITOR_API int ortmeter_monitor_set_kernel_flags(
        struct ortmeter_monitor *m, const char *const *flags);

/* PROVIDER: not on this system. */
ORTMETER_MONITOR_API int ortmeter_monitor_enable_stack_walking(
        struct ortmeter_monitor *m, bool enable);

/* Why the last call that failed did, in a sentence; "": none has.  Valid until
 * the next call. */
ORTMETER_MONITOR_API const char *ortmeter_monitor_reason(
        const struct ortmeter_monitor *m);

/* Why a field is absent, in a sentence; NULL: it is not, or nobody knows. */
ORTMETER_MONITOR_API const char *ortmeter_monitor_why_absent(
        struct ortmeter_monitor *m, enum ortmeter_process_field field);

#ifdef __cplusplus
}
#endif

#endif
