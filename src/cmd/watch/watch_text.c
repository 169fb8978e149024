/* watch_text.c -- `watch` for people: a table while it goes on, and a summary.
 */
#include "base/compiler.h"
#include "cmd/text/metric_label.h"
#include "cmd/text/page.h"
#include "cmd/watch/watch_show.h"

#include <errno.h>
#include <string.h>

#define NAME_WIDTH 16

/* --- the table ------------------------------------------------------------ */

static const struct column {
    const char *title;
    enum metric_id metric;
    enum { PERCENT, BYTES, COUNT } form;
    size_t width;
} columns[] = {
    { "CPU %", METRIC_process_cpu_cores, PERCENT, 8 },
    { "RSS", METRIC_process_resident_bytes, BYTES, 9 },
    { "THREADS", METRIC_process_threads, COUNT, 9 },
    { "READ", METRIC_process_read_bytes_total, BYTES, 9 },
    { "WRITTEN", METRIC_process_written_bytes_total, BYTES, 9 },
    { "MAJFLT", METRIC_process_major_faults_total, COUNT, 8 },
};

static void add_cell(struct buf *out, const struct column *c,
        const struct board_figure *f)
{
    char text[32] = "–";

    if (f && c->form == PERCENT)
        (void)snprintf(text, sizeof(text), "%.1f", 100 * f->value);
    else if (f && c->form == BYTES)
        (void)term_bytes(text, f->value);
    else if (f)
        (void)term_count(text, (uint64_t)f->value);
    term_right(out, text, c->width);
}

static void add_process(struct buf *out, const struct watch_view *v,
        const struct board_row *r)
{
    const struct watching *w = v->watching;
    const struct subject *x =
            subjects_get(sampling_subjects(w->sampling), r->subject);

    buf_printf(out, "%8llu  ", (unsigned long long)x->number);
    term_left(out, x->name ? x->name : "", NAME_WIDTH);
    for (size_t i = 0; i < LEN(columns); i++)
        add_cell(out, &columns[i],
                board_figure(w->board, r->subject, columns[i].metric));
    buf_char(out, '\n');
}

static void add_system(struct buf *out, const struct watch_view *v,
        uint64_t now_ns)
{
    const struct watching *w = v->watching;
    const struct board_figure *busy =
            board_figure(w->board, 0, METRIC_host_busy_ratio);
    const struct board_figure *all =
            board_figure(w->board, 0, METRIC_host_memory_bytes);
    const struct board_figure *rest =
            board_figure(w->board, 0, METRIC_host_memory_available_bytes);
    char text[16];

    buf_printf(out, "%s%.1f s%s", term_style(v->colours, TERM_BOLD),
            (double)(now_ns - w->start_ns) / 1e9,
            term_style(v->colours, TERM_PLAIN));
    if (busy)
        buf_printf(out, "   machine %.1f %%", 100 * busy->value);
    if (all && rest) {
        buf_printf(out, "   memory %s",
                term_bytes(text, all->value - rest->value));
        buf_printf(out, " of %s", term_bytes(text, all->value));
    }
    /* Of the moment that it took to begin, a share would say nothing. */
    if (!v->first)
        buf_printf(out, "   ortmeter %.2f %%", 100 * watching_cost(w, now_ns));
    buf_char(out, '\n');
}

static void add_devices(struct buf *out, const struct watch_view *v)
{
    const struct watching *w = v->watching;

    for (size_t i = 0; i < board_count(w->board); i++) {
        const struct board_row *r = board_at(w->board, i);

        if (r->kind != SUBJECT_DEVICE)
            continue;
        term_left(out,
                subjects_get(sampling_subjects(w->sampling), r->subject)->name,
                NAME_WIDTH);
        for (size_t k = 0; k < r->count; k++)
            buf_printf(out, "  %s %g", metric_label(r->figure[k].metric),
                    metric_shown(r->figure[k].metric, r->figure[k].value));
        buf_char(out, '\n');
    }
}

void watch_table(struct buf *out, const struct watch_view *v, uint64_t now_ns)
{
    const struct board *b = v->watching->board;

    add_system(out, v, now_ns);
    if (sampling_targets(v->watching->sampling)) {
        buf_text(out, term_style(v->colours, TERM_DIM));
        term_right(out, "PID", 8);
        buf_text(out, "  ");
        term_left(out, "NAME", NAME_WIDTH);
        for (size_t i = 0; i < LEN(columns); i++)
            term_right(out, columns[i].title, columns[i].width);
        buf_printf(out, "%s\n", term_style(v->colours, TERM_PLAIN));
    }
    for (size_t i = 0; i < board_count(b); i++)
        if (board_at(b, i)->kind == SUBJECT_PROCESS)
            add_process(out, v, board_at(b, i));
    add_devices(out, v);
}

/* --- the summary ---------------------------------------------------------- */

static bool figures_of(struct history_figures *f, const struct watching *w,
        uint32_t subject, enum metric_id metric)
{
    return history_figures(f, w->history, subject, metric, 0);
}

/* What was counted while we watched. */
static void add_bytes(const struct page *p, const struct watching *w,
        uint32_t subject, enum metric_id metric, const char *label)
{
    const struct subject *x =
            subjects_get(sampling_subjects(w->sampling), subject);
    struct history_figures f;
    char text[16];

    if (!figures_of(&f, w, subject, metric))
        return;
    buf_printf(p->out, "%s %s", label,
            term_bytes(text, watching_saw_begin(w, x) ? f.max : f.max - f.min));
}

