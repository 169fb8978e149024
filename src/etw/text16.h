/* text16.h -- Windows' texts, UTF-16, as UTF-8. */
#pragma once

#include "base/buf.h"

/* Adds `count` characters of 2 bytes each; what is no UTF-16 becomes U+FFFD. */
void text16_add(struct buf *out, const unsigned char *p, size_t count);

/* How many characters precede the zero, of at most `len` bytes; all of them
 * where there is none. */
size_t text16_count(const unsigned char *p, size_t len);

/* Adds the text as UTF-16, little-endian, without a zero. */
void text16_from(struct buf *out, struct str text);
