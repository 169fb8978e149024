#include "energy/zones.h"

#include "base/compiler.h"

#include <string.h>
#include <strings.h>

enum zone_part zone_part_of(const char *name)
{
    static const struct {
        const char *begins;
        enum zone_part part;
    } known[] = {
        { "package", ZONE_CPU },
        { "core", ZONE_CPU },
        { "cpu", ZONE_CPU },
        { "combined", ZONE_CPU },
        { "uncore", ZONE_GPU },
        { "gpu", ZONE_GPU },
        { "card", ZONE_GPU },
        { "npu", ZONE_NPU },
        { "ane", ZONE_NPU },
        { "dram", ZONE_DRAM },
        { "ram", ZONE_DRAM },
        { "psys", ZONE_WHOLE },
        { "bat", ZONE_WHOLE },
        { "meter", ZONE_METER },
    };

    if (!name) /* nobody has to give one */
        return ZONE_OTHER;

    const char *slash = strrchr(name, '/');
    const char *last = slash ? slash + 1 : name;

    for (size_t i = 0; i < LEN(known); i++)
        if (strncasecmp(last, known[i].begins, strlen(known[i].begins)) == 0)
            return known[i].part;
    return ZONE_OTHER;
}

const char *zone_part_name(enum zone_part part)
{
    static const char *const names[ZONE_PARTS] = {
        [ZONE_CPU] = "cpu",
        [ZONE_GPU] = "gpu",
        [ZONE_NPU] = "npu",
        [ZONE_DRAM] = "dram",
        [ZONE_OTHER] = "other",
        [ZONE_WHOLE] = "machine",
        [ZONE_METER] = "meter",
    };

    return names[part];
}

const char *zone_role_name(enum zone_role role)
{
    static const char *const names[] = {
        [ZONE_COUNTED] = "counted",
        [ZONE_INSIDE] = "inside",
        [ZONE_AGAIN] = "again",
        [ZONE_BESIDE] = "beside",
    };

    return names[role];
}

static struct energy_zone *find(struct energy_zone *zones, size_t count,
        uint32_t subject)
{
    for (size_t i = 0; i < count && subject; i++)
        if (zones[i].subject == subject)
            return &zones[i];
    return NULL;
}

/* Which of two that measure the same is better: one that counts, then the one
 * that was found first, as samplers are in the order of trust. */
static bool is_again(const struct energy_zone *z, const struct energy_zone *by)
{
    if (z == by || by->role == ZONE_AGAIN || z->part != by->part)
        return false;
    if (!z->name || !by->name || strcmp(z->name, by->name) != 0)
        return false;
    /* Two GPUs of one name are two, unless different drivers tell of them. */
    if (z->source && by->source && strcmp(z->source, by->source) == 0 &&
            z->part != ZONE_CPU && z->part != ZONE_DRAM)
        return false;
    if (z->has_joules != by->has_joules)
        return by->has_joules;
    return by < z;
}

static void mark(struct energy_zone *z, enum zone_role role, uint32_t of)
{
    z->role = role;
    z->of = of;
}

/* The nearest one around it that measures a part, and not the machine. */
static const struct energy_zone *around(struct energy_zone *zones, size_t count,
        const struct energy_zone *z)
{
    uint32_t parent = z->parent;

    for (size_t step = 0; step < count && parent; step++) {
        const struct energy_zone *p = find(zones, count, parent);

        if (!p || p->part == ZONE_WHOLE)
            return NULL;
        if (p->role != ZONE_AGAIN)
            return p;
        parent = p->of;
    }
    return NULL;
}

static const struct energy_zone *package(const struct energy_zone *zones,
        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (zones[i].part == ZONE_CPU && zones[i].role == ZONE_COUNTED)
            return &zones[i];
    return NULL;
}

static void plan_machine(struct energy_zone *zones, size_t count)
{
    const struct energy_zone *meter = NULL, *whole = NULL;
    bool parts = false;

    for (size_t i = 0; i < count; i++) {
        if (zones[i].role != ZONE_COUNTED)
            continue;
        if (zones[i].part == ZONE_METER && !meter)
            meter = &zones[i];
        else if (zones[i].part == ZONE_WHOLE && !whole)
            whole = &zones[i];
        else if (zones[i].part != ZONE_WHOLE)
            parts = true;
    }
    for (size_t i = 0; i < count; i++) {
        struct energy_zone *z = &zones[i];

        if (z->role != ZONE_COUNTED || z == meter)
            continue;
        if (meter)
            mark(z, ZONE_INSIDE, meter->subject);
        else if (z->part == ZONE_WHOLE && (parts || z != whole))
            mark(z, ZONE_BESIDE, 0);
    }
}

void zones_plan(struct energy_zone *zones, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mark(&zones[i], ZONE_COUNTED, 0);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count && zones[i].role == ZONE_COUNTED; j++)
            if (is_again(&zones[i], &zones[j]))
                mark(&zones[i], ZONE_AGAIN, zones[j].subject);
    for (size_t i = 0; i < count; i++) {
        const struct energy_zone *p = around(zones, count, &zones[i]);

        if (zones[i].role == ZONE_COUNTED && p)
            mark(&zones[i], ZONE_INSIDE, p->subject);
    }

    const struct energy_zone *cpu = package(zones, count);

    for (size_t i = 0; i < count; i++)
        if (zones[i].role == ZONE_COUNTED && zones[i].built_in && cpu)
            mark(&zones[i], ZONE_INSIDE, cpu->subject);
    plan_machine(zones, count);
}
