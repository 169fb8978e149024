/* test_store_key.c -- a database that only its key opens. */
#include "stored.h"

#include "base/compiler.h"
#include "store/seal.h"

#include <errno.h>
#include <sys/wait.h>

#define MARK "PLAIN-TEXT-OF-A-PROMPT"

static const struct store_key file_key = { STORE_KEY_FILE,
    "0123456789abcdef0123456789abcdef", 32 };
static const struct store_key other_key = { STORE_KEY_FILE,
    "0123456789abcdef0123456789abcdeX", 32 };
static const struct store_key phrase = { STORE_KEY_PASSPHRASE, "open sesame",
    11 };
static const struct store_key other_phrase = { STORE_KEY_PASSPHRASE,
    "open sesamE", 11 };

/* --- pages ---------------------------------------------------------------- */

static void pages(void)
{
    static uint8_t plain[SEAL_PAGE], sealed[SEAL_PAGE], again[SEAL_PAGE];
    const struct seal_place first = { 'd', 0 }, later = { 'd', SEAL_PAGE };
    struct seal *s = seal_new(&file_key), *other = seal_new(&other_key);
    uint8_t salt[SEAL_SALT];

    CHECK(!seal_has_salt(s) && seal_make_salt(s) && seal_has_salt(s));
    for (size_t i = 0; i < SEAL_PAGE - SEAL_BYTES; i++)
        plain[i] = (uint8_t)(i * 7);
    memcpy(plain, "SQLite format 3", 16);

    CHECK(seal_close(s, later, plain, sealed));
    CHECK(seal_open(s, later, sealed, again));
    CHECK(memcmp(plain, again, SEAL_PAGE) == 0);
    CHECK(!seal_open(s, first, sealed, again)); /* it lies somewhere else */
    CHECK(!seal_open(s, (struct seal_place){ 'w', SEAL_PAGE }, sealed, again));

    /* Any byte that is changed. */
    for (size_t i = 0; i < SEAL_PAGE - 4; i += 97) {
        sealed[i] ^= 1;
        CHECK(!seal_open(s, later, sealed, again));
        sealed[i] ^= 1;
    }
    CHECK(seal_open(s, later, sealed, sealed)); /* in place */
    CHECK(memcmp(plain, sealed, SEAL_PAGE) == 0);

    /* The same page is never sealed twice to the same bytes. */
    CHECK(seal_close(s, first, plain, sealed));
    CHECK(seal_close(s, first, plain, again));
    CHECK(memcmp(sealed + 16, again + 16, 64) != 0);

    /* The first page tells the salt, which another seal needs. */
    memcpy(salt, sealed, SEAL_SALT);
    CHECK(seal_set_salt(other, salt));
    CHECK(!seal_open(other, first, sealed, again));
    seal_free(other);
    other = seal_new(&file_key);
    CHECK(seal_make_salt(other) && !seal_open(other, first, sealed, again));
    CHECK(seal_set_salt(other, salt) && seal_open(other, first, sealed, again));
    CHECK(memcmp(plain, again, SEAL_PAGE) == 0);
    seal_free(other);
    seal_free(s);
    seal_free(NULL);
}

/* --- files ---------------------------------------------------------------- */

static struct store *open_with(const struct tree *t, enum store_mode mode,
        const struct store_key *key)
{
    struct store *s = NULL;
    struct error e = { "" };

    CHECK_INT(store_open_locked(&s, stored_path(t), mode, key, &e), 0);
    if (!s) {
        (void)fprintf(stderr, "%s\n", e.text);
        abort();
    }
    return s;
}

static void refused(const struct tree *t, const struct store_key *key, int rc,
        const char *because)
{
    static const enum store_mode modes[] = { STORE_READ, STORE_CHANGE,
        STORE_WRITE };

    for (size_t i = 0; i < LEN(modes); i++) {
        struct store *s = NULL;
        struct error e = { "" };

        CHECK_INT(store_open_locked(&s, stored_path(t), modes[i], key, &e), rc);
        CHECK(s == NULL && strstr(e.text, because));
        if (!strstr(e.text, because))
            (void)fprintf(stderr, "%s\n", e.text);
    }
}

static bool is_in(const struct tree *t, const char *name, const char *bytes)
{
    static char all[1 << 22];
    FILE *f = fopen(tree_path(t, name), "rb");
    size_t len = f ? fread(all, 1, sizeof(all), f) : 0;

    if (f)
        (void)fclose(f);
    return memmem(all, len, bytes, strlen(bytes)) != NULL;
}

