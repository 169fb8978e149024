/* npu_amd_linux.c -- AMD's NPU (driver amdxdna), by what the GPU beside it
 * tells: gpu_metrics 3.0 has the NPU's power, use, clock and traffic.
 *
 * Asking the NPU's own driver would wake it, and polling would keep it awake;
 * the GPU's file does neither. */
#include "sample/device/device_samplers.h"

#include "base/compiler.h"
#include "os/file.h"
#include "sample/device/device_place.h"
#include "sample/device/device_subject.h"
#include "sample/device/gpu_metrics.h"

#include <errno.h>
#include <math.h>

struct state {
    struct device_place place;
    struct device_place gpu; /* that tells of it; its device is "": none */
    uint32_t subject;
};

static const struct {
    enum gpu_metrics_value value;
    enum metric_id metric;
} values[] = {
    { GPU_METRICS_NPU_RATIO, METRIC_device_utilization_ratio },
    { GPU_METRICS_NPU_WATTS, METRIC_device_power_watts },
    { GPU_METRICS_NPU_HERTZ, METRIC_device_clock_hertz },
    { GPU_METRICS_NPU_READ_BYTES_PER_S,
            METRIC_device_memory_read_bytes_per_second },
    { GPU_METRICS_NPU_WRITTEN_BYTES_PER_S,
            METRIC_device_memory_written_bytes_per_second },
};

static bool read_metrics(struct gpu_metrics *out, const struct device_place *p)
{
    char bytes[4097];
    int len = device_is_awake(p) ? file_read(bytes, sizeof(bytes),
                                           "%s/gpu_metrics", p->device)
                                 : -EAGAIN;

    return len >= 0 &&
           gpu_metrics_parse(out, (struct str){ bytes, (size_t)len }) == 0;
}

static void find_gpu(struct state *s, const struct sample_context *c)
{
    static const char *const drivers[] = { "amdgpu", NULL };
    struct device_place place[DEVICE_PLACES];
    size_t count = device_places(place, c->root, "drm", "card", drivers);
    struct gpu_metrics m;

    for (size_t i = 0; i < count; i++)
        if (read_metrics(&m, &place[i]) && m.format == 3)
            s->gpu = place[i];
    for (size_t i = 0; !s->gpu.device[0] && i < LEN(values); i++)
        subjects_missing(c->subjects, values[i].metric, s->subject,
                "only the GPU of newer processors tells it (gpu_metrics 3.0), "
                "and asking the NPU itself would keep it awake");
}

static int open_npu(void *state, const struct sample_context *c,
        struct error *e)
{
    static const char *const drivers[] = { "amdxdna", "amdxdna_accel_driver",
        NULL };
    struct device_place place[DEVICE_PLACES];
    struct state *s = state;

    if (!device_places(place, c->root, "accel", "accel", drivers))
        return fail(e, -ENODEV, "there is no AMD NPU with the driver amdxdna");
    place[0].package = device_subject_package(c->subjects);
    s->place = place[0];
    s->subject = device_add(c->subjects, "npu", sampler_amd_npu.name, c->root,
            &place[0]);
    find_gpu(s, c);
    subjects_missing(c->subjects, METRIC_device_energy_joules_total, s->subject,
            "AMD's NPU counts no energy: it has to be summed up from the "
            "power");
    return 0;
}

static void read_npu(void *state, struct batch *out)
{
    struct state *s = state;
    struct gpu_metrics m;

    batch_add(out, METRIC_device_asleep_ratio, s->subject,
            !device_is_awake(&s->place));
    if (!s->gpu.device[0] || !read_metrics(&m, &s->gpu))
        return;
    for (size_t i = 0; i < LEN(values); i++)
        if (!isnan(m.value[values[i].value]))
            batch_add(out, values[i].metric, s->subject,
                    m.value[values[i].value]);
}

static void close_npu(void *state)
{
    (void)state;
}

/* The firmware smooths these over a second. */
const struct sampler sampler_amd_npu = {
    .name = "amd-npu",
    .about = "AMD NPU: use, power, clock",
    .state_size = sizeof(struct state),
    .default_hz = 2,
    .most_hz = 10,
    .open = open_npu,
    .read = read_npu,
    .close = close_npu,
};
