/* list.c -- the recorded runs, newest first. */
#include "analyse/summary.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/database.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/summary_text.h"
#include "cmd/term.h"
#include "export/summary_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
        "Usage: ortmeter list [options]\n"
        "\n"
        "Lists the recorded runs, newest first.\n"
        "\n"
        "Options:\n"
        "  -n, --limit N   at most N runs (default 20)\n"
        "  --json          one JSON document instead of text\n"
        "  --db FILE       the database to read\n"
        "  -o FILE         write to FILE\n"
        "  -h, --help      this text\n"
        "\n"
        "Examples:\n"
        "  ortmeter list\n"
        "  ortmeter list -n 3 --json\n";

struct settings {
    bool json, help;
    const char *out, *db;
    uint64_t limit;
};

struct listing {
    struct buf *out;
    struct json json;
    bool colours;
    uint64_t count;
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
    models(out, l->models);
    buf_text(out, "  ");
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
    struct listing list = { .out = out, .json = json_into(out) };

    json_object(&list.json, NULL);
    json_int(&list.json, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_array(&list.json, "runs");

    int rc = store_list_runs(store, &(struct run_filter){ .limit = s->limit },
            object, &list, e);

    json_end(&list.json);
    json_end(&list.json);
    buf_char(out, '\n');
    return rc;
}

static int list_text(struct buf *out, struct store *store,
        const struct settings *s, struct error *e)
{
    struct listing list = {
        .out = out,
        .colours = !s->out && term_colours(stdout),
    };

    buf_printf(out,
            "%srun       started              duration   inferences  status  "
            "    model                     command%s\n",
            term_style(list.colours, TERM_DIM),
            term_style(list.colours, TERM_PLAIN));

    int rc = store_list_runs(store, &(struct run_filter){ .limit = s->limit },
            line, &list, e);

    if (!rc && !list.count) {
        buf_clear(out);
        buf_text(out, "No runs yet.  Record one: ortmeter run -- PROGRAM\n");
    }
    return rc;
}

static int list(const struct settings *s, struct error *e)
{
    struct store *store = NULL;
    struct buf text = { 0 };
    int rc = database_open(&store, s->db, STORE_READ, e);

    if (!rc)
        rc = (s->json ? list_json : list_text)(&text, store, s, e);
    store_close(store);
    if (!rc)
        rc = output_write(s->out, buf_str(&text), e);
    buf_release(&text);
    return rc;
}

static int run(int argc, char **argv)
{
    struct settings s = { .limit = 20 };
    struct error e = { "" };
    const struct option table[] = {
        { "limit", 'n', OPTION_NUMBER, &s.limit },
        { "json", 0, OPTION_FLAG, &s.json },
        { "db", 0, OPTION_TEXT, &s.db },
        { NULL, 'o', OPTION_TEXT, &s.out },
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = { .table = table };

    if (options_parse(&options, argc, argv, &e) < 0)
        return options_fail("list", &e);

    int rc = s.help ? output_write(NULL, str_of(help), &e) : list(&s, &e);

    if (rc) {
        (void)fprintf(stderr, "ortmeter list: %s\n", e.text);
        return EXIT_FAILED;
    }
    return EXIT_GOOD;
}

const struct cmd cmd_list = {
    .name = "list",
    .about = "the recorded runs, newest first",
    .help = help,
    .run = run,
};
