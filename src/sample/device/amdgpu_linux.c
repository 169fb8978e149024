/* amdgpu_linux.c -- AMD GPUs by the files of their driver:
 * Documentation/gpu/amdgpu/thermal.rst and driver-misc.rst of the kernel.
 *
 * On kernels before 7.0 reading any of them wakes a sleeping card, so nothing
 * is read while it sleeps.  gpu_metrics has all sensors of one instant; the
 * single files come first where both tell the same, for their units are
 * certain on every chip. */
#include "sample/device/device_samplers.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "os/file.h"
#include "sample/device/device_place.h"
#include "sample/device/gpu_metrics.h"
#include "sample/power/hwmon.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Parts of a processor with a GPU, whose power includes them. */
static const struct {
    const char *name;
    enum gpu_metrics_value value;
} parts[] = {
    { "cpu", GPU_METRICS_CPU_WATTS },
    { "soc", GPU_METRICS_SOC_WATTS },
};

struct gpu {
    struct device_place place;
    uint32_t subject;
    uint32_t package; /* zone of the processor that it is part of; 0: a card */
    char chip[224];   /* its hwmon folder; "": none */
    struct hwmon temperatures;
    uint32_t part[LEN(parts)]; /* subjects; 0: not seen yet */
    bool looked;               /* it was read once */
};

struct state {
    struct gpu *gpu;
    size_t count;
    struct subjects *subjects;
};

static bool read_metrics(struct gpu_metrics *out, const struct gpu *g)
{
    char bytes[4097];
    int len =
            file_read(bytes, sizeof(bytes), "%s/gpu_metrics", g->place.device);

    return len >= 0 &&
           gpu_metrics_parse(out, (struct str){ bytes, (size_t)len }) == 0;
}

/* --- finding -------------------------------------------------------------- */

/* What the driver calls the power of a GPU that is part of a processor is that
 * of the whole processor. */
static void find_package(struct gpu *g, const struct sample_context *c)
{
    struct gpu_metrics m;

    if (device_is_awake(&g->place) && read_metrics(&m, g) && m.format >= 2)
        g->package = subjects_add(c->subjects,
                &(struct subject){ .kind = SUBJECT_ZONE,
                        .name = "package-0",
                        .detail = "the processor, as its GPU tells it",
                        .source = sampler_amdgpu.name });
    g->place.package = g->package;
}

static int open_gpus(void *state, const struct sample_context *c,
        struct error *e)
{
    static const char *const drivers[] = { "amdgpu", NULL };
    struct device_place place[DEVICE_PLACES];
    struct state *s = state;

    s->count = device_places(place, c->root, "drm", "card", drivers);
    s->subjects = c->subjects;
    if (!s->count)
        return fail(e, -ENODEV, "there is no AMD GPU with the driver amdgpu");
    s->gpu = alloc_zero(s->count, sizeof(*s->gpu));
    for (size_t i = 0; i < s->count; i++) {
        struct gpu *g = &s->gpu[i];

        g->place = place[i];
        find_package(g, c);
        g->subject = device_add(c->subjects, "gpu", sampler_amdgpu.name,
                c->root, &g->place);
        if (device_hwmon(g->chip, sizeof(g->chip), &place[i]) == 0)
            hwmon_open(&g->temperatures, c->subjects, g->chip,
                    &(struct subject){ .kind = SUBJECT_ZONE,
                            .parent = g->subject,
                            .name = "",
                            .source = sampler_amdgpu.name },
                    HWMON_TEMPERATURES);
    }
    return 0;
}

/* --- reading -------------------------------------------------------------- */

static const struct {
    const char *file;
    enum metric_id metric;
    double unit;
} device_files[] = {
    { "gpu_busy_percent", METRIC_device_utilization_ratio, 1e-2 },
    { "mem_busy_percent", METRIC_device_memory_utilization_ratio, 1e-2 },
    { "mem_info_vram_used", METRIC_device_memory_used_bytes, 1 },
    { "mem_info_vram_total", METRIC_device_memory_total_bytes, 1 },
    { "mem_info_gtt_used", METRIC_device_shared_memory_used_bytes, 1 },
    { "mem_info_gtt_total", METRIC_device_shared_memory_total_bytes, 1 },
};

