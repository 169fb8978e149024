/* vacuum.c -- the room of deleted runs, given back to the disk. */
#include "base/json.h"
#include "cmd/cli/database.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "cmd/text/term.h"
#include "export/json/summary_json.h"

struct settings {
    bool json, check;
    const char *out;
    struct database database;
};

static void tell(struct buf *out, bool json, uint64_t before, uint64_t after)
{
    struct json j = json_into(out);
    char one[16], other[16];

    if (!json) {
        buf_printf(out, "The database took %s and takes %s.\n",
                term_bytes(one, (double)before),
                term_bytes(other, (double)after));
        return;
    }
    json_object(&j, NULL);
    json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_u64(&j, "bytes_before", before);
    json_u64(&j, "bytes_after", after);
    json_end(&j);
    buf_char(out, '\n');
}

static int vacuum(const struct settings *s, struct error *e)
{
    struct store *store = NULL;
    struct buf text = { 0 };
    uint64_t before = 0;
    int rc = database_open_as(&store, &s->database, STORE_CHANGE, e);

    if (!rc) {
        before = store_bytes(store);
        rc = store_vacuum(store, e);
    }
    if (!rc) {
        tell(&text, s->json, before, store_bytes(store));
        rc = output_write(s->out, buf_str(&text), e);
    }
    store_close(store);
    buf_release(&text);
    return rc;
}

static int check(const struct settings *s, struct error *e)
{
    struct store *store = NULL;
    struct buf text = { 0 };
    struct json j = json_into(&text);
    int rc = database_open_as(&store, &s->database, STORE_READ, e);

    if (!rc)
        rc = store_check(store, e);
    store_close(store);
    if (rc)
        return rc;
    if (s->json) {
        json_object(&j, NULL);
        json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
        json_bool(&j, "whole", true);
        json_end(&j);
    }
    buf_text(&text, s->json ? "\n" : "The database is whole.\n");
    rc = output_write(s->out, buf_str(&text), e);
    buf_release(&text);
    return rc;
}

static const struct option options[] = {
    OPTION_FLAG("check", 0, struct settings, check,
            "only look whether the database is whole"),
    JSON_OPTION(struct settings),
    DATABASE_OPTIONS(struct settings, database),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int run(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;

    return s->check ? check(s, e) : vacuum(s, e);
}

const struct cmd cmd_vacuum = {
    .name = "vacuum",
    .about = "give the room of deleted runs back to the disk",
    .usage = "[options]",
    .text = "Gives the room of deleted runs back to the disk.  Needs as much "
            "room\n"
            "again as the database takes, for a while; nobody may record\n"
            "meanwhile.\n",
    .options = options,
    .notes = "Exit code: 0 good, 1 the database is damaged or cannot be "
             "changed, 2\n"
             "wrong usage.\n",
    .examples = "vacuum\n"
                "vacuum --check\n"
                "vacuum --db runs.db --json\n",
    .settings_size = sizeof(struct settings),
    .run = run,
};
