#include "energy/series.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

#define MOST_WATTS    10e3
#define REST_PERIODS  10          /* without an update: it has stopped, */
#define REST_LEAST_NS 1000000000u /* and at least that long */
#define GAP_READS     10 /* as long as the usual time between two reads */

const char *series_fault_name(enum series_fault fault)
{
    static const char *const names[SERIES_FAULTS] = {
        [SERIES_GOOD] = "good",
        [SERIES_BACK] = "went back",
        [SERIES_GARBAGE] = "garbage",
        [SERIES_GAP] = "not read",
        [SERIES_STOPPED] = "stopped",
    };

    return names[fault];
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *values, size_t count)
{
    if (!count)
        return 0;
    qsort(values, count, sizeof(*values), by_size);
    return values[count / 2];
}

static bool is_number(double joules)
{
    return isfinite(joules) && joules >= 0;
}

static bool same(double a, double b)
{
    return !(a < b) && !(a > b);
}

uint64_t series_period(const struct series_reading *r, size_t count,
        bool *resolved)
{
    uint64_t *rests = alloc_zero(count + 1, sizeof(*rests));
    uint64_t *reads = alloc_zero(count + 1, sizeof(*reads));
    size_t rest_count = 0, read_count = 0, moved = 0;
    bool rested = false, had = false;

    for (size_t i = 1; i < count; i++) {
        if (same(r[i].value, r[i - 1].value)) {
            rested = true;
            continue;
        }
        reads[read_count++] = r[i].time_ns - r[i - 1].time_ns;
        /* Both ends of the rest must have been seen: one read that finds the
         * counter unmoved since the last update is enough for that. */
        if (had && rested)
            rests[rest_count++] = r[i].time_ns - r[moved].time_ns;
        moved = i;
        had = true;
        rested = false;
    }

    /* A single coincidence is no rhythm. */
    *resolved = rest_count >= SERIES_UPDATES_LEAST;

    uint64_t period =
            *resolved ? median(rests, rest_count) : median(reads, read_count);

    free(rests);
    free(reads);
    return had ? period : 0;
}

/* --- from a counter ------------------------------------------------------- */

struct builder {
    struct series *out;
    const struct series_sensor *sensor;
    double most_watts;
    uint64_t rest_ns;           /* longer without an update: it has stopped */
    struct series_reading last; /* that moved, or the first; at its moment */
    uint32_t slack_ns;          /* of that moment */
    uint64_t seen_ns;           /* of the last read, whatever it said */
    bool primed, spoilt;
};

static void push(struct series *s, uint64_t start_ns, uint64_t end_ns,
        double joules, enum series_fault fault)
{
    if (end_ns <= start_ns)
        return;
    s->faults[fault]++;
    s->intervals[s->count++] = (struct series_interval){
        .start_ns = start_ns,
        .end_ns = end_ns,
        .joules = fault ? 0 : joules,
        .fault = (uint8_t)fault,
    };
}

/* How long before it was read the counter may have moved. */
static uint64_t slack(const struct builder *b, uint64_t read_ns)
{
    uint64_t window = read_ns - b->seen_ns;

    if (!b->out->period_resolved)
        return 0;
    return window < b->out->period_ns ? window : b->out->period_ns;
}

static enum series_fault judge(const struct builder *b, uint64_t at_ns,
        double *joules)
{
    uint64_t passed_ns = at_ns - b->last.time_ns;
    double most = b->most_watts * (double)passed_ns / 1e9;
    double wrap = b->sensor->wrap_joules;
    bool back = *joules < 0;

    /* So much time that it may have been full more than once. */
    if (wrap > 0 && most >= wrap && passed_ns > b->rest_ns)
        return SERIES_GAP;
    if (back)
        *joules += wrap;
    if (*joules < 0 || *joules > most)
        return back ? SERIES_BACK : SERIES_GARBAGE;
    return SERIES_GOOD;
}

static void moved(struct builder *b, const struct series_reading *r)
{
    uint64_t slack_ns = slack(b, r->time_ns);
    uint64_t at_ns = r->time_ns - slack_ns / 2;
    double joules = r->value - b->last.value;
    /* What can be is judged by the latest moment, so that a counter that is
     * merely late is not garbage. */
    enum series_fault fault = judge(b, r->time_ns, &joules);

    if (!fault && b->spoilt)
        fault = SERIES_GARBAGE;
    if (!fault && b->seen_ns - b->last.time_ns > b->rest_ns)
        fault = SERIES_STOPPED;
    push(b->out, b->last.time_ns, at_ns, joules, fault);
    if (b->out->count) {
        struct series_interval *x = &b->out->intervals[b->out->count - 1];

        x->start_slack_ns = b->slack_ns;
        x->end_slack_ns = (uint32_t)slack_ns;
    }
    b->last = (struct series_reading){ at_ns, r->value };
    b->slack_ns = (uint32_t)slack_ns;
    b->spoilt = false;
}

static void take(struct builder *b, const struct series_reading *r)
{
    if (b->primed && r->time_ns <= b->seen_ns)
        return;
    if (!is_number(r->value)) {
        b->spoilt = b->primed;
        b->seen_ns = b->primed ? r->time_ns : 0;
        return;
    }
    if (!b->primed) {
        b->last = *r;
        b->primed = true;
    } else if (!same(r->value, b->last.value)) {
        moved(b, r);
    }
    b->seen_ns = r->time_ns;
}

