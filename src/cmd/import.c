/* import.c -- what another tool recorded, as a run. */
#include "base/json.h"
#include "cmd/cli/database.h"
#include "cmd/cli/import_file.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "export/json/summary_json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct settings {
    bool json;
    const char *out;
    struct database database;
    struct option_texts tags;
};

/* --- what is said --------------------------------------------------------- */

static void print_json(struct buf *out, const struct imported *x,
        const char *path)
{
    const struct import_tally *t = &x->tally;
    struct json j = json_into(out);

    json_object(&j, NULL);
    json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    summary_run_json(&j, "run", &x->run);
    json_text(&j, "file", path);
    json_text(&j, "format", x->importer->name);
    json_bool(&j, "complete", !t->cut);
    json_u64(&j, "bytes", x->bytes);
    json_u64(&j, "bytes_cut", t->cut_bytes);
    json_u64(&j, "bytes_skipped", t->skipped_bytes);
    json_u64(&j, "events", t->events);
    json_u64(&j, "events_broken", t->broken);
    json_u64(&j, "node_events", t->node_events);
    json_u64(&j, "sessions", t->sessions);
    json_u64(&j, "inferences", t->inferences);
    json_u64(&j, "operators", t->operators);
    json_u64(&j, "operator_runs", t->operator_runs);
    json_end(&j);
    buf_char(out, '\n');
}

static void number(struct buf *out, uint64_t n, const char *one,
        const char *many)
{
    buf_printf(out, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

static void print_text(struct buf *out, const struct imported *x)
{
    const struct run *run = &x->run;
    const struct import_tally *t = &x->tally;

    buf_printf(out, "run %.8s: %s, ", run->id, x->importer->about);
    number(out, t->events, "event: ", "events: ");
    number(out, t->inferences, "inference, ", "inferences, ");
    number(out, t->operators, "operator that ran ", "operators that ran ");
    number(out, t->operator_runs, "time\n", "times\n");
    if (run->note)
        buf_printf(out, "%s\n", run->note);
    buf_printf(out, "Its report: ortmeter report %.8s\n", run->id);
}

static void join_tags(struct buf *out, const struct option_texts *tags)
{
    for (int i = 0; i < tags->count; i++)
        buf_printf(out, "%s%s", i ? "," : "", tags->item[i]);
}

static int import(const struct settings *s, const char *path, struct error *e)
{
    struct imported x;
    struct store *store = NULL;
    struct buf tags = { 0 }, text = { 0 };
    int rc = import_open(&x, path, e);

    join_tags(&tags, &s->tags);
    if (!rc)
        rc = database_open_as(&store, &s->database, STORE_WRITE, e);
    if (!rc)
        rc = import_into(&x, store, tags.len ? buf_cstr(&tags) : NULL, e);
    if (!rc) {
        if (s->json)
            print_json(&text, &x, path);
        else
            print_text(&text, &x);
        rc = output_write(s->out, buf_str(&text), e);
    }
    import_close(&x);
    store_close(store);
    buf_release(&tags);
    buf_release(&text);
    return rc;
}

/* --- the command ---------------------------------------------------------- */

static int check(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;

    if (!c->word_count)
        return fail(e, -EINVAL, "there is no file to import");
    for (int i = 0; i < s->tags.count; i++)
        if (strchr(s->tags.item[i], ','))
            return fail(e, -EINVAL, "a tag has no comma: --tag '%s'",
                    s->tags.item[i]);
    return 0;
}

static const struct option options[] = {
    JSON_OPTION(struct settings),
    OPTION_TEXTS("tag", 0, struct settings, tags, "TEXT",
            "a tag to find the run by; may be repeated"),
    DATABASE_OPTIONS(struct settings, database),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int run(const struct cmd_call *c, struct error *e)
{
    return import(c->settings, c->words[0], e);
}

const struct cmd cmd_import = {
    .name = "import",
    .about = "make a run of what another tool recorded",
    .usage = "[options] FILE",
    .text = "Makes a run of what another tool recorded, or of what 'ortmeter "
            "export\n"
            "-f json' wrote, which keeps its id.  What it is shows in the\n"
            "file itself: ONNX Runtime's own profile (enable_profiling; JSON, "
            "also\n"
            "one that is cut or was written anew), or the profile of "
            "Qualcomm's QNN\n"
            "(CSV, from ONNX Runtime or from qnn-profile-viewer), or a trace "
            "of\n"
            "Windows' event tracing (.etl).  All but a trace may be compressed "
            "by\n"
            "gzip, and come from stdin: FILE '-'.\n",
    .options = options,
    .notes =
            "Exit code: 0 good, also when the file is cut: the run then holds "
            "what\n"
            "is whole, and says what is missing; 1 it cannot be read, 2 wrong\n"
            "usage.\n",
    .examples = "import onnxruntime_profile__2026-01-31_12-00-00.json\n"
                "import qnn-profiling-data.csv --tag npu --json\n"
                "import trace.etl\n",
    .words_max = 1,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
