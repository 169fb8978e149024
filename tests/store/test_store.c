/* test_store.c -- which files are opened, and which runs are found. */
#include "store/store.h"

#include "stored.h"

#include <errno.h>
#include <sys/wait.h>

/* --- opening -------------------------------------------------------------- */

static void check_refused(const struct tree *t, enum store_mode mode, int rc,
        const char *because)
{
    struct store *s = NULL;
    struct error e = { 0 };

    CHECK_INT(store_open(&s, stored_path(t), mode, &e), rc);
    CHECK(s == NULL && strstr(e.text, because));
    if (!strstr(e.text, because))
        (void)fprintf(stderr, "%s\n", e.text);
    store_close(s);
}

static void missing(void)
{
    struct tree t = tree_open();

    check_refused(&t, STORE_READ, -ENOENT, "there is no database");
    CHECK(access(stored_path(&t), F_OK) != 0); /* and none was made */
    CHECK_INT(store_open(&(struct store *){ NULL }, "/no/such/folder/x.db",
                      STORE_WRITE, NULL),
            -EIO);
    CHECK_INT(store_open(&(struct store *){ NULL }, t.root, STORE_READ, NULL),
            -EIO);
    store_close(NULL);
    tree_close(&t);
}

static void made(void)
{
    struct tree t = tree_open();
    struct stat st;

    store_close(stored_open(&t, STORE_WRITE));
    CHECK(stat(stored_path(&t), &st) == 0);
    CHECK_INT(st.st_mode & 0777, 0600); /* its owner's business */
    CHECK(umask(022) == 022);           /* ours is as it was */
    store_close(stored_open(&t, STORE_READ));
    store_close(stored_open(&t, STORE_WRITE)); /* again */
    CHECK_INT(stored_is_whole(&t), 1);
    tree_close(&t);
}

static void strange_files(void)
{
    static const struct {
        const char *content; /* of the file, or what makes it */
        bool sql;
        int rc;
        const char *because;
    } cases[] = {
        { "this is no database, but it is long enough to be looked at closely, "
          "a hundred bytes and more, which is the length of a database's head",
                false, -EIO, "not a database" },
        { "CREATE TABLE songs (title TEXT)", true, -EIO,
                "is a database of another program" },
        { "CREATE TABLE songs (title TEXT); PRAGMA user_version = 1", true,
                -EIO, "is a database of another program" },
        { "CREATE TABLE profiling_runs (id INTEGER); PRAGMA user_version = 999",
                true, -EPROTO, "was written by a newer ortmeter (schema 999" },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct tree t = tree_open();

        if (cases[i].sql)
            stored_change(&t, cases[i].content);
        else
            tree_put(&t, "runs.db", cases[i].content);
        check_refused(&t, STORE_READ, cases[i].rc, cases[i].because);
        check_refused(&t, STORE_WRITE, cases[i].rc, cases[i].because);
        /* What is not ours is not touched. */
        if (cases[i].sql)
            CHECK_INT(stored_number(&t, "SELECT count(*) FROM sqlite_master"),
                    1);
        tree_close(&t);
    }
}

/* An empty file, as mktemp makes it, may become ours. */
static void empty(void)
{
    struct tree t = tree_open();

    tree_put(&t, "runs.db", "");
    check_refused(&t, STORE_READ, -EIO, "holds no runs");
    store_close(stored_open(&t, STORE_WRITE));
    store_close(stored_open(&t, STORE_READ));
    tree_close(&t);
}

/* Somebody who may read the file and not write it; root may do anything. */
static int as_reader(const struct tree *t)
{
    struct store *s;
    int64_t row = 0;

    if (geteuid() == 0 && setuid(65534))
        return 2;
    test_failures = 0;
    check_refused(t, STORE_WRITE, -EROFS, "may only be read");
    s = stored_open(t, STORE_READ);
    CHECK_INT(store_find_run(s, "last", &row, NULL), 0);
    store_close(s);
    return test_result();
}

static void read_only(const char *folder)
{
    struct tree t = tree_open();
    struct tree inner = { "" };
    struct store *s;
    int status = 0;

    (void)snprintf(inner.root, sizeof(inner.root), "%.40s/%.20s", t.root,
            folder);
    CHECK(mkdir(inner.root, 0755) == 0 && chmod(t.root, 0755) == 0);
    s = stored_open(&inner, STORE_WRITE);
    (void)stored_run(s, 1);
    store_close(s);
    CHECK(chmod(stored_path(&inner), 0444) == 0);
    CHECK(chmod(inner.root, 0555) == 0);

    pid_t pid = fork();

    if (pid == 0)
        _exit(as_reader(&inner));
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(chmod(inner.root, 0755) == 0);
    tree_close(&t);
}

/* --- finding -------------------------------------------------------------- */

static void check_found(struct store *s, const char *name, int rc, int64_t row)
{
    int64_t found = -1;
    struct error e = { 0 };

    CHECK_INT(store_find_run(s, name, &found, &e), rc);
    CHECK_INT(found, rc ? -1 : row);
    CHECK((rc == 0) == (*e.text == 0));
}

