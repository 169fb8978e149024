/* import.c -- what another tool recorded, as a run. */
#include "import/import.h"

#include "base/alloc.h"
#include "base/json.h"
#include "cmd/cli/database.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "export/json/summary_json.h"
#include "os/child.h"
#include "os/clock.h"
#include "os/path.h"
#include "os/self.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const struct importer *const importers[] = {
    &import_json,
    &import_profile,
    &import_qnn_csv,
    &import_etl,
    NULL,
};

struct settings {
    bool json;
    const char *out;
    struct database database;
    struct option_texts tags;
};

/* --- the file ------------------------------------------------------------- */

struct source {
    const char *path;
    gzFile file; /* zlib reads through what is not compressed */
    char *head;
    size_t head_len;
    uint64_t bytes;
    bool cut; /* the end of what is compressed is missing */
};

static int cannot_read(const struct source *s, struct error *e)
{
    int code = errno ? errno : EIO;

    return fail(e, -code, "cannot read %.160s: %s", s->path, strerror(code));
}

/* The length, 0 at the end, or a negative errno value. */
static int read_piece(struct source *s, char *to, size_t cap, struct error *e)
{
    errno = 0;

    int len = gzread(s->file, to, (unsigned)cap);
    int code = Z_OK;

    if (len > 0)
        s->bytes += (uint64_t)len;
    if (len >= 0)
        return len;
    (void)gzerror(s->file, &code);
    if (code == Z_BUF_ERROR) {
        s->cut = true;
        return 0;
    }
    if (code == Z_DATA_ERROR)
        return fail(e, -EINVAL, "%.160s is compressed and damaged", s->path);
    return cannot_read(s, e);
}

static int open_source(struct source *s, struct error *e)
{
    bool is_stdin = strcmp(s->path, "-") == 0;
    int len = 1;

    errno = 0;
    s->file =
            is_stdin ? gzdopen(self_copy_stdin(), "rb") : gzopen(s->path, "rb");
    if (!s->file)
        return cannot_read(s, e);
    s->head = alloc_zero(IMPORT_HEAD_BYTES, 1);
    while (len > 0 && s->head_len < IMPORT_HEAD_BYTES) {
        len = read_piece(s, s->head + s->head_len,
                IMPORT_HEAD_BYTES - s->head_len, e);
        s->head_len += len > 0 ? (size_t)len : 0;
    }
    return len < 0 ? len : 0;
}

static void close_source(struct source *s)
{
    if (s->file)
        (void)gzclose(s->file);
    free(s->head);
}

static const struct importer *recognise(const struct source *s, struct error *e)
{
    struct str head = { s->head, s->head_len };

    for (const struct importer *const *i = importers; *i; i++)
        if ((*i)->recognise(head))
            return *i;
    if (!head.len)
        (void)fail(e, -EINVAL,
                "%.100s is empty: ONNX Runtime writes a profile when its "
                "session is released or EndProfiling is called",
                s->path);
    else
        (void)fail(e, -EINVAL,
                "%.110s is neither a profile of ONNX Runtime's nor of QNN's, "
                "nor an ETW trace, nor a run that ortmeter exported as JSON",
                s->path);
    return NULL;
}

/* --- the run -------------------------------------------------------------- */

static int read_file(const struct importer *i, void *state, struct source *s,
        struct error *e)
{
    if (strcmp(s->path, "-") == 0 || !gzdirect(s->file))
        return fail(e, -EINVAL,
                "%.128s is a trace: it must be a file, and not compressed",
                s->path);

    uint64_t bytes;

    if (path_bytes(&bytes, s->path) == 0)
        s->bytes = bytes;
    return i->read(state, s->path, e);
}

static int feed_all(const struct importer *i, void *state, struct source *s,
        struct error *e)
{
    int len = (int)s->head_len;

    if (i->read)
        return read_file(i, state, s, e);
    while (len > 0) {
        i->feed(state, s->head, (size_t)len);
        len = read_piece(s, s->head, IMPORT_HEAD_BYTES, e);
    }
    return len;
}

