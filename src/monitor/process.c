/* process.c -- a process as the monitor's users see it: one field for each
 * entry of the metric tables. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "monitor/state.h"
#include "os/io_priority.h"

#include <stdio.h>
#include <string.h>

/* --- which processes there are -------------------------------------------- */

/* "0-3,8" as bits; CPUs above 63 have none. */
static uint64_t mask_of(const char *list)
{
    struct str rest = str_of(list);
    uint64_t mask = 0;

    while (rest.len) {
        struct str range = str_before(rest, ',');
        struct str upper = str_after(range, '-');
        uint64_t first, last;

        rest = str_after(rest, ',');
        if (str_u64(&first, str_before(range, '-')))
            continue;
        if (!upper.len || str_u64(&last, upper))
            last = first;
        for (uint64_t i = first; i <= last && i < 64; i++)
            mask |= UINT64_C(1) << i;
    }
    return mask;
}

static struct monitor_process *process_of(struct ortmeter_monitor *m,
        const struct target *t)
{
    for (size_t i = m->process_count; i-- > 0;)
        if (m->process[i].subject == t->subject)
            return &m->process[i];
    if (m->process_count == m->process_cap) {
        m->process_cap = m->process_cap ? 2 * m->process_cap : 32;
        m->process =
                alloc_resize(m->process, m->process_cap * sizeof(*m->process));
    }

    struct monitor_process *p = &m->process[m->process_count++];
    struct target_description d = { 0 };

    *p = (struct monitor_process){
        .pid = t->pid,
        .parent = t->parent,
        .subject = t->subject,
    };
    p->has_priority_of_io = io_priority(&p->priority_of_io, t->pid) == 0;
    if (target_describe(sampling_targets(m->sampling), t, &d) == 0 &&
            d.allowed_cpus[0]) {
        p->affinity = mask_of(d.allowed_cpus);
        p->has_affinity = true;
    }
    target_description_release(&d);
    return p;
}

void monitor_follow(struct ortmeter_monitor *m)
{
    struct targets *targets = sampling_targets(m->sampling);

    for (size_t i = 0; targets && i < targets_count(targets); i++) {
        const struct target *t = targets_at(targets, i);
        struct monitor_process *p = process_of(m, t);

        if (!t->ended || p->ended)
            continue;
        p->ended = true;
        p->ended_ns = t->ended_ns;
        p->exit_known = t->exit_known;
        p->exit_code = t->exit_signal ? 128 + t->exit_signal : t->exit_code;
    }
}

const struct monitor_process *monitor_find(const struct ortmeter_monitor *m,
        uint64_t pid)
{
    for (size_t i = m->process_count; i-- > 0;)
        if (m->process[i].pid == pid)
            return &m->process[i];
    return NULL;
}

/* --- its fields ----------------------------------------------------------- */

#define HAS(out, field) ((out)->has |= UINT64_C(1) << ORTMETER_PROCESS_##field)

static bool figure(double *out, const struct ortmeter_monitor *m,
        uint32_t subject, enum metric_id metric)
{
    const struct board_figure *f = board_figure(m->board, subject, metric);

    if (f)
        *out = f->value;
    return f != NULL;
}

