/* targets.h -- the processes that are looked at, coming and going.
 *
 * They are chosen by pid, by name, or because their parent is one of them.  A
 * target is one process, not one pid: who gets its pid later is another one.
 * Names and children are found by targets_look(), so a process that starts and
 * ends between two looks is not seen; and one whose parent ended before it was
 * seen is nobody's child.
 *
 * Nothing is allocated but for new targets.  For one thread. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "sample/process/proc_stat.h"
#include "sample/subjects.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct targets;

struct target_plan {
    const uint64_t *pids;
    size_t pid_count;
    /* Globs such as "ort*", compared with the name of the process (its comm,
     * at most 15 bytes) and with the name of its program's file.  We ourselves
     * are never meant. */
    const char *const *names;
    size_t name_count;
    bool children; /* and theirs, and so on */
};

/* The files of /proc are kept open: whoever gets the pid later is not read
 * through them.  A negative errno value in place of a file: why it could not
 * be opened. */
struct target {
    uint32_t subject;
    uint32_t slot; /* below targets_slots(); free for another one after it */
    uint64_t pid;
    uint64_t parent;      /* pid, when it was found */
    char name[64];        /* its comm, which is longer for the kernel's own */
    uint64_t start_ticks; /* since boot, as the kernel counts them */
    uint64_t start_ns;    /* of mono_ns() */
    int dir_fd;           /* /proc/PID, for openat(2) */
    int task_fd;          /* /proc/PID/task, for fstat(2) */
    int stat_fd, statm_fd, io_fd, status_fd;
    int pid_fd;           /* poll(2) says when it ends */
    bool threaded;        /* it was seen with more than one thread */
    bool ended;           /* it will be gone after the next look */
    bool final_read_done; /* for who reads its last figures: once is enough */
    bool exit_known;      /* then either of these: */
    int exit_code;        /* 0 to 255 */
    int exit_signal;      /* that ended it, or 0 */
    uint64_t ended_ns;    /* of mono_ns(): when that was noticed */
};

/* `root` is "" or a folder with a recorded /proc.  -ESRCH: no process has one
 * of the pids.  -EACCES, -ENOENT: there is no /proc.  Processes that fit the
 * plan are found at once.  The plan is copied. */
int targets_open(struct targets **out, const char *root,
        const struct target_plan *plan, struct subjects *subjects,
        struct error *e);
void targets_close(struct targets *t);

/* A process to follow from now on.  -ESRCH: there is none.  -EMFILE: too many
 * files are open.  -EEXIST: it is one already. */
int targets_add(struct targets *t, uint64_t pid);

/* Finds new ones, and notices the ended ones: they are marked, stay until the
 * next look, so that their last figures can be read as long as nobody has
 * waited for them, and then go.  Reads a line of every process of the machine
 * when names or children are followed (8 us for each), so the caller limits
 * how often; once to ten times a second is usual. */
void targets_look(struct targets *t, uint64_t now_ns);

/* Reads its stat file, and marks it ended when it is; a process that nobody
 * has waited for can still be read then.  `out->name` is not set.  -ESRCH: it
 * is gone. */
int target_stat(struct targets *t, struct target *x, uint64_t now_ns,
        struct proc_stat *out);

/* Says that it ended, when and as far as it is known how.  For samplers that
 * notice it, and for who waited for a child: `status` as wait(2) has it, or
 * -1. */
void targets_ended(struct targets *t, struct target *x, uint64_t now_ns,
        int status);

/* Of living ones, and those that ended since the last look.  The order changes
 * when one goes; a pointer is valid until the next look or add. */
size_t targets_count(const struct targets *t);
struct target *targets_at(struct targets *t, size_t i);
/* NULL: it is none. */
struct target *targets_find(struct targets *t, uint64_t pid);

/* Whether these are processes of our own machine and ours to ask by pid, and
 * not those of a recorded tree or of another namespace. */
bool targets_are_here(const struct targets *t);

/* Samplers keep what they need for each target by its slot. */
size_t targets_slots(const struct targets *t);

/* Processes that fit the plan and could not be followed, because too many
 * files were open. */
uint64_t targets_refused(const struct targets *t);

/* What is known of a process beside its figures.  Starts zeroed. */
struct target_description {
    char name[64]; /* now: a process may change it */
    uint64_t parent;
    uint64_t start_wall_ns; /* since 1970 */
    struct buf command;     /* one line, secrets masked; "": a kernel thread */
    bool scheduling_known;
    int priority, nice;     /* as the kernel's stat file has them */
    char allowed_cpus[256]; /* "0-3,8"; "": not told */
};

/* -ESRCH: it is gone.  What is not told is left empty. */
int target_describe(struct targets *t, const struct target *x,
        struct target_description *out);
void target_description_release(struct target_description *d);
