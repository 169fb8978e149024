/* The recorded /sys of real machines, against what others read from them.
 * Skipped where the recordings are not at hand. */
#include "sample/device/device_samplers.h"

#include "driven.h"
#include "recorded.h"

#include <errno.h>

#define SECOND 1000000000ull
#define NPU    "npu/npu_ivpu/transcribed_nokyan_resources_622"

/* A machine whose /sys/class/drm is what LACT recorded of one. */
static struct driven *open_gpu(struct tree *t, const struct sampler *sampler,
        const char *archive, const char *inside)
{
    char target[64];

    *t = tree_open();
    recorded_unpack(t, archive, "lact");
    (void)snprintf(target, sizeof(target), "../../lact/%s", inside);
    tree_link(t, "sys/class/drm", target);

    struct driven *s = driven_open(sampler, t->root);

    CHECK_INT(s->rc, 0);
    driven_read(s, SECOND);
    return s;
}

static void close_gpu(struct tree *t, struct driven *s)
{
    driven_close(s);
    tree_close(t);
}

/* A number in what LACT read of the same machine: the value of the last key,
 * which is looked for behind the others, in "stats". */
static double expected(const char *archive, const char *const *keys)
{
    static char text[1 << 18];
    char path[256], quoted[64];
    double value = NAN;

    (void)snprintf(path, sizeof(path), RECORDED "/linux/%s.expected.json",
            archive);

    FILE *f = fopen(path, "rb");
    size_t len = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
    const char *at = text;

    CHECK(f != NULL && len < sizeof(text) - 1);
    if (f)
        CHECK(fclose(f) == 0);
    text[len] = 0;
    at = strstr(text, "\"stats\":");
    for (; at && *keys; keys++) {
        (void)snprintf(quoted, sizeof(quoted), "\"%s\":", *keys);
        at = strstr(at, quoted);
        at = at ? at + strlen(quoted) : NULL;
    }
    CHECK(at != NULL);
    if (at) {
        struct str number = str_of(at);

        number.len = strcspn(at, ",\n}");
        CHECK_INT(str_f64(&value, str_trim(number)), 0);
    }
    return value;
}

#define EXPECTED(archive, ...) \
    expected(archive, (const char *const[]){ __VA_ARGS__, NULL })

#define GPU(metric) driven_value(s, METRIC_device_##metric, "gpu0")
#define WATTS(zone) driven_value(s, METRIC_zone_power_watts, zone)
#define HEAT(zone)  driven_value(s, METRIC_zone_temperature_celsius, zone)

static void phoenix(void)
{
    static const char name[] = "gpu-amd-phoenix";
    struct tree t;
    struct driven *s = open_gpu(&t, &sampler_amdgpu, name, "phoenix");

    CHECK_REAL(GPU(utilization_ratio), EXPECTED(name, "busy_percent") / 100);
    CHECK_REAL(GPU(clock_hertz), EXPECTED(name, "gpu_clockspeed") * 1e6);
    /* What the driver calls the GPU's power is the whole processor's. */
    CHECK_REAL(WATTS("package-0"), EXPECTED(name, "power", "current"));
    CHECK_REAL(GPU(power_watts), EXPECTED(name, "power", "sensors", "gfx"));
    CHECK_INT(subjects_get(s->subjects, driven_subject(s, "gpu0"))->parent,
            driven_subject(s, "package-0"));
    CHECK_REAL(WATTS("soc"), EXPECTED(name, "power", "sensors", "soc"));
    CHECK_REAL(HEAT("edge"), EXPECTED(name, "edge", "current"));
    CHECK_REAL(GPU(memory_used_bytes), EXPECTED(name, "vram", "used"));
    CHECK_REAL(GPU(memory_total_bytes), EXPECTED(name, "vram", "total"));
    CHECK_REAL(GPU(asleep_ratio), 0);
    CHECK_ABSENT(GPU(energy_joules_total));
    CHECK(strstr(driven_missing(s, METRIC_device_energy_joules_total, "gpu0"),
            "summed up"));
    CHECK_ABSENT(WATTS("cpu")); /* all ones in the file */
    close_gpu(&t, s);
}

