/* process_files_linux.c -- how many files a process has open.  Since Linux 6.2
 * the size of its folder fd says so; before, its entries are counted.  See
 * Documentation/filesystems/proc.rst. */
#include "base/compiler.h"
#include "sample/process/attached.h"
#include "sample/sampler_table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct files_state {
    struct targets *targets;
    struct subjects *subjects;
    struct attached attached;
};

struct process_files {
    DIR *fds;
    bool tried;
};

static void release_files(void *item)
{
    struct process_files *p = item;

    if (p->fds)
        (void)closedir(p->fds);
}

static int files_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct files_state *s = state;

    if (!c->targets)
        return fail(e, -ENODEV, "no process is looked at");
    s->targets = c->targets;
    s->subjects = c->subjects;
    s->attached.size = sizeof(struct process_files);
    s->attached.release = release_files;
    return 0;
}

static bool open_folder(struct files_state *s, struct process_files *p,
        const struct target *x)
{
    if (p->tried)
        return p->fds;
    p->tried = true;

    int fd = openat(x->dir_fd, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = errno;

    p->fds = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !p->fds)
        (void)close(fd);
    if (!p->fds && rc != ESRCH && rc != ENOENT)
        subjects_missing(s->subjects, METRIC_process_open_files, x->subject,
                "/proc/%llu/fd: %s", (unsigned long long)x->pid, strerror(rc));
    return p->fds;
}

/* -ENOENT: the process has ended. */
static int64_t count_entries(DIR *d)
{
    const struct dirent *entry;
    int64_t count = 0;

    rewinddir(d);
    errno = 0;
    while ((entry = readdir(d)) != NULL)
        count += entry->d_name[0] != '.';
    return errno ? -errno : count;
}

static void files_read(void *state, struct batch *out)
{
    struct files_state *s = state;

    for (size_t i = 0; i < targets_count(s->targets); i++) {
        const struct target *x = targets_at(s->targets, i);
        struct process_files *p = attached_to(&s->attached, s->targets, x);
        struct stat st;

        if (x->ended || !open_folder(s, p, x) || fstat(dirfd(p->fds), &st) != 0)
            continue;

        bool told = targets_are_here(s->targets) && st.st_size > 0;
        int64_t count = told ? st.st_size : count_entries(p->fds);

        if (count >= 0)
            batch_add(out, METRIC_process_open_files, x->subject,
                    (double)count);
    }
}

static void files_close(void *state)
{
    struct files_state *s = state;

    attached_release(&s->attached);
}

const struct sampler sampler_process_files = {
    .name = "process-files",
    .about = "open files of a process",
    .state_size = sizeof(struct files_state),
    .default_hz = 1,
    .most_hz = 100,
    .open = files_open,
    .read = files_read,
    .close = files_close,
};
