/* read.c -- the rows of a run, as they were written. */
#include "store/row.h"
#include "store/row_check.h"

#include "base/alloc.h"

#include <stdlib.h>

#define STREAM "ortmeter_stream" /* what the pointer in take() is */

/* The rows of a statement, as far as they are what may be there; `after`, if
 * any, becomes what stands in the last column. */
static int each_checked(struct store *s, sqlite3_stmt *st,
        struct row_check *check, uint64_t *after,
        void (*row)(sqlite3_stmt *st, void *each), void *each, struct error *e)
{
    int rc;

    while ((rc = sqlite3_step(st)) == SQLITE_ROW && row_check_row(check, st)) {
        if (after)
            *after = row_u64(st, sqlite3_column_count(st) - 1);
        row(st, each);
    }
    if (rc == SQLITE_ROW)
        rc = row_check_end(check, e);
    else
        rc = rc == SQLITE_DONE ? 0 : store_failed(s, "read the runs", e);
    (void)sqlite3_finalize(st);
    return rc;
}

int row_query(struct store *s, const char *sql, int64_t number,
        void (*row)(sqlite3_stmt *st, void *each), void *each, struct error *e)
{
    struct row_check check;
    sqlite3_stmt *st = NULL;

    if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    (void)sqlite3_bind_int64(st, 1, number);
    row_check_begin(&check, s, sql, st, number);
    return each_checked(s, st, &check, NULL, row, each, e);
}

int row_query_since(struct store *s, const char *sql, int64_t run,
        uint64_t *after, uint64_t limit,
        void (*row)(sqlite3_stmt *st, void *each), void *each, struct error *e)
{
    struct row_check check;
    sqlite3_stmt *st = NULL;

    if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    (void)sqlite3_bind_int64(st, 1, run);
    (void)sqlite3_bind_int64(st, 2, (int64_t)*after);
    (void)sqlite3_bind_int64(st, 3, (int64_t)limit);
    row_check_begin(&check, s, sql, st, run);
    return each_checked(s, st, &check, after, row, each, e);
}

struct stream {
    void (*row)(const struct row_values *v, void *each);
    void *each;
    struct row_check check;
    struct row_values values;
};

static void take(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct stream *to = sqlite3_value_pointer(values[0], STREAM);

    (void)count;
    if (!to)
        return;
    to->values.value = values + 1;
    if (row_check_values(&to->check, &to->values))
        to->row(&to->values, to->each);
    else
        sqlite3_result_error_code(context, SQLITE_ABORT);
}

int row_streams_open(struct store *s)
{
    return sqlite3_create_function_v2(s->db, "take", -1,
            SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, take, NULL, NULL, NULL);
}

int row_stream(struct store *s, const char *sql, int64_t number,
        void (*row)(const struct row_values *v, void *each), void *each,
        struct error *e)
{
    struct stream to = { .row = row, .each = each };
    sqlite3_stmt *st = NULL;
    int rc;

    if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    row_check_begin(&to.check, s, sql, st, number);
    (void)sqlite3_bind_int64(st, 1, number);
    (void)sqlite3_bind_pointer(st, 2, &to, STREAM, NULL);
    while ((rc = sqlite3_step(st)) == SQLITE_ROW)
        ;
    if (to.check.broken)
        rc = row_check_end(&to.check, e);
    else
        rc = rc == SQLITE_DONE ? 0 : store_failed(s, "read the runs", e);
    (void)sqlite3_finalize(st);
    return rc;
}

/* --- one function a table: what its rows are ------------------------------ */

ROW_EACH(process);
ROW_EACH(library);
ROW_EACH(session);
ROW_EACH(inference);
ROW_EACH(operator_run);
ROW_EACH(section);
ROW_EACH(token);
ROW_EACH(note);

static void process_row(sqlite3_stmt *st, void *to)
{
    struct each_process *each = to;

    each->call(each->context, &(struct process){
                                      .id = row_u32(st, 0),
                                      .pid = row_u32(st, 1),
                                      .parent = row_u32(st, 2),
                                      .start_ns = row_u64(st, 3),
                                      .program = row_text(st, 4),
                                      .hook_ns = row_u32(st, 5),
                                      .lost = row_u64(st, 6),
                                      .untimed = row_u64(st, 7),
                                      .torn = row_u64(st, 8),
                              });
}

