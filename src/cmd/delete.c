/* delete.c -- runs that go for good. */
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/source.h"
#include "cmd/cmd.h"
#include "export/json/summary_json.h"
#include "fleet/edit.h"
#include "fleet/fetch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    bool json;
    const char *out;
    struct source source;
};

struct doomed {
    int64_t row;
    char id[RUN_ID_LEN + 1];
};

static void take_id(void *to, const struct run *r)
{
    memcpy(((struct doomed *)to)->id, r->id, sizeof(r->id));
}

/* Of the database, or of the server if there is one. */
static int find(struct doomed *out, struct store *store, struct clickhouse *c,
        const char *name, struct error *e)
{
    struct store *copy = NULL;
    int rc = c ? fetch_run_alone(&copy, &out->row, c, name, e)
               : store_find_run_id(store, name, &out->row, e);

    if (!rc)
        rc = store_read_run(c ? copy : store, out->row, take_id, out, e);
    store_close(copy);
    return rc;
}

/* Finds all of them first.  A run that is named twice is deleted once. */
static int find_all(struct doomed *out, size_t *count, struct store *store,
        struct clickhouse *c, char **names, struct error *e)
{
    for (; *names; names++) {
        struct doomed *d = &out[*count];
        bool known = false;
        int rc = find(d, store, c, *names, e);

        if (rc)
            return rc;
        for (size_t i = 0; i < *count; i++)
            known |= strcmp(out[i].id, d->id) == 0;
        *count += !known;
    }
    return 0;
}

static void tell(struct buf *out, const struct doomed *d, size_t count,
        bool json)
{
    struct json j = json_into(out);

    if (!json) {
        for (size_t i = 0; i < count; i++)
            buf_printf(out, "Deleted run %s.\n", d[i].id);
        return;
    }
    json_object(&j, NULL);
    json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_bool(&j, "success", true);
    json_array(&j, "deleted");
    for (size_t i = 0; i < count; i++)
        json_text(&j, NULL, d[i].id);
    json_end(&j);
    json_end(&j);
    buf_char(out, '\n');
}

static int delete (const struct settings *s, char **names, int words,
        struct error *e)
{
    struct doomed *doomed = alloc_zero((size_t)words, sizeof(*doomed));
    struct clickhouse *c = NULL;
    struct store *store = NULL;
    struct buf text = { 0 };
    size_t count = 0;
    int rc = source_open_shared(&c, &s->source, e);

    if (!rc && !c)
        rc = database_open_as(&store, &s->source.database, STORE_CHANGE, e);
    if (!rc)
        rc = find_all(doomed, &count, store, c, names, e);
    for (size_t i = 0; i < count && !rc; i++)
        rc = c ? edit_delete(c, doomed[i].id, e)
               : store_delete_run(store, doomed[i].row, e);
    if (!rc && store)
        rc = store_forget(store, e);
    store_close(store);
    clickhouse_close(c);
    if (!rc) {
        tell(&text, doomed, count, s->json);
        rc = output_write(s->out, buf_str(&text), e);
    }
    buf_release(&text);
    free(doomed);
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
                   : fail(e, -EINVAL, "there is no run to delete: give its id");
}

static int run(const struct cmd_call *c, struct error *e)
{
    return delete (c->settings, c->words, c->word_count, e);
}

const struct cmd cmd_delete = {
    .name = "delete",
    .about = "runs that go for good",
    .usage = "[options] RUN...",
    .text = "Deletes recorded runs and all that belongs to them, for good: "
            "what\n"
            "they wrote is overwritten in the database.  RUN is a run's id, "
            "the\n"
            "beginning of one, or 'last'.  When one of them is not there, none "
            "is\n"
            "deleted.\n",
    .options = options,
    .notes = "Exit code: 0 good, 1 there is no such run, or it is still being\n"
             "recorded, 2 wrong usage.\n",
    .examples = "delete 3f2a\n"
                "delete last --json\n",
    .words_max = CMD_WORDS_ANY,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
