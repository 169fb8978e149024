/* sort.c -- a heap sort: never slow, no memory of its own. */
#include "base/sort.h"

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