static void add_run(struct store *s, size_t inferences)
{
    struct run r = {
        .command = MARK,
        .version = "1",
        .meter_pid = own_pid(),
        .prompt = MARK,
    };

    CHECK_INT(store_begin_run(s, &r, NULL), 0);
    store_add_session(s, &(struct session){ .id = 1, .model = MARK });
    for (size_t i = 0; i < inferences; i++)
        (void)store_add_inference(s, &(struct inference){ .start_ns = i });
    stored_flush(s);
    r.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
}

static size_t seen;

static void take(void *context, const struct inference *i)
{
    (void)context;
    CHECK_INT(i->start_ns, seen);
    seen++;
}

static void whole(const struct tree *t, const struct store_key *key,
        size_t inferences)
{
    struct store *s = open_with(t, STORE_READ, key);

    seen = 0;
    CHECK_INT(store_each_inference(s, 1, take, NULL, NULL), 0);
    CHECK_INT(seen, inferences);
    store_close(s);
}

static void used_with(const struct store_key *key,
        const struct store_key *wrong)
{
    struct tree t = tree_open();
    struct store *s = open_with(&t, STORE_WRITE, key);
    struct stat st;

    add_run(s, 30000); /* more than the log holds before it is emptied */
    CHECK(!is_in(&t, "runs.db", MARK) && !is_in(&t, "runs.db-wal", MARK));
    CHECK(!is_in(&t, "runs.db", "profiling_runs"));
    whole(&t, key, 30000); /* by another, meanwhile */
    refused(&t, wrong, -EACCES, "the key does not open");
    store_close(s);
    CHECK(!is_in(&t, "runs.db", MARK) && !is_in(&t, "runs.db", "SQLite"));
    CHECK(stat(stored_path(&t), &st) == 0 && (st.st_mode & 0777) == 0600);
    whole(&t, key, 30000);
    refused(&t, wrong, -EACCES, "the key does not open");
    refused(&t, NULL, -EIO, "or it is encrypted");

    s = open_with(&t, STORE_CHANGE, key);
    add_run(s, 10);
    CHECK_INT(store_delete_run(s, 2, NULL), 0);
    CHECK_INT(store_vacuum(s, NULL), 0);
    store_close(s);
    whole(&t, key, 30000);
    CHECK(!is_in(&t, "runs.db", MARK));
    tree_close(&t);
}

/* Killed while it writes: the log that it leaves is sealed, and opens. */
static void killed(void)
{
    struct tree t = tree_open();
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        add_run(open_with(&t, STORE_WRITE, &file_key), 3000);
        (void)kill(getpid(), SIGKILL);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
    CHECK(!is_in(&t, "runs.db-wal", MARK));

    /* What a write that was cut short leaves at its end. */
    FILE *f = fopen(tree_path(&t, "runs.db-wal"), "ab");

    CHECK(f && fwrite("torn", 1, 4, f) == 4);
    for (int i = 0; f && i < 5000; i++)
        CHECK(fputc(i, f) != EOF);
    CHECK(f && fclose(f) == 0);
    whole(&t, &file_key, 3000);
    tree_close(&t);
}

static void changed_by_others(void)
{
    struct tree t = tree_open();
    struct store *s = open_with(&t, STORE_WRITE, &file_key);
    struct error e = { "" };

    add_run(s, 30000);
    store_close(s);

    FILE *f = fopen(stored_path(&t), "r+b");

    /* Near the end, where inferences are. */
    CHECK(f && fseek(f, -5 * SEAL_PAGE + 100, SEEK_END) == 0);
    CHECK(f && fputs("changed", f) >= 0 && fclose(f) == 0);
    s = open_with(&t, STORE_READ, &file_key);
    seen = 0;
    CHECK_INT(store_each_inference(s, 1, take, NULL, &e), -EIO);
    CHECK(strstr(e.text, "damaged or was changed"));
    store_close(s);
    tree_close(&t);
}

static void not_sealed(void)
{
    struct tree t = tree_open();

    store_close(stored_open(&t, STORE_WRITE));
    refused(&t, &file_key, -EINVAL, "is not encrypted: leave the key out");
    store_close(stored_open(&t, STORE_READ)); /* as it was */

    struct tree short_one = tree_open();

    tree_put(&short_one, "runs.db", "not even a page");
    refused(&short_one, NULL, -EIO, "not a database");
    tree_close(&short_one);
    tree_close(&t);
}

int main(void)
{
    pages();
    used_with(&file_key, &other_key);
    used_with(&phrase, &other_phrase);
    killed();
    changed_by_others();
    not_sealed();
    return test_result();
}
