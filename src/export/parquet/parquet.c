/* parquet.c -- the file around the pages: magic, row groups, footer.
 * https://parquet.apache.org/docs/file-format/ has the whole; the numbers of
 * fields and enums are those of its parquet.thrift. */
#include "export/parquet/parquet.h"

#include "base/alloc.h"
#include "export/formats.h"
#include "export/parquet/parquet_column.h"
#include "export/parquet/parquet_encode.h"
#include "export/parquet/thrift.h"

#include <stdlib.h>

#define MAGIC       "PAR1"
#define GROUP_ROWS  131072
#define GROUP_BYTES ((size_t)64 << 20)
#define CHECK_ROWS  1024 /* how often the bytes are added up */

struct parquet {
    struct sink *to;
    const struct column *columns;
    size_t column_count;
    struct parquet_pack *pack;
    struct parquet_column *data;
    struct buf pages;
    struct buf groups; /* what the footer says of each, in Thrift */
    size_t group_count;
    struct buf notes; /* the same */
    size_t note_count;
    uint64_t at; /* in the file */
    uint64_t rows;
    size_t group_rows; /* of the group being gathered */
};

static void put(struct parquet *p, struct str bytes)
{
    sink_write(p->to, bytes);
    p->at += bytes.len;
}

struct parquet *parquet_open(struct sink *to, const struct column *columns,
        size_t count, enum export_codec codec)
{
    struct parquet *p = alloc_zero(1, sizeof(*p));

    p->to = to;
    p->columns = columns;
    p->column_count = count;
    p->pack = parquet_pack_new(codec);
    p->data = alloc_zero(count, sizeof(*p->data));
    for (size_t i = 0; i < count; i++)
        parquet_column_init(&p->data[i], columns[i].type,
                column_nullable(&columns[i]));
    put(p, str_of(MAGIC));
    return p;
}

void parquet_note(struct parquet *p, const char *key, const char *value)
{
    struct thrift t = thrift_into(&p->notes);

    thrift_text(&t, 1, key);
    thrift_text(&t, 2, value);
    thrift_end(&t);
    p->note_count++;
}

/* --- row groups ----------------------------------------------------------- */

static int physical(enum column_type type)
{
    static const int types[] = {
        [COLUMN_BOOL] = 0,
        [COLUMN_INT] = 2,
        [COLUMN_TIME] = 2,
        [COLUMN_REAL] = 5,
        [COLUMN_TEXT] = 6,
    };

    return types[type];
}

/* The encodings in use: of values, and RLE for levels. */
static void encodings(struct thrift *t, const struct parquet_column *c,
        const struct parquet_chunk *chunk)
{
    int all[3];
    size_t count = 0;

    if (c->type == COLUMN_TEXT)
        all[count++] = 8;
    if (c->type == COLUMN_INT || c->type == COLUMN_TIME)
        all[count++] = 5;
    if (c->type == COLUMN_REAL || c->type == COLUMN_TEXT || chunk->plain_texts)
        all[count++] = 0;
    if (c->nullable || c->type == COLUMN_BOOL)
        all[count++] = 3;
    thrift_list(t, 2, THRIFT_I32, count);
    for (size_t i = 0; i < count; i++)
        thrift_element_i32(t, all[i]);
}

static void describe_chunk(struct thrift *t, const struct parquet *p, size_t i,
        const struct parquet_chunk *chunk)
{
    const struct parquet_column *c = &p->data[i];

    thrift_element(t);
    thrift_i64(t, 2, 0);
    thrift_struct(t, 3);
    thrift_i32(t, 1, physical(c->type));
    encodings(t, c, chunk);
    thrift_list(t, 3, THRIFT_BINARY, 1);
    thrift_element_text(t, p->columns[i].name);
    thrift_i32(t, 4, parquet_pack_number(p->pack));
    thrift_i64(t, 5, (int64_t)c->rows);
    thrift_i64(t, 6, (int64_t)chunk->plain_bytes);
    thrift_i64(t, 7, (int64_t)chunk->packed_bytes);
    thrift_i64(t, 9, (int64_t)chunk->data_at);
    if (chunk->dict_at)
        thrift_i64(t, 11, (int64_t)chunk->dict_at);
    thrift_struct(t, 12);
    parquet_column_statistics(c, t);
    thrift_end(t);
    thrift_end(t);
    thrift_end(t);
}

static void put_group(struct parquet *p)
{
    struct thrift t = thrift_into(&p->groups);
    uint64_t begin = p->at, plain = 0, packed = 0;

    if (!p->group_rows)
        return;
    thrift_list(&t, 1, THRIFT_STRUCT, p->column_count);
    for (size_t i = 0; i < p->column_count; i++) {
        struct parquet_chunk chunk;

        buf_clear(&p->pages);
        parquet_column_write(&p->data[i], &p->pages, p->at, p->pack, &chunk);
        put(p, buf_str(&p->pages));
        describe_chunk(&t, p, i, &chunk);
        parquet_column_clear(&p->data[i]);
        plain += chunk.plain_bytes;
        packed += chunk.packed_bytes;
    }
    thrift_i64(&t, 2, (int64_t)plain);
    thrift_i64(&t, 3, (int64_t)p->group_rows);
    thrift_i64(&t, 5, (int64_t)begin);
    thrift_i64(&t, 6, (int64_t)packed);
    if (p->group_count <= INT16_MAX)
        thrift_i16(&t, 7, (int16_t)p->group_count);
    thrift_end(&t);
    p->group_count++;
    p->group_rows = 0;
}

