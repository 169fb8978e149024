/* proc_stat.h -- /proc/PID/stat, and the same file of a thread. */
#pragma once

#include "base/str.h"

#include <stdint.h>

struct proc_stat {
    struct str name; /* points into the text */
    char state;      /* 'R', 'S', 'D', 'Z', ...: see proc(5) */
    uint64_t parent; /* pid */
    uint64_t minor_faults, major_faults;
    uint64_t user_ticks, system_ticks;
    int64_t priority, nice;
    uint64_t threads;
    uint64_t start_ticks; /* since boot */
    uint64_t virtual_bytes;
    int64_t wait_status; /* of a zombie, as wait(2) has it; 0 unless we may
                          * look into it */
};

/* -EINVAL, -ERANGE: it is cut short or no such file; `out` is untouched. */
int proc_stat_parse(struct proc_stat *out, struct str text);
