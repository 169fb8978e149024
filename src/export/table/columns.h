/* columns.h -- the tables whose rows the store has functions of their own for.
 * Only for the files that describe them: tables_*.c. */
#pragma once

#include "export/table/table.h"
#include "model/describe.h"

/* store_each_*() have a type each; a table has none. */
#define TAKE(type)                                              \
    struct take_##type {                                        \
        struct_taker *take;                                     \
        void *context;                                          \
    };                                                          \
    static void take_##type(void *to, const struct type *x)     \
    {                                                           \
        ((struct take_##type *)to)                              \
                ->take(((struct take_##type *)to)->context, x); \
    }
#define EACH(name, type)                                                     \
    static int each_##name(struct store *s, int64_t run, struct_taker *take, \
            void *context, struct error *e)                                  \
    {                                                                        \
        return store_each_##name(s, run, take_##type,                        \
                &(struct take_##type){ take, context }, e);                  \
    }
#define ADD(name, type)                                      \
    static void add_##name(struct store *s, const void *row) \
    {                                                        \
        store_add_##name(s, (const struct type *)row);       \
    }
#define TABLE(variable, title, type, read, write, line) \
    TABLE_WITHIN(variable, title, type, read, write, line, 0)
/* The last `places` columns are of the rows that it lies in. */
#define TABLE_WITHIN(variable, title, row, read, write, line, places) \
    static const struct row_type variable##_rows = {                  \
        .name = title,                                                \
        .about = line,                                                \
        .columns = variable##_columns,                                \
        .count = LEN(variable##_columns),                             \
        .size = sizeof(struct row),                                   \
    };                                                                \
    const struct table variable##_table = {                           \
        .type = &variable##_rows,                                     \
        .place_count = places,                                        \
        .each = read,                                                 \
        .add = write,                                                 \
    };                                                                \
    _Static_assert(LEN(variable##_columns) <= ROW_COLUMNS_MAX, title)
