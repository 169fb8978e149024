/* process_linux.c -- CPU time, memory, faults, threads and I/O of processes.
 *
 * CPU time comes from the CPU clock of the process, which the scheduler counts
 * in nanoseconds.  The clock ticks in the stat file are 10 ms long: at 100 Hz
 * they say 0 or 100 %.  They say, however, how the time divides into user and
 * system, and the kernel itself shares the exact total out by them.
 *
 * The order of reading matters: a clock is named by its pid.  If the stat file,
 * kept open since the process was found, can be read afterwards, then nobody
 * else had the pid before.  See clock_getcpuclockid(3), proc(5). */
#include "base/compiler.h"
#include "base/counter.h"
#include "os/clock.h"
#include "sample/attached.h"
#include "sample/proc_keyed.h"
#include "sample/proc_stat.h"
#include "sample/process_status.h"
#include "sample/sampler_table.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { IO_CAP = 512, STATM_CAP = 256 };

struct process_state {
    struct targets *targets;
    struct subjects *subjects;
    struct attached attached;
    uint64_t page_bytes, tick_ns;
};

struct process_memory {
    struct counter cpu;
    uint64_t user_ns, system_ns; /* as last told */
    bool met;
};

static const char *const io_keys[] = { "rchar", "wchar", "syscr", "syscw",
    "read_bytes", "write_bytes" };

