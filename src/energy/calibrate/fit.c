/* fit.c -- normal equations, Cholesky, and an active set for what would be
 * below zero.  With A = X'X and b = X'y of the windows of each lag, and v the
 * variance that their residuals show:
 *
 *     (sum of A / v + I / t^2) p = sum of b / v + m / t^2
 *
 * where m is the mean power of all windows, and t = m / 2: a kind may well draw
 * half the mean, or one and a half of it. */
#include "energy/calibrate/fit.h"

#include "base/alloc.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOWS_PER_KIND 4
#define PASSES           4

#define LAGS 3
#define RING 65 /* one more than the longest */

static const size_t lags[LAGS] = { 1, 8, 64 };

/* All runs of so many windows that follow each other. */
struct lag_sums {
    size_t runs;
    double *a; /* kinds * kinds */
    double *b;
    double yy; /* joules squared */
};

struct fit {
    size_t kinds;
    size_t windows;
    struct lag_sums sums[LAGS];
    double y, t; /* joules and seconds of all */
    /* Seconds and joules from the beginning, after each of the last windows. */
    double *ring[RING];
    double ring_y[RING];
    /* The last window waits for the one behind it: its seconds, its joules, and
     * what lies at its end. */
    double *row, *tail;
    double joules;
    bool waiting;
    double *next, *head; /* of the one that comes */
};

struct fit *fit_new(size_t kinds)
{
    struct fit *f = alloc_zero(1, sizeof(*f));

    f->kinds = kinds;
    for (size_t l = 0; l < LAGS; l++) {
        f->sums[l].a = alloc_zero(kinds * kinds + 1, sizeof(double));
        f->sums[l].b = alloc_zero(kinds + 1, sizeof(double));
    }
    for (size_t i = 0; i < RING; i++)
        f->ring[i] = alloc_zero(kinds + 1, sizeof(double));
    f->row = alloc_zero(kinds + 1, sizeof(double));
    f->tail = alloc_zero(kinds + 1, sizeof(double));
    f->next = alloc_zero(kinds + 1, sizeof(double));
    f->head = alloc_zero(kinds + 1, sizeof(double));
    return f;
}

void fit_free(struct fit *f)
{
    if (!f)
        return;
    for (size_t l = 0; l < LAGS; l++) {
        free(f->sums[l].a);
        free(f->sums[l].b);
    }
    for (size_t i = 0; i < RING; i++)
        free(f->ring[i]);
    free(f->row);
    free(f->tail);
    free(f->next);
    free(f->head);
    free(f);
}

/* --- windows -------------------------------------------------------------- */

/* What the first or last seconds of a window hold, on average over a border
 * that lies anywhere up to `reach` from where it was drawn: each part counts as
 * far as it is passed, and from there on whole. */
static void border_mean(const struct fit *f, const struct fit_window *w,
        bool at_end, double reach, double *mean)
{
    double passed = 0;

    memset(mean, 0, f->kinds * sizeof(*mean));
    for (size_t p = 0; p < w->count && passed < reach; p++) {
        const struct fit_part *x = &w->parts[at_end ? w->count - 1 - p : p];
        double length = fmin(x->seconds, reach - passed);

        passed += length;
        mean[x->kind] += length * (reach - passed + length / 2) / reach;
    }
}

static void add_run(struct lag_sums *s, size_t kinds, const double *from,
        const double *to, double joules)
{
    for (size_t i = 0; i < kinds; i++) {
        double x = to[i] - from[i];

        if (!(x > 0))
            continue;
        s->b[i] += x * joules;
        for (size_t j = 0; j < kinds; j++)
            s->a[i * kinds + j] += x * (to[j] - from[j]);
    }
    s->yy += joules * joules;
    s->runs++;
}

/* The window that waited is known now. */
static void sum_up(struct fit *f)
{
    if (!f->waiting)
        return;

    const double *before = f->ring[f->windows % RING];
    double joules = f->ring_y[f->windows % RING] + f->joules;

    f->windows++;
    f->y += f->joules;
    f->ring_y[f->windows % RING] = joules;
    for (size_t i = 0; i < f->kinds; i++) {
        f->ring[f->windows % RING][i] = before[i] + f->row[i];
        f->t += f->row[i];
    }
    for (size_t l = 0; l < LAGS; l++) {
        if (f->windows < lags[l])
            continue;

        size_t from = (f->windows - lags[l]) % RING;

        add_run(&f->sums[l], f->kinds, f->ring[from],
                f->ring[f->windows % RING], joules - f->ring_y[from]);
    }
    f->waiting = false;
}

void fit_add(struct fit *f, const struct fit_window *w)
{
    size_t n = f->kinds;
    bool border = w->follows && f->waiting && w->start_slack_s > 0;

    memset(f->next, 0, n * sizeof(*f->next));
    for (size_t i = 0; i < w->count; i++)
        f->next[w->parts[i].kind] += w->parts[i].seconds;
    if (border)
        border_mean(f, w, false, w->start_slack_s / 2, f->head);
    for (size_t i = 0; i < n && border; i++) {
        double moved = (f->head[i] - f->tail[i]) / 2;

        f->row[i] += moved;
        f->next[i] -= moved;
    }
    sum_up(f);
    memcpy(f->row, f->next, n * sizeof(*f->row));
    f->joules = w->joules;
    f->waiting = true;
    if (w->end_slack_s > 0)
        border_mean(f, w, true, w->end_slack_s / 2, f->tail);
    else
        memset(f->tail, 0, n * sizeof(*f->tail));
}

