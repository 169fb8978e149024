#include "os/process/child.h"

#include "base/alloc.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process/interrupt.h"
#include "os/process/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS UINT64_C(10000000000)

struct child {
    pid_t pid;
    int pidfd;     /* -1: this kernel has none */
    bool followed; /* it is not ours */
    int until;     /* of one that is followed: -1, or what tells its end */
    bool ended;
    struct child_end end;
    struct relay *relay;
};

/* --- starting ------------------------------------------------------------- */

static void set_variables(const struct child_variable *v)
{
    for (; v && v->name; v++) {
        if (v->value)
            (void)setenv(v->name, v->value, 1);
        else
            (void)unsetenv(v->name);
    }
}

/* What cannot be written there is lost: our own streams are not for it. */
static void use_file(const char *path)
{
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int from = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)dup2(from, STDIN_FILENO);
    (void)dup2(to < 0 ? from : to, STDOUT_FILENO);
    (void)dup2(to < 0 ? from : to, STDERR_FILENO);
}

/* In the child.  Returns only if the program could not be started. */
static void become(const struct child_plan *plan, int report)
{
    sigset_t none;

    (void)sigemptyset(&none);
    if (plan->gets_signals)
        (void)sigprocmask(SIG_SETMASK, &none, NULL);
    set_variables(plan->variables);
    if (plan->stdout_to_stderr)
        (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    if (plan->output)
        use_file(plan->output);
    (void)execvp(plan->argv[0], plan->argv);

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

static void let_streams_go(void)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing < 0)
        return;
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(nothing, STDOUT_FILENO);
    if (nothing > STDERR_FILENO)
        (void)close(nothing);
}

int child_start(struct child **out, const struct child_plan *plan,
        struct error *e)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return fail(e, -errno, "cannot make a pipe: %s", strerror(errno));

    struct child *c = alloc_zero(1, sizeof(*c));

    c->relay = relay_hold(plan->relays_signals);
    c->pidfd = c->until = -1;
    c->pid = fork();
    if (c->pid == 0) {
        interrupt_release();
        relay_in_child(c->relay);
        become(plan, ends[1]);
        _exit(127); /* of a copy of us that never became the program */
    }

    int why = c->pid < 0 ? errno : 0;

    relay_began(c->relay, c->pid);
    (void)close(ends[1]);
    if (!why)
        why = read_report(ends[0]);
    (void)close(ends[0]);
    if (why) {
        if (c->pid > 0)
            (void)waitpid(c->pid, NULL, 0);
        child_close(c);
        return explain(plan->argv[0], why, e);
    }
    if (plan->takes_streams)
        let_streams_go();
    c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
    *out = c;
    return 0;
}

