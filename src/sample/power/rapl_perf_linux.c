/* rapl_perf_linux.c -- the same energy as powercap's, through perf: the
 * kernel keeps 64 bits of it, so nothing wraps, and CAP_PERFMON is enough.
 * arch/x86/events/rapl.c.
 *
 * Zones are called as powercap calls them, and lie in each other likewise. */
#include "sample/device/device_samplers.h"

#include "base/compiler.h"
#include "os/kernel_text.h"
#include "sample/perf/perf_count.h"
#include "sample/perf/perf_open_linux.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define POWER "/sys/bus/event_source/devices/power"
#define ZONES 64

/* What includes others comes first. */
static const struct event {
    const char *name;
    const char *zone; /* NULL: the package itself */
    bool apart;       /* not counted in its package */
} events[] = {
    { "energy-psys", "psys", true },
    { "energy-pkg", NULL, false },
    { "energy-cores", "core", false },
    { "energy-gpu", "uncore", false },
    { "energy-ram", "dram", true },
};

struct zone {
    int fd;
    double joules; /* of one count */
    uint32_t subject;
};

struct state {
    struct zone zone[ZONES];
    size_t count;
    uint32_t psys;
    int refusal; /* why the first event was refused */
};

struct package {
    uint64_t cpu; /* that answers for it */
    char name[32];
    uint32_t subject; /* of its energy-pkg; 0: it has none */
};

static int open_event(const struct sample_context *c, uint32_t type,
        uint64_t config, uint64_t cpu)
{
    struct perf_event_attr attr = { .type = type, .config = config };

    return perf_open(c, &attr, -1, (int)cpu);
}

static void add_zone(struct state *s, const struct sample_context *c,
        const struct event *event, uint64_t type, struct package *p)
{
    char text[64], name[64];
    uint64_t config;
    double joules;

    if (s->count == ZONES ||
            sysfs_line(text, sizeof(text), "%s" POWER "/events/%s", c->root,
                    event->name) ||
            perf_terms_parse(&config, str_of(text)) ||
            sysfs_line(text, sizeof(text), "%s" POWER "/events/%s.scale",
                    c->root, event->name) ||
            str_f64(&joules, str_of(text)))
        return;

    int fd = open_event(c, (uint32_t)type, config, p->cpu);

    if (fd < 0) {
        s->refusal = s->refusal ? s->refusal : fd;
        return;
    }
    if (!event->zone)
        (void)snprintf(name, sizeof(name), "%s", p->name);
    else if (strcmp(event->zone, "psys") == 0)
        (void)snprintf(name, sizeof(name), "psys");
    else
        (void)snprintf(name, sizeof(name), "%s/%s", p->name, event->zone);

    uint32_t subject = subjects_add(c->subjects,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .parent =
                            event->apart || !event->zone ? s->psys : p->subject,
                    .name = name,
                    .detail = event->name,
                    .source = sampler_rapl_perf.name });

    if (!event->zone)
        p->subject = subject;
    s->zone[s->count++] = (struct zone){ fd, joules, subject };
    if (strcmp(event->name, "energy-psys") == 0)
        s->psys = subject;
}

/* The packages, or their dies where each has a counter of its own. */
static size_t find_packages(struct package *out, size_t cap, const char *root)
{
    char mask[256];
    uint64_t first, last;
    size_t count = 0;

    (void)sysfs_line(mask, sizeof(mask), "%s" POWER "/cpumask", root);
    for (struct str cpus = str_of(mask); text_cpu_range(&cpus, &first, &last);)
        for (; first <= last && count < cap; first++) {
            struct package *p = &out[count];
            uint64_t package = count, die = 0;

            (void)sysfs_u64(&package,
                    "%s/sys/devices/system/cpu/cpu%" PRIu64
                    "/topology/physical_package_id",
                    root, first);
            (void)sysfs_u64(&die,
                    "%s/sys/devices/system/cpu/cpu%" PRIu64 "/topology/die_id",
                    root, first);
            *p = (struct package){ .cpu = first };
            (void)snprintf(p->name, sizeof(p->name), "package-%" PRIu64,
                    package);
            if (count && strcmp(p->name, out[count - 1].name) == 0)
                (void)snprintf(p->name, sizeof(p->name),
                        "package-%" PRIu64 "-die-%" PRIu64, package, die);
            count++;
        }
    return count;
}

static int none(const struct sample_context *c, struct error *e)
{
    return fail(e, -ENODEV, "the kernel has no power events%s",
            sampler_where(c));
}

static int open_zones(void *state, const struct sample_context *c,
        struct error *e)
{
    struct state *s = state;
    struct package package[ZONES];
    uint64_t type;

    if (sysfs_u64(&type, "%s" POWER "/type", c->root) || type > UINT32_MAX)
        return none(c, e);

    size_t packages = find_packages(package, LEN(package), c->root);

    for (size_t i = 0; i < LEN(events); i++)
        for (size_t p = 0; p < packages; p++)
            add_zone(s, c, &events[i], type, &package[p]);
    if (s->count)
        return 0;
    return s->refusal ? perf_refused(e, c, s->refusal, 0) : none(c, e);
}

static void read_zones(void *state, struct batch *out)
{
    struct state *s = state;

    for (size_t i = 0; i < s->count; i++) {
        uint64_t count;

        if (read(s->zone[i].fd, &count, sizeof(count)) == sizeof(count))
            batch_add(out, METRIC_zone_energy_joules_total, s->zone[i].subject,
                    (double)count * s->zone[i].joules);
    }
}

static void close_zones(void *state)
{
    struct state *s = state;

    for (size_t i = 0; i < s->count; i++)
        (void)close(s->zone[i].fd);
}

const struct sampler sampler_rapl_perf = {
    .name = "rapl-perf",
    .about = "the same energy, through perf",
    .state_size = sizeof(struct state),
    .default_hz = 10,
    .most_hz = 1000,
    .open = open_zones,
    .read = read_zones,
    .close = close_zones,
};
