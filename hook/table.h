/* table.h -- from an address to a word, for any number of threads, without a
 * lock.  The memory is the owner's and starts zeroed.
 *
 * A key once seen keeps its place; ONNX Runtime's objects come back at the
 * same addresses, so a table fills slowly.  When it is full around a key,
 * there is no place, and the owner does without. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct table_place {
    _Atomic uintptr_t key; /* 0: free */
    _Atomic uint64_t word; /* 0: nothing is known */
};

#define TABLE_PROBES 32

/* The key's word, which is made on the way; NULL: there is no place.  `size`
 * is a power of 2. */
static inline _Atomic uint64_t *table_word(struct table_place *table,
        size_t size, const void *key)
{
    uintptr_t wanted = (uintptr_t)key;
    size_t at = (size_t)((wanted >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32);

    for (size_t i = 0; i < TABLE_PROBES; i++) {
        struct table_place *p = &table[(at + i) & (size - 1)];
        uintptr_t there = atomic_load_explicit(&p->key, memory_order_acquire);

        if (there == wanted)
            return &p->word;
        if (there == 0 &&
                atomic_compare_exchange_strong(&p->key, &there, wanted))
            return &p->word;
        if (there == wanted)
            return &p->word;
    }
    return NULL;
}

static inline uint64_t table_read(struct table_place *table, size_t size,
        const void *key)
{
    _Atomic uint64_t *word = table_word(table, size, key);

    return word ? atomic_load_explicit(word, memory_order_acquire) : 0;
}

static inline void table_write(struct table_place *table, size_t size,
        const void *key, uint64_t value)
{
    _Atomic uint64_t *word = table_word(table, size, key);

    if (word)
        atomic_store_explicit(word, value, memory_order_release);
}
