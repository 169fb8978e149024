#include "analyse/verdict/verdict.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *verdict_name(enum verdict v)
{
    static const char *const names[VERDICTS] = {
        [VERDICT_CANNOT_TELL] = "cannot_tell",
        [VERDICT_SAME] = "same",
        [VERDICT_BETTER] = "better",
        [VERDICT_WORSE] = "worse",
        [VERDICT_REFUSED] = "refused",
    };

    return names[v];
}

const char *verdict_words(enum verdict v)
{
    return v == VERDICT_CANNOT_TELL ? "cannot tell" : verdict_name(v);
}

enum verdict verdict_of(const struct interval *i, double least)
{
    double matters = log1p(least);

    if (i->low > -matters && i->high < matters)
        return VERDICT_SAME;
    if (i->low > 0 && i->middle >= matters)
        return VERDICT_WORSE;
    if (i->high < 0 && i->middle <= -matters)
        return VERDICT_BETTER;
    return VERDICT_CANNOT_TELL;
}

enum verdict verdict_turned(enum verdict v)
{
    return v == VERDICT_WORSE    ? VERDICT_BETTER
           : v == VERDICT_BETTER ? VERDICT_WORSE
                                 : v;
}

/* --- pairs, looked at as they come ---------------------------------------- */

/* Student's limits at seven looks, each of a chance of 0.0025 / 7 a side. */
static const double limits[VERDICT_PAIRS_MAX + 1] = {
    [4] = 14.479,
    [5] = 9.398,
    [7] = 6.351,
    [10] = 5.025,
    [14] = 4.403,
    [20] = 4.031,
    [30] = 3.785,
};

/* How many of the least and of the greatest differences chance may turn round:
 * by an e-value of 400, which holds at every look. */
static const unsigned char signs[VERDICT_PAIRS_MAX + 1] = {
    [12] = 1,
    [13] = 1,
    [14] = 1,
    [15] = 1, //
    [16] = 2,
    [17] = 2,
    [18] = 2,
    [19] = 2, //
    [20] = 3,
    [21] = 3,
    [22] = 3,
    [23] = 3, //
    [24] = 4,
    [25] = 4,
    [26] = 4, //
    [27] = 5,
    [28] = 5,
    [29] = 5,
    [30] = 6,
};

static struct interval by_mean(const double *d, size_t count)
{
    double sum = 0, squares = 0, n = (double)count;

    for (size_t i = 0; i < count; i++)
        sum += d[i];

    double mean = sum / n;

    for (size_t i = 0; i < count; i++)
        squares += (d[i] - mean) * (d[i] - mean);

    double reach = limits[count] * sqrt(squares / (n - 1) / n);

    return (struct interval){ mean, mean - reach, mean + reach };
}

static struct interval by_signs(const double *d, size_t count)
{
    double *sorted = alloc_zero(count, sizeof(*sorted));
    size_t rank = signs[count];

    memcpy(sorted, d, count * sizeof(*sorted));
    sort_doubles(sorted, count);

    struct interval i = {
        .middle = interval_sorted_at(sorted, count, 0.5),
        .low = sorted[rank - 1],
        .high = sorted[count - rank],
    };

    free(sorted);
    return i;
}

enum verdict verdict_of_pairs(struct interval *out, const double *differences,
        size_t count, double least)
{
    struct interval i = { NAN, NAN, NAN };
    enum verdict v = VERDICT_CANNOT_TELL;
    size_t look = count < VERDICT_PAIRS_MAX ? count : VERDICT_PAIRS_MAX;

    while (look >= VERDICT_PAIRS_LEAST && limits[look] <= 0 && !signs[look])
        look--;
    if (look >= VERDICT_PAIRS_LEAST && limits[look] > 0) {
        i = by_mean(differences, look);
        v = verdict_of(&i, least);
    }
    if (v == VERDICT_CANNOT_TELL && look <= VERDICT_PAIRS_MAX && signs[look]) {
        i = by_signs(differences, look);
        v = verdict_of(&i, least);
    }
    if (out)
        *out = i;
    return v;
}
