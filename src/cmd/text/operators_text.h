/* operators_text.h -- where the time went, for a person at a terminal. */
#pragma once

#include "analyse/summary.h"
#include "cmd/text/page.h"

/* Where none is known, why. */
void operators_text(const struct page *p, const struct summary *s);
