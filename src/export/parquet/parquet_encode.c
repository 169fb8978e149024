#include "export/parquet/parquet_encode.h"

#include "base/alloc.h"
#include "base/pb.h"

#include <string.h>

unsigned parquet_width(uint64_t most)
{
    unsigned width = 0;

    for (; most; most >>= 1)
        width++;
    return width;
}

void parquet_u32(struct buf *out, uint32_t value)
{
    pb_add_fixed32(out, value);
}

/* --- runs and packs ------------------------------------------------------- */

void parquet_hybrid_run(struct buf *out, uint32_t value, size_t count,
        unsigned width)
{
    pb_add_varint(out, (uint64_t)count << 1);
    for (unsigned i = 0; i < width; i += 8)
        buf_char(out, (char)(value >> i));
}

/* Values, eight of them to a group; the last group is filled up with 0. */
static void pack(struct buf *out, const uint32_t *values, size_t count,
        unsigned width)
{
    size_t groups = (count + 7) / 8;

    pb_add_varint(out, (uint64_t)groups << 1 | 1);
    for (size_t g = 0; g < groups; g++) {
        unsigned char bytes[32];
        uint64_t bits = 0;
        unsigned held = 0;
        size_t len = 0;

        for (size_t i = 8 * g; i < 8 * g + 8; i++) {
            bits |= (uint64_t)(i < count ? values[i] : 0) << held;
            for (held += width; held >= 8; held -= 8) {
                bytes[len++] = (unsigned char)bits;
                bits >>= 8;
            }
        }
        buf_add(out, bytes, len);
    }
}

/* How often the value at `at` comes again. */
static size_t run_at(const uint32_t *values, size_t at, size_t count)
{
    size_t end = at + 1;

    while (end < count && values[end] == values[at])
        end++;
    return end - at;
}

/* Only the last pack may be filled up, so a run that follows a pack first
 * gives it what it lacks to a whole group. */
void parquet_hybrid(struct buf *out, const uint32_t *values, size_t count,
        unsigned width)
{
    size_t packed_from = 0, at = 0;

    while (at < count) {
        size_t run = run_at(values, at, count);
        size_t lacks = (8 - (at - packed_from) % 8) % 8;

        if (run < lacks + 8) {
            at += run;
            continue;
        }
        if (at + lacks > packed_from)
            pack(out, values + packed_from, at + lacks - packed_from, width);
        parquet_hybrid_run(out, values[at], run - lacks, width);
        at += run;
        packed_from = at;
    }
    if (packed_from < count)
        pack(out, values + packed_from, count - packed_from, width);
}

/* --- differences ---------------------------------------------------------- */

enum { BLOCK = 128, MINIS = 4, MINI = BLOCK / MINIS };

static void zigzag(struct buf *out, uint64_t value)
{
    pb_add_varint(out, value << 1 ^ (0 - (value >> 63)));
}

/* 32 values of up to 64 bits each: 4 * width bytes. */
static void pack_mini(struct buf *out, const uint64_t *values, unsigned width)
{
    uint64_t words[MINI + 1] = { 0 };

    if (!width)
        return;
    for (unsigned i = 0, bit = 0; i < MINI; i++, bit += width) {
        unsigned shift = bit % 64;

        words[bit / 64] |= values[i] << shift;
        if (shift + width > 64)
            words[bit / 64 + 1] |= values[i] >> (64 - shift);
    }
    buf_add(out, words, (size_t)width * MINI / 8);
}

static void delta_block(struct buf *out, const int64_t *values, size_t count)
{
    uint64_t deltas[BLOCK] = { 0 };
    unsigned char widths[MINIS] = { 0 };
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < count; i++) {
        deltas[i] = (uint64_t)values[i + 1] - (uint64_t)values[i];
        if ((int64_t)deltas[i] < least)
            least = (int64_t)deltas[i];
    }
    for (size_t m = 0; m * MINI < count; m++) {
        uint64_t all = 0;

        for (size_t i = m * MINI; i < (m + 1) * MINI && i < count; i++) {
            deltas[i] -= (uint64_t)least;
            all |= deltas[i];
        }
        widths[m] = (unsigned char)parquet_width(all);
    }
    zigzag(out, (uint64_t)least);
    buf_add(out, widths, sizeof(widths));
    for (size_t m = 0; m * MINI < count; m++)
        pack_mini(out, deltas + m * MINI, widths[m]);
}

void parquet_delta(struct buf *out, const int64_t *values, size_t count)
{
    pb_add_varint(out, BLOCK);
    pb_add_varint(out, MINIS);
    pb_add_varint(out, count);
    zigzag(out, count ? (uint64_t)values[0] : 0);
    for (size_t at = 1; at < count; at += BLOCK) {
        size_t n = count - at < BLOCK ? count - at : BLOCK;

        delta_block(out, values + at - 1, n);
    }
}
