/* rule_modes.c -- a program with several speeds: how many, and what tells their
 * inferences apart. */
#include "analyse/finding/findings.h"
#include "analyse/verdict/judged_run.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

#define SHARE_LEAST 0.1  /* of the inferences, in each mode */
#define APART       0.14 /* ln of the ratio of two modes */
#define PURE        0.95
enum { MODES_MAX = 4, VALUES_MAX = 64 };

/* Limits between modes, as logarithms, in order. */
struct modes {
    double limits[MODES_MAX - 1];
    size_t count; /* of modes */
};

/* Where to cut so that both parts are as narrow as can be; 0: nowhere.  Between
 * two modes there is little: the middle third has no more than a tenth of the
 * smaller one. */
static size_t best_cut(const double *y, size_t n, size_t least)
{
    double sum = 0, all = 0, best = 0;
    size_t cut = 0;

    for (size_t i = 0; i < n; i++)
        all += y[i];
    for (size_t i = 1; i < n; i++) {
        sum += y[i - 1];

        double low = sum / (double)i, high = (all - sum) / (double)(n - i);
        double between =
                (double)i * (double)(n - i) * (high - low) * (high - low);

        if (between > best) {
            best = between;
            cut = i;
        }
    }
    if (cut < least || n - cut < least)
        return 0;

    double low = y[cut / 2], high = y[cut + (n - cut) / 2];
    size_t between = 0;

    for (size_t i = 0; i < n; i++)
        between +=
                y[i] > low + (high - low) / 3 && y[i] < high - (high - low) / 3;
    if (high - low < APART || 10 * between > (cut < n - cut ? cut : n - cut))
        return 0;
    return cut;
}

static void split(struct modes *m, const double *y, size_t n, size_t least)
{
    size_t cut = m->count < MODES_MAX ? best_cut(y, n, least) : 0;

    if (!cut)
        return;
    m->count++;
    split(m, y, cut, least);

    size_t at = 0;

    while (at < LEN(m->limits) && m->limits[at] != 0)
        at++;
    if (at < LEN(m->limits))
        m->limits[at] = (y[cut - 1] + y[cut]) / 2;
    split(m, y + cut, n - cut, least);
}

static size_t mode_of(const struct modes *m, double y)
{
    size_t i = 0;

    while (i + 1 < m->count && y > m->limits[i])
        i++;
    return i;
}

/* --- what separates them -------------------------------------------------- */

static uint64_t batch_of(const struct inference *x)
{
    return x->batch;
}

static uint64_t sequence_of(const struct inference *x)
{
    return x->sequence;
}

static uint64_t bytes_of(const struct inference *x)
{
    return x->in_bytes;
}

static uint64_t thread_of(const struct inference *x)
{
    return x->thread;
}

static const struct {
    const char *text;
    uint64_t (*of)(const struct inference *x);
} properties[] = {
    { "the size of the batch", batch_of },
    { "the length of the sequence", sequence_of },
    { "the size of the inputs", bytes_of },
    { "the thread that calls", thread_of },
};

/* How many inferences are in the mode that is usual for their value. */
static size_t agreeing(const struct finding_case *c, const struct modes *m,
        uint64_t (*of)(const struct inference *x))
{
    uint64_t values[VALUES_MAX];
    size_t counts[VALUES_MAX][MODES_MAX] = { 0 }, known = 0, sum = 0;

    for (size_t i = 0; i < c->count; i++) {
        uint64_t value = of(&c->inferences[i]);
        size_t k = 0;

        while (k < known && values[k] != value)
            k++;
        if (k == VALUES_MAX)
            return 0;
        if (k == known)
            values[known++] = value;
        counts[k][mode_of(m, log((double)c->inferences[i].duration_ns))]++;
    }
    for (size_t k = 0; k < known && known > 1; k++) {
        size_t most = 0;

        for (size_t i = 0; i < m->count; i++)
            most = counts[k][i] > most ? counts[k][i] : most;
        sum += most;
    }
    return sum;
}

static const char *what_separates(const struct finding_case *c,
        const struct modes *m)
{
    for (size_t i = 0; i < LEN(properties); i++)
        if ((double)agreeing(c, m, properties[i].of) >= PURE * (double)c->count)
            return properties[i].text;
    return NULL;
}

/* --- the whole ------------------------------------------------------------ */

static void tell(struct findings *f, const struct finding_case *c,
        const struct modes *m, const double *sorted)
{
    static const char *const names[MODES_MAX] = { "first", "second", "third",
        "fourth" };
    struct finding *x = findings_add(f, "modes", FINDING_NOTE);
    const char *by = what_separates(c, m);
    size_t from = 0;

    buf_printf(&x->text, "inferences have %zu speeds:", m->count);
    for (size_t i = 0; i < m->count; i++) {
        size_t to = from;

        while (to < c->count && mode_of(m, sorted[to]) == i)
            to++;

        double ms = exp(sorted[from + (to - from) / 2]) / 1e6;

        buf_printf(&x->text, "%s %.3g ms (%.0f %%)", i ? "," : "", ms,
                100 * (double)(to - from) / (double)c->count);
        finding_evidence(x, names[i], ms, "ms");
        from = to;
    }
    if (by)
        buf_printf(&x->text, "; what separates them is %s", by);
    else
        buf_text(&x->text, "; nothing that was recorded separates them");
    buf_text(&x->detail, "a mean or a median of all stands for neither");
}

int rule_modes(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    struct modes m = { .count = 1 };

    (void)e;
    if (c->count < INTERVAL_LEAST)
        return 0;

    double *logs = alloc_zero(c->count, sizeof(*logs));

    for (size_t i = 0; i < c->count; i++)
        logs[i] = log((double)c->inferences[i].duration_ns);
    if (judged_run_shift(logs, c->count) == 0) { /* else that is what it is */
        sort_doubles(logs, c->count);
        split(&m, logs, c->count, (size_t)(SHARE_LEAST * (double)c->count));
        if (m.count > 1)
            tell(f, c, &m, logs);
    }
    free(logs);
    return 0;
}
