/* top_fill.h -- from what was sampled and recorded to what `top` shows. */
#pragma once

#include "cmd/top_draw.h"
#include "cmd/watching.h"
#include "store/store.h"

/* The machine, its devices and the processes.  `m->process` is made or grown
 * as needed; the caller frees it. */
void top_fill(struct top_model *m, const struct watching *w, uint64_t now_ns);

/* The models of the newest run, if it is being recorded, and what their
 * inferences took of late; or why there are none.  `store` is NULL where there
 * is no database, and `why` says so. */
void top_fill_runs(struct top_model *m, struct store *store,
        const struct error *why, uint64_t now_mono_ns);
