#include "energy/account.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define POINTS_MAX 36000 /* an hour at the least step */

static char *copied(const char *text)
{
    return alloc_text(text ? text : "");
}

/* What no part of a machine of today draws, so that who says so is wrong. */
static double most_watts(enum zone_part part)
{
    switch (part) {
    case ZONE_CPU:
    case ZONE_DRAM:
    case ZONE_NPU: return 2e3;
    case ZONE_GPU: return 4e3;
    default: return 20e3;
    }
}

static void build_series(struct series *out, const struct account_sensor *s)
{
    struct series_sensor sensor = s->sensor;

    if (!(sensor.most_watts > 0))
        sensor.most_watts = most_watts(s->zone.part);
    if (s->joules_count)
        series_from_counter(out, s->joules, s->joules_count, &sensor);
    else
        series_from_power(out, s->watts, s->watts_count, &sensor);
}

static void describe(struct account_zone *z, const struct account_sensor *s,
        const struct series *series, const struct account_input *in)
{
    z->zone = s->zone;
    z->zone.name = copied(s->zone.name);
    z->zone.source = copied(s->zone.source);
    z->window = series_between(series, in->start_ns, in->end_ns);
    z->period_ns = series->period_ns;
    z->period_resolved = series->period_resolved;
    for (int i = 0; i < SERIES_FAULTS; i++)
        z->faults[i] = series->faults[i];
    if (z->window.covered_ns)
        z->mean_watts = z->window.joules * 1e9 / (double)z->window.covered_ns;
    z->idle_known = s->idle_watts != NULL;
    z->idle_watts = s->idle_watts ? *s->idle_watts : 0;
    z->method = s->method;
}

/* One more sensor into the sums. */
static void count(struct energy_account *a, const struct account_input *in,
        const struct account_sensor *s, const struct series *series)
{
    struct work_pieces pieces;
    uint64_t before_uj = a->attribution.total_uj;
    bool alone = s->zone.part == ZONE_GPU || s->zone.part == ZONE_NPU;
    const struct series_window w =
            series_between(series, in->start_ns, in->end_ns);

    pieces_from_spans(&pieces, in->spans, in->span_count, s->here);
    attribution_add(&a->attribution, &(struct attribute_input){
                                             .series = series,
                                             .pieces = &pieces,
                                             .splits = in->splits,
                                             .split_count = in->split_count,
                                             .here = s->here,
                                             .start_ns = in->start_ns,
                                             .end_ns = in->end_ns,
                                             .idle_watts = s->idle_watts,
                                             .shares = in->shares,
                                             .share_count = in->share_count,
                                             .rate = in->rate,
                                             .alone = alone,
                                             .sharpen = true,
                                     });
    pieces_release(&pieces);
    a->part_uj[s->zone.part] += a->attribution.total_uj - before_uj;
    if (!a->counted || w.covered_ns < a->covered_ns)
        a->covered_ns = w.covered_ns;
    if (series->period_ns > a->period_ns)
        a->period_ns = series->period_ns;
    if (s->method > a->method)
        a->method = s->method;
    if (w.covered_ns)
        a->mean_watts += w.joules * 1e9 / (double)w.covered_ns;
    if (s->low_factor > 0) {
        a->low_factor = s->low_factor;
        a->high_factor = s->high_factor;
        (void)snprintf(a->basis, sizeof(a->basis), "%s",
                s->basis ? s->basis : "");
    }
    a->counted++;
    a->shared |= !alone;
}

/* --- over time ------------------------------------------------------------ */

static void make_points(struct energy_account *a)
{
    uint64_t length_ns = a->end_ns - a->start_ns;
    uint64_t step_ns = ENERGY_STEP_LEAST_NS;

    if (step_ns < a->period_ns)
        step_ns = a->period_ns;
    if (step_ns < length_ns / POINTS_MAX)
        step_ns = length_ns / POINTS_MAX;
    a->point_count = (size_t)((length_ns + step_ns - 1) / step_ns);
    a->points = alloc_zero(a->point_count + 1, sizeof(*a->points));
    for (size_t i = 0; i < a->point_count; i++) {
        uint64_t start_ns = a->start_ns + i * step_ns;

        a->points[i].start_ns = start_ns;
        a->points[i].end_ns =
                start_ns + step_ns < a->end_ns ? start_ns + step_ns : a->end_ns;
    }
}

/* A step of which a sensor says nothing has no watts at all: a sum of some is
 * no sum.  NaN marks it until all are in. */
