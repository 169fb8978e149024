/* watching.h -- the processes and devices that `watch` and `top` look at: their
 * samplers, what was read last, and what was read before. */
#pragma once

#include "cmd/cli/options.h"
#include "live/history.h"
#include "live/loop.h"
#include "os/process/child.h"

#define WATCHING_PIDS_MAX 32

/* As the options have it. */
struct watching_settings {
    struct option_texts pids, names, rates; /* "100", "nvml=5" */
    int profile;                            /* of rates_profile_names */
    double max_overhead_percent;            /* 0: the profile's */
    bool costly;
    bool children;
};

/* How a process ended. */
struct watching_end {
    uint32_t subject;
    bool known;
    int exit_code, signal;
};

struct watching {
    struct loop *loop;
    struct sampling *sampling; /* the loop's, */
    struct board *board;       /* and its board: watching_refresh() */
    struct history *history;
    struct subscribers all;
    struct subscriber to, to_history;
    struct child *child; /* that we started, or NULL */
    bool ended;          /* it has, or every process that was named has */
    struct child_end end;
    double hz; /* of the figures shown; 0: not told */
    double budget;
    bool by_pid;       /* processes were named by pid alone */
    uint64_t begun_ns; /* before the program was started */
    uint64_t start_ns, start_cpu_ns;
    uint64_t tick_ns; /* when was read last */
    uint64_t mono_to_wall_ns;
    struct watching_end *ends;
    size_t end_count, end_cap;
};

/* Whether the options make sense: -EINVAL with a sentence that names one.
 * `hz` gets the rate for all, or 0. */
int watching_check(const struct watching_settings *s, double *hz,
        struct error *e);

/* Starts the program that argv names, unless it is NULL, and opens the
 * samplers. */
int watching_open(struct watching *w, const struct watching_settings *s,
        char *const *argv, struct error *e);
/* One more is told what is read, from `begin` on. */
void watching_tell(struct watching *w, const struct subscriber *x,
        const struct run *run);
/* Ends the program that it started, too. */
void watching_close(struct watching *w);

/* Sleeps until something is due, or `latest_ns`, or a signal comes, and reads
 * what is due; everything, when the program that we started has ended.  False:
 * nothing was read. */
bool watching_step(struct watching *w, uint64_t latest_ns);

/* Brings the board up to date; or the board and all who are told, which is done
 * ten times a second anyway. */
void watching_refresh(struct watching *w);
void watching_settle(struct watching *w);

/* NULL: it goes on, or nobody saw it end. */
const struct watching_end *watching_end_of(const struct watching *w,
        uint32_t subject);

/* Whether a counter of this subject began with nothing while we watched, so
 * that its total is what was counted meanwhile. */
bool watching_saw_begin(const struct watching *w, const struct subject *x);

/* The share of a core that we ourselves took since the beginning. */
double watching_cost(const struct watching *w, uint64_t now_ns);