/* What was read behind the last update is no interval, unless it has stopped;
 * garbage at the end spoils what is behind the last good reading. */
static void finish(struct builder *b)
{
    if (!b->primed)
        return;
    if (b->spoilt)
        push(b->out, b->last.time_ns, b->seen_ns, 0, SERIES_GARBAGE);
    else if (b->seen_ns - b->last.time_ns > b->rest_ns)
        push(b->out, b->last.time_ns, b->seen_ns, 0, SERIES_STOPPED);
}

/* The first reading is late by up to a period, and nobody knows by how much:
 * the first interval has too little energy for its time.  Its end is sure. */
static void trim_first(struct series *s)
{
    if (!s->period_resolved || s->count < 2 || s->intervals[0].fault)
        return;

    struct series_interval *first = &s->intervals[0];

    /* It covers one update: exactly one period's energy, whenever it began. */
    if (first->end_ns - first->start_ns < s->period_ns &&
            first->end_ns > s->period_ns)
        first->start_ns = first->end_ns - s->period_ns;
}

void series_from_counter(struct series *out, const struct series_reading *r,
        size_t count, const struct series_sensor *sensor)
{
    bool resolved = false;
    uint64_t period = series_period(r, count, &resolved);

    *out = (struct series){
        .intervals = alloc_zero(count + 1, sizeof(*out->intervals)),
        .period_ns = sensor->period_ns ? sensor->period_ns : period,
        .period_resolved = sensor->period_ns || resolved,
    };

    struct builder b = {
        .out = out,
        .sensor = sensor,
        .most_watts = sensor->most_watts > 0 ? sensor->most_watts : MOST_WATTS,
        .rest_ns = REST_PERIODS * out->period_ns,
    };

    if (b.rest_ns < REST_LEAST_NS)
        b.rest_ns = REST_LEAST_NS;
    for (size_t i = 0; i < count; i++)
        take(&b, &r[i]);
    finish(&b);
    trim_first(out);
}

/* --- from watts ----------------------------------------------------------- */

static uint64_t median_gap(const struct series_reading *r, size_t count)
{
    uint64_t *gaps = alloc_zero(count + 1, sizeof(*gaps));
    size_t gap_count = 0;

    for (size_t i = 1; i < count; i++)
        if (r[i].time_ns > r[i - 1].time_ns)
            gaps[gap_count++] = r[i].time_ns - r[i - 1].time_ns;

    uint64_t gap = median(gaps, gap_count);

    free(gaps);
    return gap;
}

struct power {
    struct series *out;
    double most_watts;
    uint64_t gap_ns; /* longer without a reading: nothing is known */
};

static bool can_be(const struct power *p, double watts)
{
    return is_number(watts) && watts <= p->most_watts;
}

/* From one reading to the next, changing evenly. */
static void between(const struct power *p, const struct series_reading *a,
        const struct series_reading *b)
{
    uint64_t passed_ns = b->time_ns - a->time_ns;
    enum series_fault fault = SERIES_GOOD;

    if (!can_be(p, a->value) || !can_be(p, b->value))
        fault = SERIES_GARBAGE;
    else if (passed_ns > p->gap_ns)
        fault = SERIES_GAP;
    push(p->out, a->time_ns, b->time_ns,
            (a->value + b->value) / 2 * (double)passed_ns / 1e9, fault);
}

/* Around one reading, from where the one before ended to where the next begins.
 * What is too long without a reading belongs to none. */
static void around(const struct power *p, const struct series_reading *r,
        const struct series_reading *next)
{
    struct series *s = p->out;
    uint64_t half_ns = s->period_ns / 2;
    uint64_t start_ns = s->count ? s->intervals[s->count - 1].end_ns
                        : r->time_ns > half_ns ? r->time_ns - half_ns
                                               : 0;
    bool gap = next && next->time_ns - r->time_ns > p->gap_ns;
    uint64_t end_ns = next && !gap ? r->time_ns / 2 + next->time_ns / 2
                                   : r->time_ns + half_ns;

    push(s, start_ns, end_ns, r->value * (double)(end_ns - start_ns) / 1e9,
            can_be(p, r->value) ? SERIES_GOOD : SERIES_GARBAGE);
    if (gap)
        push(s, end_ns, next->time_ns - half_ns, 0, SERIES_GAP);
}

void series_from_power(struct series *out, const struct series_reading *r,
        size_t count, const struct series_sensor *sensor)
{
    *out = (struct series){
        .intervals = alloc_zero(2 * count + 1, sizeof(*out->intervals)),
        .period_ns =
                sensor->period_ns ? sensor->period_ns : median_gap(r, count),
        .period_resolved = sensor->period_ns > 0,
    };

    struct power p = {
        .out = out,
        .most_watts = sensor->most_watts > 0 ? sensor->most_watts : MOST_WATTS,
        .gap_ns = GAP_READS * out->period_ns,
    };
    size_t last = 0; /* reading that came later than those before */

    if (p.gap_ns < REST_LEAST_NS)
        p.gap_ns = REST_LEAST_NS;
    for (size_t i = 1; i < count; i++) {
        if (r[i].time_ns <= r[last].time_ns)
            continue;
        if (sensor->means)
            around(&p, &r[last], &r[i]);
        else
            between(&p, &r[last], &r[i]);
        last = i;
    }
    if (sensor->means && last)
        around(&p, &r[last], NULL);
}

void series_release(struct series *s)
{
    free(s->intervals);
    *s = (struct series){ 0 };
}