/* The NPU beside the GPU is told by the GPU's file, and not touched. */
static void strixpoint(void)
{
    static const char name[] = "gpu-amd-strixpoint";
    struct tree t;
    struct driven *s = open_gpu(&t, &sampler_amdgpu, name, "strixpoint");

    CHECK_REAL(GPU(utilization_ratio), EXPECTED(name, "busy_percent") / 100);
    CHECK_REAL(GPU(clock_hertz), EXPECTED(name, "gpu_clockspeed") * 1e6);
    /* What the driver calls the GPU's power is the whole processor's. */
    CHECK_REAL(WATTS("package-0"), EXPECTED(name, "power", "current"));
    CHECK_REAL(GPU(power_watts), EXPECTED(name, "power", "sensors", "gfx"));
    CHECK_INT(subjects_get(s->subjects, driven_subject(s, "gpu0"))->parent,
            driven_subject(s, "package-0"));
    CHECK_REAL(WATTS("cpu"), EXPECTED(name, "power", "sensors", "core"));
    CHECK_REAL(HEAT("edge"), EXPECTED(name, "edge", "current"));
    CHECK_REAL(GPU(memory_used_bytes), EXPECTED(name, "vram", "used"));
    driven_close(s);

    tree_put(&t, "sys/class/accel/accel0/device/uevent",
            "DRIVER=amdxdna\nPCI_ID=1022:17F0\nPCI_SLOT_NAME=0000:c2:00.1\n");
    tree_put(&t, "sys/class/accel/accel0/device/power/runtime_status",
            "suspended\n");
    s = driven_open(&sampler_amd_npu, t.root);
    CHECK_INT(s->rc, 0);
    driven_read(s, SECOND);
    CHECK_REAL(driven_value(s, METRIC_device_asleep_ratio, "npu0"), 1);
    CHECK_REAL(driven_value(s, METRIC_device_power_watts, "npu0"), 0);
    CHECK_REAL(driven_value(s, METRIC_device_utilization_ratio, "npu0"), 0);
    CHECK_REAL(driven_value(s, METRIC_device_clock_hertz, "npu0"), 12e6);
    close_gpu(&t, s);
}

static void radeon(const char *name, const char *inside)
{
    struct tree t;
    struct driven *s = open_gpu(&t, &sampler_amdgpu, name, inside);

    CHECK_REAL(GPU(utilization_ratio), EXPECTED(name, "busy_percent") / 100);
    CHECK_REAL(GPU(clock_hertz), EXPECTED(name, "gpu_clockspeed") * 1e6);
    CHECK_REAL(GPU(memory_clock_hertz),
            EXPECTED(name, "vram_clockspeed") * 1e6);
    CHECK_REAL(GPU(power_watts), EXPECTED(name, "power", "average"));
    CHECK_REAL(GPU(power_limit_watts), EXPECTED(name, "cap_current"));
    CHECK_REAL(HEAT("edge"), EXPECTED(name, "edge", "current"));
    CHECK_REAL(HEAT("junction"), EXPECTED(name, "junction", "current"));
    CHECK_REAL(HEAT("mem"), EXPECTED(name, "mem", "current"));
    close_gpu(&t, s);
}

static void b580(void)
{
    static const char name[] = "gpu-intel-b580";
    struct tree t;
    struct driven *s = open_gpu(&t, &sampler_intel_gpu, name, "b580");

    CHECK_REAL(GPU(clock_hertz), 0); /* asleep in C6, and the file says so */
    /* "card" is less than "pkg" here, so it does not include it. */
    CHECK_REAL(GPU(energy_joules_total), 19014.248107);
    CHECK_REAL(driven_value(s, METRIC_zone_energy_joules_total, "card"),
            11031.745544);
    CHECK_INT(subjects_get(s->subjects, driven_subject(s, "card"))->parent, 0);
    CHECK_REAL(GPU(throttled_ratio), 0);
    CHECK_REAL(HEAT("pkg"), EXPECTED(name, "pkg", "current"));
    CHECK_REAL(HEAT("vram"), EXPECTED(name, "vram", "current"));
    CHECK_REAL(HEAT("mctrl"), EXPECTED(name, "mctrl", "current"));
    CHECK_REAL(HEAT("vram_ch_11"), EXPECTED(name, "vram_ch_11", "current"));
    CHECK_ABSENT(GPU(awake_ratio)); /* a first reading is a baseline */
    tree_put(&t, "lact/b580/card1/device/tile0/gt0/gtidle/idle_residency_ms",
            "308857\n"); /* 250 ms more */
    driven_read(s, 2 * SECOND);
    CHECK_REAL(GPU(awake_ratio), 0.75);
    close_gpu(&t, s);
}

