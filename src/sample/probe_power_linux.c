/* probe_power_linux.c -- energy, power, temperature and clocks: see
 * Documentation/power/powercap, Documentation/hwmon/sysfs-interface.rst and
 * Documentation/ABI/testing/sysfs-class-{thermal,power} of the kernel. */
#include "sample/probe.h"

#include "base/str.h"
#include "os/file.h"
#include "os/path.h"
#include "sample/device_reasons.h"

#include <errno.h>
#include <string.h>

#define POWERCAP POWERCAP_FOLDER

/* Packages and their parts, on AMD too.  "intel-rapl" by itself is what they
 * belong to, and "intel-rapl-mmio:0" is the same package again. */
static bool is_zone(const char *name)
{
    return str_starts(str_of(name), "intel-rapl:");
}

void probe_rapl_powercap(struct source *s, const struct source_context *c)
{
    struct folder zones;
    struct buf list = { 0 };
    int readable = 0, refused = 0;

    (void)folder_read(&zones, "%s" POWERCAP, c->root);
    for (size_t i = 0; i < zones.count; i++) {
        char name[64];

        if (!is_zone(zones.name[i]))
            continue;

        int rc = path_readable("%s" POWERCAP "/%s/energy_uj", c->root,
                zones.name[i]);

        readable += rc == 0;
        refused += rc == -EACCES;
        probe_line(name, sizeof(name), c, POWERCAP "/%s/name", zones.name[i]);
        if (rc == 0)
            probe_list(&list, name);
    }
    if (readable) {
        probe_found(s, POWERCAP ": %s", buf_cstr(&list));
    } else if (refused) {
        probe_denied(s, REASON_POWERCAP_ROOT);
        probe_remedy(s, REMEDY_POWERCAP_ROOT);
    } else {
        probe_absent(s, REASON_NO_POWERCAP "%s", probe_where(c));
        if (!c->host->virtualisation[0] &&
                strcmp(c->host->architecture, "x86_64") == 0)
            probe_remedy(s, "sudo modprobe intel_rapl_msr");
    }
    folder_release(&zones);
    buf_release(&list);
}

/* How many sensors of a kind a chip has: temp1_input, temp2_input, ... */
static unsigned count_inputs(const struct folder *files, const char *kind)
{
    unsigned count = 0;

    for (size_t i = 0; i < files->count; i++)
        count += str_starts(str_of(files->name[i]), kind) &&
                 str_is(str_after_last(str_of(files->name[i]), '_'), "input");
    return count;
}

void probe_hwmon(struct source *s, const struct source_context *c)
{
    static const char *const kinds[] = { "temp", "power", "energy" };
    unsigned counts[LEN(kinds)] = { 0 };
    struct folder chips;
    struct buf list = { 0 };

    (void)folder_read(&chips, "%s/sys/class/hwmon", c->root);
    for (size_t i = 0; i < chips.count; i++) {
        struct folder files;
        char name[64];

        probe_line(name, sizeof(name), c, "/sys/class/hwmon/%s/name",
                chips.name[i]);
        probe_list(&list, name);
        (void)folder_read(&files, "%s/sys/class/hwmon/%s", c->root,
                chips.name[i]);
        for (size_t k = 0; k < LEN(kinds); k++)
            counts[k] += count_inputs(&files, kinds[k]);
        folder_release(&files);
    }
    if (chips.count)
        probe_found(s, "%s: %u of temperature, %u of power, %u of energy",
                buf_cstr(&list), counts[0], counts[1], counts[2]);
    else
        probe_absent(s, REASON_NO_HWMON "%s", probe_where(c));
    folder_release(&chips);
    buf_release(&list);
}

void probe_thermal(struct source *s, const struct source_context *c)
{
    struct folder zones;
    struct buf list = { 0 };

    (void)folder_read(&zones, "%s/sys/class/thermal", c->root);
    for (size_t i = 0; i < zones.count; i++) {
        char type[64];

        if (!str_starts(str_of(zones.name[i]), "thermal_zone"))
            continue;
        probe_line(type, sizeof(type), c, "/sys/class/thermal/%s/type",
                zones.name[i]);
        probe_list(&list, type);
    }
    if (list.len)
        probe_found(s, "%s", buf_cstr(&list));
    else
        probe_absent(s, REASON_NO_THERMAL "%s", probe_where(c));
    folder_release(&zones);
    buf_release(&list);
}

void probe_cpufreq(struct source *s, const struct source_context *c)
{
    char driver[64], governor[64];

    if (path_readable("%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
                c->root)) {
        probe_absent(s, "the kernel does not tell the CPU's clock%s",
                probe_where(c));
        return;
    }
    probe_line(driver, sizeof(driver), c,
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
    probe_line(governor, sizeof(governor), c,
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    probe_found(s, "driver %s, governor %s", driver, governor);
}

/* A battery of the machine: one of a mouse or a pen has the scope "Device". */
static bool is_battery(const struct source_context *c, const char *supply)
{
    char type[32], scope[32];

    probe_line(type, sizeof(type), c, "/sys/class/power_supply/%s/type",
            supply);
    probe_line(scope, sizeof(scope), c, "/sys/class/power_supply/%s/scope",
            supply);
    return strcmp(type, "Battery") == 0 && strcmp(scope, "Device") != 0;
}

void probe_battery(struct source *s, const struct source_context *c)
{
    struct folder supplies;
    struct buf list = { 0 };

    (void)folder_read(&supplies, "%s/sys/class/power_supply", c->root);
    for (size_t i = 0; i < supplies.count; i++) {
        char status[32];

        if (!is_battery(c, supplies.name[i]))
            continue;
        probe_line(status, sizeof(status), c,
                "/sys/class/power_supply/%s/status", supplies.name[i]);
        if (list.len)
            buf_text(&list, ", ");
        buf_printf(&list, "%s (%s)", supplies.name[i], status);
    }
    if (list.len)
        probe_found(s, "%s", buf_cstr(&list));
    else
        probe_absent(s, REASON_NO_BATTERY);
    folder_release(&supplies);
    buf_release(&list);
}
