/* rule_new_shapes.c -- inputs of ever new sizes: the first inference of a size
 * takes longer than those of the same size that follow, since memory that was
 * laid out for others does not fit. */
#include "analyse/finding/findings.h"
#include "base/alloc.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#define RATIO_LEAST 1.2
enum { SIZES_LEAST = 10, SAME_LEAST = 3 };

struct sized {
    uint32_t batch, sequence, past;
    uint64_t bytes;
    size_t index; /* the order of coming */
    double ns;
};

static int compare_size(const struct sized *x, const struct sized *y)
{
    if (x->batch != y->batch)
        return x->batch < y->batch ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    if (x->past != y->past)
        return x->past < y->past ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int by_size(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    int order = compare_size(x, y);

    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* What the first of a size has over the median of those that follow. */
static double median_of_later(const struct sized *x, size_t count)
{
    double *ns = alloc_zero(count, sizeof(*ns)), median;

    for (size_t i = 1; i < count; i++)
        ns[i - 1] = x[i].ns;
    sort_doubles(ns, count - 1);
    median = ns[(count - 1) / 2];
    free(ns);
    return median;
}

struct firsts {
    double *ratios;
    size_t count;
    double excess_ns;
};

static struct firsts look(const struct sized *all, size_t count)
{
    struct firsts out = { alloc_zero(count + 1, sizeof(double)), 0, 0 };

    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && !compare_size(&all[i], &all[next]);
                next++)
            ;
        if (next - i < SAME_LEAST)
            continue;

        double later = median_of_later(&all[i], next - i);

        out.ratios[out.count++] = all[i].ns / later;
        out.excess_ns += all[i].ns - later;
    }
    sort_doubles(out.ratios, out.count);
    return out;
}

static void tell(struct findings *f, const struct finding_case *c,
        const struct firsts *x)
{
    struct finding *y = findings_add(f, "new_shapes", FINDING_LOOK);

    y->gain_ns = x->excess_ns / (double)c->count;
    buf_printf(&y->text,
            "inputs came in %zu sizes, and the first inference of a size took "
            "%.2f times as long as those that followed",
            x->count, x->ratios[x->count / 2]);
    buf_text(&y->detail, "pad inputs to a few sizes, or run each size once "
                         "before it counts");
    finding_evidence(y, "sizes", (double)x->count, "sizes");
    finding_evidence(y, "first_to_later", x->ratios[x->count / 2], "ratio");
    finding_evidence(y, "lost", x->excess_ns / 1e6, "ms");
}

int rule_new_shapes(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    (void)e;
    if (c->count < (size_t)SIZES_LEAST * SAME_LEAST)
        return 0;

    struct sized *all = alloc_zero(c->count, sizeof(*all));

    for (size_t i = 0; i < c->count; i++) {
        const struct inference *x = &c->inferences[i];

        all[i] = (struct sized){ x->batch, x->sequence, x->past, x->in_bytes, i,
            (double)x->duration_ns };
    }
    qsort(all, c->count, sizeof(*all), by_size);

    struct firsts x = look(all, c->count);

    /* Of nearly all sizes, and not of a few by chance. */
    if (x.count >= SIZES_LEAST && x.ratios[x.count / 2] >= RATIO_LEAST &&
            x.ratios[x.count / 10] > 1)
        tell(f, c, &x);
    free(x.ratios);
    free(all);
    return 0;
}
