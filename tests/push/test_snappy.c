/* test_snappy.c -- what was compressed is read back by the rules of the format,
 * byte by byte; e2e/remote_write.sh lets others read it. */
#include "push/snappy.h"

#include "base/pb.h"
#include "test.h"

#include <string.h>

/* False: it is no Snappy. */
static bool copy(struct buf *out, size_t distance, size_t len)
{
    if (!distance || distance > out->len)
        return false;
    while (len--) {
        char c = out->p[out->len - distance];

        buf_char(out, c);
    }
    return true;
}

static size_t little(const char *p, size_t len)
{
    size_t value = 0;

    while (len--)
        value = value << 8 | (unsigned char)p[len];
    return value;
}

static bool element(struct buf *out, struct str *in)
{
    unsigned tag = (unsigned char)in->p[0];
    size_t len = (tag >> 2) + 1, head = 1;

    if ((tag & 3) == 0) {
        if (len > 60) {
            head += len - 60;
            if (in->len < head)
                return false;
            len = little(in->p + 1, len - 60) + 1;
        }
        if (in->len < head + len)
            return false;
        buf_add(out, in->p + head, len);
        head += len;
    } else {
        size_t more = (tag & 3) == 3 ? 4 : tag & 3;

        if (in->len < 1 + more)
            return false;

        size_t distance = little(in->p + 1, more);

        if (more == 1) {
            len = (tag >> 2 & 7) + 4;
            distance |= (size_t)(tag >> 5) << 8;
        }
        if (!copy(out, distance, len))
            return false;
        head += more;
    }
    *in = (struct str){ in->p + head, in->len - head };
    return true;
}

static bool decompress(struct buf *out, struct str in)
{
    uint64_t len = 0;

    if (pb_next_varint(&len, &in) != 1)
        return false;
    while (in.len)
        if (!element(out, &in))
            return false;
    return out->len == len;
}

static void there_and_back(struct str bytes, size_t most)
{
    struct buf packed = { 0 }, again = { 0 };

    snappy_compress(&packed, bytes);
    CHECK(packed.len <= most);
    CHECK(decompress(&again, buf_str(&packed)));
    CHECK(str_eq(buf_str(&again), bytes));
    buf_release(&packed);
    buf_release(&again);
}

/* The same numbers each time. */
static uint32_t next(uint32_t *state)
{
    return *state = *state * 1664525 + 1013904223;
}

int main(void)
{
    struct buf b = { 0 };
    uint32_t state = 7;

    snappy_compress(&b, str_of("aaaaaaaaaa"));
    CHECK(str_eq(buf_str(&b), (struct str){ "\x0a\0a\x15\x01", 5 }));
    there_and_back(str_of(""), 1);
    there_and_back(str_of("abc"), 5);

    /* Noise, repetitions near and far, over several blocks. */
    for (int round = 0; round < 300; round++) {
        size_t len = next(&state) % (round < 290 ? 3000 : 200000);
        unsigned letters = 1 + next(&state) % 255;

        buf_clear(&b);
        while (b.len < len)
            buf_char(&b, (char)((next(&state) >> 16) % letters));
        there_and_back(buf_str(&b), len + len / 100 + 16);
    }

    /* What repeats becomes small. */
    buf_clear(&b);
    for (int i = 0; i < 20000; i++)
        buf_printf(&b, "ortmeter_%d", i % 7);
    there_and_back(buf_str(&b), b.len / 15);
    buf_release(&b);
    return test_result();
}
