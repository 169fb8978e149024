/* compare.c -- two recorded runs beside each other. */
#include "analyse/verdict/comparison.h"
#include "analyse/verdict/judgement.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/percent.h"
#include "cmd/cli/source.h"
#include "cmd/cmd.h"
#include "cmd/text/judgement_text.h"
#include "export/json/comparison_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    bool json, anyway;
    const char *out, *least_text, *model;
    double least; /* 0.02 for 2 % */
    struct source source;
};

/* --- text ----------------------------------------------------------------- */

static void ns_text(struct buf *out, double ns)
{
    char text[16];

    term_right(out, isnan(ns) ? "-" : term_duration(text, ns), PAGE_COLUMN);
}

static void bytes_text(struct buf *out, double bytes)
{
    char text[16];

    term_right(out, isnan(bytes) ? "-" : term_bytes(text, bytes), PAGE_COLUMN);
}

static void number_text(struct buf *out, double value)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%.4g", value);
    term_right(out, isnan(value) ? "-" : text, PAGE_COLUMN);
}

static const struct {
    const char *label;
    void (*show)(struct buf *out, double value);
} shown[COMPARISON_FIGURES] = {
    [COMPARISON_MEDIAN] = { "median", ns_text },
    [COMPARISON_MEAN] = { "mean", ns_text },
    [COMPARISON_P95] = { "p95", ns_text },
    [COMPARISON_P99] = { "p99", ns_text },
    [COMPARISON_RATE] = { "inf/s", number_text },
    [COMPARISON_MEMORY] = { "memory", bytes_text },
    [COMPARISON_JOULES] = { "J/inference", number_text },
    [COMPARISON_PER_SAMPLE] = { "per sample", ns_text },
    [COMPARISON_TTFT] = { "first token", ns_text },
    [COMPARISON_TPOT] = { "each further", ns_text },
};

static void change_text(const struct page *p, struct comparison_change x)
{
    if (x.before > 0 && !isnan(x.after))
        buf_printf(p->out, "  %+8.1f %%", 100 * (x.after / x.before - 1));
}

/* Of a ratio, in which it may lie. */
static void interval_text(const struct page *p, double low, double high)
{
    buf_printf(p->out, "  [%+.1f, %+.1f] within these two", 100 * (low - 1),
            100 * (high - 1));
}

static void figures_text(const struct page *p, const struct comparison *c)
{
    for (int i = 0; i < COMPARISON_FIGURES; i++) {
        struct comparison_change x = c->figure[i];

        if (isnan(x.before) && isnan(x.after))
            continue;
        page_label(p, shown[i].label);
        shown[i].show(p->out, x.before);
        shown[i].show(p->out, x.after);
        if (comparison_holds(c, (enum comparison_figure)i)) {
            change_text(p, x);
            if (i == COMPARISON_MEDIAN && c->has_interval)
                interval_text(p, c->low, c->high);
        }
        buf_char(p->out, '\n');
    }
}

/* Point by point: a batch, or a level, is the same work in both. */
static void points_text(const struct page *p, const struct comparison *c)
{
    double low, high;
    char name[16];

    for (size_t i = 0; i < c->point_count; i++) {
        const struct comparison_point *x = &c->points[i];
        struct comparison_change median = {
            x->before ? x->before->latency.p50 : NAN,
            x->after ? x->after->latency.p50 : NAN,
        };

        if (!i) {
            page_label(p, c->points_are_levels ? "level" : "batch");
            term_right(p->out, "before", PAGE_COLUMN);
            term_right(p->out, "after", PAGE_COLUMN);
            buf_text(p->out, "  medians\n");
        }
        page_label(p, comparison_point_name(name, c, i));
        ns_text(p->out, median.before);
        ns_text(p->out, median.after);
        if (comparison_holds(c, COMPARISON_PER_SAMPLE))
            change_text(p, median);
        if (comparison_point_interval(c, i, &low, &high))
            interval_text(p, low, high);
        buf_char(p->out, '\n');
    }
}

static void operators_lines(const struct page *p, const struct comparison *c)
{
    if (c->no_operators) {
        page_label(p, "operators");
        buf_printf(p->out, "not compared: %s\n", c->no_operators);
    }
    for (size_t i = 0; i < c->operator_count && i < PAGE_LINES; i++) {
        const struct comparison_operator *o = &c->operators[i];

        page_label(p, i ? "" : "operators");
        ns_text(p->out, o->ns.before);
        ns_text(p->out, o->ns.after);
        buf_text(p->out, "  ");
        term_left(p->out, o->op_type, 16);
        buf_printf(p->out, " %s\n", o->name);
    }
    if (c->operator_count > PAGE_LINES) {
        page_label(p, "");
        buf_printf(p->out, "of %zu; all with --json\n", c->operator_count);
    }
}

static void comparison_text(struct buf *out, const struct comparison *c,
        const struct judgement *j, bool colours)
{
    const struct page p = { out, colours };

    buf_printf(out, "%.8s and %.8s\n", j->side[0].inputs[0].summary.run.id,
            j->side[1].inputs[0].summary.run.id);
    judgement_head_text(&p, j);
    judgement_differences_text(&p, j);
    points_text(&p, c);
    figures_text(&p, c);
    if (comparison_holds(c, COMPARISON_MEAN))
        operators_lines(&p, c);
}

/* --- the command ---------------------------------------------------------- */

/* All runs that a name means. */
struct named {
    struct store *store;
    struct run_rows rows;
};

