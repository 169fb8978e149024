#include "base/pb.h"

#include "base/alloc.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A copy whose end is the heap's end: a byte too many is an error under ASan,
 * which a string constant's zero would hide.  For free(). */
static char *heap_copy(struct str s)
{
    char *p = alloc_zero(s.len, 1);

    memcpy(p, s.p, s.len);
    return p;
}

#define BYTES(text)            \
    {                          \
        text, sizeof(text) - 1 \
    }

/* One field each.  The bytes are worked out by hand from the format's
 * description, not by our writer. */
static const struct {
    struct str bytes;
    uint32_t number;
    enum pb_wire wire;
    uint64_t value;
    size_t inside;
} good[] = {
    { BYTES("\x08\x96\x01"), 1, PB_WIRE_VARINT, 150, 0 },
    { BYTES("\x12\x03xyz"), 2, PB_WIRE_BYTES, 0, 3 },
    { BYTES("\x12\x00"), 2, PB_WIRE_BYTES, 0, 0 },
    { BYTES("\x1d\x00\x00\x80\x3f"), 3, PB_WIRE_FIXED32, 0x3f800000, 0 },
    { BYTES("\x21\x01\x02\x03\x04\x05\x06\x07\x88"), 4, PB_WIRE_FIXED64,
            0x8807060504030201, 0 },
    /* all 64 bits; a varint longer than it need be; the greatest number */
    { BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 1, PB_WIRE_VARINT,
            UINT64_MAX, 0 },
    { BYTES("\x08\x85\x80\x00"), 1, PB_WIRE_VARINT, 5, 0 },
    { BYTES("\xf8\xff\xff\xff\x0f\x07"), PB_NUMBER_MAX, PB_WIRE_VARINT, 7, 0 },
};

static const struct str damaged[] = {
    /* varints: 65 bits, eleven bytes, cut short, absent */
    BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
    BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
    BYTES("\x08\x96"),
    BYTES("\x08"),
    /* bytes: without a length, one too long, one that would wrap around */
    BYTES("\x12"),
    BYTES("\x12\x04xyz"),
    BYTES("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01xyz"),
    /* fixed: a byte short */
    BYTES("\x1d\x00\x00\x80"),
    BYTES("\x21\x01\x02\x03\x04\x05\x06\x07"),
    /* tags: cut short, number 0, a number of 30 bits */
    BYTES("\x88"),
    BYTES("\x00\x01"),
    BYTES("\x80\x80\x80\x80\x10\x01"),
    /* groups, and the wire types that do not exist */
    BYTES("\x0b\x0c"),
    BYTES("\x0c\x01"),
    BYTES("\x0e\x01"),
    BYTES("\x0f\x01"),
};

static void check_good(void)
{
    for (size_t i = 0; i < LEN(good); i++) {
        char *copy = heap_copy(good[i].bytes);
        struct str rest = { copy, good[i].bytes.len };
        struct pb_field f = { 0 };
        int before = test_failures;

        CHECK_INT(pb_next(&f, &rest), 1);
        CHECK_INT(f.number, good[i].number);
        CHECK_INT(f.wire, good[i].wire);
        CHECK(f.value == good[i].value);
        CHECK_INT(f.bytes.len, good[i].inside);
        CHECK_INT(rest.len, 0);
        CHECK_INT(pb_next(&f, &rest), 0);
        if (test_failures != before)
            (void)fprintf(stderr, "  in good[%zu]\n", i);
        free(copy);
    }
}

static void check_damaged(void)
{
    for (size_t i = 0; i < LEN(damaged); i++) {
        char *copy = heap_copy(damaged[i]);
        struct str rest = { copy, damaged[i].len };
        struct pb_field f = { .number = 99 };
        int before = test_failures;

        CHECK_INT(pb_next(&f, &rest), -EINVAL);
        CHECK_INT(f.number, 99);
        CHECK(rest.p == copy && rest.len == damaged[i].len);
        if (test_failures != before)
            (void)fprintf(stderr, "  in damaged[%zu]\n", i);
        free(copy);
    }
}

