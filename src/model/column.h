/* column.h -- how a value lies in the struct of a row.
 *
 * A row of a run is described once, a line a column (rows.h).  The store's
 * tables and statements, CSV, JSON, Parquet and `import` are all made from that
 * description, so they cannot disagree. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    bool json;  /* the text is JSON itself */
    bool key;   /* with the others of its kind, and the run, names the row */
    bool often; /* the text is that of many rows: the store keeps it once */
    /* The version of the store's schema that it came with; 0: with its table.
     * It never changes, nor does a column go or move before an older one. */
    uint8_t since;
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

/* The value of a column of a row, which has that number and lies in a run that
 * started then.  Texts are borrowed from the row. */
struct cell column_get(const struct column *c, const void *row, int64_t number,
        int64_t started_wall_ns);

/* Whether the value is computed from those of other columns. */
bool column_is_derived(const struct column *c);

/* Puts the value of a column into the struct of a row, which began zeroed.
 * What is derived from other columns is passed over.  -EINVAL: the struct
 * cannot hold it. */
int column_put(const struct column *c, void *row, const struct cell *cell);

/* --- as the store keeps it ------------------------------------------------
 *
 * What has a name is kept by its number, a bool as 0 or 1. */

/* COLUMN_INT, COLUMN_REAL or COLUMN_TEXT. */
enum column_type column_plain_type(const struct column *c);

struct cell column_get_plain(const struct column *c, const void *row,
        int64_t number);
int column_put_plain(const struct column *c, void *row,
        const struct cell *cell);
