/* thermal_linux.c -- temperatures of the machine's thermal zones:
 * Documentation/driver-api/thermal/sysfs-api.rst.  Some are below zero. */
#include "sample/device/device_samplers.h"

#include "base/str.h"
#include "os/path.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ZONES 64

struct state {
    struct {
        char path[160];
        uint32_t subject;
    } zone[ZONES];
    size_t count;
};

static void add_zone(struct state *s, const struct sample_context *c,
        const char *id)
{
    char type[64];

    (void)snprintf(s->zone[s->count].path, sizeof(s->zone[0].path),
            "%s/sys/class/thermal/%s/temp", c->root, id);
    (void)sysfs_line(type, sizeof(type), "%s/sys/class/thermal/%s/type",
            c->root, id);
    s->zone[s->count].subject =
            subjects_add(c->subjects, &(struct subject){ .kind = SUBJECT_ZONE,
                                              .name = type[0] ? type : id,
                                              .detail = id,
                                              .source = sampler_thermal.name });
    s->count++;
}

static int open_zones(void *state, const struct sample_context *c,
        struct error *e)
{
    struct state *s = state;
    struct folder ids;

    (void)folder_read(&ids, "%s/sys/class/thermal", c->root);
    for (size_t i = 0; i < ids.count && s->count < ZONES; i++)
        if (str_starts(str_of(ids.name[i]), "thermal_zone"))
            add_zone(s, c, ids.name[i]);
    folder_release(&ids);
    return s->count ? 0
                    : fail(e, -ENODEV, "/sys/class/thermal has no zone%s",
                              sampler_where(c));
}

static void read_zones(void *state, struct batch *out)
{
    struct state *s = state;
    double celsius;

    /* A zone that is switched off answers with an error. */
    for (size_t i = 0; i < s->count; i++)
        if (sysfs_scaled(&celsius, 1e-3, "%s", s->zone[i].path) == 0)
            batch_add(out, METRIC_zone_temperature_celsius, s->zone[i].subject,
                    celsius);
}

static void close_zones(void *state)
{
    (void)state;
}

const struct sampler sampler_thermal = {
    .name = "thermal",
    .about = "temperatures of the machine's zones",
    .state_size = sizeof(struct state),
    .default_hz = 1,
    .most_hz = 10,
    .open = open_zones,
    .read = read_zones,
    .close = close_zones,
};