static const struct {
    const char *file;
    enum metric_id metric;
    double unit;
} chip_files[] = {
    { "power1_input", METRIC_device_power_watts, 1e-6 },
    { "power1_average", METRIC_device_power_watts, 1e-6 },
    { "power1_cap", METRIC_device_power_limit_watts, 1e-6 },
    { "temp1_input", METRIC_device_temperature_celsius, 1e-3 },
    { "freq1_input", METRIC_device_clock_hertz, 1 },
    { "freq2_input", METRIC_device_memory_clock_hertz, 1 },
};

/* For what no single file told. */
static const struct {
    enum gpu_metrics_value value;
    enum metric_id metric;
} metrics_values[] = {
    { GPU_METRICS_GFX_RATIO, METRIC_device_utilization_ratio },
    { GPU_METRICS_MEMORY_RATIO, METRIC_device_memory_utilization_ratio },
    { GPU_METRICS_EDGE_CELSIUS, METRIC_device_temperature_celsius },
    { GPU_METRICS_HOTSPOT_CELSIUS, METRIC_device_temperature_celsius },
    { GPU_METRICS_GFX_HERTZ, METRIC_device_clock_hertz },
    { GPU_METRICS_MEMORY_HERTZ, METRIC_device_memory_clock_hertz },
    { GPU_METRICS_ENERGY_JOULES, METRIC_device_energy_joules_total },
};

/* What this read has told of the GPU so far: NAN is not yet. */
struct told {
    const struct gpu *gpu;
    struct batch *out;
    double value[METRIC_IDS];
    double package_watts;
};

/* A processor's power, instead of its GPU's. */
static void tell_package(struct told *t, double watts)
{
    if (isnan(watts) || !isnan(t->package_watts))
        return;
    t->package_watts = watts;
    batch_add(t->out, METRIC_zone_power_watts, t->gpu->package, watts);
}

static void tell(struct told *t, enum metric_id metric, double value)
{
    if (isnan(value) || !isnan(t->value[metric]))
        return;
    t->value[metric] = value;
    batch_add(t->out, metric, t->gpu->subject, value);
}

static void tell_device(struct told *t)
{
    double value;

    for (size_t i = 0; i < LEN(device_files); i++)
        if (sysfs_scaled(&value, device_files[i].unit, "%s/%s",
                    t->gpu->place.device, device_files[i].file) == 0)
            tell(t, device_files[i].metric, value);
}

static void tell_chip(struct told *t)
{
    for (size_t i = 0; t->gpu->chip[0] && i < LEN(chip_files); i++) {
        enum metric_id metric = chip_files[i].metric;
        double value;

        if (sysfs_scaled(&value, chip_files[i].unit, "%s/%s", t->gpu->chip,
                    chip_files[i].file))
            continue;
        if (t->gpu->package && metric == METRIC_device_power_watts)
            tell_package(t, value);
        else
            tell(t, metric, value);
    }
}

/* Firmware of some chips writes watts where milliwatts belong.  Their driver's
 * other figure of the same power, a moment before, tells which. */
static bool settle_powers(struct gpu_metrics *m, double watts)
{
    if (!m->powers_unsure)
        return true;
    if (isnan(watts) || isnan(m->value[GPU_METRICS_SOCKET_WATTS]))
        return false;
    if (m->value[GPU_METRICS_SOCKET_WATTS] * 30 < watts)
        for (int i = GPU_METRICS_SOCKET_WATTS; i <= GPU_METRICS_NPU_WATTS; i++)
            m->value[i] *= 1000;
    return true;
}

