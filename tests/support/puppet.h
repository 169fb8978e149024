/* puppet.h -- a child process that a test leads by the hand: it does what it
 * is told, says when it has, and ends when nobody holds the strings. */
#pragma once

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct puppet {
    pid_t pid;
    int to, from;
};

/* In the puppet.  The next order; 0: there are no more. */
static inline char puppet_order(int in)
{
    char order = 0;

    return read(in, &order, 1) == 1 ? order : 0;
}

static inline void puppet_done(int out)
{
    if (write(out, "", 1) != 1)
        _exit(99);
}

/* `body` runs in the puppet; what it returns is its exit code. */
static inline struct puppet puppet_start(int (*body)(int in, int out))
{
    struct puppet p = { 0 };
    int in[2], out[2];

    CHECK(pipe(in) == 0 && pipe(out) == 0);
    p.pid = fork();
    if (p.pid == 0) {
        (void)close(in[1]);
        (void)close(out[0]);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(body(in[0], out[1]));
    }
    CHECK(p.pid > 0);
    (void)close(in[0]);
    (void)close(out[1]);
    p.to = in[1];
    p.from = out[0];
    return p;
}

/* The same of a program and its role, with its further arguments or NULL; see
 * tests/programs/puppet.c.  Returns when the program is in place: before, the
 * child is a copy of us, with whatever threads a sanitizer gives it. */
static inline struct puppet puppet_program(const char *path, const char *role,
        const char *a, const char *b)
{
    struct puppet p = { 0 };
    int in[2], out[2], loaded[2];
    char none;

    CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
            pipe2(loaded, O_CLOEXEC) == 0);
    p.pid = fork();
    if (p.pid == 0) {
        (void)dup2(in[0], 0);
        (void)dup2(out[1], 1);
        (void)execl(path, path, role, a, b, (char *)NULL);
        _exit(127);
    }
    CHECK(p.pid > 0);
    (void)close(in[0]);
    (void)close(out[1]);
    (void)close(loaded[1]);
    CHECK(read(loaded[0], &none, 1) == 0);
    (void)close(loaded[0]);
    p.to = in[1];
    p.from = out[0];
    return p;
}

/* Waits until it says that something is done. */
static inline void puppet_await(struct puppet *p)
{
    char byte;

    CHECK(read(p->from, &byte, 1) == 1);
}

/* Gives an order and waits until it is done. */
static inline void puppet_tell(struct puppet *p, char order)
{
    CHECK(write(p->to, &order, 1) == 1);
    puppet_await(p);
}

/* Lets it end and waits for that, but nobody has waited for it with wait(2):
 * it is a zombie. */
static inline void puppet_drop(struct puppet *p)
{
    siginfo_t info;

    (void)close(p->to);
    (void)close(p->from);
    CHECK(waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOWAIT) == 0);
}

/* Buries it.  Returns its status. */
static inline int puppet_bury(struct puppet *p, struct rusage *usage)
{
    int status = -1;

    CHECK(wait4(p->pid, &status, 0, usage) == p->pid);
    return status;
}

static inline void puppet_end(struct puppet *p)
{
    puppet_drop(p);
    (void)puppet_bury(p, NULL);
}

/* Another child, with this very pid, which waits for a signal.  -EPERM: that is
 * for root. */
static inline pid_t puppet_with_pid(pid_t pid)
{
    struct clone_args args = {
        .exit_signal = SIGCHLD,
        .set_tid = (uint64_t)(uintptr_t)&pid,
        .set_tid_size = 1,
    };
    long got = syscall(SYS_clone3, &args, sizeof(args));

    if (got == 0) {
        (void)pause();
        _exit(0);
    }
    return got < 0 ? (pid_t)-errno : (pid_t)got;
}
