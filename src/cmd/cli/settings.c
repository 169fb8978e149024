#include "cmd/cli/settings.h"

#include "base/compiler.h"
#include "os/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL when it is not set, or set to nothing. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] ? value : NULL;
}

static int join(char *out, size_t cap, const char *folder, const char *rest)
{
    char path[4096];
    int n = snprintf(path, sizeof(path), "%s%s", folder, rest);

    if (n < 0 || (size_t)n >= sizeof(path) || (size_t)n >= cap)
        return -ENAMETOOLONG;
    memcpy(out, path, (size_t)n + 1);
    return 0;
}

int settings_db_path(char *out, size_t cap, const char *flag,
        const char **came_from)
{
    const char *named = variable("ORTMETER_DB");
    const char *data = variable("XDG_DATA_HOME");
    const char *home = variable("HOME");

    if (flag && flag[0]) {
        *came_from = "--db";
        return join(out, cap, flag, "");
    }
    if (named) {
        *came_from = "ORTMETER_DB";
        return join(out, cap, named, "");
    }
    /* The XDG base directory specification: a relative path is no path. */
    if (data && data[0] == '/') {
        *came_from = "XDG_DATA_HOME";
        return join(out, cap, data, "/ortmeter/ortmeter.db");
    }
    if (!home)
        return -ENOENT;
    *came_from = "default";
    return join(out, cap, home, "/.local/share/ortmeter/ortmeter.db");
}

const char *settings_key_file(const char *flag)
{
    return flag && flag[0] ? flag : variable("ORTMETER_KEY_FILE");
}

const char *settings_passphrase(void)
{
    return variable("ORTMETER_PASSPHRASE");
}

/* 0 when the library lies in that folder below our own. */
static int try_hook(char *out, size_t cap, const char *own, const char *folder)
{
    char rest[512];
    int n = snprintf(rest, sizeof(rest), "%s/libortmeter.so", folder);

    if (n < 0 || (size_t)n >= sizeof(rest))
        return -ENAMETOOLONG;

    int rc = path_readable("%s%s", own, rest);

    return rc ? rc : join(out, cap, own, rest);
}

int settings_hook_path(char *out, size_t cap)
{
    static const char *const usual[] = { "", "/../lib", "/../lib64" };
    char own[2048];
    struct folder libs;
    int rc = path_own_folder(own, sizeof(own));

    if (rc)
        return rc;
    rc = -ENOENT;
    for (size_t i = 0; i < LEN(usual) && rc; i++)
        rc = try_hook(out, cap, own, usual[i]);
    /* Debian's: ../lib/x86_64-linux-gnu. */
    (void)folder_read(&libs, "%s/../lib", own);
    for (size_t i = 0; i < libs.count && rc; i++) {
        char folder[300];

        (void)snprintf(folder, sizeof(folder), "/../lib/%s", libs.name[i]);
        if (strstr(libs.name[i], "-linux-"))
            rc = try_hook(out, cap, own, folder);
    }
    folder_release(&libs);
    return rc ? -ENOENT : 0;
}
