/* bench_text.h -- a benchmark for a person at a terminal. */
#pragma once

#include "analyse/summary.h"
#include "cmd/bench/bench_energy.h"
#include "cmd/bench/bench_report.h"
#include "cmd/bench/bench_settings.h"

/* `energy` is of each row of the report. */
void bench_text(struct buf *out, const struct bench_settings *settings,
        const struct bench_report *report, const struct summary *summary,
        const struct bench_energy *energy, bool colours);
