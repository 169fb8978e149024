#include "recording.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "energy/keep.h"
#include "energy/meter_feed.h"
#include "os/clock.h"
#include "push/push.h"
#include "sample/sampling.h"

#include <stdio.h>
#include <stdlib.h>

#define NS_PER_S UINT64_C(1000000000)

/* What is kept of a series between two readings. */
struct series {
    uint32_t subject;
    uint16_t metric;
    double stored;      /* the last value in the store, */
    uint64_t stored_ns; /* and when */
    bool any;
    struct reading held; /* the last of them that was not stored */
    bool holds;
    struct rollup second; /* that is not over yet; count 0: none */
};

struct recording {
    struct store *store;
    struct push *push; /* or NULL */
    struct sampling *sampling;
    uint64_t start_ns;
    struct series *series;
    size_t count, cap;
    struct map by_key;
    uint32_t subjects; /* that the store knows */
    uint32_t unended;  /* the first of them that goes on */
    bool *ended;
    size_t ended_cap;
    size_t changes;           /* of rates, that the store knows */
    struct meter_feed *meter; /* or NULL */
    uint32_t meter_subject;
    bool modelled; /* energy is to come from the model */
};

void recording_close(struct recording *r)
{
    if (!r)
        return;
    meter_feed_close(r->meter);
    sampling_close(r->sampling);
    map_release(&r->by_key);
    free(r->series);
    free(r->ended);
    free(r);
}

uint64_t recording_next_ns(const struct recording *r)
{
    return sampling_next_ns(r->sampling);
}

static uint64_t since_start(const struct recording *r, uint64_t mono_ns_then)
{
    return mono_ns_then > r->start_ns ? mono_ns_then - r->start_ns : 0;
}

/* --- subjects ------------------------------------------------------------- */

static void add_subjects(struct recording *r)
{
    const struct subjects *s = sampling_subjects(r->sampling);

    for (; r->subjects < subjects_count(s); r->subjects++) {
        struct subject x = *subjects_get(s, r->subjects);

        x.start_ns = since_start(r, x.start_ns);
        store_add_subject(r->store, r->subjects, &x);
        push_subject(r->push, r->subjects, &x);
    }
    if (r->ended_cap < r->subjects) {
        size_t cap = 2 * (size_t)r->subjects;

        r->ended = alloc_resize(r->ended, cap * sizeof(*r->ended));
        for (size_t i = r->ended_cap; i < cap; i++)
            r->ended[i] = false;
        r->ended_cap = cap;
    }
}

static void end_subjects(struct recording *r)
{
    const struct subjects *s = sampling_subjects(r->sampling);

    for (uint32_t i = r->unended; i < r->subjects; i++) {
        uint64_t ended_ns = subjects_ended_ns(s, i);

        if (!ended_ns || r->ended[i])
            continue;
        r->ended[i] = true;
        store_end_subject(r->store, i, since_start(r, ended_ns));
    }
    while (r->unended < r->subjects && r->ended[r->unended])
        r->unended++;
}

/* --- readings ------------------------------------------------------------- */

static struct series *series_of(struct recording *r, const struct reading *x)
{
    uint64_t key = (uint64_t)x->subject << 16 | x->metric;
    const uint64_t *at = map_find(&r->by_key, key);

    if (at)
        return &r->series[*at];
    if (r->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 64;
        r->series = alloc_resize(r->series, r->cap * sizeof(*r->series));
    }
    map_put(&r->by_key, key, r->count);
    r->series[r->count] =
            (struct series){ .subject = x->subject, .metric = x->metric };
    return &r->series[r->count++];
}

static void end_second(struct recording *r, struct series *s)
{
    if (s->second.count)
        store_add_rollup(r->store, &s->second);
    s->second.count = 0;
}

static void add_to_second(struct recording *r, struct series *s,
        const struct reading *x)
{
    struct rollup *u = &s->second;
    uint64_t second = x->time_ns / NS_PER_S;

    if (u->count && u->second != second)
        end_second(r, s);
    if (!u->count)
        *u = (struct rollup){
            .second = second,
            .subject = x->subject,
            .metric = x->metric,
            .min = x->value,
            .max = x->value,
        };
    u->count++;
    u->mean += (x->value - u->mean) / (double)u->count;
    if (x->value < u->min)
        u->min = x->value;
    if (x->value > u->max)
        u->max = x->value;
}

static void add_reading(struct recording *r, struct reading x)
{
    struct series *s = series_of(r, &x);

    x.time_ns = since_start(r, x.time_ns);
    add_to_second(r, s, &x);
    if (s->any && s->stored == x.value && x.time_ns < s->stored_ns + NS_PER_S) {
        s->held = x;
        s->holds = energy_is_metric((enum metric_id)x.metric);
        return;
    }
    if (s->holds)
        store_add_reading(r->store, &s->held);
    s->holds = false;
    s->any = true;
    s->stored = x.value;
    s->stored_ns = x.time_ns;
    store_add_reading(r->store, &x);
    push_reading(r->push, &x);
}

/* What the last step read; some ticks together, ten times a second. */
static void keep(struct recording *r)
{
    sampling_hold(r->sampling);
    if (!sampling_is_metered(r->sampling))
        return;

    struct batch held = sampling_held(r->sampling);

    add_subjects(r);
    for (size_t i = 0; i < held.count; i++)
        add_reading(r, held.items[i]);
    sampling_drop(r->sampling);
    end_subjects(r);
}

