#include "cmd/database.h"

#include "analyse/history.h"
#include "cmd/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
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

/* --- the key ---------------------------------------------------------------
 */

#define KEY_LEAST 32
#define KEY_MOST  4096

/* Without the newline that an editor leaves. */
static int read_key(struct store_key *out, char *bytes, const char *path,
        struct error *e)
{
    FILE *f = fopen(path, "rb");

    if (!f)
        return fail(e, -errno, "cannot read the key file %s: %s", path,
                strerror(errno));

    size_t len = fread(bytes, 1, KEY_MOST + 1, f);
    bool failed = ferror(f) != 0;

    (void)fclose(f);
    if (failed)
        return fail(e, -EIO, "cannot read the key file %s", path);
    if (len && bytes[len - 1] == '\n')
        len--;
    if (len < KEY_LEAST || len > KEY_MOST)
        return fail(e, -EINVAL,
                "a key file holds %d to %d bytes, and %s does not: make one "
                "with 'openssl rand -hex 32'",
                KEY_LEAST, KEY_MOST, path);
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
    char bytes[KEY_MOST + 1];
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
        rc = open_with_key(out, path, mode, d->key_file, e);
    if (!rc && mode != STORE_READ && (rc = history_rescue(*out, e))) {
        store_close(*out);
        *out = NULL;
    }
    return rc;
}
