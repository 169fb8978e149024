#include "cmd/text/operators_text.h"

#include "analyse/operators/fusion.h"
#include "analyse/operators/operator_groups.h"
#include "analyse/operators/placement.h"
#include "analyse/session_name.h"
#include "model/phase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GROUP_LINES 8

/* What is shown: a table, in inferences of a phase. */
struct view {
    const struct page *page;
    const struct summary *summary;
    const struct operator_table *table;
    unsigned phase;
    double all_ns; /* self times, which the shares are of */
    double inferences;
    bool flops; /* they are known of some */
};

/* --- what it rests on ----------------------------------------------------- */

static void part(const struct page *p, const char *before, double ns,
        const char *behind)
{
    buf_text(p->out, before);
    page_duration(p, ns);
    buf_text(p->out, behind);
}

/* "from 3, the first cold": few say little, so it is said first. */
static void rests_on(const struct view *v)
{
    const struct page *p = v->page;
    const struct traced_sum *x = &v->table->sums[v->phase];
    struct range batches = session_table_batches(v->summary, v->table);
    uint64_t cold = v->table->cold[v->phase];
    bool few = x->count - cold < OPERATORS_WARM_FEW;

    page_label(p, "");
    page_style(p, few ? TERM_YELLOW : TERM_DIM);
    buf_text(p->out, "    from ");
    page_count(p, x->count, few ? "inference only" : "inference",
            few ? "inferences only" : "inferences");
    if (batches.max > batches.min)
        buf_printf(p->out, " of batches %llu to %llu together",
                (unsigned long long)batches.min,
                (unsigned long long)batches.max);
    if (cold)
        buf_text(p->out,
                cold == 1 ? ", the first cold" : ", each session's first cold");
    if (x->lost) {
        buf_text(p->out, ", ");
        page_count(p, x->lost, "more was", "more were");
        buf_text(p->out, " lost");
    }
    if (x->cost_ns && x->run_ns > 0)
        buf_printf(p->out, "; tracing is %.2g %% of their time",
                100 * (double)x->cost_ns / (double)x->run_ns);
    if (v->summary->operators.method == OPERATOR_PROFILE)
        buf_text(p->out, "; as the profile says");
    page_style(p, TERM_PLAIN);
    buf_char(p->out, '\n');
}

/* Inference = before + operators + control flow + runtime + after. */
static void sum_line(const struct view *v)
{
    const struct page *p = v->page;
    const struct traced_sum *x = &v->table->sums[v->phase];
    double n = (double)x->count;

    page_label(p, "time");
    buf_text(p->out, "    ");
    if (x->beside == x->count) {
        part(p, "", (double)x->run_ns / n,
                " an inference; operators side by side for ");
        part(p, "", (double)x->busy_ns / n, " of it, ");
        part(p, "", v->all_ns / n, " together");
    } else {
        part(p, "operators ", (double)x->kernels_ns / n, "");
        if (x->flow_ns)
            part(p, " + control flow ", (double)x->flow_ns / n, "");
        part(p, " + runtime ", (double)x->between_ns / n, "");
        part(p, " + before ", (double)x->before_ns / n, "");
        part(p, " + after ", (double)x->after_ns / n, "");
        part(p, " = ", (double)x->run_ns / n, " an inference");
    }
    buf_char(p->out, '\n');
}

/* --- rows ----------------------------------------------------------------- */

static void cell(const struct page *p, const char *text, size_t width)
{
    page_style(p, TERM_DIM);
    term_right(p->out, text, width);
    page_style(p, TERM_PLAIN);
}

/* Time and runs are those of an inference, where inferences are known. */
static void head(const struct view *v, const char *label)
{
    const struct page *p = v->page;
    bool known = v->table->sums[v->phase].count;

    page_label(p, label);
    cell(p, "share", 11);
    cell(p, known ? "inference" : "total", PAGE_COLUMN + 1);
    cell(p, "runs", 8);
    cell(p, "mean", PAGE_COLUMN);
    cell(p, "median", PAGE_COLUMN);
    cell(p, "stddev", PAGE_COLUMN);
    if (v->flops)
        cell(p, "GFLOP/s", PAGE_COLUMN);
    buf_char(p->out, '\n');
}

/* Of an inference: "53", "0.25". */
static void runs(const struct page *p, double each)
{
    char text[32];

    (void)snprintf(text, sizeof(text), each >= 9.995 ? "%.0f" : "%.3g", each);
    term_right(p->out, text, 8);
}

struct row {
    double self_ns, runs, median_ns, stddev_ns;
    double flops, flops_ns;
};

