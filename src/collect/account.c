#include "collect/account.h"

#include "base/alloc.h"

#include <stdlib.h>

/* --- one thread ----------------------------------------------------------- */

/* Kernels that none is known to enclose yet form a chain back in time, by
 * their places: `depth` holds the link until all are seen, as place + 1. */
static bool enclose(struct kernel_run *k, size_t at, size_t *open,
        uint64_t traced_ns)
{
    uint64_t took = k[at].end_ns - k[at].start_ns, within = 0;

    while (*open && k[*open - 1].start_ns >= k[at].start_ns) {
        struct kernel_run *inner = &k[*open - 1];

        /* Two that end in one moment: nothing says which is the inner one, and
         * it is none where the time between them is none, either. */
        if (inner->end_ns == k[at].start_ns)
            break;
        *open = inner->depth;
        within += inner->end_ns - inner->start_ns + traced_ns;
        inner->depth = (uint32_t)at + 1;
        k[at].is_flow = true;
    }
    if (*open && k[*open - 1].end_ns > k[at].start_ns)
        return false;
    k[at].self_ns = took > within ? took - within : 0;
    k[at].depth = (uint32_t)*open;
    *open = at + 1;
    return true;
}

bool account_nest(struct kernel_run *k, size_t count, uint64_t traced_ns)
{
    size_t open = 0;

    if (count > UINT32_MAX - 1)
        return false;
    for (size_t i = 0; i < count; i++)
        if (k[i].start_ns > k[i].end_ns ||
                (i && k[i].end_ns < k[i - 1].end_ns) ||
                !enclose(k, i, &open, traced_ns))
            return false;
    /* What is still open is in none; the others know which one they are in,
     * which ended later. */
    while (open) {
        size_t next = k[open - 1].depth;

        k[open - 1].depth = 0;
        open = next;
    }
    for (size_t i = count; i-- > 0;)
        if (k[i].depth)
            k[i].depth = k[k[i].depth - 1].depth + 1;
    return true;
}

/* --- all of them ---------------------------------------------------------- */

struct interval {
    uint64_t start_ns, end_ns;
};

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

/* Those that are in no other, in the order of their starts: as they come,
 * where one thread ran them all. */
static size_t outermost(struct interval *out, const struct kernel_run *k,
        size_t count)
{
    size_t n = 0;
    bool sorted = true;

    for (size_t i = 0; i < count; i++) {
        if (k[i].depth)
            continue;
        out[n] = (struct interval){ k[i].start_ns, k[i].end_ns };
        sorted &= !n || out[n - 1].start_ns <= out[n].start_ns;
        n++;
    }
    if (!sorted)
        qsort(out, n, sizeof(*out), by_start);
    return n;
}

static void add_self(struct account *a, const struct kernel_run *k,
        size_t count)
{
    for (size_t i = 0; i < count; i++)
        *(k[i].is_flow ? &a->flow_ns : &a->kernels_ns) += k[i].self_ns;
    a->between_ns =
            a->run_ns - a->before_ns - a->after_ns - a->kernels_ns - a->flow_ns;
}

bool account_make(struct account *out, const struct kernel_run *k, size_t count,
        uint64_t start_ns, uint64_t end_ns)
{
    struct interval *top = alloc_zero(count ? count : 1, sizeof(*top));
    size_t n = outermost(top, k, count);
    uint64_t reached_ns = start_ns; /* up to there all is accounted for */
    struct account a = { .run_ns = end_ns - start_ns };
    bool inside = start_ns <= end_ns;

    for (size_t i = 0; i < n && inside; i++) {
        inside = top[i].start_ns >= start_ns && top[i].end_ns <= end_ns;
        if (i && top[i].start_ns < reached_ns)
            a.beside = true;
        else if (i)
            a.between_ns += top[i].start_ns - reached_ns;
        else
            a.before_ns = top[i].start_ns - start_ns;
        if (top[i].end_ns > reached_ns) {
            uint64_t from_ns =
                    top[i].start_ns > reached_ns ? top[i].start_ns : reached_ns;

            a.busy_ns += top[i].end_ns - from_ns;
            reached_ns = top[i].end_ns;
        }
    }
    free(top);
    if (!inside)
        return false;
    if (n)
        a.after_ns = end_ns - reached_ns;
    else
        a.before_ns = a.run_ns;
    if (!a.beside)
        add_self(&a, k, count);
    *out = a;
    return true;
}
