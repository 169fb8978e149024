#include "cmd/cli/settings.h"

#include "base/compiler.h"
#include "tree.h"

#include <errno.h>

static const struct {
    const char *flag, *variable, *data, *home;
    int rc;
    const char *path, *came_from;
} cases[] = {
    { "x.db", "/e.db", "/data", "/home/me", 0, "x.db", "--db" },
    { NULL, "/e.db", "/data", "/home/me", 0, "/e.db", "ORTMETER_DB" },
    { "", "", "/data", "/home/me", 0, "/data/ortmeter/ortmeter.db",
            "XDG_DATA_HOME" },
    /* A relative one does not count. */
    { NULL, NULL, "data", "/home/me", 0,
            "/home/me/.local/share/ortmeter/ortmeter.db", "default" },
    { NULL, NULL, NULL, "/home/me", 0,
            "/home/me/.local/share/ortmeter/ortmeter.db", "default" },
    { NULL, NULL, NULL, NULL, -ENOENT, "", "" },
    { "/a/path/that/is/too/long/for/the/room/that/it/is/given", NULL, NULL,
            NULL, -ENAMETOOLONG, "", "" },
};

static void set(const char *name, const char *value)
{
    CHECK((value ? setenv(name, value, 1) : unsetenv(name)) == 0);
}

static void check_db(void)
{
    for (size_t i = 0; i < LEN(cases); i++) {
        char path[48] = "";
        const char *came_from = "";

        set("ORTMETER_DB", cases[i].variable);
        set("XDG_DATA_HOME", cases[i].data);
        set("HOME", cases[i].home);
        CHECK_INT(
                settings_db_path(path, sizeof(path), cases[i].flag, &came_from),
                cases[i].rc);
        CHECK(strcmp(path, cases[i].path) == 0);
        CHECK(cases[i].rc || strcmp(came_from, cases[i].came_from) == 0);
    }
}

/* Where it is found depends on where the test lies; it must be a file. */
static void check_hook(void)
{
    char path[1024] = "";
    int rc = settings_hook_path(path, sizeof(path));

    CHECK(rc == 0 || rc == -ENOENT);
    CHECK((rc == 0) == (path[0] != 0));
    CHECK(rc || access(path, R_OK) == 0);
}

int main(void)
{
    check_db();
    check_hook();
    return test_result();
}
