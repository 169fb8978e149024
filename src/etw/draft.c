/* draft.c -- an event that describes itself, field by field. */
#include "base/utf8.h"
#include "etw/bytes.h"
#include "etw/live/self.h"
#include "etw/writer.h"

#include <string.h>

#define TEXT_MAX 4000

void etw_draft_begin(struct etw_draft *d, const char *name)
{
    buf_clear(&d->schema);
    buf_clear(&d->data);
    buf_add(&d->schema, "\0\0\0", 3); /* its bytes, put in later; no tags */
    buf_add(&d->schema, name, strlen(name) + 1);
}

static void field(struct etw_draft *d, const char *name, unsigned in)
{
    buf_add(&d->schema, name, strlen(name) + 1);
    buf_char(&d->schema, (char)in);
}

void etw_draft_u8(struct etw_draft *d, const char *name, uint8_t value)
{
    field(d, name, ETW_IN_U8);
    buf_char(&d->data, (char)value);
}

static void add_u32(struct etw_draft *d, uint32_t value)
{
    unsigned char bytes[4];

    put_u32(bytes, value);
    buf_add(&d->data, bytes, sizeof(bytes));
}

static void add_u64(struct etw_draft *d, uint64_t value)
{
    unsigned char bytes[8];

    put_u64(bytes, value);
    buf_add(&d->data, bytes, sizeof(bytes));
}

void etw_draft_u32(struct etw_draft *d, const char *name, uint32_t value)
{
    field(d, name, ETW_IN_U32);
    add_u32(d, value);
}

void etw_draft_bool(struct etw_draft *d, const char *name, bool value)
{
    field(d, name, ETW_IN_BOOL32);
    add_u32(d, value);
}

void etw_draft_u64(struct etw_draft *d, const char *name, uint64_t value)
{
    field(d, name, ETW_IN_U64);
    add_u64(d, value);
}

void etw_draft_i64(struct etw_draft *d, const char *name, int64_t value)
{
    field(d, name, ETW_IN_I64);
    add_u64(d, (uint64_t)value);
}

void etw_draft_real(struct etw_draft *d, const char *name, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    field(d, name, ETW_IN_F64);
    add_u64(d, bits);
}

/* Not in the midst of a character. */
static size_t cut_len(const char *text)
{
    size_t len = strlen(text);

    if (len <= TEXT_MAX)
        return len;
    for (len = TEXT_MAX; len && ((unsigned char)text[len] & 0xc0) == 0x80;)
        len--;
    return len;
}

void etw_draft_text(struct etw_draft *d, const char *name, const char *text)
{
    field(d, name, ETW_IN_ANSI | ETW_IN_MORE);
    buf_char(&d->schema, ETW_OUT_UTF8);
    utf8_add(&d->data,
            (struct str){ text ? text : "", text ? cut_len(text) : 0 });
    buf_char(&d->data, 0);
}

void etw_draft_release(struct etw_draft *d)
{
    buf_release(&d->schema);
    buf_release(&d->data);
}
