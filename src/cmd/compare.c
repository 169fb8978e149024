/* compare.c -- two recorded runs beside each other. */
#include "analyse/comparison.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/page.h"
#include "cmd/source.h"
#include "export/comparison_json.h"

#include <errno.h>
#include <math.h>

static const char help[] =
        "Usage: ortmeter compare [options] BEFORE [AFTER]\n"
        "\n"
        "Shows what changed from one recorded run to another.  Both are ids,\n"
        "the beginnings of ids, or 'last', which AFTER is when it is left\n"
        "out.  The interval of the median's change, with 95 % confidence, is\n"
        "about these two runs; what differs from start to start is not in it.\n"
        "\n"
        "Options:\n"
        "  --json            one JSON document instead of text\n"
        "  --db FILE         the database to read\n"
        "  --key-file FILE   the key of a database that is encrypted\n"
        "  --store URL       a server with the runs of many machines:\n"
        "                    clickhouse://USER@HOST:8123/DATABASE\n"
        "  -o FILE           write to FILE\n"
        "  -h, --help        this text\n"
        "\n"
        "Exit code: 0 good, whatever changed; 1 there is no such run or it\n"
        "cannot be read, 2 wrong usage.\n"
        "\n"
        "Examples:\n"
        "  ortmeter compare 3f2a\n"
        "  ortmeter compare 3f2a 9b1c --json\n"
        "  ortmeter compare 3f2a 9b1c --store clickhouse://me@fleet:8123/ort\n";

struct settings {
    bool json, help;
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
};

static void change_text(const struct page *p, struct comparison_change x)
{
    if (x.before > 0 && !isnan(x.after))
        buf_printf(p->out, "  %+8.1f %%", 100 * (x.after / x.before - 1));
}

static void verdict_text(const struct page *p, const struct comparison *c)
{
    if (!c->has_interval)
        return;
    buf_printf(p->out, "  [%+.1f, %+.1f]  ", 100 * (c->low - 1),
            100 * (c->high - 1));
    page_style(p, c->verdict == COMPARISON_SLOWER ? TERM_YELLOW : TERM_PLAIN);
    buf_text(p->out, comparison_verdict_name(c->verdict));
    page_style(p, TERM_PLAIN);
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
        change_text(p, x);
        if (i == COMPARISON_MEDIAN)
            verdict_text(p, c);
        buf_char(p->out, '\n');
    }
}

static void operators_lines(const struct page *p, const struct comparison *c)
{
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
        const struct summary *before, const struct summary *after, bool colours)
{
    const struct page p = { out, colours };

    buf_printf(out, "%.8s and %.8s\n", before->run.id, after->run.id);
    figures_text(&p, c);
    operators_lines(&p, c);
    if (c->other_host || c->other_runtime || c->other_models) {
        page_label(&p, "not alike");
        buf_printf(out, "%s%s%s\n", c->other_host ? "host " : "",
                c->other_runtime ? "ONNX Runtime " : "",
                c->other_models ? "models" : "");
    }
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
    if (!rc) {
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

static int run(int argc, char **argv)
{
    struct settings s = { 0 };
    struct error e = { "" };
    const struct option table[] = {
        { "json", 0, OPTION_FLAG, &s.json },
        SOURCE_OPTIONS(s.source),
        { NULL, 'o', OPTION_TEXT, &s.out },
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = { .table = table, .max_words = 2 };
    int words = options_parse(&options, argc, argv, &e);

    if (words >= 0 && !s.help && !words)
        words = fail(&e, -EINVAL, "which run? ('last' is the newest)");
    if (words < 0)
        return options_fail("compare", &e);

    int rc = s.help ? output_write(NULL, str_of(help), &e)
                    : compare(&s, argv[1], words > 1 ? argv[2] : "last", &e);

    return options_end("compare", rc, &e);
}

const struct cmd cmd_compare = {
    .name = "compare",
    .about = "what changed from one run to another",
    .help = help,
    .run = run,
};