static void library_row(sqlite3_stmt *st, void *to)
{
    struct each_library *each = to;

    each->call(each->context, &(struct library){
                                      .id = row_u32(st, 0),
                                      .process = row_u32(st, 1),
                                      .path = row_text(st, 2),
                                      .version = row_text(st, 3),
                                      .slots = row_u32(st, 4),
                                      .language = row_text(st, 5),
                                      .untraced = row_text(st, 6),
                              });
}

static void session_row(sqlite3_stmt *st, void *to)
{
    struct each_session *each = to;

    each->call(each->context, &(struct session){
                                      .id = row_u32(st, 0),
                                      .process = row_u32(st, 1),
                                      .library = row_u32(st, 2),
                                      .thread = row_u32(st, 3),
                                      .model = row_text(st, 4),
                                      .model_bytes = row_u64(st, 5),
                                      .providers = row_text(st, 6),
                                      .options = row_text(st, 7),
                                      .start_ns = row_u64(st, 8),
                                      .duration_ns = row_u64(st, 9),
                                      .seen_late = !row_has(st, 9),
                                      .error = row_text(st, 10),
                                      .read_ns = row_u64(st, 11),
                                      .initialise_ns = row_u64(st, 12),
                                      .end_ns = row_u64(st, 13),
                                      .operators_of = row_u32(st, 14),
                              });
}

static void inference_row(const struct row_values *v, void *to)
{
    struct each_inference *each = to;

    each->call(each->context,
            &(struct inference){
                    .number = value_u64(v, 0),
                    .session = value_u32(v, 1),
                    .process = value_u32(v, 2),
                    .thread = value_u32(v, 3),
                    .start_ns = value_u64(v, 4),
                    .duration_ns = value_u64(v, 5),
                    .phase = (uint8_t)value_u32(v, 6),
                    .flags = (uint16_t)value_u32(v, 7),
                    .batch = value_u32(v, 8),
                    .sequence = value_u32(v, 9),
                    .past = value_u32(v, 10),
                    .in_bytes = value_u64(v, 11),
                    .out_bytes = value_u64(v, 12),
                    .has_context = value_has(v, 13),
                    .batch_size = value_u32(v, 13),
                    .padding = value_u32(v, 14),
                    .queue_depth = value_u32(v, 15),
                    .error = (const char *)sqlite3_value_text(v->value[16]),
                    .generation = value_u32(v, 17),
                    .lead_ns = value_u64(v, 18),
                    .has_parts = value_has(v, 19),
                    .runtime_ns = value_u64(v, 19),
                    .gil_ns = value_u64(v, 20),
            });
}

static void operator_run_row(const struct row_values *v, void *to)
{
    struct each_operator_run *each = to;

    each->call(each->context, &(struct operator_run){
                                      .inference = value_u64(v, 0),
                                      .operator_id = value_u32(v, 1),
                                      .thread = value_u32(v, 2),
                                      .depth = value_u32(v, 3),
                                      .start_ns = value_u64(v, 4),
                                      .raw_ns = value_u64(v, 5),
                                      .raw_unknown = !value_has(v, 5),
                                      .kernel_ns = value_u64(v, 6),
                                      .kernel_known = value_has(v, 6),
                                      .in_cycles = value_has(v, 7),
                                      .cycles = value_u64(v, 7),
                              });
}

static void section_row(sqlite3_stmt *st, void *to)
{
    struct each_section *each = to;

    each->call(each->context,
            &(struct section){
                    .process = row_u32(st, 0),
                    .thread = row_u32(st, 1),
                    .phase = (uint8_t)sqlite3_column_int(st, 2),
                    .name = row_text(st, 3),
                    .start_ns = row_u64(st, 4),
                    .duration_ns = row_u64(st, 5),
                    .has_energy = row_has(st, 6),
                    .energy_mj = sqlite3_column_double(st, 6),
                    .parent = row_u64(st, 7),
                    .derived = row_has(st, 8),
            });
}

