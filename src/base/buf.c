#include "base/buf.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the zero behind them. */
static void reserve(struct buf *b, size_t more)
{
    size_t need = b->len + more + 1;

    if (need <= b->cap)
        return;

    size_t cap = b->cap ? b->cap : 64;

    while (cap < need)
        cap *= 2;
    b->p = alloc_resize(b->p, cap);
    b->cap = cap;
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
    assert(len < SIZE_MAX / 2); /* -1 is no length */
    reserve(b, len);
    if (len)
        memcpy(b->p + b->len, bytes, len);
    b->len += len;
    b->p[b->len] = 0;
}

void buf_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_text(struct buf *b, const char *terminated)
{
    buf_add(b, terminated, strlen(terminated));
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n <= 0)
        return;
    reserve(b, (size_t)n);
    va_start(args, fmt);
    (void)vsnprintf(b->p + b->len, (size_t)n + 1, fmt, args);
    va_end(args);
    b->len += (size_t)n;
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    if (b->p)
        b->p[0] = 0;
}

void buf_release(struct buf *b)
{
    free(b->p);
    *b = (struct buf){ 0 };
}

const char *buf_cstr(const struct buf *b)
{
    return b->p ? b->p : "";
}

struct str buf_str(const struct buf *b)
{
    return (struct str){ buf_cstr(b), b->len };
}
