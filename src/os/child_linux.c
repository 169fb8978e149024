#include "os/child.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int handled[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

struct child {
    pid_t pid;
    int pidfd; /* -1: this kernel has none */
    bool ended;
    struct child_end end;
    struct sigaction before[LEN(handled)];
};

/* --- signals -------------------------------------------------------------- */

static volatile sig_atomic_t forward_to;

static void forward(int number)
{
    int saved = errno;

    if (forward_to > 0)
        (void)kill(forward_to, number);
    errno = saved;
}

static void stay_alive(struct child *c)
{
    for (size_t i = 0; i < LEN(handled); i++) {
        bool from_terminal = handled[i] == SIGINT || handled[i] == SIGQUIT;
        struct sigaction a = {
            .sa_handler = from_terminal ? SIG_IGN : forward,
            .sa_flags = SA_RESTART,
        };

        (void)sigaction(handled[i], &a, &c->before[i]);
    }
}

/* While the child is half made, these wait. */
static void hold_signals(sigset_t *before)
{
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < LEN(handled); i++)
        (void)sigaddset(&set, handled[i]);
    (void)sigprocmask(SIG_BLOCK, &set, before);
}

static void as_before(const struct child *c)
{
    for (size_t i = 0; i < LEN(handled); i++)
        (void)sigaction(handled[i], &c->before[i], NULL);
}

/* --- starting ------------------------------------------------------------- */

static void set_variables(const struct child_variable *v)
{
    for (; v->name; v++) {
        if (v->value)
            (void)setenv(v->name, v->value, 1);
        else
            (void)unsetenv(v->name);
    }
}

/* In the child.  Returns only if the program could not be started. */
static void become(char *const *argv, const struct child_variable *variables,
        int report)
{
    set_variables(variables);
    (void)execvp(argv[0], argv);

    int why = errno;
    ssize_t n = write(report, &why, sizeof(why));

    (void)n; /* nobody listens: then nobody can be told */
}

/* 0, or why exec failed: the pipe closes by itself when it succeeds. */
static int read_report(int fd)
{
    int why = 0;
    ssize_t n;

    do
        n = read(fd, &why, sizeof(why));
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof(why) ? why : 0;
}

static int explain(const char *program, int why, struct error *e)
{
    if (why == ENOENT)
        return fail(e, -why, "cannot start %s: there is no such program",
                program);
    if (why == EACCES)
        return fail(e, -why, "cannot start %s: it may not be executed",
                program);
    return fail(e, -why, "cannot start %s: %s", program, strerror(why));
}

int child_start(struct child **out, char *const *argv,
        const struct child_variable *variables, struct error *e)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return fail(e, -errno, "cannot make a pipe: %s", strerror(errno));

    struct child *c = alloc_zero(1, sizeof(*c));
    sigset_t mask;

    hold_signals(&mask);
    stay_alive(c);
    c->pidfd = -1;
    c->pid = fork();
    if (c->pid == 0) {
        as_before(c);
        (void)sigprocmask(SIG_SETMASK, &mask, NULL);
        become(argv, variables, ends[1]);
        _exit(127); /* of a copy of us that never became the program */
    }

    int why = c->pid < 0 ? errno : 0;

    forward_to = c->pid;
    (void)sigprocmask(SIG_SETMASK, &mask, NULL);
    (void)close(ends[1]);
    if (!why)
        why = read_report(ends[0]);
    (void)close(ends[0]);
    if (why) {
        if (c->pid > 0)
            (void)waitpid(c->pid, NULL, 0);
        c->ended = true;
        child_close(c);
        return explain(argv[0], why, e);
    }
    c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
    *out = c;
    return 0;
}

uint32_t child_pid(const struct child *c)
{
    return (uint32_t)c->pid;
}

/* --- waiting -------------------------------------------------------------- */

static uint64_t ns_of(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static bool reap(struct child *c)
{
    struct rusage used;
    int status;

    if (wait4(c->pid, &status, WNOHANG, &used) != c->pid)
        return false;
    forward_to = 0;
    c->ended = true;
    c->end = (struct child_end){
        .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        .peak_rss_bytes = (uint64_t)used.ru_maxrss * 1024,
        .user_cpu_ns = ns_of(used.ru_utime),
        .system_cpu_ns = ns_of(used.ru_stime),
    };
    return true;
}

bool child_wait(struct child *c, unsigned timeout_ms, struct child_end *end)
{
    if (!c->ended && !reap(c)) {
        struct pollfd p = { .fd = c->pidfd, .events = POLLIN };

        /* Without a pidfd the time simply passes. */
        (void)poll(&p, c->pidfd >= 0, (int)timeout_ms);
        (void)reap(c);
    }
    if (c->ended)
        *end = c->end;
    return c->ended;
}

bool child_ends_by(struct child *c, uint64_t mono_moment_ns)
{
    struct pollfd p = { .fd = c->pidfd, .events = POLLIN };
    uint64_t now_ns = mono_ns();
    uint64_t left_ns = mono_moment_ns > now_ns ? mono_moment_ns - now_ns : 0;
    struct timespec left = {
        .tv_sec = (time_t)(left_ns / 1000000000),
        .tv_nsec = (long)(left_ns % 1000000000),
    };

    if (c->ended)
        return true;
    if (ppoll(&p, c->pidfd >= 0, &left, NULL) > 0)
        return true;

    siginfo_t info = { 0 };

    return c->pidfd < 0 &&
           waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
                   0 &&
           info.si_pid == c->pid;
}

void child_ask_to_end(struct child *c)
{
    struct child_end end;

    if (!c->ended)
        (void)kill(c->pid, SIGTERM);
    while (!child_wait(c, 100, &end))
        ;
}

void child_close(struct child *c)
{
    if (!c)
        return;
    forward_to = 0;
    as_before(c);
    if (c->pidfd >= 0)
        (void)close(c->pidfd);
    free(c);
}

/* --- other processes ------------------------------------------------------ */

struct watched {
    uint32_t pid;
    int pidfd;
};

struct watched *watch_process(uint32_t pid)
{
    struct watched *w = alloc_zero(1, sizeof(*w));

    w->pid = pid;
    w->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    return w;
}

bool watched_is_gone(struct watched *w)
{
    struct pollfd p = { .fd = w->pidfd, .events = POLLIN };

    if (w->pidfd < 0)
        return !process_is_there(w->pid);
    return poll(&p, 1, 0) > 0;
}

void watched_free(struct watched *w)
{
    if (!w)
        return;
    if (w->pidfd >= 0)
        (void)close(w->pidfd);
    free(w);
}

bool process_is_there(uint32_t pid)
{
    /* Beyond, kill() would take it for a group. */
    return pid && pid <= INT32_MAX &&
           (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

uint64_t own_peak_rss_bytes(void)
{
    struct rusage used;

    (void)getrusage(RUSAGE_SELF, &used);
    return (uint64_t)used.ru_maxrss * 1024;
}

uint32_t own_pid(void)
{
    return (uint32_t)getpid();
}

uint64_t own_pid_namespace(void)
{
    struct stat s;

    return stat("/proc/self/ns/pid", &s) == 0 ? s.st_ino : 0;
}
