/* read.c -- the rows of a run, as they were written. */
#include "store/row.h"

#define STREAM "ortmeter_stream" /* what the pointer in take() is */

static int run_query(struct store *s, sqlite3_stmt *st,
        void (*row)(sqlite3_stmt *st, void *each), void *each, struct error *e)
{
    int rc;

    while ((rc = sqlite3_step(st)) == SQLITE_ROW)
        if (row)
            row(st, each);
    return rc == SQLITE_DONE ? 0 : store_failed(s, "read the runs", e);
}

int row_query(struct store *s, const char *sql, int64_t number,
        void (*row)(sqlite3_stmt *st, void *each), void *each, struct error *e)
{
    sqlite3_stmt *st = NULL;

    if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    (void)sqlite3_bind_int64(st, 1, number);

    int rc = run_query(s, st, row, each, e);

    (void)sqlite3_finalize(st);
    return rc;
}

struct stream {
    void (*row)(sqlite3_value **values, void *each);
    void *each;
};

static void take(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct stream *to = sqlite3_value_pointer(values[0], STREAM);

    (void)context;
    (void)count;
    if (to)
        to->row(values + 1, to->each);
}

int row_streams_open(struct store *s)
{
    return sqlite3_create_function_v2(s->db, "take", -1,
            SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, take, NULL, NULL, NULL);
}

int row_stream(struct store *s, const char *sql, int64_t number,
        void (*row)(sqlite3_value **values, void *each), void *each,
        struct error *e)
{
    struct stream to = { row, each };
    sqlite3_stmt *st = NULL;

    if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    (void)sqlite3_bind_int64(st, 1, number);
    (void)sqlite3_bind_pointer(st, 2, &to, STREAM, NULL);

    int rc = run_query(s, st, NULL, NULL, e);

    (void)sqlite3_finalize(st);
    return rc;
}

/* --- one function a table: what its rows are ------------------------------ */

ROW_EACH(process);
ROW_EACH(library);
ROW_EACH(session);
ROW_EACH(inference);
ROW_EACH(operator);
ROW_EACH(operator_run);
ROW_EACH(operator_edge);
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
                              });
}

static void inference_row(sqlite3_value **v, void *to)
{
    struct each_inference *each = to;

    each->call(each->context,
            &(struct inference){
                    .session = value_u32(v, 0),
                    .process = value_u32(v, 1),
                    .thread = value_u32(v, 2),
                    .start_ns = value_u64(v, 3),
                    .duration_ns = value_u64(v, 4),
                    .phase = (uint8_t)value_u32(v, 5),
                    .flags = (uint16_t)value_u32(v, 6),
                    .batch = value_u32(v, 7),
                    .sequence = value_u32(v, 8),
                    .past = value_u32(v, 9),
                    .in_bytes = value_u64(v, 10),
                    .out_bytes = value_u64(v, 11),
                    .has_context = value_has(v, 12),
                    .batch_size = value_u32(v, 12),
                    .padding = value_u32(v, 13),
                    .queue_depth = value_u32(v, 14),
                    .error = (const char *)sqlite3_value_text(v[15]),
            });
}

static void operator_row(sqlite3_stmt *st, void *to)
{
    struct each_operator *each = to;

    each->call(each->context,
            &(struct operator){
                    .id = row_u32(st, 0),
                    .session = row_u32(st, 1),
                    .name = row_text(st, 2),
                    .op_type = row_text(st, 3),
                    .provider = row_text(st, 4),
                    .inputs = row_text(st, 5),
                    .outputs = row_text(st, 6),
                    .node_index = row_has(st, 7) ? row_u32(st, 7) : UINT32_MAX,
                    .sizes_known = row_has(st, 8),
                    .activation_bytes = row_u64(st, 8),
                    .parameter_bytes = row_u64(st, 9),
                    .output_bytes = row_u64(st, 10),
            });
}

static void operator_run_row(sqlite3_value **v, void *to)
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
                                      .bracketed = value_has(v, 6),
                                      .in_cycles = value_has(v, 7),
                                      .cycles = value_u64(v, 7),
                              });
}

static void operator_edge_row(sqlite3_stmt *st, void *to)
{
    struct each_operator_edge *each = to;

    each->call(each->context, &(struct operator_edge){ .from = row_u32(st, 0),
                                      .to = row_u32(st, 1) });
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
            });
}

static void token_row(sqlite3_stmt *st, void *to)
{
    struct each_token *each = to;

    each->call(each->context, &(struct token){
                                      .process = row_u32(st, 0),
                                      .thread = row_u32(st, 1),
                                      .index = row_u32(st, 2),
                                      .id = sqlite3_column_int64(st, 3),
                                      .text = row_text(st, 4),
                                      .time_ns = row_u64(st, 5),
                                      .duration_ns = row_u64(st, 6),
                                      .has_energy = row_has(st, 7),
                                      .energy_mj = sqlite3_column_double(st, 7),
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
        "SELECT id, process, path, version, slots, language FROM libraries"
        " WHERE run = ?1 ORDER BY id")
ROW_READ(session, session, session_row,
        "SELECT id, process, library, thread, model, model_bytes, providers,"
        " options, start_ns, duration_ns, error, read_ns, initialise_ns,"
        " end_ns FROM sessions WHERE run = ?1 ORDER BY id")
ROW_STREAM(inference, inference, inference_row,
        "SELECT take(?2, session, process, thread, start_ns, duration_ns, "
        "phase, flags,"
        " batch, sequence, past, in_bytes, out_bytes, batch_size, padding,"
        " queue_depth, n.text) FROM inferences LEFT JOIN texts n"
        " ON n.id = error WHERE run = ?1 ORDER BY number")
ROW_READ(operator, operator, operator_row,
        "SELECT operators.id, session, n.text, t.text, p.text, i.text, o.text,"
        " node_index, activation_bytes, parameter_bytes, output_bytes"
        " FROM operators LEFT JOIN texts n ON n.id = name"
        " LEFT JOIN texts t ON t.id = op_type"
        " LEFT JOIN texts p ON p.id = provider"
        " LEFT JOIN texts i ON i.id = inputs"
        " LEFT JOIN texts o ON o.id = outputs"
        " WHERE run = ?1 ORDER BY operators.id")
ROW_STREAM(operator_run, operator_run, operator_run_row,
        "SELECT take(?2, inference, operator, thread, depth, start_ns, raw_ns,"
        " kernel_ns, cycles) FROM operator_runs WHERE run = ?1 ORDER BY number")
ROW_READ(operator_edge, operator_edge, operator_edge_row,
        "SELECT from_operator, to_operator FROM operator_edges"
        " WHERE run = ?1 ORDER BY to_operator, from_operator")
ROW_READ(section, section, section_row,
        "SELECT process, thread, phase, n.text, start_ns, duration_ns,"
        " energy_mj FROM pipeline_sections LEFT JOIN texts n"
        " ON n.id = section_name WHERE run = ?1 ORDER BY number")
ROW_READ(token, token, token_row,
        "SELECT process, thread, token_index, token_id, n.text, time_ns,"
        " duration_ns, energy_mj FROM tokens LEFT JOIN texts n"
        " ON n.id = token_text WHERE run = ?1 ORDER BY number")

#define NOTES(kind)                                                         \
    "SELECT process, thread, n.text, time_ns FROM events LEFT JOIN texts n" \
    " ON n.id = events.text WHERE run = ?1 AND kind = " kind                \
    " ORDER BY number"
ROW_READ(mark, note, note_row, NOTES("0"))
ROW_READ(thread, note, note_row, NOTES("1"))
