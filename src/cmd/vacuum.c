/* vacuum.c -- the room of deleted runs, given back to the disk. */
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/database.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/term.h"
#include "export/summary_json.h"

static const char help[] =
        "Usage: ortmeter vacuum [options]\n"
        "\n"
        "Gives the room of deleted runs back to the disk.  Needs as much room\n"
        "again as the database takes, for a while; nobody may record\n"
        "meanwhile.\n"
        "\n"
        "Options:\n"
        "  --check           only look whether the database is whole\n"
        "  --json            one JSON document instead of text\n"
        "  --db FILE         the database\n"
        "  --key-file FILE   the key of a database that is encrypted\n"
        "  -o FILE           write to FILE\n"
        "  -h, --help        this text\n"
        "\n"
        "Exit code: 0 good, 1 the database is damaged or cannot be changed, 2\n"
        "wrong usage.\n"
        "\n"
        "Examples:\n"
        "  ortmeter vacuum\n"
        "  ortmeter vacuum --check\n"
        "  ortmeter vacuum --db runs.db --json\n";

struct settings {
    bool json, help, check;
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

static int run(int argc, char **argv)
{
    struct settings s = { 0 };
    struct error e = { "" };
    const struct option table[] = {
        { "check", 0, OPTION_FLAG, &s.check },
        { "json", 0, OPTION_FLAG, &s.json },
        DATABASE_OPTIONS(s.database),
        { NULL, 'o', OPTION_TEXT, &s.out },
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = { .table = table };

    if (options_parse(&options, argc, argv, &e) < 0)
        return options_fail("vacuum", &e);

    int rc = s.help    ? output_write(NULL, str_of(help), &e)
             : s.check ? check(&s, &e)
                       : vacuum(&s, &e);

    return options_end("vacuum", rc, &e);
}

const struct cmd cmd_vacuum = {
    .name = "vacuum",
    .about = "give the room of deleted runs back to the disk",
    .help = help,
    .run = run,
};
