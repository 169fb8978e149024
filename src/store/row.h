/* row.h -- reading rows.  Not for others than the store. */
#pragma once

#include "store/row_check.h"

static inline uint64_t row_u64(sqlite3_stmt *st, int at)
{
    return (uint64_t)sqlite3_column_int64(st, at);
}

static inline uint32_t row_u32(sqlite3_stmt *st, int at)
{
    return (uint32_t)sqlite3_column_int64(st, at);
}

static inline const char *row_text(sqlite3_stmt *st, int at)
{
    return (const char *)sqlite3_column_text(st, at);
}

static inline bool row_has(sqlite3_stmt *st, int at)
{
    return sqlite3_column_type(st, at) != SQLITE_NULL;
}

/* Runs a query whose ?1 is a number, mostly a run's; `row` is called for each
 * row. */
int row_query(struct store *s, const char *sql, int64_t number,
        void (*row)(sqlite3_stmt *st, void *each), void *each, struct error *e);

/* The same for what has numbers within the run: ?2 is the number after which,
 * ?3 how many at most, and the last column is the number, which `after`
 * becomes. */
int row_query_since(struct store *s, const char *sql, int64_t run,
        uint64_t *after, uint64_t limit,
        void (*row)(sqlite3_stmt *st, void *each), void *each, struct error *e);

/* --- what comes by the million -------------------------------------------- */

/* Makes take() known to SQL. */
int row_streams_open(struct store *s);

/* The same for a query of the form "SELECT take(?2, a, b, ...) FROM ...", in
 * the order of the table: `row` is called with the values of a, b, ...  Asking
 * for a value is then a third of the price of asking for a column. */
int row_stream(struct store *s, const char *sql, int64_t number,
        void (*row)(const struct row_values *v, void *each), void *each,
        struct error *e);

/* The first `count` columns of a row, unchecked; v->value has room for them. */
static inline void row_values_read(struct row_values *v, sqlite3_stmt *st,
        int count)
{
    for (int i = 0; i < count; i++) {
        v->value[i] = sqlite3_column_value(st, i);
        v->number[i] = sqlite3_column_int64(st, i);
        v->has[i] = row_has(st, i);
    }
}

static inline uint64_t value_u64(const struct row_values *v, int at)
{
    return (uint64_t)v->number[at];
}

static inline uint32_t value_u32(const struct row_values *v, int at)
{
    return (uint32_t)v->number[at];
}

static inline bool value_has(const struct row_values *v, int at)
{
    return v->has[at];
}

/* --- a run ---------------------------------------------------------------- */

/* From ROW_RUN_COLUMNS of "profiling_runs r". */
#define ROW_RUN_COLUMNS                                                  \
    "r.id, run_id, status, r.timestamp, start_mono_ns, r.duration_ns,"   \
    " meter_pid, command, directory, tags,"                              \
    " (SELECT info FROM hosts WHERE hosts.id = host_id), version, note," \
    " exit_code, signal, peak_rss_bytes, user_cpu_ns, system_cpu_ns,"    \
    " meter_cpu_ns, meter_rss_bytes, experiment_name, prompt, response," \
    " profiling_depth, input_tokens, output_tokens, r.total_energy_mj,"  \
    " energy_method"
#define ROW_RUN_COUNT 28
struct run row_run(sqlite3_stmt *st);

/* --- one function a table ------------------------------------------------- */

/* Whom to call, with what. */
#define ROW_EACH(type)                             \
    struct each_##type {                           \
        void (*call)(void *, const struct type *); \
        void *context;                             \
    }

/* Defines store_each_NAME() by its query. */
#define ROW_READ(name, type, row, sql)                      \
    STORE_EACH(name, type)                                  \
    {                                                       \
        return row_query(s, sql, run, row,                  \
                &(struct each_##type){ each, context }, e); \
    }

/* The same with row_stream(). */
#define ROW_STREAM(name, type, row, sql)                    \
    STORE_EACH(name, type)                                  \
    {                                                       \
        return row_stream(s, sql, run, row,                 \
                &(struct each_##type){ each, context }, e); \
    }
