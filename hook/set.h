/* set.h -- numbers that were met before, for any number of threads, without a
 * lock.  The memory is the owner's and starts zeroed; 0 is no member.  A set
 * that is full around a number forgets it, and the owner does things twice. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SET_PROBES 64

/* `size` is a power of 2. */
static inline bool set_has(const _Atomic uint64_t *set, size_t size,
        uint64_t number)
{
    for (size_t i = 0; i < SET_PROBES; i++) {
        uint64_t there = atomic_load_explicit(&set[(number + i) & (size - 1)],
                memory_order_acquire);

        if (there == number || !there)
            return there != 0;
    }
    return false;
}

static inline void set_add(_Atomic uint64_t *set, size_t size, uint64_t number)
{
    for (size_t i = 0; i < SET_PROBES; i++) {
        uint64_t there = 0;

        if (atomic_compare_exchange_strong(&set[(number + i) & (size - 1)],
                    &there, number) ||
                there == number)
            return;
    }
}
