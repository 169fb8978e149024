/* summary_text.h -- a run's summary for a person at a terminal. */
#pragma once

#include "analyse/finding/findings.h"
#include "analyse/summary.h"
#include "base/buf.h"

void summary_text(struct buf *out, const struct summary *s, bool colours);

/* The same with what stands out in it at the top; NULL: nothing. */
void summary_text_with(struct buf *out, const struct summary *s,
        const struct findings *f, bool colours);

/* "2026-11-15 23:01:23", in local time. */
void summary_date(char out[32], uint64_t wall_ns);
