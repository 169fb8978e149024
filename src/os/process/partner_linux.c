#include "os/process/partner.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct partner {
    pid_t pid;
    int to, from;
};

/* In the child, after fork(): only what may be called there. */
static void become(char *const *argv, int in, int out, pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it was gone before we asked */
        _exit(127);
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(127);
    (void)execv(argv[0], argv);
    _exit(127);
}

static void close_both(const int *ends)
{
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int partner_start(struct partner **out, char *const *argv, const char *variable,
        const char *value, struct error *e)
{
    int questions[2], answers[2];
    pid_t self = getpid();

    if (pipe2(questions, O_CLOEXEC))
        return fail(e, -errno, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(answers, O_CLOEXEC)) {
        int rc = fail(e, -errno, "cannot make a pipe: %s", strerror(errno));

        close_both(questions);
        return rc;
    }
    (void)setenv(variable, value, 1);

    pid_t pid = fork();
    int code = errno;

    if (pid == 0)
        become(argv, questions[0], answers[1], self);
    (void)unsetenv(variable);
    (void)close(questions[0]);
    (void)close(answers[1]);
    if (pid < 0) {
        (void)close(questions[1]);
        (void)close(answers[0]);
        return fail(e, -code, "cannot start %.200s: %s", argv[0],
                strerror(code));
    }
    *out = alloc_zero(1, sizeof(**out));
    **out = (struct partner){ pid, questions[1], answers[0] };
    return 0;
}

static int write_all(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -EPIPE;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

static int read_all(int fd, char *bytes, size_t len)
{
    while (len) {
        ssize_t n = read(fd, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -EPIPE;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

int partner_write(struct partner *p, const void *bytes, size_t len)
{
    /* One that has died is told by the result, not by a signal. */
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    int rc = write_all(p->to, bytes, len);

    (void)signal(SIGPIPE, before);
    return rc;
}

int partner_read(struct partner *p, void *bytes, size_t len)
{
    return read_all(p->from, bytes, len);
}

void partner_end(struct partner *p, uint64_t *peak_rss_bytes)
{
    struct rusage usage = { .ru_maxrss = 0 };
    int status;

    (void)close(p->to);
    (void)close(p->from);
    while (wait4(p->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    if (peak_rss_bytes)
        *peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
    free(p);
}

int partner_pin(void)
{
    cpu_set_t all, one;

    if (sched_getaffinity(0, sizeof(all), &all))
        return -ENOTSUP;
    CPU_ZERO(&one);
    for (int i = CPU_SETSIZE - 1; i >= 0; i--)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    return sched_setaffinity(0, sizeof(one), &one) ? -ENOTSUP : 0;
}

int partner_answer(const void *bytes, size_t len)
{
    return write_all(STDOUT_FILENO, bytes, len);
}

int partner_question(void *bytes, size_t len)
{
    return read_all(STDIN_FILENO, bytes, len);
}
