/* input_model.c -- the watts of a CPU model, from how busy the machine was. */
#include "energy/input/input.h"

#include "energy/model_text.h"
#include "energy/recorder.h"

#include <math.h>
#include <string.h>

/* The clock of all cores in the mean of the run, as a share of the highest; 1
 * where either is not told. */
static double mean_clock(const struct energy_input *g)
{
    const char *at = g->host ? strstr(g->host, "\"max_mhz\":") : NULL;
    struct str number = at ? str_after(str_of(at), ':') : str_of("");
    double most_mhz = 0;

    number = str_trim(number);
    for (size_t i = 0; i < number.len; i++)
        if (number.p[i] < '0' || number.p[i] > '9')
            number.len = i;
    if (!(g->clock_count > 0) || str_f64(&most_mhz, number) || !(most_mhz > 0))
        return 1;
    return fmin(g->clock_sum_hz / g->clock_count / (most_mhz * 1e6), 1);
}

/* A reading is the mean since the one before: the watts are level in between,
 * and the last ones hold to the end. */
static void model_steps(const struct energy_input *g, struct input_subject *x,
        double clock)
{
    uint64_t end_ns = g->duration_ns ? g->duration_ns : g->last_ns;
    uint64_t from_ns = 0;
    double watts = 0;

    for (size_t i = 0; i < g->host_busy.count; i++) {
        const struct series_reading *r = &g->host_busy.items[i];

        watts = cpu_model_watts(&x->model, r->value, clock);
        if (r->time_ns <= from_ns)
            continue;
        readings_add(&x->watts, from_ns, watts);
        readings_add(&x->watts, r->time_ns, watts);
        from_ns = r->time_ns + 1;
    }
    if (x->watts.count && end_ns > from_ns)
        readings_add(&x->watts, end_ns, watts);
}

void input_model(struct energy_input *g)
{
    double clock = mean_clock(g);

    for (size_t i = 0; i < g->subject_count; i++) {
        struct input_subject *x = &g->subjects[i];

        if (strcmp(x->source, ENERGY_SOURCE_MODEL) != 0 ||
                model_from_text(&x->model, x->detail))
            continue;
        x->method = READING_MODELLED;
        model_steps(g, x, clock);
    }
}