static void token_row(sqlite3_stmt *st, void *to)
{
    struct each_token *each = to;

    each->call(each->context,
            &(struct token){
                    .process = row_u32(st, 0),
                    .thread = row_u32(st, 1),
                    .index = row_u32(st, 2),
                    .id = sqlite3_column_int64(st, 3),
                    .seen = sqlite3_column_int64(st, 3) == STORE_NO_TOKEN_ID,
                    .text = row_text(st, 4),
                    .time_ns = row_u64(st, 5),
                    .duration_ns = row_u64(st, 6),
                    .has_energy = row_has(st, 7),
                    .energy_mj = sqlite3_column_double(st, 7),
                    .probability = sqlite3_column_double(st, 8),
                    .layers_ns = row_u64(st, 9),
                    .between_ns = row_u64(st, 10),
                    .outside_ns = row_u64(st, 11),
            });
}

static void note_row(sqlite3_stmt *st, void *to)
{
    struct each_note *each = to;

    each->call(each->context, &(struct note){
                                      .process = row_u32(st, 0),
                                      .thread = row_u32(st, 1),
                                      .text = row_text(st, 2),
                                      .time_ns = row_u64(st, 3),
                              });
}

/* --- and the queries behind them ------------------------------------------ */

ROW_READ(process, process, process_row,
        "SELECT id, pid, parent, start_ns, program, hook_ns, lost, untimed,"
        " torn FROM processes WHERE run = ?1 ORDER BY id")
ROW_READ(library, library, library_row,
        "SELECT id, process, path, version, slots, language,"
        " untraced FROM libraries"
        " WHERE run = ?1 ORDER BY id")
ROW_READ(session, session, session_row,
        "SELECT id, process, library, thread, model, model_bytes, providers,"
        " options, start_ns, duration_ns, error, read_ns, initialise_ns,"
        " end_ns, operators_of FROM sessions WHERE run = ?1 ORDER BY id")
ROW_STREAM(operator_run, operator_run, operator_run_row,
        "SELECT take(?2, inference, operator, thread, depth, start_ns, raw_ns,"
        " kernel_ns, cycles) FROM operator_runs WHERE run = ?1 ORDER BY number")
ROW_READ(section, section, section_row,
        "SELECT process, thread, phase, n.text, start_ns, duration_ns,"
        " energy_mj, parent_id, derived FROM pipeline_sections LEFT JOIN texts "
        "n"
        " ON n.id = section_name WHERE run = ?1 ORDER BY number")
ROW_READ(token, token, token_row,
        "SELECT process, thread, token_index, token_id, n.text, time_ns,"
        " duration_ns, energy_mj, probability, layers_ns, between_ns,"
        " outside_ns FROM tokens LEFT JOIN texts n"
        " ON n.id = token_text WHERE run = ?1 ORDER BY number")

#define NOTES(kind)                                                         \
    "SELECT process, thread, n.text, time_ns FROM events LEFT JOIN texts n" \
    " ON n.id = events.text WHERE run = ?1 AND kind = " kind                \
    " ORDER BY number"
ROW_READ(mark, note, note_row, NOTES("0"))
ROW_READ(thread, note, note_row, NOTES("1"))

/* --- inferences ----------------------------------------------------------- */

static int read_inferences(struct store *s, int64_t run,
        const struct each_inference *each, struct error *e)
{
    struct each_inference to = *each;

    return row_stream(s,
            "SELECT take(?2, number, session, process, thread, start_ns,"
            " duration_ns, phase, flags,"
            " batch, sequence, past, in_bytes, out_bytes, batch_size, padding,"
            " queue_depth, n.text, generation, lead_ns, runtime_ns, gil_ns)"
            " FROM inferences LEFT JOIN texts n"
            " ON n.id = error WHERE run = ?1 ORDER BY number",
            run, inference_row, &to, e);
}

STORE_EACH(inference, inference)
{
    if (!s->held.run || s->held.run != run)
        return read_inferences(s, run,
                &(struct each_inference){ each, context }, e);
    for (size_t i = 0; i < s->held.count; i++)
        each(context, &s->held.items[i]);
    return 0;
}

