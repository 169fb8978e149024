/* rapl_powercap_linux.c -- energy of the processor's parts, as the kernel's
 * powercap tells it: Documentation/power/powercap/powercap.rst.
 *
 *     intel-rapl:0      package-0    a processor
 *     intel-rapl:0:0    core         inside it
 *     intel-rapl:0:2    dram         listed inside it, but counted beside it
 *     intel-rapl:1      psys         the whole board, packages and memory
 *     intel-rapl-mmio:0 package-0    the same processor, a second time
 *
 * A zone's parent among the subjects is the zone whose energy includes its
 * own.  The numbers in the names are hexadecimal and only names to us. */
#include "sample/device/device_samplers.h"

#include "base/alloc.h"
#include "os/file.h"
#include "os/kernel_text.h"
#include "os/path.h"
#include "sample/power/odometer.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POWERCAP_FOLDER "/sys/class/powercap"

#define ZONES         64
#define CPUINFO_BYTES ((size_t)4 << 20)

struct zone {
    char folder[128];
    char id[32];   /* "intel-rapl:0:2" */
    char name[64]; /* "package-0/dram" */
    uint32_t subject;
    struct odometer uj;
};

struct state {
    struct zone zone[ZONES];
    size_t count;
    uint32_t psys; /* its subject; 0: there is none */
    size_t refused;
};

static bool is_psys(const char *name)
{
    return str_starts(str_of(name), "psys");
}

/* The zone that a child's id begins with; NULL for a zone at the top. */
static const struct zone *above(const struct state *s, const char *id)
{
    const char *colon = strrchr(id, ':');

    for (size_t i = 0; colon && i < s->count; i++)
        if (strlen(s->zone[i].id) == (size_t)(colon - id) &&
                strncmp(s->zone[i].id, id, (size_t)(colon - id)) == 0)
            return &s->zone[i];
    return NULL;
}

static bool is_known(const struct state *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->zone[i].name, name) == 0)
            return true;
    return false;
}

/* AMD's core zone is the counter of one core. */
static bool is_amd(const char *root)
{
    char *text = alloc_zero(1, CPUINFO_BYTES);
    int len = file_read(text, CPUINFO_BYTES, "%s/proc/cpuinfo", root);
    bool amd = len > 0 &&
               str_is(text_cpuinfo((struct str){ text, (size_t)len }).vendor,
                       "AuthenticAMD");

    free(text);
    return amd;
}

static void add_zone(struct state *s, const struct sample_context *c,
        const char *id, const char *name)
{
    const struct zone *parent = above(s, id);
    struct zone z = { 0 };
    bool dram = strcmp(name, "dram") == 0;
    uint64_t value;

    (void)snprintf(z.folder, sizeof(z.folder), "%s" POWERCAP_FOLDER "/%s",
            c->root, id);
    (void)snprintf(z.id, sizeof(z.id), "%s", id);
    (void)snprintf(z.name, sizeof(z.name), "%.31s%s%s",
            parent ? parent->name : "", parent ? "/" : "", name);

    int rc = sysfs_u64(&value, "%s/energy_uj", z.folder);

    s->refused += rc == -EACCES;
    if (rc)
        return;
    (void)sysfs_u64(&z.uj.wrap, "%s/max_energy_range_uj", z.folder);
    z.subject = subjects_add(c->subjects,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .parent = parent && !dram ? parent->subject : s->psys,
                    .name = z.name,
                    .detail = z.folder + strlen(c->root),
                    .source = sampler_rapl_powercap.name });
    if (is_psys(name))
        s->psys = z.subject;
    if (strcmp(name, "core") == 0 && is_amd(c->root))
        subjects_missing(c->subjects, METRIC_zone_energy_joules_total,
                z.subject,
                "on AMD this counter is of one core only, and not of all");
    else
        s->zone[s->count++] = z;
}

/* What includes others comes first: it has to be known by then. */
enum turn { PSYS, PACKAGES_AND_PARTS, MMIO, TURNS };

static bool is_turn_of(const struct state *s, enum turn turn, const char *id,
        const char *name)
{
    bool rapl = str_starts(str_of(id), "intel-rapl:");
    bool mmio = str_starts(str_of(id), "intel-rapl-mmio:");

    switch (turn) {
    case PSYS: return rapl && is_psys(name);
    case PACKAGES_AND_PARTS: return rapl && !is_psys(name);
    default:
        return mmio && !strchr(strchr(id, ':') + 1, ':') && !is_known(s, name);
    }
}

static int open_zones(void *state, const struct sample_context *c,
        struct error *e)
{
    struct state *s = state;
    struct folder ids;

    (void)folder_read(&ids, "%s" POWERCAP_FOLDER, c->root);
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < ids.count && s->count < ZONES; i++) {
            char name[32];

            (void)sysfs_line(name, sizeof(name),
                    "%s" POWERCAP_FOLDER "/%s/name", c->root, ids.name[i]);
            if (name[0] && is_turn_of(s, (enum turn)turn, ids.name[i], name))
                add_zone(s, c, ids.name[i], name);
        }
    folder_release(&ids);
    if (s->count)
        return 0;
    if (s->refused) {
        (void)fail(e, -EACCES, "since Linux 5.10 energy_uj is for root only");
        error_remedy(e, "sudo chmod a+r " POWERCAP_FOLDER
                        "/intel-rapl:*/energy_uj (until the next start)");
        return -EACCES;
    }

    const char *where = sampler_where(c);

    (void)fail(e, -ENODEV, "there are no zones in " POWERCAP_FOLDER "%s",
            where);
    if (!where[0])
        error_remedy(e, "sudo modprobe intel_rapl_msr");
    return -ENODEV;
}

static void read_zones(void *state, struct batch *out)
{
    struct state *s = state;

    for (size_t i = 0; i < s->count; i++) {
        struct zone *z = &s->zone[i];
        uint64_t uj;

        if (sysfs_u64(&uj, "%s/energy_uj", z->folder) == 0)
            batch_add(out, METRIC_zone_energy_joules_total, z->subject,
                    (double)odometer_total(&z->uj, uj) / 1e6);
    }
}

static void close_zones(void *state)
{
    (void)state;
}

const struct sampler sampler_rapl_powercap = {
    .name = "rapl-powercap",
    .about = "energy of CPU package, cores and memory",
    .state_size = sizeof(struct state),
    .default_hz = 10,
    .most_hz = 1000,
    .open = open_zones,
    .read = read_zones,
    .close = close_zones,
};
