#include "analyse/verdict/conditions.h"

#include "analyse/verdict/interval.h"
#include "base/alloc.h"
#include "base/compiler.h"

#include <math.h>
#include <stdlib.h>

/* How much each varies between runs that are alike, and more. */
const struct condition_kind condition_kinds[CONDITIONS] = {
    [CONDITION_OTHERS] = { "other_cpu", "cores", 0.25, false },
    [CONDITION_CLOCK] = { "clock", "hertz", 0.02, true },
    [CONDITION_HEAT] = { "temperature", "celsius", 5, false },
    [CONDITION_DELAY] = { "run_delay", "ratio", 0.02, false },
    [CONDITION_PRESSURE] = { "cpu_pressure", "ratio", 0.1, false },
    [CONDITION_STOLEN] = { "stolen_cpu", "cores", 0.02, false },
    [CONDITION_MEMORY] = { "memory_load", "ns", 0.22, true },
};

/* Counters of seconds: how much each grew in a second, over all subjects. */
static const struct {
    enum metric_id metric;
    enum condition condition;
} counters[] = {
    { METRIC_thread_wait_seconds_total, CONDITION_DELAY },
    { METRIC_host_cpu_pressure_seconds_total, CONDITION_PRESSURE },
    { METRIC_core_stolen_seconds_total, CONDITION_STOLEN },
};

struct reading_conditions {
    double *out;
    unsigned cores;
    double clock_sum, clock_count;
    double *load_ns; /* of memory, of each second */
    size_t load_count, load_cap;
    uint64_t first_second, last_second; /* of all that was sampled */
    bool any;
    /* The series that is being read: a subject's rollups of a metric come one
     * behind the other. */
    uint32_t subject;
    uint16_t metric;
    double first, last;
    double grown[CONDITIONS];
    bool seen[CONDITIONS];
};

static void end_series(struct reading_conditions *r)
{
    for (size_t i = 0; i < LEN(counters); i++)
        if (r->any && counters[i].metric == r->metric) {
            r->seen[counters[i].condition] = true;
            r->grown[counters[i].condition] += r->last - r->first;
        }
}

static void take_subject(void *to, const struct subject_entry *x)
{
    struct reading_conditions *r = to;

    r->cores += x->subject.kind == SUBJECT_CORE;
}

static void take_load(struct reading_conditions *r, double seconds)
{
    if (r->load_count == r->load_cap) {
        r->load_cap = r->load_cap ? 2 * r->load_cap : 64;
        r->load_ns =
                alloc_resize(r->load_ns, r->load_cap * sizeof(*r->load_ns));
    }
    r->load_ns[r->load_count++] = seconds * 1e9;
}

static void take_rollup(void *to, const struct rollup *x)
{
    struct reading_conditions *r = to;
    double *heat = &r->out[CONDITION_HEAT];

    if (!r->any || x->subject != r->subject || x->metric != r->metric) {
        end_series(r);
        r->subject = x->subject;
        r->metric = x->metric;
        r->first = x->min;
    }
    r->last = x->max;
    if (!r->any || x->second < r->first_second)
        r->first_second = x->second;
    if (!r->any || x->second > r->last_second)
        r->last_second = x->second;
    r->any = true;
    if (x->metric == METRIC_core_frequency_hertz) {
        r->clock_sum += x->mean;
        r->clock_count++;
    }
    if (x->metric == METRIC_host_memory_load_seconds)
        take_load(r, x->mean);
    if (x->metric == METRIC_zone_temperature_celsius)
        *heat = fmax(*heat, x->max); /* which passes over a NAN */
}

/* What the machine did beside the run. */
static double others(const struct usage *u, unsigned cores)
{
    if (!cores || !u->host_busy.count || !u->cpu_cores.count)
        return NAN;
    return fmax(u->host_busy.mean * cores - u->cpu_cores.mean, 0);
}

int conditions_read(double out[CONDITIONS], const struct usage *u,
        struct store *s, int64_t run, struct error *e)
{
    struct reading_conditions r = { .out = out };

    for (int i = 0; i < CONDITIONS; i++)
        out[i] = NAN;

    int rc = store_each_subject(s, run, take_subject, &r, e);

    if (!rc)
        rc = store_each_rollup(s, run, take_rollup, &r, e);
    end_series(&r);

    double seconds = (double)(r.last_second - r.first_second) + 1;

    for (int i = 0; i < CONDITIONS; i++)
        if (r.seen[i])
            out[i] = r.grown[i] / seconds;
    if (r.clock_count > 0)
        out[CONDITION_CLOCK] = r.clock_sum / r.clock_count;
    if (r.load_count)
        out[CONDITION_MEMORY] = interval_median(r.load_ns, r.load_count);
    free(r.load_ns);
    out[CONDITION_OTHERS] = others(u, r.cores);
    return rc;
}

bool condition_differs(enum condition c, double before, double after)
{
    const struct condition_kind *k = &condition_kinds[c];

    return fabs(after - before) > k->matters * (k->relative ? before : 1);
}
