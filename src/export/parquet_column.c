#include "export/parquet_column.h"

#include "base/alloc.h"
#include "base/pb.h"
#include "export/parquet_encode.h"
#include "export/thrift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_BOUND 256 /* a longer text is no bound */

void parquet_column_init(struct parquet_column *c, enum column_type type,
        bool nullable)
{
    *c = (struct parquet_column){ .type = type, .nullable = nullable };
}

void parquet_column_release(struct parquet_column *c)
{
    free(c->present);
    free(c->numbers);
    parquet_dict_release(&c->dict);
    buf_release(&c->plain);
    buf_release(&c->least_text);
    buf_release(&c->most_text);
}

void parquet_column_clear(struct parquet_column *c)
{
    c->rows = c->nulls = c->nans = c->values = c->dict_values = 0;
    c->ranged = false;
    parquet_dict_clear(&c->dict);
    buf_clear(&c->plain);
}

size_t parquet_column_bytes(const struct parquet_column *c)
{
    return c->rows + 8 * c->values + c->dict.texts.len + c->plain.len;
}

/* --- gathering ------------------------------------------------------------ */

static void reserve(struct parquet_column *c)
{
    bool small = c->type == COLUMN_TEXT || c->type == COLUMN_BOOL;

    if (c->rows == c->row_cap) {
        c->row_cap = c->row_cap ? 2 * c->row_cap : 1024;
        c->present = alloc_resize(c->present, c->row_cap);
    }
    if (c->values == c->value_cap) {
        c->value_cap = c->value_cap ? 2 * c->value_cap : 1024;
        c->numbers = alloc_resize(c->numbers,
                c->value_cap * (small ? sizeof(uint32_t) : sizeof(int64_t)));
    }
}

static void bound_number(struct parquet_column *c, int64_t x)
{
    c->least = !c->ranged || x < c->least ? x : c->least;
    c->most = !c->ranged || x > c->most ? x : c->most;
    c->ranged = true;
}

static void bound_real(struct parquet_column *c, double x)
{
    if (isnan(x)) {
        c->nans++;
        return;
    }
    c->least_real = !c->ranged || x < c->least_real ? x : c->least_real;
    c->most_real = !c->ranged || x > c->most_real ? x : c->most_real;
    c->ranged = true;
}

static int order(struct str a, struct str b)
{
    size_t both = a.len < b.len ? a.len : b.len;
    int sign = both ? memcmp(a.p, b.p, both) : 0;

    return sign ? sign : a.len < b.len ? -1 : a.len > b.len;
}

static void bound_text(struct parquet_column *c, struct str x)
{
    if (!c->ranged || order(x, buf_str(&c->least_text)) < 0) {
        buf_clear(&c->least_text);
        buf_add(&c->least_text, x.p, x.len);
    }
    if (!c->ranged || order(x, buf_str(&c->most_text)) > 0) {
        buf_clear(&c->most_text);
        buf_add(&c->most_text, x.p, x.len);
    }
    c->ranged = true;
}

static void add_text(struct parquet_column *c, struct str text)
{
    uint32_t before = c->dict.count;

    if (parquet_dict_number(&c->dict, text, &c->small[c->values])) {
        c->dict_values++;
        if (c->dict.count == before)
            return; /* it was there, and is in bounds */
    } else {
        parquet_u32(&c->plain, (uint32_t)text.len);
        buf_add(&c->plain, text.p, text.len);
    }
    bound_text(c, text);
}

void parquet_column_add(struct parquet_column *c, const struct cell *cell)
{
    reserve(c);
    c->present[c->rows++] = cell->known;
    if (!cell->known) {
        c->nulls++;
        return;
    }
    switch (c->type) {
    case COLUMN_INT:
    case COLUMN_TIME:
        c->numbers[c->values] = cell->number;
        bound_number(c, cell->number);
        break;
    case COLUMN_REAL:
        c->reals[c->values] = cell->real;
        bound_real(c, cell->real);
        break;
    case COLUMN_BOOL:
        c->small[c->values] = cell->truth;
        bound_number(c, cell->truth);
        break;
    case COLUMN_TEXT: add_text(c, cell->text); break;
    }
    c->values++;
}

/* --- statistics ----------------------------------------------------------- */

static void range(struct thrift *t, struct str least, struct str most)
{
    bool most_fits = most.len <= LONGEST_BOUND;
    bool least_fits = least.len <= LONGEST_BOUND;

    if (most_fits)
        thrift_bytes(t, 5, most);
    if (least_fits)
        thrift_bytes(t, 6, least);
    if (most_fits)
        thrift_bool(t, 7, true);
    if (least_fits)
        thrift_bool(t, 8, true);
}

static void range_of(struct thrift *t, const void *least, const void *most,
        size_t len)
{
    range(t, (struct str){ least, len }, (struct str){ most, len });
}

void parquet_column_statistics(const struct parquet_column *c, struct thrift *t)
{
    /* A zero has a sign that nobody means: the bounds hold both. */
    double least = c->least_real == 0 ? -0.0 : c->least_real;
    double most = c->most_real == 0 ? 0.0 : c->most_real;
    bool truths[] = { c->least != 0, c->most != 0 };

    thrift_i64(t, 3, (int64_t)c->nulls);
    if (c->ranged)
        switch (c->type) {
        case COLUMN_INT:
        case COLUMN_TIME:
            range_of(t, &c->least, &c->most, sizeof(c->least));
            break;
        case COLUMN_REAL: range_of(t, &least, &most, sizeof(least)); break;
        case COLUMN_BOOL: range_of(t, &truths[0], &truths[1], 1); break;
        case COLUMN_TEXT:
            range(t, buf_str(&c->least_text), buf_str(&c->most_text));
            break;
        }
    if (c->type == COLUMN_REAL)
        thrift_i64(t, 9, (int64_t)c->nans);
}
