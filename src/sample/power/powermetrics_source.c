/* powermetrics_source.c -- Apple's power, clocks and use, by running the
 * program powermetrics and reading what it writes.
 *
 * The program tells energies of windows; they are added up here, so that they
 * are counters like all others.  Windows are told when they have ended. */
#include "sample/power/powermetrics_source.h"

#include "base/compiler.h"
#include "os/process/program.h"
#include "os/process/self.h"
#include "os/stream.h"
#include "sample/device/device_samplers.h"
#include "sample/device/device_subject.h"
#include "sample/power/powermetrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_MS "200"

struct state {
    struct stream *stream;
    struct powermetrics *parser;
    struct subjects *subjects;
    struct batch *out; /* while we read */
    bool ended;
    uint64_t samples;
    uint32_t cpu, gpu, ane, dram, battery; /* subjects; 0: not seen yet */
    uint32_t cluster[POWERMETRICS_CLUSTERS];
    double cpu_joules, gpu_joules, ane_joules;
};

/* --- samples -------------------------------------------------------------- */

static uint32_t zone(struct state *s, uint32_t *known, const char *name,
        uint32_t parent)
{
    if (!*known)
        *known = subjects_add(s->subjects,
                &(struct subject){ .kind = SUBJECT_ZONE,
                        .parent = parent,
                        .name = name,
                        .source = sampler_powermetrics.name });
    return *known;
}

static uint32_t device(struct state *s, uint32_t *known, const char *kind,
        const char *detail)
{
    if (!*known)
        *known = device_subject_add(s->subjects, kind,
                sampler_powermetrics.name, detail);
    return *known;
}

static void tell(struct state *s, enum metric_id metric, uint32_t subject,
        double value)
{
    if (!isnan(value))
        batch_add(s->out, metric, subject, value);
}

/* The text tells no energies, but the mean power of the window. */
static double joules_of(double joules, double watts, double seconds)
{
    return isnan(joules) ? watts * seconds : joules;
}

static void tell_energy(struct state *s, enum metric_id metric,
        uint32_t subject, double *total, double joules)
{
    if (isnan(joules))
        return;
    *total += joules;
    batch_add(s->out, metric, subject, *total);
}

static void tell_cpu(struct state *s, const struct powermetrics_sample *p)
{
    double joules = joules_of(p->cpu_joules, p->cpu_watts, p->elapsed_seconds);
    uint32_t cpu = zone(s, &s->cpu, "cpu", 0);

    tell(s, METRIC_zone_power_watts, cpu, p->cpu_watts);
    tell_energy(s, METRIC_zone_energy_joules_total, cpu, &s->cpu_joules,
            joules);
    tell(s, METRIC_zone_temperature_celsius, cpu, p->cpu_die_celsius);
    for (size_t i = 0; i < p->cluster_count; i++) {
        const struct powermetrics_cluster *c = &p->cluster[i];
        uint32_t subject = zone(s, &s->cluster[i], c->name, cpu);

        tell(s, METRIC_zone_clock_hertz, subject, c->hertz);
        tell(s, METRIC_zone_utilization_ratio, subject, c->busy_ratio);
        tell(s, METRIC_zone_power_watts, subject, c->watts);
    }
}

static void tell_gpu(struct state *s, const struct powermetrics_sample *p)
{
    double joules = joules_of(p->gpu_joules, p->gpu_watts, p->elapsed_seconds);

    joules = isnan(joules) ? p->gpu_own_joules : joules;
    if (isnan(joules) && isnan(p->gpu_busy_ratio))
        return;

    uint32_t gpu = device(s, &s->gpu, "gpu", "Apple GPU");

    tell(s, METRIC_device_power_watts, gpu, p->gpu_watts);
    tell_energy(s, METRIC_device_energy_joules_total, gpu, &s->gpu_joules,
            joules);
    tell(s, METRIC_device_utilization_ratio, gpu, p->gpu_busy_ratio);
    tell(s, METRIC_device_clock_hertz, gpu, p->gpu_hertz);
}

static void tell_ane(struct state *s, const struct powermetrics_sample *p)
{
    double joules = joules_of(p->ane_joules, p->ane_watts, p->elapsed_seconds);

    if (isnan(joules))
        return;

    uint32_t ane = device(s, &s->ane, "npu", "Apple Neural Engine");

    tell(s, METRIC_device_power_watts, ane, p->ane_watts);
    tell_energy(s, METRIC_device_energy_joules_total, ane, &s->ane_joules,
            joules);
}

