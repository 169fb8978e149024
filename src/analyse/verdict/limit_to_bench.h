/* limit_to_bench.h -- the part of a run that a benchmark means.
 *
 * A benchmark has to load and to warm up before it measures.  It marks what it
 * does with sections (ortmeter.h) of these names; an inference belongs to the
 * section of its process in which it began. */
#pragma once

#include "analyse/summary.h"

#define MEASURED_SECTION "bench: measured"
#define WARM_UP_SECTION  "bench: warm-up"

/* Lets the summary's latency, phases, throughput and warm-up speak of the
 * inferences in such sections only; figures of sessions and operators stay
 * those of the whole run.  A run without such sections stays as it is. */
int limit_to_bench(struct summary *s, struct store *store, int64_t run,
        struct error *e);
