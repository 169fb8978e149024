#include "energy/recorder.h"

#include "base/compiler.h"
#include "energy/model_text.h"
#include "energy/observe.h"
#include "os/clock.h"
#include "os/host.h"

#include <stdio.h>
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

bool energy_is_metric(enum metric_id metric)
{
    return metric == METRIC_zone_energy_joules_total ||
           metric == METRIC_device_energy_joules_total ||
           energy_is_power(metric);
}

bool energy_is_power(enum metric_id metric)
{
    return metric == METRIC_zone_power_watts ||
           metric == METRIC_device_power_watts ||
           metric == METRIC_battery_power_watts;
}

size_t energy_rates(struct sampling_rate out[ENERGY_SAMPLERS_MOST],
        const struct energy_plan *plan)
{
    size_t count = 0;

    if (plan->mode != ENERGY_OFF)
        return 0;
    for (const struct sampler *const *x = sampler_table; *x; x++)
        if (energy_is_sampler((*x)->name) && count < ENERGY_SAMPLERS_MOST)
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

void energy_observe(struct sampling *s, const struct energy_plan *plan,
        void (*take)(void *context, const struct reading *r), void *context)
{
    const struct subjects *subjects = sampling_subjects(s);
    struct observed seen[OBSERVED_MOST];
    size_t count = plan->mode == ENERGY_OFF ? 0 : observe(seen, &observe_usual);

    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < subjects_count(subjects); k++) {
            const struct subject *x = subjects_get(subjects, k);

            if (strcmp(x->name, seen[i].name) == 0 && x->source &&
                    strcmp(x->source, seen[i].source) == 0)
                take(context, &(struct reading){ .time_ns = mono_ns(),
                                      .value = (double)seen[i].period_ns / 1e9,
                                      .subject = k,
                                      .metric = METRIC_zone_update_seconds });
        }
}
