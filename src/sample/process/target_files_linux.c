/* target_files_linux.c -- see proc(5), pidfd_open(2), and for what a pidfd
 * tells of the end the kernel's include/uapi/linux/pidfd.h. */
#include "sample/process/target_files_linux.h"

#include "base/command/proc_cmdline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COMMAND_CAP = 8192 };

/* Debian 12 has no name for it.  The first size that it ever had. */
struct pidfd_answer {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t ids[11];
    int32_t exit_status;
};

#define PIDFD_ASK       _IOWR(0xff, 11, struct pidfd_answer)
#define PIDFD_WANT_EXIT (UINT64_C(1) << 3)

static int open_in(int dir_fd, const char *name, int flags)
{
    int fd = dir_fd < 0 ? -1 : openat(dir_fd, name, flags | O_CLOEXEC);

    if (dir_fd < 0)
        return dir_fd;
    return fd < 0 ? -errno : fd;
}

static int open_pid(uint64_t pid)
{
    long fd = syscall(SYS_pidfd_open, (pid_t)pid, 0);

    return fd < 0 ? -errno : (int)fd;
}

/* All files are of the process that `dir_fd` stands for, whoever has its pid
 * now; and so is the pidfd if the process can still be read afterwards. */
int target_open(struct target *x, int proc_fd, bool here,
        char text[TARGET_STAT_CAP], struct proc_stat *st)
{
    char name[24];

    (void)snprintf(name, sizeof(name), "%llu", (unsigned long long)x->pid);
    x->dir_fd = open_in(proc_fd, name, O_PATH | O_DIRECTORY);
    x->task_fd = open_in(x->dir_fd, "task", O_PATH | O_DIRECTORY);
    x->stat_fd = open_in(x->dir_fd, "stat", O_RDONLY);
    x->statm_fd = open_in(x->dir_fd, "statm", O_RDONLY);
    x->io_fd = open_in(x->dir_fd, "io", O_RDONLY);
    x->status_fd = open_in(x->dir_fd, "status", O_RDONLY);
    x->pid_fd = here ? open_pid(x->pid) : -ENODEV;
    if (x->stat_fd < 0)
        return x->stat_fd == -ENOENT ? -ESRCH : x->stat_fd;
    if (x->task_fd == -EMFILE || x->statm_fd == -EMFILE ||
            x->io_fd == -EMFILE || x->status_fd == -EMFILE ||
            x->pid_fd == -EMFILE)
        return -EMFILE;
    return target_read_stat(x->stat_fd, text, st);
}

void target_close(struct target *x)
{
    const int fds[] = { x->dir_fd, x->task_fd, x->stat_fd, x->statm_fd,
        x->io_fd, x->status_fd, x->pid_fd };

    for (size_t i = 0; i < LEN(fds); i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
}

int target_read_stat(int fd, char text[TARGET_STAT_CAP], struct proc_stat *out)
{
    ssize_t len = pread(fd, text, TARGET_STAT_CAP, 0);

    if (len < 0)
        return -errno;
    return proc_stat_parse(out, (struct str){ text, (size_t)len });
}

/* Whoever may not look into a process reads 0, and may not read its io file
 * either: the kernel asks the same question for both. */
int target_wait_status(const struct target *x, const struct proc_stat *st)
{
    char byte;

    if (st->wait_status < 0 || st->wait_status > 0xffff)
        return -1;
    if (!st->wait_status && (x->io_fd < 0 || pread(x->io_fd, &byte, 1, 0) < 0))
        return -1;
    return (int)st->wait_status;
}

int target_exit_status(int *out, const struct target *x)
{
    struct pidfd_answer a = { .mask = PIDFD_WANT_EXIT };

    if (x->pid_fd < 0 || ioctl(x->pid_fd, PIDFD_ASK, &a) != 0 ||
            !(a.mask & PIDFD_WANT_EXIT))
        return -ENOTSUP;
    *out = a.exit_status;
    return 0;
}

void target_command(struct buf *out, const struct target *x)
{
    char bytes[COMMAND_CAP];
    int fd = open_in(x->dir_fd, "cmdline", O_RDONLY);
    ssize_t len = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));

    if (fd >= 0)
        (void)close(fd);
    if (len > 0)
        proc_cmdline_text(out, (struct str){ bytes, (size_t)len });
}
