#include "cmd/top/top_draw.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>

#define LABEL      5  /* columns of "CPU", "MEM" */
#define CORE_WIDTH 22 /* columns of a core's bar with its number */
#define GAUGE_MAX  30

/* --- the machine ---------------------------------------------------------- */

static void draw_title(struct grid *g, const struct top_model *m,
        const struct top_view *v)
{
    int col = grid_text(g, 0, 0, TERM_BOLD, "ortmeter top");

    if (v->paused)
        col = grid_text(g, 0, col + 2, TERM_YELLOW, "PAUSED");
    col = grid_printf(g, 0, col, TERM_PLAIN, "  %s  %s", m->host, m->clock);
    if (m->hz > 0)
        col = grid_printf(g, 0, col, TERM_DIM, "  %.3g Hz", m->hz);
    (void)grid_printf(g, 0, col, TERM_DIM, "  ortmeter itself %.1f %%",
            100 * m->cost);
}

static enum term_style heat(double share)
{
    return share > 0.9 ? TERM_RED : share > 0.6 ? TERM_YELLOW : TERM_GREEN;
}

/* Label, gauge, text, and what is left of the row for the line. */
static void draw_gauge(struct grid *g, int row, const char *label,
        struct top_value share, const char *text, const struct top_line *line)
{
    int width = g->cols / 3 > GAUGE_MAX ? GAUGE_MAX : g->cols / 3;
    int col = grid_field(g, row, 0, LABEL, TERM_BOLD, label);

    if (!share.known) {
        (void)grid_text(g, row, col, TERM_DIM, "not known yet");
        return;
    }
    grid_gauge(g, row, col, width, heat(share.value), share.value);
    col = grid_printf(g, row, col + width, TERM_PLAIN, " %s ", text);

    int room = g->cols - col;
    size_t count = line->count;

    if (room <= 0)
        return;
    if (count > (size_t)room)
        count = (size_t)room;
    grid_sparkline(g, row, col, TERM_GREEN, line->share + line->count - count,
            count);
}

static int draw_machine(struct grid *g, int row, const struct top_model *m)
{
    struct top_value used = {
        .known = m->memory_used.known && m->memory_total.known &&
                 m->memory_total.value > 0,
    };
    char text[64], bytes[16], all[16];

    (void)snprintf(text, sizeof(text), "%5.1f %%", 100 * m->busy.value);
    draw_gauge(g, row, "CPU", m->busy, text, &m->busy_line);
    if (used.known)
        used.value = m->memory_used.value / m->memory_total.value;
    (void)snprintf(text, sizeof(text), "%s of %s",
            term_bytes(bytes, m->memory_used.value),
            term_bytes(all, m->memory_total.value));
    draw_gauge(g, row + 1, "MEM", used, text, &m->memory_line);
    return row + 2;
}

/* As many beside each other as there is room for, in a quarter of the rows. */
static int draw_cores(struct grid *g, int row, const struct top_model *m)
{
    int across = g->cols / CORE_WIDTH > 0 ? g->cols / CORE_WIDTH : 1;
    int most = g->rows / 4 > 0 ? g->rows / 4 : 1;
    int lines = (int)((m->cores + (size_t)across - 1) / (size_t)across);
    size_t shown = (size_t)(lines < most ? lines : most) * (size_t)across;

    for (size_t i = 0; i < m->cores && i < shown; i++) {
        int at = row + (int)i / across;
        int col = (int)(i % (size_t)across) * CORE_WIDTH;

        col = grid_printf(g, at, col, TERM_DIM, "%3zu ", i);
        grid_gauge(g, at, col, CORE_WIDTH - 11, heat(m->core[i]), m->core[i]);
        (void)grid_printf(g, at, col + CORE_WIDTH - 11, TERM_PLAIN, "%4.0f %%",
                100 * m->core[i]);
    }
    if (m->cores > shown)
        (void)grid_printf(g, row + most - 1, g->cols - 12, TERM_DIM,
                "+ %zu more", m->cores - shown);
    return row + (lines < most ? lines : most);
}

static int draw_devices(struct grid *g, int row, const struct top_model *m)
{
    for (size_t i = 0; i < m->devices; i++, row++) {
        const struct top_device *d = &m->device[i];
        char bytes[16], all[16];
        int col = grid_field(g, row, 0, 20, TERM_BOLD, d->name);

        if (d->busy.known) {
            grid_gauge(g, row, col, 12, heat(d->busy.value), d->busy.value);
            col = grid_printf(g, row, col + 12, TERM_PLAIN, " %3.0f %%",
                    100 * d->busy.value);
        }
        if (d->memory_used.known)
            col = grid_printf(g, row, col, TERM_PLAIN, "  %s",
                    term_bytes(bytes, d->memory_used.value));
        if (d->memory_used.known && d->memory_total.known)
            col = grid_printf(g, row, col, TERM_PLAIN, " of %s",
                    term_bytes(all, d->memory_total.value));
        if (d->watts.known)
            col = grid_printf(g, row, col, TERM_PLAIN, "  %.1f W",
                    d->watts.value);
        if (d->celsius.known)
            (void)grid_printf(g, row, col, TERM_PLAIN, "  %.0f °C",
                    d->celsius.value);
    }
    if (!m->devices && m->no_device[0])
        (void)grid_printf(g, row++, 0, TERM_DIM, "no GPU or NPU: %s",
                m->no_device);
    return row;
}

/* --- models --------------------------------------------------------------- */

