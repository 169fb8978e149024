#include "energy/zones.h"

#include "base/compiler.h"
#include "test.h"

#include <string.h>

static void expect(const struct energy_zone *z, enum zone_role role,
        uint32_t of)
{
    CHECK_INT(z->role, role);
    CHECK_INT(z->of, of);
}

/* Two sockets with all that RAPL has, and a graphics card. */
static void server(void)
{
    struct energy_zone z[] = {
        { .subject = 1, .part = ZONE_WHOLE, .name = "psys" },
        { .subject = 2, .parent = 1, .name = "package-0" },
        { .subject = 3, .parent = 2, .name = "core" },
        { .subject = 4, .parent = 2, .part = ZONE_GPU, .name = "uncore" },
        { .subject = 5, .parent = 1, .part = ZONE_DRAM, .name = "dram-0" },
        { .subject = 6, .parent = 1, .name = "package-1" },
        { .subject = 7, .parent = 1, .part = ZONE_DRAM, .name = "dram-1" },
        { .subject = 8, .part = ZONE_GPU, .name = "gpu0" },
        { .subject = 9, .part = ZONE_NPU, .name = "npu0", .built_in = true },
    };
    static const bool counted[] = { 0, 1, 0, 0, 1, 1, 1, 1, 0 };

    zones_plan(z, LEN(z));
    for (size_t i = 0; i < LEN(z); i++)
        CHECK_INT(z[i].role == ZONE_COUNTED, counted[i]);
    expect(&z[0], ZONE_BESIDE, 0);
    expect(&z[2], ZONE_INSIDE, 2);
    expect(&z[3], ZONE_INSIDE, 2);
    expect(&z[8], ZONE_INSIDE, 2);
}

/* The same package, from two drivers: one is enough. */
static void twice(void)
{
    struct energy_zone z[] = {
        { .subject = 1,
                .name = "package-0",
                .source = "rapl-perf",
                .has_joules = true },
        { .subject = 2,
                .name = "package-0",
                .source = "rapl-powercap",
                .has_joules = true },
        { .subject = 3,
                .name = "core",
                .parent = 2,
                .source = "rapl-powercap",
                .has_joules = true },
        { .subject = 4, .part = ZONE_GPU, .name = "RTX", .source = "nvml" },
        { .subject = 5, .part = ZONE_GPU, .name = "RTX", .source = "nvml" },
        { .subject = 6, .part = ZONE_GPU, .name = "RTX", .source = "hwmon" },
    };

    zones_plan(z, LEN(z));
    expect(&z[0], ZONE_COUNTED, 0);
    expect(&z[1], ZONE_AGAIN, 1);
    expect(&z[2], ZONE_INSIDE, 1); /* of the one that stands for its parent */
    expect(&z[3], ZONE_COUNTED, 0);
    expect(&z[4], ZONE_COUNTED, 0); /* two cards of one make */
    CHECK_INT(z[5].role, ZONE_AGAIN);
}

/* Nothing but a battery, or a meter over all. */
static void machine(void)
{
    struct energy_zone battery[] = {
        { .subject = 1, .part = ZONE_WHOLE, .name = "BAT0" },
        { .subject = 2, .part = ZONE_WHOLE, .name = "psys" },
    };
    struct energy_zone metered[] = {
        { .subject = 1, .name = "package-0" },
        { .subject = 2, .part = ZONE_WHOLE, .name = "BAT0" },
        { .subject = 3, .part = ZONE_METER, .name = "meter" },
    };

    zones_plan(battery, LEN(battery));
    expect(&battery[0], ZONE_COUNTED, 0);
    expect(&battery[1], ZONE_BESIDE, 0);
    zones_plan(metered, LEN(metered));
    expect(&metered[0], ZONE_INSIDE, 3);
    expect(&metered[1], ZONE_INSIDE, 3);
    expect(&metered[2], ZONE_COUNTED, 0);
}

/* A parent that is its own parent ends nowhere, and must not hang. */
static void circle(void)
{
    struct energy_zone z[] = {
        { .subject = 1, .parent = 2, .name = "a", .part = ZONE_OTHER },
        { .subject = 2, .parent = 1, .name = "b", .part = ZONE_OTHER },
    };

    zones_plan(z, LEN(z));
    CHECK_INT(z[0].role, ZONE_INSIDE);
    zones_plan(z, 0);
}

/* A database of others may leave names and sources out: such sensors are no
 * two of the same. */
static void nameless(void)
{
    struct energy_zone z[] = {
        { .subject = 1, .part = ZONE_OTHER },
        { .subject = 2, .part = ZONE_OTHER },
        { .subject = 3, .part = ZONE_OTHER, .name = "a" },
    };

    zones_plan(z, LEN(z));
    for (size_t i = 0; i < LEN(z); i++)
        expect(&z[i], ZONE_COUNTED, 0);
    CHECK_INT(zone_part_of(NULL), ZONE_OTHER);
    CHECK_INT(zone_part_of(""), ZONE_OTHER);
}

static void names(void)
{
    CHECK_INT(zone_part_of("package-1"), ZONE_CPU);
    CHECK_INT(zone_part_of("core"), ZONE_CPU);
    CHECK_INT(zone_part_of("uncore"), ZONE_GPU);
    CHECK_INT(zone_part_of("dram"), ZONE_DRAM);
    CHECK_INT(zone_part_of("ANE"), ZONE_NPU);
    CHECK_INT(zone_part_of("psys"), ZONE_WHOLE);
    CHECK_INT(zone_part_of("BAT1"), ZONE_WHOLE);
    CHECK_INT(zone_part_of("fan"), ZONE_OTHER);
    CHECK(strcmp(zone_part_name(ZONE_NPU), "npu") == 0);
    CHECK(strcmp(zone_role_name(ZONE_INSIDE), "inside") == 0);
}

int main(void)
{
    server();
    twice();
    machine();
    circle();
    nameless();
    names();
    return test_result();
}
