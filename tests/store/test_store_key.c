/* test_store_key.c -- a database that only its key opens. */
#include "stored.h"

#include "base/compiler.h"
#include "os/secret.h"
#include "store/crypt/page_crypto.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
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
    static uint8_t plain[PAGE_CRYPTO_PAGE], sealed[PAGE_CRYPTO_PAGE],
            again[PAGE_CRYPTO_PAGE];
    const struct page_crypto_place first = { .file = 'd' };
    const struct page_crypto_place later = { .file = 'd',
        .bytes = PAGE_CRYPTO_PAGE };
    struct page_crypto *s = page_crypto_new(&file_key),
                       *other = page_crypto_new(&other_key);
    uint8_t salt[PAGE_CRYPTO_SALT];

    CHECK(!page_crypto_has_salt(s) && page_crypto_make_salt(s) &&
            page_crypto_has_salt(s));
    for (size_t i = 0; i < PAGE_CRYPTO_PAGE - PAGE_CRYPTO_BYTES; i++)
        plain[i] = (uint8_t)(i * 7);
    memcpy(plain, "SQLite format 3", 16);

    CHECK(page_crypto_close(s, later, plain, sealed));
    CHECK(page_crypto_open(s, later, sealed, again));
    CHECK(memcmp(plain, again, PAGE_CRYPTO_PAGE) == 0);
    CHECK(!page_crypto_open(s, first, sealed,
            again)); /* it lies somewhere else */
    CHECK(!page_crypto_open(s,
            (struct page_crypto_place){ .file = 'w',
                    .bytes = PAGE_CRYPTO_PAGE },
            sealed, again));

    /* Any byte that is changed. */
    for (size_t i = 0; i < PAGE_CRYPTO_PAGE - 4; i += 97) {
        sealed[i] ^= 1;
        CHECK(!page_crypto_open(s, later, sealed, again));
        sealed[i] ^= 1;
    }
    CHECK(page_crypto_open(s, later, sealed, sealed)); /* in place */
    CHECK(memcmp(plain, sealed, PAGE_CRYPTO_PAGE) == 0);

    /* The same page is never sealed twice to the same bytes. */
    CHECK(page_crypto_close(s, first, plain, sealed));
    CHECK(page_crypto_close(s, first, plain, again));
    CHECK(memcmp(sealed + 16, again + 16, 64) != 0);

    /* The first page tells the salt, which another seal needs. */
    memcpy(salt, sealed, PAGE_CRYPTO_SALT);
    CHECK(page_crypto_set_salt(other, salt));
    CHECK(!page_crypto_open(other, first, sealed, again));
    page_crypto_free(other);
    other = page_crypto_new(&file_key);
    CHECK(page_crypto_make_salt(other) &&
            !page_crypto_open(other, first, sealed, again));
    CHECK(page_crypto_set_salt(other, salt) &&
            page_crypto_open(other, first, sealed, again));
    CHECK(memcmp(plain, again, PAGE_CRYPTO_PAGE) == 0);
    page_crypto_free(other);
    page_crypto_free(s);
    page_crypto_free(NULL);
}

/* --- files ---------------------------------------------------------------- */

static struct store *open_with(const struct tree *t, enum store_mode mode,
        const struct store_key *key)
{
    struct store *s = NULL;
    struct error e = { 0 };

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
        struct error e = { 0 };

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
    struct error e = { 0 };

    add_run(s, 30000);
    store_close(s);

    FILE *f = fopen(stored_path(&t), "r+b");

    /* Near the end, where inferences are. */
    CHECK(f && fseek(f, -5 * PAGE_CRYPTO_PAGE + 100, SEEK_END) == 0);
    CHECK(f && fputs("changed", f) >= 0 && fclose(f) == 0);
    s = open_with(&t, STORE_READ, &file_key);
    seen = 0;
    CHECK_INT(store_each_inference(s, 1, take, NULL, &e), -EIO);
    CHECK(strstr(e.text, "damaged or was changed"));
    store_close(s);
    tree_close(&t);
}

