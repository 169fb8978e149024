#include "cmd/text/judgement_text.h"

#include <math.h>
#include <stdio.h>

static enum term_style style_of(enum verdict v)
{
    switch (v) {
    case VERDICT_WORSE: return TERM_RED;
    case VERDICT_BETTER: return TERM_GREEN;
    case VERDICT_CANNOT_TELL:
    case VERDICT_REFUSED: return TERM_YELLOW;
    default: return TERM_BOLD;
    }
}

static void word(const struct page *p, enum verdict v)
{
    page_style(p, style_of(v));
    buf_text(p->out, verdict_words(v));
    page_style(p, TERM_PLAIN);
}

static double percent(double ln)
{
    return 100 * expm1(ln);
}

static void interval(const struct page *p, const struct interval *i)
{
    if (!isnan(i->low))
        buf_printf(p->out, " [%+.1f, %+.1f]", percent(i->low),
                percent(i->high));
}

void judgement_verdict_text(const struct page *p, const struct judged_change *c,
        enum verdict verdict)
{
    word(p, verdict);
    if (!isnan(c->interval.middle) && verdict != VERDICT_REFUSED) {
        buf_printf(p->out, ": %+.1f %%", percent(c->interval.middle));
        interval(p, &c->interval);
        buf_printf(p->out, ", %.3g %% matters", 100 * c->least);
    }
    if (judged_is_small_change(c))
        buf_printf(p->out, "; %s, by less than matters",
                c->interval.low > 0 ? "slower" : "faster");
    buf_char(p->out, '\n');
}

/* --- figures -------------------------------------------------------------- */

static void value(const struct page *p, enum judged_figure figure, double x)
{
    char text[32];

    if (isnan(x))
        (void)snprintf(text, sizeof(text), "-");
    else if (figure == JUDGED_MEMORY)
        (void)term_bytes(text, x);
    else if (judged_kinds[figure].per_unit > 1)
        (void)term_duration(text, x);
    else
        (void)snprintf(text, sizeof(text), "%.4g", x);
    term_right(p->out, text, PAGE_COLUMN);
}

static void figure(const struct page *p, const struct judged_change *c)
{
    double change = isnan(c->interval.middle) ? log(c->after / c->before)
                                              : c->interval.middle;

    page_label(p, judged_kinds[c->figure].label);
    value(p, c->figure, c->before);
    value(p, c->figure, c->after);
    if (!isnan(change) && c->verdict != VERDICT_REFUSED) {
        buf_printf(p->out, "  %+8.1f %%", percent(change));
        interval(p, &c->interval);
        buf_text(p->out, "  ");
        word(p, c->verdict);
    }
    buf_char(p->out, '\n');
}

void judgement_figures_text(const struct page *p,
        const struct judged_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(changes[i].before) || !isnan(changes[i].after))
            figure(p, &changes[i]);
}

/* --- operators ------------------------------------------------------------ */

static void change_column(const struct page *p, int64_t ns)
{
    char text[24], number[16];

    (void)snprintf(text, sizeof(text), "%s%s", ns > 0 ? "+" : "",
            term_duration(number, (double)ns));
    term_right(p->out, text, PAGE_COLUMN);
}

static void parts(const struct page *p, const struct operator_changes *c)
{
    page_label(p, "of which");
    change_column(p, c->whole_ns[1] - c->whole_ns[0]);
    buf_text(p->out, "  in traced inferences:");
    for (int i = 0; i < OPERATOR_CHANGE_KINDS; i++) {
        char number[16];

        buf_printf(p->out, "%s %s %s%s", i ? "," : "",
                operator_change_kind_name((enum operator_change_kind)i),
                c->part_ns[i] > 0 ? "+" : "",
                term_duration(number, (double)c->part_ns[i]));
    }
    buf_char(p->out, '\n');
}

