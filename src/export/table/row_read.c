#include "export/table/row_read.h"

#include "base/alloc.h"
#include "base/digits.h"
#include "base/json_read.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>

/* --- cells ---------------------------------------------------------------- */

/* Without the blanks between its parts, as we write it: else a document that
 * went through a formatter would not hold the same. */
static void add_close(struct buf *out, struct str json)
{
    bool quoted = false;

    for (size_t i = 0; i < json.len; i++) {
        char c = json.p[i];

        if (!quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
            continue;
        buf_char(out, c);
        if (quoted && c == '\\' && i + 1 < json.len)
            buf_char(out, json.p[++i]);
        else if (c == '"')
            quoted = !quoted;
    }
}

/* A text for a struct has no zero within. */
static int read_text(struct row_reader *r, size_t i, const struct column *c,
        struct str value)
{
    struct cell *cell = &r->cells[i];
    struct buf *b = &r->texts[i];
    char kind = json_kind(value);
    struct buf plain = { 0 };

    buf_clear(b);
    if (c->json && (kind == '{' || kind == '[')) {
        add_close(b, value);
    } else {
        if (json_read_text(&plain, value))
            return -EINVAL;
        for (size_t k = 0; k < plain.len; k++)
            if (plain.p[k])
                buf_char(b, plain.p[k]);
            else
                buf_text(b, UTF8_REPLACEMENT);
        buf_release(&plain);
    }
    buf_add(b, "", 0); /* there is a text, if an empty one */
    cell->text = buf_str(b);
    return 0;
}

static int read_cell(struct row_reader *r, size_t i, const struct column *c,
        struct str value)
{
    struct cell *cell = &r->cells[i];
    struct buf time = { 0 };
    char kind = json_kind(value);
    int rc = -EINVAL;

    if (kind == 'n')
        return 0;
    switch (c->type) {
    case COLUMN_INT: rc = str_i64(&cell->number, value); break;
    case COLUMN_REAL: rc = str_f64(&cell->real, value); break;
    case COLUMN_BOOL:
        cell->truth = kind == 't';
        rc = kind == 't' || kind == 'f' ? 0 : -EINVAL;
        break;
    case COLUMN_TEXT: rc = read_text(r, i, c, value); break;
    case COLUMN_TIME:
        if (!json_read_text(&time, value))
            rc = digits_read_time(&cell->number, buf_str(&time));
        buf_release(&time);
        break;
    }
    cell->known = !rc;
    return rc ? -EINVAL : 0;
}

/* Members mostly come in the order of the columns, so look there first. */
static size_t column_of(const struct table *t, struct str key, size_t next)
{
    for (size_t k = 0; k < t->type->count; k++) {
        size_t i = (next + k) % t->type->count;

        if (str_is(key, t->type->columns[i].name))
            return i;
    }
    return t->type->count;
}

int row_read(struct row_reader *r, const struct table *t, struct str object,
        struct error *e)
{
    struct str rest = object, key, value;
    size_t next = 0;
    int rc;

    if (!r->texts)
        r->texts = alloc_zero(ROW_COLUMNS_MAX, sizeof(*r->texts));
    for (size_t i = 0; i < t->type->count; i++)
        r->cells[i] = (struct cell){ 0 };
    while ((rc = json_next_member(&rest, &key, &value)) > 0) {
        size_t i = column_of(t, key, next);

        if (i == t->type->count)
            continue;
        if (read_cell(r, i, &t->type->columns[i], value))
            return fail(e, -EINVAL, "'%s' is no %s: %.*s",
                    t->type->columns[i].name,
                    column_type_name(t->type->columns[i].type),
                    value.len < 40 ? (int)value.len : 40, value.p);
        next = i + 1;
    }
    return rc < 0 ? fail(e, -EINVAL, "it is no JSON object") : 0;
}

/* --- the struct ----------------------------------------------------------- */

int row_put(const struct row_reader *r, const struct table *t, void *row,
        struct error *e)
{
    for (size_t i = 0; i < t->type->count; i++) {
        const struct column *c = &t->type->columns[i];

        if (c->form == FORM_CHARS)
            continue;
        if (!column_put(c, row, &r->cells[i]))
            continue;
        if (r->cells[i].known)
            return fail(e, -EINVAL, "'%s' is out of range", c->name);
        return fail(e, -EINVAL, "'%s' is missing", c->name);
    }
    return 0;
}

void row_reader_release(struct row_reader *r)
{
    for (size_t i = 0; r->texts && i < ROW_COLUMNS_MAX; i++)
        buf_release(&r->texts[i]);
    free(r->texts);
    r->texts = NULL;
}
