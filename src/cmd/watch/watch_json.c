/* watch_json.c -- a tick as one line of JSON. */
#include "cmd/text/metric_label.h"
#include "cmd/text/sources_json.h"
#include "cmd/watch/watch_show.h"

#define SCHEMA_VERSION 1

static bool is_wanted(const struct watch_view *v, enum metric_id metric)
{
    return !v->metrics.count ||
           metric_matches(metric, v->metrics.item, v->metrics.count);
}

static uint64_t age_ms(const struct board_figure *f, const struct watching *w)
{
    return f->time_ns < w->tick_ns ? (w->tick_ns - f->time_ns) / 1000000 : 0;
}

static bool is_shown(const struct watch_view *v, const struct board_figure *f)
{
    return (v->full || !age_ms(f, v->watching)) && is_wanted(v, f->metric);
}

/* The figures, and the age of those that are not of this tick. */
static void add_figures(struct json *j, const struct watch_view *v,
        const struct board_row *r)
{
    bool old = false;

    for (size_t i = 0; i < r->count; i++) {
        const struct board_figure *f = &r->figure[i];

        if (!is_shown(v, f))
            continue;
        metric_json(j, f->metric, f->value);
        old |= age_ms(f, v->watching) > 0;
    }
    if (!old)
        return;
    json_object(j, "age_ms");
    for (size_t i = 0; i < r->count; i++) {
        const struct board_figure *f = &r->figure[i];

        if (age_ms(f, v->watching) && is_shown(v, f))
            json_u64(j, metric_label(f->metric), age_ms(f, v->watching));
    }
    json_end(j);
}

/* A process is there although nothing new was read of it. */
static bool has_news(const struct watch_view *v, const struct board_row *r)
{
    bool news = r->kind == SUBJECT_PROCESS;

    for (size_t i = 0; i < r->count && !news; i++)
        news = is_shown(v, &r->figure[i]);
    return news;
}

static void add_name(struct json *j, const struct subject *x)
{
    switch (x->kind) {
    case SUBJECT_PROCESS: json_u64(j, "pid", x->number); break;
    case SUBJECT_THREAD: json_u64(j, "tid", x->number); break;
    case SUBJECT_CORE: json_u64(j, "cpu", x->number); return;
    case SUBJECT_HOST:
    case SUBJECT_DEVICE:
    case SUBJECT_ZONE:
    case SUBJECT_SESSION:
    case SUBJECT_KINDS: break;
    }
    if (x->name)
        json_text(j, "name", x->name);
}

/* A list of all subjects of a kind; nothing where there are none, but for
 * processes, which may just have ended. */
static void add_kind(struct json *j, const struct watch_view *v,
        enum subject_kind kind, const char *key)
{
    const struct subjects *s = sampling_subjects(v->watching->sampling);
    const struct board *b = v->watching->board;
    bool begun = kind == SUBJECT_PROCESS;

    if (begun)
        json_array(j, key);
    for (size_t i = 0; i < board_count(b); i++) {
        const struct board_row *r = board_at(b, i);
        const struct subject *x = subjects_get(s, r->subject);

        if (r->kind != kind || !has_news(v, r))
            continue;
        if (!begun)
            json_array(j, key);
        begun = true;
        json_object(j, NULL);
        add_name(j, x);
        if (kind == SUBJECT_THREAD)
            json_u64(j, "pid", subjects_get(s, x->parent)->number);
        if (kind == SUBJECT_ZONE && x->parent)
            json_text(j, "of", subjects_get(s, x->parent)->name);
        add_figures(j, v, r);
        json_end(j);
    }
    if (begun)
        json_end(j);
}

void watch_json(struct buf *out, const struct watch_view *v, uint64_t now_ns)
{
    const struct watching *w = v->watching;
    const struct board_row *host = board_find(w->board, 0);
    struct json j = json_line_into(out);

    json_object(&j, NULL);
    json_u64(&j, "timestamp_ns", w->tick_ns + w->mono_to_wall_ns);
    if (v->first)
        json_int(&j, "schema_version", SCHEMA_VERSION);
    json_object(&j, "system");
    if (host)
        add_figures(&j, v, host);
    json_end(&j);
    add_kind(&j, v, SUBJECT_PROCESS, "processes");
    add_kind(&j, v, SUBJECT_THREAD, "threads");
    add_kind(&j, v, SUBJECT_CORE, "cores");
    add_kind(&j, v, SUBJECT_DEVICE, "devices");
    add_kind(&j, v, SUBJECT_ZONE, "zones");
    sources_json_changes(&j, w->sampling, v->changes_told, w->mono_to_wall_ns);
    if (v->first)
        watch_missing_json(&j, v);
    if (v->last) {
        json_object(&j, "summary");
        watch_summary_json(&j, v, now_ns);
        json_end(&j);
    }
    json_end(&j);
    buf_char(out, '\n');
}
