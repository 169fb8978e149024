/* compare.c -- two recorded runs beside each other. */
#include "analyse/comparison.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/source.h"
#include "cmd/cmd.h"
#include "cmd/text/page.h"
#include "export/json/comparison_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct settings {
    bool json;
    const char *out;
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
    buf_printf(p->out, "  [%+.1f, %+.1f]  %s", 100 * (low - 1),
            100 * (high - 1), COMPARISON_VERDICT);
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

/* First of all: two runs that are not alike are not compared unseen. */
static void differences_text(const struct page *p, const struct comparison *c)
{
    const char *label = "not alike";

    for (int i = 0; i < DIFFERENCES; i++) {
        const struct difference *d = &c->differences[i];

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
    if (differences_other_work(c->differences) && !c->point_count) {
        page_label(p, "");
        buf_text(p->out, "an inference is not the same work in both, so its "
                         "time is not compared\n");
    }
}

static void comparison_text(struct buf *out, const struct comparison *c,
        const struct summary *before, const struct summary *after, bool colours)
{
    const struct page p = { out, colours };

    buf_printf(out, "%.8s and %.8s\n", before->run.id, after->run.id);
    differences_text(&p, c);
    points_text(&p, c);
    figures_text(&p, c);
    if (comparison_holds(c, COMPARISON_MEAN))
        operators_lines(&p, c);
}

/* --- the command ---------------------------------------------------------- */

static int read_run(struct summary *out, const struct settings *s,
        const char *name, struct error *e)
{
    struct store *store = NULL;
    int64_t row = 0;
    int rc = source_open_run(&store, &row, &s->source, name, e);

    if (!rc)
        rc = summary_read(out, store, row, e);
    store_close(store);
    return rc;
}

static int compare(const struct settings *s, const char *first,
        const char *second, struct error *e)
{
    struct summary before, after;
    struct comparison c;
    struct buf text = { 0 };
    int rc = read_run(&before, s, first, e);

    if (rc)
        return rc;
    rc = read_run(&after, s, second, e);
    if (!rc && strcmp(before.run.id, after.run.id) == 0) {
        rc = fail(e, -EINVAL,
                "'%.64s' and '%.64s' are one run, %.8s: there is "
                "nothing to compare",
                first, second, before.run.id);
        summary_release(&after);
    } else if (!rc) {
        comparison_make(&c, &before, &after);
        if (s->json)
            comparison_json(&text, &c, &before, &after);
        else
            comparison_text(&text, &c, &before, &after,
                    !s->out && term_colours(stdout));
        comparison_release(&c);
        summary_release(&after);
        rc = output_write(s->out, buf_str(&text), e);
    }
    summary_release(&before);
    buf_release(&text);
    return rc;
}

static const struct option options[] = {
    JSON_OPTION(struct settings),
    SOURCE_OPTIONS(struct settings, source),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int check(const struct cmd_call *c, struct error *e)
{
    return c->word_count
                   ? 0
                   : fail(e, -EINVAL, "which run? ('last' is the newest)");
}

static int run(const struct cmd_call *c, struct error *e)
{
    return compare(c->settings, c->words[0],
            c->word_count > 1 ? c->words[1] : "last", e);
}

const struct cmd cmd_compare = {
    .name = "compare",
    .about = "what changed from one run to another",
    .usage = "[options] BEFORE [AFTER]",
    .text = "Shows what is not alike in two recorded runs, and what changed "
            "from\n"
            "one to the other.  Both are ids, the beginnings of ids, tags, "
            "'last'\n"
            "or 'last~1', the one before it; AFTER is 'last' when it is left "
            "out.\n"
            "The interval of the median's change, with 95 % confidence, is "
            "about\n"
            "these two runs; what differs from start to start is not in it, "
            "so\n"
            "nothing is judged.  Where an inference was other work, only what "
            "is\n"
            "of one sample or token is compared.\n",
    .options = options,
    .notes = "Exit code: 0 good, whatever changed; 1 there is no such run or "
             "it\n"
             "cannot be read, 2 wrong usage.\n",
    .examples = "compare 3f2a\n"
                "compare 3f2a 9b1c --json\n"
                "compare 3f2a 9b1c --store clickhouse://me@fleet:8123/ort\n",
    .words_max = 2,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
