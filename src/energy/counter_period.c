#include "energy/counter_period.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "energy/recorder.h"
#include "energy/series.h"
#include "os/clock.h"
#include "os/process/pause.h"
#include "sample/sampler.h"

#include <stdio.h>
#include <stdlib.h>

#define READS_MAX 1024
#define BATCH     256
#define MOVES     10 /* twice as many as a rhythm needs */

const struct counter_period_plan counter_period_usual = {
    .table = sampler_table,
    .root = "",
    .most_ns = 60000000,
    .step_ns = 250000,
    .now_ns = mono_ns,
    .until = pause_until,
};

struct counter_seen {
    uint32_t subject;
    struct series_reading reads[READS_MAX];
    size_t count;
    size_t moved; /* times */
};

struct observation {
    const struct counter_period_plan *plan;
    const struct sampler *open[ENERGY_SAMPLERS_MAX];
    void *state[ENERGY_SAMPLERS_MAX];
    size_t open_count;
    struct subjects *subjects;
    struct counter_seen *counters;
    size_t counter_count;
};

static void open_samplers(struct observation *o)
{
    const struct sample_context context = { .root = o->plan->root,
        .subjects = o->subjects };

    for (const struct sampler *const *x = o->plan->table;
            *x && o->open_count < ENERGY_SAMPLERS_MAX; x++) {
        struct error e;

        if (!energy_is_sampler((*x)->name))
            continue;

        void *state = alloc_zero(1, (*x)->state_size);

        if ((*x)->open(state, &context, &e)) {
            (*x)->close(state);
            free(state);
            continue;
        }
        o->open[o->open_count] = *x;
        o->state[o->open_count++] = state;
    }
}

static struct counter_seen *counter_of(struct observation *o, uint32_t subject)
{
    for (size_t i = 0; i < o->counter_count; i++)
        if (o->counters[i].subject == subject)
            return &o->counters[i];
    if (o->counter_count == COUNTER_PERIODS_MAX)
        return NULL;
    o->counters[o->counter_count].subject = subject;
    return &o->counters[o->counter_count++];
}

static void take(struct observation *o, const struct reading *r)
{
    bool joules = r->metric == METRIC_zone_energy_joules_total ||
                  r->metric == METRIC_device_energy_joules_total;
    struct counter_seen *c = joules ? counter_of(o, r->subject) : NULL;

    if (!c || c->count == READS_MAX)
        return;
    c->moved += c->count && r->value > c->reads[c->count - 1].value;
    c->reads[c->count++] = (struct series_reading){ r->time_ns, r->value };
}

static void read_all(struct observation *o)
{
    struct reading items[BATCH];

    for (size_t i = 0; i < o->open_count; i++) {
        struct batch b = { .items = items,
            .cap = LEN(items),
            .time_ns = o->plan->now_ns() };

        o->open[i]->read(o->state[i], &b);
        for (size_t k = 0; k < b.count; k++)
            take(o, &b.items[k]);
    }
}

static bool all_known(const struct observation *o)
{
    for (size_t i = 0; i < o->counter_count; i++)
        if (o->counters[i].moved < MOVES)
            return false;
    return true;
}

static size_t conclude(struct counter_period *out, const struct observation *o)
{
    size_t count = 0;

    for (size_t i = 0; i < o->counter_count; i++) {
        const struct counter_seen *c = &o->counters[i];
        const struct subject *s = subjects_get(o->subjects, c->subject);
        bool resolved = false;
        uint64_t period_ns = series_period(c->reads, c->count, &resolved);

        if (!resolved)
            continue;
        (void)snprintf(out[count].name, sizeof(out[count].name), "%s", s->name);
        (void)snprintf(out[count].source, sizeof(out[count].source), "%s",
                s->source ? s->source : "");
        out[count++].period_ns = period_ns;
    }
    return count;
}

size_t counter_periods(struct counter_period out[COUNTER_PERIODS_MAX],
        const struct counter_period_plan *plan)
{
    struct observation o = {
        .plan = plan,
        .subjects = subjects_new("observed"),
        .counters = alloc_zero(COUNTER_PERIODS_MAX, sizeof(*o.counters)),
    };
    uint64_t next_ns = plan->now_ns();
    uint64_t end_ns = next_ns + plan->most_ns;

    open_samplers(&o);
    do {
        read_all(&o);
        next_ns += plan->step_ns;
        if (all_known(&o))
            break;
        plan->until(next_ns);
    } while (next_ns < end_ns);

    size_t count = conclude(out, &o);

    for (size_t i = 0; i < o.open_count; i++) {
        o.open[i]->close(o.state[i]);
        free(o.state[i]);
    }
    subjects_free(o.subjects);
    free(o.counters);
    return count;
}