static void hold_inference(void *to, const struct inference *i)
{
    struct held *h = to;

    if (h->count == h->cap) {
        h->cap = h->cap ? 2 * h->cap : 1024;
        h->items = alloc_resize(h->items, h->cap * sizeof(*h->items));
    }
    h->items[h->count] = *i;
    h->items[h->count++].error = i->error ? alloc_text(i->error) : NULL;
}

static void last_row(sqlite3_stmt *st, void *last)
{
    *(uint64_t *)last = row_u64(st, 0);
}

int store_hold_inferences(struct store *s, int64_t run, struct error *e)
{
    uint64_t last = 0;
    int rc = row_query(s, "SELECT max(number) FROM inferences WHERE run = ?1",
            run, last_row, &last, e);

    store_drop_inferences(s);
    if (rc || last > STORE_HELD_MAX)
        return rc;
    s->held.cap = (size_t)last;
    s->held.items =
            alloc_resize(NULL, (size_t)(last + 1) * sizeof(*s->held.items));
    rc = read_inferences(s, run,
            &(struct each_inference){ hold_inference, &s->held }, e);
    s->held.run = run;
    if (rc)
        store_drop_inferences(s);
    return rc;
}

void store_drop_inferences(struct store *s)
{
    for (size_t i = 0; i < s->held.count; i++)
        free((char *)s->held.items[i].error);
    free(s->held.items);
    s->held = (struct held){ 0 };
}

/* --- what is new ---------------------------------------------------------- */

/* As the rows of a stream come. */
#define SINCE_ROW(name, columns)                             \
    static void name##_since_row(sqlite3_stmt *st, void *to) \
    {                                                        \
        sqlite3_value *values[columns];                      \
        struct row_values v = { .value = values };           \
                                                             \
        row_values_read(&v, st, columns);                    \
        name##_row(&v, to);                                  \
    }
SINCE_ROW(inference, 21)
SINCE_ROW(operator_run, 8)

#define SINCE " AND number > ?2 ORDER BY number LIMIT ?3"

#define ROW_SINCE(name, type, row, sql)                              \
    STORE_EACH_SINCE(name, type)                                     \
    {                                                                \
        return row_query_since(s, sql SINCE, run, after, limit, row, \
                &(struct each_##type){ each, context }, e);          \
    }
ROW_SINCE(inference, inference, inference_since_row,
        "SELECT number, session, process, thread, start_ns, duration_ns,"
        " phase, flags, batch, sequence, past, in_bytes, out_bytes,"
        " batch_size, padding, queue_depth,"
        " (SELECT text FROM texts WHERE id = error), generation, lead_ns,"
        " runtime_ns, gil_ns, number FROM inferences WHERE run = ?1")
ROW_SINCE(operator_run, operator_run, operator_run_since_row,
        "SELECT inference, operator, thread, depth, start_ns, raw_ns,"
        " kernel_ns, cycles, number FROM operator_runs WHERE run = ?1")
ROW_SINCE(section, section, section_row,
        "SELECT process, thread, phase,"
        " (SELECT text FROM texts WHERE id = section_name), start_ns,"
        " duration_ns, energy_mj, parent_id, derived, number"
        " FROM pipeline_sections WHERE run = ?1")
ROW_SINCE(token, token, token_row,
        "SELECT process, thread, token_index, token_id,"
        " (SELECT text FROM texts WHERE id = token_text), time_ns,"
        " duration_ns, energy_mj, probability, layers_ns, between_ns,"
        " outside_ns, number FROM tokens WHERE run = ?1")
ROW_SINCE(mark, note, note_row,
        "SELECT process, thread, (SELECT n.text FROM texts n"
        " WHERE n.id = events.text), time_ns, number FROM events"
        " WHERE run = ?1 AND kind = 0")

int store_last_operator_run(struct store *s, int64_t run, uint64_t inference,
        uint64_t *number, struct error *e)
{
    *number = 0;
    if (inference > INT64_MAX) /* of SQLite's numbers the largest */
        inference = INT64_MAX;
    return row_query_since(s,
            "SELECT number FROM operator_runs WHERE run = ?1"
            " AND inference <= ?2 ORDER BY number DESC LIMIT ?3",
            run, &inference, 1, last_row, number, e);
}