static void finding(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run r[3];

    check_found(s, "last", -ENOENT, 0);
    check_found(s, "", -ENOENT, 0);
    for (size_t i = 0; i < LEN(r); i++)
        r[i] = stored_run(s, i == 1 ? 300 : 100 + i);
    CHECK_INT(strlen(r[0].id), RUN_ID_LEN);
    CHECK(r[0].id[14] == '4' && strcmp(r[0].id, r[1].id) != 0);

    /* Ids that we know better than chance does. */
    stored_change(&t, "UPDATE profiling_runs SET run_id ="
                      " 'aaaa1111-0000-4000-8000-00000000000' || id");
    check_found(s, "last", 0, r[2].row); /* whatever the clock said */
    check_found(s, "last~0", 0, r[2].row);
    check_found(s, "last~2", 0, r[0].row);
    check_found(s, "last~3", -ENOENT, 0);
    check_found(s, "last~", -ENOENT, 0);
    check_found(s, "last~-1", -ENOENT, 0);
    check_found(s, "last~99999999999999999999", -ENOENT, 0);
    CHECK_INT(store_set_tags(s, r[0].row,
                      "v1,aaaa1111-0000-4000-8000-"
                      "000000000002",
                      NULL),
            0);
    CHECK_INT(store_set_tags(s, r[1].row, "v1", NULL), 0);
    check_found(s, "v1", 0, r[1].row); /* of several, the newest */
    check_found(s, "aaaa1111-0000-4000-8000-000000000002", 0, 2);
    check_found(s, "AAAA1111-0000-4000-8000-000000000003", 0, 3);
    check_found(s, "aaaa1111-0000-4000-8000-00000000000", -ENOTUNIQ, 0);
    check_found(s, "a", -ENOTUNIQ, 0);
    check_found(s, "aaaa1111-0000-4000-8000-0000000000021", -ENOENT, 0);
    check_found(s, "b", -ENOENT, 0);
    check_found(s, "", -ENOENT, 0);
    check_found(s, "%", -ENOENT, 0);
    check_found(s, "' OR 1 --", -ENOENT, 0);
    stored_change(&t,
            "UPDATE profiling_runs SET run_id = 'b' || run_id WHERE id = 3");
    check_found(s, "b", 0, 3);

    int64_t row;

    CHECK_INT(store_find_run_id(s, "v1", &row, NULL), -ENOENT);
    CHECK_INT(store_find_run_id(s, "last~1", &row, NULL), -ENOENT);
    CHECK_INT(store_find_run_id(s, "b", &row, NULL), 0);
    store_close(s);
    tree_close(&t);
}

/* A file that breaks while it is read says so, and not that nothing is there.
 */
static void broken(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    int64_t row = 0;

    (void)stored_run(s, 1);
    stored_change(&t, "DROP TABLE profiling_runs");
    check_found(s, "last", -EIO, 0);
    CHECK_INT(store_read_run(s, 1, NULL, NULL, NULL), -EIO);
    CHECK_INT(store_list_runs(s, &(struct run_filter){ .limit = 1 }, NULL, NULL,
                      NULL),
            -EIO);
    CHECK_INT(store_begin_run(s, &(struct run){ .command = "" }, NULL), -EIO);
    CHECK_INT(row, 0);
    store_close(s);
    tree_close(&t);
}

/* --- listing -------------------------------------------------------------- */

struct lines {
    size_t count;
    struct {
        int64_t row;
        uint64_t inferences, failed;
        char models[64];
    } line[8];
};

static void take_line(void *to, const struct run_line *l)
{
    struct lines *lines = to;
    size_t n = lines->count++;

    if (n >= LEN(lines->line))
        return;
    lines->line[n].row = l->run->row;
    lines->line[n].inferences = l->inferences;
    lines->line[n].failed = l->failed;
    (void)snprintf(lines->line[n].models, sizeof(lines->line[n].models), "%s",
            l->models);
}

static struct lines list(struct store *s, uint64_t limit)
{
    struct lines lines = { 0 };

    CHECK_INT(store_list_runs(s, &(struct run_filter){ .limit = limit },
                      take_line, &lines, NULL),
            0);
    return lines;
}

static void listing(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    static const char *const models[] = { "a.onnx", "b.onnx", "a.onnx", NULL };

    CHECK_INT(list(s, 10).count, 0);

    struct run first = stored_run(s, 200);

    for (uint32_t i = 0; i < LEN(models); i++)
        store_add_session(s, &(struct session){ .id = i + 1,
                                     .process = 1,
                                     .model = models[i] });
    for (int i = 0; i < 7; i++)
        (void)store_add_inference(s,
                &(struct inference){ .flags = i < 2 ? FLAG_FAILED : 0 });
    stored_flush(s);

    struct run older = stored_run(s, 100);
    struct run newest = stored_run(s, 300);
    struct lines l = list(s, UINT64_MAX);

    CHECK_INT(l.count, 3);
    CHECK_INT(l.line[0].row, newest.row);
    CHECK_INT(l.line[1].row, first.row);
    CHECK_INT(l.line[2].row, older.row);
    CHECK_INT(l.line[1].inferences, 7);
    CHECK_INT(l.line[1].failed, 2);
    CHECK(strcmp(l.line[1].models, "a.onnx\nb.onnx") == 0);
    CHECK_INT(l.line[2].inferences, 0);
    CHECK(strcmp(l.line[2].models, "") == 0);
    CHECK_INT(list(s, 2).count, 2);
    CHECK_INT(list(s, 0).count, 0);
    store_close(s);
    tree_close(&t);
}

/* It never began. */
static void cancelled(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run r = stored_run(s, 1);

    store_add_process(s, &(struct process){ .id = 1, .pid = 7 });
    store_cancel_run(s);
    check_found(s, r.id, -ENOENT, 0);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM processes"), 0);
    store_close(s);
    tree_close(&t);
}

int main(void)
{
    (void)umask(022);
    missing();
    made();
    strange_files();
    empty();
    read_only("plain");
    read_only("a?b#c%20 d\xc3\xa9");
    finding();
    broken();
    listing();
    cancelled();
    return test_result();
}
