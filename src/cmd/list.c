/* list.c -- the recorded runs, newest first. */
#include "analyse/run_figures.h"
#include "analyse/summary.h"
#include "base/json.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/source.h"
#include "cmd/cli/when.h"
#include "cmd/cmd.h"
#include "cmd/text/summary_text.h"
#include "cmd/text/term.h"
#include "export/json/summary_json.h"
#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sorts[] = { "date", "duration", "energy", NULL };

struct settings {
    bool json;
    const char *out, *from, *to, *metric;
    struct option_texts tags;
    int sort; /* of sorts */
    struct source source;
    struct run_filter filter;
};

struct listing {
    struct buf *out;
    struct json json;
    bool colours;
    uint64_t count;
    const struct run_filter *filter;
};

/* --- text ----------------------------------------------------------------- */

static void models(struct buf *out, const char *paths)
{
    struct buf names = { 0 };

    while (*paths) {
        const char *end = strchr(paths, '\n');
        size_t len = end ? (size_t)(end - paths) : strlen(paths);
        struct buf path = { 0 };

        buf_add(&path, paths, len);

        char *name = summary_model_name(buf_cstr(&path));

        buf_printf(&names, "%s%s", names.len ? ", " : "", name);
        free(name);
        buf_release(&path);
        paths += len + (end != NULL);
    }
    term_left(out, names.len ? buf_cstr(&names) : "-", 24);
    buf_release(&names);
}

/* What the runs are sorted by, or a metric of theirs. */
static void metric_value(const struct listing *list, const struct run_line *l)
{
    struct buf text = { 0 };

    if (list->filter->order == RUN_BY_ENERGY) {
        if (l->run->has_energy)
            buf_printf(&text, "%.4g J", l->run->energy_mj / 1e3);
        term_right(list->out, text.len ? buf_cstr(&text) : "-", 10);
        buf_text(list->out, "  ");
        buf_clear(&text);
    }
    if (list->filter->metric) {
        if (l->has_value)
            buf_printf(&text, "%.6g", l->value);
        term_right(list->out, text.len ? buf_cstr(&text) : "-", 12);
        buf_text(list->out, "  ");
    }
    buf_release(&text);
}

/* How the program ended: its exit code, or the signal. */
static void exit_text(struct buf *out, const struct run *r)
{
    char text[16] = "-";

    if (r->signal)
        (void)snprintf(text, sizeof(text), "SIG %d", r->signal);
    else if (r->ended)
        (void)snprintf(text, sizeof(text), "%d", r->exit_code);
    term_right(out, text, 6);
    buf_text(out, "  ");
}

static void line(void *to, const struct run_line *l)
{
    struct listing *list = to;
    struct buf *out = list->out;
    char date[32], number[32], time[16] = "-";

    if (l->run->duration_ns)
        term_duration(time, (double)l->run->duration_ns);
    summary_date(date, l->run->started_wall_ns);
    buf_printf(out, "%s%.8s%s  %s  ", term_style(list->colours, TERM_BOLD),
            l->run->id, term_style(list->colours, TERM_PLAIN), date);
    term_right(out, time, 8);
    buf_text(out, "  ");
    term_right(out, term_count(number, l->inferences), 11);
    buf_text(out, "  ");
    term_left(out, run_status_name(l->run->status), 12);
    exit_text(out, l->run);
    metric_value(list, l);
    models(out, l->models);
    buf_text(out, "  ");
    if (l->run->tags && *l->run->tags) {
        buf_char(out, '[');
        term_text(out, l->run->tags);
        buf_text(out, "] ");
    }
    term_text(out, l->run->command ? l->run->command : "");
    buf_char(out, '\n');
    list->count++;
}

/* --- JSON ----------------------------------------------------------------- */

static void object(void *to, const struct run_line *l)
{
    struct listing *list = to;
    struct json *j = &list->json;

    json_object(j, NULL);
    summary_run_json(j, "run", l->run);
    if (l->run->duration_ns)
        json_fixed(j, "total_duration_ms", (double)l->run->duration_ns / 1e6,
                6);
    if (l->run->has_energy)
        json_real(j, "total_energy_mj", l->run->energy_mj);
    if (l->run->input_tokens || l->run->output_tokens) {
        json_u64(j, "input_tokens", l->run->input_tokens);
        json_u64(j, "output_tokens", l->run->output_tokens);
    }
    if (l->has_value) {
        json_object(j, "metric");
        json_text(j, "name", list->filter->metric->name);
        json_text(j, "unit", list->filter->metric->unit);
        json_real(j, "value", l->value);
        json_end(j);
    }
    json_u64(j, "inferences", l->inferences);
    json_u64(j, "failed", l->failed);
    json_array(j, "models");
    for (const char *at = l->models; *at;) {
        const char *end = strchr(at, '\n');
        size_t len = end ? (size_t)(end - at) : strlen(at);

        json_str(j, NULL, (struct str){ at, len });
        at += len + (end != NULL);
    }
    json_end(j);
    json_end(j);
    list->count++;
}

