/* settings.h -- what is in force, and where it came from: an option over the
 * environment over what is usual.
 *
 * `came_from` is set to a static text: the option's or the variable's name, or
 * "default". */
#pragma once

#include <stddef.h>

/* The database: `flag` is the value of --db, or NULL; then ORTMETER_DB; then
 * ortmeter/ortmeter.db below XDG_DATA_HOME or ~/.local/share.  Nothing is
 * created or looked at.  -ENOENT: there is not even a home.  -ENAMETOOLONG. */
int settings_db_path(char *out, size_t cap, const char *flag,
        const char **came_from);

/* The file that holds the database's key: `flag` is the value of --key-file, or
 * NULL; then ORTMETER_KEY_FILE.  NULL: there is none. */
const char *settings_key_file(const char *flag);
/* ORTMETER_PASSPHRASE, or NULL. */
const char *settings_passphrase(void);

/* The library that `run` puts into programs: it lies beside ours in a build,
 * and in the system's folder for libraries when installed.  -ENOENT: it is
 * nowhere there. */
int settings_hook_path(char *out, size_t cap);
