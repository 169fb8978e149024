/* check_report.c -- what a check found, for people and as JSON. */
#include "cmd/check/check_result.h"
#include "cmd/cmd.h"
#include "cmd/text/judgement_text.h"
#include "export/json/judgement_json.h"
#include "export/json/summary_json.h"

#include <math.h>

static const char *why_open(const struct check_result *r)
{
    if (r->stopped)
        return "it was asked to end early";
    if (r->pairs == VERDICT_PAIRS_MAX)
        return "the pairs differ too much on this machine";
    return "the time was over: try a longer --duration";
}

void check_sentence(struct buf *out, const struct check_result *r)
{
    const struct judged_change *c = &r->changes[JUDGED_P10];

    buf_text(out, verdict_words(r->verdict));
    if (!isnan(c->interval.middle))
        buf_printf(out, ": %+.1f %% [%+.1f, %+.1f], %.3g %% matters",
                100 * expm1(c->interval.middle), 100 * expm1(c->interval.low),
                100 * expm1(c->interval.high), 100 * c->least);
    if (r->verdict == VERDICT_CANNOT_TELL)
        buf_printf(out, "; %s", why_open(r));
}

/* --- text ----------------------------------------------------------------- */

static void budget_line(const struct page *p, const struct check_budget *b,
        const char *label)
{
    enum term_style style = b->state == BUDGET_OVER   ? TERM_RED
                            : b->state == BUDGET_KEPT ? TERM_PLAIN
                                                      : TERM_YELLOW;

    page_label(p, label);
    page_style(p, style);
    buf_text(p->out, budget_state_name(b->state));
    page_style(p, TERM_PLAIN);
    buf_text(p->out, ": ");
    term_text(p->out, b->budget->operators
                              ? b->budget->operators
                              : judged_kinds[b->budget->figure].name);
    buf_text(p->out, " ");
    term_text(p->out, b->budget->text);
    buf_char(p->out, '\n');
}

void check_text(struct buf *out, const struct check_result *r, bool colours)
{
    const struct page p = { out, colours };

    term_text(out, r->names[0]);
    buf_text(out, " and ");
    term_text(out, r->names[1]);
    buf_char(out, '\n');
    page_label(&p, "verdict");
    judgement_verdict_text(&p, &r->changes[JUDGED_P10], r->verdict);
    if (r->verdict == VERDICT_CANNOT_TELL) {
        page_label(&p, "because");
        buf_printf(out, "%s\n", why_open(r));
    }
    page_label(&p, "measured");
    buf_printf(out, "%zu pairs in %.1f s: %s\n", r->pairs, r->seconds, r->way);
    for (size_t i = 0; i < r->kept_count; i++)
        budget_line(&p, &r->kept[i], i ? "" : "budgets");
    judgement_figures_text(&p, r->changes, JUDGED_FIGURES);
    if (r->recorded)
        judgement_operators_text(&p, &r->judgement);
}

/* --- JSON ----------------------------------------------------------------- */

static void pairs_json(struct json *j, const struct check_result *r)
{
    json_array(j, "pairs");
    for (size_t i = 0; i < r->pairs; i++) {
        json_object(j, NULL);
        json_real(j, "base_us", r->runs[CHECK_BASE][i].value[JUDGED_P10] / 1e3);
        json_real(j, "head_us", r->runs[CHECK_HEAD][i].value[JUDGED_P10] / 1e3);
        json_u64(j, "inferences", r->runs[CHECK_HEAD][i].count);
        json_end(j);
    }
    json_end(j);
}

static void budgets_json(struct json *j, const struct check_result *r)
{
    json_array(j, "budgets");
    for (size_t i = 0; i < r->kept_count; i++) {
        const struct budget *b = r->kept[i].budget;

        json_object(j, NULL);
        if (b->model)
            json_text(j, "model", b->model);
        if (b->operators)
            json_text(j, "operator", b->operators);
        else
            json_text(j, "name", judged_kinds[b->figure].name);
        json_text(j, "limit", b->text);
        json_text(j, "state", budget_state_name(r->kept[i].state));
        json_end(j);
    }
    json_end(j);
}

void check_json(struct buf *out, const struct check_result *r)
{
    struct json j = json_into(out);

    json_object(&j, NULL);
    json_u64(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_text(&j, "base", r->names[0]);
    json_text(&j, "head", r->names[1]);
    json_text(&j, "verdict", verdict_name(r->verdict));
    if (r->verdict == VERDICT_CANNOT_TELL)
        json_text(&j, "because", why_open(r));
    json_int(&j, "exit_code", check_exit_code(r));
    json_text(&j, "way", r->way);
    json_fixed(&j, "seconds", r->seconds, 3);
    pairs_json(&j, r);
    json_array(&j, "figures");
    for (int i = 0; i < JUDGED_FIGURES; i++)
        if (!isnan(r->changes[i].before))
            judged_change_json(&j, &r->changes[i]);
    json_end(&j);
    if (r->budgets.count)
        budgets_json(&j, r);
    if (r->recorded) {
        json_text(&j, "base_run",
                r->judgement.side[0].inputs[0].summary.run.id);
        json_text(&j, "head_run",
                r->judgement.side[1].inputs[0].summary.run.id);
        judgement_json_operators(&j, &r->judgement);
    }
    json_end(&j);
    buf_char(out, '\n');
}
