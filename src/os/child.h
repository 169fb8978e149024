/* child.h -- a program that we start, watch and outlive. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct child;

struct child_end {
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

/* Starts argv[0], searched in PATH, with our own standard streams, and our
 * environment but for `variables`, which end with a name of NULL.  -ENOENT,
 * -EACCES, ...: it could not be started. */
int child_start(struct child **out, char *const *argv,
        const struct child_variable *variables, struct error *e);

uint32_t child_pid(const struct child *c);

/* Waits at most that long.  True: it has ended, once and for all. */
bool child_wait(struct child *c, unsigned timeout_ms, struct child_end *end);

/* Waits until the moment (of mono_ns()) at most.  True: it has ended, and what
 * the system still tells of it can be read until child_wait(). */
bool child_ends_by(struct child *c, uint64_t mono_moment_ns);

/* Asks it to end (SIGTERM), and waits until it has. */
void child_ask_to_end(struct child *c);

/* From child_start() on, a signal that asks us to end (SIGTERM, SIGHUP) goes
 * to the child, and one that the terminal sends to both (SIGINT, SIGQUIT) is
 * the child's business alone: we end when it has ended.  This restores what
 * was before, and frees. */
void child_close(struct child *c);

/* A process that is not ours: whether it is there and running. */
struct watched;

struct watched *watch_process(uint32_t pid);
bool watched_is_gone(struct watched *w);
void watched_free(struct watched *w);

bool process_is_there(uint32_t pid);

/* The most memory that we ourselves ever had resident. */
uint64_t own_peak_rss_bytes(void);
uint32_t own_pid(void);
/* A number for the set of processes that our pids are right in; 0: not told. */
uint64_t own_pid_namespace(void);
