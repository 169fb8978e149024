/* columns.h -- words to describe a table with, a line a column.  Only for the
 * files that do: tables_*.c.
 *
 *     #define ROW token
 *     static const struct column token_columns[] = {
 *         U32("token_index", index, NULL, ALWAYS),
 *         TEXT("token_text", text),
 *     };
 *     #undef ROW
 *
 * A column has a name, the member of struct ROW that it shows, its unit, and
 * when there is a value. */
#pragma once

#include "base/compiler.h"
#include "export/table.h"

#include <stddef.h>

/* Of the table being described. */
#define IN(member) offsetof(struct ROW, member)

/* clang-format off */
#define COLUMN(n, kind, u, how, m, ...) \
    { .name = n, .type = COLUMN_##kind, .unit = u, .form = FORM_##how, \
      .at = IN(m), __VA_ARGS__ }
#define NUMBER { .name = "number", .type = COLUMN_INT, .form = FORM_NUMBER }
#define U32(n, m, u, ...)  COLUMN(n, INT, u, U32, m, __VA_ARGS__)
#define U64(n, m, u, ...)  COLUMN(n, INT, u, U64, m, __VA_ARGS__)
#define MS(n, m, ...)      COLUMN(n, REAL, "ms", MS, m, __VA_ARGS__)
#define END_MS(n, m, len)  COLUMN(n, REAL, "ms", END_MS, m, .other = IN(len))
#define POWER(n, m, len, known) \
    { .name = n, .type = COLUMN_REAL, .unit = "mW", .form = FORM_POWER, \
      .at = IN(m), .when = WHEN_POWER, .other = IN(len), .flag = IN(known) }
#define REAL(n, m, u)      COLUMN(n, REAL, u, F64, m, .when = WHEN_REAL)
#define POWER_OF(n, m, len) \
    { .name = n, .type = COLUMN_REAL, .unit = "mW", .form = FORM_POWER, \
      .at = IN(m), .when = WHEN_REAL_POWER, .other = IN(len) }
#define TEXT(n, m)         COLUMN(n, TEXT, NULL, TEXT, m, .when = WHEN_SET)
#define JSON(n, m) \
    COLUMN(n, TEXT, NULL, TEXT, m, .when = WHEN_SET, .json = true)
#define WALL(n, m)         COLUMN(n, TIME, NULL, WALL, m, ALWAYS)
#define FLAG(n, bit)       COLUMN(n, BOOL, NULL, FLAG, flags, .mask = (bit))

#define ALWAYS        .when = WHEN_ALWAYS
#define IF_SET        .when = WHEN_SET
#define IF_FLAG(bit)  .when = WHEN_FLAG, .other = IN(flags), .mask = (bit)
#define IF(m)         .when = WHEN_TRUE, .other = IN(m)
#define UNLESS(m)     .when = WHEN_FALSE, .other = IN(m)
#define IF_REAL(m)    .when = WHEN_OTHER_REAL, .other = IN(m)
#define IF_EITHER(m)  .when = WHEN_EITHER, .other = IN(m)
/* clang-format on */

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
#define TABLE_WITHIN(variable, title, type, read, write, line, places) \
    const struct table variable##_table = {                            \
        .name = title,                                                 \
        .about = line,                                                 \
        .columns = variable##_columns,                                 \
        .column_count = LEN(variable##_columns),                       \
        .place_count = places,                                         \
        .row_size = sizeof(struct type),                               \
        .each = read,                                                  \
        .add = write,                                                  \
    };                                                                 \
    _Static_assert(LEN(variable##_columns) <= TABLE_COLUMNS_MAX, title)
