#include "analyse/verdict/judged_run.h"

#include "base/alloc.h"
#include "base/quantile.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What differs from run to run by itself says what may matter. */
const struct judged_kind judged_kinds[JUDGED_FIGURES] = {
    [JUDGED_P10] = { "p10", "undisturbed", "us", 1e3, .02, false, 20, .1 },
    [JUDGED_P50] = { "p50", "median", "us", 1e3, .03, false, 20, .5 },
    [JUDGED_P95] = { "p95", "p95", "us", 1e3, .2, false, 100, .95 },
    [JUDGED_P99] = { "p99", "p99", "us", 1e3, .25, false, 300, .99 },
    [JUDGED_MEAN] = { "mean", "mean", "us", 1e3, .1, false, 20, 0 },
    [JUDGED_RATE] = { "inferences_per_s", "inf/s", "1/s", 1, .1, true, 20, 0 },
    [JUDGED_TTFT] = { "ttft", "first token", "ms", 1e6, .1, false, 1, 0 },
    [JUDGED_TPOT] = { "tpot", "each further", "ms", 1e6, .05, false, 1, 0 },
    [JUDGED_MEMORY] = { "peak_rss", "memory", "bytes", 1, .01, false, 0, 0 },
    [JUDGED_GROWTH] = { "rss_growth", "growth", "ratio", 1, .01, false, 0, 0 },
    [JUDGED_JOULES] = { "joules_per_inference", "J/inference", "J", 1, .1,
            false, 1, 0 },
    [JUDGED_TOKEN_JOULES] = { "joules_per_token", "J/token", "J", 1, .1, false,
            1, 0 },
};

const double judged_shifts[JUDGED_SHIFTS] = { .01, .05, .1, .25, .5, .75, .9,
    .95, .99 };

/* --- where it settles ----------------------------------------------------- */

#define FIVE         5
#define WARMUP_LEAST 10
#define WARMUP_RUN   60 /* inferences: of fewer, a third is no warm-up */

static double median_of_five(const uint64_t *at)
{
    double five[FIVE];

    for (size_t i = 0; i < FIVE; i++)
        five[i] = (double)at[i];
    sort_doubles(five, FIVE);
    return five[FIVE / 2];
}

size_t judged_run_warmup(const uint64_t *durations_ns, size_t count)
{
    size_t fives = count / FIVE, half = fives / 2, w = WARMUP_LEAST;

    if (count < WARMUP_RUN)
        return 0;

    double *later = alloc_zero(fives, sizeof(*later));

    for (size_t i = half; i < fives; i++)
        later[i - half] = median_of_five(durations_ns + i * FIVE);
    sort_doubles(later, fives - half);

    double most = interval_sorted_at(later, fives - half, 0.9);

    while (w < count / 3 &&
            (median_of_five(durations_ns + w) > most ||
                    median_of_five(durations_ns + w + FIVE) > most))
        w += FIVE;
    free(later);
    return w < count / 3 ? w : count / 3;
}

/* --- a change of the level ------------------------------------------------ */

#define BLOCKS      50
#define EDGE        5
#define SHIFT_Z     3.5
#define SHIFT_LEAST 0.03
#define SHIFT_AUC   0.3

/* Of the split where the ranks before and after differ most; in deviations. */
static double best_split(const double *blocks, size_t *split, double *auc)
{
    double best = 0;

    for (size_t s = EDGE; s <= BLOCKS - EDGE; s++) {
        double n = (double)s, m = (double)(BLOCKS - s), above = 0;

        for (size_t i = 0; i < s; i++)
            for (size_t k = s; k < BLOCKS; k++)
                above += blocks[k] > blocks[i]   ? 1
                         : blocks[k] < blocks[i] ? 0
                                                 : 0.5;

        double z = (above - n * m / 2) / sqrt(n * m * (BLOCKS + 1) / 12.0);

        if (fabs(z) > fabs(best)) {
            best = z;
            *split = s;
            *auc = above / (n * m);
        }
    }
    return best;
}

double judged_run_shift(const double *ln_ns, size_t count)
{
    double blocks[BLOCKS], auc = 0.5;
    size_t size = count / BLOCKS, split = 0;

    if (!size)
        return 0;
    for (size_t i = 0; i < BLOCKS; i++)
        blocks[i] = interval_median(ln_ns + i * size, size);

    double z = best_split(blocks, &split, &auc);

    if (fabs(z) <= SHIFT_Z || fabs(auc - 0.5) < SHIFT_AUC)
        return 0;

    double change = interval_median(blocks + split, BLOCKS - split) -
                    interval_median(blocks, split);

    return fabs(change) >= log1p(SHIFT_LEAST) ? change : 0;
}

/* --- the figures ---------------------------------------------------------- */

static double ln_of(double ns)
{
    return log(fmax(ns, 1));
}

/* The values are percentiles as every report has them; how sure they are is
 * found from the logarithms. */
static void percentiles(struct judged_run *out, const double *ln_ns,
        const uint64_t *durations_ns, size_t count)
{
    double *ns = alloc_zero(count, sizeof(*ns));
    double *ln = alloc_zero(count, sizeof(*ln));

    for (size_t i = 0; i < count; i++)
        ns[i] = (double)durations_ns[i];
    sort_doubles(ns, count);
    for (size_t i = 0; i < count; i++)
        ln[i] = ln_of(ns[i]);
    for (int i = 0; i < JUDGED_PERCENTILES; i++) {
        const struct judged_kind *k = &judged_kinds[i];

        out->sure[i] =
                interval_quantile(&out->at[i], ln_ns, ln, count, k->share);
        if (count >= k->least_in_run)
            out->value[i] = quantile_real(ns, count, k->share);
    }
    for (size_t i = 0; i < JUDGED_SHIFTS; i++)
        out->shift_ns[i] = quantile_real(ns, count, judged_shifts[i]);
    free(ns);
    free(ln);
}

void judged_run_measure(struct judged_run *out, const uint64_t *durations_ns,
        size_t count)
{
    double *ln_ns = alloc_zero(count + 1, sizeof(*ln_ns));
    double sum = 0;

    *out = (struct judged_run){ .count = count, .memory_ns = NAN };
    for (int i = 0; i < JUDGED_FIGURES; i++)
        out->value[i] = NAN;
    for (size_t i = 0; i < count; i++) {
        sum += (double)durations_ns[i];
        ln_ns[i] = ln_of((double)durations_ns[i]);
    }
    for (size_t i = 0; i < JUDGED_SHIFTS; i++)
        out->shift_ns[i] = NAN;
    if (count)
        percentiles(out, ln_ns, durations_ns, count);
    if (count >= judged_kinds[JUDGED_MEAN].least_in_run)
        out->value[JUDGED_MEAN] = sum / (double)count;
    out->span_s = sum / 1e9;
    out->shift = judged_run_shift(ln_ns, count);
    free(ln_ns);
}
