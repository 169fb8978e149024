#include "export/report/html_chart.h"

#include "export/report/report.h"
#include "export/report/xml_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 900,
    HEIGHT = 220,
    LEFT = 90, /* where the figures of the axis stand */
    BELOW = 24,
    ROW = 22, /* of a bar that lies */
    MOST_ROWS = 15,
};

/* --- frame ---------------------------------------------------------------- */

static void begin(struct buf *out, const char *title, int height)
{
    buf_text(out, "<figure><figcaption>");
    xml_text(out, title);
    buf_printf(out,
            "</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"",
            WIDTH, height);
    xml_text(out, title);
    buf_text(out, "\">\n");
}

static void end(struct buf *out)
{
    buf_text(out, "</svg></figure>\n");
}

static void label(struct buf *out, double x, double y, const char *anchor,
        const char *text)
{
    buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
            anchor);
    xml_text(out, text);
    buf_text(out, "</text>\n");
}

static void duration_label(struct buf *out, double x, double y,
        const char *anchor, double ns)
{
    struct buf text = { 0 };

    report_duration(&text, ns);
    label(out, x, y, anchor, buf_cstr(&text));
    buf_release(&text);
}

/* Marks at even distances, and what they stand for. */
enum { TICKS = 4 };

static void tick(struct buf *out, double x, double y, bool below)
{
    buf_printf(out, "<path class=\"axis\" d=\"M%.1f %.1f%s\"/>\n", x, y,
            below ? "v4" : "h-4");
}

static double between(double least, double most, int i)
{
    return least + (most - least) * i / TICKS;
}

static const char *anchor_of(int i)
{
    return i == 0 ? "start" : i == TICKS ? "end" : "middle";
}

/* --- latency -------------------------------------------------------------- */

static size_t step_of(uint64_t value, uint64_t first, uint64_t last,
        size_t count)
{
    double share =
            last > first ? (double)(value - first) / (double)(last - first) : 0;
    size_t step = (size_t)(share * (double)count);

    return step < count ? step : count - 1;
}

static size_t bar_of(const struct chart_latency *c, uint64_t ns)
{
    double least = log((double)c->least_ns + 1);
    double most = log((double)c->most_ns + 1);
    double share =
            most > least ? (log((double)ns + 1) - least) / (most - least) : 0;
    size_t bar = share > 0 ? (size_t)(share * CHART_BARS) : 0;

    return bar < CHART_BARS ? bar : CHART_BARS - 1;
}

void chart_latency_add(struct chart_latency *c, const struct inference *i)
{
    if (i->flags & FLAG_FAILED || i->start_ns < c->first_ns)
        return;

    struct chart_step *s = &c->steps[step_of(i->start_ns, c->first_ns,
            c->last_ns, CHART_STEPS)];

    if (!s->count || i->duration_ns < s->min_ns)
        s->min_ns = i->duration_ns;
    if (i->duration_ns > s->max_ns)
        s->max_ns = i->duration_ns;
    s->sum_ns += (double)i->duration_ns;
    s->count++;
    c->bars[bar_of(c, i->duration_ns)]++;
    c->count++;
}

void chart_latency_over_time(struct buf *out, const struct chart_latency *c)
{
    double most = (double)c->most_ns, wide = (double)(WIDTH - LEFT);
    double high = HEIGHT - BELOW;

    if (!c->count || most <= 0)
        return;
    begin(out, "Latency over time: least, mean and greatest", HEIGHT);
    for (int i = 0; i <= TICKS; i++) {
        double y = high - between(0, high, i), x = between(LEFT, WIDTH, i);

        tick(out, LEFT, y, false);
        duration_label(out, LEFT - 8, y < 12 ? 12 : y, "end",
                between(0, most, i));
        tick(out, x, high, true);
        duration_label(out, x, HEIGHT - 6, anchor_of(i),
                between((double)c->first_ns, (double)c->last_ns, i));
    }
    buf_printf(out, "<path class=\"axis\" d=\"M%d 0V%.0fH%d\"/>\n", LEFT, high,
            WIDTH);
    for (size_t i = 0; i < CHART_STEPS; i++) {
        const struct chart_step *s = &c->steps[i];
        double x = LEFT + wide * ((double)i + 0.5) / CHART_STEPS;
        double mean = s->count ? s->sum_ns / (double)s->count : 0;

        if (!s->count)
            continue;
        buf_printf(out, "<path class=\"span\" d=\"M%.1f %.1fV%.1f\"/>", x,
                high - high * (double)s->min_ns / most,
                high - high * (double)s->max_ns / most);
        buf_printf(out,
                "<circle class=\"mean\" cx=\"%.1f\" cy=\"%.1f\" "
                "r=\"2\"/>\n",
                x, high - high * mean / most);
    }
    end(out);
}

