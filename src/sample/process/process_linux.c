/* process_linux.c -- CPU time, memory and threads of processes: what is worth a
 * thousand readings a second, for 1 to 3 us each.
 *
 * CPU time comes from the CPU clock of the process, which the scheduler counts
 * in nanoseconds.  The clock ticks of the stat file are 10 ms long: at 100 Hz
 * they say 0 or 100 %.  How the time divides into user and system is counted
 * in ticks only; the kernel shares the exact total out by them, and so do we,
 * from the two clocks that count them.
 *
 * The order of reading matters: a clock is named by its pid.  If a file of the
 * process, kept open since it was found, can be read afterwards, then nobody
 * else had the pid before.  See clock_getcpuclockid(3), proc(5).
 *
 * A process whose CPU time has not moved by a nanosecond is the same, and has
 * done nothing since the last reading: it has neither started nor ended a
 * thread, nor taken memory.  So nothing more is asked.  Others can take memory
 * away from it: that is read ten times a second all the same. */
#include "base/counter.h"
#include "os/clock.h"
#include "sample/process/attached.h"
#include "sample/process/process_io.h"
#include "sample/process/process_status.h"
#include "sample/sampler_table.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STATM_CAP = 256, CLOCK_READ_NS = 20000 };

/* Of a process that does nothing; a little less than a tenth of a second. */
#define MEMORY_READ_NS 95000000

/* The kernel counts ticks of 1 to 10 ms, and a share of less than two of them
 * says little. */
#define TICKS_READ_NS 15000000

struct process_state {
    struct targets *targets;
    struct subjects *subjects;
    struct attached attached;
    uint64_t page_bytes, tick_ns;
};

/* What is known of its CPU time. */
struct cpu_time {
    uint64_t total_ns;           /* exact */
    uint64_t user_ns, ticked_ns; /* by ticks: the first is part of the second */
};

struct process_memory {
    struct counter cpu;
    struct cpu_time last;
    uint64_t ticks_read_ns;      /* when its ticks were read, */
    uint64_t ticks_total_ns;     /* and at which CPU time */
    uint64_t user_ns, system_ns; /* as last told */
    uint64_t memory_read_ns;
    bool met;
};

static int process_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct process_state *s = state;

    if (!c->targets)
        return fail(e, -ENODEV, "no process is looked at");
    s->targets = c->targets;
    s->subjects = c->subjects;
    s->attached.size = sizeof(struct process_memory);
    s->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    s->tick_ns = 1000000000U / (uint64_t)sysconf(_SC_CLK_TCK);
    return 0;
}

/* The kernel's clockid for the CPU time of a process: the pid inverted, above
 * three bits that say which of the three. */
enum { CLOCK_TICKED, CLOCK_TICKED_USER, CLOCK_SCHEDULED };

static int read_clock(uint64_t *out, uint64_t pid, unsigned which)
{
    clockid_t id = (clockid_t)((~(uint32_t)pid << 3) | which);
    struct timespec t;

    if (clock_gettime(id, &t) != 0)
        return -errno;
    *out = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    return 0;
}

/* The moment of a reading is known to the time that it took: whoever is kept
 * from the CPU in between reads again, or a busy process would seem to use more
 * than all of it in the next interval.  Not so one that did nothing since
 * `*cpu_ns` was read. */
static int read_scheduled(uint64_t *cpu_ns, uint64_t *time_ns, uint64_t pid)
{
    uint64_t last_ns = *cpu_ns;
    int rc = 0;

    for (int tries = 0; tries < 4 && !rc; tries++) {
        uint64_t before_ns = mono_ns();

        rc = read_clock(cpu_ns, pid, CLOCK_SCHEDULED);

        uint64_t took_ns = mono_ns() - before_ns;

        *time_ns = before_ns + took_ns / 2;
        if (took_ns < CLOCK_READ_NS || *cpu_ns == last_ns)
            break;
    }
    return rc;
}

/* In this order, so that the part is not above the whole. */
static int read_ticks(struct cpu_time *out, uint64_t pid)
{
    int rc = read_clock(&out->user_ns, pid, CLOCK_TICKED_USER);

    return rc ? rc : read_clock(&out->ticked_ns, pid, CLOCK_TICKED);
}

/* `quiet` tells whether it has done nothing since the last time. */
static int read_clocks(struct cpu_time *out, uint64_t *time_ns, bool *quiet,
        struct process_memory *m, uint64_t pid)
{
    int rc;

    *out = m->last;
    rc = read_scheduled(&out->total_ns, time_ns, pid);
    *quiet = !rc && m->met && out->total_ns == m->last.total_ns;
    if (rc || out->total_ns == m->ticks_total_ns ||
            *time_ns - m->ticks_read_ns < TICKS_READ_NS)
        return rc;
    m->ticks_read_ns = *time_ns;
    m->ticks_total_ns = out->total_ns;
    return read_ticks(out, pid);
}

static void add_shared(struct batch *out, enum metric_id metric,
        uint32_t subject, uint64_t time_ns, uint64_t ns)
{
    size_t before = out->count;

    batch_add_at(out, time_ns, metric, subject, (double)ns / 1e9);
    if (out->count > before)
        out->items[before].method = READING_APPORTIONED;
}

/* Both parts only grow, although the key that they are shared out by changes
 * all the time. */
