/* process_status_linux.c -- the two files that the kernel takes long to make,
 * stat and status; see proc(5).  They cost twice as much as all others, so they
 * are read less often. */
#include "sample/process/process_status.h"

#include "base/compiler.h"
#include "os/kernel_text.h"
#include "sample/process/proc_keyed.h"
#include "sample/sampler_table.h"

#include <errno.h>
#include <unistd.h>

enum { STATUS_CAP = 8192 };

/* In the order of the file. */
enum { PEAK, ANONYMOUS, SWAPPED, VOLUNTARY, INVOLUNTARY, KEYS };

static const char *const keys[KEYS] = { "VmHWM", "RssAnon", "VmSwap",
    "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches" };

static const enum metric_id metrics[KEYS] = {
    [PEAK] = METRIC_process_peak_resident_bytes,
    [ANONYMOUS] = METRIC_process_anonymous_bytes,
    [SWAPPED] = METRIC_process_swapped_bytes,
    [VOLUNTARY] = METRIC_process_voluntary_switches_total,
    [INVOLUNTARY] = METRIC_process_involuntary_switches_total,
};

static void add_allowed(struct batch *out, const struct target *x,
        struct str text)
{
    struct str list = text_field(text, "Cpus_allowed_list");
    uint64_t first, last, count = 0;

    while (text_cpu_range(&list, &first, &last))
        count += last - first + 1;
    if (count)
        batch_add(out, METRIC_process_allowed_cores, x->subject, (double)count);
}

static void add_stat(struct batch *out, uint32_t subject,
        const struct proc_stat *st)
{
    batch_add(out, METRIC_process_minor_faults_total, subject,
            (double)st->minor_faults);
    batch_add(out, METRIC_process_major_faults_total, subject,
            (double)st->major_faults);
    batch_add(out, METRIC_process_priority_level, subject,
            (double)st->priority);
    batch_add(out, METRIC_process_nice_level, subject, (double)st->nice);
}

static void add_status(struct batch *out, const struct target *x)
{
    char bytes[STATUS_CAP];
    uint64_t values[KEYS];
    ssize_t len = x->status_fd < 0
                          ? -1
                          : pread(x->status_fd, bytes, sizeof(bytes), 0);

    if (len <= 0)
        return;

    struct str text = { bytes, (size_t)len };
    uint32_t found = proc_keyed_parse(values, keys, KEYS, text);
    /* The switches in this file are those of the first thread: of the process
     * only if it never had another.  Else process_threads_linux.c adds up. */
    for (size_t i = 0; i < KEYS; i++)
        if (found & 1U << i && (i < VOLUNTARY || !x->threaded))
            batch_add(out, metrics[i], x->subject, (double)values[i]);
    add_allowed(out, x, text);
}

void process_status_add(struct batch *out, struct targets *targets,
        struct target *x)
{
    struct proc_stat st;

    if (target_stat(targets, x, out->time_ns, &st))
        return;
    add_stat(out, x->subject, &st);
    add_status(out, x);
}

struct status_state {
    struct targets *targets;
};

static int status_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct status_state *s = state;

    s->targets = c->targets;
    return c->targets ? 0 : fail(e, -ENODEV, "no process is looked at");
}

static void status_read(void *state, struct batch *out)
{
    struct status_state *s = state;

    for (size_t i = 0; i < targets_count(s->targets); i++) {
        struct target *x = targets_at(s->targets, i);

        if (!x->ended)
            process_status_add(out, s->targets, x);
    }
}

static void status_close(void *state)
{
    (void)state;
}

const struct sampler sampler_process_status = {
    .name = "process-status",
    .about = "faults, priority, peak memory and affinity of a process",
    .state_size = sizeof(struct status_state),
    .default_hz = 4,
    .most_hz = 1000,
    .open = status_open,
    .read = status_read,
    .close = status_close,
};
