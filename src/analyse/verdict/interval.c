#include "analyse/verdict/interval.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES   20
#define SURE      2.861 /* Student, 19 degrees of freedom, 99 % on both sides */
#define TAIL      5.0   /* effective inferences beyond a percentile, at least */
#define OF_RANGES 1.5

double interval_sorted_at(const double *sorted, size_t count, double share)
{
    double place = fmin(fmax(share, 0), 1) * (double)(count - 1);
    size_t below = (size_t)place;
    double part = place - (double)below;

    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] * (1 - part) + sorted[below + 1] * part;
}

double interval_median(const double *values, size_t count)
{
    double *sorted = alloc_zero(count, sizeof(*sorted));

    memcpy(sorted, values, count * sizeof(*sorted));
    sort_doubles(sorted, count);

    double median = interval_sorted_at(sorted, count, 0.5);

    free(sorted);
    return median;
}

/* --- one run -------------------------------------------------------------- */

/* The variance of "is not above `limit`", for one inference: found from that of
 * batches, in which neighbours stay together, and never less than it would be
 * if they did not resemble each other. */
static double long_variance(const double *in_order, size_t count, double limit,
        double share)
{
    size_t size = count / BATCHES;
    double sum = 0, squares = 0;

    for (size_t k = 0; k < BATCHES; k++) {
        size_t below = 0;

        for (size_t i = k * size; i < (k + 1) * size; i++)
            below += in_order[i] <= limit;

        double part = (double)below / (double)size;

        sum += part;
        squares += part * part;
    }

    double spread = (squares - sum * sum / BATCHES) / (BATCHES - 1);

    return fmax((double)size * spread, share * (1 - share));
}

bool interval_quantile(struct interval_quantile *out, const double *in_order,
        const double *sorted, size_t count, double share)
{
    double alone = share * (1 - share);

    *out = (struct interval_quantile){ .effective = 0 };
    if (!count)
        return false;
    out->at.middle = interval_sorted_at(sorted, count, share);
    if (count < INTERVAL_LEAST)
        return false;

    double variance = long_variance(in_order, count, out->at.middle, share);
    double reach = SURE * sqrt(variance / (double)count);

    out->at.low = interval_sorted_at(sorted, count, share - reach);
    out->at.high = interval_sorted_at(sorted, count, share + reach);
    out->error = (out->at.high - out->at.low) / (2 * SURE);
    out->effective = (double)count * alone / variance;
    return out->effective * fmin(share, 1 - share) >= TAIL;
}

/* --- runs of two sides ---------------------------------------------------- */

int interval_rank_limit(size_t before, size_t after, double chance)
{
    size_t most = before * after;
    double *orders = alloc_zero(most + 1, sizeof(*orders));
    double all = 1, sum = 0;
    int limit = -1;

    orders[0] = 1;
    for (size_t i = 1; i <= before; i++) {
        for (size_t u = most; u >= after + i; u--)
            orders[u] -= orders[u - after - i];
        for (size_t u = i; u <= most; u++)
            orders[u] += orders[u - i];
        all = all * (double)(after + i) / (double)i;
    }
    for (size_t u = 0; u <= most; u++) {
        sum += orders[u] / all;
        if (sum > chance)
            break;
        limit = (int)u;
    }
    free(orders);
    return limit;
}

bool interval_ranks(struct interval *out, const double *before,
        size_t before_count, const double *after, size_t after_count,
        double chance)
{
    size_t count = before_count * after_count;
    int limit =
            count ? interval_rank_limit(before_count, after_count, chance) : -1;

    if (limit < 0 || 2 * (size_t)limit >= count)
        return false;

    double *all = alloc_zero(count, sizeof(*all));

    for (size_t i = 0; i < before_count; i++)
        for (size_t k = 0; k < after_count; k++)
            all[i * after_count + k] = after[k] - before[i];
    sort_doubles(all, count);
    *out = (struct interval){
        .middle = interval_sorted_at(all, count, 0.5),
        .low = all[limit],
        .high = all[count - 1 - (size_t)limit],
    };
    free(all);
    return true;
}

struct interval interval_of_two(const struct interval_quantile *before,
        const struct interval_quantile *after, double range)
{
    double middle = after->at.middle - before->at.middle;
    double within = hypot(SURE * before->error, SURE * after->error);
    double reach = hypot(within, OF_RANGES * range);

    return (struct interval){ middle, middle - reach, middle + reach };
}

/* --- Student -------------------------------------------------------------- */

/* One step of Lentz's way to go through a continued fraction. */
static void lentz(double term, double *c, double *d, double *h)
{
    *d = 1 + term * *d;
    *d = 1 / (fabs(*d) < DBL_MIN ? DBL_MIN : *d);
    *c = 1 + term / *c;
    *c = fabs(*c) < DBL_MIN ? DBL_MIN : *c;
    *h *= *c * *d;
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;

    for (int m = 1; m < 1000; m++) {
        double before = h;

        lentz(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), &c, &d, &h);
        lentz(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), &c,
                &d, &h);
        if (fabs(h - before) < 1e-15 * fabs(h))
            break;
    }
    return h;
}

static double beta_share(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x >= 1;

    double front = exp(
            lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double interval_student(double t, double freedom)
{
    return beta_share(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double interval_student_limit(double chance, double freedom)
{
    double low = 0, high = 1;

    while (interval_student(high, freedom) > 2 * chance && high < 1e12)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;

        if (interval_student(middle, freedom) > 2 * chance)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* The mean, and the variance of that mean. */
static void mean_of(const double *values, size_t count, double *mean,
        double *variance)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    *mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - *mean) * (values[i] - *mean);
    *variance = squares / (double)(count - 1) / (double)count;
}

double interval_welch(const double *before, size_t before_count,
        const double *after, size_t after_count)
{
    double a, b, va, vb;

    if (before_count < 2 || after_count < 2)
        return 1;
    mean_of(before, before_count, &a, &va);
    mean_of(after, after_count, &b, &vb);

    double sum = va + vb;

    if (sum <= 0)
        return a < b || a > b ? 0 : 1;

    double freedom = sum * sum /
                     (va * va / (double)(before_count - 1) +
                             vb * vb / (double)(after_count - 1));

    return interval_student((b - a) / sqrt(sum), freedom);
}

void interval_discoveries(bool *found, const double *chances, size_t count,
        double rate)
{
    double *sorted = alloc_zero(count + 1, sizeof(*sorted));
    double limit = -1;

    memcpy(sorted, chances, count * sizeof(*sorted));
    sort_doubles(sorted, count);
    for (size_t i = 0; i < count; i++)
        if (sorted[i] <= rate * (double)(i + 1) / (double)count)
            limit = sorted[i];
    for (size_t i = 0; i < count; i++)
        found[i] = chances[i] <= limit;
    free(sorted);
}
