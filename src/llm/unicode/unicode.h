/* unicode.h -- what kind of character a code point is, and UTF-8 walked
 * character by character.
 *
 * Texts here are sound UTF-8: utf8_add() makes any bytes so. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>

/* The general categories of Unicode, in the order that tools/unicode_table.py
 * writes them. */
enum unicode_class {
    UNICODE_LU,
    UNICODE_LL,
    UNICODE_LT,
    UNICODE_LM,
    UNICODE_LO,
    UNICODE_MN,
    UNICODE_MC,
    UNICODE_ME,
    UNICODE_ND,
    UNICODE_NL,
    UNICODE_NO,
    UNICODE_PC,
    UNICODE_PD,
    UNICODE_PS,
    UNICODE_PE,
    UNICODE_PI,
    UNICODE_PF,
    UNICODE_PO,
    UNICODE_SM,
    UNICODE_SC,
    UNICODE_SK,
    UNICODE_SO,
    UNICODE_ZS,
    UNICODE_ZL,
    UNICODE_ZP,
    UNICODE_CC,
    UNICODE_CF,
    UNICODE_CS,
    UNICODE_CO,
    UNICODE_CN, /* nothing was ever assigned */
};

extern const uint32_t unicode_ranges[];
extern const size_t unicode_range_count;
/* What older tables lack: the first and last of each range. */
extern const uint32_t unicode_late_class[][2], unicode_late_form[][2];
extern const size_t unicode_late_class_count, unicode_late_form_count;

enum unicode_class unicode_class(uint32_t point);

/* The class in Unicode 8, for nonspacing marks, punctuation and format
 * characters: what was none then is unassigned.  BERT's tokenizers are that
 * old. */
enum unicode_class unicode_class_8(uint32_t point);

/* Whether a normal form changes it today and did not in Unicode 9, which the
 * tokenizers' reference still has. */
bool unicode_has_late_form(uint32_t point);

bool unicode_is_letter(uint32_t point); /* L */
bool unicode_is_mark(uint32_t point);   /* M */
bool unicode_is_number(uint32_t point); /* N */
bool unicode_is_punctuation(uint32_t point);
bool unicode_is_symbol(uint32_t point);
bool unicode_is_space(uint32_t point); /* White_Space */
/* What regular expressions call a word's character. */
bool unicode_is_word(uint32_t point);

/* Takes the character at `*at` off the text; there is one. */
uint32_t unicode_next(struct str text, size_t *at);

/* Where the character before `at`, which is not the beginning, begins. */
size_t unicode_before(struct str text, size_t at);

void unicode_add(struct buf *out, uint32_t c);
