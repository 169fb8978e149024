#include "cmd/database.h"

#include "analyse/history.h"
#include "cmd/settings.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* All folders on the way to the file. */
static int make_folders(char *path, struct error *e)
{
    for (char *slash = strchr(path + 1, '/'); slash;
            slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0700) && errno != EEXIST)
            return fail(e, -errno, "cannot make the folder %s: %s", path,
                    strerror(errno));
        *slash = '/';
    }
    return 0;
}

int database_open(struct store **out, const char *flag, enum store_mode mode,
        struct error *e)
{
    return database_open_as(out, &(struct database){ .path = flag }, mode, e);
}

int database_open_as(struct store **out, const struct database *d,
        enum store_mode mode, struct error *e)
{
    char path[PATH_MAX];
    const char *came_from = NULL;
    int rc = settings_db_path(path, sizeof(path), d->path, &came_from);

    if (rc == -ENOENT)
        return fail(e, rc,
                "there is no home folder for the database: name a file with "
                "--db or ORTMETER_DB");
    if (rc)
        return fail(e, rc, "the database's path is too long");
    if (mode == STORE_WRITE && (strcmp(came_from, "default") == 0 ||
                                       strcmp(came_from, "XDG_DATA_HOME") == 0))
        rc = make_folders(path, e);
    if (!rc)
        rc = store_open(out, path, mode, e);
    if (!rc && mode != STORE_READ && (rc = history_rescue(*out, e))) {
        store_close(*out);
        *out = NULL;
    }
    return rc;
}
