#include "export/report/report_build.h"

#include "analyse/operators/fusion.h"
#include "analyse/operators/operator_groups.h"
#include "analyse/session_name.h"
#include "model/phase.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define MOST_OPERATORS 25

/* What is shown: a table, in inferences of a phase. */
struct view {
    const struct summary *summary;
    const struct operator_table *table;
    unsigned phase;
};

/* "Operators by type: decoder, decode; from 3 inferences, the first cold". */
static struct report_table *begin_view(struct report *r, const char *what,
        const struct view *v, size_t columns)
{
    const struct traced_sum *x = &v->table->sums[v->phase];
    struct range batches = session_table_batches(v->summary, v->table);
    struct buf title = { 0 }, whose = { 0 };
    uint64_t cold = v->table->cold[v->phase];

    session_table_name(&whose, v->summary, v->table);
    if (v->phase != PHASES)
        buf_printf(&whose, "%s%s", whose.len ? ", " : "",
                phase_name((enum phase)v->phase));
    buf_printf(&title, "%s%s%s", what, whose.len ? ": " : "", buf_cstr(&whose));
    if (x->count)
        buf_printf(&title, "; from %" PRIu64 " inference%s", x->count,
                x->count == 1 ? "" : "s");
    if (x->count && batches.max > batches.min)
        buf_printf(&title, " of batches %" PRIu64 " to %" PRIu64 " together",
                batches.min, batches.max);
    if (x->count && cold)
        buf_text(&title,
                cold == 1 ? ", the first cold" : ", each session's first cold");

    struct report_table *t = report_begin(r, buf_cstr(&title), columns);

    buf_release(&title);
    buf_release(&whose);
    return t;
}

static void add_share(struct report_table *t, const struct view *v, double ns)
{
    double all_ns = v->table->self_ns[v->phase];

    if (all_ns > 0)
        report_addf(t, "%.1f %%", 100 * ns / all_ns);
    else
        report_add(t, "");
}

static void add_flops(struct report_table *t, double flops, double ns)
{
    if (flops > 0 && ns > 0)
        report_addf(t, "%.3g", flops / ns);
    else
        report_add(t, "");
}

static void add_known(struct report_table *t, double ns, bool known)
{
    if (known)
        report_add_duration(t, ns);
    else
        report_add(t, "");
}

/* So that the rows add up: what is in none of them, in the columns of total
 * and share. */
static void add_rest(struct report_table *t, const struct view *v, size_t more,
        double ns, size_t total_column)
{
    if (!more && !(ns > 0.0005 * v->table->self_ns[v->phase]))
        return;
    if (more)
        report_addf(t, "the rest, %zu more", more);
    else
        report_add(t, "the rest");
    for (size_t i = 1; i < total_column; i++)
        report_add(t, "");
    report_add_duration(t, ns);
    add_share(t, v, ns);
    while (t->cell_count % t->columns)
        report_add(t, "");
}

static void add_group(struct report_table *t, const struct view *v,
        const struct operator_group *x)
{
    report_addf(t, "%" PRIu64, x->operators);
    report_addf(t, "%" PRIu64 "%s", x->runs,
            x->runs < OPERATORS_FEW ? " (few)" : "");
    report_add_duration(t, x->self_ns);
    add_share(t, v, x->self_ns);
    report_add_duration(t, x->self_ns / (double)x->runs);
    add_known(t, x->median_ns, !isnan(x->median_ns));
    add_known(t, x->stddev_ns, x->runs > 1);
    add_flops(t, x->flops, x->flops_ns);
}

static void groups(struct report *r, const struct view *v, const char *title,
        enum operator_grouping by)
{
    static const char *const names[] = {
        [OPERATORS_BY_TYPE] = "type",
        [OPERATORS_BY_LAYER] = "layer",
        [OPERATORS_BY_COMPONENT] = "component",
    };
    const char *const head[] = { names[by], "operators", "times", "total",
        "share", "mean", "median", "stddev", "GFLOP/s" };
    struct report_table *t = begin_view(r, title, v, LEN(head));
    struct operator_groups g;
    size_t shown = 0;

    for (size_t i = 0; i < LEN(head); i++)
        report_add(t, head[i]);
    operator_groups_find(&g, &v->summary->operators, v->table->session,
            v->phase, by);
    for (; shown < g.count && shown < MOST_OPERATORS; shown++) {
        const struct operator_group *x = &g.items[shown];

        if (by == OPERATORS_BY_TYPE)
            report_add(t, x->op_type);
        else if (by == OPERATORS_BY_LAYER)
            report_addf(t, "layer %d", x->at.layer);
        else
            report_add(t, arch_component_name(x->at.component));
        add_group(t, v, x);
    }
    if (shown)
        add_rest(t, v, g.count - shown,
                operator_groups_rest_ns(&g, shown, v->table->self_ns[v->phase]),
                3);
    operator_groups_release(&g);
    report_end(r);
}

static void add_operator(struct report_table *t, const struct view *v,
        const struct operator_figures *o)
{
    const struct operator_times *x = &o->times[v->phase];
    double flops = operator_flops_in(o, v->phase);

    report_add(t, o->name);
    report_add(t, o->op_type);
    report_add(t, o->provider);
    if (o->place.layer >= 0)
        report_addf(t, "%d", o->place.layer);
    else
        report_add(t, "");
    report_add(t, o->place.component != ARCH_NONE
                          ? arch_component_name(o->place.component)
                          : "");
    report_addf(t, "%" PRIu64 "%s", x->count,
            x->count < OPERATORS_FEW ? " (few)" : "");
    report_add_duration(t, x->self_ns);
    add_share(t, v, x->self_ns);
    report_add_duration(t, x->self_ns / (double)x->count);
    report_add_duration(t, x->median_ns);
    add_known(t, x->stddev_ns, x->count > 1);
    add_flops(t, flops > 0 ? flops * (double)x->count : 0, x->self_ns);
}

