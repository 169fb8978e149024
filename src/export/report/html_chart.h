/* html_chart.h -- charts of a run as SVG within a page: no script, nothing from
 * elsewhere.  Colours are the page's. */
#pragma once

#include "analyse/summary.h"
#include "base/buf.h"

#define CHART_STEPS 240
#define CHART_BARS  48

/* Latencies, gathered in as many steps as a chart has room for. */
struct chart_latency {
    uint64_t first_ns, last_ns; /* starts of inferences */
    struct chart_step {
        uint64_t count;
        uint64_t min_ns, max_ns;
        double sum_ns;
    } steps[CHART_STEPS];
    /* How often: bars that are equally wide on a scale of powers. */
    uint64_t least_ns, most_ns;
    uint64_t bars[CHART_BARS];
    uint64_t count;
};

/* The bounds must be set before; failed inferences are left out. */
void chart_latency_add(struct chart_latency *c, const struct inference *i);

/* Each adds nothing where there is nothing to show. */
void chart_latency_over_time(struct buf *out, const struct chart_latency *c);
void chart_latency_spread(struct buf *out, const struct chart_latency *c);
void chart_operators(struct buf *out, const struct operators *o);