static int draw_latencies(struct grid *g, int row, const struct top_model *m)
{
    int name_width = g->cols - 60 > 12 ? g->cols - 60 : 12;
    int col;

    (void)grid_printf(g, row++, 0, m->latencies ? TERM_BOLD : TERM_DIM, "%s",
            m->run);
    if (!m->latencies)
        return row;
    col = grid_field(g, row, 0, name_width, TERM_DIM, "MODEL");
    (void)grid_printf(g, row++, col, TERM_DIM, "%10s%12s%12s%12s", "PER S",
            "P50", "P95", "LAST");
    for (size_t i = 0; i < m->latencies; i++, row++) {
        const struct top_latency *l = &m->latency[i];
        const double times[] = { l->p50_ns, l->p95_ns, l->last_ns };
        char text[16];

        col = grid_field(g, row, 0, name_width, TERM_PLAIN, l->name);
        (void)snprintf(text, sizeof(text), "%.1f", l->per_s);
        col = grid_field(g, row, col, -10, TERM_PLAIN, text);
        for (size_t k = 0; k < LEN(times); k++)
            col = grid_field(g, row, col, -12, TERM_PLAIN,
                    term_duration(text, times[k]));
        if (l->failed)
            (void)grid_printf(g, row, col, TERM_RED, " %llu failed",
                    (unsigned long long)l->failed);
    }
    return row;
}

/* --- processes ------------------------------------------------------------ */

static void draw_value(struct grid *g, int row, int *col, int width,
        struct top_value x, bool bytes)
{
    char text[32] = "–";

    if (x.known && bytes)
        (void)term_bytes(text, x.value);
    else if (x.known)
        (void)snprintf(text, sizeof(text), "%.0f", x.value);
    *col = grid_field(g, row, *col, -width, TERM_PLAIN, text);
}

static void draw_process(struct grid *g, int row, const struct top_process *p)
{
    char text[24];
    int col = 0;

    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)p->pid);
    col = grid_field(g, row, col, -8, TERM_PLAIN, text);
    col = grid_field(g, row, col, 2, TERM_PLAIN, "");
    col = grid_field(g, row, col, 18, TERM_BOLD, p->name);
    (void)snprintf(text, sizeof(text), "%.1f", 100 * p->cpu_cores.value);
    col = grid_field(g, row, col, -8, TERM_PLAIN,
            p->cpu_cores.known ? text : "–");
    draw_value(g, row, &col, 10, p->rss_bytes, true);
    draw_value(g, row, &col, 9, p->threads, false);
    draw_value(g, row, &col, 10, p->read_bytes, true);
    draw_value(g, row, &col, 10, p->written_bytes, true);
}

static void draw_heads(struct grid *g, int row, const struct top_view *v)
{
    static const struct {
        const char *title;
        int width;
        int order;
    } heads[] = {
        { "PID", -8, TOP_BY_PID },
        { "", 2, -1 },
        { "NAME", 18, TOP_BY_NAME },
        { "CPU %", -8, TOP_BY_CPU },
        { "RSS", -10, TOP_BY_MEMORY },
        { "THREADS", -9, TOP_BY_THREADS },
        { "READ", -10, -1 },
        { "WRITTEN", -10, -1 },
    };
    int col = 0;

    for (size_t i = 0; i < LEN(heads); i++) {
        bool chosen = heads[i].order == (int)v->order;
        char text[16];

        (void)snprintf(text, sizeof(text), "%s%s", heads[i].title,
                !chosen       ? ""
                : v->reversed ? "▴"
                              : "▾");
        col = grid_field(g, row, col, heads[i].width,
                chosen ? TERM_BOLD : TERM_DIM, text);
    }
}

static void draw_processes(struct grid *g, int row, struct top_model *m,
        const struct top_view *v)
{
    size_t count = top_arrange(m, v);
    size_t room = g->rows - row - 2 > 0 ? (size_t)(g->rows - row - 2) : 0;
    size_t first = v->first;

    if (first + room > count)
        first = count > room ? count - room : 0;
    draw_heads(g, row++, v);
    for (size_t i = first; i < count && i < first + room; i++)
        draw_process(g, row++, &m->process[i]);
    if (!count)
        (void)grid_text(g, row, 2, TERM_DIM,
                m->processes ? "no process has that in its name or pid"
                             : "no process to show");
}

/* --- the rest ------------------------------------------------------------- */

static void draw_foot(struct grid *g, const struct top_view *v)
{
    int row = g->rows - 1;

    for (int i = 0; i < g->cols; i++)
        (void)grid_text(g, row, i, TERM_PLAIN, " ");
    if (v->typing)
        (void)grid_printf(g, row, 0, TERM_BOLD, "filter: %s_", v->filter);
    else if (v->filter[0])
        (void)grid_printf(g, row, 0, TERM_PLAIN,
                "filter: %s   Esc clears   ? help   q quit", v->filter);
    else
        (void)grid_text(g, row, 0, TERM_DIM,
                "q quit  space pause  / filter  c m t p n sort  ? help");
}

static void draw_help(struct grid *g)
{
    static const char *const lines[] = {
        "space   pause and go on",
        "/       show only processes with a text in their name or pid",
        "Esc     show all again",
        "c       sort by CPU",
        "m       sort by memory",
        "t       sort by number of threads",
        "p       sort by pid",
        "n       sort by name",
        "r       turn the order round; so does the same key again",
        "arrows  scroll",
        "?       this help, and back",
        "q       quit",
    };

    for (size_t i = 0; i < LEN(lines); i++)
        (void)grid_text(g, 2 + (int)i, 2, TERM_PLAIN, lines[i]);
}

void top_draw(struct grid *g, struct top_model *m, const struct top_view *v)
{
    draw_title(g, m, v);
    if (v->help) {
        draw_help(g);
    } else {
        int row = draw_machine(g, 1, m);

        row = draw_cores(g, row, m);
        row = draw_devices(g, row, m);
        row = draw_latencies(g, row, m);
        draw_processes(g, row, m, v);
    }
    draw_foot(g, v);
}
