/* prune.c -- old runs go. */
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/cli/database.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/when.h"
#include "cmd/cmd.h"
#include "cmd/text/term.h"
#include "export/json/summary_json.h"
#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>

struct settings {
    bool json, dry_run;
    const char *out, *older_than;
    const char *keep_text;
    uint64_t keep;
    uint64_t before_wall_ns;
    struct database database;
};

static void tell(struct buf *out, const struct settings *s, size_t count)
{
    struct json j = json_into(out);
    char number[32];

    if (!s->json) {
        buf_printf(out, "%s %s run%s.\n",
                s->dry_run ? "Would delete" : "Deleted",
                term_count(number, count), count == 1 ? "" : "s");
        return;
    }
    json_object(&j, NULL);
    json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_bool(&j, "dry_run", s->dry_run);
    json_u64(&j, "deleted", s->dry_run ? 0 : count);
    json_u64(&j, "matched", count);
    json_end(&j);
    buf_char(out, '\n');
}

static int prune(const struct settings *s, struct error *e)
{
    struct store *store = NULL;
    struct run_rows rows = { 0 };
    struct buf text = { 0 };
    int rc = database_open_as(&store, &s->database,
            s->dry_run ? STORE_READ : STORE_CHANGE, e);

    if (!rc)
        rc = store_each_prunable(store, s->before_wall_ns, s->keep,
                run_rows_add, &rows, e);
    for (size_t i = 0; i < rows.count && !rc && !s->dry_run; i++)
        rc = store_delete_run(store, rows.row[i], e);
    if (!rc && rows.count && !s->dry_run)
        rc = store_forget(store, e);
    store_close(store);
    if (!rc) {
        tell(&text, s, rows.count);
        rc = output_write(s->out, buf_str(&text), e);
    }
    free(rows.row);
    buf_release(&text);
    return rc;
}

static int check(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;
    uint64_t span_ns = 0, now_ns = wall_ns();
    int rc = s->older_than ? when_span(&span_ns, s->older_than, e) : 0;

    if (rc)
        return rc;
    if (s->keep_text && str_u64(&s->keep, str_of(s->keep_text)))
        return fail(e, -EINVAL, "--keep '%s' is not a whole number",
                s->keep_text);
    if (!s->older_than && !s->keep_text)
        return fail(e, -EINVAL,
                "which runs go? give --older-than or --keep or both");
    if (s->older_than)
        s->before_wall_ns = span_ns < now_ns ? now_ns - span_ns : 1;
    return 0;
}

static const struct option options[] = {
    OPTION_TEXT("older-than", 0, struct settings, older_than, "SPAN",
            "runs begun longer ago: 90s, 45m, 12h, 30d, 2w"),
    OPTION_TEXT("keep", 0, struct settings, keep_text, "N",
            "never one of the newest N; by itself: all but the newest N"),
    OPTION_FLAG("dry-run", 0, struct settings, dry_run, "only count them"),
    JSON_OPTION(struct settings),
    DATABASE_OPTIONS(struct settings, database),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int run(const struct cmd_call *c, struct error *e)
{
    return prune(c->settings, e);
}

const struct cmd cmd_prune = {
    .name = "prune",
    .about = "delete old runs",
    .usage = "[options]",
    .text = "Deletes old runs.  One that is a baseline, or is still being\n"
            "recorded, stays.  'ortmeter vacuum' gives the room back to the "
            "disk.\n",
    .options = options,
    .notes = "Exit code: 0 good, 1 the database cannot be changed, 2 wrong "
             "usage.\n",
    .examples = "prune --older-than 30d\n"
                "prune --older-than 2w --keep 100 --dry-run\n"
                "prune --keep 1000 --json\n",
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
