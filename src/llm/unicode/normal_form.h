/* normal_form.h -- Unicode's normal forms, small letters and graphemes, by
 * utf8proc, where we were built with it. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>

enum normal_form {
    NORMAL_FORM_C,
    NORMAL_FORM_D,
    NORMAL_FORM_KC,
    NORMAL_FORM_KD,
};

/* Whether there are any: else nothing below may be called. */
bool normal_form_there(void);

/* Adds the text in its normal form. */
void normal_form_add(struct buf *out, struct str text, enum normal_form form);

/* Adds the small letter of a character, whatever stands beside it. */
void normal_form_lower(struct buf *out, uint32_t point);

/* Where the grapheme that begins at `at`, before the end, ends. */
size_t normal_form_grapheme(struct str text, size_t at);
