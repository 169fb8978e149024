/* map.h -- from a number to a number or a pointer.  Starts zeroed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
    struct map_entry {
        uint64_t key;
        uint64_t value;
        bool used;
    } * entries;
    size_t cap; /* 0 or a power of 2 */
    size_t count;
};

/* NULL: the key is not there.  Valid until the next map_put(). */
uint64_t *map_find(const struct map *m, uint64_t key);

/* Adds or replaces. */
void map_put(struct map *m, uint64_t key, uint64_t value);

/* Nothing happens when it is not there. */
void map_remove(struct map *m, uint64_t key);

/* Frees the memory; the map may be used again. */
void map_release(struct map *m);