/* Share and time. */
static void part_of_all(const struct view *v, double self_ns)
{
    const struct page *p = v->page;
    char text[32];

    page_label(p, "");
    (void)snprintf(text, sizeof(text), "%.1f %%",
            v->all_ns > 0 ? 100 * self_ns / v->all_ns : 0);
    term_right(p->out, text, 11);
    buf_char(p->out, ' ');
    page_duration_column(p, self_ns / v->inferences);
}

static void column(const struct page *p, double ns, bool known)
{
    if (known)
        page_duration_column(p, ns);
    else
        term_right(p->out, "", PAGE_COLUMN);
}

static void row(const struct view *v, const struct row *r)
{
    const struct page *p = v->page;
    char text[32];

    part_of_all(v, r->self_ns);
    runs(p, r->runs / v->inferences);
    page_duration_column(p, r->self_ns / r->runs);
    column(p, r->median_ns, !isnan(r->median_ns));
    column(p, r->stddev_ns, r->runs > 1);
    if (v->flops) {
        (void)snprintf(text, sizeof(text), "%.3g", r->flops / r->flops_ns);
        term_right(p->out, r->flops_ns > 0 ? text : "", PAGE_COLUMN);
    }
    buf_text(p->out, "  ");
}

/* So that the rows add up to what stands above them. */
static void rest(const struct view *v, double ns, size_t more,
        const char *else_)
{
    const struct page *p = v->page;

    if (!more && !(ns > 0.0005 * v->all_ns))
        return;
    part_of_all(v, ns);
    page_style(p, TERM_DIM);
    term_left(p->out, "", 8 + (v->flops ? 4 : 3) * PAGE_COLUMN + 2);
    buf_text(p->out, "the rest: ");
    if (more)
        buf_printf(p->out, "%zu more%s%s; all with --json", more,
                *else_ ? ", or " : "", else_);
    else
        buf_text(p->out, else_);
    page_style(p, TERM_PLAIN);
    buf_char(p->out, '\n');
}

static void few(const struct page *p, uint64_t count)
{
    buf_text(p->out, count < OPERATORS_FEW ? "  (few)\n" : "\n");
}

static int by_time(const void *a, const void *b)
{
    const struct operator_group *x = a, *y = b;

    return x->self_ns < y->self_ns ? 1 : x->self_ns > y->self_ns ? -1 : 0;
}

static void group_name(struct buf *out, const struct operator_group *g,
        enum operator_grouping by)
{
    if (by == OPERATORS_BY_TYPE)
        term_text(out, *g->op_type ? g->op_type : "?");
    else if (by == OPERATORS_BY_LAYER)
        buf_printf(out, "layer %d", g->at.layer);
    else
        buf_text(out, arch_component_name(g->at.component));
    buf_printf(out, ", %llu operator%s", (unsigned long long)g->operators,
            g->operators == 1 ? "" : "s");
}

static void groups(const struct view *v, const char *label,
        enum operator_grouping by, const char *none)
{
    struct operator_groups g;
    const struct page *p = v->page;
    size_t shown = 0;

    operator_groups_find(&g, &v->summary->operators, v->table->session,
            v->phase, by);
    if (g.count)
        qsort(g.items, g.count, sizeof(*g.items), by_time);
    for (; shown < g.count && shown < GROUP_LINES; shown++) {
        const struct operator_group *x = &g.items[shown];

        if (!shown)
            head(v, label);
        row(v, &(struct row){ x->self_ns, (double)x->runs, x->median_ns,
                       x->stddev_ns, x->flops, x->flops_ns });
        group_name(p->out, x, by);
        few(p, x->runs);
    }
    if (shown)
        rest(v, operator_groups_rest_ns(&g, shown, v->all_ns), g.count - shown,
                none);
    operator_groups_release(&g);
}

static void where(struct buf *out, const struct operator_figures *o)
{
    if (o->place.layer >= 0)
        buf_printf(out, "  layer %d", o->place.layer);
    if (o->place.component != ARCH_NONE)
        buf_printf(out, "%s%s", o->place.layer >= 0 ? ", " : "  ",
                arch_component_name(o->place.component));
}

static void node(const struct view *v, const struct operator_figures *o)
{
    const struct operator_times *t = &o->times[v->phase];
    struct buf *out = v->page->out;
    double flops = operator_flops_in(o, v->phase);

    row(v, &(struct row){ t->self_ns, (double)t->count, t->median_ns,
                   t->stddev_ns, flops > 0 ? flops * (double)t->count : 0,
                   flops > 0 ? t->self_ns : 0 });
    term_left(out, o->op_type ? o->op_type : "?", 16);
    buf_char(out, ' ');
    term_text(out, o->name ? o->name : "");
    where(out, o);
    few(v->page, t->count);
}