/* --- what the log says of its pages --------------------------------------- */

#define LOG_HEAD   32
#define FRAME_HEAD 24

static uint32_t big(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

static void put_big(uint8_t *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> (24 - 8 * i));
}

/* Has the last frame be of another page, without the key: how that changes the
 * checksums does not depend on what is in the page. */
static void redirect(uint8_t *frame, uint32_t page)
{
    uint32_t from = big(frame);
    uint32_t a = __builtin_bswap32(page) - __builtin_bswap32(from), b = a;

    for (int i = 0; i < PAGE_CRYPTO_PAGE / 8; i++) {
        a += b;
        b += a;
    }
    put_big(frame, page);
    put_big(frame + 16, big(frame + 16) + a);
    put_big(frame + 20, big(frame + 20) + b);
}

static void redirected(void)
{
    struct tree t = tree_open();
    uint8_t frame[FRAME_HEAD];
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        add_run(open_with(&t, STORE_WRITE, &file_key), 3000);
        (void)kill(getpid(), SIGKILL);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));

    FILE *f = fopen(tree_path(&t, "runs.db-wal"), "r+b");

    CHECK(f && fseek(f, -(FRAME_HEAD + PAGE_CRYPTO_PAGE), SEEK_END) == 0 &&
            fread(frame, 1, FRAME_HEAD, f) == FRAME_HEAD);
    redirect(frame, big(frame) == 2 ? 3 : 2);
    CHECK(f && fseek(f, -(FRAME_HEAD + PAGE_CRYPTO_PAGE), SEEK_END) == 0 &&
            fwrite(frame, 1, FRAME_HEAD, f) == FRAME_HEAD && !fclose(f));

    /* The last commit is as if it had been torn; all before is whole. */
    struct store *s = open_with(&t, STORE_READ, &file_key);
    struct error e = { 0 };

    CHECK_INT(store_check(s, &e), 0);
    if (*e.text)
        (void)fprintf(stderr, "%s\n", e.text);
    store_close(s);
    whole(&t, &file_key, 3000);
    tree_close(&t);
}

/* --- files of the version before ------------------------------------------ */

/* Opens every page of the file one way and closes it the other; how many were
 * of the one. */
static size_t seal_pages(const struct tree *t, bool before, bool change)
{
    uint8_t page[PAGE_CRYPTO_PAGE], plain[PAGE_CRYPTO_PAGE];
    FILE *f = fopen(stored_path(t), "r+b");
    struct page_crypto *s = page_crypto_new(&file_key);
    size_t count = 0;

    CHECK(f && fread(page, 1, PAGE_CRYPTO_SALT, f) == PAGE_CRYPTO_SALT);
    CHECK(page_crypto_set_salt(s, page));
    for (uint64_t at = 0;
            fseek(f, (long)at, SEEK_SET) == 0 &&
            fread(page, 1, PAGE_CRYPTO_PAGE, f) == PAGE_CRYPTO_PAGE;
            at += PAGE_CRYPTO_PAGE) {
        struct page_crypto_place place = { .file = 'd',
            .bytes = at,
            .before = before };

        if (!page_crypto_open(s, place, page, plain))
            continue;
        count++;
        place.before = !before;
        if (change && page_crypto_close(s, place, plain, page))
            CHECK(fseek(f, (long)at, SEEK_SET) == 0 &&
                    fwrite(page, 1, PAGE_CRYPTO_PAGE, f) == PAGE_CRYPTO_PAGE);
    }
    CHECK(f && fclose(f) == 0);
    page_crypto_free(s);
    return count;
}

