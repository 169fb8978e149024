#include "export/parquet/parquet_column.h"

#include "base/alloc.h"
#include "base/pb.h"
#include "export/parquet/parquet_encode.h"
#include "export/parquet/thrift.h"

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
    c->rows = c->nulls = c->values = c->dict_values = 0;
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
    case COLUMN_TIME: c->numbers[c->values] = cell->number; break;
    case COLUMN_REAL: c->reals[c->values] = cell->real; break;
    case COLUMN_BOOL: c->small[c->values] = cell->truth; break;
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

/* Bounds of numbers are looked for when all are there, in one go. */
static void range_of_numbers(struct thrift *t, const struct parquet_column *c)
{
    int64_t least = INT64_MAX, most = INT64_MIN;

    for (size_t i = 0; i < c->values; i++) {
        least = c->numbers[i] < least ? c->numbers[i] : least;
        most = c->numbers[i] > most ? c->numbers[i] : most;
    }
    if (c->values)
        range_of(t, &least, &most, sizeof(least));
}

static void range_of_truths(struct thrift *t, const struct parquet_column *c)
{
    uint32_t least = 1, most = 0;

    for (size_t i = 0; i < c->values; i++) {
        least &= c->small[i];
        most |= c->small[i];
    }
    if (c->values)
        range_of(t, &(bool){ least }, &(bool){ most }, 1);
}

/* What is no number has no place among the others, and is counted. */
static size_t range_of_reals(struct thrift *t, const struct parquet_column *c)
{
    double least = INFINITY, most = -INFINITY;
    size_t nans = 0;

    for (size_t i = 0; i < c->values; i++) {
        nans += isnan(c->reals[i]) != 0;
        least = c->reals[i] < least ? c->reals[i] : least;
        most = c->reals[i] > most ? c->reals[i] : most;
    }
    /* A zero has a sign that nobody means: the bounds hold both. */
    least = least == 0 ? -0.0 : least;
    most = most == 0 ? 0.0 : most;
    if (c->values > nans)
        range_of(t, &least, &most, sizeof(least));
    return nans;
}

void parquet_column_statistics(const struct parquet_column *c, struct thrift *t)
{
    thrift_i64(t, 3, (int64_t)c->nulls);
    switch (c->type) {
    case COLUMN_INT:
    case COLUMN_TIME: range_of_numbers(t, c); break;
    case COLUMN_REAL: thrift_i64(t, 9, (int64_t)range_of_reals(t, c)); break;
    case COLUMN_BOOL: range_of_truths(t, c); break;
    case COLUMN_TEXT:
        if (c->ranged)
            range(t, buf_str(&c->least_text), buf_str(&c->most_text));
        break;
    }
}
