/* describe.h -- words to describe a row with, a line a column.  Only for the
 * files that do.
 *
 *     #define ROW token
 *     static const struct column token_columns[] = {
 *         U32("token_index", index, NULL, ALWAYS),
 *         TEXT("token_text", text),
 *     };
 *     #undef ROW
 *
 * A column has a name, the member of struct ROW that it shows, its unit, and
 * when there is a value; KEY goes behind that. */
#pragma once

#include "base/compiler.h"
#include "model/rows.h"

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
/* The same of texts that are those of many rows. */
#define OFTEN_TEXT(n, m) \
    COLUMN(n, TEXT, NULL, TEXT, m, .when = WHEN_SET, .often = true)
#define OFTEN_JSON(n, m) \
    COLUMN(n, TEXT, NULL, TEXT, m, .when = WHEN_SET, .often = true, \
           .json = true)
#define WALL(n, m)         COLUMN(n, TIME, NULL, WALL, m, ALWAYS)
#define FLAG(n, bit)       COLUMN(n, BOOL, NULL, FLAG, flags, .mask = (bit))

#define ALWAYS        .when = WHEN_ALWAYS
#define IF_SET        .when = WHEN_SET
#define IF_FLAG(bit)  .when = WHEN_FLAG, .other = IN(flags), .mask = (bit)
#define IF(m)         .when = WHEN_TRUE, .other = IN(m)
#define UNLESS(m)     .when = WHEN_FALSE, .other = IN(m)
#define IF_REAL(m)    .when = WHEN_OTHER_REAL, .other = IN(m)
#define IF_EITHER(m)  .when = WHEN_EITHER, .other = IN(m)
#define KEY           .key = true
#define SINCE(version) .since = (version)
/* clang-format on */

#define ROW_TYPE(type, title, version, line) \
    const struct row_type type##_rows = {    \
        .name = title,                       \
        .about = line,                       \
        .columns = type##_columns,           \
        .count = LEN(type##_columns),        \
        .size = sizeof(struct type),         \
        .since = version,                    \
    };                                       \
    _Static_assert(LEN(type##_columns) <= ROW_COLUMNS_MAX, title)
