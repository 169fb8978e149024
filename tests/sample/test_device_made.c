/* Devices that no recording has, made up: traps of drivers and firmware. */
#include "sample/device/device_samplers.h"

#include "driven.h"
#include "tree.h"

#define SECOND 1000000000ull
#define CARD   "sys/class/drm/card0/"
#define ACCEL  "sys/class/accel/accel0/device/"
#define PMT    "sys/class/intel_pmt/telem1/"

#define GPU(metric) driven_value(s, METRIC_device_##metric, "gpu0")
#define NPU(metric) driven_value(s, METRIC_device_##metric, "npu0")

static unsigned char bytes[4096];

static void put_number(size_t offset, unsigned len, uint64_t value)
{
    for (unsigned i = 0; i < len; i++)
        bytes[offset + i] = (unsigned char)(value >> 8 * i);
}

static void put_bytes(const struct tree *t, const char *name, size_t len)
{
    FILE *f = fopen(tree_path(t, name), "wb");

    CHECK(f != NULL);
    if (!f)
        return;
    CHECK(fwrite(bytes, 1, len, f) == len);
    CHECK(fclose(f) == 0);
}

/* gpu_metrics of that version, with nothing available yet. */
static void begin_metrics(unsigned format, unsigned content, size_t size)
{
    memset(bytes, 0xff, sizeof(bytes));
    put_number(0, 2, size);
    put_number(2, 1, format);
    put_number(3, 1, content);
}

static struct tree amd_card(void)
{
    struct tree t = tree_open();

    tree_put(&t, CARD "device/uevent",
            "DRIVER=amdgpu\nPCI_ID=1002:1636\nPCI_SLOT_NAME=0000:05:00.0\n");
    tree_put(&t, "sys/class/drm/card0-DP-1/device/uevent", "DRIVER=amdgpu\n");
    tree_put(&t, "sys/class/drm/version", "drm 1.1.0 20060810\n");
    return t;
}

/* 2.2 of Renoir: the same field is in milliwatts or in watts, by firmware. */
static void renoir(void)
{
    struct tree t = amd_card();

    begin_metrics(2, 2, 128);
    put_number(40, 2, 15); /* socket */
    put_number(42, 2, 9);  /* cpu */
    put_number(46, 2, 3);  /* gfx */
    put_bytes(&t, CARD "device/gpu_metrics", 128);

    struct driven *s = driven_open(&sampler_amdgpu, t.root);

    /* Nothing to compare with: nothing is told. */
    driven_read(s, SECOND);
    CHECK_ABSENT(GPU(power_watts));
    CHECK_ABSENT(driven_value(s, METRIC_zone_power_watts, "cpu"));
    driven_close(s);

    tree_put(&t, CARD "device/hwmon/hwmon3/name", "amdgpu\n");
    tree_put(&t, CARD "device/hwmon/hwmon3/power1_input", "15000000\n");
    s = driven_open(&sampler_amdgpu, t.root);
    driven_read(s, SECOND);
    CHECK_REAL(driven_value(s, METRIC_zone_power_watts, "package-0"), 15);
    CHECK_REAL(GPU(power_watts), 3);
    CHECK_REAL(driven_value(s, METRIC_zone_power_watts, "cpu"), 9);
    put_number(40, 2, 14500);
    put_number(42, 2, 8500);
    put_number(46, 2, 2500);
    put_bytes(&t, CARD "device/gpu_metrics", 128);
    driven_read(s, 2 * SECOND);
    CHECK_REAL(driven_value(s, METRIC_zone_power_watts, "cpu"), 8.5);
    CHECK_REAL(GPU(power_watts), 2.5);
    driven_close(s);
    tree_close(&t);
}

/* An Instinct counts energy in a unit that is known. */
static void instinct(void)
{
    struct tree t = amd_card();

    begin_metrics(1, 4, 288);
    put_number(4, 2, 61);
    put_number(10, 2, 305);
    put_number(12, 2, 98);
    put_number(24, 8, 65536ull * 777);
    put_bytes(&t, CARD "device/gpu_metrics", 288);

    struct driven *s = driven_open(&sampler_amdgpu, t.root);

    CHECK_INT(subjects_count(s->subjects), 2); /* plugs are no cards */
    driven_read(s, SECOND);
    CHECK_REAL(GPU(energy_joules_total), 777);
    CHECK_REAL(GPU(power_watts), 305);
    CHECK_REAL(GPU(utilization_ratio), 0.98);
    CHECK_REAL(GPU(temperature_celsius), 61); /* it has no edge */
    CHECK_TEXT(driven_missing(s, METRIC_device_energy_joules_total, "gpu0"),
            "");
    driven_close(s);
    tree_close(&t);
}

/* A damaged gpu_metrics takes nothing else with it. */
static void damaged(void)
{
    struct tree t = amd_card();

    tree_put(&t, CARD "device/gpu_metrics", "xx");
    tree_put(&t, CARD "device/gpu_busy_percent", "12\n");

    struct driven *s = driven_open(&sampler_amdgpu, t.root);

    driven_read(s, SECOND);
    CHECK_REAL(GPU(utilization_ratio), 0.12);
    CHECK_ABSENT(GPU(power_watts));
    CHECK(driven_missing(s, METRIC_device_power_watts, "gpu0")[0]);
    driven_close(s);
    tree_close(&t);
}

static void throttled(void)
{
    struct tree t = amd_card();

    begin_metrics(1, 3, 120);
    put_number(112, 8, 1ull << 36);
    put_bytes(&t, CARD "device/gpu_metrics", 120);

    struct driven *s = driven_open(&sampler_amdgpu, t.root);

    driven_read(s, SECOND);
    CHECK_REAL(GPU(throttled_ratio), 1);
    CHECK_REAL(GPU(throttled_thermal_ratio), 1);
    CHECK_REAL(GPU(throttled_power_ratio), 0);
    driven_close(s);
    tree_close(&t);
}