/* What else the machine did is in means, and not in medians. */
static void typical(const struct view *v,
        const struct operator_figures *const *all, size_t count)
{
    const struct operator_figures *slowest = NULL;
    struct buf *out = v->page->out;
    double most = 0;
    size_t far = 0;

    for (size_t i = 0; i < count; i++) {
        const struct operator_times *t = &all[i]->times[v->phase];
        double ns = t->median_ns * (double)t->count;

        far += i < PAGE_LINES && t->self_ns > 2 * ns;
        if (ns > most) {
            most = ns;
            slowest = all[i];
        }
    }
    if (!far || !slowest || slowest == all[0])
        return;
    page_label(v->page, "");
    page_style(v->page, TERM_YELLOW);
    buf_printf(out,
            "    means are far above medians: something else ran. By "
            "medians the slowest is %s ",
            slowest->op_type ? slowest->op_type : "?");
    term_text(out, slowest->name ? slowest->name : "");
    where(out, slowest);
    page_style(v->page, TERM_PLAIN);
    buf_char(out, '\n');
}

static void nodes(const struct view *v)
{
    double rest_ns = v->all_ns;
    size_t count, shown = 0;
    const struct operator_figures **all = operators_sorted(
            &v->summary->operators, v->table->session, v->phase, &count);

    for (; shown < count && shown < PAGE_LINES; shown++) {
        if (!shown)
            head(v, "slowest");
        node(v, all[shown]);
        rest_ns -= all[shown]->times[v->phase].self_ns;
    }
    if (count > shown)
        rest(v, rest_ns, count - shown, "");
    typical(v, all, count);
    free((void *)all);
}

static bool knows_flops(const struct view *v)
{
    const struct operators *o = &v->summary->operators;

    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].session == v->table->session &&
                operator_flops_in(&o->items[i], v->phase) > 0)
            return true;
    return false;
}

/* --- a table -------------------------------------------------------------- */

/* Its model where there are several, and the phase. */
static void title(const struct view *v)
{
    const struct page *p = v->page;
    struct buf name = { 0 };

    session_table_name(&name, v->summary, v->table);
    if (v->phase != PHASES)
        buf_printf(&name, "%s%s", name.len ? ", " : "",
                phase_name((enum phase)v->phase));
    buf_char(p->out, '\n');
    if (name.len) {
        buf_text(p->out, "  ");
        page_style(p, TERM_BOLD);
        term_text(p->out, buf_cstr(&name));
        page_style(p, TERM_PLAIN);
        buf_char(p->out, '\n');
    }
    buf_release(&name);
}

static void graph(const struct view *v)
{
    const struct operator_table *t = v->table;
    const struct page *p = v->page;
    char size[16];

    if (!(t->critical_ns > 0) || v->phase != PHASES)
        return;
    page_label(p, "graph");
    part(p, "    critical path ", t->critical_ns, "");
    if (t->width > 1)
        buf_printf(p->out, ", up to %zu operators may run side by side",
                t->width);
    if (t->peak_known)
        buf_printf(p->out, "; results take %s at most",
                term_bytes(size, (double)t->peak_bytes));
    buf_char(p->out, '\n');
}

static void view(struct view v)
{
    v.flops = knows_flops(&v);
    title(&v);
    if (v.table->sums[v.phase].count) {
        sum_line(&v);
        rests_on(&v);
    }
    groups(&v, "by type", OPERATORS_BY_TYPE, "");
    groups(&v, "by layer", OPERATORS_BY_LAYER, "in no layer");
    groups(&v, "by component", OPERATORS_BY_COMPONENT, "of no component");
    nodes(&v);
    graph(&v);
}

static void show(const struct page *p, const struct summary *s,
        const struct operator_table *t, unsigned phase)
{
    double n = (double)t->sums[phase].count;

    if (t->self_ns[phase] > 0)
        view((struct view){ .page = p,
                .summary = s,
                .table = t,
                .phase = phase,
                .all_ns = t->self_ns[phase],
                .inferences = n > 0 ? n : 1 });
}

/* --- what became of the model --------------------------------------------- */

struct term {
    uint64_t count;
    const char *what;
};

/* " = 51 ran as they are + 12 fused": what is not there is left out. */
static void add_up(const struct page *p, const struct term *terms)
{
    const char *sign = " = ";

    for (; terms->what; terms++)
        if (terms->count) {
            buf_printf(p->out, "%s%llu %s", sign,
                    (unsigned long long)terms->count, terms->what);
            sign = " + ";
        }
}

