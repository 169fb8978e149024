/* xpress_huffman.c -- XPRESS with Huffman codes: [MS-XCA] 2.1 and 2.2.
 *
 * Each 64 KB of output begin with 512 code lengths of 4 bits.  Symbols below
 * 256 are bytes; the others are matches, 4 bits of length and 4 that say how
 * many bits of distance follow.  Bits come in 16-bit words, the highest first;
 * longer lengths are whole bytes between these words. */
#include "etw/bytes.h"
#include "etw/compress/decompress.h"
#include "etw/match.h"

#include <errno.h>

#define SYMBOLS     512
#define TABLE_BYTES (SYMBOLS / 2)
#define CODE_BITS   15
#define BLOCK_BYTES 65536

struct bits {
    const unsigned char *p;
    size_t at, len;
    uint32_t next; /* the highest are the next ones */
    int spare;     /* how many there are beyond 16 */
};

/* Symbol and length of every 15 bits. */
struct codes {
    uint16_t symbol[1 << CODE_BITS];
    unsigned char length[1 << CODE_BITS];
};

/* Behind the end there are zeros: the last words need not be there. */
static uint32_t next_word(struct bits *b)
{
    uint32_t word = b->len - b->at >= 2 ? get_u16(b->p + b->at) : 0;

    b->at = b->len - b->at >= 2 ? b->at + 2 : b->len;
    return word;
}

static void skip(struct bits *b, int count)
{
    b->next <<= count;
    b->spare -= count;
    if (b->spare < 0) {
        b->next |= next_word(b) << -b->spare;
        b->spare += 16;
    }
}

static bool build(struct codes *c, const unsigned char *lengths)
{
    size_t at = 0;

    for (int length = 1; length <= CODE_BITS; length++)
        for (unsigned s = 0; s < SYMBOLS; s++) {
            int own = s & 1 ? lengths[s / 2] >> 4 : lengths[s / 2] & 15;
            size_t room = (size_t)1 << (CODE_BITS - length);

            if (own != length)
                continue;
            if (room > (1 << CODE_BITS) - at)
                return false;
            for (; room; room--, at++) {
                c->symbol[at] = (uint16_t)s;
                c->length[at] = (unsigned char)length;
            }
        }
    return at == 1 << CODE_BITS;
}

/* The length of a match beyond its 4 bits; -1: the input ends. */
static int64_t long_length(struct bits *b)
{
    uint64_t length;

    if (b->at >= b->len)
        return -1;
    length = b->p[b->at++];
    if (length < 255)
        return (int64_t)length + 15;
    if (b->len - b->at < 2)
        return -1;
    length = get_u16(b->p + b->at);
    b->at += 2;
    if (!length) {
        if (b->len - b->at < 4)
            return -1;
        length = get_u32(b->p + b->at);
        b->at += 4;
    }
    return length < 15 ? -1 : (int64_t)length;
}

/* One block; false: it is damaged.  `ended`: it was the last one. */
static bool block(struct bits *b, const struct codes *c, unsigned char *to,
        size_t *at, size_t cap, bool *ended)
{
    size_t end = cap - *at > BLOCK_BYTES ? *at + BLOCK_BYTES : cap;

    b->next = next_word(b) << 16;
    b->next |= next_word(b);
    b->spare = 16;
    while (*at < end) {
        uint32_t code = b->next >> (32 - CODE_BITS);
        unsigned symbol = c->symbol[code];

        skip(b, c->length[code]);
        if (symbol < 256) {
            to[(*at)++] = (unsigned char)symbol;
            continue;
        }
        /* The first match of all is the mark of the end, too. */
        if (symbol == 256 && b->at >= b->len) {
            *ended = true;
            return true;
        }
        symbol -= 256;

        int64_t length = symbol & 15;
        int wide = (int)(symbol >> 4);

        if (length == 15 && (length = long_length(b)) < 0)
            return false;

        size_t distance =
                ((size_t)1 << wide) + (wide ? b->next >> (32 - wide) : 0);

        skip(b, wide);
        if (!match_copy(to, at, cap, distance, (size_t)length + 3))
            return false;
    }
    return true;
}

int64_t xpress_huffman_decompress(unsigned char *to, size_t cap,
        const unsigned char *from, size_t len)
{
    static _Thread_local struct codes codes;
    struct bits b = { .p = from, .len = len };
    size_t at = 0;
    bool ended = false;

    while (at < cap && !ended && b.len - b.at > TABLE_BYTES) {
        if (!build(&codes, b.p + b.at))
            return -EINVAL;
        b.at += TABLE_BYTES;
        if (!block(&b, &codes, to, &at, cap, &ended))
            return -EINVAL;
    }
    return (int64_t)at;
}
