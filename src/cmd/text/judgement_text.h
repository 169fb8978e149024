/* judgement_text.h -- a judgement for people: the verdict first, then what
 * speaks for it. */
#pragma once

#include "analyse/verdict/judgement.h"
#include "cmd/text/page.h"

/* "worse: +5.1 % [+4.8, +5.4], 2 % matters", in a colour. */
void judgement_verdict_text(const struct page *p, const struct judged_change *c,
        enum verdict verdict);

/* A line for each figure that is known of a side. */
void judgement_figures_text(const struct page *p,
        const struct judged_change *changes, size_t count);

/* The parts of the difference, and the operators that changed most. */
void judgement_operators_text(const struct page *p, const struct judgement *j);

/* The verdict, why, and what would help: the first lines of `compare`. */
void judgement_head_text(const struct page *p, const struct judgement *j);

/* What is not alike in the runs, a line each. */
void judgement_differences_text(const struct page *p,
        const struct judgement *j);

/* All of it. */
void judgement_text(const struct page *p, const struct judgement *j);