/* An integrated GPU with i915: clock and idle time, no sensor of energy. */
static void i915(void)
{
    struct tree t = tree_open();

    tree_put(&t, CARD "device/uevent",
            "DRIVER=i915\nPCI_ID=8086:9A49\nPCI_SLOT_NAME=0000:00:02.0\n");
    tree_put(&t, CARD "gt/gt0/rps_act_freq_mhz", "1150\n");
    tree_put(&t, CARD "gt/gt0/rc6_residency_ms", "5000\n");
    tree_put(&t, CARD "gt/gt0/throttle_reason_status", "1\n");
    tree_put(&t, CARD "gt/gt0/throttle_reason_pl1", "1\n");
    tree_put(&t, CARD "gt/gt0/throttle_reason_thermal", "0\n");

    struct driven *s = driven_open(&sampler_intel_gpu, t.root);

    driven_read(s, SECOND);
    CHECK_REAL(GPU(clock_hertz), 1150e6);
    CHECK_REAL(GPU(throttled_ratio), 1);
    CHECK_REAL(GPU(throttled_power_ratio), 1);
    CHECK_REAL(GPU(throttled_thermal_ratio), 0);
    CHECK(strstr(driven_missing(s, METRIC_device_energy_joules_total, "gpu0"),
            "uncore"));
    tree_put(&t, CARD "gt/gt0/rc6_residency_ms", "5900\n");
    driven_read(s, 2 * SECOND);
    CHECK_REAL(GPU(awake_ratio), 0.1);
    /* Idle for longer than time passed: the counters step apart. */
    tree_put(&t, CARD "gt/gt0/rc6_residency_ms", "6910\n");
    driven_read(s, 3 * SECOND);
    CHECK_REAL(GPU(awake_ratio), 0);
    driven_close(s);
    tree_close(&t);
}

static struct tree intel_npu(void)
{
    struct tree t = tree_open();

    tree_put(&t, ACCEL "uevent",
            "DRIVER=intel_vpu\nPCI_ID=8086:643E\nPCI_SLOT_NAME=0000:00:0b.0\n");
    tree_put(&t, ACCEL "power/runtime_status", "active\n");
    return t;
}

/* The firmware's own estimate of the energy, which wraps at 2^32 counts. */
static void npu_energy(void)
{
    struct tree t = intel_npu();

    tree_put(&t, "sys/class/intel_pmt/telem0/guid", "0x1\n");
    tree_put(&t, PMT "guid", "0x3072005\n");
    memset(bytes, 0x55, sizeof(bytes));
    put_number(0x5d0, 8, 0xffffc000u); /* 1 J before the wrap */
    put_bytes(&t, PMT "telem", 0x600);

    struct driven *s = driven_open(&sampler_intel_npu, t.root);

    driven_read(s, SECOND);
    CHECK_REAL(NPU(energy_joules_total), 262143);
    for (size_t i = 0; i < s->batch.count; i++)
        if (s->items[i].metric == METRIC_device_energy_joules_total)
            CHECK_INT(s->items[i].method, READING_MODELLED);
    put_number(0x5d0, 8, 16384 * 3);
    put_bytes(&t, PMT "telem", 0x600);
    driven_read(s, 2 * SECOND);
    CHECK_REAL(NPU(energy_joules_total), 262147);
    put_bytes(&t, PMT "telem", 0x100); /* shorter than it was */
    driven_read(s, 3 * SECOND);
    CHECK_ABSENT(NPU(energy_joules_total));
    driven_close(s);
    tree_close(&t);
}

/* An old kernel tells next to nothing, and that is said. */
static void npu_old(void)
{
    struct tree t = intel_npu();

    tree_put(&t, ACCEL "freq/current_freq", "1400\n");

    struct driven *s = driven_open(&sampler_intel_npu, t.root);

    driven_read(s, SECOND);
    CHECK_REAL(NPU(asleep_ratio), 0);
    CHECK_REAL(NPU(clock_hertz), 1400e6);
    CHECK_ABSENT(NPU(busy_seconds_total));
    CHECK(strstr(driven_missing(s, METRIC_device_busy_seconds_total, "npu0"),
            "6.11"));
    CHECK(strstr(driven_missing(s, METRIC_device_memory_used_bytes, "npu0"),
            "6.15"));
    driven_close(s);
    tree_close(&t);
}

/* AMD's first NPU: nobody tells its power, and it is not woken to be asked. */
static void xdna1(void)
{
    struct tree t = amd_card();

    tree_put(&t, ACCEL "uevent",
            "DRIVER=amdxdna\nPCI_ID=1022:1502\nPCI_SLOT_NAME=0000:c4:00.1\n");
    tree_put(&t, ACCEL "power/runtime_status", "resuming\n");

    struct driven *s = driven_open(&sampler_amd_npu, t.root);

    CHECK_INT(s->rc, 0);
    driven_read(s, SECOND);
    CHECK_INT(s->batch.count, 1);
    CHECK_REAL(NPU(asleep_ratio), 1);
    CHECK(strstr(driven_missing(s, METRIC_device_power_watts, "npu0"),
            "gpu_metrics 3.0"));
    driven_close(s);
    tree_close(&t);
}

int main(void)
{
    renoir();
    instinct();
    damaged();
    throttled();
    i915();
    npu_energy();
    npu_old();
    xdna1();
    return test_result();
}
