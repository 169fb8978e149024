/* match.h -- what all LZ77 decoders do: repeat what was written before. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Copies `count` bytes from `distance` before `at`, as far as `cap` goes.
 * False: there is nothing so far back. */
static inline bool match_copy(unsigned char *to, size_t *at, size_t cap,
        size_t distance, size_t count)
{
    if (distance > *at || !distance)
        return false;
    if (count > cap - *at)
        count = cap - *at;

    unsigned char *out = to + *at;

    *at += count;
    if (distance >= count) {
        memcpy(out, out - distance, count);
        return true;
    }
    for (; count; count--, out++) /* it overlaps: a pattern repeats */
        *out = *(out - distance);
    return true;
}