/* What the writer makes of each kind, byte for byte. */
static void check_writes(void)
{
    static const char want[] = "\x08\x96\x01"
                               "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                               "\x1d\x78\x56\x34\x12"
                               "\x21\x01\x00\x00\x00\x00\x00\x00\x80"
                               "\x2d\x00\x00\x80\xbf"
                               "\x31\x00\x00\x00\x00\x00\x00\x04\x40"
                               "\x3a\x02hi"
                               "\x42\x00"
                               "\x4a\x03\x01\x00\x02"
                               "\xf8\xff\xff\xff\x0f\x00";
    struct buf b = { 0 };

    pb_u64(&b, 1, 150);
    pb_i64(&b, 2, -1);
    pb_fixed32(&b, 3, 0x12345678);
    pb_fixed64(&b, 4, 0x8000000000000001);
    pb_float(&b, 5, -1);
    pb_double(&b, 6, 2.5);
    pb_text(&b, 7, "hi");
    pb_str(&b, 8, (struct str){ NULL, 0 });
    pb_bytes(&b, 9, "\x01\x00\x02", 3);
    pb_u64(&b, PB_NUMBER_MAX, 0);
    CHECK_INT(b.len, sizeof(want) - 1);
    CHECK(b.len == sizeof(want) - 1 && !memcmp(b.p, want, b.len));
    buf_release(&b);
}

/* A message inside a message inside a message, with `len` bytes in the
 * innermost: lengths of one, two and three bytes are patched in. */
static void check_nesting(size_t len)
{
    struct buf b = { 0 };
    struct pb_field f = { 0 };

    pb_u64(&b, 1, 7);

    size_t outer = pb_begin(&b, 2);
    size_t middle = pb_begin(&b, 300);
    size_t inner = pb_begin(&b, 1);

    for (size_t i = 0; i < len; i++)
        buf_char(&b, (char)(i * 31));
    pb_end(&b, inner);
    pb_end(&b, middle);
    pb_u64(&b, 3, 11);
    pb_end(&b, outer);
    pb_u64(&b, 4, 13);

    struct str top = buf_str(&b);

    CHECK(pb_next(&f, &top) == 1 && f.number == 1 && f.value == 7);
    CHECK(pb_next(&f, &top) == 1 && f.number == 2);

    struct str in = f.bytes;

    CHECK(pb_next(&f, &top) == 1 && f.number == 4 && f.value == 13);
    CHECK_INT(pb_next(&f, &top), 0);
    CHECK(pb_next(&f, &in) == 1 && f.number == 300);

    struct str deep = f.bytes;

    CHECK(pb_next(&f, &in) == 1 && f.number == 3 && f.value == 11);
    CHECK_INT(pb_next(&f, &in), 0);
    CHECK(pb_next(&f, &deep) == 1 && f.number == 1);
    CHECK_INT(f.bytes.len, len);
    for (size_t i = 0; i < f.bytes.len; i++)
        CHECK(f.bytes.p[i] == (char)(i * 31));
    buf_release(&b);
}

static void check_packed(void)
{
    struct buf b = { 0 };
    struct pb_field f = { 0 };
    uint64_t wide = 0;
    uint32_t narrow = 0;
    size_t list = pb_begin(&b, 1);

    pb_add_varint(&b, 3);
    pb_add_varint(&b, 270);
    pb_add_varint(&b, 86942);
    pb_end(&b, list);
    CHECK_INT(b.len, 8);
    CHECK(b.len == 8 && !memcmp(b.p, "\x0a\x06\x03\x8e\x02\x9e\xa7\x05", 8));

    struct str rest = buf_str(&b);

    CHECK_INT(pb_next(&f, &rest), 1);
    CHECK(pb_next_varint(&wide, &f.bytes) == 1 && wide == 3);
    CHECK(pb_next_varint(&wide, &f.bytes) == 1 && wide == 270);
    CHECK(pb_next_varint(&wide, &f.bytes) == 1 && wide == 86942);
    CHECK_INT(pb_next_varint(&wide, &f.bytes), 0);

    buf_clear(&b);
    pb_add_fixed32(&b, 0x40200000);
    pb_add_fixed64(&b, 0x4004000000000000);
    rest = buf_str(&b);
    CHECK_INT(pb_next_fixed32(&narrow, &rest), 1);
    CHECK(pb_as_float(narrow) == 2.5f);
    CHECK_INT(pb_next_fixed64(&wide, &rest), 1);
    CHECK(pb_as_double(wide) == 2.5);
    CHECK_INT(pb_next_fixed64(&wide, &rest), 0);
    rest = (struct str){ b.p, 3 };
    CHECK_INT(pb_next_fixed32(&narrow, &rest), -EINVAL);
    CHECK_INT(rest.len, 3);
    buf_release(&b);
}

int main(void)
{
    static const size_t lens[] = { 0, 1, 120, 127, 128, 16380, 16384, 70000 };

    check_good();
    check_damaged();
    check_writes();
    for (size_t i = 0; i < LEN(lens); i++)
        check_nesting(lens[i]);
    check_packed();
    return test_result();
}
