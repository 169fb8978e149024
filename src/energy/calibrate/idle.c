#include "energy/calibrate/idle.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>

struct sensor {
    uint32_t subject;
    struct baseline baseline;
    bool counts;                /* joules; then its watts are not looked at */
    bool tells;                 /* of any energy at all */
    struct reading first, last; /* since the last tick; of a counter */
    bool primed;
    double watts_sum; /* since the last tick; of a gauge */
    size_t watts_count;
};

struct idle_meter {
    const struct baseline_rules *rules;
    uint64_t begin_ns;
    struct sensor *sensors;
    size_t count;
    double busy, busy_sum;
    size_t busy_count;
};

struct idle_meter *idle_new(const struct baseline_rules *rules, uint64_t now_ns)
{
    struct idle_meter *m = alloc_zero(1, sizeof(*m));

    m->rules = rules;
    m->begin_ns = now_ns;
    return m;
}

void idle_free(struct idle_meter *m)
{
    if (!m)
        return;
    free(m->sensors);
    free(m);
}

static struct sensor *sensor_of(struct idle_meter *m, const struct reading *r)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->sensors[i].subject == r->subject)
            return &m->sensors[i];
    m->sensors = alloc_resize(m->sensors, (m->count + 1) * sizeof(*m->sensors));
    m->sensors[m->count] = (struct sensor){ .subject = r->subject };
    baseline_begin(&m->sensors[m->count].baseline, m->rules, m->begin_ns);
    return &m->sensors[m->count++];
}

void idle_take(struct idle_meter *m, const struct reading *r)
{
    bool joules = r->metric == METRIC_zone_energy_joules_total ||
                  r->metric == METRIC_device_energy_joules_total;
    bool watts = r->metric == METRIC_zone_power_watts ||
                 r->metric == METRIC_device_power_watts ||
                 r->metric == METRIC_battery_power_watts;

    if (r->metric == METRIC_host_busy_ratio) {
        m->busy_sum += r->value;
        m->busy_count++;
    }
    if (!joules && !watts)
        return;

    struct sensor *s = sensor_of(m, r);

    if (joules) {
        s->counts = true;
        s->tells |= s->primed && r->value > s->last.value;
        if (!s->primed)
            s->first = *r;
        s->primed = true;
        s->last = *r;
    } else {
        s->tells |= r->value > 0;
        s->watts_sum += r->value;
        s->watts_count++;
    }
}

/* False: nothing came since the last tick. */
static bool mean_watts(struct sensor *s, double *watts)
{
    if (s->counts) {
        uint64_t passed_ns = s->last.time_ns - s->first.time_ns;

        if (!s->primed || !passed_ns || s->last.value < s->first.value)
            return false;
        *watts = (s->last.value - s->first.value) * 1e9 / (double)passed_ns;
        s->first = s->last;
        return true;
    }
    if (!s->watts_count)
        return false;
    *watts = s->watts_sum / (double)s->watts_count;
    s->watts_sum = 0;
    s->watts_count = 0;
    return true;
}

enum baseline_state idle_tick(struct idle_meter *m, uint64_t now_ns)
{
    size_t done = 0, measuring = 0;

    if (m->busy_count) {
        m->busy = m->busy_sum / (double)m->busy_count;
        m->busy_sum = 0;
        m->busy_count = 0;
    }
    for (size_t i = 0; i < m->count; i++) {
        struct sensor *s = &m->sensors[i];
        double watts = 0;

        if (mean_watts(s, &watts))
            (void)baseline_feed(&s->baseline, now_ns, watts, m->busy);
        if (s->baseline.state > BASELINE_DONE)
            return s->baseline.state;
        done += s->baseline.state == BASELINE_DONE;
        measuring += s->baseline.state == BASELINE_MEASURING;
    }
    if (!m->count && now_ns - m->begin_ns > m->rules->most_ns)
        return BASELINE_UNSTEADY;
    if (m->count && done == m->count)
        return BASELINE_DONE;
    return m->count && done + measuring == m->count ? BASELINE_MEASURING
                                                    : BASELINE_SETTLING;
}

size_t idle_count(const struct idle_meter *m)
{
    return m->count;
}

struct idle_sensor idle_at(const struct idle_meter *m, size_t i)
{
    const struct sensor *s = &m->sensors[i];

    return (struct idle_sensor){
        .subject = s->subject,
        .watts = s->baseline.watts,
        .error_watts = s->baseline.error_watts,
        .settled_ns = s->baseline.settled_ns,
    };
}

bool idle_tells(const struct idle_meter *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->sensors[i].tells)
            return true;
    return false;
}

double idle_busy(const struct idle_meter *m)
{
    double sum = 0;

    for (size_t i = 0; i < m->count; i++)
        sum += m->sensors[i].baseline.busy;
    return m->count ? sum / (double)m->count : m->busy;
}
