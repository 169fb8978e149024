/* hwmon_linux.c -- all chips but those of GPUs, which have samplers of their
 * own and must not be woken. */
#include "sample/power/hwmon.h"

#include "base/alloc.h"
#include "os/path.h"
#include "sample/device/device_samplers.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHIPS 32

struct state {
    struct hwmon *chip; /* CHIPS of them */
    size_t count;
    size_t passed_over;
};

static bool is_gpu(const char *name)
{
    static const char *const gpus[] = { "amdgpu", "radeon", "nouveau", "xe",
        "i915" };

    for (size_t i = 0; i < LEN(gpus); i++)
        if (strcmp(name, gpus[i]) == 0)
            return true;
    return strncmp(name, "i915_gt", 7) == 0;
}

static void add_chip(struct state *s, const struct sample_context *c,
        const char *id)
{
    char name[64], folder[224];

    (void)snprintf(folder, sizeof(folder), "%s/sys/class/hwmon/%s", c->root,
            id);
    if (sysfs_line(name, sizeof(name), "%s/name", folder))
        return;
    if (is_gpu(name)) {
        s->passed_over++;
        return;
    }
    hwmon_open(&s->chip[s->count], c->subjects, folder,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .name = name,
                    .source = sampler_hwmon.name },
            HWMON_TEMPERATURES | HWMON_POWERS | HWMON_ENERGIES);
    s->count += s->chip[s->count].count > 0;
}

static int open_chips(void *state, const struct sample_context *c,
        struct error *e)
{
    struct state *s = state;
    struct folder ids;

    s->chip = alloc_zero(CHIPS, sizeof(*s->chip));
    (void)folder_read(&ids, "%s/sys/class/hwmon", c->root);
    for (size_t i = 0; i < ids.count && s->count < CHIPS; i++)
        add_chip(s, c, ids.name[i]);

    size_t chips = ids.count;

    folder_release(&ids);
    if (s->count)
        return 0;
    if (s->passed_over)
        return fail(e, -ENODEV,
                "the only chips in /sys/class/hwmon are those of GPUs, which "
                "are read with them");
    return chips ? fail(e, -ENODEV,
                           "no chip in /sys/class/hwmon has a sensor "
                           "of temperature, power or energy")
                 : fail(e, -ENODEV, "/sys/class/hwmon has no chip%s",
                           sampler_where(c));
}

static void read_chips(void *state, struct batch *out)
{
    struct state *s = state;

    for (size_t i = 0; i < s->count; i++)
        hwmon_read(&s->chip[i], out);
}

static void close_chips(void *state)
{
    struct state *s = state;

    free(s->chip);
}

const struct sampler sampler_hwmon = {
    .name = "hwmon",
    .about = "temperatures, power and energy of chips",
    .state_size = sizeof(struct state),
    .default_hz = 1,
    .most_hz = 10,
    .open = open_chips,
    .read = read_chips,
    .close = close_chips,
};
