#include "fleet/row_binary.h"

#include <errno.h>
#include <string.h>

void row_binary_u16(struct buf *out, uint16_t value)
{
    const char bytes[2] = { (char)(value & 0xff), (char)(value >> 8) };

    buf_add(out, bytes, sizeof(bytes));
}

void row_binary_u64(struct buf *out, uint64_t value)
{
    char bytes[8];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(value >> (8 * i) & 0xff);
    buf_add(out, bytes, sizeof(bytes));
}

static void add_text(struct buf *out, struct str text)
{
    size_t len = text.len;

    for (; len > 0x7f; len >>= 7)
        buf_char(out, (char)((len & 0x7f) | 0x80));
    buf_char(out, (char)len);
    buf_add(out, text.p, text.len);
}

static uint64_t bits_of(double real)
{
    uint64_t bits;

    memcpy(&bits, &real, sizeof(bits));
    return bits;
}

void row_binary_cells(struct buf *out, const struct stored_table *t,
        const struct stored_cell *cells)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct stored_cell *c = &cells[i];

        if (t->columns[i].nullable) {
            buf_char(out, c->there ? 0 : 1);
            if (!c->there)
                continue;
        }
        switch (t->columns[i].kind) {
        case COLUMN_INTEGER: row_binary_u64(out, (uint64_t)c->integer); break;
        case COLUMN_REAL: row_binary_u64(out, bits_of(c->real)); break;
        case COLUMN_TEXT:
        case COLUMN_NAME: add_text(out, c->text); break;
        }
    }
}

/* --- reading: 1, 0 when bytes are missing, or -EBADMSG -------------------- */

static int take_bytes(struct str *out, struct str *rest, size_t len)
{
    if (rest->len < len)
        return 0;
    *out = (struct str){ rest->p, len };
    rest->p += len;
    rest->len -= len;
    return 1;
}

static int take_u64(uint64_t *out, struct str *rest)
{
    struct str bytes;

    if (!take_bytes(&bytes, rest, 8))
        return 0;
    *out = 0;
    for (size_t i = 0; i < 8; i++)
        *out |= (uint64_t)(unsigned char)bytes.p[i] << (8 * i);
    return 1;
}

static int take_text(struct str *out, struct str *rest)
{
    uint64_t len = 0;

    for (unsigned shift = 0;; shift += 7) {
        struct str byte;

        if (shift > 28)
            return -EBADMSG;
        if (!take_bytes(&byte, rest, 1))
            return 0;
        len |= (uint64_t)((unsigned char)*byte.p & 0x7f) << shift;
        if (!(*byte.p & 0x80))
            break;
    }
    return len > ROW_BINARY_TEXT_MAX ? -EBADMSG
                                     : take_bytes(out, rest, (size_t)len);
}

static int take_cell(struct stored_cell *out, const struct stored_column *c,
        struct str *rest)
{
    uint64_t bits = 0;
    struct str lacking;
    int rc;

    *out = (struct stored_cell){ .there = true };
    if (c->nullable) {
        if (!take_bytes(&lacking, rest, 1))
            return 0;
        if (*lacking.p & ~1)
            return -EBADMSG;
        out->there = !*lacking.p;
        if (!out->there)
            return 1;
    }
    if (c->kind == COLUMN_TEXT || c->kind == COLUMN_NAME)
        return take_text(&out->text, rest);
    rc = take_u64(&bits, rest);
    if (c->kind == COLUMN_INTEGER)
        out->integer = (int64_t)bits;
    else
        memcpy(&out->real, &bits, sizeof(bits));
    return rc;
}

int row_binary_take(struct str *id, struct stored_cell *cells,
        const struct stored_table *t, struct str *rest)
{
    struct str left = *rest;
    int rc = take_bytes(id, &left, RUN_ID_LEN);

    for (size_t i = 0; rc == 1 && i < t->count; i++)
        rc = take_cell(&cells[i], &t->columns[i], &left);
    if (rc == 1)
        *rest = left;
    return rc;
}
