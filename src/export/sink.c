#include "export/sink.h"

#include "base/alloc.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BUFFER_BYTES (1 << 17)

struct sink {
    gzFile file; /* zlib writes through uncompressed, too */
    char *path;  /* NULL: stdout */
    int failed;  /* a negative errno value */
};

static int why(void)
{
    return errno ? -errno : -EIO;
}

int sink_open(struct sink **out, const char *path, bool compressed,
        struct error *e)
{
    const char *mode = compressed ? "wb6" : "wbT";
    bool to_file = path && strcmp(path, "-") != 0;
    int fd = to_file ? -1 : dup(STDOUT_FILENO); /* closing takes this one */

    errno = 0;

    gzFile file = to_file ? gzopen(path, mode) : gzdopen(fd, mode);

    if (!file) {
        int rc = why();

        if (fd >= 0)
            (void)close(fd);
        return fail(e, rc, "cannot write %.128s: %s",
                to_file ? path : "the output", strerror(-rc));
    }
    (void)gzbuffer(file, BUFFER_BYTES);
    *out = alloc_zero(1, sizeof(**out));
    (*out)->file = file;
    (*out)->path = to_file ? alloc_text(path) : NULL;
    return 0;
}

void sink_write(struct sink *s, struct str bytes)
{
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
static void remove_file(const char *path)
{
    struct stat st;

    if (!lstat(path, &st) && S_ISREG(st.st_mode))
        (void)unlink(path);
}

int sink_close(struct sink *s, bool keep, struct error *e)
{
    int rc = s->failed;

    errno = 0;
    if (gzclose(s->file) != Z_OK && !rc)
        rc = why();
    if (rc)
        (void)fail(e, rc, "cannot write %.128s: %s",
                s->path ? s->path : "the output", strerror(-rc));
    if (s->path && (rc || !keep))
        remove_file(s->path);
    free(s->path);
    free(s);
    return rc;
}
