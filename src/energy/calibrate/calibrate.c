#include "energy/calibrate/calibrate.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/json.h"
#include "energy/calibrate/calibration.h"
#include "energy/recorder.h"
#include "os/clock.h"
#include "os/host.h"
#include "os/process/child.h"

#include <errno.h>
#include <stdlib.h>

#define TICK_NS 1000000000ull
#define SILENT_TICKS                                        \
    5 /* after which a sensor that told nothing has nothing \
       */

struct calibrate {
    struct calibrate_plan plan;
    struct sampling *sampling;
    struct idle_meter *idle;
    uint64_t began_ns, ended_ns;
};

static bool has_sensor(const struct sampling *s)
{
    for (size_t i = 0; i < sampling_source_count(s); i++) {
        const struct sampling_source *x = sampling_source_at(s, i);

        if (!x->rc && energy_is_sampler(x->sampler->name))
            return true;
    }
    return false;
}

int calibrate_open(struct calibrate **out, const struct calibrate_plan *plan,
        struct error *e)
{
    struct calibrate *c = alloc_zero(1, sizeof(*c));

    *out = c;
    c->plan = *plan;
    c->began_ns = c->ended_ns = plan->now_ns();
    c->idle = idle_new(&c->plan.rules, c->began_ns);

    int rc = sampling_open(&c->sampling,
            &(struct sampling_plan){ .table = plan->table, .root = plan->root },
            e);

    if (!rc && !has_sensor(c->sampling))
        rc = fail(e, -ENODEV, "no energy source");
    return rc;
}

void calibrate_close(struct calibrate *c)
{
    if (!c)
        return;
    idle_free(c->idle);
    sampling_close(c->sampling);
    free(c);
}

int calibrate_measure(struct calibrate *c, enum baseline_state *state)
{
    const struct calibrate_plan *p = &c->plan;
    uint64_t tick_ns = p->now_ns() + TICK_NS;
    unsigned ticks = 0;

    *state = BASELINE_SETTLING;
    while (*state < BASELINE_DONE && !p->stopped()) {
        uint64_t next_ns = sampling_next_ns(c->sampling);

        p->until(next_ns < tick_ns ? next_ns : tick_ns);

        const struct batch *b = sampling_step(c->sampling, p->now_ns());

        for (size_t i = 0; i < b->count; i++)
            idle_take(c->idle, &b->items[i]);
        c->ended_ns = p->now_ns();
        if (c->ended_ns < tick_ns)
            continue;
        *state = idle_tick(c->idle, c->ended_ns);
        tick_ns += TICK_NS;
        p->tell(*state);
        if (++ticks >= SILENT_TICKS && !idle_tells(c->idle))
            return -ENODEV;
    }
    /* Before anything is said of a machine that was busy meanwhile. */
    return *state > BASELINE_DONE && !idle_tells(c->idle) ? -ENODEV : 0;
}

static void keep_sensors(const struct calibrate *c, struct store *store)
{
    for (size_t i = 0; i < idle_count(c->idle); i++) {
        struct idle_sensor x = idle_at(c->idle, i);
        struct subject subject = *calibrate_subject(c, x.subject);

        subject.start_ns = 0;
        store_add_subject(store, x.subject, &subject);
        store_add_reading(store, &(struct reading){ .value = x.watts,
                                         .subject = x.subject,
                                         .metric = METRIC_zone_idle_watts });
    }
}

int calibrate_keep(const struct calibrate *c, struct store *s, struct error *e)
{
    struct host_info host;
    struct buf host_text = { 0 };
    struct json j = json_line_into(&host_text);

    host_read(&host, c->plan.root);
    host_json(&j, NULL, &host);

    struct run run = {
        .started_wall_ns = wall_ns(),
        .start_mono_ns = c->began_ns,
        .duration_ns = c->ended_ns - c->began_ns,
        .meter_pid = own_pid(),
        .command = "ortmeter calibrate",
        .tags = CALIBRATION_TAG,
        .host = buf_cstr(&host_text),
        .version = ORTMETER_VERSION,
        .ended = true,
    };
    int rc = store_begin_run(s, &run, e);

    if (!rc) {
        keep_sensors(c, s);
        rc = store_flush(s, e);
    }
    run.status = RUN_COMPLETE;
    if (!rc)
        rc = store_end_run(s, &run, e);
    buf_release(&host_text);
    return rc;
}

const struct idle_meter *calibrate_idle(const struct calibrate *c)
{
    return c->idle;
}

const struct sampling *calibrate_sampling(const struct calibrate *c)
{
    return c->sampling;
}

const struct subject *calibrate_subject(const struct calibrate *c, uint32_t id)
{
    return subjects_get(sampling_subjects(c->sampling), id);
}
