#include "cmd/cli/database.h"

#include "analyse/run_figures.h"
#include "cmd/cli/settings.h"
#include "os/path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* All folders on the way to the file. */
static int make_folders(char *path, struct error *e)
{
    for (char *slash = strchr(path + 1, '/'); slash;
            slash = strchr(slash + 1, '/')) {
        *slash = 0;

        int rc = path_make_folder(path, true);

        if (rc)
            return fail(e, rc, "cannot make the folder %s: %s", path,
                    strerror(-rc));
        *slash = '/';
    }
    return 0;
}

/* --- the key ---------------------------------------------------------------
 */

#define KEY_LEAST 32
#define KEY_MAX   4096

/* Without the newline that an editor leaves. */
static int read_key(struct store_key *out, char *bytes, const char *path,
        struct error *e)
{
    FILE *f = fopen(path, "rb");

    if (!f)
        return fail(e, -errno, "cannot read the key file %s: %s", path,
                strerror(errno));

    size_t len = fread(bytes, 1, KEY_MAX + 1, f);
    bool failed = ferror(f) != 0;

    (void)fclose(f);
    if (failed)
        return fail(e, -EIO, "cannot read the key file %s", path);
    if (len && bytes[len - 1] == '\n')
        len--;
    if (len < KEY_LEAST || len > KEY_MAX)
        return fail(e, -EINVAL,
                "a key file holds %d to %d bytes, and %s does not: make one "
                "with 'openssl rand -hex 32'",
                KEY_LEAST, KEY_MAX, path);
    *out = (struct store_key){ STORE_KEY_FILE, bytes, len };
    return 0;
}

/* 0 with `len` 0: there is no key. */
static int find_key(struct store_key *out, char *bytes, const char *flag,
        struct error *e)
{
    const char *path = settings_key_file(flag);
    const char *passphrase = settings_passphrase();

    *out = (struct store_key){ .len = 0 };
    if (path)
        return read_key(out, bytes, path, e);
    if (passphrase)
        *out = (struct store_key){ STORE_KEY_PASSPHRASE, passphrase,
            strlen(passphrase) };
    return 0;
}

const char *database_key_origin(void)
{
    if (settings_key_file(NULL))
        return "ORTMETER_KEY_FILE";
    return settings_passphrase() ? "ORTMETER_PASSPHRASE"
                                 : "none, the database is not encrypted";
}

static int open_with_key(struct store **out, const char *path,
        enum store_mode mode, const char *key_file, struct error *e)
{
    char bytes[KEY_MAX + 1];
    struct store_key key;
    int rc = find_key(&key, bytes, key_file, e);

    if (!rc)
        rc = store_open_locked(out, path, mode, key.len ? &key : NULL, e);
    explicit_bzero(bytes, sizeof(bytes));
    return rc;
}

int database_open(struct store **out, const char *flag, enum store_mode mode,
        struct error *e)
{
    return database_open_as(out, &(struct database){ .path = flag }, mode, e);
}

/* Whose place it is not can name another. */
static void name_another(struct error *e)
{
    size_t len = e ? strlen(e->text) : 0;

    if (len)
        (void)snprintf(e->text + len, sizeof(e->text) - len,
                "; another file is named with --db");
}

int database_open_as(struct store **out, const struct database *d,
        enum store_mode mode, struct error *e)
{
    char path[PATH_MAX];
    const char *came_from = NULL;

    if (d->path && (!*d->path || strcmp(d->path, ":memory:") == 0 ||
                           strncmp(d->path, "file:", 5) == 0))
        return fail(e, -EINVAL,
                "--db '%.64s' is no file: give the path of one, such as "
                "runs.db",
                d->path);

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
        rc = open_with_key(out, path, mode, d->key_file, e);
    if (rc && mode == STORE_WRITE && !d->path)
        name_another(e);
    if (!rc && mode != STORE_READ && (rc = run_figures_rescue(*out, e))) {
        store_close(*out);
        *out = NULL;
    }
    return rc;
}
