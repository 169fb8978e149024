#include "analyse/sweep.h"

#include "base/compiler.h"
#include "test.h"

#include <string.h>

/* 100 ns a sample and 50: the machine moves by less than that, then by more. */
static void test_overlaps(void)
{
    struct sweep_point points[] = {
        { .batch = 1, .low_ns = 95, .high_ns = 105 },
        { .batch = 2, .low_ns = 96, .high_ns = 104 },
        { .batch = 4, .low_ns = 190, .high_ns = 400 },
    };
    struct sweep s = { .points = points, .count = LEN(points) };

    CHECK(!sweep_overlaps(&s, 0));
    CHECK(!sweep_overlaps(&s, 1)); /* 95 to 105 and 48 to 52 a sample */
    CHECK(sweep_overlaps(&s, 2));  /* 48 to 52 and 47.5 to 100 */
    CHECK(!sweep_overlaps(&s, 3));
    s.levels = true; /* then inferences are compared */
    CHECK(sweep_overlaps(&s, 1));
    CHECK(!sweep_overlaps(&s, 2));
}

/* All that ran took the time, also those whose own time does not count. */
static void test_rates(void)
{
    struct sweep_point p = { .batch = 8,
        .latency.count = 7,
        .done = 10,
        .wall_ns = 2e9 };

    CHECK(sweep_samples_per_s(&p) == 40);
    p.batch = 0; /* one that the model fixes counts as one sample */
    CHECK(sweep_samples_per_s(&p) == 5);
    p.wall_ns = 0;
    CHECK(sweep_samples_per_s(&p) == 0);
    CHECK(strcmp(sweep_level_name(99), "all") == 0);
    CHECK(strcmp(sweep_level_name(7), "?") == 0);
}

int main(void)
{
    test_overlaps();
    test_rates();
    return test_result();
}
