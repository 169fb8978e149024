/* RAPL, thermal zones, chips and batteries of machines that are made up. */
#include "sample/device/device_samplers.h"

#include "driven.h"
#include "tree.h"

#include <errno.h>

#define RAPL    "sys/class/powercap/"
#define HWMON   "sys/class/hwmon/"
#define SUPPLY  "sys/class/power_supply/"
#define POWER   "sys/bus/event_source/devices/power/"
#define SECOND  1000000000ull
#define ENERGY  METRIC_zone_energy_joules_total
#define CELSIUS METRIC_zone_temperature_celsius

static void put_zone(const struct tree *t, const char *id, const char *name,
        const char *uj)
{
    char path[128];

    (void)snprintf(path, sizeof(path), RAPL "%s/name", id);
    tree_put(t, path, name);
    (void)snprintf(path, sizeof(path), RAPL "%s/energy_uj", id);
    tree_put(t, path, uj);
    (void)snprintf(path, sizeof(path), RAPL "%s/max_energy_range_uj", id);
    tree_put(t, path, "262143328850\n");
}

static uint32_t parent(const struct driven *s, const char *name)
{
    return subjects_get(s->subjects, driven_subject(s, name))->parent;
}

static void rapl(void)
{
    struct tree t = tree_open();

    put_zone(&t, "intel-rapl:0", "package-0\n", "262143328849\n");
    put_zone(&t, "intel-rapl:0:0", "core\n", "1000001\n");
    put_zone(&t, "intel-rapl:0:1", "dram\n", "2000000\n");
    put_zone(&t, "intel-rapl:1", "psys\n", "9000000\n");
    put_zone(&t, "intel-rapl-mmio:0", "package-0\n", "5\n");
    put_zone(&t, "intel-rapl-mmio:1", "package-7\n", "7000000\n");
    tree_put(&t, RAPL "intel-rapl/enabled", "1\n");
    tree_put(&t, RAPL "dtpm/name", "package-9\n");

    struct driven *s = driven_open(&sampler_rapl_powercap, t.root);

    CHECK_INT(s->rc, 0);
    CHECK_INT(subjects_count(s->subjects), 6);
    driven_read(s, SECOND);
    CHECK_REAL(driven_value(s, ENERGY, "package-0"), 262143.328849);
    CHECK_REAL(driven_value(s, ENERGY, "package-0/core"), 1.000001);
    CHECK_REAL(driven_value(s, ENERGY, "package-0/dram"), 2);
    CHECK_REAL(driven_value(s, ENERGY, "psys"), 9);
    /* The same package again is left out, another one is not. */
    CHECK_REAL(driven_value(s, ENERGY, "package-7"), 7);
    /* Who includes whom: memory is counted beside its package. */
    CHECK_INT(parent(s, "psys"), 0);
    CHECK_INT(parent(s, "package-0"), driven_subject(s, "psys"));
    CHECK_INT(parent(s, "package-0/core"), driven_subject(s, "package-0"));
    CHECK_INT(parent(s, "package-0/dram"), driven_subject(s, "psys"));

    /* It wraps: 1 uJ to the end, and 11 more. */
    put_zone(&t, "intel-rapl:0", "package-0\n", "11\n");
    driven_read(s, 2 * SECOND);
    CHECK_REAL(driven_value(s, ENERGY, "package-0"), 262143.328861);

    /* Unreadable for once is absent, not 0, and nothing is lost. */
    tree_put(&t, RAPL "intel-rapl:0/energy_uj", "nonsense\n");
    driven_read(s, 3 * SECOND);
    CHECK_ABSENT(driven_value(s, ENERGY, "package-0"));
    driven_close(s);
    tree_close(&t);
}

/* AMD's core zone is one core's counter. */
static void rapl_amd(void)
{
    struct tree t = tree_open();

    tree_put(&t, "proc/cpuinfo",
            "processor : 0\nvendor_id : AuthenticAMD\nmodel name : X\n");
    put_zone(&t, "intel-rapl:0", "package-0\n", "5\n");
    put_zone(&t, "intel-rapl:0:0", "core\n", "3\n");

    struct driven *s = driven_open(&sampler_rapl_powercap, t.root);

    driven_read(s, SECOND);
    CHECK_REAL(driven_value(s, ENERGY, "package-0"), 5e-6);
    CHECK_ABSENT(driven_value(s, ENERGY, "package-0/core"));
    CHECK(strstr(driven_missing(s, ENERGY, "package-0/core"), "one core"));
    driven_close(s);
    tree_close(&t);
}

