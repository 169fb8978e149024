/* test_parquet.c -- bytes that are known: Thrift, runs and packs, differences.
 * Whole files are read by DuckDB and hyparquet in tests/e2e/parquet.sh. */
#include "export/parquet/parquet_dict.h"
#include "export/parquet/parquet_encode.h"
#include "export/parquet/thrift.h"

#include "test.h"

#include <string.h>

static void check_bytes(struct buf *b, const char *want, size_t len, int line)
{
    if (b->len != len || memcmp(b->p, want, len) != 0) {
        (void)fprintf(stderr, "line %d:", line);
        for (size_t i = 0; i < b->len; i++)
            (void)fprintf(stderr, " %02x", (unsigned char)b->p[i]);
        (void)fputc('\n', stderr);
        test_failures++;
    }
    buf_release(b);
}

#define CHECK_BYTES(b, want) check_bytes(b, want, sizeof(want) - 1, __LINE__)

/* The header of a page, as a prototype wrote it that four readers took. */
static void test_thrift(void)
{
    struct buf b = { 0 };
    struct thrift t = thrift_into(&b);

    thrift_i32(&t, 1, 0);
    thrift_i32(&t, 2, 53003);
    thrift_i32(&t, 3, 53003);
    thrift_struct(&t, 5);
    thrift_i32(&t, 1, 20000);
    thrift_i32(&t, 2, 5);
    thrift_i32(&t, 3, 3);
    thrift_i32(&t, 4, 3);
    thrift_end(&t);
    thrift_end(&t);
    CHECK_BYTES(&b, "\x15\x00\x15\x96\xbc\x06\x15\x96\xbc\x06\x2c\x15\xc0\xb8"
                    "\x02\x15\x0a\x15\x06\x15\x06\x00\x00");
    t = thrift_into(&b);
    thrift_bool(&t, 1, true);
    thrift_bool(&t, 20, false);
    thrift_i64(&t, 21, -1);
    thrift_i8(&t, 22, 64);
    thrift_text(&t, 23, "ab");
    thrift_list(&t, 24, THRIFT_I32, 1);
    thrift_element_i32(&t, -2);
    thrift_list(&t, 25, THRIFT_BINARY, 15);
    CHECK_BYTES(&b, "\x11\x02\x28\x16\x01\x13\x40\x18\x02"
                    "ab\x19\x15\x03\x19\xf8\x0f");
}

static void test_hybrid(void)
{
    uint32_t ones[20000], mixed[24];
    struct buf b = { 0 };

    for (size_t i = 0; i < 20000; i++)
        ones[i] = 1;
    parquet_hybrid(&b, ones, 20000, 1);
    CHECK_BYTES(&b, "\xc0\xb8\x02\x01");
    parquet_hybrid(&b, ones, 3, 3);
    CHECK_BYTES(&b, "\x03\x49\x00\x00");
    parquet_hybrid(&b, ones, 20, 0);
    CHECK_BYTES(&b, "\x28");
    parquet_hybrid(&b, ones, 0, 4);
    CHECK_INT(b.len, 0);
    /* A run lends the pack before it what this lacks to a group. */
    for (size_t i = 0; i < 24; i++)
        mixed[i] = i < 3 ? (uint32_t)i : 7;
    parquet_hybrid(&b, mixed, 24, 3);
    CHECK_BYTES(&b, "\x03\x88\xfe\xff\x20\x07");
    /* One that is too short for that joins it. */
    parquet_hybrid(&b, mixed, 10, 3);
    CHECK_BYTES(&b, "\x05\x88\xfe\xff\x3f\x00\x00");
    CHECK_INT(parquet_width(0), 0);
    CHECK_INT(parquet_width(1), 1);
    CHECK_INT(parquet_width(UINT64_MAX), 64);
}

/* What DELTA_BINARY_PACKED says, by its own words. */
static uint64_t varint(const char **p)
{
    uint64_t value = 0;
    unsigned shift = 0;

    do
        value |= (uint64_t)(**p & 0x7f) << shift;
    while (shift += 7, *(*p)++ & 0x80);
    return value;
}

static uint64_t zigzag(const char **p)
{
    uint64_t z = varint(p);

    return z >> 1 ^ (0 - (z & 1));
}

static void check_delta(const int64_t *values, size_t count)
{
    struct buf b = { 0 };

    parquet_delta(&b, values, count);

    const char *p = b.p;

    CHECK_INT(varint(&p), 128);
    CHECK_INT(varint(&p), 4);
    CHECK_INT(varint(&p), count);

    uint64_t value = zigzag(&p);

    CHECK(!count || (int64_t)value == values[0]);
    for (size_t at = 1; at < count; at += 128) {
        uint64_t least = zigzag(&p);
        const char *widths = p;

        p += 4;
        for (size_t m = 0; m < 4 && at + 32 * m < count; m++) {
            unsigned width = (unsigned char)widths[m];

            for (size_t i = 0; i < 32 && at + 32 * m + i < count; i++) {
                uint64_t delta = 0;

                for (unsigned k = 0; k < width; k++) {
                    size_t bit = i * width + k;

                    delta |= (uint64_t)(p[bit / 8] >> bit % 8 & 1) << k;
                }
                value += least + delta;
                CHECK_INT(value, values[at + 32 * m + i]);
            }
            p += 4 * width;
        }
    }
    CHECK(p == b.p + b.len);
    buf_release(&b);
}

static void test_delta(void)
{
    static const int64_t few[] = { 7, 5, 3, 1, 2, 3, 4, 5 };
    static int64_t many[1000];
    uint64_t bits = 1;
    struct buf b = { 0 };

    parquet_delta(&b, few, 8);
    CHECK_BYTES(&b, "\x80\x01\x04\x08\x0e\x03\x02\x00\x00\x00\xc0\x3f\x00\x00"
                    "\x00\x00\x00\x00");
    parquet_delta(&b, few, 0);
    CHECK_BYTES(&b, "\x80\x01\x04\x00\x00");
    for (int shift = 0; shift < 64; shift += 3) {
        for (size_t i = 0; i < 1000; i++) {
            bits = bits * UINT64_C(6364136223846793005) + 1442695040888963407;
            many[i] = (int64_t)bits >> shift;
        }
        check_delta(many, 1000);
        check_delta(many, 129);
        check_delta(many, 2);
    }
    many[0] = INT64_MIN;
    many[1] = INT64_MAX;
    check_delta(many, 3);
}

static void test_dict(void)
{
    struct parquet_dict d = { 0 };
    uint32_t number = 9;
    char text[16];

    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < PARQUET_DICT_TEXTS + 10; i++) {
            (void)snprintf(text, sizeof(text), "%u", i);

            bool taken = parquet_dict_number(&d, str_of(text), &number);

            CHECK(taken == (i < PARQUET_DICT_TEXTS));
            CHECK(!taken || number == i);
        }
        CHECK(d.full);
        parquet_dict_clear(&d);
        CHECK(parquet_dict_number(&d, str_of(""), &number) && number == 0);
        CHECK(parquet_dict_number(&d, str_of("a"), &number) && number == 1);
        CHECK(parquet_dict_number(&d, str_of(""), &number) && number == 0);
        parquet_dict_clear(&d);
    }
    parquet_dict_release(&d);
}

int main(void)
{
    test_thrift();
    test_hybrid();
    test_delta();
    test_dict();
    return test_result();
}
