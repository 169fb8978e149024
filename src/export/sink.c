#include "export/sink.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process/self.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BUFFER_BYTES (1 << 17)

struct sink {
    gzFile file;        /* zlib writes through uncompressed, too */
    struct buf *memory; /* instead of it, or NULL */
    char *path;         /* NULL: stdout */
    char *part;         /* what it is called until it is whole; NULL: path */
    int failed;         /* a negative errno value */
    uint64_t bytes;
    void (*watch)(void *context, uint64_t bytes);
    void *context;
};

static int why(void)
{
    return errno ? -errno : -EIO;
}

/* A new file, or one that takes the place of another; what is no file is
 * written to as it stands. */
static bool is_file(const char *path)
{
    enum path_kind kind = path_kind_here(path);

    return kind == PATH_FILE || kind == PATH_NOTHING;
}

static char *part_name(const char *path)
{
    struct buf name = { 0 };

    buf_printf(&name, "%s.part", path);
    return name.p;
}

int sink_open(struct sink **out, const char *path, bool compressed,
        struct error *e)
{
    const char *mode = compressed ? "wb6" : "wbT";
    bool to_file = path && strcmp(path, "-") != 0;
    int fd = to_file ? -1 : self_copy_stdout(); /* closing takes this one */
    char *part = to_file && is_file(path) ? part_name(path) : NULL;

    errno = 0;
    if (part) /* what lies there may be somebody's link to another file */
        fd = file_new(part);

    gzFile file = to_file && !part ? gzopen(path, mode)
                  : fd >= 0        ? gzdopen(fd, mode)
                                   : NULL;

    if (!file) {
        int rc = part && fd < 0 ? fd : why();

        free(part);
        if (fd >= 0)
            file_close(fd);
        return fail(e, rc, "cannot write %.128s: %s",
                to_file ? path : "the output", strerror(-rc));
    }
    (void)gzbuffer(file, BUFFER_BYTES);
    *out = alloc_zero(1, sizeof(**out));
    (*out)->file = file;
    (*out)->path = to_file ? alloc_text(path) : NULL;
    (*out)->part = part;
    return 0;
}

struct sink *sink_into(struct buf *out)
{
    struct sink *s = alloc_zero(1, sizeof(*s));

    s->memory = out;
    return s;
}

void sink_watch(struct sink *s, void (*watch)(void *context, uint64_t bytes),
        void *context)
{
    s->watch = watch;
    s->context = context;
}

void sink_write(struct sink *s, struct str bytes)
{
    s->bytes += bytes.len;
    if (s->watch)
        s->watch(s->context, s->bytes);
    if (s->memory) {
        buf_add(s->memory, bytes.p, bytes.len);
        return;
    }
    while (bytes.len && !s->failed) {
        unsigned piece = bytes.len < INT_MAX ? (unsigned)bytes.len : INT_MAX;

        errno = 0;
        if (gzwrite(s->file, bytes.p, piece) != (int)piece)
            s->failed = why();
        bytes.p += piece;
        bytes.len -= piece;
    }
}

bool sink_failed(const struct sink *s)
{
    return s->failed != 0;
}

/* Half a file is no use.  But a path may name a device, a pipe or a link,
 * which are not ours to remove. */
static int finish(const struct sink *s, bool keep)
{
    const char *written = s->part ? s->part : s->path;

    if (keep)
        return s->part ? file_replace(s->part, s->path) : 0;
    if (is_file(written))
        (void)file_remove(written);
    return 0;
}

int sink_close(struct sink *s, bool keep, struct error *e)
{
    int rc = s->failed;

    errno = 0;
    if (s->file && gzclose(s->file) != Z_OK && !rc)
        rc = why();
    if (s->path) {
        int named = finish(s, !rc && keep);

        rc = rc ? rc : named;
    }
    if (rc)
        (void)fail(e, rc, "cannot write %.128s: %s",
                s->path ? s->path : "the output", strerror(-rc));
    free(s->path);
    free(s->part);
    free(s);
    return rc;
}
