/* perf_processes_linux.c -- see perf_event_open(2).
 *
 * A counter belongs to a thread, and to those that it starts from then on.  So
 * each thread that a process has when we meet it gets its counters, and all
 * later ones inherit them; a thread that starts in just that moment may be
 * missed. */
#include "sample/perf/perf_processes_linux.h"

#include "base/alloc.h"
#include "sample/perf/perf_count.h"
#include "sample/perf/perf_open_linux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 64, KINDS_MAX = 16 };

struct process_counters {
    bool met;
    int *fds; /* for each thread one of each kind; -1: it ended at once */
    size_t count;
    double last[KINDS_MAX];
};

static int open_counter(const struct perf_processes *p,
        const struct perf_kind *kind, pid_t tid)
{
    struct perf_event_attr attr = {
        .type = kind->type,
        .config = kind->config,
        .read_format =
                PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .inherit = 1,
        .inherit_thread = 1, /* threads, and not child processes */
        .exclude_kernel = !p->kernel,
        .exclude_hv = !p->kernel,
    };

    return perf_open(&p->context, &attr, tid, -1);
}

static void close_counters(void *item)
{
    struct process_counters *c = item;

    for (size_t i = 0; i < c->count; i++)
        if (c->fds[i] >= 0)
            (void)close(c->fds[i]);
    free(c->fds);
    c->fds = NULL;
    c->count = 0;
}

int perf_processes_open(struct perf_processes *p,
        const struct sample_context *c, const struct perf_kind *kinds,
        size_t count, bool kernel, struct error *e)
{
    struct error why = { 0 };
    int rc = -ENODEV, level = kernel ? 1 : 2;

    *p = (struct perf_processes){
        .targets = c->targets,
        .subjects = c->subjects,
        .kinds = kinds,
        .count = count,
        .kernel = kernel,
        .context = { .perf_open = c->perf_open },
        .attached = { .size = sizeof(struct process_counters),
                .release = close_counters },
    };
    if (!c->targets || !targets_are_here(c->targets))
        return fail(e, -ENODEV, "no process of this machine is looked at");
    for (size_t i = 0; i < count; i++) {
        int fd = open_counter(p, &kinds[i], 0);

        if (fd >= 0) {
            p->there |= 1U << i;
            (void)close(fd);
            continue;
        }
        rc = perf_refused(&why, c, fd, level);
        subjects_missing(c->subjects, kinds[i].metric, 0, "%s", why.text);
    }
    if (p->there)
        return 0;
    if (e)
        *e = why;
    return rc;
}

static void refuse(struct perf_processes *p, const struct target *x,
        const char *why)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->there & 1U << i)
            subjects_missing(p->subjects, p->kinds[i].metric, x->subject,
                    "perf_event_open: %s", why);
}

/* 0 or a negative errno value.  A thread that ended meanwhile counts nothing.
 */
static int add_thread(struct perf_processes *p, struct process_counters *c,
        pid_t tid)
{
    for (size_t i = 0; i < p->count; i++) {
        int fd = p->there & 1U << i ? open_counter(p, &p->kinds[i], tid) : -1;

        if (p->there & 1U << i && fd < 0 && fd != -ESRCH)
            return fd;
        c->fds[c->count++] = fd;
    }
    return 0;
}

static int add_threads(struct perf_processes *p, struct process_counters *c,
        DIR *task)
{
    const struct dirent *entry;
    uint64_t tid;
    int rc = 0;

    while (!rc && (entry = readdir(task)) != NULL) {
        if (str_u64(&tid, str_of(entry->d_name)))
            continue;
        if (c->count == THREADS_MAX * p->count)
            return -E2BIG;
        rc = add_thread(p, c, (pid_t)tid);
    }
    return rc;
}

static void meet(struct perf_processes *p, struct process_counters *c,
        const struct target *x)
{
    int fd = openat(x->dir_fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *task = fd < 0 ? NULL : fdopendir(fd);

    c->met = true;
    if (!task) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    c->fds = alloc_zero(THREADS_MAX * p->count, sizeof(*c->fds));

    int rc = add_threads(p, c, task);

    (void)closedir(task);
    if (!rc)
        return;
    refuse(p, x,
            rc == -E2BIG ? "the process had more than 64 threads already"
                         : strerror(-rc));
    close_counters(c);
}

static bool read_kind(const struct perf_processes *p,
        const struct process_counters *c, size_t kind, struct perf_count *sum)
{
    bool any = false;

    *sum = (struct perf_count){ 0 };
    for (size_t i = kind; i < c->count; i += p->count) {
        struct perf_count part;

        if (c->fds[i] < 0 ||
                read(c->fds[i], &part, sizeof(part)) != sizeof(part))
            continue;
        perf_count_add(sum, &part);
        any = true;
    }
    return any;
}

/* What is scaled up is an estimate, and may not go back. */
static void add_counts(const struct perf_processes *p,
        struct process_counters *c, const struct target *x, struct batch *out,
        bool with_share)
{
    double least = 1;
    bool any = false;

    for (size_t i = 0; i < p->count; i++) {
        struct perf_count sum;
        double whole;

        if (!(p->there & 1U << i) || !read_kind(p, c, i, &sum))
            continue;
        any = true;

        double share = perf_count_share(&sum);

        least = share < least ? share : least;
        if (!perf_count_whole(&whole, &sum))
            continue;
        c->last[i] = whole > c->last[i] ? whole : c->last[i];

        size_t at = out->count;

        batch_add(out, p->kinds[i].metric, x->subject, c->last[i]);
        if (out->count > at && share < 1)
            out->items[at].method = READING_MODELLED;
    }
    if (any && with_share)
        batch_add(out, METRIC_process_counted_ratio, x->subject, least);
}

void perf_processes_read(struct perf_processes *p, struct batch *out,
        bool with_share)
{
    for (size_t i = 0; i < targets_count(p->targets); i++) {
        const struct target *x = targets_at(p->targets, i);
        struct process_counters *c = attached_to(&p->attached, p->targets, x);

        if (!c->met && !x->ended)
            meet(p, c, x);
        if (c->count)
            add_counts(p, c, x, out, with_share);
    }
}

void perf_processes_close(struct perf_processes *p)
{
    attached_release(&p->attached);
}
