/* sqlite.h -- what the files of the store share.  Not for others. */
#pragma once

#include "base/map.h"
#include "store/crypt/encrypted_vfs.h"
#include "store/store.h"

#include <sqlite3.h>
#include <stdbool.h>

#define STORE_BATCH   4096
#define DESCRIBED_MAX 32
#define KNOWN_TEXTS   256 /* a power of 2 */

/* tokens.token_id of a token that no program told of. */
#define STORE_NO_TOKEN_ID INT64_MIN

struct store {
    sqlite3 *db;
    struct encrypted_vfs *vault; /* what it reads and writes files by */
    char *path;
    int64_t run;
    int failed; /* a negative errno value: nothing more is written */
    struct error why;
    bool in_transaction;
    bool syncing;           /* this transaction goes to the disk */
    uint64_t synced_ns;     /* of mono_ns(): when the last one did */
    uint64_t busy_since_ns; /* others write, and we wait */
    int64_t steps_left;     /* of the statement that is run */
    int64_t file_bytes;     /* its size, not long ago */
    uint64_t statements;    /* that began */

    struct inference *waiting; /* STORE_BATCH, when writing */
    char **errors;             /* their texts, owned */
    int64_t *error_numbers;    /* and the numbers of these in the file */
    size_t waiting_count;
    struct operator_run *operator_runs; /* STORE_BATCH, too */
    size_t operator_run_count;
    struct reading *readings; /* and these */
    size_t reading_count;

    /* So far, in this run. */
    uint64_t last_inference; /* its number */
    uint64_t inferences, failures, operators_ran, sections, tokens, events;
    uint64_t readings_taken, power_samples;

    struct held {    /* read.c: inferences that were read once for several */
        int64_t run; /* 0: none */
        struct inference *items; /* their errors are owned */
        size_t count, cap;
    } held;

    int64_t metrics[METRIC_IDS]; /* their numbers in the file; 0: not known */
    struct map text_uses;        /* of this run: noted already */
    struct known_text {
        char *text;
        int64_t number;
    } known_texts[KNOWN_TEXTS]; /* by hash, of this run: the newest */

    sqlite3_stmt *add_inferences;
    sqlite3_stmt *add_operator_runs;
    sqlite3_stmt *put[DESCRIBED_MAX]; /* by the places in row_types */
    sqlite3_stmt *add_readings;
    sqlite3_stmt *add_rollup;
    sqlite3_stmt *add_power;
    sqlite3_stmt *add_layer;
    sqlite3_stmt *add_component;
    sqlite3_stmt *add_deep_operation;
    sqlite3_stmt *add_section;
    sqlite3_stmt *add_token;
    sqlite3_stmt *add_event;
    sqlite3_stmt *add_text;
    sqlite3_stmt *find_text;
    sqlite3_stmt *use_text;
};

/* The database's own words for what went wrong, as ours. */
int store_failed(struct store *s, const char *doing, struct error *e);

/* Binds a text, or NULL. */
void store_bind_text(sqlite3_stmt *st, int at, const char *text);
/* Binds a number if it is known, else NULL. */
void store_bind_u64(sqlite3_stmt *st, int at, uint64_t value, bool known);

void store_bind_real(sqlite3_stmt *st, int at, double value, bool known);

/* Runs the statement to its end and makes it ready for the next time. */
int store_step(sqlite3_stmt *st);

/* --- statement.c: the first failure is kept ------------------------------- */

void store_keep_failure(struct store *s, const char *doing);

/* A statement that is used once, and ends with store_finish().  NULL: the
 * store has failed. */
sqlite3_stmt *store_once(struct store *s, const char *sql);
void store_finish(struct store *s, sqlite3_stmt *st);

/* A statement that is kept for the next time.  NULL: the store has failed. */
sqlite3_stmt *store_kept(struct store *s, sqlite3_stmt **st, const char *sql);
void store_step_kept(struct store *s, sqlite3_stmt *st);
/* One that needs no values. */
void store_run_kept(struct store *s, sqlite3_stmt **kept, const char *sql);

/* The number of a text, which is kept once; 0: there is none. */
int64_t store_text_number(struct store *s, const char *text);
/* Of another run, or after a failure, numbers are asked for again. */
void store_forget_texts(struct store *s);
/* Binds it, or NULL. */
void store_bind_text_number(struct store *s, sqlite3_stmt *st, int at,
        const char *text);

/* --- batch.c, figures.c --------------------------------------------------- */

/* What waits for store_flush(). */
extern const struct bulk_insert feed_inferences, feed_operator_runs,
        feed_readings;

/* Begins a transaction, which the next store_flush() ends, or store_end(): what
 * was changed in it is kept or, after a failure, as if it had never been. */
void store_begin(struct store *s);
void store_end(struct store *s);

/* Writes the readings that wait, in a transaction that was begun. */
void store_write_readings(struct store *s);

/* --- described.c: tables of the row types ------------------------------- */

/* Makes the tables and columns that came with that version of the schema.  A
 * SQLite code. */
int described_step(sqlite3 *db, size_t version);

/* --- labels.c: in a transaction that was begun, or at once ---------------- */

void store_label(struct store *s, int64_t run, const char *kind,
        struct str name);
/* Tells the run's labels what the run is sorted by, when that has changed. */
void store_label_keys(struct store *s, int64_t run);
/* Each of a list with commas. */
void store_label_tags(struct store *s, int64_t run, const char *tags);