int child_follow(struct child **out, uint32_t pid, int until, struct error *e)
{
    if (!process_is_there(pid))
        return fail(e, -ESRCH, "there is no process %u", pid);

    struct child *c = alloc_zero(1, sizeof(*c));

    c->pid = (pid_t)pid;
    c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
    c->followed = true;
    c->until = until;
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

/* Nobody will tell us anything more: what is said there counts for nothing. */
static bool is_at_end(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    char said[64];

    while (fd >= 0 && poll(&p, 1, 0) > 0)
        if (read(fd, said, sizeof(said)) <= 0)
            return true;
    return false;
}

static bool has_ended(const struct child *c)
{
    siginfo_t info = { 0 };

    if (c->followed)
        return is_at_end(c->until) || !process_is_there((uint32_t)c->pid);
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
                   0 &&
           info.si_pid == c->pid;
}

/* As process 1 we are the parent of whom others left behind. */
static void reap_orphans(const struct child *c)
{
    siginfo_t info = { 0 };

    while (getpid() == 1 &&
            waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid && info.si_pid != c->pid) {
        (void)waitpid(info.si_pid, NULL, 0);
        info.si_pid = 0;
    }
}

static bool reap(struct child *c)
{
    struct rusage used;
    int status;

    if (c->followed) {
        c->ended = c->ended || has_ended(c);
        return c->ended;
    }
    reap_orphans(c);
    if (!has_ended(c))
        return false;
    relay_ended(c->relay);
    if (wait4(c->pid, &status, WNOHANG, &used) != c->pid)
        return false;
    c->ended = true;
    c->end = (struct child_end){
        .told = true,
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
    struct pollfd p[] = { { .fd = c->pidfd, .events = POLLIN },
        { .fd = c->until, .events = POLLIN } };
    uint64_t now_ns = mono_ns();
    uint64_t left_ns = mono_moment_ns > now_ns ? mono_moment_ns - now_ns : 0;
    struct timespec left = {
        .tv_sec = (time_t)(left_ns / 1000000000),
        .tv_nsec = (long)(left_ns % 1000000000),
    };

    if (c->ended)
        return true;
    if (ppoll(p, 2, &left, NULL) > 0)
        return !c->followed || reap(c);

    reap_orphans(c);
    return c->pidfd < 0 && has_ended(c);
}

void child_signal_end(struct child *c, bool at_once)
{
    if (c->followed)
        c->ended = true;
    else if (!c->ended)
        (void)kill(c->pid, at_once ? SIGKILL : SIGTERM);
}

void child_ask_to_end(struct child *c, struct child_end *end)
{
    uint64_t start_ns = mono_ns();

    child_signal_end(c, false);
    while (!child_wait(c, 100, end))
        if (mono_ns() - start_ns > PATIENCE_NS)
            child_signal_end(c, true);
}

bool child_asked_to_end(const struct child *c)
{
    return c->ended && relay_asked_to_end();
}

void child_close(struct child *c)
{
    if (!c)
        return;
    relay_close(c->relay);
    if (c->pidfd >= 0)
        (void)close(c->pidfd);
    free(c);
}

void end_by_signal(int number)
{
    struct sigaction a = { .sa_handler = SIG_DFL };
    sigset_t set;

    (void)prctl(PR_SET_DUMPABLE, 0); /* the core that counts is the child's */
    (void)sigaction(number, &a, NULL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, number);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)raise(number);
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

/* What the kernel says of seccomp; empty where it says nothing. */
struct confinement {
    char mode[16], filters[16];
};

static bool read_confinement(struct confinement *out, const char *path)
{
    char text[8192];
    const char *mode, *filters;

    *out = (struct confinement){ .mode = "", .filters = "" };
    if (file_read(text, sizeof(text), "%s", path) < 0)
        return false;
    mode = strstr(text, "\nSeccomp:");
    filters = strstr(text, "\nSeccomp_filters:");
    if (mode)
        (void)snprintf(out->mode, sizeof(out->mode), "%.*s",
                (int)strcspn(mode + 9, "\n"), mode + 9);
    if (filters)
        (void)snprintf(out->filters, sizeof(out->filters), "%.*s",
                (int)strcspn(filters + 17, "\n"), filters + 17);
    return true;
}

bool process_is_confined(uint32_t pid)
{
    struct confinement ours, theirs;
    struct folder tasks = { 0 };
    bool confined = folder_read(&tasks, "/proc/%u/task", pid) < 0 ||
                    !read_confinement(&ours, "/proc/self/status");

    for (size_t i = 0; i < tasks.count && !confined; i++) {
        char path[64];

        (void)snprintf(path, sizeof(path), "/proc/%u/task/%s/status", pid,
                tasks.name[i]);
        confined = read_confinement(&theirs, path) &&
                   (strcmp(ours.mode, theirs.mode) != 0 ||
                           strcmp(ours.filters, theirs.filters) != 0);
    }
    folder_release(&tasks);
    return confined;
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

uint32_t parent_pid(void)
{
    return (uint32_t)getppid();
}

uint64_t own_pid_namespace(void)
{
    struct stat s;

    return stat("/proc/self/ns/pid", &s) == 0 ? s.st_ino : 0;
}
