/* input_meter.c -- puts an external meter's readings on our clock.
 *
 * What its watts are compared with is the best that there is: the power that
 * another sensor measured, or else how busy our inferences kept the machine. */
#include "energy/input/input.h"

#include "base/alloc.h"
#include "energy/align.h"
#include "energy/recorder.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT_NS        2000000000ull /* clocks that are further apart are wrong */
#define STEP_NS         20000000ull
#define STEPS_MAX       400000
#define FINER           4 /* steps in one of the first ones */
#define FINER_TIMES     2
#define FINER_LIMIT_NS  (3 * STEP_NS)
#define READINGS_ENOUGH 50
#define SHARP_MAX       20000 /* readings: more take long, and are enough as is */

/* Watts between two updates, at their middle. */
static void from_counter(struct sensor_readings *load,
        const struct sensor_readings *joules)
{
    const struct series_reading *last = NULL;

    for (size_t i = 0; i < joules->count; i++) {
        const struct series_reading *r = &joules->items[i];

        if (last && r->value > last->value && r->time_ns > last->time_ns)
            readings_add(load, last->time_ns / 2 + r->time_ns / 2,
                    (r->value - last->value) * 1e9 /
                            (double)(r->time_ns - last->time_ns));
        if (!last || r->value > last->value || r->value < last->value)
            last = r;
    }
}

/* What our work drew, on average over each step, where a second of each class
 * draws so many watts. */
static void from_work(struct sensor_readings *load,
        const struct energy_input *g, const struct work_pieces *pieces,
        const double *watts, uint64_t step_ns)
{
    uint64_t end_ns = g->duration_ns ? g->duration_ns : g->last_ns;
    size_t steps = (size_t)(end_ns / step_ns);
    double *drawn;

    if (!steps || steps > STEPS_MAX)
        return;
    drawn = alloc_zero(steps, sizeof(*drawn));
    for (size_t i = 0; i < pieces->count; i++) {
        const struct work_span *x = &pieces->items[i];
        /* Above what is drawn outside of all work. */
        double more = watts[x->work_class] - watts[0];

        for (uint64_t at = x->start_ns; at < x->end_ns;) {
            size_t step = (size_t)(at / step_ns);
            uint64_t until = (step + 1) * step_ns;

            if (step >= steps)
                break;
            until = until < x->end_ns ? until : x->end_ns;
            drawn[step] += more * (double)(until - at);
            at = until;
        }
    }
    for (size_t i = 0; i < steps; i++)
        readings_add(load, i * step_ns + step_ns / 2, drawn[i]);
    free(drawn);
}

/* The clock is moved to where the meter fits what it is compared with. */
static struct align shift(struct sensor_readings *meter,
        const struct sensor_readings *load, uint64_t limit_ns)
{
    struct align a = align_find(load->items, load->count, meter->items,
            meter->count, limit_ns);

    for (size_t i = 0; i < meter->count; i++) {
        uint64_t *time_ns = &meter->items[i].time_ns;

        if (a.offset_ns < 0 && *time_ns < (uint64_t)-a.offset_ns)
            *time_ns = 0;
        else
            *time_ns = (uint64_t)((int64_t)*time_ns + a.offset_ns);
    }
    return a;
}

/* What a second of each class drew, as the meter tells it now. */
static void weigh(double *watts, const struct energy_input *g,
        const struct work_pieces *pieces, const struct sensor_readings *meter)
{
    uint64_t end_ns = g->duration_ns ? g->duration_ns : g->last_ns;
    struct attribution a;
    struct series series;

    series_from_power(&series, meter->items, meter->count,
            &(struct series_sensor){ .means = true });
    attribution_init(&a, g->out->class_count, 0);
    attribution_time(&a, pieces, NULL, 0, 0, end_ns);
    attribution_add(&a, &(struct attribute_input){ .series = &series,
                                .pieces = pieces,
                                .end_ns = end_ns,
                                .sharpen = meter->count <= SHARP_MAX });
    for (uint32_t i = 0; i < g->out->class_count; i++)
        watts[i] = a.classes[i].busy_s > 0
                           ? (double)a.classes[i].own_uj / a.classes[i].busy_s
                           : 0;
    attribution_release(&a);
    series_release(&series);
}

/* First against inferences that all draw alike; then, more finely, against what
 * each kind of work was seen to draw. */
static struct align by_work(struct sensor_readings *meter,
        const struct energy_input *g)
{
    uint32_t classes = g->out->class_count;
    double *watts = alloc_zero(classes + 1, sizeof(*watts));
    struct work_pieces pieces;
    struct sensor_readings load = { 0 };

    pieces_from_spans(&pieces, g->spans, g->span_count, NULL);
    for (uint32_t i = 1; i < classes; i++)
        watts[i] = g->out->classes[i].work == ENERGY_INFERENCE ||
                   g->out->classes[i].work == ENERGY_OPERATOR;
    from_work(&load, g, &pieces, watts, STEP_NS);

    struct align found = shift(meter, &load, LIMIT_NS);

    for (int i = 0; i < FINER_TIMES && found.found; i++) {
        weigh(watts, g, &pieces, meter);
        load.count = 0;
        from_work(&load, g, &pieces, watts, STEP_NS / FINER);

        struct align a = shift(meter, &load, FINER_LIMIT_NS);

        found.offset_ns += a.offset_ns;
    }
    free(load.items);
    free(watts);
    pieces_release(&pieces);
    return found;
}

static struct align by_counter(struct sensor_readings *meter,
        const struct sensor_readings *joules)
{
    struct sensor_readings load = { 0 };

    from_counter(&load, joules);

    struct align a = shift(meter, &load, LIMIT_NS);

    free(load.items);
    return a;
}

/* By the first sensor that counts, else by our work. */
static struct align align(struct sensor_readings *meter,
        const struct energy_input *g)
{
    for (size_t i = 0; i < g->subject_count; i++)
        if (g->subjects[i].joules.count > READINGS_ENOUGH)
            return by_counter(meter, &g->subjects[i].joules);
    return by_work(meter, g);
}

void input_meter(struct energy_input *g)
{
    for (size_t i = 0; i < g->subject_count; i++) {
        struct input_subject *x = &g->subjects[i];

        if (strcmp(x->source, ENERGY_SOURCE_METER) != 0 || !x->watts.count)
            continue;
        g->out->meter_seen = true;
        if (strstr(x->detail, ENERGY_METER_SET)) {
            g->out->meter_set = true; /* who sets it knows better */
            continue;
        }

        struct align a = align(&x->watts, g);

        g->out->meter_aligned = a.found;
        g->out->meter_offset_ns = a.offset_ns;
    }
}
