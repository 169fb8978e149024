#include "sample/source.h"

#include "base/compiler.h"
#include "os/host.h"
#include "tree.h"

#include <errno.h>

#define POWER   "sys/bus/event_source/devices/power/"
#define CPUFREQ "sys/devices/system/cpu/cpu0/cpufreq/"
#define NPU     "sys/bus/pci/devices/0000:00:0b.0/"

static struct source sources[SOURCES_MAX];
static size_t source_count;

static void probe(const struct tree *t,
        int (*open_event)(const struct source_event *))
{
    static struct host_info host;
    struct source_context context = {
        .root = t->root,
        .hook = "/usr/lib/libortmeter.so",
        .host = &host,
        .open_event = open_event,
    };

    host_read(&host, t->root);
    source_count = source_probe(sources, &context);
}

static const struct source *find(const char *name)
{
    static const struct source none;

    for (size_t i = 0; i < source_count; i++)
        if (strcmp(sources[i].name, name) == 0)
            return &sources[i];
    CHECK(name == NULL); /* there is no such source */
    return &none;
}

/* Compares a source's state, and looks for a text in what it says. */
static void check(const char *name, enum source_state state, const char *said)
{
    const struct source *s = find(name);
    const char *text = state == SOURCE_AVAILABLE ? s->detail : s->reason;

    CHECK_INT(s->state, state);
    CHECK(strstr(text, said));
    if (s->state != state || !strstr(text, said))
        (void)fprintf(stderr, "%s: %s%s\n", name, s->detail, s->reason);
}

static int all_good(const struct source_event *event)
{
    (void)event;
    return 0;
}

static int no_perf(const struct source_event *event)
{
    (void)event;
    return -ENOSYS;
}

/* A virtual machine: software events, no hardware ones. */
static int no_hardware(const struct source_event *event)
{
    return event->type == 0 ? -ENOENT : 0;
}

static int forbidden(const struct source_event *event)
{
    (void)event;
    return -EACCES;
}

/* Energy is event 18 of PMU 23, on CPU 4; nothing else is asked for. */
static int energy_only(const struct source_event *event)
{
    bool energy = event->type == 23 && event->config == 18 && event->cpu == 4;

    return energy ? 0 : -EPERM;
}

static void check_bare(void)
{
    struct tree t = tree_open();

    probe(&t, no_perf);
    CHECK(source_count > 10);
    for (size_t i = 0; i < source_count; i++) {
        const struct source *s = &sources[i];
        bool there = s->state == SOURCE_AVAILABLE;

        CHECK(s->name[0] && s->gives[0]);
        CHECK(there == (s->detail[0] != 0));
        CHECK(there == (s->reason[0] == 0)); /* never silent */
        CHECK(!there || !s->remedy[0]);
    }
    check("hook", SOURCE_AVAILABLE, "/usr/lib/libortmeter.so");
    check("process-times", SOURCE_AVAILABLE, "ns");
    check("proc", SOURCE_ABSENT, "not mounted");
    check("perf-software", SOURCE_ABSENT, "without perf events");
    check("rapl-powercap", SOURCE_ABSENT, "no zones");
    check("battery", SOURCE_ABSENT, "no battery");
    check("nvml", SOURCE_ABSENT, "not loaded");
    check("sched-trace", SOURCE_ABSENT, "without tracefs");
    tree_close(&t);
}

static void check_perf(void)
{
    struct tree t = tree_open();

    tree_put(&t, "proc/sys/kernel/perf_event_paranoid", "4\n");
    tree_put(&t, "proc/cpuinfo", "flags : hypervisor\n");
    tree_put(&t, "proc/filesystems", "nodev\ttracefs\n");
    probe(&t, no_hardware);
    check("perf-software", SOURCE_AVAILABLE, "perf_event_open");
    check("perf-hardware", SOURCE_ABSENT, "this is a virtual machine");
    check("switches", SOURCE_AVAILABLE, "perf_event_open");
    check("sched-trace", SOURCE_ABSENT, "not mounted");
    CHECK(strstr(find("sched-trace")->remedy, "mount -t tracefs"));

    probe(&t, forbidden);
    check("perf-hardware", SOURCE_DENIED, "perf_event_paranoid is 4");
    CHECK(strstr(find("perf-hardware")->remedy, "perf_event_paranoid=2"));

    tree_put(&t, "proc/sys/kernel/perf_event_paranoid", "-1\n");
    tree_put(&t, "sys/kernel/tracing/events/sched/sched_switch/id", "316\n");
    probe(&t, forbidden);
    check("perf-hardware", SOURCE_DENIED, "Permission denied");
    CHECK(strstr(find("perf-hardware")->remedy, "container"));
    check("sched-trace", SOURCE_AVAILABLE, "/sys/kernel/tracing");
    tree_close(&t);
}

