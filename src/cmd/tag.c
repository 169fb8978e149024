/* tag.c -- what a run is found by. */
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/source.h"
#include "cmd/cmd.h"
#include "cmd/text/term.h"
#include "export/json/summary_json.h"
#include "fleet/edit.h"
#include "fleet/fetch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    bool json;
    const char *out, *experiment;
    struct option_texts remove;
    struct source source;
};

/* A run's tags and experiment. */
struct labels {
    char id[RUN_ID_LEN + 1];
    char *tags; /* or NULL */
    char *experiment;
};

static void take_run(void *to, const struct run *r)
{
    struct labels *l = to;

    memcpy(l->id, r->id, sizeof(r->id));
    l->tags = r->tags ? alloc_text(r->tags) : NULL;
    l->experiment = r->experiment ? alloc_text(r->experiment) : NULL;
}

static void release(struct labels *l)
{
    free(l->tags);
    free(l->experiment);
    *l = (struct labels){ 0 };
}

static bool is_among(struct str tag, const char *all)
{
    for (struct str rest = str_of(all); rest.len; rest = str_after(rest, ','))
        if (str_eq(str_trim(str_before(rest, ',')), tag))
            return true;
    return false;
}

static void add(struct buf *out, struct str tag)
{
    if (!tag.len || is_among(tag, buf_cstr(out)))
        return;
    if (out->len)
        buf_char(out, ',');
    buf_add(out, tag.p, tag.len);
}

/* The tags that there are, without those to be removed, and with those to be
 * added. */
static void make_tags(struct buf *out, const struct settings *s,
        const char *old, char *const *added)
{
    for (struct str rest = str_of(old ? old : ""); rest.len;
            rest = str_after(rest, ',')) {
        struct str tag = str_trim(str_before(rest, ','));
        bool goes = false;

        for (int i = 0; i < s->remove.count; i++)
            goes |= str_is(tag, s->remove.item[i]);
        if (!goes)
            add(out, tag);
    }
    for (; *added; added++)
        add(out, str_trim(str_of(*added)));
}

static void tell_json(struct buf *out, const struct labels *l)
{
    struct json j = json_into(out);

    json_object(&j, NULL);
    json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_text(&j, "run_id", l->id);
    json_array(&j, "tags");
    for (struct str rest = str_of(l->tags ? l->tags : ""); rest.len;
            rest = str_after(rest, ','))
        json_str(&j, NULL, str_trim(str_before(rest, ',')));
    json_end(&j);
    if (l->experiment)
        json_text(&j, "experiment_name", l->experiment);
    json_end(&j);
    buf_char(out, '\n');
}

static void tell(struct buf *out, const struct labels *l)
{
    buf_printf(out, "%.8s  tags: ", l->id);
    term_text(out, l->tags && *l->tags ? l->tags : "none");
    if (l->experiment) {
        buf_text(out, "; experiment: ");
        term_text(out, l->experiment);
    }
    buf_char(out, '\n');
}

static int change(const struct settings *s, struct store *store, int64_t row,
        char *const *added, struct error *e)
{
    struct labels l = { 0 };
    struct buf tags = { 0 };
    int rc = store_read_run(store, row, take_run, &l, e);

    make_tags(&tags, s, l.tags, added);
    if (!rc && (*added || s->remove.count))
        rc = store_set_tags(store, row, tags.len ? buf_cstr(&tags) : NULL, e);
    if (!rc && s->experiment)
        rc = store_set_experiment(store, row,
                *s->experiment ? s->experiment : NULL, e);
    release(&l);
    buf_release(&tags);
    return rc;
}

/* Opens what holds the run: the database, or a copy of it from the server. */
static int open_run(struct store **out, int64_t *row, struct clickhouse *c,
        const struct settings *s, enum store_mode mode, const char *name,
        struct error *e)
{
    if (c)
        return fetch_run_alone(out, row, c, name, e);

    int rc = database_open_as(out, &s->source.database, mode, e);

    return rc ? rc : store_find_run(*out, name, row, e);
}

static int tag(const struct settings *s, char **words, struct error *e)
{
    bool changes = words[1] || s->remove.count || s->experiment;
    struct clickhouse *c = NULL;
    struct store *store = NULL;
    struct labels l = { 0 };
    struct buf text = { 0 };
    int64_t row = 0;
    int rc = source_open_shared(&c, &s->source, e);

    if (!rc)
        rc = open_run(&store, &row, c, s, changes ? STORE_CHANGE : STORE_READ,
                words[0], e);
    if (!rc && changes)
        rc = change(s, store, row, words + 1, e);
    if (!rc)
        rc = store_read_run(store, row, take_run, &l, e);
    if (!rc && changes && c)
        rc = edit_labels(c, l.id, l.tags, l.experiment, e);
    store_close(store);
    clickhouse_close(c);
    if (!rc) {
        (s->json ? tell_json : tell)(&text, &l);
        rc = output_write(s->out, buf_str(&text), e);
    }
    release(&l);
    buf_release(&text);
    return rc;
}

static int check(const struct cmd_call *c, struct error *e)
{
    if (!c->word_count)
        return fail(e, -EINVAL, "there is no run to tag: give its id");
    for (char **tag = c->words + 1; *tag; tag++)
        if (strchr(*tag, ',') || !**tag)
            return fail(e, -EINVAL, "a tag is some text without a comma: '%s'",
                    *tag);
    return 0;
}

static const struct option options[] = {
    OPTION_TEXTS("remove", 'r', struct settings, remove, "TAG",
            "take that tag off; may be repeated"),
    OPTION_TEXT("experiment", 0, struct settings, experiment, "NAME",
            "the experiment that the run belongs to; '' for none"),
    JSON_OPTION(struct settings),
    SOURCE_OPTIONS(struct settings, source),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int run(const struct cmd_call *c, struct error *e)
{
    return tag(c->settings, c->words, e);
}

const struct cmd cmd_tag = {
    .name = "tag",
    .about = "tags and the experiment of a run",
    .usage = "[options] RUN [TAG...]",
    .text = "Adds tags to a recorded run, takes some off it, or shows them.  "
            "RUN\n"
            "is its id, the beginning of one, or 'last'.\n",
    .options = options,
    .notes = "Exit code: 0 good, 1 there is no such run, 2 wrong usage.\n",
    .examples = "tag last nightly release-2\n"
                "tag 3f2a --remove nightly --experiment quantised\n"
                "tag 3f2a --json\n",
    .words_max = CMD_WORDS_ANY,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
