/* state.h -- what a monitor holds; for the files of src/monitor only. */
#pragma once

#include "base/error.h"
#include "live/history.h"
#include "live/loop.h"
#include "ortmeter_monitor.h"

#include <pthread.h>
#include <stdatomic.h>

/* A process that was seen, and how it ended. */
struct monitor_process {
    uint64_t pid, parent;
    uint32_t subject;
    bool ended, exit_known;
    int exit_code; /* or 128 + the signal */
    uint64_t ended_ns;
    int priority_of_io;
    bool has_priority_of_io;
    uint64_t affinity;
    bool has_affinity;
};

/* The lock covers all that the thread and the callers both touch. */
struct ortmeter_monitor {
    struct ortmeter_monitor_config config;
    pthread_mutex_t lock;
    pthread_cond_t first_tick;
    pthread_t thread;
    bool running;              /* a thread is to be joined */
    bool ticked;               /* everything was read once */
    atomic_bool stop;          /* the thread shall end, */
    bool reads_last;           /* when it has read everything once more */
    struct loop *loop;         /* NULL: never started */
    struct sampling *sampling; /* the loop's, */
    struct board *board;       /* and its board */
    struct history *history;
    struct subscribers all;
    struct subscriber to, to_history, own;
    struct monitor_process *process;
    size_t process_count, process_cap;
    struct ortmeter_sample *samples; /* for the callback */
    size_t sample_count, sample_cap;
    uint64_t mono_to_wall_ns;
    struct error reason;
};

/* Notes the processes that came or ended.  With the lock. */
void monitor_follow(struct ortmeter_monitor *m);

/* The newest that had the pid; NULL: none was seen.  With the lock. */
const struct monitor_process *monitor_find(const struct ortmeter_monitor *m,
        uint64_t pid);

/* Whether it is to be told of: kernel threads may be left out. */
bool monitor_shows(const struct ortmeter_monitor *m, const struct subject *x);

/* One figure, as the users see it. */
struct ortmeter_sample monitor_sample(const struct ortmeter_monitor *m,
        const struct subject *x, const struct reading *r);

/* The result that stands for a negative errno value. */
int monitor_result(int rc);