static void operator_line(const struct page *p, const struct judgement *j,
        const struct operator_change *x, const char *label)
{
    double explains = operator_change_explains(&j->operators, x);

    page_label(p, label);
    page_duration_column(p, x->there[0] ? (double)x->ns[0] : NAN);
    page_duration_column(p, x->there[1] ? (double)x->ns[1] : NAN);
    change_column(p, x->ns[1] - x->ns[0]);
    if (!isnan(explains))
        buf_printf(p->out, "  %4.0f %%", 100 * explains);
    buf_text(p->out, "  ");
    term_left(p->out, x->op_type, 12);
    buf_char(p->out, ' ');
    term_text(p->out, x->name);
    if (j->operators.judged && x->verdict != VERDICT_SAME) {
        buf_text(p->out, "  ");
        word(p, x->verdict);
    }
    buf_char(p->out, '\n');
}

void judgement_operators_text(const struct page *p, const struct judgement *j)
{
    const struct operator_changes *c = &j->operators;

    if (j->no_operators) {
        page_label(p, "operators");
        buf_printf(p->out, "not compared: %s\n", j->no_operators);
        return;
    }
    parts(p, c);
    for (size_t i = 0; i < c->count && i < PAGE_LINES; i++)
        operator_line(p, j, &c->items[i], i ? "" : "operators");
    if (c->count > PAGE_LINES) {
        page_label(p, "");
        buf_printf(p->out, "of %zu; all with --json\n", c->count);
    }
    if (!c->judged) {
        page_label(p, "");
        buf_printf(p->out, "operators are judged from %d runs of each on\n",
                OPERATOR_CHANGES_RUNS);
    }
}

/* --- the head ------------------------------------------------------------- */

void judgement_head_text(const struct page *p, const struct judgement *j)
{
    const struct judged_change *c = &j->figures[JUDGED_P10];

    page_label(p, "verdict");
    judgement_verdict_text(p, c, j->verdict);
    if (j->because.len) {
        page_label(p, "because");
        buf_printf(p->out, "%s\n", buf_cstr(&j->because));
    }
    if (j->advice.len) {
        page_label(p, "helps");
        buf_printf(p->out, "%s\n", buf_cstr(&j->advice));
    }
}

static void runs(const struct page *p, const struct judgement *j)
{
    page_label(p, "runs");
    buf_printf(p->out, "%zu and %zu, %s", j->side[0].count, j->side[1].count,
            j->in_turns ? "in turns" : "not in turns");
    if (j->side[1].runs[0].count)
        buf_printf(p->out, ", %zu inferences of each",
                j->side[1].runs[0].count);
    if (j->first)
        buf_printf(p->out, " after the first %zu", j->first);
    buf_char(p->out, '\n');
}

void judgement_differences_text(const struct page *p, const struct judgement *j)
{
    const char *label = "not alike";

    for (int i = 0; i < DIFFERENCES; i++) {
        const struct difference *d = &j->differences[i];

        if (!d->there)
            continue;
        page_label(p, label);
        label = "";
        buf_text(p->out, difference_name((enum difference_kind)i));
        if (d->before.len || d->after.len)
            buf_printf(p->out, ": %s, then %s", buf_cstr(&d->before),
                    buf_cstr(&d->after));
        buf_char(p->out, '\n');
    }
    for (int i = 0; i < CONDITIONS; i++) {
        const struct condition_kind *k = &condition_kinds[i];
        double before = j->conditions[0][i], after = j->conditions[1][i];

        if (!condition_differs((enum condition)i, before, after))
            continue;
        page_label(p, label);
        label = "";
        buf_printf(p->out, "%s: %.3g, then %.3g %s\n", k->name, before, after,
                k->unit);
    }
}

void judgement_text(const struct page *p, const struct judgement *j)
{
    judgement_head_text(p, j);
    runs(p, j);
    judgement_differences_text(p, j);
    judgement_figures_text(p, j->figures, JUDGED_FIGURES);
    if (j->verdict != VERDICT_REFUSED)
        judgement_operators_text(p, j);
}
