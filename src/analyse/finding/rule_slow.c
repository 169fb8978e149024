/* rule_slow.c -- inferences that were slower than those around them, and what
 * they have in common. */
#include "analyse/finding/findings.h"
#include "analyse/finding/signals.h"
#include "analyse/finding/slow.h"
#include "base/alloc.h"
#include "base/compiler.h"

#include <stdlib.h>
#include <string.h>

/* For people. */
static const struct {
    const char *cause, *text, *remedy;
} words[] = {
    { "preempted", "the program's threads were switched out",
            "give it cores of its own (taskset, cpuset), or fewer threads" },
    { "page_faults", "pages of memory had to be brought",
            "keep buffers instead of allocating them anew" },
    { "storage", "the program waited for storage",
            "read and write outside of the thread that infers" },
    { "other_programs", "other programs kept the CPUs busy",
            "give it cores of its own (taskset, cpuset)" },
    { "stolen_cpu", "the machine below this virtual one took the CPU away",
            NULL },
    { "clock", "the CPU's clock was low", NULL },
    { "gil", "they waited for Python's GIL", NULL },
    { "queue", "requests waited in the queue", NULL },
};

static size_t words_of(const char *cause)
{
    for (size_t i = 0; i < LEN(words); i++)
        if (strcmp(words[i].cause, cause) == 0)
            return i;
    return 0;
}

struct by_excess {
    double excess_ns;
    uint64_t number;
};

static int compare_excess(const void *a, const void *b)
{
    const struct by_excess *x = a, *y = b;

    return (x->excess_ns < y->excess_ns) - (x->excess_ns > y->excess_ns);
}

static void name_slowest(struct finding *x, const struct finding_case *c,
        const struct cause_case *cases, size_t slow)
{
    struct by_excess *all = alloc_zero(slow, sizeof(*all));
    size_t n = 0;

    for (size_t i = 0; i < c->count; i++)
        if (cases[i].slow)
            all[n++] = (struct by_excess){ cases[i].excess_ns,
                c->inferences[i].number };
    qsort(all, n, sizeof(*all), compare_excess);
    for (size_t i = 0; i < n && i < FINDING_NAMED; i++)
        x->inferences[x->inference_count++] = all[i].number;
    free(all);
}

static void tell(struct findings *f, const struct finding_case *c,
        const struct cause_case *cases)
{
    struct finding *x = findings_add(f, "slow", FINDING_NOTE);
    double lost = 0;

    f->slow.limit_ns = UINT64_MAX;
    for (size_t i = 0; i < c->count; i++)
        if (cases[i].slow) {
            lost += cases[i].excess_ns;
            if (cases[i].duration_ns < f->slow.limit_ns)
                f->slow.limit_ns = cases[i].duration_ns;
        }
    buf_printf(&x->text,
            "%zu of %zu inferences took at least %.2f times as long as those "
            "around them",
            f->slow.count, f->slow.of, f->slow.least_ratio);
    if (f->slow.cause_count) {
        const struct cause_found *best = &f->slow.causes[0].found;
        size_t w = words_of(f->slow.causes[0].name);

        x->severity = FINDING_LOOK;
        buf_printf(&x->text, ", most of all because %s (in %zu of them)",
                words[w].text, best->slow);
        if (words[w].remedy)
            buf_text(&x->detail, words[w].remedy);
        finding_evidence(x, "slow_with_cause", (double)best->slow,
                "inferences");
        finding_evidence(x, "share_of_time_lost", best->share, "ratio");
        finding_evidence(x, "in_others", best->others, "ratio");
    } else {
        buf_text(&x->text, "; nothing that was sampled sets them apart");
    }
    finding_evidence(x, "slow", (double)f->slow.count, "inferences");
    finding_evidence(x, "of", (double)f->slow.of, "inferences");
    finding_evidence(x, "lost", lost / 1e6, "ms");
    name_slowest(x, c, cases, f->slow.count);
}

static struct cause_case *make_cases(const struct finding_case *c,
        const struct slow *s)
{
    struct cause_case *cases = alloc_zero(c->count, sizeof(*cases));

    for (size_t i = 0; i < c->count; i++) {
        cases[i].start_ns = c->inferences[i].start_ns;
        cases[i].duration_ns = c->inferences[i].duration_ns;
    }
    for (size_t i = 0; i < s->count; i++) {
        struct cause_case *x = &cases[s->items[i].index];

        x->slow = true;
        x->excess_ns = (double)x->duration_ns - s->items[i].expected_ns;
    }
    return cases;
}

/* Which of the causes were there in each slow one. */
static void keep_slow(struct findings *f, const struct finding_case *c,
        const struct cause_case *cases, const struct signals *signals,
        const struct cause_found *found)
{
    size_t n = 0;

    f->slow.items = alloc_zero(f->slow.count, sizeof(*f->slow.items));
    for (size_t i = 0; i < c->count; i++) {
        const struct inference *of = &c->inferences[i];
        struct finding_slow *x = &f->slow.items[n];

        if (!cases[i].slow)
            continue;
        *x = (struct finding_slow){
            .number = of->number,
            .start_ns = of->start_ns,
            .duration_ns = of->duration_ns,
            .session = of->session,
            .phase = of->phase,
            .expected_ns = (double)of->duration_ns - cases[i].excess_ns,
        };
        for (size_t k = 0; k < f->slow.cause_count; k++)
            if (signals->items[found[k].cause].there[i])
                x->causes |= 1u << k;
        n++;
    }
}

static int find_causes(struct findings *f, const struct finding_case *c,
        const struct cause_case *cases, struct error *e)
{
    struct signals signals;
    int rc = signals_read(&signals, c, e);

    if (rc)
        return rc;

    struct cause_found *found = alloc_zero(signals.count + 1, sizeof(*found));
    size_t count =
            causes_find(found, cases, c->count, signals.items, signals.count);

    for (size_t i = 0; i < count && i < LEN(f->slow.causes); i++) {
        f->slow.causes[i].name = signals.items[found[i].cause].name;
        f->slow.causes[i].found = found[i];
        f->slow.cause_count++;
    }
    keep_slow(f, c, cases, &signals, found);
    free(found);
    signals_release(&signals);
    return 0;
}

int rule_slow(struct findings *f, const struct finding_case *c, struct error *e)
{
    struct slow s;
    int rc = 0;

    if (c->count < SLOW_LEAST)
        return 0;

    uint64_t *ns = alloc_zero(c->count, sizeof(*ns));

    for (size_t i = 0; i < c->count; i++)
        ns[i] = c->inferences[i].duration_ns;
    slow_find(&s, ns, c->count);
    free(ns);
    f->slow.known = true;
    f->slow.of = c->count;
    f->slow.count = s.count;
    if (s.count) {
        struct cause_case *cases = make_cases(c, &s);

        f->slow.least_ratio = s.least_ratio;
        rc = find_causes(f, c, cases, e);
        if (!rc)
            tell(f, c, cases);
        free(cases);
    }
    free(s.items);
    return rc;
}