/* For root only since 5.10: said so, with what to do. */
static void rapl_refused(void)
{
    struct tree t = tree_open();
    bool root = geteuid() == 0;

    put_zone(&t, "intel-rapl:0", "package-0\n", "5\n");
    CHECK(chmod(tree_path(&t, RAPL "intel-rapl:0/energy_uj"), 0) == 0);
    CHECK(chmod(t.root, 0755) == 0);
    CHECK(!root || seteuid(65534) == 0);

    struct driven *s = driven_open(&sampler_rapl_powercap, t.root);

    CHECK(!root || seteuid(0) == 0);
    CHECK_INT(s->rc, -EACCES);
    CHECK_TEXT(s->error.text, "since Linux 5.10 energy_uj is for root only");
    CHECK(strstr(s->error.remedy, "sudo chmod a+r "));
    driven_close(s);
    tree_close(&t);
}

/* Real counters of the kernel stand in: the CPU clock, in nanoseconds. */
static void rapl_perf(void)
{
    struct tree t = tree_open();

    tree_put(&t, POWER "type", "1\n");
    tree_put(&t, POWER "cpumask", "0\n");
    tree_put(&t, POWER "events/energy-pkg", "event=0x00\n");
    tree_put(&t, POWER "events/energy-pkg.scale", "1e-9\n");
    tree_put(&t, POWER "events/energy-cores", "event=0x00\n");
    tree_put(&t, POWER "events/energy-cores.scale", "2e-9\n");
    tree_put(&t, "sys/devices/system/cpu/cpu0/topology/physical_package_id",
            "3\n");
    tree_put(&t, "proc/sys/kernel/perf_event_paranoid", "2\n");

    struct driven *s = driven_open(&sampler_rapl_perf, t.root);

    if (s->rc == -EACCES) {
        CHECK_TEXT(s->error.text, "kernel.perf_event_paranoid is 2: sudo "
                                  "sysctl kernel.perf_event_paranoid=0");
    } else {
        CHECK_INT(s->rc, 0);
        driven_read(s, SECOND);

        double first = driven_value(s, ENERGY, "package-3");

        CHECK(first > 0 && first < 10);
        CHECK(driven_value(s, ENERGY, "package-3/core") > 0);
        CHECK_INT(parent(s, "package-3/core"), driven_subject(s, "package-3"));
        driven_read(s, 2 * SECOND);
        CHECK(driven_value(s, ENERGY, "package-3") > first);
    }
    driven_close(s);
    tree_close(&t);
}

