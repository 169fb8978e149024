/* operators_text.h -- where the time went, for a person at a terminal. */
#pragma once

#include "analyse/summary.h"
#include "cmd/page.h"

/* Nothing where no inference was looked into. */
void operators_text(const struct page *p, const struct summary *s);
