/* check_formats.c -- what a check found, for build servers and for those who
 * keep the history of benchmarks. */
#include "cmd/check/check_result.h"
#include "export/report/report.h"
#include "export/report/xml_text.h"

#include <math.h>
#include <string.h>

#define MARKDOWN_OPERATORS 20

static bool is_known(const struct judged_change *c)
{
    return !isnan(c->before) && !isnan(c->after);
}

/* --- JUnit ---------------------------------------------------------------- */

struct suite {
    struct buf cases;
    unsigned tests, failures, skipped;
};

static void test_case(struct suite *s, const char *name, double seconds,
        const char *kind, const char *message)
{
    s->tests++;
    buf_text(&s->cases, "    <testcase classname=\"ortmeter.check\" name=\"");
    xml_text(&s->cases, name);
    buf_printf(&s->cases, "\" time=\"%.9f\"", seconds);
    if (!kind) {
        buf_text(&s->cases, "/>\n");
        return;
    }
    buf_printf(&s->cases, ">\n      <%s message=\"", kind);
    xml_text(&s->cases, message);
    buf_text(&s->cases, "\"/>\n    </testcase>\n");
    s->failures += strcmp(kind, "failure") == 0;
    s->skipped += strcmp(kind, "skipped") == 0;
}

/* What cannot be decided is no failure of the program: it was not tested. */
static void headline_case(struct suite *s, const struct check_result *r)
{
    struct buf sentence = { 0 };

    check_sentence(&sentence, r);
    test_case(s, "head is not slower than base", r->seconds,
            r->verdict == VERDICT_WORSE         ? "failure"
            : r->verdict == VERDICT_CANNOT_TELL ? "skipped"
                                                : NULL,
            buf_cstr(&sentence));
    buf_release(&sentence);
}

static void budget_case(struct suite *s, const struct check_budget *b)
{
    struct buf name = { 0 }, why = { 0 };

    buf_printf(&name, "budget: %s %s",
            b->budget->operators ? b->budget->operators
                                 : judged_kinds[b->budget->figure].name,
            b->budget->text);
    buf_printf(&why, "the budget is %s", budget_state_name(b->state));
    test_case(s, buf_cstr(&name), 0,
            b->state == BUDGET_OVER        ? "failure"
            : b->state == BUDGET_UNDECIDED ? "skipped"
                                           : NULL,
            buf_cstr(&why));
    buf_release(&name);
    buf_release(&why);
}

void check_junit(struct buf *out, const struct check_result *r)
{
    struct suite s = { 0 };

    headline_case(&s, r);
    for (size_t i = 0; i < r->kept_count; i++)
        budget_case(&s, &r->kept[i]);
    buf_printf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites tests=\"%u\" failures=\"%u\">\n"
            "  <testsuite name=\"ortmeter check\" tests=\"%u\" "
            "failures=\"%u\" errors=\"0\" skipped=\"%u\" time=\"%.9f\">\n",
            s.tests, s.failures, s.tests, s.failures, s.skipped, r->seconds);
    buf_text(out, "    <properties>\n");
    for (int i = 0; i < JUDGED_FIGURES; i++)
        if (is_known(&r->changes[i]))
            buf_printf(out,
                    "      <property name=\"base_%s\" value=\"%.9g\"/>\n"
                    "      <property name=\"head_%s\" value=\"%.9g\"/>\n",
                    judged_kinds[i].name,
                    r->changes[i].before / judged_kinds[i].per_unit,
                    judged_kinds[i].name,
                    r->changes[i].after / judged_kinds[i].per_unit);
    buf_text(out, "    </properties>\n");
    buf_add(out, s.cases.p, s.cases.len);
    buf_text(out, "  </testsuite>\n</testsuites>\n");
    buf_release(&s.cases);
}

/* --- Markdown ------------------------------------------------------------- */

/* In a cell, as code: what would end either becomes a blank. */
static void code(struct buf *out, const char *text)
{
    buf_char(out, '`');
    for (; *text; text++)
        buf_char(out, (char)(strchr("`|\r\n", *text) ? ' ' : *text));
    buf_char(out, '`');
}

static void value(struct buf *out, enum judged_figure figure, double x)
{
    if (judged_kinds[figure].per_unit > 1)
        report_duration(out, x);
    else if (figure == JUDGED_MEMORY)
        buf_printf(out, "%.2f MB", x / 1e6);
    else
        buf_printf(out, "%.4g", x);
}