/* --- solving -------------------------------------------------------------- */

/* Lower triangle in place.  False: not positive definite. */
static bool factor(double *m, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double sum = m[i * n + j];

            for (size_t k = 0; k < j; k++)
                sum -= m[i * n + k] * m[j * n + k];
            if (i == j && !(sum > 0))
                return false;
            m[i * n + j] = i == j ? sqrt(sum) : sum / m[j * n + j];
        }
    }
    return true;
}

static void solve(const double *l, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= l[k * n + i] * x[k];
        x[i] /= l[i * n + i];
    }
}

struct system {
    const struct fit *f;
    double mean;           /* watts: where all kinds are drawn to */
    double variance[LAGS]; /* of the residuals */
    size_t *live;          /* kinds that are not held at zero */
    size_t live_count;
    double *m;   /* live_count squared */
    double *rhs; /* and the solution */
};

/* What `watts` leave unexplained, for each run of a lag. */
static double residual_variance(const struct fit *f, size_t lag,
        const double *watts)
{
    const struct lag_sums *s = &f->sums[lag];
    size_t n = f->kinds;
    double rss = s->yy;

    for (size_t i = 0; i < n; i++) {
        double product = 0;

        for (size_t j = 0; j < n; j++)
            product += s->a[i * n + j] * watts[j];
        rss += watts[i] * (product - 2 * s->b[i]);
    }
    /* Rounding of the sums, at least. */
    return fmax(rss, 1e-12 * s->yy + DBL_MIN) / (double)(s->runs ? s->runs : 1);
}

/* `discount` counts runs that overlap only once. */
static void input_read(struct system *s, bool discount)
{
    const struct fit *f = s->f;
    size_t n = s->live_count;
    double pull = 4 / (s->mean * s->mean);

    memset(s->m, 0, n * n * sizeof(*s->m));
    for (size_t i = 0; i < n; i++)
        s->rhs[i] = pull * s->mean;
    for (size_t l = 0; l < LAGS; l++) {
        double weight = 1 / s->variance[l];

        if (discount)
            weight /= (double)(LAGS * lags[l]);
        for (size_t i = 0; i < n; i++) {
            const double *row = f->sums[l].a + s->live[i] * f->kinds;

            s->rhs[i] += weight * f->sums[l].b[s->live[i]];
            for (size_t j = 0; j < n; j++)
                s->m[i * n + j] += weight * row[s->live[j]];
        }
    }
    for (size_t i = 0; i < n; i++)
        s->m[i * n + i] += pull;
}

/* Takes out what is below zero until nothing is. */
static bool solve_positive(struct system *s, double *watts)
{
    const struct fit *f = s->f;

    s->live_count = 0;
    for (size_t i = 0; i < f->kinds; i++)
        s->live[s->live_count++] = i;
    while (s->live_count) {
        size_t kept = 0, n = s->live_count;

        input_read(s, false);
        if (!factor(s->m, n))
            return false;
        solve(s->m, n, s->rhs);
        memset(watts, 0, f->kinds * sizeof(*watts));
        for (size_t i = 0; i < n; i++) {
            if (s->rhs[i] < 0)
                continue;
            watts[s->live[i]] = s->rhs[i];
            s->live[kept++] = s->live[i];
        }
        s->live_count = kept;
        if (kept == n)
            return true;
    }
    return false;
}

/* The diagonal of the inverse, one column at a time; of what is held at zero,
 * too. */
static void standard_errors(struct system *s, double *error)
{
    size_t n = s->f->kinds;
    double *column = alloc_zero(n + 1, sizeof(*column));

    s->live_count = n;
    for (size_t i = 0; i < n; i++)
        s->live[i] = i;
    input_read(s, true);

    bool good = factor(s->m, n);

    for (size_t i = 0; i < n; i++) {
        memset(column, 0, n * sizeof(*column));
        column[i] = 1;
        if (good)
            solve(s->m, n, column);
        error[i] = good ? sqrt(fmax(column[i], 0)) : s->mean;
    }
    free(column);
}

bool fit_solve(struct fit *f, double *watts, double *error)
{
    size_t n = f->kinds;

    sum_up(f);
    if (!n || f->windows < WINDOWS_PER_KIND * n || !(f->y > 0) || !(f->t > 0))
        return false;

    struct system s = {
        .f = f,
        .mean = f->y / f->t,
        .live = alloc_zero(n, sizeof(*s.live)),
        .m = alloc_zero(n * n, sizeof(*s.m)),
        .rhs = alloc_zero(n, sizeof(*s.rhs)),
    };
    bool good = true;

    for (size_t i = 0; i < n; i++)
        watts[i] = s.mean;
    for (int pass = 0; pass < PASSES && good; pass++) {
        for (size_t l = 0; l < LAGS; l++)
            s.variance[l] = residual_variance(f, l, watts);
        good = solve_positive(&s, watts);
    }
    if (good && error)
        standard_errors(&s, error);
    free(s.live);
    free(s.m);
    free(s.rhs);
    return good;
}
