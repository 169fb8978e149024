/* utf8.h -- whether bytes are UTF-8, and what to put where they are not. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* Stands for bytes that are no text. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* How many bytes at `p`, of `len` (at least 1), are one character.  0: they are
 * none, and the first `*bad` of them are to be replaced: as many as began like
 * one, which is what Unicode advises (chapter 3.9) and other programs do. */
size_t utf8_len(const unsigned char *p, size_t len, size_t *bad);

bool utf8_is_sound(struct str s);

/* Adds the text, with a replacement for what is no UTF-8. */
void utf8_add(struct buf *out, struct str s);