static void tell_parts(struct state *s, struct gpu *g,
        const struct gpu_metrics *m, struct batch *out)
{
    for (size_t i = 0; i < LEN(parts); i++) {
        double watts = m->value[parts[i].value];

        if (isnan(watts))
            continue;
        if (!g->part[i])
            g->part[i] = subjects_add(s->subjects,
                    &(struct subject){ .kind = SUBJECT_ZONE,
                            .parent = g->package,
                            .name = parts[i].name,
                            .source = sampler_amdgpu.name });
        batch_add(out, METRIC_zone_power_watts, g->part[i], watts);
    }
}

static void tell_throttling(struct told *t, const struct gpu_metrics *m)
{
    if (!m->has_throttle)
        return;
    tell(t, METRIC_device_throttled_ratio, m->throttle != 0);
    tell(t, METRIC_device_throttled_power_ratio,
            (m->throttle & GPU_METRICS_THROTTLE_POWER) != 0);
    tell(t, METRIC_device_throttled_thermal_ratio,
            (m->throttle & GPU_METRICS_THROTTLE_THERMAL) != 0);
}

static void tell_powers(struct state *s, struct gpu *g, struct told *t,
        struct gpu_metrics *m)
{
    if (!g->package) {
        tell(t, METRIC_device_power_watts, m->value[GPU_METRICS_SOCKET_WATTS]);
    } else if (settle_powers(m, t->package_watts)) {
        tell_package(t, m->value[GPU_METRICS_SOCKET_WATTS]);
        tell(t, METRIC_device_power_watts, m->value[GPU_METRICS_GFX_WATTS]);
        tell_parts(s, g, m, t->out);
    }
}

static void tell_metrics(struct state *s, struct gpu *g, struct told *t)
{
    struct gpu_metrics m;

    if (!read_metrics(&m, g))
        return;
    tell_powers(s, g, t, &m);
    for (size_t i = 0; i < LEN(metrics_values); i++)
        tell(t, metrics_values[i].metric, m.value[metrics_values[i].value]);
    tell_throttling(t, &m);
}

/* What a card tells is known when it was awake for the first time. */
static void say_what_is_missing(const struct state *s, struct gpu *g,
        const struct told *t)
{
    static const enum metric_id expected[] = { METRIC_device_utilization_ratio,
        METRIC_device_memory_used_bytes, METRIC_device_power_watts,
        METRIC_device_temperature_celsius, METRIC_device_clock_hertz };

    if (g->looked)
        return;
    g->looked = true;
    for (size_t i = 0; i < LEN(expected); i++)
        if (isnan(t->value[expected[i]]))
            subjects_missing(s->subjects, expected[i], g->subject,
                    "the driver amdgpu does not tell it on this card");
    if (isnan(t->value[METRIC_device_energy_joules_total]))
        subjects_missing(s->subjects, METRIC_device_energy_joules_total,
                g->subject,
                "this card counts no energy in a known unit: it has to be "
                "summed up from the power");
}

static void read_gpu(struct state *s, struct gpu *g, struct batch *out)
{
    struct told t = { .gpu = g, .out = out, .package_watts = NAN };
    bool awake = device_is_awake(&g->place);

    batch_add(out, METRIC_device_asleep_ratio, g->subject, !awake);
    if (!awake)
        return;
    for (size_t i = 0; i < METRIC_IDS; i++)
        t.value[i] = NAN;
    tell_device(&t);
    tell_chip(&t);
    tell_metrics(s, g, &t);
    hwmon_read(&g->temperatures, out);
    say_what_is_missing(s, g, &t);
}

static void read_gpus(void *state, struct batch *out)
{
    struct state *s = state;

    for (size_t i = 0; i < s->count; i++)
        read_gpu(s, &s->gpu[i], out);
}

static void close_gpus(void *state)
{
    struct state *s = state;

    free(s->gpu);
}

/* The firmware computes its figures some ten times a second. */
const struct sampler sampler_amdgpu = {
    .name = "amdgpu",
    .about = "AMD GPU: use, memory, power, clocks",
    .state_size = sizeof(struct state),
    .default_hz = 10,
    .most_hz = 20,
    .open = open_gpus,
    .read = read_gpus,
    .close = close_gpus,
};