static void add_points(struct energy_account *a, const struct series *series,
        enum zone_part part)
{
    for (size_t i = 0; i < a->point_count; i++) {
        struct account_point *p = &a->points[i];
        struct series_window w = series_between(series, p->start_ns, p->end_ns);
        double watts = w.covered_ns == p->end_ns - p->start_ns
                               ? w.joules * 1e9 / (double)w.covered_ns
                               : NAN;

        p->watts += watts;
        p->part_watts[part] += watts;
    }
}

static void finish_points(struct energy_account *a)
{
    size_t kept = 0;

    for (size_t i = 0; i < a->point_count; i++) {
        if (isnan(a->points[i].watts))
            continue;
        a->points[kept++] = a->points[i];
        a->peak_watts = fmax(a->peak_watts, a->points[i].watts);
        a->last_watts = a->points[i].watts;
    }
    a->point_count = kept;
}

/* --- all of it ------------------------------------------------------------ */

void energy_account_plan(const struct account_input *in)
{
    struct energy_zone *zones =
            alloc_zero(in->sensor_count + 1, sizeof(*zones));

    for (size_t i = 0; i < in->sensor_count; i++)
        zones[i] = in->sensors[i].zone;
    zones_plan(zones, in->sensor_count);
    for (size_t i = 0; i < in->sensor_count; i++) {
        in->sensors[i].zone.role = zones[i].role;
        in->sensors[i].zone.of = zones[i].of;
    }
    free(zones);
}

/* Those that are counted move to the account, the others go. */
static void keep_series(struct energy_account *a,
        const struct account_input *in, struct series *series)
{
    size_t kept = 0;

    a->series = alloc_zero(a->counted + 1, sizeof(*a->series));
    for (size_t i = 0; i < in->sensor_count; i++)
        if (in->sensors[i].zone.role == ZONE_COUNTED &&
                a->zones[i].window.covered_ns)
            a->series[kept++] = series[i];
        else
            series_release(&series[i]);
}

void energy_account_build(struct energy_account *out,
        const struct account_input *in)
{
    struct work_pieces pieces;
    struct series *series = alloc_zero(in->sensor_count + 1, sizeof(*series));

    *out = (struct energy_account){
        .zones = alloc_zero(in->sensor_count + 1, sizeof(*out->zones)),
        .zone_count = in->sensor_count,
        .start_ns = in->start_ns,
        .end_ns = in->end_ns,
    };
    attribution_init(&out->attribution, in->class_count, in->owner_count);
    pieces_from_spans(&pieces, in->spans, in->span_count, NULL);
    attribution_time(&out->attribution, &pieces, in->splits, in->split_count,
            in->start_ns, in->end_ns);
    pieces_release(&pieces);
    energy_account_plan(in);
    for (size_t i = 0; i < in->sensor_count; i++) {
        const struct account_sensor *s = &in->sensors[i];

        build_series(&series[i], s);
        describe(&out->zones[i], s, &series[i], in);
        if (s->zone.role == ZONE_COUNTED && out->zones[i].window.covered_ns)
            count(out, in, s, &series[i]);
    }
    if (out->counted)
        make_points(out);
    for (size_t i = 0; i < in->sensor_count; i++) {
        if (in->sensors[i].zone.role == ZONE_COUNTED &&
                out->zones[i].window.covered_ns)
            add_points(out, &series[i], in->sensors[i].zone.part);
    }
    out->attribution.other_known &= out->shared;
    keep_series(out, in, series);
    finish_points(out);
    assert(attribution_adds_up(&out->attribution));
    free(series);
}

void energy_account_release(struct energy_account *a)
{
    for (size_t i = 0; i < a->zone_count; i++) {
        free((void *)a->zones[i].zone.name);
        free((void *)a->zones[i].zone.source);
    }
    for (size_t i = 0; i < a->counted; i++)
        series_release(&a->series[i]);
    free(a->series);
    free(a->zones);
    free(a->points);
    attribution_release(&a->attribution);
    *a = (struct energy_account){ 0 };
}

double energy_account_between(const struct energy_account *a, uint64_t start_ns,
        uint64_t end_ns)
{
    double joules = a->counted ? 0 : NAN;

    for (size_t i = 0; i < a->counted; i++) {
        struct series_window w =
                series_between(&a->series[i], start_ns, end_ns);

        if (end_ns <= start_ns || w.covered_ns != end_ns - start_ns)
            return NAN;
        joules += w.joules;
    }
    return joules;
}

enum reading_method energy_account_method(const struct energy_account *a,
        uint64_t length_ns)
{
    enum reading_method at_best = READING_APPORTIONED;

    if (length_ns >= SERIES_UPDATES_LEAST * a->period_ns)
        at_best = READING_MEASURED;
    return a->method > at_best ? a->method : at_best;
}
