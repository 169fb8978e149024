/* process_threads_linux.c -- the threads of a process: their states, context
 * switches and, when what is costly is wanted, the CPU time of each.
 *
 * The kernel tells switches of one thread only, so those of a process are the
 * sum of its threads, and of threads that ended what was seen last.  See
 * proc(5), and Documentation/scheduler/sched-stats.rst for schedstat. */
#include "base/alloc.h"
#include "base/map.h"
#include "os/kernel_text.h"
#include "sample/process/attached.h"
#include "sample/process/proc_keyed.h"
#include "sample/sampler_table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* So many are looked at unasked: a millisecond. */
enum { THREADS_FEW = 100, STATUS_CAP = 8192, SCHEDSTAT_CAP = 128 };

struct threads_state {
    struct targets *targets;
    struct subjects *subjects;
    struct attached attached;
    bool costly;
};

struct thread_memory {
    uint64_t tid;
    uint64_t switches[2]; /* voluntary, involuntary: as last seen */
    uint32_t subject;     /* 0: not told one by one */
    uint32_t round;       /* when it was seen last */
};

struct process_threads {
    DIR *task;
    bool failed, too_many_said;
    uint32_t round;
    struct map by_tid; /* to an index of threads */
    struct thread_memory *threads;
    size_t count, cap;
    uint64_t gone[2]; /* switches of threads that ended */
    unsigned state[4];
};

enum { RUNNING, SLEEPING, BLOCKED, OTHER };

static const enum metric_id state_metrics[] = {
    [RUNNING] = METRIC_process_running_threads,
    [SLEEPING] = METRIC_process_sleeping_threads,
    [BLOCKED] = METRIC_process_blocked_threads,
    [OTHER] = METRIC_process_other_threads,
};

static const enum metric_id switch_metrics[] = {
    METRIC_process_voluntary_switches_total,
    METRIC_process_involuntary_switches_total,
};

static void release_threads(void *item)
{
    struct process_threads *p = item;

    if (p->task)
        (void)closedir(p->task);
    map_release(&p->by_tid);
    free(p->threads);
}

static int threads_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct threads_state *s = state;

    if (!c->targets)
        return fail(e, -ENODEV, "no process is looked at");
    s->targets = c->targets;
    s->subjects = c->subjects;
    s->costly = c->costly;
    s->attached.size = sizeof(struct process_threads);
    s->attached.release = release_threads;
    return 0;
}

/* Half a file is none: its end is missing, and with it the switches. */
static ssize_t read_file(int dir_fd, uint64_t tid, const char *name, char *text,
        size_t cap)
{
    char path[48];

    (void)snprintf(path, sizeof(path), "%llu/%s", (unsigned long long)tid,
            name);

    int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, cap);

    if (fd >= 0)
        (void)close(fd);
    return len;
}

static int kind_of(struct str state)
{
    switch (state.len ? state.p[0] : 0) {
    case 'R': return RUNNING;
    case 'S':
    case 'I': return SLEEPING;
    case 'D': return BLOCKED;
    default: return OTHER;
    }
}

static struct thread_memory *remember(struct process_threads *p, uint64_t tid)
{
    uint64_t *at = map_find(&p->by_tid, tid);

    if (at)
        return &p->threads[*at];
    if (p->count == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 16;
        p->threads = alloc_resize(p->threads, p->cap * sizeof(*p->threads));
    }
    p->threads[p->count] = (struct thread_memory){ .tid = tid };
    map_put(&p->by_tid, tid, p->count);
    return &p->threads[p->count++];
}

/* Its switches are kept in the sum; the last one takes its place. */
static void forget(struct threads_state *s, struct process_threads *p, size_t i,
        uint64_t now_ns)
{
    struct thread_memory *m = &p->threads[i];

    p->gone[0] += m->switches[0];
    p->gone[1] += m->switches[1];
    if (m->subject)
        subjects_end(s->subjects, m->subject, now_ns);
    map_remove(&p->by_tid, m->tid);
    p->count--;
    if (i < p->count) {
        *m = p->threads[p->count];
        map_put(&p->by_tid, m->tid, i);
    }
}

static void add_one(struct threads_state *s, const struct target *x,
        struct thread_memory *m, int dir_fd, struct str name, struct batch *out)
{
    char bytes[SCHEDSTAT_CAP], text[32];
    ssize_t len = read_file(dir_fd, m->tid, "schedstat", bytes, sizeof(bytes));
    struct str rest = { bytes, len > 0 ? (size_t)len : 0 };
    uint64_t run_ns, wait_ns;