static int list_json(struct buf *out, struct store *store,
        const struct settings *s, struct error *e)
{
    struct listing list = {
        .out = out,
        .json = json_into(out),
        .filter = &s->filter,
    };

    json_object(&list.json, NULL);
    json_int(&list.json, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_array(&list.json, "runs");

    int rc = store_list_runs(store, &s->filter, object, &list, e);

    json_end(&list.json);

    uint64_t total = list.count;

    if (!rc)
        rc = store_count_runs(store, &s->filter, &total, e);
    json_u64(&list.json, "total", total);
    json_u64(&list.json, "limit", s->filter.limit);
    json_u64(&list.json, "offset", s->filter.offset);
    json_end(&list.json);
    buf_char(out, '\n');
    return rc;
}

static bool asks(const struct run_filter *f)
{
    return f->model || f->tags || f->experiment || f->prompt ||
           f->from_wall_ns || f->to_wall_ns || f->offset;
}

static int list_text(struct buf *out, struct store *store,
        const struct settings *s, struct error *e)
{
    struct listing list = {
        .out = out,
        .colours = !s->out && term_colours(stdout),
        .filter = &s->filter,
    };

    buf_printf(out,
            "%srun       started              duration   inferences  status  "
            "      exit  ",
            term_style(list.colours, TERM_DIM));
    if (s->filter.order == RUN_BY_ENERGY)
        buf_text(out, "    energy  ");
    if (s->filter.metric) {
        term_right(out, s->filter.metric->name, 12);
        buf_text(out, "  ");
    }
    buf_printf(out, "model                     [tags] command%s\n",
            term_style(list.colours, TERM_PLAIN));

    int rc = store_list_runs(store, &s->filter, line, &list, e);

    if (!rc && !list.count) {
        buf_clear(out);
        buf_text(out, asks(&s->filter)
                              ? "No run is like that.\n"
                              : "No runs yet.  Record one: ortmeter run -- "
                                "PROGRAM\n");
    }
    return rc;
}

static int list(const struct settings *s, struct error *e)
{
    struct store *store = NULL;
    struct buf text = { 0 };
    bool local = false;
    int rc = source_open_list(&store, &local, &s->source, &s->filter, e);

    /* Whoever may only read the file sees those that are kept. */
    if (!rc && local && s->filter.metric &&
            (rc = run_figures_complete(store, e)) == -EROFS)
        rc = 0;
    if (!rc)
        rc = (s->json ? list_json : list_text)(&text, store, s, e);
    store_close(store);
    if (!rc)
        rc = output_write(s->out, buf_str(&text), e);
    buf_release(&text);
    return rc;
}

/* From the options to the filter; `tags` is what its tags lie in. */
static void join_tags(struct buf *out, const struct option_texts *tags)
{
    for (int i = 0; i < tags->count; i++)
        buf_printf(out, "%s%s", i ? "," : "", tags->item[i]);
}

static int check(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;
    struct run_filter *f = &s->filter;
    int rc = 0;

    f->order = (enum run_order)s->sort;
    if (s->from)
        rc = when_moment(&f->from_wall_ns, s->from, wall_ns(), e);
    if (!rc && s->to)
        rc = when_moment(&f->to_wall_ns, s->to, wall_ns(), e);
    if (rc || !s->metric)
        return rc;
    f->metric = metric_find(str_of(s->metric));
    return f->metric ? 0
                     : fail(e, -EINVAL,
                               "there is no metric '%.64s': see "
                               "docs/metrics.md",
                               s->metric);
}

static const struct option options[] = {
    OPTION_TEXT("model", 0, struct settings, filter.model, "TEXT",
            "runs that loaded a model with TEXT in its path"),
    OPTION_TEXTS("tag", 0, struct settings, tags, "TEXT",
            "runs with that tag; several: with all of them"),
    OPTION_TEXT("experiment", 0, struct settings, filter.experiment, "NAME",
            "runs of that experiment"),
    OPTION_TEXT("prompt", 0, struct settings, filter.prompt, "TEXT",
            "runs with TEXT in the prompt"),
    OPTION_TEXT("from", 0, struct settings, from, "DATE",
            "runs begun then or later"),
    OPTION_TEXT("to", 0, struct settings, to, "DATE", "runs begun before"),
    OPTION_CHOICE("sort", 0, struct settings, sort, sorts, "WHAT",
            "by date (the default), duration or energy, the greatest first"),
    OPTION_FLAG("reverse", 0, struct settings, filter.ascending,
            "the other way round"),
    OPTION_NUMBER("limit", 'n', struct settings, filter.limit, "N",
            "at most N runs (default 20)"),
    OPTION_NUMBER("offset", 0, struct settings, filter.offset, "N",
            "leave out the first N"),
    OPTION_TEXT("metric", 0, struct settings, metric, "NAME",
            "with the value of a metric (docs/metrics.md) of each run: its "
            "history"),
    JSON_OPTION(struct settings),
    SOURCE_OPTIONS(struct settings, source),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int run(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;
    struct buf tags = { 0 };

    join_tags(&tags, &s->tags);
    s->filter.tags = tags.len ? buf_cstr(&tags) : NULL;

    int rc = list(s, e);

    buf_release(&tags);
    return rc;
}

const struct cmd cmd_list = {
    .name = "list",
    .about = "the recorded runs, newest first",
    .usage = "[options]",
    .text = "Lists the recorded runs, newest first.\n",
    .options = options,
    .notes = "A DATE is 2026-01-31, '2026-01-31 12:30' (local time; UTC with a "
             "Z\n"
             "behind it), or how long ago: 12h, 30d, 2w.\n"
             "\n"
             "Exit code: 0 good, 1 the database cannot be read, 2 wrong "
             "usage.\n",
    .examples = "list\n"
                "list --model mobilenet --tag nightly --from 7d\n"
                "list --sort energy -n 3 --json\n"
                "list --metric inference_duration_p95_seconds --reverse\n",
    .settings_size = sizeof(struct settings),
    .check = check,
    .defaults = &(const struct settings){ .filter.limit = 20 },
    .run = run,
};
