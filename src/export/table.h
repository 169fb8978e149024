/* table.h -- a run as tables: what the columns are called, of what type they
 * are, and the rows, one after another.
 *
 * CSV, JSON Lines, JSON and Parquet are all written from the same cells, and
 * `import` fills the same columns, so they cannot disagree.  A table is data:
 * see tables.c. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_COLUMNS_MAX 32

enum column_type {
    COLUMN_INT,
    COLUMN_REAL,
    COLUMN_TEXT,
    COLUMN_BOOL,
    COLUMN_TIME, /* nanoseconds since 1970, UTC */
};

/* How a column's value lies in the struct that a row is made of. */
enum column_form {
    FORM_NUMBER, /* nowhere: the number of the row, from 1 */
    FORM_U8,
    FORM_U16,
    FORM_U32,
    FORM_U64,
    FORM_I32,
    FORM_I64,
    FORM_F64,
    FORM_BOOL,
    FORM_FLAG,      /* a bit of a uint16_t: `mask` */
    FORM_TEXT,      /* const char *; NULL is absent */
    FORM_CHARS,     /* char [] */
    FORM_PHASE,     /* uint8_t, by its name */
    FORM_STATUS,    /* enum run_status, by its name */
    FORM_METRIC,    /* uint16_t, by its name */
    FORM_METRIC_ID, /* enum metric_id, by its name */
    FORM_METHOD,    /* uint8_t, by its name */
    FORM_KIND,      /* enum subject_kind, by its name */
    FORM_TIME,      /* uint64_t ns since 1970 */
    /* Of other columns, and never read back: */
    FORM_WALL,   /* uint64_t ns of the run, as a time */
    FORM_MS,     /* uint64_t ns, in milliseconds */
    FORM_END_MS, /* the end of what begins there and lasts `other` */
    FORM_POWER,  /* double mJ, over the uint64_t ns at `other`: in mW */
};

/* When there is a value. */
enum column_when {
    WHEN_ALWAYS,
    WHEN_SET,        /* it is not 0; a text is not NULL */
    WHEN_FLAG,       /* a bit of the uint16_t at `other`: `mask` */
    WHEN_TRUE,       /* the bool at `other` */
    WHEN_FALSE,      /* the bool at `other` is false */
    WHEN_U32,        /* it is not UINT32_MAX */
    WHEN_EITHER,     /* it or the uint64_t at `other` is not 0 */
    WHEN_POWER,      /* both are known: the bool at `flag`, and `other` not 0 */
    WHEN_REAL,       /* the double is no NaN */
    WHEN_REAL_POWER, /* the same, and `other` not 0 */
    WHEN_OTHER_REAL, /* the double at `other` is no NaN */
    WHEN_EXITED,     /* of a run: the program ended, and not by a signal */
};

struct column {
    const char *name;
    enum column_type type;
    const char *unit; /* "ns", "bytes"; NULL: none */
    enum column_form form;
    size_t at; /* where in the struct */
    enum column_when when;
    size_t other;
    size_t flag;
    uint16_t mask;
    bool json; /* the text is JSON itself */
};

/* Whether cells of the column may be absent. */
bool column_nullable(const struct column *c);

/* "int64", "double", ...: for people. */
const char *column_type_name(enum column_type type);

struct cell {
    bool known; /* false: there is no value */
    union {
        int64_t number; /* COLUMN_INT, COLUMN_TIME */
        double real;
        bool truth;
        struct str text; /* UTF-8 */
    };
};

/* Takes the cells of a row, as many as the table has columns; they are gone
 * after the call. */
typedef void row_taker(void *context, const struct cell *cells);
/* Takes the struct of a row. */
typedef void struct_taker(void *context, const void *row);

struct table {
    const char *name;
    const char *about; /* one line */
    const struct column *columns;
    size_t column_count;
    /* The last so many are of the rows that it lies in, and only for tables
     * that stand alone: in a document it lies there. */
    size_t place_count;
    size_t row_size; /* of the struct */
    int (*each)(struct store *s, int64_t run, struct_taker *take, void *context,
            struct error *e);
    /* Adds a row to the run that was begun.  NULL: it is made otherwise. */
    void (*add)(struct store *s, const void *row);
};

/* Ends with NULL; the run itself is first. */
extern const struct table *const tables[];

/* NULL: there is none of that name. */
const struct table *table_find(const char *name);

/* Adds a line for each table: for people. */
void tables_text(struct buf *out);

/* All rows of the table, in the order in which things happened. */
int table_each_row(const struct table *t, struct store *s, int64_t run,
        row_taker *take, void *context, struct error *e);

/* Puts the value of a column into the struct of a row, which began zeroed.
 * What is derived from other columns is passed over.  -EINVAL: the struct
 * cannot hold it. */
int column_put(const struct column *c, void *row, const struct cell *cell);
