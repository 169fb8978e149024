#include "energy/recorder.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "energy/counter_period.h"
#include "energy/meter_feed.h"
#include "energy/model_text.h"
#include "os/clock.h"
#include "os/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const energy_mode_names[] = { "auto", "model", "off", NULL };

static const char *const samplers[] = { "rapl-perf", "rapl-powercap", "battery",
    "hwmon", "nvml", "amdgpu", "intel-gpu", "intel-npu", "amd-npu",
    "powermetrics" };

bool energy_is_sampler(const char *name)
{
    for (size_t i = 0; i < LEN(samplers); i++)
        if (strcmp(name, samplers[i]) == 0)
            return true;
    return false;
}

size_t energy_rates(struct sampling_rate out[ENERGY_SAMPLERS_MAX],
        const struct energy_plan *plan)
{
    size_t count = 0;

    if (plan->mode != ENERGY_OFF)
        return 0;
    for (const struct sampler *const *x = sampler_table; *x; x++)
        if (energy_is_sampler((*x)->name) && count < ENERGY_SAMPLERS_MAX)
            out[count++] = (struct sampling_rate){ (*x)->name, 0 };
    return count;
}

static void note_model(struct subjects *s, const struct energy_plan *plan)
{
    struct host_info host;
    char detail[MODEL_TEXT];

    host_read(&host, "");

    struct cpu_model m = cpu_model_of(&host, &plan->given);

    model_text(detail, &m);
    (void)subjects_add(s, &(struct subject){ .kind = SUBJECT_ZONE,
                                  .name = "cpu",
                                  .detail = detail,
                                  .source = ENERGY_SOURCE_MODEL });
}

void energy_note(struct sampling *s, const struct energy_plan *plan)
{
    struct subjects *subjects = sampling_subjects(s);

    if (plan->mode == ENERGY_OFF) {
        subjects_missing(subjects, METRIC_zone_energy_joules_total, 0,
                "it was switched off by --energy off");
        return;
    }
    for (size_t i = 0; i < sampling_source_count(s); i++) {
        const struct sampling_source *x = sampling_source_at(s, i);

        if (!x->rc || !energy_is_sampler(x->sampler->name))
            continue;

        /* A subject of its own, as a reason belongs to one. */
        uint32_t number =
                subjects_add(subjects, &(struct subject){ .kind = SUBJECT_ZONE,
                                               .name = x->sampler->name,
                                               .source = x->sampler->name });

        subjects_missing(subjects, METRIC_zone_energy_joules_total, number,
                "%s", x->why.text);
    }
    if (plan->mode == ENERGY_MODEL)
        note_model(subjects, plan);
}

/* Finds out how often the counters move, which may take a moment, and takes a
 * reading of METRIC_zone_update_seconds for each that is known. */
static void observe_counters(struct loop *l)
{
    const struct subjects *subjects = sampling_subjects(loop_sampling(l));
    struct counter_period seen[COUNTER_PERIODS_MAX];
    size_t count = counter_periods(seen, &counter_period_usual);

    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < subjects_count(subjects); k++) {
            const struct subject *x = subjects_get(subjects, k);

            if (strcmp(x->name, seen[i].name) == 0 && x->source &&
                    strcmp(x->source, seen[i].source) == 0)
                loop_take(l, &(struct reading){ .time_ns = mono_ns(),
                                     .value = (double)seen[i].period_ns / 1e9,
                                     .subject = k,
                                     .metric = METRIC_zone_update_seconds });
        }
}

/* --- an external meter ---------------------------------------------------- */

struct energy_meter {
    struct loop *loop;
    struct meter_feed *feed; /* NULL: it could not be had */
    uint32_t subject;
};

static void take_meter(void *to, const struct reading *x)
{
    loop_take(((struct energy_meter *)to)->loop, x);
}

static void poll_meter(void *to)
{
    meter_feed_poll(((struct energy_meter *)to)->feed);
}

/* The last lines; and if there were none, that is worth telling. */
static void finish_meter(void *to)
{
    struct energy_meter *m = to;

    meter_feed_poll(m->feed);
    if (!meter_feed_samples(m->feed))
        subjects_missing(sampling_subjects(loop_sampling(m->loop)),
                METRIC_zone_power_watts, m->subject,
                "the meter sent no line that could be read, and %llu that "
                "could not",
                (unsigned long long)meter_feed_bad(m->feed));
}

/* A meter that cannot be had is a reason to say so, and not to stop. */
static void open_meter(struct energy_meter *m, const struct energy_plan *plan)
{
    struct subjects *s = sampling_subjects(loop_sampling(m->loop));
    struct error e = { 0 };
    struct buf detail = { 0 };

    buf_text(&detail, plan->meter);
    if (plan->meter_offset_given)
        buf_printf(&detail, ENERGY_METER_SET "%g s", plan->meter_offset_s);
    m->subject = subjects_add(s, &(struct subject){ .kind = SUBJECT_ZONE,
                                         .name = "meter",
                                         .detail = buf_cstr(&detail),
                                         .source = ENERGY_SOURCE_METER });

    struct meter_feed_plan feed = {
        .name = plan->meter,
        .subject = m->subject,
        /* A meter that is behind shows our time less the offset. */
        .wall_ns = (uint64_t)((int64_t)wall_ns() -
                              (int64_t)(plan->meter_offset_s * 1e9)),
        .mono_ns = mono_ns(),
        .take = take_meter,
        .context = m,
    };

    if (meter_feed_open(&m->feed, &feed, &e))
        subjects_missing(s, METRIC_zone_power_watts, m->subject, "%s", e.text);
    else
        loop_add_feed(m->loop,
                &(struct loop_feed){ m, poll_meter, finish_meter });
    buf_release(&detail);
}

struct energy_meter *energy_record(struct loop *l,
        const struct energy_plan *plan)
{
    struct energy_meter *m = alloc_zero(1, sizeof(*m));

    m->loop = l;
    energy_note(loop_sampling(l), plan);
    if (plan->mode != ENERGY_OFF)
        observe_counters(l);
    if (plan->meter)
        open_meter(m, plan);
    return m;
}

void energy_meter_close(struct energy_meter *m)
{
    if (!m)
        return;
    meter_feed_close(m->feed);
    free(m);
}
