/* intel_gpu_linux.c -- Intel GPUs by the files of i915 and xe.  See
 * Documentation/ABI/testing/sysfs-driver-intel-{i915,xe}-hwmon and
 * sysfs-driver-intel-xe-gt... of the kernel.
 *
 * The driver adds its 32-bit energy register up only when the file is read: a
 * card of 150 W has to be read twice an hour. */
#include "sample/device/device_samplers.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/counter.h"
#include "os/path.h"
#include "sample/device/device_place.h"
#include "sample/device/device_subject.h"
#include "sample/power/hwmon.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where xe, i915 and older ones keep what, below the node of the card; the
 * first that is there is taken. */
static const char *const clock_files[] = { "device/tile0/gt0/freq0/act_freq",
    "gt/gt0/rps_act_freq_mhz", "gt_act_freq_mhz" };
static const char *const idle_files[] = {
    "device/tile0/gt0/gtidle/idle_residency_ms", "gt/gt0/rc6_residency_ms",
    "power/rc6_residency_ms"
};

static const struct {
    const char *file;
    enum metric_id metric;
} throttle_files[] = {
    { "device/tile0/gt0/freq0/throttle/status", METRIC_device_throttled_ratio },
    { "device/tile0/gt0/freq0/throttle/reason_pl1",
            METRIC_device_throttled_power_ratio },
    { "device/tile0/gt0/freq0/throttle/reason_thermal",
            METRIC_device_throttled_thermal_ratio },
    { "gt/gt0/throttle_reason_status", METRIC_device_throttled_ratio },
    { "gt/gt0/throttle_reason_pl1", METRIC_device_throttled_power_ratio },
    { "gt/gt0/throttle_reason_thermal", METRIC_device_throttled_thermal_ratio },
};

struct gpu {
    struct device_place place;
    uint32_t subject;
    const char *clock, *idle; /* NULL: none */
    struct counter idle_ms;
    char chip[224];
    char energy[32];      /* the chip's file for the whole device; "": none */
    char card_energy[32]; /* and of the card, which is not told to include it */
    uint32_t card;
    struct odometer energy_uj, card_uj;
    struct hwmon temperatures;
};

struct state {
    struct gpu *gpu;
    size_t count;
};

/* --- finding -------------------------------------------------------------- */

static const char *first_there(const struct gpu *g, const char *const *files,
        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (path_readable("%s/%s", g->place.node, files[i]) == 0)
            return files[i];
    return NULL;
}

/* energy1, "card", was seen to be less than energy2, "pkg", and 0: so the
 * device's energy is that of its package, and only where there is no such,
 * what there is. */
static void find_energies(struct gpu *g, const struct sample_context *c)
{
    for (int i = 1; i <= 2; i++) {
        char file[32], label[32];

        (void)snprintf(file, sizeof(file), "energy%d_input", i);
        if (path_readable("%s/%s", g->chip, file))
            continue;
        (void)sysfs_line(label, sizeof(label), "%s/energy%d_label", g->chip, i);
        memcpy(strcmp(label, "card") == 0 ? g->card_energy : g->energy, file,
                sizeof(file));
    }
    if (!g->energy[0]) {
        memcpy(g->energy, g->card_energy, sizeof(g->energy));
        g->card_energy[0] = 0;
    }
    if (g->card_energy[0])
        g->card = subjects_add(c->subjects,
                &(struct subject){ .kind = SUBJECT_ZONE,
                        .name = "card",
                        .detail = g->place.pci,
                        .source = sampler_intel_gpu.name });
}

static void say_what_is_missing(const struct gpu *g, struct subjects *s)
{
    subjects_missing(s, METRIC_device_utilization_ratio, g->subject,
            "the driver %s tells it for each process only; it is no more than "
            "device_awake_ratio",
            g->place.driver);
    subjects_missing(s, METRIC_device_memory_used_bytes, g->subject,
            "the driver %s tells it for each process only", g->place.driver);
    subjects_missing(s, METRIC_device_power_watts, g->subject,
            "Intel GPUs count energy and tell no power");
    if (!g->energy[0])
        subjects_missing(s, METRIC_device_energy_joules_total, g->subject,
                "this GPU has no sensor of its own: see the zone uncore");
    if (!g->clock)
        subjects_missing(s, METRIC_device_clock_hertz, g->subject,
                "the driver %s does not tell it here", g->place.driver);
}

