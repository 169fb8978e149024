/* statement.c -- statements of a store that fails once, and then no more. */
#include "base/alloc.h"
#include "store/sqlite.h"

#include <stdlib.h>
#include <string.h>

void store_keep_failure(struct store *s, const char *doing)
{
    if (!s->failed)
        s->failed = store_failed(s, doing, &s->why);
}

sqlite3_stmt *store_once(struct store *s, const char *sql)
{
    sqlite3_stmt *st = NULL;

    if (!s->failed &&
            sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
        store_keep_failure(s, "store the run");
    return st;
}

void store_finish(struct store *s, sqlite3_stmt *st)
{
    if (store_step(st) != SQLITE_OK)
        store_keep_failure(s, "store the run");
    (void)sqlite3_finalize(st);
}

sqlite3_stmt *store_kept(struct store *s, sqlite3_stmt **st, const char *sql)
{
    if (s->failed)
        return NULL;
    if (!*st && sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                        st, NULL) != SQLITE_OK) {
        store_keep_failure(s, "store the run");
        return NULL;
    }
    return *st;
}

void store_step_kept(struct store *s, sqlite3_stmt *st)
{
    /* A text of it may have failed just now: then it is not written. */
    if (!s->failed && store_step(st) != SQLITE_OK)
        store_keep_failure(s, "store the run");
}

void store_run_kept(struct store *s, sqlite3_stmt **kept, const char *sql)
{
    sqlite3_stmt *st = store_kept(s, kept, sql);

    if (st)
        store_step_kept(s, st);
}

static int64_t find_text(sqlite3_stmt *find, const char *text)
{
    int64_t number = 0;

    (void)sqlite3_bind_text(find, 1, text, -1, SQLITE_STATIC);
    if (sqlite3_step(find) == SQLITE_ROW)
        number = sqlite3_column_int64(find, 0);
    (void)sqlite3_reset(find);
    return number;
}

static int64_t number_of_text(struct store *s, const char *text)
{
    sqlite3_stmt *add = store_kept(s, &s->add_text,
            "INSERT INTO texts (text) VALUES (?1) ON CONFLICT DO NOTHING");
    sqlite3_stmt *find = store_kept(s, &s->find_text,
            "SELECT id FROM texts WHERE text = ?1");

    if (!add || !find)
        return 0;

    int64_t number = find_text(find, text);

    if (number)
        return number;
    (void)sqlite3_bind_text(add, 1, text, -1, SQLITE_STATIC);
    store_step_kept(s, add);
    /* Another process may have added it in between: then we did not. */
    return s->failed ? 0 : find_text(find, text);
}

/* Notes that the run has the text: it goes with the last of its users. */
static void use_text(struct store *s, int64_t number)
{
    if (map_find(&s->text_uses, (uint64_t)number))
        return;

    sqlite3_stmt *st = store_kept(s, &s->use_text,
            "INSERT INTO text_uses (run, text) VALUES (?1,?2)"
            " ON CONFLICT DO NOTHING");

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, s->run);
    (void)sqlite3_bind_int64(st, 2, number);
    store_step_kept(s, st);
    map_put(&s->text_uses, (uint64_t)number, 1);
}

static struct known_text *known_text(struct store *s, const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return &s->known_texts[(hash ^ hash >> 32) & (KNOWN_TEXTS - 1)];
}

void store_forget_texts(struct store *s)
{
    for (size_t i = 0; i < KNOWN_TEXTS; i++) {
        free(s->known_texts[i].text);
        s->known_texts[i] = (struct known_text){ 0 };
    }
}

/* Operators by the thousand have the same types and shapes. */
int64_t store_text_number(struct store *s, const char *text)
{
    struct known_text *known = text ? known_text(s, text) : NULL;

    if (!known)
        return 0;
    if (known->text && strcmp(known->text, text) == 0)
        return known->number;

    int64_t number = number_of_text(s, text);

    if (!number)
        return 0;
    use_text(s, number);
    free(known->text);
    *known = (struct known_text){ alloc_text(text), number };
    return number;
}

void store_bind_text_number(struct store *s, sqlite3_stmt *st, int at,
        const char *text)
{
    int64_t number = store_text_number(s, text);

    store_bind_u64(st, at, (uint64_t)number, number != 0);
}
