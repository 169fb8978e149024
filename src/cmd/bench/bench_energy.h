/* bench_energy.h -- what an inference and a sample draw, for each way in which
 * a benchmark ran the model: what throughput costs. */
#pragma once

#include "analyse/summary.h"
#include "base/json.h"
#include "cmd/bench/bench_report.h"

/* Of one row of the report, in the mean; NAN: not known. */
struct bench_energy {
    double inference_j; /* gross: all that was drawn in its time */
    double net_j;       /* without what was idle or others'; as calibrated */
    double samples;     /* in an inference */
    enum reading_method method;
};

/* Fills as many as the report has rows. */
int bench_energy_read(struct bench_energy *out, const struct bench_report *r,
        const struct summary *s, struct store *store, struct error *e);

/* Members of a row; none where nothing is known. */
void bench_energy_json(struct json *j, const struct bench_energy *x,
        const struct summary *s);

/* A table, or a line for one row.  Where nothing is known, that is said if
 * `asked`. */
void bench_energy_text(struct buf *out, const struct bench_energy *rows,
        const struct bench_report *r, const struct summary *s, bool asked);
