/* bench_text.h -- a benchmark for a person at a terminal. */
#pragma once

#include "analyse/summary.h"
#include "cmd/bench_report.h"
#include "cmd/bench_settings.h"

void bench_text(struct buf *out, const struct bench_settings *settings,
        const struct bench_report *report, const struct summary *summary,
        bool colours);
