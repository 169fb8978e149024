/* stored_same.h -- comparing what was read with what was written, by field: in
 * a function that has `got` and `want`. */
#pragma once

#include "stored.h"

#define SAME(field)      CHECK_INT(got->field, want->field)
#define SAME_TEXT(field) CHECK(same_text(got->field, want->field))

static bool same_text(const char *a, const char *b)
{
    if (!a || !b)
        return a == b;
    return strcmp(a, b) == 0;
}
