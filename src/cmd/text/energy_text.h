/* energy_text.h -- the energy of a run, for a person at a terminal. */
#pragma once

#include "analyse/summary.h"
#include "cmd/text/page.h"

/* A few lines of a report; nothing where nothing was sampled. */
void energy_lines(const struct page *p, const struct summary *s);

/* The full account.  `flops` are those of an inference; 0: not known. */
void energy_text(struct buf *out, const struct summary *s, double flops,
        bool colours);

/* Three significant digits and the unit that suits them: "12.3 mJ",
 * "4.56 kJ".  What is not a number is "–". */
char *energy_amount(char out[16], double joules);
