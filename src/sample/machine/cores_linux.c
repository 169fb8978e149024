/* cores_linux.c -- what each CPU does, and how fast it is clocked.  The kernel
 * counts in steps of 10 ms, so readings less than some tenths of a second
 * apart say little.  See proc(5) and Documentation/admin-guide/pm/cpufreq.rst.
 */
#include "base/alloc.h"
#include "os/path.h"
#include "sample/machine/proc_cpus.h"
#include "sample/sampler_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STAT_CAP_MIN = 65536, CORES_MAX = 65536, PATH_CAP = 512 };

struct core {
    uint32_t subject; /* 0: not seen yet */
    int frequency_fd;
    uint64_t busy, total; /* ticks, as last read */
};

struct cores_state {
    struct subjects *subjects;
    char *root;
    int stat_fd;
    char *text;
    size_t cap;
    double tick_s;
    struct core host; /* all of them; its subject is the host */
    struct core *cores;
    size_t count;
};

static void add_core(struct cores_state *s, uint64_t number)
{
    char name[32], path[PATH_CAP];

    if (number >= s->count) {
        size_t count = number + 1;

        s->cores = alloc_resize(s->cores, count * sizeof(*s->cores));
        for (size_t i = s->count; i < count; i++)
            s->cores[i] = (struct core){ .frequency_fd = -1 };
        s->count = count;
    }

    struct core *c = &s->cores[number];

    (void)snprintf(name, sizeof(name), "cpu%llu", (unsigned long long)number);
    (void)snprintf(path, sizeof(path),
            "%s/sys/devices/system/cpu/%s/cpufreq/scaling_cur_freq", s->root,
            name);
    c->frequency_fd = open(path, O_RDONLY | O_CLOEXEC);
    c->subject = subjects_add(s->subjects, &(struct subject){
                                                   .kind = SUBJECT_CORE,
                                                   .number = number,
                                                   .name = name,
                                                   .source = "cores",
                                           });
}

/* The file grows with the machine: it is read once to see how long it is, with
 * room for its numbers to grow. */
static int cores_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct cores_state *s = state;
    char path[PATH_CAP];
    ssize_t len;

    s->subjects = c->subjects;
    s->root = alloc_text(c->root);
    s->tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    (void)snprintf(path, sizeof(path), "%s/proc/stat", c->root);
    s->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->stat_fd < 0)
        return fail(e, errno == EACCES ? -EACCES : -ENODEV, "%s: %s", path,
                strerror(errno));
    for (s->cap = STAT_CAP_MIN;; s->cap *= 2) {
        s->text = alloc_resize(s->text, s->cap);
        len = pread(s->stat_fd, s->text, s->cap, 0);
        if (len < 0 || (size_t)len < s->cap - s->cap / 4)
            break;
    }
    if (path_readable("%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
                c->root))
        subjects_missing(c->subjects, METRIC_core_frequency_hertz, 0,
                "the kernel does not report the CPU's clock%s",
                sampler_where(c));
    return 0;
}

static void add_busy(struct core *c, enum metric_id metric, uint64_t busy,
        uint64_t total, struct batch *out)
{
    uint64_t gained = busy - c->busy, passed = total - c->total;

    /* The time spent waiting for storage may go back a little. */
    if (c->total && total > c->total && busy >= c->busy && gained <= passed)
        batch_add(out, metric, c->subject, (double)gained / (double)passed);
    c->busy = busy;
    c->total = total;
}

static void add_frequency(const struct core *c, struct batch *out)
{
    char text[32];
    ssize_t len = c->frequency_fd < 0
                          ? -1
                          : pread(c->frequency_fd, text, sizeof(text), 0);
    uint64_t khz;

    if (len > 0 &&
            str_u64(&khz, str_trim((struct str){ text, (size_t)len })) == 0)
        batch_add(out, METRIC_core_frequency_hertz, c->subject,
                (double)khz * 1000);
}

static void add_cpu(struct cores_state *s, const struct proc_cpu *p,
        struct batch *out)
{
    uint64_t system = p->system + p->interrupt + p->soft_interrupt;
    uint64_t busy = p->user + p->nice + system + p->stolen;
    uint64_t total = busy + p->idle + p->io_wait;

    if (p->all) {
        add_busy(&s->host, METRIC_host_busy_ratio, busy, total, out);
        return;
    }
    if (p->number >= CORES_MAX)
        return;
    if (p->number >= s->count || !s->cores[p->number].subject)
        add_core(s, p->number);

    struct core *c = &s->cores[p->number];

    add_busy(c, METRIC_core_busy_ratio, busy, total, out);
    batch_add(out, METRIC_core_user_seconds_total, c->subject,
            (double)(p->user + p->nice) * s->tick_s);
    batch_add(out, METRIC_core_system_seconds_total, c->subject,
            (double)system * s->tick_s);
    batch_add(out, METRIC_core_idle_seconds_total, c->subject,
            (double)(p->idle + p->io_wait) * s->tick_s);
    batch_add(out, METRIC_core_stolen_seconds_total, c->subject,
            (double)p->stolen * s->tick_s);
    add_frequency(c, out);
}

static void cores_read(void *state, struct batch *out)
{
    static const struct {
        const char *word;
        enum metric_id metric;
    } numbers[] = {
        { "ctxt", METRIC_host_switches_total },
        { "processes", METRIC_host_started_processes_total },
        { "procs_running", METRIC_host_running_threads },
    };
    struct cores_state *s = state;
    ssize_t len = pread(s->stat_fd, s->text, s->cap, 0);
    struct str rest = { s->text, len > 0 ? (size_t)len : 0 };
    struct proc_cpu p;
    uint64_t number;

    while (proc_cpus_next(&p, &rest))
        add_cpu(s, &p, out);
    for (size_t i = 0; i < LEN(numbers); i++)
        if (proc_cpus_number(&number, rest, numbers[i].word) == 0)
            batch_add(out, numbers[i].metric, 0, (double)number);
}

static void cores_close(void *state)
{
    struct cores_state *s = state;

    for (size_t i = 0; i < s->count; i++)
        if (s->cores[i].frequency_fd >= 0)
            (void)close(s->cores[i].frequency_fd);
    if (s->stat_fd >= 0 && s->text)
        (void)close(s->stat_fd);
    free(s->cores);
    free(s->text);
    free(s->root);
}

const struct sampler sampler_cores = {
    .name = "cores",
    .about = "use and clock of each CPU",
    .state_size = sizeof(struct cores_state),
    .default_hz = 4,
    .most_hz = 25,
    .open = cores_open,
    .read = cores_read,
    .close = cores_close,
};
