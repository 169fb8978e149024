/* operators_inferences.c -- the inferences around the operators: which were
 * looked into, and how long the others took. */
#include "analyse/operators_state.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Of a session's inferences; enough for their median. */
#define PLAIN_MOST 262144
/* Of those before one that was looked into, and behind it. */
#define AROUND 8

struct durations {
    uint64_t *ns;
    size_t count, cap;
};

/* A session's inferences that were not looked into. */
struct plain {
    struct durations apart; /* from any that was described, */
    struct durations after; /* or right after one */
    bool described;         /* the last inference of the session was */
};

static struct plain *plain_of(struct inferences *r, uint32_t session)
{
    while (r->plain_count < session) {
        r->plain = alloc_resize(r->plain,
                (r->plain_count + 1) * sizeof(*r->plain));
        r->plain[r->plain_count++] = (struct plain){ 0 };
    }
    return &r->plain[session - 1];
}

static void keep(struct durations *d, uint64_t ns)
{
    if (d->count == PLAIN_MOST)
        return;
    if (d->count == d->cap) {
        d->cap = d->cap ? 2 * d->cap : 256;
        d->ns = alloc_resize(d->ns, d->cap * sizeof(*d->ns));
    }
    d->ns[d->count++] = ns;
}

void inferences_take(void *to, const struct inference *i)
{
    struct inferences *r = to;
    uint64_t number = ++r->count;

    if (!i->session || i->flags & FLAG_FAILED)
        return;

    struct plain *plain = plain_of(r, i->session);
    bool after = plain->described, looked = i->flags & FLAG_SAMPLED;
    bool timed = i->flags & FLAG_TIMED;

    (void)operators_account(r->out, i->session);
    plain->described = looked && !timed;
    if (!looked) {
        keep(after ? &plain->after : &plain->apart, i->duration_ns);
        return;
    }
    if (r->looked_count == r->looked_cap) {
        r->looked_cap = r->looked_cap ? 2 * r->looked_cap : 64;
        r->looked = alloc_resize(r->looked, r->looked_cap * sizeof(*r->looked));
    }
    r->looked[r->looked_count++] = (struct looked){ number, i->session,
        i->start_ns, i->start_ns + i->duration_ns, timed, false,
        plain->apart.count, 0 };
}

const struct looked *inferences_find(const struct inferences *r,
        uint64_t number)
{
    size_t low = 0, high = r->looked_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (r->looked[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->looked_count && r->looked[low].number == number
                   ? &r->looked[low]
                   : NULL;
}

/* --- what was disturbed --------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Tukey's fence: beyond it something else took the time, such as another
 * program.  Sorts. */
static double fence(struct durations *d)
{
    if (!d->count)
        return 0;
    qsort(d->ns, d->count, sizeof(*d->ns), by_value);

    size_t quarter = d->count / 4, three_quarters = d->count * 3 / 4;
    double low = (double)d->ns[quarter];
    double high = (double)d->ns[three_quarters];

    return high + 1.5 * (high - low);
}

static double median(const uint64_t *sorted, size_t count)
{
    size_t low = (count - 1) / 2, high = count / 2;

    return (double)(sorted[low] + sorted[high]) / 2;
}

/* A machine is not always as fast; so an inference is compared with those that
 * ran around it. */
static void look_around(struct inferences *r)
{
    for (size_t i = 0; i < r->looked_count; i++) {
        struct looked *x = &r->looked[i];
        const struct durations *d = &r->plain[x->session - 1].apart;
        size_t first = x->plain_at > AROUND ? x->plain_at - AROUND : 0;
        size_t last = x->plain_at + AROUND < d->count ? x->plain_at + AROUND
                                                      : d->count;
        uint64_t near[2 * AROUND];

        if (last < first + AROUND || d->count == PLAIN_MOST)
            continue;
        memcpy(near, d->ns + first, (last - first) * sizeof(*near));
        qsort(near, last - first, sizeof(*near), by_value);
        x->local_ns = median(near, last - first);
    }
}

/* The median of an inference that we did not touch. */
static void sum_up_plain(struct inferences *r)
{
    for (size_t i = 0; i < r->plain_count; i++) {
        struct plain *p = &r->plain[i];
        struct durations *d = p->apart.count ? &p->apart : &p->after;
        struct operator_account *a = operators_account(r->out, (uint32_t)i + 1);

        if (d->count) {
            qsort(d->ns, d->count, sizeof(*d->ns), by_value);
            a->plain_inferences = d->count;
            a->plain_median_ns = median(d->ns, d->count);
        }
        free(p->apart.ns);
        free(p->after.ns);
    }
    free(r->plain);
}

/* Among those of a session that were looked into alike. */
static void find_disturbed_of(struct inferences *r, uint32_t session,
        bool timed)
{
    struct durations d = { 0 };

    for (size_t i = 0; i < r->looked_count; i++)
        if (r->looked[i].session == session && r->looked[i].timed == timed)
            keep(&d, r->looked[i].end_ns - r->looked[i].start_ns);

    double most = fence(&d);

    for (size_t i = 0; i < r->looked_count; i++) {
        struct looked *x = &r->looked[i];

        if (x->session == session && x->timed == timed &&
                (double)(x->end_ns - x->start_ns) > most) {
            x->disturbed = true;
            r->out->accounts[session - 1].left_out++;
        }
    }
    free(d.ns);
}

static void find_disturbed(struct inferences *r)
{
    for (uint32_t s = 1; s <= r->out->account_count; s++) {
        find_disturbed_of(r, s, false);
        find_disturbed_of(r, s, true);
    }
}

void inferences_judge(struct inferences *r)
{
    look_around(r);
    sum_up_plain(r);
    find_disturbed(r);
}
