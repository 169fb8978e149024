/* html.c -- a run's report as one page: readable offline, light and dark, with
 * charts, and without a script or anything from elsewhere. */
#include "analyse/measured.h"
#include "base/alloc.h"
#include "export/formats.h"
#include "export/report/html_chart.h"
#include "export/report/report.h"
#include "export/report/xml_text.h"

#include <stdlib.h>
#include <string.h>

/* Colours that people with any eyes tell apart (Okabe and Ito). */
static const char head[] =
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'\">\n"
        "<style>\n"
        ":root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;"
        "--line:#d0d0d0;--soft:#666;--cpu:#0072b2;--gpu:#009e73;"
        "--npu:#cc79a7;--other:#888;--warn:#d55e00}\n"
        "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;"
        "--paper:#161616;--line:#3a3a3a;--soft:#a0a0a0;--cpu:#56b4e9;"
        "--gpu:#2fc79a;--npu:#e39ac4;--other:#999;--warn:#f0a060}}\n"
        "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);"
        "background:var(--paper);max-width:72rem;margin:2rem auto;"
        "padding:0 1rem}\n"
        "table{border-collapse:collapse;margin:.5rem 0 1.5rem}\n"
        "div.wide{overflow-x:auto}\n"
        "th,td{padding:.2rem .8rem .2rem 0;text-align:left;"
        "border-bottom:1px solid var(--line);vertical-align:top;"
        "overflow-wrap:anywhere}\n"
        "table.figures td+td,table.figures th+th{text-align:right;"
        "white-space:nowrap;font-variant-numeric:tabular-nums}\n"
        "table.warnings td{border-left:4px solid var(--warn);"
        "padding-left:.6rem}\n"
        "th{color:var(--soft);font-weight:600}\n"
        "figure{margin:1rem 0}figcaption{color:var(--soft)}\n"
        "svg{width:100%;height:auto}svg text{font-size:12px;fill:var(--soft)}\n"
        ".axis{fill:none;stroke:var(--line)}\n"
        ".span{stroke:var(--cpu);stroke-opacity:.35;stroke-width:2}\n"
        ".mean,.bar,.cpu{fill:var(--cpu)}.gpu{fill:var(--gpu)}"
        ".npu{fill:var(--npu)}.other{fill:var(--other)}\n"
        "</style>\n";

/* The charts show those that the figures are of. */
struct charting {
    struct chart_latency *latency;
    struct counting *counting;
    struct measured measured;
};

static bool is_shown(const struct charting *c, const struct inference *i)
{
    return !(i->flags & FLAG_FAILED) && measured_has(&c->measured, i) &&
           counting_of(c->counting, i) != LEFT_OUT;
}

static void take_inference(void *to, const struct inference *i)
{
    const struct charting *c = to;

    if (is_shown(c, i))
        chart_latency_add(c->latency, i);
}

static void take_bounds(void *to, const struct inference *i)
{
    const struct charting *charting = to;
    struct chart_latency *c = charting->latency;

    if (!is_shown(charting, i))
        return;
    if (!c->most_ns || i->duration_ns < c->least_ns)
        c->least_ns = i->duration_ns;
    if (i->duration_ns > c->most_ns)
        c->most_ns = i->duration_ns;
    if (!c->last_ns || i->start_ns < c->first_ns)
        c->first_ns = i->start_ns;
    if (i->start_ns > c->last_ns)
        c->last_ns = i->start_ns;
}

static void add_row(struct buf *out, const struct report_table *t, size_t row)
{
    buf_text(out, "<tr>");
    for (size_t i = 0; i < t->columns; i++) {
        buf_text(out, row ? "<td>" : "<th>");
        xml_text(out, report_cell(t, row, i));
        buf_text(out, row ? "</td>" : "</th>");
    }
    buf_text(out, "</tr>\n");
}

static void add_table(struct buf *out, const struct report_table *t)
{
    buf_text(out, "<h2>");
    xml_text(out, t->title);
    buf_printf(out, "</h2>\n<div class=\"wide\"><table%s>\n",
            t->columns > 2    ? " class=\"figures\""
            : t->columns == 1 ? " class=\"warnings\""
                              : "");
    /* A head without words is none. */
    if (*report_cell(t, 0, 0))
        add_row(out, t, 0);
    for (size_t row = 1; row < report_rows(t); row++)
        add_row(out, t, row);
    buf_text(out, "</table></div>\n");
}

static void page(struct buf *out, const struct summary *s,
        const struct chart_latency *latency)
{
    struct report report;

    report_init(&report, s);
    buf_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n");
    buf_text(out, head);
    buf_text(out, "<title>");
    xml_text(out, report.title);
    buf_text(out, "</title>\n</head>\n<body>\n<h1>");
    xml_text(out, report.title);
    buf_text(out, "</h1>\n");
    for (size_t i = 0; i < report.count; i++) {
        const struct report_table *t = &report.tables[i];

        add_table(out, t);
        /* Times of several batches or levels are not pooled. */
        if (strcmp(t->title, "Latency") == 0 && !s->sweep.count) {
            chart_latency_over_time(out, latency);
            chart_latency_spread(out, latency);
        }
        if (strncmp(t->title, "Operators;", 10) == 0)
            chart_operators(out, &s->operators);
    }
    buf_text(out, "</body>\n</html>\n");
    report_release(&report);
}

static int write(struct sink *to, struct store *s, int64_t run, struct error *e)
{
    struct summary summary;
    struct chart_latency *latency = alloc_zero(1, sizeof(*latency));
    struct buf out = { 0 };
    struct charting charting = { .latency = latency };
    int rc = counting_read(&charting.counting, s, run, e);

    if (!rc)
        rc = measured_read(&charting.measured, s, run, e);
    if (!rc)
        rc = store_each_inference(s, run, take_bounds, &charting, e);
    if (!rc)
        rc = store_each_inference(s, run, take_inference, &charting, e);
    counting_free(charting.counting);
    measured_release(&charting.measured);
    if (!rc)
        rc = summary_read(&summary, s, run, e);
    if (!rc) {
        page(&out, &summary, latency);
        sink_write(to, buf_str(&out));
        summary_release(&summary);
    }
    buf_release(&out);
    free(latency);
    return rc;
}

const struct export_format export_html = {
    .name = "html",
    .about = "a report as one page with charts, readable offline",
    .ending = ".html",
    .write = write,
};