    if (str_u64(&run_ns, str_word(&rest)) ||
            str_u64(&wait_ns, str_word(&rest)) || !rest.len)
        return;
    if (!m->subject) {
        text_copy(text, sizeof(text), name);
        m->subject = subjects_add(s->subjects,
                &(struct subject){ .kind = SUBJECT_THREAD,
                        .parent = x->subject,
                        .number = m->tid,
                        .name = text,
                        .source = "process-threads" });
    }
    batch_add(out, METRIC_thread_cpu_seconds_total, m->subject,
            (double)run_ns / 1e9);
    batch_add(out, METRIC_thread_wait_seconds_total, m->subject,
            (double)wait_ns / 1e9);
}

/* A tid whose counts went back belongs to another thread by now. */
static void read_thread(struct threads_state *s, const struct target *x,
        struct process_threads *p, uint64_t tid, struct batch *out)
{
    static const char *const keys[] = { "voluntary_ctxt_switches",
        "nonvoluntary_ctxt_switches" };
    char bytes[STATUS_CAP];
    ssize_t len =
            read_file(dirfd(p->task), tid, "status", bytes, sizeof(bytes));
    struct str text = { bytes, len > 0 ? (size_t)len : 0 };
    uint64_t now[2];

    if (proc_keyed_parse(now, keys, 2, text) != 3)
        return; /* it ended meanwhile */

    struct thread_memory *m = remember(p, tid);

    if (now[0] < m->switches[0] || now[1] < m->switches[1]) {
        forget(s, p, (size_t)(m - p->threads), out->time_ns);
        m = remember(p, tid);
    }
    memcpy(m->switches, now, sizeof(now));
    m->round = p->round;
    p->state[kind_of(text_field(text, "State"))]++;
    if (s->costly)
        add_one(s, x, m, dirfd(p->task), text_field(text, "Name"), out);
}

/* Whether there are too many to be looked at unasked.  The links of the folder
 * count its folders. */
static bool too_many(struct threads_state *s, const struct target *x,
        struct process_threads *p)
{
    struct stat st;

    if (s->costly || fstat(dirfd(p->task), &st) != 0 ||
            st.st_nlink <= THREADS_FEW + 2)
        return false;
    for (size_t i = 0; i < 6 && !p->too_many_said; i++)
        subjects_missing(s->subjects,
                i < 4 ? state_metrics[i] : switch_metrics[i - 4], x->subject,
                "more than %d threads, which are looked at one by one only "
                "when what is costly is asked for",
                THREADS_FEW);
    p->too_many_said = true;
    return true;
}

static void read_process(struct threads_state *s, const struct target *x,
        struct process_threads *p, struct batch *out)
{
    const struct dirent *entry;
    uint64_t tid, sum[2];

    p->round++;
    memset(p->state, 0, sizeof(p->state));
    rewinddir(p->task);
    while ((entry = readdir(p->task)) != NULL)
        if (str_u64(&tid, str_of(entry->d_name)) == 0)
            read_thread(s, x, p, tid, out);
    for (size_t i = p->count; i-- > 0;)
        if (p->threads[i].round != p->round)
            forget(s, p, i, out->time_ns);
    if (!p->count)
        return;
    memcpy(sum, p->gone, sizeof(sum));
    for (size_t i = 0; i < p->count; i++) {
        sum[0] += p->threads[i].switches[0];
        sum[1] += p->threads[i].switches[1];
    }
    for (size_t i = 0; i < 4; i++)
        batch_add(out, state_metrics[i], x->subject, p->state[i]);
    for (size_t i = 0; i < 2; i++)
        batch_add(out, switch_metrics[i], x->subject, (double)sum[i]);
}

static bool open_task(struct process_threads *p, const struct target *x)
{
    int fd = p->task || p->failed ? -1
                                  : openat(x->dir_fd, "task",
                                            O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0)
        p->task = fdopendir(fd);
    if (fd >= 0 && !p->task)
        (void)close(fd);
    p->failed = !p->task;
    return p->task;
}

static void threads_read(void *state, struct batch *out)
{
    struct threads_state *s = state;

    for (size_t i = 0; i < targets_count(s->targets); i++) {
        const struct target *x = targets_at(s->targets, i);
        struct process_threads *p = attached_to(&s->attached, s->targets, x);

        if (!x->ended && open_task(p, x) && !too_many(s, x, p))
            read_process(s, x, p, out);
    }
}

static void threads_close(void *state)
{
    struct threads_state *s = state;

    attached_release(&s->attached);
}

const struct sampler sampler_process_threads = {
    .name = "process-threads",
    .about = "states, context switches and CPU time of threads",
    .state_size = sizeof(struct threads_state),
    .default_hz = 1,
    .most_hz = 100,
    .open = threads_open,
    .read = threads_read,
    .close = threads_close,
};
