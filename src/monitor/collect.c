/* collect.c -- what a monitor read, as samples and as statistics. */
#include "base/compiler.h"
#include "monitor/state.h"

#include <string.h>

bool monitor_shows(const struct ortmeter_monitor *m, const struct subject *x)
{
    /* A kernel thread has no command line. */
    return x->kind != SUBJECT_PROCESS || !m->config.exclude_system_processes ||
           (x->detail && *x->detail);
}

struct ortmeter_sample monitor_sample(const struct ortmeter_monitor *m,
        const struct subject *x, const struct reading *r)
{
    return (struct ortmeter_sample){
        .timestamp_ns = r->time_ns + m->mono_to_wall_ns,
        .kind = subject_kind_name(x->kind),
        .name = x->name,
        .number = x->number,
        .metric = metric_table[r->metric].name,
        .unit = metric_table[r->metric].unit,
        .value = r->value,
    };
}

int ortmeter_monitor_collect(struct ortmeter_monitor *m,
        struct ortmeter_sample *out, size_t cap, size_t *count)
{
    *count = 0;
    (void)pthread_mutex_lock(&m->lock);
    for (size_t i = 0; m->board && i < board_count(m->board); i++) {
        const struct board_row *r = board_at(m->board, i);
        const struct subject *x =
                subjects_get(sampling_subjects(m->sampling), r->subject);

        if (!monitor_shows(m, x))
            continue;
        for (size_t k = 0; k < r->count; k++, ++*count)
            if (*count < cap)
                out[*count] = monitor_sample(m, x,
                        &(struct reading){ .time_ns = r->figure[k].time_ns,
                                .value = r->figure[k].value,
                                .metric = r->figure[k].metric });
    }

    int rc = m->board ? ORTMETER_MONITOR_OK
                      : fail(&m->reason, ORTMETER_MONITOR_SESSION,
                                "the monitor was never started");

    (void)pthread_mutex_unlock(&m->lock);
    return rc;
}

static int statistics(struct ortmeter_monitor *m, uint64_t pid,
        const char *metric, struct ortmeter_statistics *out)
{
    const struct metric *x = metric_find(str_of(metric));
    const struct monitor_process *p = pid ? monitor_find(m, pid) : NULL;
    struct history_figures f;

    if (!m->history)
        return fail(&m->reason, ORTMETER_MONITOR_SESSION,
                "the monitor was never started");
    if (!x)
        return fail(&m->reason, ORTMETER_MONITOR_FAILED,
                "there is no metric '%s'", metric);
    if ((pid && !p) || !history_figures(&f, m->history, p ? p->subject : 0,
                               (enum metric_id)(x - metric_table), 0))
        return fail(&m->reason, ORTMETER_MONITOR_FAILED,
                "%s of process %llu was not read", metric,
                (unsigned long long)pid);
    *out = (struct ortmeter_statistics){
        .count = f.count,
        .min = f.min,
        .max = f.max,
        .mean = f.mean,
        .stddev = f.stddev,
        .p50 = f.p50,
        .p90 = f.p90,
        .p95 = f.p95,
        .p99 = f.p99,
        .of_seconds = f.of_seconds,
    };
    return ORTMETER_MONITOR_OK;
}

int ortmeter_monitor_statistics(struct ortmeter_monitor *m, uint64_t pid,
        const char *metric, struct ortmeter_statistics *out)
{
    (void)pthread_mutex_lock(&m->lock);

    int rc = statistics(m, pid, metric, out);

    (void)pthread_mutex_unlock(&m->lock);
    return rc;
}

/* --- what is absent ------------------------------------------------------- */

static const struct {
    enum ortmeter_process_field field;
    enum metric_id metric;
} behind[] = {
    { ORTMETER_PROCESS_cpu_percent, METRIC_process_cpu_cores },
    { ORTMETER_PROCESS_cpu_cycles, METRIC_process_cycles_total },
    { ORTMETER_PROCESS_private_bytes, METRIC_process_private_bytes },
    { ORTMETER_PROCESS_read_bytes, METRIC_process_read_bytes_total },
    { ORTMETER_PROCESS_write_bytes, METRIC_process_written_bytes_total },
    { ORTMETER_PROCESS_read_operations, METRIC_process_read_calls_total },
    { ORTMETER_PROCESS_write_operations, METRIC_process_write_calls_total },
    { ORTMETER_PROCESS_handle_count, METRIC_process_open_files },
};

static const enum ortmeter_process_field not_here[] = {
    ORTMETER_PROCESS_session_id,
    ORTMETER_PROCESS_paged_pool,
    ORTMETER_PROCESS_non_paged_pool,
    ORTMETER_PROCESS_other_operations,
    ORTMETER_PROCESS_gdi_objects,
    ORTMETER_PROCESS_user_objects,
};

const char *ortmeter_monitor_why_absent(struct ortmeter_monitor *m,
        enum ortmeter_process_field field)
{
    const char *why = NULL;

    for (size_t i = 0; i < LEN(not_here); i++)
        if (not_here[i] == field)
            return "only Windows has it";
    (void)pthread_mutex_lock(&m->lock);

    const struct subjects *s =
            m->sampling ? sampling_subjects(m->sampling) : NULL;

    for (size_t i = 0; s && !why && i < LEN(behind); i++) {
        if (behind[i].field != field)
            continue;
        for (size_t k = 0; !why && k < subjects_missing_count(s); k++)
            if (subjects_missing_at(s, k)->metric == behind[i].metric)
                why = subjects_missing_at(s, k)->reason;
    }
    (void)pthread_mutex_unlock(&m->lock);
    return why;
}
