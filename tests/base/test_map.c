#include "base/map.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

#define KEYS 251 /* a prime; few, so that all are met again and again */

static void empty(void)
{
    struct map m = { 0 };

    CHECK(map_find(&m, 0) == NULL);
    map_remove(&m, 0);
    CHECK_INT(m.count, 0);
    map_release(&m);
    map_put(&m, 7, 8); /* after its release, too */
    CHECK(map_find(&m, 7) && *map_find(&m, 7) == 8);
    map_release(&m);
    CHECK(map_find(&m, 7) == NULL);
}

/* 0 and the greatest are keys and values like any other. */
static void extremes(void)
{
    static const uint64_t keys[] = { 0, 1, UINT64_MAX, UINT64_MAX - 1,
        UINT64_C(1) << 63, UINT64_C(1) << 32 };
    const size_t count = sizeof(keys) / sizeof(keys[0]);
    struct map m = { 0 };

    for (size_t i = 0; i < count; i++) {
        CHECK(map_find(&m, keys[i]) == NULL);
        map_put(&m, keys[i], ~keys[i]);
    }
    CHECK_INT(m.count, count);
    for (size_t i = 0; i < count; i++) {
        CHECK(map_find(&m, keys[i]) && *map_find(&m, keys[i]) == ~keys[i]);
        map_put(&m, keys[i], 0);
        CHECK(map_find(&m, keys[i]) && *map_find(&m, keys[i]) == 0);
    }
    CHECK_INT(m.count, count); /* replaced, not added */
    map_release(&m);
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

static void compare(const struct map *m, const uint64_t *values,
        const bool *there, uint64_t stride)
{
    size_t count = 0;

    for (uint64_t k = 0; k < KEYS; k++) {
        const uint64_t *found = map_find(m, k * stride);

        count += there[k];
        CHECK(there[k] == (found != NULL));
        CHECK(!found || *found == values[k]);
    }
    CHECK_INT(m->count, count);
}

/* Puts and removes at random, beside a plain array.  The stride decides how
 * the keys fall: in a row, as addresses do, or all into one place. */
static void against_an_array(uint64_t stride)
{
    uint64_t values[KEYS] = { 0 };
    bool there[KEYS] = { false };
    uint64_t state = stride;
    struct map m = { 0 };

    for (int i = 0; i < 20011; i++) {
        uint64_t k = random_next(&state) % KEYS;

        if (random_next(&state) % 5 < 3) {
            values[k] = random_next(&state);
            there[k] = true;
            map_put(&m, k * stride, values[k]);
        } else {
            there[k] = false;
            map_remove(&m, k * stride);
        }
        if (i % 97 == 0)
            compare(&m, values, there, stride);
    }
    compare(&m, values, there, stride);
    for (uint64_t k = 0; k < KEYS; k++)
        map_remove(&m, k * stride);
    CHECK_INT(m.count, 0);
    CHECK(m.cap <= 1024); /* removing made room: it did not grow for ever */
    map_release(&m);
}

int main(void)
{
    empty();
    extremes();
    against_an_array(1);
    against_an_array(64);
    against_an_array(4096);
    /* What home() shifts away: every key wants the same place. */
    against_an_array(UINT64_C(1) << 56);
    against_an_array(UINT64_C(0xf1de83e19937733d)); /* undoes the spreading */
    return test_result();
}