static void nodes(struct report *r, const struct view *v)
{
    static const char *const head[] = { "operator", "type", "provider", "layer",
        "component", "times", "total", "share", "mean", "median", "stddev",
        "GFLOP/s" };
    struct report_table *t = begin_view(r, "Operators", v, LEN(head));
    double rest_ns = v->table->self_ns[v->phase];
    size_t count, shown = 0;
    const struct operator_figures **all = operators_sorted(
            &v->summary->operators, v->table->session, v->phase, &count);

    for (size_t i = 0; i < LEN(head); i++)
        report_add(t, head[i]);
    for (; shown < count && shown < MOST_OPERATORS; shown++) {
        add_operator(t, v, all[shown]);
        rest_ns -= all[shown]->times[v->phase].self_ns;
    }
    if (shown < count)
        add_rest(t, v, count - shown, rest_ns, 6);
    free((void *)all);
    report_end(r);
}

static void gap(struct report_table *t, const char *what, uint64_t ns, double n)
{
    report_add(t, what);
    report_add_duration(t, (double)ns / n);
}

/* Where kernels ran side by side, there is no sum. */
static void gaps(struct report *r, const struct view *v)
{
    const struct traced_sum *x = &v->table->sums[v->phase];
    struct report_table *t = begin_view(r, "Time of an inference", v, 2);
    double n = (double)x->count;

    report_add(t, "");
    report_add(t, "mean");
    if (x->count && x->beside == x->count) {
        gap(t, "operators, side by side", x->busy_ns, n);
        gap(t, "inference", x->run_ns, n);
    } else if (x->count) {
        gap(t, "before the first operator", x->before_ns, n);
        gap(t, "operators", x->kernels_ns, n);
        if (x->flow_ns)
            gap(t, "control flow", x->flow_ns, n);
        gap(t, "runtime between operators", x->between_ns, n);
        gap(t, "after the last operator", x->after_ns, n);
        gap(t, "inference", x->run_ns, n);
    }
    report_end(r);
}

static void tables(struct report *r, const struct summary *s)
{
    const struct operators *o = &s->operators;

    for (size_t i = 0; i < o->table_count; i++) {
        const struct operator_table *t = &o->tables[i];
        bool phases =
                t->sums[PHASE_DECODE].count || t->sums[PHASE_PREFILL].count;

        for (unsigned p = phases ? 0 : PHASES;
                p <= (phases ? PHASES - 1 : PHASES); p++) {
            struct view v = { s, t, p };

            if (!(t->self_ns[p] > 0))
                continue;
            gaps(r, &v);
            groups(r, &v, "Operators by type", OPERATORS_BY_TYPE);
            groups(r, &v, "Operators by layer", OPERATORS_BY_LAYER);
            groups(r, &v, "Operators by component", OPERATORS_BY_COMPONENT);
            nodes(r, &v);
        }
    }
}

/* Why there are none, of the sessions that ran. */
static void missing(struct report *r, const struct summary *s)
{
    struct report_table *t = report_begin(r, "Operators that are not known", 2);

    report_add(t, "session");
    report_add(t, "why");
    for (size_t i = 0; i < s->session_count; i++) {
        const char *why = summary_no_operators(s, &s->sessions[i]);

        if (!why)
            continue;

        struct buf name = { 0 };

        session_full_name(&name, s, &s->sessions[i]);
        report_add(t, buf_cstr(&name));
        report_add(t, why);
        buf_release(&name);
    }
    report_end(r);
}

static void fusions(struct report *r, const struct summary *s)
{
    static const char *const head[] = { "model", "in the file",
        "ran as they are", "in copies", "fused", "folded", "removed",
        "not taken", "ran", "from the file", "made by fusion", "put in" };
    struct report_table *t = report_begin(r, "Nodes", LEN(head));

    for (size_t i = 0; i < LEN(head); i++)
        report_add(t, head[i]);
    for (size_t i = 0; i < s->operators.table_count; i++) {
        struct fusion f;

        for (size_t k = 0; k < s->session_count; k++) {
            const struct summary_session *x = &s->sessions[k];

            if (x->id != s->operators.tables[i].session || !x->model ||
                    fusion_of_session(&f, s, x, NULL))
                continue;

            const uint64_t counts[] = { f.file_nodes, f.kept, f.duplicated,
                f.fused, f.folded, f.removed, f.not_taken, f.ran, f.from_file,
                f.made, f.inserted };

            struct buf name = { 0 };

            session_table_name(&name, s, &s->operators.tables[i]);
            if (!name.len)
                session_model(&name, x);
            report_add(t, buf_cstr(&name));
            buf_release(&name);
            for (size_t n = 0; n < LEN(counts); n++)
                report_addf(t, "%" PRIu64, counts[n]);
            fusion_release(&f);
        }
    }
    report_end(r);
}

void report_operators(struct report *r, const struct summary *s)
{
    tables(r, s);
    missing(r, s);
    fusions(r, s);
}
