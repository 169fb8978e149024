/* npu_intel_linux.c -- Intel's NPU by the files of intel_vpu, none of which
 * wakes it, and its energy by Intel's telemetry.  See
 * Documentation/ABI/testing/sysfs-driver-intel_vpu (ivpu_sysfs.c) and
 * Intel's PMT descriptions. */
#include "sample/device/device_samplers.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/counter.h"
#include "os/path.h"
#include "sample/device/device_place.h"
#include "sample/device/device_subject.h"
#include "sample/power/pmt.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct npu {
    struct device_place place;
    uint32_t subject;
    struct counter busy_us;
};

struct state {
    struct npu *npu;
    size_t count;
    struct pmt pmt; /* of the first; no machine has two */
};

static void say_what_is_missing(const struct npu *n, struct subjects *s)
{
    if (path_readable("%s/npu_busy_time_us", n->place.device)) {
        subjects_missing(s, METRIC_device_busy_seconds_total, n->subject,
                "the driver intel_vpu tells it since Linux 6.11");
        subjects_missing(s, METRIC_device_utilization_ratio, n->subject,
                "the driver intel_vpu tells it since Linux 6.11");
    }
    if (path_readable("%s/npu_memory_utilization", n->place.device))
        subjects_missing(s, METRIC_device_memory_used_bytes, n->subject,
                "the driver intel_vpu tells it since Linux 6.15");
    subjects_missing(s, METRIC_device_power_watts, n->subject,
            "Intel NPUs tell no power, only energy, and that to root");
}

static int open_npus(void *state, const struct sample_context *c,
        struct error *e)
{
    static const char *const drivers[] = { "intel_vpu", NULL };
    struct device_place place[DEVICE_PLACES];
    struct state *s = state;
    struct error why = { 0 };

    s->count = device_places(place, c->root, "accel", "accel", drivers);
    if (!s->count)
        return fail(e, -ENODEV,
                "there is no Intel NPU with the driver intel_vpu");
    s->npu = alloc_zero(s->count, sizeof(*s->npu));
    for (size_t i = 0; i < s->count; i++) {
        place[i].package = device_subject_package(c->subjects);
        s->npu[i].place = place[i];
        s->npu[i].subject = device_add(c->subjects, "npu",
                sampler_intel_npu.name, c->root, &place[i]);
        say_what_is_missing(&s->npu[i], c->subjects);
    }
    if (pmt_open(&s->pmt, c->root, &why))
        subjects_missing(c->subjects, METRIC_device_energy_joules_total,
                s->npu[0].subject, "%s", why.text);
    return 0;
}

static void read_npu(struct npu *n, struct batch *out)
{
    const char *folder = n->place.device;
    double value, us_per_s;
    uint64_t us;

    batch_add(out, METRIC_device_asleep_ratio, n->subject,
            !device_is_awake(&n->place));
    if (sysfs_u64(&us, "%s/npu_busy_time_us", folder) == 0) {
        batch_add(out, METRIC_device_busy_seconds_total, n->subject,
                (double)us / 1e6);
        if (counter_rate(&n->busy_us, us, out->time_ns, &us_per_s))
            batch_add(out, METRIC_device_utilization_ratio, n->subject,
                    us_per_s / 1e6);
    }
    if (sysfs_scaled(&value, 1, "%s/npu_memory_utilization", folder) == 0)
        batch_add(out, METRIC_device_memory_used_bytes, n->subject, value);
    if (sysfs_scaled(&value, 1e6, "%s/npu_current_frequency_mhz", folder) ==
                    0 ||
            sysfs_scaled(&value, 1e6, "%s/freq/current_freq", folder) == 0)
        batch_add(out, METRIC_device_clock_hertz, n->subject, value);
}

static void read_npus(void *state, struct batch *out)
{
    struct state *s = state;
    double joules;

    for (size_t i = 0; i < s->count; i++)
        read_npu(&s->npu[i], out);
    /* The firmware computes it from how busy the NPU is. */
    if (pmt_read(&s->pmt, &joules))
        batch_add_modelled(out, METRIC_device_energy_joules_total,
                s->npu[0].subject, joules);
}

static void close_npus(void *state)
{
    struct state *s = state;

    pmt_close(&s->pmt);
    free(s->npu);
}

/* The busy time takes the lock under which work is handed in: Intel asks for
 * once a second. */
const struct sampler sampler_intel_npu = {
    .name = "intel-npu",
    .about = "Intel NPU: busy time, memory, clock",
    .state_size = sizeof(struct state),
    .default_hz = 1,
    .most_hz = 10,
    .open = open_npus,
    .read = read_npus,
    .close = close_npus,
};