static void add_split(struct batch *out, struct process_memory *m,
        uint32_t subject, uint64_t time_ns, const struct cpu_time *t)
{
    uint64_t total_ns = t->total_ns;

    if (!t->ticked_ns || total_ns < m->user_ns + m->system_ns)
        return;

    double share = (double)t->user_ns / (double)t->ticked_ns;
    uint64_t user_ns = (uint64_t)((double)total_ns * share);

    if (user_ns < m->user_ns)
        user_ns = m->user_ns;
    if (user_ns > total_ns - m->system_ns)
        user_ns = total_ns - m->system_ns;
    m->user_ns = user_ns;
    m->system_ns = total_ns - user_ns;
    add_shared(out, METRIC_process_user_cpu_seconds_total, subject, time_ns,
            user_ns);
    add_shared(out, METRIC_process_system_cpu_seconds_total, subject, time_ns,
            m->system_ns);
}

static void add_cpu(struct batch *out, struct process_memory *m,
        uint32_t subject, uint64_t time_ns, const struct cpu_time *t)
{
    double ns_per_s;

    batch_add_at(out, time_ns, METRIC_process_cpu_seconds_total, subject,
            (double)t->total_ns / 1e9);
    if (counter_rate(&m->cpu, t->total_ns, time_ns, &ns_per_s))
        batch_add_at(out, time_ns, METRIC_process_cpu_cores, subject,
                ns_per_s / 1e9);
    add_split(out, m, subject, time_ns, t);
}

/* From statm and not from stat: here the kernel adds up what each CPU counts
 * for itself, there it may be off by hundreds of pages. */
static int read_pages(const struct target *x, uint64_t *virtual,
        uint64_t *resident)
{
    char text[STATM_CAP];
    ssize_t len =
            x->statm_fd < 0 ? -1 : pread(x->statm_fd, text, sizeof(text), 0);
    struct str rest = { text, len > 0 ? (size_t)len : 0 };
    int rc = str_u64(virtual, str_word(&rest));

    return rc ? rc : str_u64(resident, str_word(&rest));
}

static void add_threads(struct batch *out, struct target *x)
{
    struct stat st;

    /* A folder has a link for each folder in it, and two more. */
    if (x->task_fd < 0 || fstat(x->task_fd, &st) != 0 || st.st_nlink <= 2)
        return;
    x->threaded |= st.st_nlink > 3;
    batch_add(out, METRIC_process_threads, x->subject,
            (double)(st.st_nlink - 2));
}

/* A process without memory is a kernel thread, or has ended and nobody has
 * waited for it yet; then its last figures are read.  False: it is gone. */
static bool read_rest(struct process_state *s, struct target *x,
        struct batch *out)
{
    uint64_t virtual = 0, resident = 0;
    struct proc_stat st;
    int rc = read_pages(x, &virtual, &resident);

    if (!rc && virtual) {
        batch_add(out, METRIC_process_virtual_bytes, x->subject,
                (double)virtual * (double)s->page_bytes);
        batch_add(out, METRIC_process_resident_bytes, x->subject,
                (double)resident * (double)s->page_bytes);
    } else if (target_stat(s->targets, x, out->time_ns, &st)) {
        return false;
    }
    if (x->ended) {
        (void)process_io_add(out, x);
        process_status_add(out, s->targets, x);
    } else {
        add_threads(out, x);
    }
    x->final_read_done = x->ended;
    return true;
}

/* The clocks are those of this process if it can be read after them. */
static void read_living(struct process_state *s, struct target *x,
        struct process_memory *m, struct batch *out)
{
    struct cpu_time t, last = { 0 };
    uint64_t time_ns, virtual, resident;
    bool quiet;
    int rc = read_clocks(&t, &time_ns, &quiet, m, x->pid);

    if (!quiet || time_ns - m->memory_read_ns >= MEMORY_READ_NS) {
        if (!read_rest(s, x, out) || rc)
            return;
        m->memory_read_ns = time_ns;
        m->met = true;
    }
    /* It may have ended after its clocks were read. */
    if (x->ended && !read_scheduled(&last.total_ns, &time_ns, x->pid) &&
            !read_ticks(&last, x->pid) && !read_pages(x, &virtual, &resident))
        t = last;
    m->last = t;
    add_cpu(out, m, x->subject, time_ns, &t);
}

static void read_recorded(struct process_state *s, struct target *x,
        struct process_memory *m, struct batch *out)
{
    struct proc_stat st;

    if (target_stat(s->targets, x, out->time_ns, &st))
        return;

    struct cpu_time t = {
        .total_ns = (st.user_ticks + st.system_ticks) * s->tick_ns,
        .user_ns = st.user_ticks * s->tick_ns,
        .ticked_ns = (st.user_ticks + st.system_ticks) * s->tick_ns,
    };

    batch_add(out, METRIC_process_cpu_seconds_total, x->subject,
            (double)t.total_ns / 1e9);
    add_split(out, m, x->subject, out->time_ns, &t);
    if (!m->met)
        subjects_missing(s->subjects, METRIC_process_cpu_cores, x->subject,
                "the process is not of this machine: its CPU time is known in "
                "clock ticks only");
    m->met = true;
    (void)read_rest(s, x, out);
}

static void process_read(void *state, struct batch *out)
{
    struct process_state *s = state;

    for (size_t i = 0; i < targets_count(s->targets); i++) {
        struct target *x = targets_at(s->targets, i);
        struct process_memory *m = attached_to(&s->attached, s->targets, x);

        if (x->final_read_done)
            continue;
        if (targets_are_here(s->targets))
            read_living(s, x, m, out);
        else
            read_recorded(s, x, m, out);
    }
}

static void process_close(void *state)
{
    struct process_state *s = state;

    attached_release(&s->attached);
}

const struct sampler sampler_process = {
    .name = "process",
    .about = "CPU time, memory and threads of a process",
    .state_size = sizeof(struct process_state),
    .default_hz = 100,
    .most_hz = 10000,
    .open = process_open,
    .read = process_read,
    .close = process_close,
};
