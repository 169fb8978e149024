#include "cmd/top/top_fill.h"

#include "base/alloc.h"
#include "base/compiler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct top_value value_of(const struct watching *w, uint32_t subject,
        enum metric_id metric)
{
    const struct board_figure *f = board_figure(w->board, subject, metric);

    return (struct top_value){ f != NULL, f ? f->value : 0 };
}

/* The newest points as shares of `full`. */
static void fill_line(struct top_line *line, const struct watching *w,
        enum metric_id metric, double full, bool rest)
{
    struct history_point p[TOP_HISTORY];
    size_t n = history_readings(p, TOP_HISTORY, w->history, 0, metric);

    line->count = full > 0 ? n : 0;
    for (size_t i = 0; i < line->count; i++)
        line->share[i] = rest ? 1 - p[i].mean / full : p[i].mean / full;
}

static void fill_machine(struct top_model *m, const struct watching *w,
        uint64_t now_ns)
{
    struct top_value left = value_of(w, 0, METRIC_host_memory_available_bytes);
    time_t now_s = (time_t)((now_ns + w->mono_to_wall_ns) / 1000000000);
    struct tm local;

    if (localtime_r(&now_s, &local))
        (void)strftime(m->clock, sizeof(m->clock), "%H:%M:%S", &local);
    m->cost = watching_cost(w, now_ns);
    m->busy = value_of(w, 0, METRIC_host_busy_ratio);
    m->memory_total = value_of(w, 0, METRIC_host_memory_bytes);
    m->memory_used = (struct top_value){
        .known = left.known && m->memory_total.known,
        .value = m->memory_total.value - left.value,
    };
    fill_line(&m->busy_line, w, METRIC_host_busy_ratio, 1, false);
    fill_line(&m->memory_line, w, METRIC_host_memory_available_bytes,
            m->memory_total.value, true);
    /* The rate of what is read most often. */
    m->hz = 0;
    for (size_t i = 0; i < sampling_source_count(w->sampling); i++) {
        double hz = sampling_effective_hz(sampling_source_at(w->sampling, i));

        if (hz > m->hz)
            m->hz = hz;
    }
}

static void add_device(struct top_model *m, const struct watching *w,
        uint32_t subject, const struct subject *x)
{
    if (m->devices == TOP_DEVICES)
        return;

    struct top_device *d = &m->device[m->devices++];

    (void)snprintf(d->name, sizeof(d->name), "%s", x->name ? x->name : "");
    d->busy = value_of(w, subject, METRIC_device_utilization_ratio);
    d->memory_used = value_of(w, subject, METRIC_device_memory_used_bytes);
    d->memory_total = value_of(w, subject, METRIC_device_memory_total_bytes);
    d->watts = value_of(w, subject, METRIC_device_power_watts);
    d->celsius = value_of(w, subject, METRIC_device_temperature_celsius);
}

static void add_process(struct top_model *m, const struct watching *w,
        uint32_t subject, const struct subject *x)
{
    /* A kernel thread has no command line, and no share in inference. */
    if (!x->detail || !*x->detail)
        return;

    struct top_process *p = &m->process[m->processes++];

    *p = (struct top_process){
        .pid = x->number,
        .cpu_cores = value_of(w, subject, METRIC_process_cpu_cores),
        .rss_bytes = value_of(w, subject, METRIC_process_resident_bytes),
        .threads = value_of(w, subject, METRIC_process_threads),
        .read_bytes = value_of(w, subject, METRIC_process_read_bytes_total),
        .written_bytes =
                value_of(w, subject, METRIC_process_written_bytes_total),
    };
    (void)snprintf(p->name, sizeof(p->name), "%s", x->name ? x->name : "");
}

/* What samplers of devices said of why they found none. */
static void fill_no_device(struct top_model *m, const struct watching *w)
{
    static const char *const names[] = { "nvml", "amdgpu", "intel-gpu",
        "intel-npu", "amd-npu" };
    struct buf text = { 0 };

    for (size_t i = 0; i < sampling_source_count(w->sampling); i++) {
        const struct sampling_source *x = sampling_source_at(w->sampling, i);

        for (size_t k = 0; k < LEN(names); k++)
            if (x->rc && strcmp(x->sampler->name, names[k]) == 0)
                buf_printf(&text, "%s%s", text.len ? "; " : "", x->why.text);
    }
    (void)snprintf(m->no_device, sizeof(m->no_device), "%s",
            text.len ? buf_cstr(&text) : "none was found");
    buf_release(&text);
}

void top_fill(struct top_model *m, const struct watching *w, uint64_t now_ns)
{
    const struct subjects *s = sampling_subjects(w->sampling);

    fill_machine(m, w, now_ns);
    m->process = alloc_resize(m->process,
            (board_count(w->board) + 1) * sizeof(*m->process));
    m->processes = m->devices = m->cores = 0;
    for (size_t i = 0; i < board_count(w->board); i++) {
        const struct board_row *r = board_at(w->board, i);
        const struct subject *x = subjects_get(s, r->subject);
        struct top_value busy;

        if (subjects_ended_ns(s, r->subject))
            continue;
        if (r->kind == SUBJECT_PROCESS)
            add_process(m, w, r->subject, x);
        if (r->kind == SUBJECT_DEVICE)
            add_device(m, w, r->subject, x);
        busy = value_of(w, r->subject, METRIC_core_busy_ratio);
        if (r->kind == SUBJECT_CORE && x->number < TOP_CORES && busy.known) {
            m->core[x->number] = busy.value;
            if (m->cores <= x->number)
                m->cores = x->number + 1;
        }
    }
    if (!m->devices)
        fill_no_device(m, w);
}
