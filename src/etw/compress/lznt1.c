/* lznt1.c -- LZNT1: [MS-XCA] 2.5.
 *
 * Chunks of up to 4096 bytes, each behind 16 bits: its size less 3, and whether
 * it is compressed.  In one that is, 8 flags, the lowest first, say what
 * follows: a byte, or a match of 16 bits.  How many of these are distance grows
 * with what the chunk has written. */
#include "etw/bytes.h"
#include "etw/compress/decompress.h"
#include "etw/match.h"

#include <errno.h>

#define CHUNK_BYTES 4096

/* How many bits are the length, `written` bytes into the chunk. */
static int length_bits(size_t written)
{
    int bits = 12;

    for (size_t n = written - 1; n >= 16; n >>= 1)
        bits--;
    return bits;
}

static bool chunk(unsigned char *to, size_t *at, size_t cap,
        const unsigned char *p, size_t len)
{
    size_t begin = *at, i = 0;

    if (cap - begin > CHUNK_BYTES)
        cap = begin + CHUNK_BYTES;
    while (i < len && *at < cap) {
        unsigned flags = p[i++];

        for (int bit = 0; bit < 8 && i < len && *at < cap; bit++) {
            if (!(flags >> bit & 1)) {
                to[(*at)++] = p[i++];
                continue;
            }
            if (len - i < 2 || *at == begin)
                return false;

            int bits = length_bits(*at - begin);
            unsigned match = get_u16(p + i);
            size_t distance = (match >> bits) + 1u;

            i += 2;
            if (distance > *at - begin ||
                    !match_copy(to, at, cap, distance,
                            (match & ((1u << bits) - 1)) + 3u))
                return false;
        }
    }
    return true;
}

int64_t lznt1_decompress(unsigned char *to, size_t cap,
        const unsigned char *from, size_t len)
{
    size_t at = 0, i = 0;

    while (at < cap && len - i >= 2) {
        unsigned head = get_u16(from + i);
        size_t bytes = (head & 0xfff) + 1u;

        if (!head)
            break;
        i += 2;
        if (bytes > len - i)
            return -EINVAL;
        if (!(head & 0x8000)) {
            size_t fits = bytes < cap - at ? bytes : cap - at;

            memcpy(to + at, from + i, fits);
            at += fits;
        } else if (!chunk(to, &at, cap, from + i, bytes))
            return -EINVAL;
        i += bytes;
    }
    return (int64_t)at;
}
