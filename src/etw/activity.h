/* activity.h -- from the kernel's events to what processes and threads did.
 *
 * CPU time is exact where the trace has context switches; else it is the share
 * of the profiler's samples, and says so.  What a trace does not tell of stays
 * 0 here; etw_activity_has() says whether a 0 means none. */
#pragma once

#include "base/buf.h"
#include "etw/trace.h"

#define ETW_NOBODY SIZE_MAX

struct etw_process {
    uint32_t pid, parent;
    struct buf name, command; /* the command line as it was: secrets and all */
    int64_t start_ns, end_ns; /* where `started`, `ended` */
    bool started, ended;      /* within the trace */
    bool named;               /* the kernel told of it, not only others */
    int32_t exit_status;
    uint64_t cpu_ns;                  /* by context switches */
    uint64_t samples, kernel_samples; /* of the profiler */
    uint64_t waits, preemptions;      /* a thread gave its CPU up, or lost it */
    uint64_t soft_faults, hard_faults, hard_fault_bytes;
    uint64_t reads, read_bytes, writes, written_bytes; /* of files */
    uint64_t disk_read_bytes, disk_written_bytes;
    uint64_t sent_bytes, received_bytes;
    uint64_t allocated_bytes, freed_bytes; /* of addresses */
    uint32_t threads, threads_max;
    uint32_t images;
    bool has_memory; /* the kernel told the figures below */
    uint64_t working_set_bytes, peak_working_set_bytes, private_bytes,
            virtual_bytes;
    uint32_t handles;
};

struct etw_thread {
    uint32_t tid;
    size_t process; /* its place, or ETW_NOBODY */
    struct buf name;
    int64_t start_ns, end_ns;
    bool started, ended;
    uint64_t cpu_ns, ready_ns; /* it ran; it could have, and had no CPU */
    uint64_t samples;
    int64_t ready_since; /* of the clock; INT64_MIN: it is not waiting */
    uint8_t state;       /* as the last switch left it; UINT8_MAX: not told */
};

struct etw_machine {
    struct buf name;
    uint32_t processors, mhz;
    uint64_t memory_bytes;
};

enum etw_kind_of_event {
    ETW_HAS_SWITCHES = 1,
    ETW_HAS_SAMPLES = 2,
    ETW_HAS_SOFT_FAULTS = 4,
    ETW_HAS_HARD_FAULTS = 8,
    ETW_HAS_FILE_IO = 16,
    ETW_HAS_DISK_IO = 32,
    ETW_HAS_NETWORK = 64,
    ETW_HAS_STACKS = 128,
    ETW_HAS_PROCESSES = 256,
};

struct etw_activity;

struct etw_activity *etw_activity_new(const struct etw_info *info);

/* In the order of their times. */
void etw_activity_take(struct etw_activity *a, const struct etw_record *r);

/* Counts what runs at this moment of the clock up to it. */
void etw_activity_settle(struct etw_activity *a, int64_t time);

/* Bits of the above: what the trace has told of so far. */
unsigned etw_activity_has(const struct etw_activity *a);
/* What a sample of the profiler stands for. */
uint64_t etw_activity_sample_ns(const struct etw_activity *a);

size_t etw_activity_processes(const struct etw_activity *a);
const struct etw_process *etw_activity_process(const struct etw_activity *a,
        size_t at);
size_t etw_activity_threads(const struct etw_activity *a);
const struct etw_thread *etw_activity_thread(const struct etw_activity *a,
        size_t at);
const struct etw_machine *etw_activity_machine(const struct etw_activity *a);

/* The place of the process that has this pid now; one is made if need be. */
size_t etw_activity_find(struct etw_activity *a, uint32_t pid);

/* The pid of the process that has this thread now; ETW_NO_ID: not told. */
uint32_t etw_activity_owner(const struct etw_activity *a, uint32_t tid);

/* CPU time by the better of the two ways; `measured`: by context switches. */
uint64_t etw_process_cpu_ns(const struct etw_activity *a,
        const struct etw_process *p, bool *measured);

/* NULL is welcome. */
void etw_activity_free(struct etw_activity *a);