static void check_energy(void)
{
    struct tree t = tree_open();

    tree_put(&t, "sys/class/powercap/intel-rapl/enabled", "1\n");
    tree_put(&t, "sys/class/powercap/intel-rapl:0/name", "package-0\n");
    tree_put(&t, "sys/class/powercap/intel-rapl:0/energy_uj", "240422366267\n");
    tree_put(&t, "sys/class/powercap/intel-rapl:a/name", "package-10\n");
    tree_put(&t, "sys/class/powercap/intel-rapl:a/energy_uj", "1\n");
    tree_put(&t, "sys/class/powercap/intel-rapl-mmio:0/name", "again\n");
    tree_put(&t, "sys/class/powercap/intel-rapl-mmio:0/energy_uj", "1\n");
    tree_put(&t, POWER "type", "23\n");
    tree_put(&t, POWER "cpumask", "4,12\n");
    tree_put(&t, POWER "events/energy-pkg", "event=0x12\n");
    tree_put(&t, POWER "events/energy-pkg.scale", "2.3e-10\n");
    tree_put(&t, "proc/sys/kernel/perf_event_paranoid", "2\n");
    probe(&t, energy_only);
    check("rapl-powercap", SOURCE_AVAILABLE, ": package-0, package-10");
    CHECK(!strstr(find("rapl-powercap")->detail, "again"));
    check("rapl-perf", SOURCE_AVAILABLE, "energy-pkg");
    CHECK(!strstr(find("rapl-perf")->detail, "scale"));
    check("perf-hardware", SOURCE_DENIED, "Operation not permitted");
    /* Switches are counted in the kernel, which needs one step more. */
    check("perf-software", SOURCE_DENIED, "perf_event_paranoid is 2");
    CHECK(strstr(find("perf-software")->remedy, "perf_event_paranoid=1"));
    probe(&t, forbidden);
    check("rapl-perf", SOURCE_DENIED, "perf_event_paranoid is 2");

    /* Root may read everything, so it is not told apart from allowed. */
    CHECK(chmod(tree_path(&t, "sys/class/powercap/intel-rapl:0/energy_uj"),
                  0) == 0);
    CHECK(chmod(tree_path(&t, "sys/class/powercap/intel-rapl:a/energy_uj"),
                  0) == 0);
    probe(&t, all_good);
    if (geteuid() == 0) {
        check("rapl-powercap", SOURCE_AVAILABLE, "package-0");
    } else {
        check("rapl-powercap", SOURCE_DENIED, "root only");
        CHECK(strstr(find("rapl-powercap")->remedy, "chmod a+r"));
    }
    tree_close(&t);
}

static void check_sensors(void)
{
    struct tree t = tree_open();

    tree_put(&t, "sys/class/hwmon/hwmon0/name", "coretemp\n");
    tree_put(&t, "sys/class/hwmon/hwmon0/temp1_input", "41000\n");
    tree_put(&t, "sys/class/hwmon/hwmon0/temp1_label", "Package id 0\n");
    tree_put(&t, "sys/class/hwmon/hwmon0/temp2_input", "40000\n");
    tree_put(&t, "sys/class/hwmon/hwmon1/name", "xe\n");
    tree_put(&t, "sys/class/hwmon/hwmon1/energy1_input", "7\n");
    tree_put(&t, "sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
    tree_put(&t, "sys/class/thermal/cooling_device0/type", "Processor\n");
    tree_put(&t, "sys/class/power_supply/AC/type", "Mains\n");
    tree_put(&t, "sys/class/power_supply/mouse/type", "Battery\n");
    tree_put(&t, "sys/class/power_supply/mouse/scope", "Device\n");
    tree_put(&t, "sys/class/power_supply/BAT0/type", "Battery\n");
    tree_put(&t, "sys/class/power_supply/BAT0/status", "Discharging\n");
    tree_put(&t, CPUFREQ "scaling_cur_freq", "2400000\n");
    tree_put(&t, CPUFREQ "scaling_driver", "intel_pstate\n");
    tree_put(&t, CPUFREQ "scaling_governor", "powersave\n");
    tree_put(&t, "proc/self/stat", "");
    tree_put(&t, "proc/self/statm", "");
    tree_put(&t, "proc/self/status", "");
    tree_put(&t, "proc/pressure/cpu", "some avg10=0.00\n");
    probe(&t, all_good);
    check("hwmon", SOURCE_AVAILABLE,
            "coretemp, xe: 2 of temperature, 0 of power, 1 of energy");
    CHECK(strcmp(find("thermal")->detail, "x86_pkg_temp") == 0);
    CHECK(strcmp(find("battery")->detail, "BAT0 (Discharging)") == 0);
    check("cpufreq", SOURCE_AVAILABLE, "intel_pstate, governor powersave");
    check("proc", SOURCE_AVAILABLE, "stat, statm, status; not io;");
    check("psi", SOURCE_AVAILABLE, "/proc/pressure");
    tree_close(&t);
}

static void check_devices(void)
{
    struct tree t = tree_open();

    tree_put(&t, NPU "class", "0x120000\n");
    tree_put(&t, NPU "vendor", "0x8086\n");
    tree_put(&t, NPU "device", "0x643e\n");
    tree_put(&t, NPU "npu_busy_time_us", "979473\n");
    tree_link(&t, NPU "driver", "../intel_vpu");
    tree_put(&t, "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.261.03\n");
    probe(&t, all_good);
    check("intel-npu", SOURCE_AVAILABLE,
            "8086:643e, driver intel_vpu: npu_busy_time_us");
    check("intel-gpu", SOURCE_ABSENT, "no Intel GPU");
    check("amd-npu", SOURCE_ABSENT, "no AMD NPU");

    /* Whether there is an NVML depends on where the test runs. */
    const struct source *nvml = find("nvml");

    CHECK(strstr(nvml->state ? nvml->reason : nvml->detail, "535.261.03"));
    tree_close(&t);
}

/* This machine, for real: whatever it answers, every source has an answer. */
static void check_here(void)
{
    probe(&(struct tree){ "" }, NULL);
    check("proc", SOURCE_AVAILABLE, "stat");
    for (size_t i = 0; i < source_count; i++)
        CHECK(sources[i].detail[0] || sources[i].reason[0]);
}

int main(void)
{
    check_bare();
    check_perf();
    check_energy();
    check_sensors();
    check_devices();
    check_here();
    return test_result();
}
