/* child.h -- a program that we start, watch and outlive. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct child;

struct child_end {
    bool told; /* else nothing is known of it */
    int exit_code;
    int signal; /* that ended it, or 0 */
    uint64_t peak_rss_bytes;
    uint64_t user_cpu_ns, system_cpu_ns;
};

/* One variable of the child's environment; the value NULL removes it. */
struct child_variable {
    const char *name;
    const char *value;
};

struct child_plan {
    char *const *argv;
    const struct child_variable
            *variables; /* end with a name of NULL; or NULL */
    /* The signals that are sent to us are its own: relay.h.  Else ours stay as
     * they are. */
    bool relays_signals;
    /* None is held back from it: a thread of ours (thread.h) holds back all,
     * and what it starts would do so, too. */
    bool gets_signals;
    bool stdout_to_stderr; /* its stdout is our stderr */
    const char *output;    /* a file for its stdout and stderr; it has no stdin.
                              NULL: ours */
    bool takes_streams; /* stdin and stdout are its alone: ours are closed, so
                           that who is at their other ends sees it end */
};

/* Starts argv[0], searched in PATH, with our own standard streams, and our
 * environment but for the variables.  -ENOENT, -EACCES, ...: it could not be
 * started. */
int child_start(struct child **out, const struct child_plan *plan,
        struct error *e);

/* The same for a process that runs already and is not ours: it has ended when
 * it is gone, or when `until`, a file descriptor, comes to its end (-1: there
 * is none).  How it ended is not told.  -ESRCH: there is no such process. */
int child_follow(struct child **out, uint32_t pid, int until, struct error *e);

uint32_t child_pid(const struct child *c);

/* Waits at most that long.  True: it has ended, once and for all. */
bool child_wait(struct child *c, unsigned timeout_ms, struct child_end *end);

/* Waits until the moment (of mono_ns()) at most.  True: it has ended, and what
 * the system still tells of it can be read until child_wait(). */
bool child_ends_by(struct child *c, uint64_t mono_moment_ns);

/* Asks it to end (SIGTERM), and waits until it has; one that does not within
 * ten seconds is killed. */
void child_ask_to_end(struct child *c, struct child_end *end);

/* The same without waiting; or at once, which it cannot refuse.  One that is
 * only followed goes on, and is followed no longer. */
void child_signal_end(struct child *c, bool at_once);

/* Whether somebody asked us to end when the child had ended already: before,
 * that was meant for the child. */
bool child_asked_to_end(const struct child *c);

/* Frees.  Signals that were relayed do not end us from now on: relay.h. */
void child_close(struct child *c);

/* Ends us by the signal that ended the child, so that whoever waits for us sees
 * the same.  Returns where that is not possible: as a container's process 1. */
void end_by_signal(int number);

/* A process that is not ours: whether it is there and running. */
struct watched;

struct watched *watch_process(uint32_t pid);
bool watched_is_gone(struct watched *w);
void watched_free(struct watched *w);

bool process_is_there(uint32_t pid);

/* Whether it has restricted which system calls it makes, more than we are; also
 * where that cannot be told. */
bool process_is_confined(uint32_t pid);

/* The most memory that we ourselves ever had resident. */
uint64_t own_peak_rss_bytes(void);
uint32_t own_pid(void);
uint32_t parent_pid(void);
/* A number for the set of processes that our pids are right in; 0: not told. */
uint64_t own_pid_namespace(void);