static int open_named(struct named *out, const struct settings *s,
        const char *name, struct error *e)
{
    return source_open_named(&out->store, &s->source, name, run_rows_add,
            &out->rows, e);
}

static void close_named(struct named *n)
{
    store_close(n->store);
    free(n->rows.row);
}

/* Two runs: all that is not alike in them, and all figures. */
static void one_each(struct buf *text, const struct settings *s,
        const struct judgement *j)
{
    const struct summary *before = &j->side[0].inputs[0].summary;
    const struct summary *after = &j->side[1].inputs[0].summary;
    struct comparison c;

    comparison_make(&c, before, after);
    comparison_text(text, &c, j, !s->out && term_colours(stdout));
    comparison_release(&c);
}

static void several(struct buf *text, const struct settings *s,
        const char *first, const char *second, const struct judgement *j)
{
    const struct page p = { text, !s->out && term_colours(stdout) };

    term_text(text, first);
    buf_text(text, " and ");
    term_text(text, second);
    buf_char(text, '\n');
    judgement_text(&p, j);
}

/* Whether a run is on both sides. */
static const char *shared_run(const struct judgement *j)
{
    for (size_t i = 0; i < j->side[0].count; i++)
        for (size_t k = 0; k < j->side[1].count; k++)
            if (strcmp(j->side[0].inputs[i].summary.run.id,
                        j->side[1].inputs[k].summary.run.id) == 0)
                return j->side[0].inputs[i].summary.run.id;
    return NULL;
}

static int tell(const struct settings *s, const char *first, const char *second,
        const struct judgement *j, struct error *e)
{
    struct buf text = { 0 };
    const char *both = shared_run(j);

    if (both && j->side[0].count == 1 && j->side[1].count == 1)
        return fail(e, -EINVAL,
                "'%.64s' and '%.64s' are one run, %.8s: there is "
                "nothing to compare",
                first, second, both);
    if (both)
        return fail(e, -EINVAL,
                "run %.8s is among '%.64s' and among '%.64s': there is "
                "nothing to compare",
                both, first, second);
    if (s->json)
        comparison_json(&text, j);
    else if (j->side[0].count == 1 && j->side[1].count == 1)
        one_each(&text, s, j);
    else
        several(&text, s, first, second, j);

    int rc = output_write(s->out, buf_str(&text), e);

    buf_release(&text);
    return rc;
}

static int compare(const struct settings *s, const char *first,
        const char *second, struct error *e)
{
    struct named names[2] = { { 0 } };
    struct judgement_want want = { s->least, s->anyway, s->model };
    struct judgement j;
    int rc = open_named(&names[0], s, first, e);

    if (!rc)
        rc = open_named(&names[1], s, second, e);
    if (!rc)
        rc = judgement_make(&j,
                &(struct judgement_runs){ names[0].store, names[0].rows.row,
                        names[0].rows.count },
                &(struct judgement_runs){ names[1].store, names[1].rows.row,
                        names[1].rows.count },
                &want, e);
    if (!rc) {
        rc = tell(s, first, second, &j, e);
        judgement_release(&j);
    }
    close_named(&names[0]);
    close_named(&names[1]);
    return rc;
}

static const struct option options[] = {
    OPTION_TEXT("least", 0, struct settings, least_text, "PCT",
            "the smallest change that matters; 2% if not given"),
    OPTION_FLAG("anyway", 0, struct settings, anyway,
            "judge runs of two hosts, of two models, or of other work, too"),
    OPTION_TEXT("model", 0, struct settings, model, "PART",
            "judge the model whose path has PART in it; the one that took "
            "most time if not given",
            .rare = true),
    JSON_OPTION(struct settings),
    SOURCE_OPTIONS(struct settings, source),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int check(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;

    if (!c->word_count)
        return fail(e, -EINVAL, "which run? ('last' is the newest)");
    return s->least_text ? percent_read(&s->least, s->least_text, "--least", e)
                         : 0;
}

static int run(const struct cmd_call *c, struct error *e)
{
    return compare(c->settings, c->words[0],
            c->word_count > 1 ? c->words[1] : "last", e);
}

const struct cmd cmd_compare = {
    .name = "compare",
    .about = "did it get slower or hungrier, from some runs to others?",
    .usage = "[options] BEFORE [AFTER]",
    .text = "Says whether runs got better, worse, stayed the same, or that it "
            "cannot\n"
            "be told, and shows what is not alike in them and what changed.  "
            "Both\n"
            "sides are ids, the beginnings of ids, 'last' or 'last~1', the one "
            "before\n"
            "it; a baseline; a tag: all runs that have it; or several of these "
            "with\n"
            "commas between them.  They may also be files of runs, as 'export "
            "-f json'\n"
            "writes them, which need no database.  AFTER is 'last' when it is "
            "left out.\n"
            "\n"
            "The unit is the run: 12 of each side, made in turns, find 5 %.  "
            "Two single\n"
            "runs are judged only where 50 others of the same command on this "
            "host show\n"
            "how much it varies by itself.  The headline is the undisturbed "
            "time, the\n"
            "tenth percentile of a run.  Runs of two hosts, of two models or "
            "of other\n"
            "work are not judged.\n",
    .options = options,
    .notes = "Exit code: 0 good, whatever changed; 1 there is no such run or "
             "it\n"
             "cannot be read, 2 wrong usage.\n",
    .examples = "compare 3f2a\n"
                "compare main head --least 3%\n"
                "compare 3f2a 9b1c --json\n"
                "compare main.json head.json\n"
                "compare 3f2a 9b1c --store clickhouse://me@fleet:8123/ort\n",
    .words_max = 2,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
