/* toml.h -- the part of TOML (toml.io, 1.0) that settings need: tables, keys,
 * strings, numbers, booleans, and arrays of those.
 *
 * No dates, no inline tables, no arrays of tables, no strings over several
 * lines: they are refused, with the line.  Nothing is kept. */
#pragma once

#include "base/error.h"
#include "base/str.h"

#include <stdint.h>

/* One value; of an array, each of its values by itself.  What is pointed to is
 * gone after the call. */
struct toml_value {
    struct str table; /* "" before the first one; "a.b" as it is written */
    struct str key;
    struct str text; /* unescaped; a number or boolean as it is written */
    uint64_t line;   /* from 1 */
};

/* Calls `each` for every value.  -EINVAL, with a sentence that begins with the
 * line's number; what came before it was told. */
int toml_read(struct str text,
        void (*each)(void *context, const struct toml_value *v), void *context,
        struct error *e);