static void sum_process(const struct page *p, const struct watch_view *v,
        uint32_t number, const struct subject *x)
{
    const struct watching *w = v->watching;
    const struct watching_end *end = watching_end_of(w, number);
    struct history_figures f;
    char text[16];

    page_label(p, "process");
    page_style(p, TERM_BOLD);
    term_text(p->out, x->name ? x->name : "");
    page_style(p, TERM_PLAIN);
    buf_printf(p->out, " (pid %llu)", (unsigned long long)x->number);
    if (end && end->known)
        buf_printf(p->out, ", ended with %s %d",
                end->signal ? "signal" : "exit code",
                end->signal ? end->signal : end->exit_code);
    else if (end)
        buf_text(p->out, ", ended");
    buf_char(p->out, '\n');
    if (figures_of(&f, w, number, METRIC_process_cpu_cores)) {
        page_label(p, "  CPU");
        buf_printf(p->out,
                "mean %.1f %%, p50 %.1f %%, p95 %.1f %%, max %.1f %% of a core "
                "(%llu readings)\n",
                100 * f.mean, 100 * f.p50, 100 * f.p95, 100 * f.max,
                (unsigned long long)f.count);
    }
    if (figures_of(&f, w, number, METRIC_process_resident_bytes)) {
        page_label(p, "  memory");
        buf_printf(p->out, "RSS min %s", term_bytes(text, f.min));
        buf_printf(p->out, ", mean %s", term_bytes(text, f.mean));
        buf_printf(p->out, ", max %s\n", term_bytes(text, f.max));
    }
    if (figures_of(&f, w, number, METRIC_process_read_bytes_total)) {
        page_label(p, "  I/O");
        add_bytes(p, w, number, METRIC_process_read_bytes_total, "read");
        add_bytes(p, w, number, METRIC_process_written_bytes_total, ", wrote");
        buf_text(p->out, watching_saw_begin(w, x) ? "\n" : " while watched\n");
    }
    if (v->events)
        watch_events_text(p, v->events, number);
}

static void sum_sources(const struct page *p, const struct watching *w,
        uint64_t now_ns)
{
    const char *label = "sampled";

    for (size_t i = 0; i < sampling_source_count(w->sampling); i++) {
        const struct sampling_source *x = sampling_source_at(w->sampling, i);

        if (x->rc || !x->reads)
            continue;
        page_label(p, label);
        label = "";
        buf_printf(p->out,
                "%s at %.4g Hz (truly %.4g), %.1f us each, last %.0f ms ago",
                x->sampler->name, x->hz, sampling_effective_hz(x),
                sampling_read_us(x), (double)(now_ns - x->last_ns) / 1e6);
        if (x->missed)
            buf_printf(p->out, ", %llu times too late",
                    (unsigned long long)x->missed);
        buf_char(p->out, '\n');
    }
}

static void sum_changes(const struct page *p, const struct watching *w)
{
    const char *label = "rates";

    for (size_t i = 0; i < sampling_change_count(w->sampling) && i < PAGE_LINES;
            i++) {
        const struct rate_change *c = sampling_change_at(w->sampling, i);
        char reason[128];

        rate_change_reason(reason, sizeof(reason), c);
        page_label(p, label);
        label = "";
        buf_printf(p->out, "at %.1f s to %.3g %% of those wished: %s\n",
                (double)(c->time_ns - w->start_ns) / 1e9, 100 * c->scale,
                reason);
    }
}

static bool is_absent(const struct sampling_source *x)
{
    return x->rc && x->rc != -ECANCELED;
}

/* Sources that are not here; `reason`: only those for that reason. */
static size_t count_absent(const struct watching *w, const char *reason)
{
    size_t count = 0;

    for (size_t i = 0; i < sampling_source_count(w->sampling); i++) {
        const struct sampling_source *x = sampling_source_at(w->sampling, i);

        count += is_absent(x) && (!reason || strcmp(x->why.text, reason) == 0);
    }
    return count;
}

/* Each reason once, with the first metric that it explains; what a source is
 * not here for, is the doctor's to tell. */
static void sum_missing(const struct page *p, const struct watch_view *v)
{
    const struct watching *w = v->watching;
    const struct subjects *s = sampling_subjects(w->sampling);
    const char *label = "missing";
    size_t absent = count_absent(w, NULL);

    for (size_t i = 0; i < subjects_missing_count(s); i++) {
        const struct absence_note *n = subjects_missing_at(s, i);
        bool said = count_absent(w, n->reason) > 0;

        for (size_t k = 0; k < i && !said; k++)
            said = strcmp(subjects_missing_at(s, k)->reason, n->reason) == 0;
        if (said)
            continue;
        page_label(p, label);
        label = "";
        buf_printf(p->out, "%s: ", metric_table[n->metric].name);
        term_text(p->out, n->reason);
        buf_char(p->out, '\n');
    }
    if (absent) {
        page_label(p, label);
        label = "";
        buf_printf(p->out, "%zu source%s; why: ortmeter doctor\n", absent,
                absent == 1 ? "" : "s");
    }
    if (v->events)
        watch_events_missing_text(p, v->events, label);
}

void watch_summary_text(struct buf *out, const struct watch_view *v,
        uint64_t now_ns)
{
    const struct watching *w = v->watching;
    const struct subjects *s = sampling_subjects(w->sampling);
    struct page p = { .out = out, .colours = v->colours };

    for (uint32_t i = 0; i < subjects_count(s); i++)
        if (subjects_get(s, i)->kind == SUBJECT_PROCESS)
            sum_process(&p, v, i, subjects_get(s, i));
    sum_sources(&p, w, now_ns);
    sum_changes(&p, w);
    sum_missing(&p, v);
    page_label(&p, "cost");
    buf_printf(out,
            "%.2f %% of a core for %.1f s of watching; %.3g %% is allowed\n",
            100 * watching_cost(w, now_ns),
            (double)(now_ns - w->start_ns) / 1e9, 100 * w->budget);
}
