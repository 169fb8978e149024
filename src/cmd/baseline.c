/* baseline.c -- names for runs that others are compared with. */
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/cli/output.h"
#include "cmd/cli/source.h"
#include "cmd/cmd.h"
#include "cmd/text/term.h"
#include "export/json/summary_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    bool json;
    const char *out;
    struct database database;
};

/* --- list ----------------------------------------------------------------- */

struct listing {
    struct buf *text;
    struct json *json; /* NULL: for people */
    char *name;        /* of the last one; NULL: there was none */
};

static void list_run(void *to, const char *name, const struct run *r)
{
    struct listing *l = to;
    bool next = !l->name || strcmp(l->name, name) != 0;

    if (next && l->json) {
        if (l->name) {
            json_end(l->json);
            json_end(l->json);
        }
        json_object(l->json, NULL);
        json_text(l->json, "name", name);
        json_array(l->json, "runs");
    }
    if (l->json) {
        json_text(l->json, NULL, r->id);
    } else {
        term_left(l->text, next ? name : "", 16);
        buf_printf(l->text, " %.8s  ", r->id);
        term_text(l->text, r->command ? r->command : "");
        buf_char(l->text, '\n');
    }
    if (next) {
        free(l->name);
        l->name = alloc_text(name);
    }
}

static int list(struct buf *text, const struct settings *s, struct store *store,
        struct error *e)
{
    struct json j = json_into(text);
    struct listing l = { text, s->json ? &j : NULL, NULL };

    if (s->json) {
        json_object(&j, NULL);
        json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
        json_array(&j, "baselines");
    }

    int rc = store_each_baseline(store, list_run, &l, e);

    while (s->json && j.depth)
        json_end(&j);
    if (s->json)
        buf_char(text, '\n');
    else if (!l.name)
        buf_text(text, "There are no baselines: see 'ortmeter baseline "
                       "--help'.\n");
    free(l.name);
    return rc;
}

/* --- set ------------------------------------------------------------------ */

static int set(struct store *store, const char *name, char *const *runs,
        struct error *e)
{
    struct run_rows rows = { 0 };
    int rc = 0;

    for (; *runs && !rc; runs++)
        rc = store_each_named(store, *runs, run_rows_add, &rows, e);
    if (!rc)
        rc = store_set_baseline(store, name, rows.row, rows.count, e);
    free(rows.row);
    return rc;
}

/* --- the command ---------------------------------------------------------- */

static bool is(const struct cmd_call *c, const char *what)
{
    return c->word_count && strcmp(c->words[0], what) == 0;
}

static int check(const struct cmd_call *c, struct error *e)
{
    if (is(c, "list"))
        return c->word_count == 1 ? 0
                                  : fail(e, -EINVAL, "list takes nothing else");
    if (is(c, "delete"))
        return c->word_count == 2 ? 0
                                  : fail(e, -EINVAL, "delete takes one name");
    if (!is(c, "set"))
        return fail(e, -EINVAL, "say set, list or delete");
    if (c->word_count < 3)
        return fail(e, -EINVAL, "set takes a name and the runs to have it");
    return strncmp(c->words[1], "last", 4) == 0 || !*c->words[1]
                   ? fail(e, -EINVAL, "'%.64s' means a run already",
                             c->words[1])
                   : 0;
}

static int run(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;
    struct store *store = NULL;
    struct buf text = { 0 };
    bool reads = is(c, "list");
    int rc = database_open_as(&store, &s->database,
            reads ? STORE_READ : STORE_CHANGE, e);

    if (!rc && is(c, "set"))
        rc = set(store, c->words[1], c->words + 2, e);
    if (!rc && is(c, "delete"))
        rc = store_delete_baseline(store, c->words[1], e);
    if (!rc && reads)
        rc = list(&text, s, store, e);
    store_close(store);
    if (!rc && reads)
        rc = output_write(s->out, buf_str(&text), e);
    buf_release(&text);
    return rc;
}

static const struct option options[] = {
    JSON_OPTION(struct settings),
    DATABASE_OPTIONS(struct settings, database),
    OUT_OPTION(struct settings),
    OPTION_END,
};

const struct cmd cmd_baseline = {
    .name = "baseline",
    .about = "names for runs that others are compared with",
    .usage = "[options] set NAME RUN... | list | delete NAME",
    .text = "Gives some runs a name to compare others with, in place of those "
            "that had\n"
            "it; lists such names; or takes one away.  RUN is an id, the "
            "beginning of\n"
            "one, 'last', or a tag: all runs that have it.  The runs of a "
            "baseline are\n"
            "not pruned.\n",
    .options = options,
    .notes = "Exit code: 0 good, 1 there is no such run or baseline, 2 wrong "
             "usage.\n",
    .examples = "baseline set main nightly\n"
                "baseline set v1.2 3f2a 9b1c 77e0\n"
                "baseline list\n"
                "compare main last\n",
    .words_max = CMD_WORDS_ANY,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