static bool too_large(const struct parquet *p)
{
    size_t bytes = 0;

    if (p->group_rows % CHECK_ROWS)
        return false;
    for (size_t i = 0; i < p->column_count; i++)
        bytes += parquet_column_bytes(&p->data[i]);
    return bytes >= GROUP_BYTES;
}

void parquet_row(struct parquet *p, const struct cell *cells)
{
    for (size_t i = 0; i < p->column_count; i++)
        parquet_column_add(&p->data[i], &cells[i]);
    p->rows++;
    p->group_rows++;
    if (p->group_rows == GROUP_ROWS || too_large(p))
        put_group(p);
}

/* --- the footer ----------------------------------------------------------- */

/* A time is in UTC, but is not said to be: DuckDB drops the nanoseconds of
 * those that are. */
static void describe_type(struct thrift *t, enum column_type type)
{
    if (type == COLUMN_TEXT) {
        thrift_i32(t, 6, 0);
        thrift_struct(t, 10);
        thrift_struct(t, 1);
        thrift_end(t);
        thrift_end(t);
    } else if (type == COLUMN_TIME) {
        thrift_struct(t, 10);
        thrift_struct(t, 8);
        thrift_bool(t, 1, false);
        thrift_struct(t, 2);
        thrift_struct(t, 3);
        thrift_end(t);
        thrift_end(t);
        thrift_end(t);
        thrift_end(t);
    }
}

static void describe_schema(struct thrift *t, const struct parquet *p)
{
    thrift_list(t, 2, THRIFT_STRUCT, p->column_count + 1);
    thrift_element(t);
    thrift_text(t, 4, "schema");
    thrift_i32(t, 5, (int32_t)p->column_count);
    thrift_end(t);
    for (size_t i = 0; i < p->column_count; i++) {
        thrift_element(t);
        thrift_i32(t, 1, physical(p->columns[i].type));
        thrift_i32(t, 3, column_nullable(&p->columns[i]));
        thrift_text(t, 4, p->columns[i].name);
        describe_type(t, p->columns[i].type);
        thrift_end(t);
    }
}

static void put_footer(struct parquet *p)
{
    struct buf footer = { 0 };
    struct thrift t = thrift_into(&footer);

    thrift_i32(&t, 1, 1);
    describe_schema(&t, p);
    thrift_i64(&t, 3, (int64_t)p->rows);
    thrift_list(&t, 4, THRIFT_STRUCT, p->group_count);
    buf_add(&footer, p->groups.p, p->groups.len);
    if (p->note_count) {
        thrift_list(&t, 5, THRIFT_STRUCT, p->note_count);
        buf_add(&footer, p->notes.p, p->notes.len);
    }
    thrift_text(&t, 6, "ortmeter version " ORTMETER_VERSION);
    thrift_list(&t, 7, THRIFT_STRUCT, p->column_count);
    for (size_t i = 0; i < p->column_count; i++) {
        thrift_element(&t);
        thrift_struct(&t, 1);
        thrift_end(&t);
        thrift_end(&t);
    }
    thrift_end(&t);
    parquet_u32(&footer, (uint32_t)footer.len);
    buf_text(&footer, MAGIC);
    put(p, buf_str(&footer));
    buf_release(&footer);
}

void parquet_close(struct parquet *p)
{
    put_group(p);
    put_footer(p);
    for (size_t i = 0; i < p->column_count; i++)
        parquet_column_release(&p->data[i]);
    free(p->data);
    parquet_pack_free(p->pack);
    buf_release(&p->pages);
    buf_release(&p->groups);
    buf_release(&p->notes);
    free(p);
}

/* --- a table of a run ----------------------------------------------------- */

static void take_row(void *to, const struct cell *cells)
{
    parquet_row(to, cells);
}

static int write_table(struct sink *to, const struct table *t, struct store *s,
        int64_t run, enum export_codec codec, struct error *e)
{
    struct parquet *p =
            parquet_open(to, t->type->columns, t->type->count, codec);
    struct buf key = { 0 };

    parquet_note(p, "ortmeter.table", t->type->name);
    for (size_t i = 0; i < t->type->count; i++)
        if (t->type->columns[i].unit) {
            buf_clear(&key);
            buf_printf(&key, "ortmeter.unit.%s", t->type->columns[i].name);
            parquet_note(p, buf_cstr(&key), t->type->columns[i].unit);
        }
    buf_release(&key);

    int rc = table_each_row(t, s, run, take_row, p, e);

    parquet_close(p);
    return rc;
}

const struct export_format export_parquet = {
    .name = "parquet",
    .about = "tables for DuckDB, pandas, Spark: one Parquet file each",
    .ending = ".parquet",
    .binary = true,
    .write_table = write_table,
    .has_pages = true,
};