/* `whose` is empty where there is but one model. */
static void became(const struct page *p, const char *whose,
        const struct fusion *f)
{
    page_label(p, "nodes");
    buf_text(p->out, "    ");
    term_text(p->out, whose);
    buf_printf(p->out, "%s%llu in the file", *whose ? ": " : "",
            (unsigned long long)f->file_nodes);
    add_up(p, (struct term[]){ { f->kept, "ran as they are" },
                      { f->duplicated, "ran in several copies" },
                      { f->fused, "fused" }, { f->folded, "folded" },
                      { f->removed, "removed" },
                      { f->not_taken, "in branches not taken" }, { 0, NULL } });
    buf_char(p->out, '\n');
    page_label(p, "");
    buf_printf(p->out, "    %llu ran", (unsigned long long)f->ran);
    add_up(p, (struct term[]){ { f->from_file, "from the file" },
                      { f->made, "made by fusion" }, { f->inserted, "put in" },
                      { 0, NULL } });
    buf_char(p->out, '\n');
}

/* What was meant for another provider and ran on the CPU; what became of the
 * nodes of the model's file. */
static void placed(const struct page *p, const struct summary *s,
        const struct summary_session *x)
{
    struct placement where;
    struct fusion f;

    if (!placement_find(&where, &s->operators, x->id, x->providers))
        return;
    if (where.fell_back) {
        page_label(p, "fallback");
        page_style(p, TERM_YELLOW);
        buf_printf(p->out,
                "    %llu operators ran on the CPU that another provider was "
                "asked for first: %.1f %% of the time\n",
                (unsigned long long)where.fallback_operators,
                100 * where.fallback_ns / where.kernels_ns);
        page_style(p, TERM_PLAIN);
    }
    if (x->model && !fusion_of_session(&f, s, x, NULL)) {
        struct buf whose = { 0 };

        session_table_name(&whose, s, operators_table(&s->operators, x->id));
        became(p, buf_cstr(&whose), &f);
        buf_release(&whose);
        fusion_release(&f);
    }
}

/* Each reason once. */
static void missing(const struct page *p, const struct summary *s)
{
    const char *last = NULL;

    for (size_t i = 0; i < s->session_count; i++) {
        const char *why = summary_no_operators(s, &s->sessions[i]);

        if (!why || why == last)
            continue;
        last = why;
        buf_text(p->out, s->operators.count ? "" : "\n");
        page_label(p, "operators");
        buf_text(p->out, "    ");
        if (s->session_count > 1)
            buf_printf(p->out, "session %u: ", s->sessions[i].id);
        buf_text(p->out, "not known: ");
        term_text(p->out, why);
        buf_char(p->out, '\n');
    }
}

static void bad_value(const struct page *p, const struct summary *s,
        const char *what, uint32_t id, uint64_t inference)
{
    const struct operator_figures *o =
            id ? operators_find(&s->operators, id) : NULL;

    if (!o)
        return;
    page_label(p, "values");
    page_style(p, TERM_RED);
    buf_printf(p->out, "    the first %s was made by %s ", what,
            o->op_type ? o->op_type : "?");
    term_text(p->out, o->name ? o->name : "");
    buf_printf(p->out, ", in inference %llu\n", (unsigned long long)inference);
    page_style(p, TERM_PLAIN);
}

static void values(const struct page *p, const struct summary *s)
{
    const struct activations *a = &s->activations;

    if (!a->count)
        return;
    page_label(p, "values");
    buf_printf(p->out, "    of %zu outputs, in ", a->count);
    page_count(p, a->inferences, "inference", "inferences");
    part(p, " that took ", a->cost_ns / (double)a->inferences,
            " longer each, and are left out above; all with --json\n");
    bad_value(p, s, "NaN", a->first_nan, a->nan_inference);
    bad_value(p, s, "infinity", a->first_infinity, a->infinity_inference);
}

void operators_text(const struct page *p, const struct summary *s)
{
    const struct operators *o = &s->operators;

    for (size_t i = 0; i < o->table_count; i++) {
        const struct operator_table *t = &o->tables[i];
        bool phases =
                t->sums[PHASE_DECODE].count || t->sums[PHASE_PREFILL].count;

        if (s->shown_phase != PHASES || !phases) {
            show(p, s, t, s->shown_phase);
            continue;
        }
        for (unsigned phase = 0; phase < PHASES; phase++)
            show(p, s, t, phase);
    }
    if (o->count)
        for (size_t i = 0; i < s->session_count; i++)
            placed(p, s, &s->sessions[i]);
    values(p, s);
    missing(p, s);
}