static void open_gpu(struct gpu *g, const struct sample_context *c)
{
    /* Where the processor has its GPU. */
    if (str_starts(str_of(g->place.pci), "0000:00:02."))
        g->place.package = device_subject_package(c->subjects);
    g->subject = device_add(c->subjects, "gpu", sampler_intel_gpu.name, c->root,
            &g->place);
    g->clock = first_there(g, clock_files, LEN(clock_files));
    g->idle = first_there(g, idle_files, LEN(idle_files));
    if (device_hwmon(g->chip, sizeof(g->chip), &g->place) == 0) {
        find_energies(g, c);
        hwmon_open(&g->temperatures, c->subjects, g->chip,
                &(struct subject){ .kind = SUBJECT_ZONE,
                        .parent = g->subject,
                        .name = "",
                        .source = sampler_intel_gpu.name },
                HWMON_TEMPERATURES);
    }
    say_what_is_missing(g, c->subjects);
}

static int open_gpus(void *state, const struct sample_context *c,
        struct error *e)
{
    static const char *const drivers[] = { "xe", "i915", NULL };
    struct device_place place[DEVICE_PLACES];
    struct state *s = state;

    s->count = device_places(place, c->root, "drm", "card", drivers);
    if (!s->count)
        return fail(e, -ENODEV,
                "there is no Intel GPU with the driver xe or i915");
    s->gpu = alloc_zero(s->count, sizeof(*s->gpu));
    for (size_t i = 0; i < s->count; i++) {
        s->gpu[i].place = place[i];
        open_gpu(&s->gpu[i], c);
    }
    return 0;
}

/* --- reading -------------------------------------------------------------- */

static void read_energy(const struct gpu *g, const char *file,
        struct odometer *o, enum metric_id metric, uint32_t subject,
        struct batch *out)
{
    uint64_t uj;

    if (file[0] && sysfs_u64(&uj, "%s/%s", g->chip, file) == 0)
        batch_add(out, metric, subject, (double)odometer_total(o, uj) / 1e6);
}

static void read_gpu(struct gpu *g, struct batch *out)
{
    bool awake = device_is_awake(&g->place);
    double value, idle_ms_per_s;
    uint64_t ms;

    batch_add(out, METRIC_device_asleep_ratio, g->subject, !awake);
    if (!awake)
        return;
    if (g->clock &&
            sysfs_scaled(&value, 1e6, "%s/%s", g->place.node, g->clock) == 0)
        batch_add(out, METRIC_device_clock_hertz, g->subject, value);
    if (g->idle && sysfs_u64(&ms, "%s/%s", g->place.node, g->idle) == 0 &&
            counter_rate(&g->idle_ms, ms, out->time_ns, &idle_ms_per_s))
        batch_add(out, METRIC_device_awake_ratio, g->subject,
                fmax(0, 1 - idle_ms_per_s / 1e3));
    for (size_t i = 0; i < LEN(throttle_files); i++)
        if (sysfs_scaled(&value, 1, "%s/%s", g->place.node,
                    throttle_files[i].file) == 0)
            batch_add(out, throttle_files[i].metric, g->subject, value != 0);
    read_energy(g, g->energy, &g->energy_uj, METRIC_device_energy_joules_total,
            g->subject, out);
    read_energy(g, g->card_energy, &g->card_uj, METRIC_zone_energy_joules_total,
            g->card, out);
    hwmon_read(&g->temperatures, out);
}

static void read_gpus(void *state, struct batch *out)
{
    struct state *s = state;

    for (size_t i = 0; i < s->count; i++)
        read_gpu(&s->gpu[i], out);
}

static void close_gpus(void *state)
{
    struct state *s = state;

    free(s->gpu);
}

const struct sampler sampler_intel_gpu = {
    .name = "intel-gpu",
    .about = "Intel GPU: use, energy, clocks",
    .state_size = sizeof(struct state),
    .default_hz = 10,
    .most_hz = 100,
    .open = open_gpus,
    .read = read_gpus,
    .close = close_gpus,
};
