#include "etw/counts.h"

#include "base/alloc.h"
#include "etw/bytes.h"

#include <stdlib.h>
#include <string.h>

static struct etw_count key_of(const struct etw_record *r)
{
    struct etw_count k = { .kind = (uint8_t)r->kind, .header = r->header };

    switch (r->kind) {
    case ETW_KERNEL:
        k.group = r->group;
        k.opcode = r->opcode;
        k.version = r->version;
        break;
    case ETW_CLASSIC: memcpy(k.guid.bytes, r->guid, 16); break;
    case ETW_EVENT:
        memcpy(k.guid.bytes, r->guid, 16);
        k.id = r->id;
        k.opcode = r->opcode;
        k.version = r->version;
        break;
    case ETW_WPP: break;
    }
    return k;
}

static uint64_t numbers(const struct etw_count *k)
{
    return (uint64_t)k->id << 48 | (uint64_t)k->version << 32 |
           (uint64_t)k->kind << 24 | (uint64_t)k->header << 16 |
           (uint64_t)k->group << 8 | k->opcode;
}

static size_t hash(const struct etw_count *k)
{
    uint64_t h = numbers(k) ^ get_u64(k->guid.bytes) ^
                 get_u64(k->guid.bytes + 8) * 31;

    h *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> 32 ^ h >> 7);
}

static bool same(const struct etw_count *a, const struct etw_count *b)
{
    return numbers(a) == numbers(b) &&
           memcmp(&a->guid, &b->guid, sizeof(a->guid)) == 0;
}

static struct etw_count *slot(struct etw_count *slots, size_t cap,
        const struct etw_count *k)
{
    size_t i = hash(k) & (cap - 1);

    while (slots[i].count && !same(&slots[i], k))
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

static void grow(struct etw_counts *c)
{
    size_t cap = c->cap ? 2 * c->cap : 256;
    struct etw_count *slots = alloc_zero(cap, sizeof(*slots));

    for (size_t i = 0; i < c->cap; i++)
        if (c->slots[i].count)
            *slot(slots, cap, &c->slots[i]) = c->slots[i];
    free(c->slots);
    c->slots = slots;
    c->cap = cap;
}

void etw_counts_add(struct etw_counts *c, const struct etw_record *r)
{
    if (2 * c->used >= c->cap)
        grow(c);

    struct etw_count k = key_of(r);
    struct etw_count *s = slot(c->slots, c->cap, &k);

    if (!s->count) {
        *s = k;
        c->used++;
    }
    s->count++;
    s->bytes += r->len;
}

void etw_count_key(struct buf *out, const struct etw_count *c)
{
    char guid[GUID_TEXT_LEN + 1];

    guid_text(guid, c->guid.bytes);
    switch ((enum etw_kind)c->kind) {
    case ETW_KERNEL:
        buf_printf(out, "K|g=0x%02x|op=%u|v=%u|hdr=0x%02x", c->group, c->opcode,
                c->version, c->header);
        break;
    case ETW_CLASSIC:
        buf_printf(out, "C|%s|hdr=0x%02x", guid, c->header);
        break;
    case ETW_EVENT:
        buf_printf(out, "E|%s|id=%u|op=%u|v=%u|hdr=0x%02x", guid, c->id,
                c->opcode, c->version, c->header);
        break;
    case ETW_WPP: buf_printf(out, "M|hdr=0x%02x", c->header); break;
    }
}

static int by_key(const void *a, const void *b)
{
    struct buf x = { 0 }, y = { 0 };

    etw_count_key(&x, a);
    etw_count_key(&y, b);

    int order = strcmp(buf_cstr(&x), buf_cstr(&y));

    buf_release(&x);
    buf_release(&y);
    return order;
}

void etw_counts_sort(struct etw_counts *c)
{
    size_t used = 0;

    for (size_t i = 0; i < c->cap; i++)
        if (c->slots[i].count)
            c->slots[used++] = c->slots[i];
    c->used = used;
    if (used)
        qsort(c->slots, used, sizeof(*c->slots), by_key);
}

void etw_counts_release(struct etw_counts *c)
{
    free(c->slots);
    *c = (struct etw_counts){ 0 };
}