/* --- an external meter ---------------------------------------------------- */

static void take_meter(void *to, const struct reading *x)
{
    struct recording *r = to;

    /* Before the run: none of its business. */
    if (x->time_ns >= r->start_ns)
        add_reading(r, *x);
}

/* A meter that cannot be had is a reason to say so, and not to stop. */
static void open_meter(struct recording *r, const struct energy_plan *energy)
{
    struct subjects *s = sampling_subjects(r->sampling);
    struct error e = { "" };
    struct buf detail = { 0 };

    buf_text(&detail, energy->meter);
    if (energy->meter_offset_given)
        buf_printf(&detail, ENERGY_METER_SET "%g s", energy->meter_offset_s);

    uint32_t number = subjects_add(s, &(struct subject){ .kind = SUBJECT_ZONE,
                                              .name = "meter",
                                              .detail = buf_cstr(&detail),
                                              .source = ENERGY_SOURCE_METER });
    struct meter_feed_plan plan = {
        .name = energy->meter,
        .subject = number,
        /* A meter that is behind shows our time less the offset. */
        .wall_ns = (uint64_t)((int64_t)wall_ns() -
                              (int64_t)(energy->meter_offset_s * 1e9)),
        .mono_ns = mono_ns(),
        .take = take_meter,
        .context = r,
    };

    r->meter_subject = number;
    if (meter_feed_open(&r->meter, &plan, &e))
        subjects_missing(s, METRIC_zone_power_watts, number, "%s", e.text);
    buf_release(&detail);
}

/* The last lines; and if there were none, that is worth telling. */
static void finish_meter(struct recording *r)
{
    meter_feed_poll(r->meter);
    if (!meter_feed_samples(r->meter))
        subjects_missing(sampling_subjects(r->sampling),
                METRIC_zone_power_watts, r->meter_subject,
                "the meter sent no line that could be read, and %llu that "
                "could not",
                (unsigned long long)meter_feed_bad(r->meter));
}

static void take_observed(void *to, const struct reading *x)
{
    add_reading(to, *x);
}

/* --- opening -------------------------------------------------------------- */

int recording_open(struct recording **out, const struct recording_plan *plan,
        struct error *e)
{
    uint64_t pid = plan->pid;
    struct target_plan targets = {
        .pids = &pid,
        .pid_count = 1,
        .children = true,
    };
    static const struct energy_plan usual = { .mode = ENERGY_AUTO };
    const struct energy_plan *energy = plan->energy ? plan->energy : &usual;
    struct sampling_rate rates[ENERGY_SAMPLERS_MOST];
    struct recording *r = alloc_zero(1, sizeof(*r));
    int rc = sampling_open(&r->sampling,
            &(struct sampling_plan){
                    .targets = &targets,
                    .hz = plan->hz,
                    .budget = plan->budget,
                    .rates = rates,
                    .rate_count = energy_rates(rates, energy),
            },
            e);

    if (rc) {
        recording_close(r);
        return rc;
    }
    energy_note(r->sampling, energy);
    r->modelled = energy->mode == ENERGY_MODEL;
    r->store = plan->store;
    r->push = plan->push;
    r->start_ns = plan->start_ns;
    add_subjects(r);
    energy_observe(r->sampling, energy, take_observed, r);
    if (energy->meter)
        open_meter(r, energy);
    *out = r;
    return 0;
}

/* --- ticks ---------------------------------------------------------------- */

/* A change of the rates is a mark in the run. */
static void add_changes(struct recording *r)
{
    for (; r->changes < sampling_change_count(r->sampling) &&
            r->changes < SAMPLING_CHANGES_MAX;
            r->changes++) {
        const struct rate_change *c =
                sampling_change_at(r->sampling, r->changes);
        char reason[128], text[200];

        rate_change_reason(reason, sizeof(reason), c);
        (void)snprintf(text, sizeof(text),
                "ortmeter samples at %.3g %% of its rates: %s", 100 * c->scale,
                reason);
        store_add_mark(r->store,
                &(struct note){ .time_ns = since_start(r, c->time_ns),
                        .text = text });
    }
}

void recording_step(struct recording *r)
{
    uint64_t now_ns = mono_ns();

    if (now_ns < sampling_next_ns(r->sampling))
        return;
    sampling_forgive(r->sampling);
    (void)sampling_step(r->sampling, now_ns);
    keep(r);
    sampling_charge(r->sampling);
    add_changes(r);
    if (r->meter)
        meter_feed_poll(r->meter);
}

void recording_finish(struct recording *r)
{
    const struct subjects *s = sampling_subjects(r->sampling);

    (void)sampling_read_all(r->sampling, mono_ns());
    keep(r);
    if (r->meter)
        finish_meter(r);
    for (size_t i = 0; i < r->count; i++)
        end_second(r, &r->series[i]);
    for (size_t i = 0; i < subjects_missing_count(s); i++)
        store_add_absence(r->store, subjects_missing_at(s, i));
}

void recording_keep_energy(struct recording *r, struct run *run)
{
    bool told = r->modelled;

    for (size_t i = 0; i < r->count && !told; i++)
        told = energy_is_metric((enum metric_id)r->series[i].metric);
    if (told)
        (void)energy_keep(r->store, run, NULL);
}
