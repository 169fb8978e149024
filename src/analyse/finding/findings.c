#include "analyse/finding/findings.h"

#include "analyse/measured.h"
#include "analyse/verdict/judged_run.h"
#include "base/alloc.h"
#include "base/compiler.h"

#include <math.h>
#include <stdlib.h>

static finding_rule *const rules[] = {
    rule_alert,
    rule_leak,
    rule_not_numbers,
    rule_slow,
    rule_level_shift,
    rule_optimisation_off,
    rule_constant_work,
    rule_round_trips,
    rule_unfused,
    rule_fallback,
    rule_threads,
    rule_spinning,
    rule_new_shapes,
    rule_padding,
    rule_batch,
    rule_gil,
    rule_modes,
};

const char *finding_severity_name(enum finding_severity s)
{
    static const char *const names[] = {
        [FINDING_NOTE] = "note",
        [FINDING_LOOK] = "look",
        [FINDING_TROUBLE] = "trouble",
    };

    return names[s];
}

/* --- filling in ----------------------------------------------------------- */

struct finding *findings_add(struct findings *f, const char *rule,
        enum finding_severity severity)
{
    f->items = alloc_resize(f->items, (f->count + 1) * sizeof(*f->items));

    struct finding *x = &f->items[f->count++];

    *x = (struct finding){ .rule = rule, .severity = severity };
    x->gain_ns = NAN;
    return x;
}

void finding_evidence(struct finding *f, const char *name, double value,
        const char *unit)
{
    if (f->evidence_count < FINDING_EVIDENCE && isfinite(value))
        f->evidence[f->evidence_count++] =
                (struct finding_evidence){ name, unit, value };
}

/* --- the inferences ------------------------------------------------------- */

struct case_reader {
    struct finding_case *c;
    struct counting *counting;
    struct measured measured;
    double phase_ns[PHASES];
    size_t cap;
};

static void take_inference(void *to, const struct inference *i)
{
    struct case_reader *r = to;
    struct finding_case *c = r->c;

    if (i->flags & FLAG_FAILED || i->session != c->session->id ||
            !i->duration_ns || i->phase >= PHASES ||
            !measured_has(&r->measured, i) ||
            counting_of(r->counting, i) == LEFT_OUT)
        return;
    if (c->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 1024;
        c->inferences =
                alloc_resize(c->inferences, r->cap * sizeof(*c->inferences));
    }
    c->inferences[c->count] = *i;
    c->inferences[c->count++].error = NULL;
    r->phase_ns[i->phase] += (double)i->duration_ns;
}

static int by_start(const void *a, const void *b)
{
    const struct inference *x = a, *y = b;

    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Leaves those of the main phase, behind the warm-up. */
static void keep_steady(struct finding_case *c, const double *phase_ns,
        bool marked)
{
    size_t kept = 0, warmup = 0;

    for (unsigned i = 1; i < PHASES; i++)
        if (phase_ns[i] > phase_ns[c->phase])
            c->phase = i;
    for (size_t i = 0; i < c->count; i++)
        if (c->inferences[i].phase == c->phase)
            c->inferences[kept++] = c->inferences[i];
    c->count = kept;
    if (kept)
        qsort(c->inferences, kept, sizeof(*c->inferences), by_start);
    if (!marked && kept) {
        uint64_t *ns = alloc_zero(kept, sizeof(*ns));

        for (size_t i = 0; i < kept; i++)
            ns[i] = c->inferences[i].duration_ns;
        warmup = judged_run_warmup(ns, kept);
        free(ns);
    }
    c->count -= warmup;
    for (size_t i = 0; warmup && i < c->count; i++)
        c->inferences[i] = c->inferences[i + warmup];
}

static int read_case(struct finding_case *c, struct error *e)
{
    struct case_reader r = { .c = c };
    const struct summary *s = c->summary;

    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].inferences && !s->sessions[i].aside &&
                (!c->session || s->sessions[i].total_ns > c->session->total_ns))
            c->session = &s->sessions[i];
    if (!c->session || s->sweep.count) /* which is of several things */
        return 0;

    int rc = counting_read(&r.counting, c->store, c->run, e);

    if (!rc)
        rc = measured_read(&r.measured, c->store, c->run, e);
    if (!rc)
        rc = store_each_inference(c->store, c->run, take_inference, &r, e);
    if (!rc)
        keep_steady(c, r.phase_ns, r.measured.count > 0);
    counting_free(r.counting);
    measured_release(&r.measured);
    return rc;
}

/* --- the whole ------------------------------------------------------------ */

static int by_weight(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    double gain_x = isnan(x->gain_ns) ? 0 : x->gain_ns;
    double gain_y = isnan(y->gain_ns) ? 0 : y->gain_ns;

    if (x->severity != y->severity)
        return x->severity > y->severity ? -1 : 1;
    return (gain_x < gain_y) - (gain_x > gain_y);
}

static int apply(struct findings *out, finding_rule *const *which, size_t count,
        struct finding_case c, struct error *e)
{
    *out = (struct findings){ .count = 0 };

    int rc = read_case(&c, e);

    for (size_t i = 0; !rc && i < count; i++)
        rc = which[i](out, &c, e);
    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items), by_weight);
    free(c.inferences);
    if (rc)
        findings_release(out);
    return rc;
}

int findings_read(struct findings *out, const struct summary *summary,
        struct store *s, int64_t run, struct error *e)
{
    return apply(out, rules, LEN(rules),
            (struct finding_case){ .summary = summary, .store = s, .run = run },
            e);
}

int findings_read_slow(struct findings *out, const struct summary *summary,
        struct store *s, int64_t run, struct error *e)
{
    static finding_rule *const slow[] = { rule_slow };

    return apply(out, slow, LEN(slow),
            (struct finding_case){ .summary = summary, .store = s, .run = run },
            e);
}

void findings_release(struct findings *f)
{
    for (size_t i = 0; i < f->count; i++) {
        buf_release(&f->items[i].text);
        buf_release(&f->items[i].detail);
    }
    free(f->items);
    free(f->slow.items);
    *f = (struct findings){ .count = 0 };
}
