/* sort.c -- a heap sort: never slow, no memory of its own; and for numbers by
 * the thousand one that looks at their bits. */
#include "base/sort.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct heap {
    unsigned char *items;
    size_t size;
    int (*compare)(const void *a, const void *b, void *context);
    void *context;
};

static void *item(const struct heap *h, size_t i)
{
    return h->items + i * h->size;
}

static void swap(const struct heap *h, size_t i, size_t k)
{
    unsigned char *a = item(h, i), *b = item(h, k);

    for (size_t n = 0; n < h->size; n++) {
        unsigned char kept = a[n];

        a[n] = b[n];
        b[n] = kept;
    }
}

/* Lets the item sink below all that are greater, among the first `count`. */
static void sink(const struct heap *h, size_t i, size_t count)
{
    for (;;) {
        size_t greatest = i;

        for (size_t child = 2 * i + 1; child <= 2 * i + 2; child++)
            if (child < count && h->compare(item(h, child), item(h, greatest),
                                         h->context) > 0)
                greatest = child;
        if (greatest == i)
            return;
        swap(h, i, greatest);
        i = greatest;
    }
}

void sort_with(void *items, size_t count, size_t size,
        int (*compare)(const void *a, const void *b, void *context),
        void *context)
{
    struct heap h = { items, size, compare, context };

    for (size_t i = count / 2; i-- > 0;)
        sink(&h, i, count);
    for (size_t left = count; left > 1; left--) {
        swap(&h, 0, left - 1);
        sink(&h, 0, left - 1);
    }
}

/* --- numbers -------------------------------------------------------------- */

#define DIGIT_BITS 11
#define DIGITS     6 /* that 64 bits have */
#define DIGIT_MAX  (1u << DIGIT_BITS)
#define FEW        1024 /* of fewer, counting digits costs more than it saves */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* As a number without a sign that has the same order: a double's bits have it
 * by themselves but for the sign, which turns the others round. */
static uint64_t key_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static unsigned digit(uint64_t key, unsigned at)
{
    return (unsigned)(key >> at * DIGIT_BITS) & (DIGIT_MAX - 1);
}

/* By one digit; those that have the same stay in order.  False: all have the
 * same, and nothing was done. */
static bool sort_by_digit(uint64_t *to, const uint64_t *from, size_t count,
        unsigned at)
{
    size_t place[DIGIT_MAX] = { 0 }, next = 0;

    for (size_t i = 0; i < count; i++)
        place[digit(from[i], at)]++;
    if (place[digit(from[0], at)] == count)
        return false;
    for (unsigned i = 0; i < DIGIT_MAX; i++) {
        size_t here = place[i];

        place[i] = next;
        next += here;
    }
    for (size_t i = 0; i < count; i++)
        to[place[digit(from[i], at)]++] = from[i];
    return true;
}

void sort_doubles(double *values, size_t count)
{
    if (count < FEW) {
        qsort(values, count, sizeof(*values), by_value);
        return;
    }

    uint64_t *keys = alloc_zero(2 * count, sizeof(*keys));
    uint64_t *from = keys, *to = keys + count;

    for (size_t i = 0; i < count; i++)
        from[i] = key_of(values[i]);
    for (unsigned at = 0; at < DIGITS; at++)
        if (sort_by_digit(to, from, count, at)) {
            uint64_t *sorted = to;

            to = from;
            from = sorted;
        }
    for (size_t i = 0; i < count; i++)
        values[i] = value_of(from[i]);
    free(keys);
}
