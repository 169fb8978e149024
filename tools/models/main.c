/* make_models FOLDER -- writes the models we test with, and prints what it has
 * written, one path a line. */
#include "tools/models/model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -errno;
}

/* The folders on the way to a file.  The first `top` bytes of its path name the
 * uppermost that may have to be made. */
static int make_folders(const char *path, size_t top)
{
    struct buf folder = { 0 };
    int rc = 0;

    for (const char *p = path + top; rc == 0 && (p = strchr(p, '/')); p++) {
        buf_clear(&folder);
        buf_add(&folder, path, (size_t)(p - path));
        rc = make_folder(buf_cstr(&folder));
    }
    buf_release(&folder);
    return rc;
}

static int write_file(const char *path, struct str bytes)
{
    FILE *f = fopen(path, "wb");

    if (!f)
        return -errno;

    int rc = fwrite(bytes.p, 1, bytes.len, f) == bytes.len ? 0 : -errno;

    if (fclose(f) && !rc)
        rc = -errno;
    return rc;
}

static int write_model(const char *folder, const struct model_file *m)
{
    struct buf path = { 0 };
    struct buf bytes = { 0 };

    buf_printf(&path, "%s/%s", folder, m->path);
    m->write(&bytes);

    int rc = make_folders(buf_cstr(&path), strlen(folder));

    if (!rc)
        rc = write_file(buf_cstr(&path), buf_str(&bytes));
    if (rc)
        (void)fprintf(stderr, "cannot write %s: %s\n", buf_cstr(&path),
                strerror(-rc));
    else
        (void)printf("%s\n", buf_cstr(&path));
    buf_release(&bytes);
    buf_release(&path);
    return rc;
}

int main(int argc, char **argv)
{
    if (argc != 2 || !argv[1][0] || argv[1][0] == '-') {
        (void)fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (const struct model_file *m = model_files; m->path; m++)
        if (write_model(argv[1], m))
            return 1;
    return 0;
}