static double pressure_level(const char *name)
{
    static const char *const levels[] = { "Nominal", "Moderate", "Heavy",
        "Trapping", "Sleeping" };

    for (size_t i = 0; i < LEN(levels); i++)
        if (strcmp(name, levels[i]) == 0)
            return (double)i;
    return NAN;
}

static void take_sample(void *state, const struct powermetrics_sample *p)
{
    struct state *s = state;

    s->samples++;
    tell_cpu(s, p);
    tell_gpu(s, p);
    tell_ane(s, p);
    if (!isnan(p->dram_watts))
        tell(s, METRIC_zone_power_watts, zone(s, &s->dram, "dram", 0),
                p->dram_watts);
    if (!isnan(p->battery_charge_ratio))
        tell(s, METRIC_battery_charge_ratio, zone(s, &s->battery, "battery", 0),
                p->battery_charge_ratio);
    tell(s, METRIC_thermal_pressure_level, 0,
            pressure_level(p->thermal_pressure));
}

/* --- the program ---------------------------------------------------------- */

int powermetrics_program(char *path, size_t cap, struct error *e)
{
    const char *named = getenv("ORTMETER_POWERMETRICS");
    bool given = named && named[0];
    struct program program;

    program_look(&program, given ? named : "powermetrics", path, cap);
    if (!path[0] && given)
        return fail(e, -ENODEV, "ORTMETER_POWERMETRICS: there is no program %s",
                named);
    if (!path[0])
        return fail(e, -ENODEV,
                "there is no program powermetrics, which is macOS's");
    /* Who names a program has seen to that. */
    if (!given && !self_is_root()) {
        (void)fail(e, -EACCES, "powermetrics is for root only");
        error_remedy(e, "run ortmeter with sudo, or name a program that calls "
                        "it with sudo in ORTMETER_POWERMETRICS");
        return -EACCES;
    }
    return 0;
}

static int open_program(void *state, const struct sample_context *c,
        struct error *e)
{
    char as[] = "-f", list[] = "plist", every[] = "-i", period[] = PERIOD_MS;
    char what[] = "-s", samplers[] = "cpu_power,gpu_power,thermal";
    char path[512];
    char *argv[] = { path, as, list, every, period, what, samplers, NULL };
    struct state *s = state;
    int rc = powermetrics_program(path, sizeof(path), e);

    if (rc)
        return rc;
    s->subjects = c->subjects;
    s->parser = powermetrics_new(take_sample, s);
    return stream_open(&s->stream, argv, e);
}

/* Why the program ended, in the last line of its own words. */
static void say_ended(struct state *s)
{
    char words[512];
    int len = stream_read_errors(s->stream, words, sizeof(words));
    struct str text =
            str_trim((struct str){ words, len > 0 ? (size_t)len : 0 });
    struct str line = { text.p, 0 };

    while (str_line(&line, &text))
        continue;
    s->ended = true;
    subjects_missing(s->subjects, METRIC_zone_power_watts, 0,
            "powermetrics ended%s%.*s", line.len ? ": " : "", (int)line.len,
            line.p);
    if (s->cpu)
        subjects_end(s->subjects, s->cpu, s->out->time_ns);
    if (s->gpu)
        subjects_end(s->subjects, s->gpu, s->out->time_ns);
    if (s->ane)
        subjects_end(s->subjects, s->ane, s->out->time_ns);
}

static void read_program(void *state, struct batch *out)
{
    struct state *s = state;
    char part[16384];
    int len = 0;

    if (s->ended)
        return;
    s->out = out;
    while ((len = stream_read(s->stream, part, sizeof(part))) > 0)
        powermetrics_feed(s->parser, part, (size_t)len);
    if (len < 0) {
        powermetrics_end(s->parser);
        say_ended(s);
    }
    s->out = NULL;
}

static void close_program(void *state)
{
    struct state *s = state;

    stream_close(s->stream);
    powermetrics_free(s->parser);
}

const struct sampler sampler_powermetrics = {
    .name = "powermetrics",
    .about = "Apple: power and energy of CPU, GPU and Neural Engine, clocks",
    .state_size = sizeof(struct state),
    .default_hz = 5,
    .most_hz = 5,
    .open = open_program,
    .read = read_program,
    .close = close_program,
};
