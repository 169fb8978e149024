/* battery_linux.c -- what the machine draws from its battery, all of it:
 * Documentation/ABI/testing/sysfs-class-power of the kernel.  Batteries of
 * mice and keyboards say that their scope is "Device". */
#include "sample/device/device_samplers.h"

#include "os/path.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BATTERIES     8
#define JOULES_PER_WH 3600.0

struct state {
    struct {
        char folder[160];
        uint32_t subject;
    } battery[BATTERIES];
    size_t count;
};

static bool is_battery(const char *folder)
{
    char type[32], scope[32];

    (void)sysfs_line(scope, sizeof(scope), "%s/scope", folder);
    return sysfs_line(type, sizeof(type), "%s/type", folder) == 0 &&
           strcmp(type, "Battery") == 0 && strcmp(scope, "Device") != 0;
}

static int open_batteries(void *state, const struct sample_context *c,
        struct error *e)
{
    struct state *s = state;
    struct folder names;

    (void)folder_read(&names, "%s/sys/class/power_supply", c->root);
    for (size_t i = 0; i < names.count && s->count < BATTERIES; i++) {
        char *folder = s->battery[s->count].folder;

        (void)snprintf(folder, sizeof(s->battery[0].folder),
                "%s/sys/class/power_supply/%s", c->root, names.name[i]);
        if (!is_battery(folder))
            continue;
        s->battery[s->count++].subject = subjects_add(c->subjects,
                &(struct subject){ .kind = SUBJECT_ZONE,
                        .name = names.name[i],
                        .detail = "battery of the whole machine",
                        .source = sampler_battery.name });
    }
    folder_release(&names);
    return s->count ? 0 : fail(e, -ENODEV, "the machine has no battery");
}

/* The sign of a current is a matter of taste among drivers. */
static bool read_power(double *watts, const char *folder)
{
    double amperes, volts;

    if (sysfs_scaled(watts, 1e-6, "%s/power_now", folder) == 0) {
        *watts = fabs(*watts);
        return true;
    }
    if (sysfs_scaled(&amperes, 1e-6, "%s/current_now", folder) ||
            sysfs_scaled(&volts, 1e-6, "%s/voltage_now", folder))
        return false;
    *watts = fabs(amperes * volts);
    return true;
}

static bool read_remaining(double *joules, const char *folder)
{
    double ampere_hours, volts;

    if (sysfs_scaled(joules, 1e-6 * JOULES_PER_WH, "%s/energy_now", folder) ==
            0)
        return true;
    if (sysfs_scaled(&ampere_hours, 1e-6, "%s/charge_now", folder) ||
            sysfs_scaled(&volts, 1e-6, "%s/voltage_now", folder))
        return false;
    *joules = ampere_hours * volts * JOULES_PER_WH;
    return true;
}

static void read_batteries(void *state, struct batch *out)
{
    struct state *s = state;

    for (size_t i = 0; i < s->count; i++) {
        const char *folder = s->battery[i].folder;
        uint32_t subject = s->battery[i].subject;
        char status[32];
        double value;

        (void)sysfs_line(status, sizeof(status), "%s/status", folder);
        /* On the mains it is not what the machine draws. */
        if (strcmp(status, "Discharging") == 0 && read_power(&value, folder))
            batch_add(out, METRIC_battery_power_watts, subject, value);
        if (sysfs_scaled(&value, 1e-2, "%s/capacity", folder) == 0)
            batch_add(out, METRIC_battery_charge_ratio, subject, value);
        if (read_remaining(&value, folder))
            batch_add(out, METRIC_battery_remaining_joules, subject, value);
    }
}

static void close_batteries(void *state)
{
    (void)state;
}

const struct sampler sampler_battery = {
    .name = "battery",
    .about = "power drawn by the whole device, on battery",
    .state_size = sizeof(struct state),
    .default_hz = 0.2,
    .most_hz = 1,
    .open = open_batteries,
    .read = read_batteries,
    .close = close_batteries,
};