void chart_latency_spread(struct buf *out, const struct chart_latency *c)
{
    double wide = (double)(WIDTH - LEFT) / CHART_BARS, high = HEIGHT - BELOW;
    uint64_t most = 0;
    char text[32];

    for (size_t i = 0; i < CHART_BARS; i++)
        most = c->bars[i] > most ? c->bars[i] : most;
    if (!most)
        return;
    begin(out, "How often each latency occurred, on a scale of powers", HEIGHT);
    (void)snprintf(text, sizeof(text), "%" PRIu64, most);
    tick(out, LEFT, 0, false);
    label(out, LEFT - 8, 12, "end", text);
    tick(out, LEFT, high, false);
    label(out, LEFT - 8, high, "end", "0");
    for (int i = 0; i <= TICKS; i++) {
        double x = between(LEFT, WIDTH, i);

        tick(out, x, high, true);
        duration_label(out, x, HEIGHT - 6, anchor_of(i),
                exp(between(log((double)c->least_ns + 1),
                        log((double)c->most_ns + 1), i)) -
                        1);
    }
    buf_printf(out, "<path class=\"axis\" d=\"M%d 0V%.0fH%d\"/>\n", LEFT, high,
            WIDTH);
    for (size_t i = 0; i < CHART_BARS; i++) {
        double tall = high * (double)c->bars[i] / (double)most;

        if (c->bars[i])
            buf_printf(out,
                    "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" "
                    "width=\"%.1f\" height=\"%.1f\"/>\n",
                    LEFT + wide * (double)i + 1, high - tall, wide - 2, tall);
    }
    end(out);
}

/* --- operators ------------------------------------------------------------ */

/* The page's class for what kind of device a provider runs on. */
static const char *class_of(const char *provider)
{
    static const struct {
        const char *part, *name;
    } known[] = {
        { "CPU", "cpu" },
        { "CUDA", "gpu" },
        { "Tensorrt", "gpu" },
        { "Dml", "gpu" },
        { "ROCM", "gpu" },
        { "MIGraphX", "gpu" },
        { "WebGpu", "gpu" },
        { "QNN", "npu" },
        { "VitisAI", "npu" },
        { "CoreML", "npu" },
    };

    for (size_t i = 0; provider && i < LEN(known); i++)
        if (strstr(provider, known[i].part))
            return known[i].name;
    return "other";
}

void chart_operators(struct buf *out, const struct operators *o)
{
    size_t rows = o->count < MOST_ROWS ? o->count : MOST_ROWS;
    double most = rows ? o->items[0].times[PHASES].self_ns : 0;
    double left = 3.0 * LEFT, wide = WIDTH - left - LEFT;

    if (most <= 0)
        return;
    begin(out, "Operators by their own time", (int)rows * ROW + 4);
    for (size_t i = 0; i < rows; i++) {
        const struct operator_figures *x = &o->items[i];
        double y = (double)i * ROW,
               width = wide * x->times[PHASES].self_ns / most;
        const char *name = x->name && *x->name ? x->name : x->op_type;
        size_t len = name ? strlen(name) : 0;

        /* The end of a path says more than its beginning. */
        while (len > 38 || (len && (*name & 0xc0) == 0x80)) {
            name++;
            len--;
        }
        label(out, left - 8, y + 15, "end", name ? name : "");
        buf_printf(out,
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%d\"/>\n",
                class_of(x->provider), left, y + 3, width, ROW - 6);
        duration_label(out, left + width + 6, y + 15, "start",
                x->times[PHASES].self_ns);
    }
    end(out);
}
