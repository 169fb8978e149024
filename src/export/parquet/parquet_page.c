/* parquet_page.c -- the pages of a column.
 *
 * A page is a header in Thrift and a body: the levels, which tell where values
 * are absent, and the values that are there.  Page headers of version 1, since
 * their levels are packed with the values. */
#include "base/pb.h"
#include "export/parquet/parquet_column.h"
#include "export/parquet/parquet_encode.h"
#include "export/parquet/thrift.h"

#include <string.h>
#include <zlib.h>

#define PAGE_ROWS  20000
#define PAGE_BYTES ((size_t)1 << 20) /* of plain texts, about */

enum page_type { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum encoding {
    ENCODING_PLAIN = 0,
    ENCODING_RLE = 3,
    ENCODING_DELTA = 5,
    ENCODING_DICTIONARY = 8,
};

struct paging {
    struct parquet_column *column;
    struct buf *out;
    struct parquet_pack *pack;
    struct parquet_chunk *chunk;
    struct buf body;
    struct buf levels;
    size_t row, value; /* so many are written */
    size_t plain_at;   /* in the column's plain texts */
};

/* --- one page ------------------------------------------------------------- */

static void put_page(struct paging *p, enum page_type type, size_t count,
        enum encoding encoding)
{
    struct str packed = parquet_pack_page(p->pack, buf_str(&p->body));
    struct thrift t = thrift_into(p->out);
    size_t begin = p->out->len;
    uint32_t crc =
            (uint32_t)crc32_z(0, (const unsigned char *)packed.p, packed.len);

    thrift_i32(&t, 1, (int)type);
    thrift_i32(&t, 2, (int32_t)p->body.len);
    thrift_i32(&t, 3, (int32_t)packed.len);
    thrift_i32(&t, 4, (int32_t)crc);
    thrift_struct(&t, type == PAGE_DATA ? 5 : 7);
    thrift_i32(&t, 1, (int32_t)count);
    thrift_i32(&t, 2, (int)encoding);
    if (type == PAGE_DATA) {
        thrift_i32(&t, 3, ENCODING_RLE);
        thrift_i32(&t, 4, ENCODING_RLE);
    }
    thrift_end(&t);
    thrift_end(&t);
    p->chunk->plain_bytes += p->out->len - begin + p->body.len;
    buf_add(p->out, packed.p, packed.len);
    p->chunk->packed_bytes += p->out->len - begin;
    buf_clear(&p->body);
}

/* 1: a value is there.  Returns how many are. */
static size_t put_levels(struct paging *p, size_t rows)
{
    const uint8_t *present = p->column->present + p->row;
    uint32_t levels[PAGE_ROWS];
    size_t known = 0;

    if (!p->column->nullable)
        return rows;
    for (size_t i = 0; i < rows; i++) {
        levels[i] = present[i];
        known += present[i];
    }
    buf_clear(&p->levels);
    if (known == rows || !known)
        parquet_hybrid_run(&p->levels, known != 0, rows, 1);
    else
        parquet_hybrid(&p->levels, levels, rows, 1);
    parquet_u32(&p->body, (uint32_t)p->levels.len);
    buf_add(&p->body, p->levels.p, p->levels.len);
    return known;
}

/* --- values --------------------------------------------------------------- */

static void put_dictionary_values(struct paging *p, size_t known)
{
    const struct parquet_column *c = p->column;
    unsigned width = parquet_width(c->dict.count ? c->dict.count - 1 : 0);

    buf_char(&p->body, (char)width);
    parquet_hybrid(&p->body, c->small + p->value, known, width);
}

static void put_plain_texts(struct paging *p, size_t known)
{
    const struct buf *plain = &p->column->plain;
    size_t end = p->plain_at;

    for (size_t i = 0; i < known; i++) {
        uint32_t len;

        memcpy(&len, plain->p + end, sizeof(len));
        end += sizeof(len) + len;
    }
    buf_add(&p->body, plain->p + p->plain_at, end - p->plain_at);
    p->plain_at = end;
}

static void put_booleans(struct paging *p, size_t known)
{
    buf_clear(&p->levels);
    parquet_hybrid(&p->levels, p->column->small + p->value, known, 1);
    parquet_u32(&p->body, (uint32_t)p->levels.len);
    buf_add(&p->body, p->levels.p, p->levels.len);
}

static enum encoding put_values(struct paging *p, size_t known)
{
    const struct parquet_column *c = p->column;

    switch (c->type) {
    case COLUMN_INT:
    case COLUMN_TIME:
        parquet_delta(&p->body, c->numbers + p->value, known);
        return ENCODING_DELTA;
    case COLUMN_REAL:
        buf_add(&p->body, c->reals + p->value, known * sizeof(*c->reals));
        return ENCODING_PLAIN;
    case COLUMN_BOOL: put_booleans(p, known); return ENCODING_RLE;
    case COLUMN_TEXT: break;
    }
    if (p->value < c->dict_values || c->dict_values == c->values) {
        put_dictionary_values(p, known);
        return ENCODING_DICTIONARY;
    }
    p->chunk->plain_texts = true;
    put_plain_texts(p, known);
    return ENCODING_PLAIN;
}

/* --- how many rows a page has --------------------------------------------- */

/* A page of texts has a dictionary or none, and is not too long. */
static size_t text_rows(const struct paging *p, size_t most)
{
    const struct parquet_column *c = p->column;
    size_t value = p->value, at = p->plain_at, rows = 0;
    bool dictionary = value < c->dict_values;

    for (; rows < most; rows++) {
        if (!c->present[p->row + rows])
            continue;
        if (dictionary ? value == c->dict_values
                       : at - p->plain_at >= PAGE_BYTES)
            break;
        if (!dictionary) {
            uint32_t len;

            memcpy(&len, c->plain.p + at, sizeof(len));
            at += sizeof(len) + len;
        }
        value++;
    }
    return rows;
}

static size_t page_rows(const struct paging *p)
{
    size_t left = p->column->rows - p->row;
    size_t most = left < PAGE_ROWS ? left : PAGE_ROWS;

    if (p->column->type != COLUMN_TEXT ||
            p->column->dict_values == p->column->values)
        return most;
    return text_rows(p, most);
}

void parquet_column_write(struct parquet_column *c, struct buf *out,
        uint64_t file_at, struct parquet_pack *pack,
        struct parquet_chunk *chunk)
{
    struct paging p = { .column = c, .out = out, .pack = pack, .chunk = chunk };
    size_t begin = out->len;

    *chunk = (struct parquet_chunk){ 0 };
    if (c->type == COLUMN_TEXT) {
        chunk->dict_at = file_at;
        buf_add(&p.body, c->dict.texts.p, c->dict.texts.len);
        put_page(&p, PAGE_DICTIONARY, c->dict.count, ENCODING_PLAIN);
    }
    chunk->data_at = file_at + out->len - begin;
    while (p.row < c->rows) {
        size_t rows = page_rows(&p);
        size_t known = put_levels(&p, rows);
        enum encoding encoding = put_values(&p, known);

        put_page(&p, PAGE_DATA, rows, encoding);
        p.row += rows;
        p.value += known;
    }
    buf_release(&p.body);
    buf_release(&p.levels);
}
