/* collector.h -- a program under the meter, from its start to its end.
 *
 * Makes the folder for the rings, starts the program with the hook, empties the
 * rings while it runs, and tells subscribers what happens, from `begin` to
 * `close` (model/subscriber.h).  live/loop.h drives it. */
#pragma once

#include "base/error.h"
#include "model/subscriber.h"

struct collector;

struct collector_plan {
    char *const *argv; /* ends with NULL */
    /* A process that runs already, instead of starting argv, which is then how
     * it was started; until it has ended, or `until` has (os/process/child.h).
     */
    uint32_t pid;
    int until;
    const char *folder;    /* for the rings; NULL: one of our own */
    char *const *shown;    /* as what it is recorded; NULL: argv */
    const char *hook;      /* libortmeter.so, for the program to load */
    const char *tags;      /* or NULL */
    const char *ops;       /* "off", "auto", "all" or a number; NULL: off */
    bool keeps_timelines;  /* of all traced inferences, while there is room */
    uint64_t stats;        /* one inference in so many has its values read; 0 */
    uint64_t ring_records; /* 0: as many as usual; else a power of 2 */
    bool keeps_streams; /* our stdin and stdout; else they are the program's */
    /* A file for what the program prints.  Then our streams and our signals
     * are ours: collector_stop().  NULL: what is sent to us is meant for it. */
    const char *output;
    bool waits;    /* for processes that the program left behind */
    double wait_s; /* at most that long; 0: until they have ended, or somebody
                      asks us to end */
};

/* Makes ready; the program is not started yet.  The plan's texts live as
 * long. */
int collector_open(struct collector **out, const struct collector_plan *plan,
        struct error *e);

/* The run as far as it is known; whoever keeps it fills `row` and `id` before
 * the program is started.  Its texts live as long as the collector. */
struct run *collector_run(struct collector *c);

/* Starts the program, and tells that the run begins.  The list must live as
 * long; it gets one more, who counts.  An error: it was not started, and
 * nothing was told. */
int collector_start(struct collector *c, struct subscribers *to,
        struct error *e);

uint32_t collector_pid(const struct collector *c);
/* What ORTMETER_DIR is to be, of programs that are recorded. */
const char *collector_folder(const struct collector *c);

/* When the rings are due, of mono_ns(), and a look at them if they are. */
uint64_t collector_next_ns(const struct collector *c);
void collector_step(struct collector *c);

/* Waits until that moment at most.  True: the program has ended. */
bool collector_ends_by(struct collector *c, uint64_t mono_moment_ns);

/* The program is to end: it is asked to, and killed if it takes ten seconds.
 * For any thread. */
void collector_stop(struct collector *c);

/* Changes what the program's processes record from now on: `ops` as in the
 * plan, and whether inferences are recorded at all.  For the thread that steps.
 * Returns how many processes cannot begin to trace, as they are confined. */
size_t collector_trace(struct collector *c, const char *ops);
void collector_pause(struct collector *c, bool paused);
/* A mark in the run, of now. */
void collector_mark(struct collector *c, const char *text);

/* It has ended: waits for those that it left behind, where that was asked for,
 * and tells the rest, with notes on what is not in it. */
void collector_finish(struct collector *c);

/* Frees.  NULL is welcome. */
void collector_close(struct collector *c);
