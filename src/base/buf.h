/* buf.h -- bytes that grow: text or binary, always followed by a zero byte.
 *
 * Starts zeroed: `struct buf b = { 0 };`.  Memory is there or we stop, so
 * nothing here fails.  What is added may not lie in the buf itself, which moves
 * as it grows.  Never in the hook. */
#pragma once

#include "base/compiler.h"
#include "base/str.h"

#include <stdint.h>

struct buf {
    char *p; /* NULL while nothing was ever added */
    size_t len;
    size_t cap;
};

void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_char(struct buf *b, char c);
void buf_text(struct buf *b, const char *terminated);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Empties it and keeps the memory. */
void buf_clear(struct buf *b);

/* Frees the memory; the buf may be used again. */
void buf_release(struct buf *b);

/* The text so far, "" when there is none.  Valid until the next change. */
const char *buf_cstr(const struct buf *b);
struct str buf_str(const struct buf *b);
