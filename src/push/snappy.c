/* snappy.c -- finds what came before, four bytes or more of it, in blocks of
 * 64 KiB, so that a distance takes two bytes at most.
 *
 *     length    varint: of the bytes, not compressed
 *     literal   len-1 << 2 | 0; where len-1 >= 60: 59+n << 2, then n bytes
 *     copy      1 byte of distance:  len-4 << 2 | high bits << 5 | 1
 *               2 bytes:             len-1 << 2 | 2
 *
 * See format_description.txt of google/snappy. */
#include "push/snappy.h"

#include "base/pb.h"

#include <assert.h>
#include <string.h>

#define BLOCK_BYTES 65536
#define HASH_BITS   14
#define COPY_MAX    64

static uint32_t four(const char *p)
{
    uint32_t value;

    memcpy(&value, p, sizeof(value));
    return value;
}

static uint32_t place_of(const char *p)
{
    return four(p) * 0x1e35a7bdu >> (32 - HASH_BITS);
}

static void literal(struct buf *out, const char *p, size_t len)
{
    size_t n = len - 1;

    if (!len)
        return;
    if (n < 60) {
        buf_char(out, (char)(n << 2));
    } else if (n < 256) {
        buf_char(out, (char)(60 << 2));
        buf_char(out, (char)n);
    } else { /* a block has no more */
        buf_char(out, (char)(61 << 2));
        buf_char(out, (char)(n & 255));
        buf_char(out, (char)(n >> 8));
    }
    buf_add(out, p, len);
}

static void copy_piece(struct buf *out, size_t distance, size_t len)
{
    if (len >= 4 && len < 12 && distance < 2048) {
        buf_char(out, (char)(1 | (len - 4) << 2 | distance >> 8 << 5));
        buf_char(out, (char)(distance & 255));
        return;
    }
    buf_char(out, (char)(2 | (len - 1) << 2));
    buf_char(out, (char)(distance & 255));
    buf_char(out, (char)(distance >> 8));
}

static void copy(struct buf *out, size_t distance, size_t len)
{
    for (; len > COPY_MAX; len -= COPY_MAX)
        copy_piece(out, distance, COPY_MAX);
    copy_piece(out, distance, len);
}

static size_t same(const char *a, const char *b, const char *end)
{
    const char *start = b;

    while (b < end && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(b - start);
}

static void block(struct buf *out, const char *p, size_t len)
{
    uint16_t seen[1 << HASH_BITS] = { 0 }; /* offsets; 0 is checked like any */
    const char *end = p + len;
    const char *pending = p;

    for (const char *at = p + 1; at + 4 <= end;) {
        uint16_t *slot = &seen[place_of(at)];
        const char *before = p + *slot;

        *slot = (uint16_t)(at - p);
        if (four(before) != four(at)) {
            at++;
            continue;
        }

        size_t run = 4 + same(before + 4, at + 4, end);

        literal(out, pending, (size_t)(at - pending));
        copy(out, (size_t)(at - before), run);
        at += run;
        pending = at;
    }
    literal(out, pending, (size_t)(end - pending));
}

void snappy_compress(struct buf *out, struct str bytes)
{
    assert(bytes.len <= UINT32_MAX);
    pb_add_varint(out, bytes.len);
    while (bytes.len) {
        size_t len = bytes.len < BLOCK_BYTES ? bytes.len : BLOCK_BYTES;

        block(out, bytes.p, len);
        bytes.p += len;
        bytes.len -= len;
    }
}
