#include "os/stream.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct stream {
    pid_t pid;
    int out, err; /* our ends, which do not block */
};

static void close_both(const int pipe_ends[2])
{
    (void)close(pipe_ends[0]);
    (void)close(pipe_ends[1]);
}

/* Our signals are ours: the program begins with none ignored or blocked. */
static void fresh_signals(posix_spawnattr_t *attributes)
{
    sigset_t all, none;

    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    (void)posix_spawnattr_setsigdefault(attributes, &all);
    (void)posix_spawnattr_setsigmask(attributes, &none);
    (void)posix_spawnattr_setflags(attributes,
            POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

static int spawn(pid_t *pid, char *const *argv, int out, int err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
            O_RDONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    (void)posix_spawnattr_init(&attributes);
    fresh_signals(&attributes);

    int rc = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);

    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return -rc;
}

int stream_open(struct stream **out, char *const *argv, struct error *e)
{
    int written[2], errors[2];
    pid_t pid;

    if (pipe2(written, O_CLOEXEC | O_NONBLOCK))
        return fail(e, -errno, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(errors, O_CLOEXEC | O_NONBLOCK)) {
        int why = errno;

        close_both(written);
        return fail(e, -why, "cannot make a pipe: %s", strerror(why));
    }
    /* Its ends wait for us when we are slow. */
    (void)fcntl(written[1], F_SETFL, 0);
    (void)fcntl(errors[1], F_SETFL, 0);

    int rc = spawn(&pid, argv, written[1], errors[1]);

    if (rc) {
        close_both(written);
        close_both(errors);
        return fail(e, rc, "cannot start %s: %s", argv[0], strerror(-rc));
    }
    (void)close(written[1]);
    (void)close(errors[1]);
    *out = alloc_zero(1, sizeof(**out));
    **out = (struct stream){ pid, written[0], errors[0] };
    return 0;
}

static int read_some(int fd, char *buf, size_t cap)
{
    ssize_t n;

    do
        n = read(fd, buf, cap);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        return (int)n;
    if (n == 0)
        return -EPIPE;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

int stream_read(struct stream *s, char *buf, size_t cap)
{
    return read_some(s->out, buf, cap);
}

int stream_read_errors(struct stream *s, char *buf, size_t cap)
{
    return read_some(s->err, buf, cap);
}

void stream_close(struct stream *s)
{
    if (!s)
        return;
    (void)close(s->out);
    (void)close(s->err);
    (void)kill(s->pid, SIGKILL);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    free(s);
}
