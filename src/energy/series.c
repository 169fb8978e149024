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

void series_from_power(struct series *out, const struct series_reading *r,
        size_t count, const struct series_sensor *sensor)
{
    double most = sensor->most_watts > 0 ? sensor->most_watts : MOST_WATTS;
    uint64_t *gaps = alloc_zero(count + 1, sizeof(*gaps));
    size_t gap_count = 0;

    for (size_t i = 1; i < count; i++)
        if (r[i].time_ns > r[i - 1].time_ns)
            gaps[gap_count++] = r[i].time_ns - r[i - 1].time_ns;
    *out = (struct series){
        .intervals = alloc_zero(count + 1, sizeof(*out->intervals)),
        .period_ns =
                sensor->period_ns ? sensor->period_ns : median(gaps, gap_count),
        .period_resolved = sensor->period_ns > 0,
    };
    free(gaps);

    uint64_t gap_ns = GAP_READS * out->period_ns;

    if (gap_ns < REST_LEAST_NS)
        gap_ns = REST_LEAST_NS;
    for (size_t i = 1; i < count; i++) {
        bool good = is_number(r[i - 1].value) && is_number(r[i].value) &&
                    r[i - 1].value <= most && r[i].value <= most;

        if (r[i].time_ns <= r[i - 1].time_ns)
            continue;

        uint64_t passed_ns = r[i].time_ns - r[i - 1].time_ns;
        enum series_fault fault = SERIES_GOOD;

        if (!good)
            fault = SERIES_GARBAGE;
        else if (passed_ns > gap_ns)
            fault = SERIES_GAP;
        push(out, r[i - 1].time_ns, r[i].time_ns,
                (r[i - 1].value + r[i].value) / 2 * (double)passed_ns / 1e9,
                fault);
    }
}

void series_release(struct series *s)
{
    free(s->intervals);
    *s = (struct series){ 0 };
}

/* --- asking --------------------------------------------------------------- */

/* The first interval that ends behind the moment. */
static size_t first_behind(const struct series *s, uint64_t moment_ns)
{
    size_t low = 0, high = s->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (s->intervals[middle].end_ns > moment_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double watts(const struct series_interval *x)
{
    return x->joules * 1e9 / (double)(x->end_ns - x->start_ns);
}

/* What lies at most a period outside of all intervals flows as it does at
 * their end. */
static void stretch(struct series_window *w, const struct series *s,
        uint64_t outside_ns, const struct series_interval *next)
{
    uint64_t ns = outside_ns < s->period_ns ? outside_ns : s->period_ns;

    if (next->fault)
        ns = 0;
    w->joules += watts(next) * (double)ns / 1e9;
    w->covered_ns += ns;
    w->missing_ns += outside_ns - ns;
}

static void add_part(struct series_window *w, const struct series_interval *x,
        uint64_t start_ns, uint64_t end_ns)
{
    uint64_t from = x->start_ns > start_ns ? x->start_ns : start_ns;
    uint64_t to = x->end_ns < end_ns ? x->end_ns : end_ns;

    if (to <= from)
        return;
    if (x->fault) {
        w->faulty_ns += to - from;
        return;
    }
    w->joules += watts(x) * (double)(to - from) / 1e9;
    w->covered_ns += to - from;
    w->updates += x->end_ns <= end_ns;
}

struct series_window series_between(const struct series *s, uint64_t start_ns,
        uint64_t end_ns)
{
    struct series_window w = { 0 };

    if (end_ns <= start_ns)
        return w;
    if (!s->count) {
        w.missing_ns = end_ns - start_ns;
        return w;
    }

    const struct series_interval *first = &s->intervals[0];
    const struct series_interval *last = &s->intervals[s->count - 1];

    if (start_ns < first->start_ns)
        stretch(&w, s,
                (end_ns < first->start_ns ? end_ns : first->start_ns) -
                        start_ns,
                first);
    for (size_t i = first_behind(s, start_ns);
            i < s->count && s->intervals[i].start_ns < end_ns; i++)
        add_part(&w, &s->intervals[i], start_ns, end_ns);
    if (end_ns > last->end_ns)
        stretch(&w, s,
                end_ns - (start_ns > last->end_ns ? start_ns : last->end_ns),
                last);
    w.sufficient =
            w.updates >= SERIES_UPDATES_LEAST && !w.faulty_ns && !w.missing_ns;
    return w;
}

static void clip_one(struct series *out, const struct series_interval *x,
        uint64_t start_ns, uint64_t end_ns)
{
    uint64_t from = x->start_ns > start_ns ? x->start_ns : start_ns;
    uint64_t to = x->end_ns < end_ns ? x->end_ns : end_ns;

    if (to <= from)
        return;
    push(out, from, to, watts(x) * (double)(to - from) / 1e9,
            (enum series_fault)x->fault);

    struct series_interval *cut = &out->intervals[out->count - 1];

    /* Where we cut is where we cut. */
    cut->start_slack_ns = from == x->start_ns ? x->start_slack_ns : 0;
    cut->end_slack_ns = to == x->end_ns ? x->end_slack_ns : 0;
}

void series_clip(struct series *out, const struct series *s, uint64_t start_ns,
        uint64_t end_ns)
{
    *out = (struct series){
        .intervals = alloc_zero(s->count + 1, sizeof(*out->intervals)),
        .period_ns = s->period_ns,
        .period_resolved = s->period_resolved,
    };
    for (size_t i = 0; i < s->count; i++) {
        struct series_interval x = s->intervals[i];
        double power = watts(&x);

        if (i == 0 && !x.fault)
            x.start_ns -= x.start_ns < s->period_ns ? x.start_ns : s->period_ns;
        if (i + 1 == s->count && !x.fault)
            x.end_ns += s->period_ns;
        x.joules = power * (double)(x.end_ns - x.start_ns) / 1e9;
        clip_one(out, &x, start_ns, end_ns);
    }
}
