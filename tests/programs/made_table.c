/* made_table.c -- a table whose cells follow from their row's number:
 *
 *     made_table ROWS parquet|csv|jsonl [zstd|gzip|none] FILE
 *
 * tests/e2e/parquet.mjs computes the same cells in its own way. */
#include "base/buf.h"
#include "export/json/row_json.h"
#include "export/parquet/parquet.h"
#include "export/table/csv.h"
#include "tests/programs/ort_host.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN(n, t, w)                          \
    {                                            \
        .name = n, .type = COLUMN_##t, .when = w \
    }

static const struct column columns[] = {
    COLUMN("n", INT, WHEN_ALWAYS),
    COLUMN("wild", INT, WHEN_ALWAYS),
    COLUMN("part", INT, WHEN_SET),
    COLUMN("none", INT, WHEN_SET),
    COLUMN("real", REAL, WHEN_ALWAYS),
    COLUMN("odd", REAL, WHEN_SET),
    COLUMN("no_real", REAL, WHEN_SET),
    COLUMN("flag", BOOL, WHEN_ALWAYS),
    COLUMN("some_flag", BOOL, WHEN_SET),
    COLUMN("word", TEXT, WHEN_ALWAYS),
    COLUMN("some_word", TEXT, WHEN_SET),
    COLUMN("every", TEXT, WHEN_SET),
    COLUMN("no_word", TEXT, WHEN_SET),
    COLUMN("time", TIME, WHEN_ALWAYS),
    COLUMN("some_time", TIME, WHEN_SET),
};

enum { COUNT = sizeof(columns) / sizeof(columns[0]) };

struct texts {
    char word[32], some_word[32], every[64];
};

static int64_t wild(int64_t n)
{
    if (n % 5 == 0)
        return n % 2 ? INT64_MIN : INT64_MAX;
    return n * 2654435761 - 1000000000;
}

static double odd(int64_t n)
{
    if (n % 7 == 0)
        return NAN;
    if (n % 13 == 0)
        return n % 2 ? INFINITY : -INFINITY;
    return n % 17 == 0 ? -0.0 : (double)n / 3;
}

static struct cell whole(int64_t value, bool known)
{
    return (struct cell){ .known = known, .number = value };
}

static struct cell real(double value, bool known)
{
    return (struct cell){ .known = known, .real = value };
}

static struct cell truth(bool value, bool known)
{
    return (struct cell){ .known = known, .truth = value };
}

static struct cell text(const char *value, bool known)
{
    return (struct cell){ .known = known, .text = str_of(value) };
}

static void fill(struct cell *cells, struct texts *t, int64_t n)
{
    (void)snprintf(t->word, sizeof(t->word), "word %" PRId64, n % 10);
    (void)snprintf(t->some_word, sizeof(t->some_word), "w\xc3\xb6,rd \"%d\"",
            (int)(n % 100));
    if (n % 5 == 0)
        t->some_word[0] = 0;
    (void)snprintf(t->every, sizeof(t->every), "row %" PRId64 "\n%024d", n, 0);
    const struct cell all[COUNT] = {
        whole(n, true),
        whole(wild(n), true),
        whole(n * n - 1000, n % 3 != 0),
        whole(0, false),
        real((double)n / 8 - 1000, true),
        real(odd(n), n % 11 != 0),
        real(0, false),
        truth(n % 2 == 1, true),
        truth(n % 3 == 0, n % 4 != 1),
        text(t->word, true),
        text(t->some_word, n % 2 == 0),
        text(t->every, n % 1000 != 999),
        text("", false),
        whole(1700000000000000000 + n * 1000003, true),
        whole(1000000007 * n, n % 2 == 1),
    };

    memcpy(cells, all, sizeof(all));
}

static void write_lines(struct sink *to, int64_t rows, bool csv)
{
    struct cell cells[COUNT];
    struct texts texts;
    struct buf out = { 0 };

    if (csv)
        csv_head(&out, columns, COUNT);
    for (int64_t n = 0; n < rows; n++) {
        struct json j = json_line_into(&out);

        fill(cells, &texts, n);
        if (csv) {
            csv_row(&out, columns, COUNT, cells);
        } else {
            json_object(&j, NULL);
            row_json(&j, columns, COUNT, cells);
            json_end(&j);
            buf_char(&out, '\n');
        }
        if (out.len > 65536) {
            sink_write(to, buf_str(&out));
            buf_clear(&out);
        }
    }
    sink_write(to, buf_str(&out));
    buf_release(&out);
}

static void write_parquet(struct sink *to, int64_t rows,
        enum export_codec codec)
{
    struct parquet *p = parquet_open(to, columns, COUNT, codec);
    struct cell cells[COUNT];
    struct texts texts;

    parquet_note(p, "made", "by a test");
    for (int64_t n = 0; n < rows; n++) {
        fill(cells, &texts, n);
        parquet_row(p, cells);
    }
    parquet_close(p);
}

int main(int argc, char **argv)
{
    struct sink *to;
    struct error e = { 0 };

    if (argc != 4 && argc != 5)
        die("use: %s ROWS FORMAT [CODEC] FILE", argv[0]);

    int64_t rows = strtoll(argv[1], NULL, 10);
    enum export_codec codec = strcmp(argv[3], "gzip") == 0   ? EXPORT_GZIP
                              : strcmp(argv[3], "none") == 0 ? EXPORT_PLAIN
                                                             : EXPORT_ZSTD;

    if (sink_open(&to, argv[argc - 1], false, &e))
        die("%s", e.text);
    if (strcmp(argv[2], "parquet") == 0)
        write_parquet(to, rows, codec);
    else
        write_lines(to, rows, strcmp(argv[2], "csv") == 0);
    if (sink_close(to, true, &e))
        die("%s", e.text);
    return 0;
}
