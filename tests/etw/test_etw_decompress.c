/* The three formats: what [MS-XCA] prints as examples, and streams made by the
 * simplest encoders there are. */
#include "etw/bytes.h"
#include "etw/compress/decompress.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned char out[200000];

static void check(int64_t (*unpack)(unsigned char *, size_t,
                          const unsigned char *, size_t),
        const unsigned char *from, size_t len, const char *want, size_t size)
{
    memset(out, 0xee, sizeof(out));
    CHECK_INT(unpack(out, size, from, len), size);
    CHECK(memcmp(out, want, size) == 0);
    CHECK_INT(out[size], 0xee);
    /* Less room: so much of it. */
    memset(out, 0xee, sizeof(out));
    CHECK_INT(unpack(out, size / 2, from, len), size / 2);
    CHECK(memcmp(out, want, size / 2) == 0);
    CHECK_INT(out[size / 2], 0xee);
    /* Cut anywhere: a part, or a refusal, never more. */
    for (size_t cut = 0; cut < len; cut++) {
        unsigned char *tight = malloc(cut ? cut : 1);

        memcpy(tight, from, cut);

        int64_t got = unpack(out, size, tight, cut);

        CHECK(got < 0 || memcmp(out, want, (size_t)got) == 0 ||
                unpack == xpress_huffman_decompress);
        free(tight);
    }
}

static void xpress(void)
{
    static const unsigned char letters[] = "\x3f\x00\x00\x00"
                                           "abcdefghijklmnopqrstuvwxyz";
    static const unsigned char again[] = { 0xff, 0xff, 0xff, 0x1f, 0x61, 0x62,
        0x63, 0x17, 0x00, 0x0f, 0xff, 0x26, 0x01 };
    static const unsigned char back[] = { 0, 0, 0, 0x80, 0x08, 0 };
    char abc[301];

    for (int i = 0; i < 300; i++)
        abc[i] = (char)('a' + i % 3);
    check(xpress_decompress, letters, sizeof(letters) - 1,
            "abcdefghijklmnopqrstuvwxyz", 26);
    check(xpress_decompress, again, sizeof(again), abc, 300);
    /* A match before the beginning. */
    CHECK_INT(xpress_decompress(out, 100, back, sizeof(back)), -EINVAL);
    CHECK_INT(xpress_decompress(out, 100, back, 0), 0);
}

static void lznt1(void)
{
    static const unsigned char tune[] = { 0x38, 0xb0, 0x88, 0x46, 0x23, 0x20,
        0x00, 0x20, 0x47, 0x20, 0x41, 0x00, 0x10, 0xa2, 0x47, 0x01, 0xa0, 0x45,
        0x20, 0x44, 0x00, 0x08, 0x45, 0x01, 0x50, 0x79, 0x00, 0xc0, 0x45, 0x20,
        0x05, 0x24, 0x13, 0x88, 0x05, 0xb4, 0x02, 0x4a, 0x44, 0xef, 0x03, 0x58,
        0x02, 0x8c, 0x09, 0x16, 0x01, 0x48, 0x45, 0x00, 0xbe, 0x00, 0x9e, 0x00,
        0x04, 0x01, 0x18, 0x90, 0x00 };
    static const unsigned char plain[] = { 0x04, 0x30, 'h', 'e', 'l', 'l', 'o',
        0, 0 };
    static const unsigned char back[] = { 0x02, 0xb0, 0x01, 0x00, 0x00 };

    check(lznt1_decompress, tune, sizeof(tune),
            "F# F# G A A G F# E D D E F# F# E E F# F# G A A G F# E D D E F# E D"
            " D E E F# D E F# G F# D E F# G F# E D E A F# F# G A A G F# E D D E"
            " F# E D D",
            142);
    check(lznt1_decompress, plain, sizeof(plain), "hello", 5);
    CHECK_INT(lznt1_decompress(out, 100, back, sizeof(back)), -EINVAL);
}

/* Every symbol in 9 bits, which is a complete code; words of 16 bits go out
 * when the decoder would fetch them. */
struct encoder {
    unsigned char bytes[400000];
    size_t len;
    uint32_t bits;
    int count;
    size_t words[2]; /* places that were reserved */
};

static void reserve(struct encoder *e)
{
    e->words[0] = e->words[1];
    e->words[1] = e->len;
    e->len += 2;
}

static void bits(struct encoder *e, unsigned value, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        e->bits = e->bits << 1 | (value >> i & 1);
        if (++e->count == 16) {
            put_u16(e->bytes + e->words[0], (uint16_t)e->bits);
            e->count = 0;
            e->bits = 0;
            reserve(e);
        }
    }
}

static void begin_block(struct encoder *e)
{
    memset(e->bytes + e->len, 0x99, 256);
    e->len += 256;
    e->count = 0;
    e->words[1] = e->len;
    e->len += 2;
    reserve(e);
}

static void end_block(struct encoder *e)
{
    while (e->count)
        bits(e, 0, 1);
    /* The word behind the last was reserved, and is not needed. */
    e->len -= 2;
}

static void huffman(void)
{
    static struct encoder e;
    static char want[140000];
    size_t at = 0;

    begin_block(&e);
    for (; at < 1000; at++) {
        want[at] = (char)(at * 7);
        bits(&e, (unsigned char)want[at], 9);
    }
    /* 10 bytes from 1000 = 512 + 488 before: length 7, 9 bits of distance. */
    bits(&e, 256 + (9 << 4) + 7, 9);
    bits(&e, 488, 9);
    memcpy(want + at, want + at - 1000, 10);
    at += 10;
    end_block(&e);
    check(xpress_huffman_decompress, e.bytes, e.len, want, at);

    static const unsigned char incomplete[400] = { 1 };

    CHECK_INT(
            xpress_huffman_decompress(out, 100, incomplete, sizeof(incomplete)),
            -EINVAL);
    CHECK_INT(etw_decompress((enum etw_compression)9, out, 10, incomplete, 10),
            -ENOTSUP);
}

int main(void)
{
    xpress();
    lznt1();
    huffman();
    return test_result();
}
