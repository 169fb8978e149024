#include "base/sort.h"

#include "base/alloc.h"
#include "test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int by_rank(const void *a, const void *b, void *context)
{
    const uint32_t *rank = context;
    uint32_t x = rank[*(const uint32_t *)a], y = rank[*(const uint32_t *)b];

    return x < y ? -1 : x > y;
}

/* Numbers by the rank that the context gives them, for every small count. */
static void check(size_t count)
{
    uint32_t rank[40], items[40], state = (uint32_t)count + 1;

    for (size_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        rank[i] = state >> 28; /* some are equal */
        items[i] = (uint32_t)i;
    }
    sort_with(items, count, sizeof(items[0]), by_rank, rank);

    uint64_t seen = 0;

    for (size_t i = 0; i < count; i++) {
        seen |= UINT64_C(1) << items[i];
        CHECK(i == 0 || rank[items[i - 1]] <= rank[items[i]]);
    }
    CHECK(seen == (UINT64_C(1) << count) - 1);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Numbers of both signs and all sizes, as qsort() has them. */
static void check_doubles(size_t count, double least, double width)
{
    double *values = alloc_zero(count + 1, sizeof(*values));
    double *other = alloc_zero(count + 1, sizeof(*other));
    uint64_t state = count + 1;

    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        values[i] = least + width * (double)(state >> 40) / (1 << 24);
        other[i] = values[i];
    }
    if (count > 4) {
        values[1] = other[1] = INFINITY;
        values[2] = other[2] = -INFINITY;
        values[3] = other[3] = 0;
    }
    sort_doubles(values, count);
    qsort(other, count, sizeof(*other), by_value);
    CHECK(memcmp(values, other, count * sizeof(*values)) == 0);
    free(values);
    free(other);
}

int main(void)
{
    for (size_t count = 0; count < 40; count++)
        check(count);
    for (size_t count = 0; count < 5000; count += count / 2 + 1) {
        check_doubles(count, -1e9, 2e9);
        check_doubles(count, 11, 1e-3);
        check_doubles(count, 7, 0);
    }
    return test_result();
}
