/* watch_summary.c -- what `watch` saw, in figures. */
#include "cmd/text/metric_label.h"
#include "cmd/text/sources_json.h"
#include "cmd/watch/watch_show.h"
#include "os/process/child.h"

/* A gauge has a spread; a counter has a last value. */
static void add_metric(struct json *j, enum metric_id metric,
        const struct history_figures *f)
{
    if (metric_table[metric].kind == METRIC_COUNTER) {
        metric_json(j, metric, f->max);
        return;
    }
    json_object(j, metric_label(metric));
    json_u64(j, "count", f->count);
    json_real(j, "min", metric_shown(metric, f->min));
    json_real(j, "mean", metric_shown(metric, f->mean));
    json_real(j, "max", metric_shown(metric, f->max));
    if (f->count > 1)
        json_real(j, "stddev", metric_shown(metric, f->stddev));
    json_real(j, "p50", metric_shown(metric, f->p50));
    json_real(j, "p90", metric_shown(metric, f->p90));
    json_real(j, "p95", metric_shown(metric, f->p95));
    json_real(j, "p99", metric_shown(metric, f->p99));
    if (f->of_seconds)
        json_text(j, "percentiles_of", "means of seconds");
    json_end(j);
}

static void add_metrics(struct json *j, const struct watch_view *v,
        uint32_t subject)
{
    for (int m = 0; m < METRIC_IDS; m++) {
        struct history_figures f;

        if (v->metrics.count && !metric_matches((enum metric_id)m,
                                        v->metrics.item, v->metrics.count))
            continue;
        if (history_figures(&f, v->watching->history, subject,
                    (enum metric_id)m, 0))
            add_metric(j, (enum metric_id)m, &f);
    }
}

/* Counters that began before we watched: what they gained meanwhile. */
static void add_gained(struct json *j, const struct watch_view *v,
        uint32_t subject)
{
    bool begun = false;

    for (int m = 0; m < METRIC_IDS; m++) {
        struct history_figures f;

        if (metric_table[m].kind != METRIC_COUNTER ||
                (v->metrics.count &&
                        !metric_matches((enum metric_id)m, v->metrics.item,
                                v->metrics.count)) ||
                !history_figures(&f, v->watching->history, subject,
                        (enum metric_id)m, 0))
            continue;
        if (!begun)
            json_object(j, "while_watched");
        begun = true;
        metric_json(j, (enum metric_id)m, f.max - f.min);
    }
    if (begun)
        json_end(j);
}

static void add_end(struct json *j, const struct watching *w, uint32_t number,
        const struct subject *x)
{
    const struct watching_end *end = watching_end_of(w, number);
    bool ours = w->child && w->ended && x->number == child_pid(w->child);

    json_bool(j, "ended", end || ours);
    if (ours && w->end.signal)
        json_int(j, "signal", w->end.signal);
    else if (ours)
        json_int(j, "exit_code", w->end.exit_code);
    else if (end && end->known && end->signal)
        json_int(j, "signal", end->signal);
    else if (end && end->known)
        json_int(j, "exit_code", end->exit_code);
}

static void add_subject(struct json *j, const struct watch_view *v,
        uint32_t number, const struct subject *x)
{
    const struct watching *w = v->watching;

    json_object(j, NULL);
    if (x->kind == SUBJECT_PROCESS)
        json_u64(j, "pid", x->number);
    if (x->kind == SUBJECT_CORE)
        json_u64(j, "cpu", x->number);
    else if (x->name)
        json_text(j, "name", x->name);
    if (x->detail)
        json_text(j, x->kind == SUBJECT_PROCESS ? "command" : "detail",
                x->detail);
    if (x->kind == SUBJECT_PROCESS) {
        if (x->start_ns)
            json_u64(j, "started_ns", x->start_ns + w->mono_to_wall_ns);
        add_end(j, w, number, x);
    }
    add_metrics(j, v, number);
    if (!watching_saw_begin(w, x))
        add_gained(j, v, number);
    json_end(j);
}

static void add_kind(struct json *j, const struct watch_view *v,
        enum subject_kind kind, const char *key)
{
    const struct subjects *s = sampling_subjects(v->watching->sampling);
    bool begun = kind == SUBJECT_PROCESS;

    if (begun)
        json_array(j, key);
    for (uint32_t i = 0; i < subjects_count(s); i++) {
        const struct subject *x = subjects_get(s, i);

        if (x->kind != kind)
            continue;
        if (!begun)
            json_array(j, key);
        begun = true;
        add_subject(j, v, i, x);
    }
    if (begun)
        json_end(j);
}

static void add_cost(struct json *j, const struct watching *w, uint64_t now_ns)
{
    json_object(j, "cost");
    json_fixed(j, "cpu_percent", 100 * watching_cost(w, now_ns), 4);
    json_fixed(j, "budget_percent", 100 * w->budget, 4);
    json_fixed(j, "rate_share", sampling_scale(w->sampling), 4);
    json_u64(j, "resident_bytes", own_peak_rss_bytes());
    json_end(j);
}

void watch_missing_json(struct json *j, const struct watch_view *v)
{
    json_array(j, "missing");
    sources_json_absences(j, v->watching->sampling);
    if (v->events)
        watch_events_missing_json(j, v->events);
    json_end(j);
}

void watch_summary_json(struct json *j, const struct watch_view *v,
        uint64_t now_ns)
{
    const struct watching *w = v->watching;

    json_fixed(j, "duration_s", (double)(now_ns - w->start_ns) / 1e9, 6);
    json_object(j, "system");
    add_metrics(j, v, 0);
    add_gained(j, v, 0);
    json_end(j);
    add_kind(j, v, SUBJECT_PROCESS, "processes");
    add_kind(j, v, SUBJECT_CORE, "cores");
    add_kind(j, v, SUBJECT_DEVICE, "devices");
    add_kind(j, v, SUBJECT_ZONE, "zones");
    if (v->events)
        watch_events_json(j, v->events);
    sources_json_samplers(j, w->sampling, now_ns);
    watch_missing_json(j, v);
    sources_json_changes(j, w->sampling, 0, w->mono_to_wall_ns);
    add_cost(j, w, now_ns);
}
