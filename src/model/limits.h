/* limits.h -- what a row of a run may hold, whoever wrote it.
 *
 * Rows come from files, servers and databases of other people.  Each column has
 * limits here, in one list; the store holds every row against them, on its way
 * in and on its way out, so that who computes with rows need not. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define LIMIT_NS    (INT64_C(1) << 55) /* a run lasts at most 417 days */
#define LIMIT_COUNT (INT64_C(1) << 53) /* of anything; exact as a double */
#define LIMIT_REAL  1e18
#define LIMIT_TEXT  (INT64_C(16) << 20) /* bytes */

/* Ids count from 1.  One may be missing, or not yet read, but no id is greater
 * than the number of its kind and this: an array by ids stays small. */
#define LIMIT_GAP 4096

enum limit_kind {
    LIMIT_IS_NUMBER, /* from `least` to `most` */
    LIMIT_IS_REAL,   /* finite, from -LIMIT_REAL to LIMIT_REAL */
    LIMIT_IS_SENSED, /* the same, or infinite: a sensor may say anything */
    LIMIT_IS_ANY,    /* any number: a square, or what a tensor holds */
    LIMIT_IS_TEXT    /* of at most `most` bytes */
};

struct limit {
    const char *table;  /* NULL: any */
    const char *column; /* "*_ns": any that ends so */
    enum limit_kind kind;
    bool needed; /* must be there */
    int64_t least, most;
    /* At most so much greater than there are rows of the table; 0: no matter.
     */
    int64_t gap;
    /* Is the id of a row there, or 0; NULL: is no id of another table's. */
    const char *refers;
};

/* NULL: there is none for such a column. */
const struct limit *limit_find(const char *table, const char *column);

bool limit_allows_number(const struct limit *l, int64_t value);
bool limit_allows_real(const struct limit *l, double value);
bool limit_allows_text(const struct limit *l, struct str text);
