/* sweep_text.h -- a benchmark's points, for a person at a terminal. */
#pragma once

#include "analyse/summary.h"
#include "cmd/text/page.h"

/* The table, what it rests on, and which of its points cannot be told apart.
 * Nothing, where there was no sweep. */
void sweep_text(const struct page *p, const struct summary *s);
