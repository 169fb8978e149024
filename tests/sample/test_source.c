#include "sample/source.h"

#include "base/compiler.h"
#include "os/host.h"
#include "sample/device/device_samplers.h"
#include "sample/sampler_table.h"
#include "tree.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#define POWER "sys/bus/event_source/devices/power/"

static struct source_status sources[SOURCES_MAX];
static size_t source_count;

static const struct sampler *const samplers[] = { &sampler_perf_hardware,
    &sampler_rapl_perf, &sampler_rapl_powercap, &sampler_battery,
    &sampler_hwmon, &sampler_thermal, &sampler_amdgpu, &sampler_intel_npu,
    NULL };

static int (*kernel)(struct perf_event_attr *, int, int);

/* What `doctor` would list on the tree, with samplers opened by hand: sampling
 * looks at processes of this machine. */
static void list(const struct tree *t, const char *hook)
{
    static struct host_info host;
    struct sampling *s = NULL;
    struct error e;

    host_read(&host, t->root);
    CHECK_INT(sampling_open(&s,
                      &(struct sampling_plan){ .table = samplers,
                              .root = t->root },
                      &e),
            0);
    source_count = source_list(sources,
            &(struct source_context){ .root = t->root,
                    .hook = hook,
                    .host = &host,
                    .perf_open = kernel },
            s, sampling_read_all(s, 1));
    sampling_close(s);
}

static const struct source_status *find(const char *name)
{
    static const struct source_status none;

    for (size_t i = 0; i < source_count; i++)
        if (strcmp(sources[i].name, name) == 0)
            return &sources[i];
    CHECK(name == NULL); /* there is no such source */
    return &none;
}

static void check(const char *name, enum source_state state, const char *said)
{
    const struct source_status *s = find(name);
    const char *text = state == SOURCE_AVAILABLE ? s->detail : s->why.text;

    CHECK_INT(s->state, state);
    CHECK(strstr(text, said));
    if (s->state != state || !strstr(text, said))
        (void)fprintf(stderr, "%s: %s%s\n", name, s->detail, s->why.text);
}

static int forbidden(struct perf_event_attr *attr, int pid, int cpu)
{
    (void)attr, (void)pid, (void)cpu;
    return -EACCES;
}

static int without_perf(struct perf_event_attr *attr, int pid, int cpu)
{
    (void)attr, (void)pid, (void)cpu;
    return -ENOSYS;
}

/* Nothing is there, and nothing is silent about it. */
static void check_bare(void)
{
    struct tree t = tree_open();

    kernel = without_perf;
    list(&t, "");
    CHECK(source_count > LEN(samplers));
    for (size_t i = 0; i < source_count; i++) {
        const struct source_status *s = &sources[i];
        bool there = s->state == SOURCE_AVAILABLE;

        CHECK(s->name[0] && s->gives[0]);
        CHECK(there == (s->why.text[0] == 0));
        CHECK(!there || !s->why.remedy[0]);
        CHECK(!s->measures_power);
    }
    check("hook", SOURCE_ABSENT, "libortmeter.so");
    check("switches", SOURCE_ABSENT, "without perf events");
    check("rapl-powercap", SOURCE_ABSENT, "no zones");
    tree_close(&t);
}

static void check_found(void)
{
    struct tree t = tree_open();

    tree_put(&t, "sys/class/powercap/intel-rapl:0/name", "package-0\n");
    tree_put(&t, "sys/class/powercap/intel-rapl:0/energy_uj", "240422366\n");
    tree_put(&t, "sys/class/powercap/intel-rapl:0:0/name", "core\n");
    tree_put(&t, "sys/class/powercap/intel-rapl:0:0/energy_uj", "7\n");
    list(&t, "/usr/lib/libortmeter.so");
    check("hook", SOURCE_AVAILABLE, "/usr/lib/libortmeter.so");
    check("rapl-powercap", SOURCE_AVAILABLE, "package-0, package-0/core");
    CHECK(find("rapl-powercap")->measures_power);
    CHECK(find("rapl-powercap")->hz > 0);
    tree_close(&t);
}

/* Why the kernel refuses, and what to do about it. */
static void check_refused(void)
{
    struct tree t = tree_open();

    kernel = forbidden;
    tree_put(&t, "proc/sys/kernel/perf_event_paranoid", "4\n");
    list(&t, "");
    check("switches", SOURCE_DENIED, "perf_event_paranoid is 4");
    CHECK(strstr(find("switches")->why.remedy, "perf_event_paranoid=2"));
    tree_put(&t, "proc/sys/kernel/perf_event_paranoid", "-1\n");
    list(&t, "");
    check("switches", SOURCE_DENIED, "Permission denied");
    CHECK(strstr(find("switches")->why.remedy, "container"));

    /* A virtual machine explains much. */
    tree_put(&t, "proc/cpuinfo", "flags : hypervisor\n");
    list(&t, "");
    check("hwmon", SOURCE_ABSENT, "this is a virtual machine");
    tree_close(&t);
}

int main(void)
{
    check_bare();
    check_found();
    check_refused();
    return test_result();
}