/* A card that sleeps is left alone, and nothing of it is told as 0. */
static void asleep(void)
{
    struct tree t;
    struct driven *s =
            open_gpu(&t, &sampler_amdgpu, "gpu-amd-phoenix", "phoenix");

    tree_put(&t, "lact/phoenix/card1/device/power/runtime_status",
            "suspended\n");
    driven_read(s, 2 * SECOND);
    CHECK_INT(s->batch.count, 1);
    CHECK_REAL(GPU(asleep_ratio), 1);
    close_gpu(&t, s);
}

static void intel_npu(void)
{
    struct tree t = tree_open();
    char root[128];

    recorded_unpack(&t, "npu-intel-ivpu", "npu");
    (void)snprintf(root, sizeof(root), "%s/" NPU, t.root);

    struct driven *s = driven_open(&sampler_intel_npu, root);

    CHECK_INT(s->rc, 0);
    driven_read(s, SECOND);
    CHECK_REAL(driven_value(s, METRIC_device_busy_seconds_total, "npu0"),
            0.979473);
    CHECK_REAL(driven_value(s, METRIC_device_memory_used_bytes, "npu0"),
            68714496);
    CHECK_REAL(driven_value(s, METRIC_device_clock_hertz, "npu0"), 0);
    CHECK_REAL(driven_value(s, METRIC_device_asleep_ratio, "npu0"), 1);
    CHECK_ABSENT(driven_value(s, METRIC_device_utilization_ratio, "npu0"));
    CHECK(strstr(driven_missing(s, METRIC_device_energy_joules_total, "npu0"),
            "telemetry"));
    tree_put(&t, NPU "/sys/bus/pci/devices/0000:00:0b.0/npu_busy_time_us",
            "1479473\n");
    driven_read(s, 3 * SECOND);
    CHECK_REAL(driven_value(s, METRIC_device_utilization_ratio, "npu0"), 0.25);
    driven_close(s);
    tree_close(&t);
}

/* Prometheus' fixtures: RAPL with a hexadecimal index, a temperature below
 * zero, links that lead nowhere, two GPUs. */
static void prometheus(void)
{
    struct tree t = tree_open();

    recorded_unpack(&t, "sys-powercap-thermal-drm", "x");

    char root[128];

    (void)snprintf(root, sizeof(root), "%s/x", t.root);

    struct driven *s = driven_open(&sampler_rapl_powercap, root);

    driven_read(s, SECOND);
    CHECK_INT(s->batch.count, 3);
    CHECK_REAL(driven_value(s, METRIC_zone_energy_joules_total, "package-0"),
            240422.366267);
    CHECK_REAL(
            driven_value(s, METRIC_zone_energy_joules_total, "package-0/core"),
            118821.284256);
    CHECK_REAL(driven_value(s, METRIC_zone_energy_joules_total, "package-10"),
            240422.366267);
    driven_close(s);

    s = driven_open(&sampler_thermal, root);
    driven_read(s, SECOND);
    CHECK_REAL(HEAT("bcm2835_thermal"), 49.925);
    CHECK_REAL(HEAT("acpitz"), -44);
    driven_close(s);

    s = driven_open(&sampler_battery, root);
    CHECK_INT(s->rc, -ENODEV); /* both supplies are links to nowhere */
    driven_close(s);

    s = driven_open(&sampler_amdgpu, root);
    driven_read(s, SECOND);
    CHECK_REAL(GPU(utilization_ratio), 0.04);
    CHECK_REAL(GPU(memory_used_bytes), 1490378752);
    CHECK_REAL(GPU(memory_total_bytes), 8573157376.0);
    CHECK_REAL(GPU(shared_memory_used_bytes), 144560128);
    CHECK_ABSENT(GPU(power_watts));
    CHECK(driven_missing(s, METRIC_device_power_watts, "gpu0")[0]);
    driven_close(s);

    s = driven_open(&sampler_intel_gpu, root);
    CHECK_INT(s->rc, 0);
    driven_read(s, SECOND);
    CHECK_ABSENT(GPU(clock_hertz));
    CHECK(strstr(driven_missing(s, METRIC_device_clock_hertz, "gpu0"), "i915"));
    driven_close(s);
    tree_close(&t);
}

int main(void)
{
    if (!recorded_there())
        return 77;
    phoenix();
    strixpoint();
    radeon("gpu-amd-rx6600", "rx6600");
    radeon("gpu-amd-rx7900xtx", "rx7900xtx");
    b580();
    asleep();
    intel_npu();
    prometheus();
    return test_result();
}