static void figure_row(struct buf *out, const struct judged_change *c)
{
    if (!is_known(c))
        return;
    buf_printf(out, "| %s | ", judged_kinds[c->figure].name);
    value(out, c->figure, c->before);
    buf_text(out, " | ");
    value(out, c->figure, c->after);
    buf_printf(out, " | %+.1f %% | ", 100 * (c->after / c->before - 1));
    if (!isnan(c->interval.low))
        buf_printf(out, "%+.1f to %+.1f %%", 100 * expm1(c->interval.low),
                100 * expm1(c->interval.high));
    buf_printf(out, " | %s |\n", verdict_words(c->verdict));
}

static void operator_rows(struct buf *out, const struct operator_changes *c)
{
    buf_text(out, "\n| operator | type | base | head | explains | verdict |\n"
                  "|---|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < c->count && i < MARKDOWN_OPERATORS; i++) {
        const struct operator_change *x = &c->items[i];
        double explains = operator_change_explains(c, x);

        buf_text(out, "| ");
        code(out, x->name);
        buf_text(out, " | ");
        code(out, x->op_type);
        buf_text(out, " | ");
        if (x->there[0])
            report_duration(out, (double)x->ns[0]);
        buf_text(out, " | ");
        if (x->there[1])
            report_duration(out, (double)x->ns[1]);
        buf_text(out, " | ");
        if (!isnan(explains))
            buf_printf(out, "%.0f %%", 100 * explains);
        buf_printf(out, " | %s |\n", verdict_words(x->verdict));
    }
}

void check_markdown(struct buf *out, const struct check_result *r)
{
    buf_text(out, "## ortmeter: ");
    check_sentence(out, r);
    buf_text(out, "\n\nbase ");
    code(out, r->names[0]);
    buf_text(out, ", head ");
    code(out, r->names[1]);
    buf_printf(out, ", %zu pairs in %.0f s: %s.\n\n", r->pairs, r->seconds,
            r->way);
    buf_text(out, "| figure | base | head | change | interval | verdict |\n"
                  "|---|---:|---:|---:|---|---|\n");
    for (int i = 0; i < JUDGED_FIGURES; i++)
        figure_row(out, &r->changes[i]);
    if (r->kept_count)
        buf_text(out, "\n| budget | limit | state |\n|---|---|---|\n");
    for (size_t i = 0; i < r->kept_count; i++) {
        const struct budget *b = r->kept[i].budget;

        buf_text(out, "| ");
        code(out, b->operators ? b->operators : judged_kinds[b->figure].name);
        buf_text(out, " | ");
        code(out, b->text);
        buf_printf(out, " | %s |\n", budget_state_name(r->kept[i].state));
    }
    if (r->recorded && r->judgement.operators.count)
        operator_rows(out, &r->judgement.operators);
}

/* --- histories ------------------------------------------------------------ */

void check_benchmark(struct buf *out, const struct check_result *r)
{
    struct json j = json_into(out);

    json_array(&j, NULL);
    for (int i = 0; i < JUDGED_FIGURES; i++) {
        const struct judged_change *c = &r->changes[i];
        struct buf name = { 0 };

        if (!is_known(c) || judged_kinds[i].more_is_better)
            continue; /* the format has one direction for all */
        buf_printf(&name, "%s %s", r->names[CHECK_HEAD], judged_kinds[i].name);
        json_object(&j, NULL);
        json_str(&j, "name", buf_str(&name));
        json_text(&j, "unit", judged_kinds[i].unit);
        json_real(&j, "value", c->after / judged_kinds[i].per_unit);
        if (!isnan(c->interval.low)) {
            struct buf range = { 0 };

            buf_printf(&range, "%.1f to %.1f %% from base",
                    100 * expm1(c->interval.low),
                    100 * expm1(c->interval.high));
            json_str(&j, "range", buf_str(&range));
            buf_release(&range);
        }
        json_text(&j, "extra", verdict_words(c->verdict));
        json_end(&j);
        buf_release(&name);
    }
    json_end(&j);
    buf_char(out, '\n');
}

void check_bencher(struct buf *out, const struct check_result *r)
{
    struct json j = json_into(out);

    json_object(&j, NULL);
    json_object(&j, r->names[CHECK_HEAD]);
    for (int i = 0; i < JUDGED_FIGURES; i++) {
        const struct judged_change *c = &r->changes[i];
        double unit = judged_kinds[i].per_unit;

        if (!is_known(c))
            continue;
        json_object(&j, judged_kinds[i].name);
        json_real(&j, "value", c->after / unit);
        /* The interval is the change's, and lies around its middle, which is
         * not quite that of the medians. */
        if (!isnan(c->interval.low)) {
            json_real(&j, "lower_value",
                    c->after * exp(c->interval.low - c->interval.middle) /
                            unit);
            json_real(&j, "upper_value",
                    c->after * exp(c->interval.high - c->interval.middle) /
                            unit);
        }
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    buf_char(out, '\n');
}
