#include "base/sort.h"

#include "test.h"

#include <stdint.h>

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

int main(void)
{
    for (size_t count = 0; count < 40; count++)
        check(count);
    return test_result();
}
