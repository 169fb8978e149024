#include "cmd/export_folder.h"

#include "base/buf.h"
#include "export/table/table.h"
#include "os/path.h"

#include <errno.h>
#include <string.h>

bool export_is_folder(const struct export_format *f, const char *path)
{
    enum path_kind kind = path ? path_kind(path) : PATH_NOTHING;
    size_t len = path ? strlen(path) : 0;

    if (!len || strcmp(path, "-") == 0)
        return false;
    if (kind != PATH_NOTHING)
        return kind == PATH_FOLDER;
    if (path[len - 1] == '/')
        return true;

    const char *slash = strrchr(path, '/');

    /* Tables are for a file each; one that has an ending takes all of them. */
    return f->write_table && !strchr(slash ? slash : path, '.');
}

static int write_table(const struct export_format *f,
        const struct export_to *to, const char *path, const struct table *t,
        struct error *e)
{
    struct sink *sink = NULL;
    int rc = sink_open(&sink, path, to->gzip, e);

    if (rc)
        return rc;
    sink_watch(sink, to->watch, to->context);
    rc = f->write_table(sink, t, to->store, to->run, to->codec, e);

    int closed = sink_close(sink, !rc, rc ? NULL : e);

    return rc ? rc : closed;
}

int export_folder(const struct export_format *f, const struct export_to *to,
        const char *path, const char *only, struct error *e)
{
    struct buf file = { 0 };
    int rc = path_make_folder(path, false);

    if (rc)
        return fail(e, rc, "cannot make the folder %.128s: %s", path,
                strerror(-rc));
    for (const struct table *const *t = tables; *t && !rc; t++) {
        if (only && strcmp(only, (*t)->type->name) != 0)
            continue;
        buf_clear(&file);
        buf_printf(&file, "%s/%s%s%s", path, (*t)->type->name, f->ending,
                to->gzip ? ".gz" : "");
        rc = write_table(f, to, buf_cstr(&file), *t, e);
    }
    buf_release(&file);
    return rc;
}