static const enum metric_id io_metrics[LEN(io_keys)] = {
    METRIC_process_read_bytes_total,
    METRIC_process_written_bytes_total,
    METRIC_process_read_calls_total,
    METRIC_process_write_calls_total,
    METRIC_process_storage_read_bytes_total,
    METRIC_process_storage_written_bytes_total,
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
 * three bits that say "scheduler's time". */
static int read_cpu_clock(uint64_t *out, uint64_t pid)
{
    clockid_t id = (clockid_t)((~(uint32_t)pid << 3) | 2U);
    struct timespec t;

    if (clock_gettime(id, &t) != 0)
        return -errno;
    *out = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    return 0;
}

static void add_shared(struct batch *out, enum metric_id metric,
        uint32_t subject, uint64_t ns)
{
    size_t before = out->count;

    batch_add(out, metric, subject, (double)ns / 1e9);
    if (out->count > before)
        out->items[before].method = READING_APPORTIONED;
}

/* Both parts only grow, although the key that they are shared out by changes
 * all the time. */
static void add_split(struct batch *out, struct process_memory *m,
        uint32_t subject, uint64_t cpu_ns, const struct proc_stat *st)
{
    double ticks = (double)st->user_ticks + (double)st->system_ticks;

    if (ticks <= 0 || cpu_ns < m->user_ns + m->system_ns)
        return;

    double share = (double)st->user_ticks / ticks;
    uint64_t user_ns = (uint64_t)((double)cpu_ns * share);

    if (user_ns < m->user_ns)
        user_ns = m->user_ns;
    if (user_ns > cpu_ns - m->system_ns)
        user_ns = cpu_ns - m->system_ns;
    m->user_ns = user_ns;
    m->system_ns = cpu_ns - user_ns;
    add_shared(out, METRIC_process_user_cpu_seconds_total, subject, user_ns);
    add_shared(out, METRIC_process_system_cpu_seconds_total, subject,
            m->system_ns);
}

static void add_cpu(struct batch *out, struct process_memory *m,
        uint32_t subject, uint64_t time_ns, uint64_t cpu_ns)
{
    double ns_per_s;

    batch_add_at(out, time_ns, METRIC_process_cpu_seconds_total, subject,
            (double)cpu_ns / 1e9);
    if (counter_rate(&m->cpu, cpu_ns, time_ns, &ns_per_s))
        batch_add_at(out, time_ns, METRIC_process_cpu_cores, subject,
                ns_per_s / 1e9);
}

static void add_stat(struct batch *out, uint32_t subject,
        const struct proc_stat *st)
{
    batch_add(out, METRIC_process_minor_faults_total, subject,
            (double)st->minor_faults);
    batch_add(out, METRIC_process_major_faults_total, subject,
            (double)st->major_faults);
    batch_add(out, METRIC_process_threads, subject, (double)st->threads);
    batch_add(out, METRIC_process_priority_level, subject,
            (double)st->priority);
    batch_add(out, METRIC_process_nice_level, subject, (double)st->nice);
    batch_add(out, METRIC_process_virtual_bytes, subject,
            (double)st->virtual_bytes);
}

/* statm and not stat: there the kernel adds up what each CPU counts for
 * itself, and stat may be off by some hundred pages. */
static void add_resident(struct batch *out, const struct process_state *s,
        const struct target *x)
{
    char text[STATM_CAP];
    ssize_t len =
            x->statm_fd < 0 ? -1 : pread(x->statm_fd, text, sizeof(text), 0);
    struct str rest = { text, len > 0 ? (size_t)len : 0 };
    uint64_t pages;

    (void)str_word(&rest);
    if (str_u64(&pages, str_word(&rest)) == 0 && rest.len)
        batch_add(out, METRIC_process_resident_bytes, x->subject,
                (double)pages * (double)s->page_bytes);
}

/* Returns 0 or a negative errno value: whether we may is asked at each read. */
static int add_io(struct batch *out, const struct target *x)
{
    char text[IO_CAP];
    uint64_t values[LEN(io_keys)];
    ssize_t len = pread(x->io_fd, text, sizeof(text), 0);

    if (len < 0)
        return -errno;

    uint32_t found = proc_keyed_parse(values, io_keys, LEN(io_keys),
            (struct str){ text, (size_t)len });

    for (size_t i = 0; i < LEN(io_keys); i++)
        if (found & 1U << i)
            batch_add(out, io_metrics[i], x->subject, (double)values[i]);
    return 0;
}

/* Said once, so that nobody wonders. */
static void meet(struct process_state *s, const struct target *x, int io_rc)
{
    for (size_t i = 0; io_rc && i < LEN(io_metrics); i++)
        subjects_missing(s->subjects, io_metrics[i], x->subject,
                "/proc/%llu/io: %s%s", (unsigned long long)x->pid,
                strerror(-io_rc),
                io_rc == -EACCES ? "; only its owner and root may read it"
                                 : "");
    if (!targets_are_here(s->targets))
        subjects_missing(s->subjects, METRIC_process_cpu_cores, x->subject,
                "the process is not of this machine: its CPU time is known in "
                "clock ticks only");
}

static void read_one(struct process_state *s, struct target *x,
        struct batch *out)
{
    struct process_memory *m = attached_to(&s->attached, s->targets, x);
    uint64_t cpu_ns = 0;
    bool here = targets_are_here(s->targets);
    int clock_rc = here ? read_cpu_clock(&cpu_ns, x->pid) : -ENODEV;
    uint64_t time_ns = here ? mono_ns() : out->time_ns;
    struct proc_stat st;

    if (target_stat(s->targets, x, time_ns, &st))
        return;
    if (!here) {
        cpu_ns = (st.user_ticks + st.system_ticks) * s->tick_ns;
        batch_add(out, METRIC_process_cpu_seconds_total, x->subject,
                (double)cpu_ns / 1e9);
    } else if (!clock_rc) {
        add_cpu(out, m, x->subject, time_ns, cpu_ns);
    }
    if (!clock_rc || !here)
        add_split(out, m, x->subject, cpu_ns, &st);
    add_stat(out, x->subject, &st);
    add_resident(out, s, x);

    int io_rc = x->io_fd < 0 ? x->io_fd : add_io(out, x);

    if (!m->met)
        meet(s, x, io_rc);
    m->met = true;
    if (x->ended) /* what is dear and final */
        process_status_add(out, x);
    x->final_read_done = x->ended;
}

static void process_read(void *state, struct batch *out)
{
    struct process_state *s = state;

    for (size_t i = 0; i < targets_count(s->targets); i++) {
        struct target *x = targets_at(s->targets, i);

        if (!x->final_read_done)
            read_one(s, x, out);
    }
}

static void process_close(void *state)
{
    struct process_state *s = state;

    attached_release(&s->attached);
}

const struct sampler sampler_process = {
    .name = "process",
    .about = "CPU time, memory, faults, threads and I/O of a process",
    .state_size = sizeof(struct process_state),
    .default_hz = 100,
    .most_hz = 10000,
    .open = process_open,
    .read = process_read,
    .close = process_close,
};
