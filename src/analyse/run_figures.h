/* run_figures.h -- the figures of whole runs, kept with them: so that a metric
 * can be followed from run to run without reading every inference again. */
#pragma once

#include "analyse/summary.h"
#include "base/error.h"
#include "store/store.h"

/* Keeps the figures of a run that has ended. */
int run_figures_save(struct store *s, const struct summary *x, struct error *e);

/* Marks the runs whose meter died, and sums up what was kept of them. */
int run_figures_rescue(struct store *s, struct error *e);

/* Sums up those runs whose figures are not kept yet. */
int run_figures_complete(struct store *s, struct error *e);