/* Fields that are a metric as it is. */
static void set_whole(struct ortmeter_process *out,
        const struct ortmeter_monitor *m, uint32_t subject)
{
    double x;

#define WHOLE(field, metric)                               \
    if (figure(&x, m, subject, METRIC_process_##metric)) { \
        out->field = (uint64_t)x;                          \
        HAS(out, field);                                   \
    }
    WHOLE(cpu_cycles, cycles_total)
    WHOLE(working_set_size, resident_bytes)
    WHOLE(private_bytes, private_bytes)
    WHOLE(virtual_bytes, virtual_bytes)
    WHOLE(hard_faults, major_faults_total)
    WHOLE(peak_working_set, peak_resident_bytes)
    WHOLE(thread_count, threads)
    WHOLE(active_threads, running_threads)
    WHOLE(suspended_threads, other_threads)
    WHOLE(read_operations, read_calls_total)
    WHOLE(write_operations, write_calls_total)
    WHOLE(read_bytes, read_bytes_total)
    WHOLE(write_bytes, written_bytes_total)
    WHOLE(handle_count, open_files)
#undef WHOLE
}

/* Fields that are computed from metrics. */
static void set_derived(struct ortmeter_process *out,
        const struct ortmeter_monitor *m, uint32_t subject)
{
    struct history_figures f;
    double x, y;

    if (figure(&x, m, subject, METRIC_process_cpu_cores)) {
        out->cpu_percent = 100 * x;
        HAS(out, cpu_percent);
    }
    if (figure(&x, m, subject, METRIC_process_system_cpu_seconds_total)) {
        out->kernel_time_ms = 1000 * x;
        HAS(out, kernel_time_ms);
    }
    if (figure(&x, m, subject, METRIC_process_user_cpu_seconds_total)) {
        out->user_time_ms = 1000 * x;
        HAS(out, user_time_ms);
    }
    if (figure(&x, m, subject, METRIC_process_voluntary_switches_total) &&
            figure(&y, m, subject, METRIC_process_involuntary_switches_total)) {
        out->context_switches = (uint64_t)(x + y);
        HAS(out, context_switches);
    }
    if (figure(&x, m, subject, METRIC_process_minor_faults_total) &&
            figure(&y, m, subject, METRIC_process_major_faults_total)) {
        out->page_faults = (uint64_t)(x + y);
        HAS(out, page_faults);
    }
    if (figure(&x, m, subject, METRIC_process_priority_level)) {
        out->priority = (int)x;
        HAS(out, priority);
    }
    if (history_figures(&f, m->history, subject, METRIC_process_open_files,
                0)) {
        out->peak_handle_count = (uint64_t)f.max;
        HAS(out, peak_handle_count);
    }
}

static void set_states(struct ortmeter_process *out,
        const struct ortmeter_monitor *m, uint32_t subject)
{
    double x[4];

    out->thread_states.known =
            figure(&x[0], m, subject, METRIC_process_running_threads) &&
            figure(&x[1], m, subject, METRIC_process_sleeping_threads) &&
            figure(&x[2], m, subject, METRIC_process_blocked_threads) &&
            figure(&x[3], m, subject, METRIC_process_other_threads);
    if (!out->thread_states.known)
        return;
    out->thread_states.running = (uint64_t)x[0];
    out->thread_states.sleeping = (uint64_t)x[1];
    out->thread_states.blocked = (uint64_t)x[2];
    out->thread_states.other = (uint64_t)x[3];
}

static void set_identity(struct ortmeter_process *out,
        const struct ortmeter_monitor *m, const struct monitor_process *p)
{
    const struct subject *x =
            subjects_get(sampling_subjects(m->sampling), p->subject);

    out->pid = p->pid;
    HAS(out, pid);
    out->parent_pid = p->parent;
    HAS(out, parent_pid);
    if (x->start_ns) {
        out->create_time_ns = x->start_ns + m->mono_to_wall_ns;
        HAS(out, create_time_ns);
    }
    if (p->ended) {
        out->exit_time_ns = p->ended_ns + m->mono_to_wall_ns;
        HAS(out, exit_time_ns);
    }
    if (p->exit_known) {
        out->exit_code = p->exit_code;
        HAS(out, exit_code);
    }
    if (p->has_priority_of_io) {
        out->io_priority = p->priority_of_io;
        HAS(out, io_priority);
    }
    if (p->has_affinity) {
        out->affinity_mask = p->affinity;
        HAS(out, affinity_mask);
    }
    (void)snprintf(out->name, sizeof(out->name), "%s", x->name ? x->name : "");
    (void)snprintf(out->command_line, sizeof(out->command_line), "%s",
            x->detail ? x->detail : "");
}

int ortmeter_monitor_get_process(struct ortmeter_monitor *m, uint64_t pid,
        struct ortmeter_process *out)
{
    int rc = ORTMETER_MONITOR_OK;

    (void)pthread_mutex_lock(&m->lock);

    const struct monitor_process *p = monitor_find(m, pid);

    if (!m->sampling) {
        rc = fail(&m->reason, ORTMETER_MONITOR_SESSION,
                "the monitor was never started");
    } else if (!p) {
        rc = fail(&m->reason, ORTMETER_MONITOR_FAILED,
                "no process %llu was seen", (unsigned long long)pid);
    } else {
        *out = (struct ortmeter_process){ 0 };
        set_identity(out, m, p);
        set_whole(out, m, p->subject);
        set_derived(out, m, p->subject);
        set_states(out, m, p->subject);
    }
    (void)pthread_mutex_unlock(&m->lock);
    return rc;
}

int ortmeter_monitor_get_threads(struct ortmeter_monitor *m, uint64_t pid,
        struct ortmeter_thread *out, size_t cap, size_t *count)
{
    int rc = ORTMETER_MONITOR_OK;

    *count = 0;
    (void)pthread_mutex_lock(&m->lock);

    const struct monitor_process *p = m->sampling ? monitor_find(m, pid) : NULL;

    if (!p)
        rc = fail(&m->reason, ORTMETER_MONITOR_FAILED,
                "no process %llu was seen", (unsigned long long)pid);
    for (size_t i = 0; p && i < board_count(m->board); i++) {
        const struct board_row *r = board_at(m->board, i);
        const struct subject *x =
                subjects_get(sampling_subjects(m->sampling), r->subject);
        struct ortmeter_thread thread = { .tid = x->number };

        if (x->kind != SUBJECT_THREAD || x->parent != p->subject)
            continue;
        thread.cpu_known = figure(&thread.cpu_s, m, r->subject,
                METRIC_thread_cpu_seconds_total);
        if (*count < cap)
            out[*count] = thread;
        ++*count;
    }
    (void)pthread_mutex_unlock(&m->lock);
    return rc;
}
