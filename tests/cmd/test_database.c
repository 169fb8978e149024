#include "cmd/cli/database.h"

#include "tree.h"

#include <errno.h>

static void set(const char *name, const char *value)
{
    CHECK((value ? setenv(name, value, 1) : unsetenv(name)) == 0);
}

static int open_it(const char *flag, enum store_mode mode, const char *because)
{
    struct store *s = NULL;
    struct error e = { 0 };
    int rc = database_open(&s, flag, mode, &e);

    CHECK((rc == 0) == (s != NULL));
    CHECK(strstr(e.text, because));
    if (!strstr(e.text, because))
        (void)fprintf(stderr, "%s\n", e.text);
    store_close(s);
    return rc;
}

static mode_t mode_of(const char *path)
{
    struct stat s = { 0 };

    CHECK(stat(path, &s) == 0);
    return s.st_mode & 0777;
}

/* The folders of the usual place are made, for its owner only. */
static void usual_place(const struct tree *t)
{
    set("HOME", tree_path(t, "home"));
    CHECK_INT(open_it(NULL, STORE_READ, "there is no database"), -ENOENT);
    CHECK(access(tree_path(t, "home"), F_OK) != 0); /* reading makes nothing */
    CHECK_INT(open_it(NULL, STORE_WRITE, ""), 0);
    CHECK_INT(mode_of(tree_path(t, "home/.local/share/ortmeter")), 0700);
    CHECK_INT(open_it(NULL, STORE_WRITE, ""), 0); /* they are there */
    CHECK_INT(open_it(NULL, STORE_READ, ""), 0);

    set("XDG_DATA_HOME", tree_path(t, "data"));
    CHECK_INT(open_it(NULL, STORE_WRITE, ""), 0);
    CHECK(access(tree_path(t, "data/ortmeter/ortmeter.db"), F_OK) == 0);
    set("XDG_DATA_HOME", NULL);
}

/* A place that somebody named is theirs to make. */
static void named_place(const struct tree *t)
{
    char named[128];

    (void)snprintf(named, sizeof(named), "%s/named/x.db", t->root);
    CHECK_INT(open_it(named, STORE_WRITE, "cannot open the database"), -EIO);
    set("ORTMETER_DB", named);
    CHECK_INT(open_it(NULL, STORE_WRITE, "cannot open the database"), -EIO);
    CHECK(mkdir(tree_path(t, "named"), 0755) == 0);
    CHECK_INT(open_it(NULL, STORE_WRITE, ""), 0);
    CHECK_INT(mode_of(named), 0600);
    set("ORTMETER_DB", NULL);
}

static void no_place(const struct tree *t)
{
    static char long_path[5000];

    tree_put(t, "file", "");
    set("HOME", tree_path(t, "file")); /* where a folder should be */
    CHECK_INT(open_it(NULL, STORE_WRITE, "cannot make the folder"), -ENOTDIR);
    set("HOME", NULL);
    CHECK_INT(open_it(NULL, STORE_WRITE, "there is no home folder"), -ENOENT);
    memset(long_path, 'x', sizeof(long_path) - 1);
    CHECK_INT(open_it(long_path, STORE_WRITE, "too long"), -ENAMETOOLONG);
}

int main(void)
{
    struct tree t = tree_open();

    set("ORTMETER_DB", NULL);
    set("XDG_DATA_HOME", NULL);
    usual_place(&t);
    named_place(&t);
    no_place(&t);
    tree_close(&t);
    return test_result();
}