static void sealed_before(void)
{
    struct tree t = tree_open();
    struct store *s = open_with(&t, STORE_WRITE, &file_key);

    add_run(s, 3000);
    store_close(s);

    size_t pages_then = seal_pages(&t, false, true);

    CHECK(pages_then > 10 && seal_pages(&t, true, false) == pages_then);
    whole(&t, &file_key, 3000); /* reading leaves it as it is */
    CHECK_INT(seal_pages(&t, true, false), pages_then);

    /* While somebody else is at it, it stays so, too. */
    struct store *other = open_with(&t, STORE_READ, &file_key);

    seen = 0;
    CHECK_INT(store_each_inference(other, 1, take, NULL, NULL), 0);
    s = open_with(&t, STORE_WRITE, &file_key);
    add_run(s, 10);
    store_close(s);
    store_close(other);
    CHECK_INT(seal_pages(&t, false, false), 0);
    whole(&t, &file_key, 3000);

    store_close(open_with(&t, STORE_WRITE, &file_key));
    CHECK_INT(seal_pages(&t, true, false), 0);
    CHECK(seal_pages(&t, false, false) > 10);
    whole(&t, &file_key, 3000);

    /* Pages of before are taken no more. */
    uint8_t page[PAGE_CRYPTO_PAGE], plain[PAGE_CRYPTO_PAGE];
    struct page_crypto *old = page_crypto_new(&file_key);
    FILE *f = fopen(stored_path(&t), "r+b");
    struct page_crypto_place second = { .file = 'd',
        .bytes = PAGE_CRYPTO_PAGE };

    CHECK(f && fread(page, 1, PAGE_CRYPTO_SALT, f) == PAGE_CRYPTO_SALT &&
            page_crypto_set_salt(old, page));
    CHECK(fseek(f, PAGE_CRYPTO_PAGE, SEEK_SET) == 0 &&
            fread(page, 1, PAGE_CRYPTO_PAGE, f) == PAGE_CRYPTO_PAGE &&
            page_crypto_open(old, second, page, plain));
    second.before = true;
    CHECK(page_crypto_close(old, second, plain, page) &&
            fseek(f, PAGE_CRYPTO_PAGE, SEEK_SET) == 0 &&
            fwrite(page, 1, PAGE_CRYPTO_PAGE, f) == PAGE_CRYPTO_PAGE &&
            !fclose(f));
    s = open_with(&t, STORE_READ, &file_key);
    CHECK_INT(store_check(s, NULL), -EIO);
    store_close(s);
    page_crypto_free(old);
    tree_close(&t);
}

/* --- the key in memory ---------------------------------------------------- */

/* The flags that the kernel keeps of the memory at an address. */
static void memory_flags(char out[512], const void *p)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[512];
    bool here = false;

    *out = 0;
    while (f && fgets(line, sizeof(line), f)) {
        char *dash = line;
        unsigned long from = strtoul(line, &dash, 16);

        if (dash != line && *dash == '-')
            here = (unsigned long)p >= from &&
                   (unsigned long)p < strtoul(dash + 1, NULL, 16);
        if (here && strncmp(line, "VmFlags:", 8) == 0)
            (void)snprintf(out, 512, "%s", line);
    }
    if (f)
        (void)fclose(f);
}

/* A sanitizer's mlock() locks nothing. */
static bool may_lock(void)
{
    static char page[8192];
    char flags[512];

    if (mlock(page, sizeof(page)))
        return false;
    memory_flags(flags, page);
    (void)munlock(page, sizeof(page));
    return strstr(flags, " lo") != NULL;
}

static void locked_away(void)
{
    char flags[512];
    char *secret = secret_new(32);

    memory_flags(flags, secret);
    CHECK(strstr(flags, " dd")); /* in no dump */
    if (may_lock())              /* as far as we may */
        CHECK(strstr(flags, " lo"));
    CHECK(secret[0] == 0 && secret[31] == 0);
    secret_free(secret, 32);
    secret_free(NULL, 0);
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
    redirected();
    sealed_before();
    locked_away();
    not_sealed();
    return test_result();
}
