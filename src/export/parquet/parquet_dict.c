#include "export/parquet/parquet_dict.h"

#include "base/alloc.h"
#include "export/parquet/parquet_encode.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64

/* Eight bytes at a time; nobody chooses these texts to make it slow. */
static uint32_t hash_of(struct str s)
{
    uint64_t h = s.len * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t word = 0;

    for (; s.len >= sizeof(word); s.p += sizeof(word), s.len -= sizeof(word)) {
        memcpy(&word, s.p, sizeof(word));
        h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    word = 0;
    if (s.len)
        memcpy(&word, s.p, s.len);
    h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(h ^ h >> 32);
}

static bool is_text(const struct parquet_dict *d, uint32_t at, struct str text)
{
    uint32_t len;

    memcpy(&len, d->texts.p + at, sizeof(len));
    return len == text.len &&
           (!len || !memcmp(d->texts.p + at + sizeof(len), text.p, len));
}

static struct parquet_slot *free_slot(struct parquet_slot *slots, size_t count,
        uint32_t hash)
{
    size_t i = hash & (count - 1);

    while (slots[i].number)
        i = (i + 1) & (count - 1);
    return &slots[i];
}

static void grow(struct parquet_dict *d)
{
    size_t count = d->slot_count ? 2 * d->slot_count : FIRST_SLOTS;
    struct parquet_slot *slots = alloc_zero(count, sizeof(*slots));

    for (size_t i = 0; i < d->slot_count; i++)
        if (d->slots[i].number)
            *free_slot(slots, count, d->slots[i].hash) = d->slots[i];
    free(d->slots);
    d->slots = slots;
    d->slot_count = count;
}

bool parquet_dict_number(struct parquet_dict *d, struct str text,
        uint32_t *number)
{
    uint32_t hash = hash_of(text);

    if (d->full)
        return false;
    if (2 * ((size_t)d->count + 1) > d->slot_count)
        grow(d);

    size_t i = hash & (d->slot_count - 1);

    for (; d->slots[i].number; i = (i + 1) & (d->slot_count - 1))
        if (d->slots[i].hash == hash && is_text(d, d->slots[i].at, text)) {
            *number = d->slots[i].number - 1;
            return true;
        }
    if (d->count == PARQUET_DICT_TEXTS ||
            d->texts.len + text.len > PARQUET_DICT_BYTES) {
        d->full = true;
        return false;
    }
    d->slots[i] =
            (struct parquet_slot){ hash, (uint32_t)d->texts.len, d->count + 1 };
    parquet_u32(&d->texts, (uint32_t)text.len);
    buf_add(&d->texts, text.p, text.len);
    *number = d->count++;
    return true;
}

void parquet_dict_clear(struct parquet_dict *d)
{
    buf_clear(&d->texts);
    if (d->slots)
        memset(d->slots, 0, d->slot_count * sizeof(*d->slots));
    d->count = 0;
    d->full = false;
}

void parquet_dict_release(struct parquet_dict *d)
{
    buf_release(&d->texts);
    free(d->slots);
    *d = (struct parquet_dict){ 0 };
}
