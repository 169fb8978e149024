#include "energy/exact.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

struct loss {
    double lost;
    size_t index;
};

static int most_lost_first(const void *a, const void *b)
{
    const struct loss *x = a, *y = b;

    if (x->lost < y->lost || x->lost > y->lost)
        return x->lost > y->lost ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Rounded down, scaled so that the shares add up to the total.  What is left
 * is less than one for each part, but for rounding. */
static uint64_t round_down(uint64_t *part, struct loss *loss,
        const double *share, size_t count, double scale, uint64_t total)
{
    uint64_t left = total;

    for (size_t i = 0; i < count; i++) {
        double whole = floor(share[i] * scale);

        if (whole > (double)left)
            whole = (double)left;
        part[i] = (uint64_t)whole;
        if (part[i] > left)
            part[i] = left;
        left -= part[i];
        loss[i] = (struct loss){ share[i] * scale - whole, i };
    }
    return left;
}

void exact_parts(uint64_t *part, const double *share, size_t count,
        uint64_t total)
{
    double sum = 0;

    if (!count)
        return;
    for (size_t i = 0; i < count; i++)
        sum += share[i];
    if (!(sum > 0)) {
        for (size_t i = 0; i < count; i++)
            part[i] = 0;
        part[count - 1] = total;
        return;
    }

    struct loss *loss = alloc_zero(count, sizeof(*loss));
    uint64_t left =
            round_down(part, loss, share, count, (double)total / sum, total);

    qsort(loss, count, sizeof(*loss), most_lost_first);
    for (size_t i = 0; i < count && left; i++, left--)
        part[loss[i].index]++;
    /* Above 2^53 doubles are coarser than one. */
    part[loss[0].index] += left;
    free(loss);
}
