#include "cmd/cli/import_file.h"

#include "base/alloc.h"
#include "os/clock.h"
#include "os/path.h"
#include "os/process/child.h"
#include "os/process/self.h"

#include <errno.h>
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

/* --- the file ------------------------------------------------------------- */

struct file {
    const char *path;
    gzFile file; /* zlib reads through what is not compressed */
    char *head;
    size_t head_len;
    uint64_t bytes;
    bool cut; /* the end of what is compressed is missing */
};

static int cannot_read(const struct file *s, struct error *e)
{
    int code = errno ? errno : EIO;

    return fail(e, -code, "cannot read %.160s: %s", s->path, strerror(code));
}

/* The length, 0 at the end, or a negative errno value. */
static int read_piece(struct file *s, char *to, size_t cap, struct error *e)
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

static int open_file(struct file *s, struct error *e)
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

static void close_file(struct file *s)
{
    if (s->file)
        (void)gzclose(s->file);
    free(s->head);
}

static const struct importer *recognise(const struct file *s, struct error *e)
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

static int read_file(const struct importer *i, void *state, struct file *s,
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

static int feed_all(const struct importer *i, void *state, struct file *s,
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
static int fill(const struct importer *i, struct file *s, struct store *store,
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

static int record(struct run *run, const struct importer *i, struct file *s,
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

int import_open(struct imported *out, const char *path, struct error *e)
{
    *out = (struct imported){ .file = alloc_zero(1, sizeof(*out->file)) };
    out->file->path = path;

    int rc = open_file(out->file, e);

    if (!rc && !(out->importer = recognise(out->file, e)))
        rc = -EINVAL;
    if (rc)
        import_close(out);
    return rc;
}

int import_into(struct imported *x, struct store *store, const char *tags,
        struct error *e)
{
    buf_printf(&x->command, "import %s", x->file->path);
    x->run = (struct run){
        .started_wall_ns = wall_ns(),
        .meter_pid = own_pid(),
        .command = buf_cstr(&x->command),
        .tags = tags,
        .version = ORTMETER_VERSION,
    };

    int rc = record(&x->run, x->importer, x->file, store, &x->tally, e);

    x->bytes = x->file->bytes;
    return rc;
}

void import_close(struct imported *x)
{
    if (x->file)
        close_file(x->file);
    free(x->file);
    for (size_t i = 0; i < x->tally.text_count; i++)
        buf_release(&x->tally.texts[i]);
    free(x->tally.texts);
    buf_release(&x->tally.note);
    buf_release(&x->command);
    *x = (struct imported){ .file = NULL };
}
