/* verdict.h -- did it get slower?  Yes, no, or cannot tell. */
#pragma once

#include "analyse/verdict/interval.h"

enum verdict {
    VERDICT_CANNOT_TELL,
    VERDICT_SAME,   /* less than matters, either way */
    VERDICT_BETTER, /* there is a difference, and it matters */
    VERDICT_WORSE,
    VERDICT_REFUSED, /* the two are not to be compared */
    VERDICTS,
};

/* "cannot_tell", "same", "better", "worse", "refused": as documents have it.
 * verdict_words() is for people. */
const char *verdict_name(enum verdict v);
const char *verdict_words(enum verdict v);

/* The smallest change that matters, unless somebody says otherwise. */
#define VERDICT_LEAST 0.02

/* Of an interval of the logarithm of a ratio; `least` is a ratio's part, 0.02
 * for 2 %.  More is worse. */
enum verdict verdict_of(const struct interval *i, double least);

/* The same of a figure of which more is better. */
enum verdict verdict_turned(enum verdict v);

/* --- pairs, looked at as they come ---------------------------------------- */

#define VERDICT_PAIRS_LEAST 4
#define VERDICT_PAIRS_MAX   30

/* What the first `count` pairs tell, each the difference of two logarithms:
 * after less before.  May be asked after every pair, and the first answer that
 * is not VERDICT_CANNOT_TELL taken: the chance of a wrong one is spent over all
 * looks.  `out` is the interval of the last look, NULL where nobody asks; it is
 * all NAN before the first. */
enum verdict verdict_of_pairs(struct interval *out, const double *differences,
        size_t count, double least);
