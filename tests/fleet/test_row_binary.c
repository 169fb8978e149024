#include "fleet/row_binary.h"

#include "base/compiler.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define ID "3f2a0000-0000-4000-8000-000000000001"

static char names[][8] = { "n", "maybe", "real", "text", "name" };

static struct stored_column columns[] = {
    { .name = names[0], .kind = COLUMN_INTEGER, .key = true },
    { .name = names[1], .kind = COLUMN_INTEGER, .nullable = true },
    { .name = names[2], .kind = COLUMN_REAL, .nullable = true },
    { .name = names[3], .kind = COLUMN_TEXT },
    { .name = names[4], .kind = COLUMN_NAME, .nullable = true },
};

static const struct stored_table table = {
    .name = names[0],
    .columns = columns,
    .count = LEN(columns),
};

/* Byte for byte what ClickHouse's documentation of the format says. */
static void known_bytes(void)
{
    static const char want[] = "\xfe\xff\xff\xff\xff\xff\xff\xff"
                               "\x01"
                               "\x00\x00\x00\x00\x00\x00\x00\xf8\x3f"
                               "\x03"
                               "abc"
                               "\x00\x00";
    struct buf b = { 0 };

    row_binary_cells(&b, &table,
            (struct stored_cell[]){
                    { .there = true, .integer = -2 },
                    { 0 },
                    { .there = true, .real = 1.5 },
                    { .there = true, .text = str_of("abc") },
                    { .there = true, .text = str_of("") },
            });
    CHECK_INT(b.len, sizeof(want) - 1);
    CHECK(b.len == sizeof(want) - 1 && memcmp(b.p, want, b.len) == 0);
    buf_clear(&b);
    row_binary_u16(&b, 0x1234);
    row_binary_u64(&b, 0x0102030405060708);
    CHECK(b.len == 10 &&
            memcmp(b.p, "\x34\x12\x08\x07\x06\x05\x04\x03\x02\x01", 10) == 0);
    buf_release(&b);
}

/* Two rows, one of a long text, however much of them has come. */
static void there_and_back(void)
{
    char text[300];
    struct buf b = { 0 };
    const struct stored_cell rows[2][LEN(columns)] = {
        {
                { .there = true, .integer = INT64_MIN },
                { .there = true, .integer = INT64_MAX },
                { 0 },
                { .there = true, .text = { text, sizeof(text) } },
                { 0 },
        },
        {
                { .there = true, .integer = 7 },
                { 0 },
                { .there = true, .real = -0.0 },
                { .there = true, .text = { "a\0b", 3 } },
                { .there = true, .text = str_of("Conv") },
        },
    };
    size_t first;

    memset(text, 'x', sizeof(text));
    buf_text(&b, ID);
    row_binary_cells(&b, &table, rows[0]);
    first = b.len;
    buf_text(&b, ID);
    row_binary_cells(&b, &table, rows[1]);
    for (size_t len = 0; len <= b.len; len++) {
        struct str rest = { b.p, len }, id;
        struct stored_cell got[LEN(columns)];
        size_t count = 0;

        while (row_binary_take(&id, got, &table, &rest) == 1) {
            const struct stored_cell *want = rows[count++];

            CHECK(str_is(id, ID));
            for (size_t i = 0; i < LEN(columns); i++) {
                CHECK_INT(got[i].there, want[i].there);
                CHECK_INT(got[i].integer, want[i].integer);
                CHECK(got[i].real == want[i].real);
                CHECK_INT(signbit(got[i].real), signbit(want[i].real));
                CHECK(str_eq(got[i].text, want[i].text));
            }
        }
        CHECK_INT(count, (len >= first) + (len == b.len));
        /* What is not a whole row is left as it is. */
        CHECK_INT(rest.len, len - (len == b.len          ? b.len
                                          : len >= first ? first
                                                         : 0));
    }
    buf_release(&b);
}

static void nonsense(void)
{
    static const struct {
        const char *bytes; /* behind id and number */
        size_t len;
        int rc;
    } cases[] = {
        { "\x02", 1, -EBADMSG }, /* neither there nor not */
        { "\x01\x01\xff\xff\xff\xff\xff\x01", 8, -EBADMSG }, /* a long text */
        { "\x01\x01\xff\xff\xff\x7f", 6, -EBADMSG },         /* 256 MiB */
        { "\x01\x01\xff\xff\xff", 5, 0 },                    /* not all there */
        { "", 0, 0 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct buf b = { 0 };
        struct stored_cell got[LEN(columns)];
        struct str rest, id;

        buf_text(&b, ID);
        row_binary_u64(&b, 1);
        buf_add(&b, cases[i].bytes, cases[i].len);
        rest = buf_str(&b);
        CHECK_INT(row_binary_take(&id, got, &table, &rest), cases[i].rc);
        CHECK_INT(rest.len, b.len);
        buf_release(&b);
    }
}

int main(void)
{
    known_bytes();
    there_and_back();
    nonsense();
    return test_result();
}