static void thermal(void)
{
    struct tree t = tree_open();

    tree_put(&t, "sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
    tree_put(&t, "sys/class/thermal/thermal_zone0/temp", "61500\n");
    tree_put(&t, "sys/class/thermal/thermal_zone1/type", "acpitz\n");
    tree_put(&t, "sys/class/thermal/thermal_zone1/temp", "-44000\n");
    tree_put(&t, "sys/class/thermal/cooling_device0/type", "Fan\n");
    tree_link(&t, "sys/class/thermal/thermal_zone2", "../../nowhere");

    struct driven *s = driven_open(&sampler_thermal, t.root);

    CHECK_INT(s->rc, 0);
    driven_read(s, SECOND);
    CHECK_INT(s->batch.count, 2);
    CHECK_REAL(driven_value(s, CELSIUS, "x86_pkg_temp"), 61.5);
    CHECK_REAL(driven_value(s, CELSIUS, "acpitz"), -44);
    driven_close(s);
    tree_close(&t);
}

static void hwmon(void)
{
    struct tree t = tree_open();

    tree_put(&t, HWMON "hwmon0/name", "coretemp\n");
    tree_put(&t, HWMON "hwmon0/temp1_input", "52000\n");
    tree_put(&t, HWMON "hwmon0/temp1_label", "Package id 0\n");
    tree_put(&t, HWMON "hwmon0/temp1_crit", "100000\n");
    tree_put(&t, HWMON "hwmon0/temp2_input", "-1500\n");
    tree_put(&t, HWMON "hwmon1/name", "ina226\n");
    tree_put(&t, HWMON "hwmon1/power1_input", "7250000\n");
    tree_put(&t, HWMON "hwmon1/power1_average", "6000000\n");
    tree_put(&t, HWMON "hwmon1/power2_average", "1500000\n");
    tree_put(&t, HWMON "hwmon1/energy1_input", "123456789\n");
    tree_put(&t, HWMON "hwmon2/name", "amdgpu\n"); /* might be asleep */
    tree_put(&t, HWMON "hwmon2/temp1_input", "33000\n");
    tree_link(&t, HWMON "hwmon3", "../../devices/gone");

    struct driven *s = driven_open(&sampler_hwmon, t.root);

    CHECK_INT(s->rc, 0);
    driven_read(s, SECOND);
    CHECK_INT(s->batch.count, 5);
    CHECK_REAL(driven_value(s, CELSIUS, "coretemp/Package id 0"), 52);
    CHECK_REAL(driven_value(s, CELSIUS, "coretemp/temp2"), -1.5);
    CHECK_REAL(driven_value(s, METRIC_zone_power_watts, "ina226/power1"), 7.25);
    CHECK_REAL(driven_value(s, METRIC_zone_power_watts, "ina226/power2"), 1.5);
    CHECK_REAL(driven_value(s, ENERGY, "ina226/energy1"), 123.456789);
    driven_close(s);
    tree_close(&t);
}

static void battery(void)
{
    struct tree t = tree_open();

    tree_put(&t, SUPPLY "AC/type", "Mains\n");
    tree_put(&t, SUPPLY "mouse/type", "Battery\n");
    tree_put(&t, SUPPLY "mouse/scope", "Device\n");
    tree_put(&t, SUPPLY "BAT0/type", "Battery\n");
    tree_put(&t, SUPPLY "BAT0/status", "Discharging\n");
    tree_put(&t, SUPPLY "BAT0/current_now", "-1500000\n");
    tree_put(&t, SUPPLY "BAT0/voltage_now", "12000000\n");
    tree_put(&t, SUPPLY "BAT0/charge_now", "2000000\n");
    tree_put(&t, SUPPLY "BAT0/capacity", "48\n");

    struct driven *s = driven_open(&sampler_battery, t.root);

    CHECK_INT(s->rc, 0);
    CHECK_INT(subjects_count(s->subjects), 2);
    driven_read(s, SECOND);
    CHECK_REAL(driven_value(s, METRIC_battery_power_watts, "BAT0"), 18);
    CHECK_REAL(driven_value(s, METRIC_battery_charge_ratio, "BAT0"), 0.48);
    CHECK_REAL(driven_value(s, METRIC_battery_remaining_joules, "BAT0"),
            24 * 3600.0);

    tree_put(&t, SUPPLY "BAT0/power_now", "9500000\n");
    driven_read(s, 2 * SECOND);
    CHECK_REAL(driven_value(s, METRIC_battery_power_watts, "BAT0"), 9.5);

    /* Plugged in, it is not what the machine draws. */
    tree_put(&t, SUPPLY "BAT0/status", "Charging\n");
    driven_read(s, 3 * SECOND);
    CHECK_ABSENT(driven_value(s, METRIC_battery_power_watts, "BAT0"));
    driven_close(s);
    tree_close(&t);
}

/* Some virtual machines of Intel's have the folder, and no events in it. */
static void rapl_perf_empty(void)
{
    struct tree t = tree_open();

    tree_put(&t, POWER "type", "23\n");
    tree_put(&t, POWER "cpumask", "0\n");

    struct driven *s = driven_open(&sampler_rapl_perf, t.root);

    CHECK_INT(s->rc, -ENODEV);
    CHECK_TEXT(s->error.text, "the kernel has no power events");
    driven_close(s);
    tree_close(&t);
}

/* A machine without anything says why. */
static void nothing(void)
{
    static const struct {
        const struct sampler *sampler;
        const char *reason;
    } all[] = {
        { &sampler_rapl_powercap, "there are no zones in /sys/class/powercap" },
        { &sampler_rapl_perf, "the kernel has no power events" },
        { &sampler_thermal, "/sys/class/thermal has no zone" },
        { &sampler_hwmon, "/sys/class/hwmon has no chip" },
        { &sampler_battery, "the machine has no battery" },
        { &sampler_amdgpu, "there is no AMD GPU with the driver amdgpu" },
        { &sampler_intel_gpu,
                "there is no Intel GPU with the driver xe or i915" },
        { &sampler_intel_npu,
                "there is no Intel NPU with the driver intel_vpu" },
        { &sampler_amd_npu, "there is no AMD NPU with the driver amdxdna" },
    };
    struct tree t = tree_open();

    for (size_t i = 0; i < LEN(all); i++) {
        struct driven *s = driven_open(all[i].sampler, t.root);

        CHECK_INT(s->rc, -ENODEV);
        CHECK_TEXT(s->error.text, all[i].reason);
        CHECK_INT(subjects_count(s->subjects), 1);
        driven_close(s);
    }
    tree_close(&t);
}

int main(void)
{
    rapl();
    rapl_amd();
    rapl_refused();
    rapl_perf();
    rapl_perf_empty();
    thermal();
    hwmon();
    battery();
    nothing();
    return test_result();
}