/* Everything between the run's beginning and its end. */
static int fill(const struct importer *i, struct source *s, struct store *store,
        struct run *run, struct import_tally *tally, struct error *e)
{
    void *state = alloc_zero(1, i->state_size);
    struct error why = { 0 };

    i->begin(state, store, run);

    int rc = feed_all(i, state, s, e);

    if (!rc) {
        rc = i->end(state, tally, &why);
        if (rc)
            (void)fail(e, rc, "cannot import %.128s: %.100s", s->path,
                    why.text);
    }
    i->release(state);
    free(state);
    if (!rc && s->cut) {
        tally->cut = true;
        buf_text(&tally->note, "The compressed file is cut.  ");
    }

    int flushed = store_flush(store, rc ? NULL : e);

    return rc ? rc : flushed;
}

static const char *trimmed(struct buf *note)
{
    while (note->len && note->p[note->len - 1] == ' ')
        note->p[--note->len] = 0;
    return note->len ? buf_cstr(note) : NULL;
}

static int record(struct run *run, const struct importer *i, struct source *s,
        struct store *store, struct import_tally *tally, struct error *e)
{
    int rc = i->own_run ? 0 : store_begin_run(store, run, e);

    if (rc)
        return rc;
    rc = fill(i, s, store, run, tally, e);
    if (!rc)
        rc = store_flush(store, e);
    if (!rc)
        rc = store_check_run(store, run->row, e);
    if (rc && run->row)
        store_cancel_run(store); /* half an import is none */
    if (rc || i->own_run)
        return rc;
    run->status = RUN_COMPLETE;
    run->duration_ns = tally->duration_ns;
    run->note = trimmed(&tally->note);
    return store_end_run(store, run, e);
}

/* --- what is said --------------------------------------------------------- */

static void print_json(struct buf *out, const struct run *run,
        const struct importer *i, const struct source *s,
        const struct import_tally *t)
{
    struct json j = json_into(out);

    json_object(&j, NULL);
    json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    summary_run_json(&j, "run", run);
    json_text(&j, "file", s->path);
    json_text(&j, "format", i->name);
    json_bool(&j, "complete", !t->cut);
    json_u64(&j, "bytes", s->bytes);
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

static void print_text(struct buf *out, const struct run *run,
        const struct importer *i, const struct import_tally *t)
{
    buf_printf(out,
            "run %.8s: %s, %" PRIu64 " events: %" PRIu64 " inferences, %" PRIu64
            " operators that ran %" PRIu64 " times\n",
            run->id, i->about, t->events, t->inferences, t->operators,
            t->operator_runs);
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
    struct source source = { .path = path };
    struct import_tally tally = { 0 };
    struct store *store = NULL;
    struct buf command = { 0 }, tags = { 0 }, text = { 0 };
    const struct importer *importer = NULL;
    int rc = open_source(&source, e);

    if (!rc && !(importer = recognise(&source, e)))
        rc = -EINVAL;
    if (!rc)
        rc = database_open_as(&store, &s->database, STORE_WRITE, e);
    buf_printf(&command, "import %s", path);
    join_tags(&tags, &s->tags);

    struct run run = {
        .started_wall_ns = wall_ns(),
        .meter_pid = own_pid(),
        .command = buf_cstr(&command),
        .tags = tags.len ? buf_cstr(&tags) : NULL,
        .version = ORTMETER_VERSION,
    };

    if (!rc)
        rc = record(&run, importer, &source, store, &tally, e);
    if (!rc && s->json)
        print_json(&text, &run, importer, &source, &tally);
    else if (!rc)
        print_text(&text, &run, importer, &tally);
    if (!rc)
        rc = output_write(s->out, buf_str(&text), e);
    store_close(store);
    close_source(&source);
    for (size_t i = 0; i < tally.text_count; i++)
        buf_release(&tally.texts[i]);
    free(tally.texts);
    buf_release(&tally.note);
    buf_release(&command);
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
