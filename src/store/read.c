/* read.c -- runs, as they were written. */
#include "os/child.h"
#include "store/sqlite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static uint64_t u64(sqlite3_stmt *st, int at)
{
    return (uint64_t)sqlite3_column_int64(st, at);
}

static uint32_t u32(sqlite3_stmt *st, int at)
{
    return (uint32_t)sqlite3_column_int64(st, at);
}

static const char *text(sqlite3_stmt *st, int at)
{
    return (const char *)sqlite3_column_text(st, at);
}

static bool has(sqlite3_stmt *st, int at)
{
    return sqlite3_column_type(st, at) != SQLITE_NULL;
}

/* Runs a query on one run; `row` is called for each. */
static int query(struct store *s, const char *sql, int64_t run,
        void (*row)(sqlite3_stmt *st, void *each), void *each, struct error *e)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);

    if (rc == SQLITE_OK)
        (void)sqlite3_bind_int64(st, 1, run);
    while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        row(st, each);
        rc = SQLITE_OK;
    }
    rc = rc == SQLITE_DONE ? 0 : store_failed(s, "read the runs", e);
    (void)sqlite3_finalize(st);
    return rc;
}

/* --- one function a table: what its rows are -------------------------------
 */

/* Whom to call, with what. */
#define EACH(type)                                 \
    struct each_##type {                           \
        void (*call)(void *, const struct type *); \
        void *context;                             \
    }
EACH(run);
EACH(process);
EACH(library);
EACH(session);
EACH(inference);
EACH(operator);
EACH(operator_run);
EACH(operator_edge);
EACH(section);
EACH(token);
EACH(note);

#define RUN_COLUMNS                                                   \
    "id, run_id, status, timestamp, start_mono_ns, duration_ns,"      \
    " meter_pid, command, directory, tags, host, version, note,"      \
    " exit_code, signal, peak_rss_bytes, user_cpu_ns, system_cpu_ns," \
    " meter_cpu_ns, meter_rss_bytes"
#define RUN_COLUMN_COUNT 20

static struct run run_of(sqlite3_stmt *st)
{
    struct run r = {
        .row = sqlite3_column_int64(st, 0),
        .status = (enum run_status)sqlite3_column_int(st, 2),
        .started_wall_ns = u64(st, 3),
        .start_mono_ns = u64(st, 4),
        .duration_ns = u64(st, 5),
        .meter_pid = u32(st, 6),
        .command = text(st, 7),
        .directory = text(st, 8),
        .tags = text(st, 9),
        .host = text(st, 10),
        .version = text(st, 11),
        .note = text(st, 12),
        .ended = has(st, 13) || has(st, 14),
        .exit_code = sqlite3_column_int(st, 13),
        .signal = sqlite3_column_int(st, 14),
        .peak_rss_bytes = u64(st, 15),
        .user_cpu_ns = u64(st, 16),
        .system_cpu_ns = u64(st, 17),
        .meter_cpu_ns = u64(st, 18),
        .meter_rss_bytes = u64(st, 19),
    };
    const char *id = text(st, 1);

    (void)snprintf(r.id, sizeof(r.id), "%s", id ? id : "");
    if (r.status == RUN_RUNNING && !process_is_there(r.meter_pid))
        r.status = RUN_INTERRUPTED;
    return r;
}

static void run_row(sqlite3_stmt *st, void *to)
{
    struct each_run *each = to;
    struct run r = run_of(st);

    each->call(each->context, &r);
}

static void process_row(sqlite3_stmt *st, void *to)
{
    struct each_process *each = to;

    each->call(each->context, &(struct process){
                                      .id = u32(st, 0),
                                      .pid = u32(st, 1),
                                      .parent = u32(st, 2),
                                      .start_ns = u64(st, 3),
                                      .program = text(st, 4),
                                      .hook_ns = u32(st, 5),
                                      .lost = u64(st, 6),
                                      .untimed = u64(st, 7),
                                      .torn = u64(st, 8),
                              });
}

static void library_row(sqlite3_stmt *st, void *to)
{
    struct each_library *each = to;

    each->call(each->context, &(struct library){
                                      .id = u32(st, 0),
                                      .process = u32(st, 1),
                                      .path = text(st, 2),
                                      .version = text(st, 3),
                                      .slots = u32(st, 4),
                                      .language = text(st, 5),
                              });
}

static void session_row(sqlite3_stmt *st, void *to)
{
    struct each_session *each = to;

    each->call(each->context, &(struct session){
                                      .id = u32(st, 0),
                                      .process = u32(st, 1),
                                      .library = u32(st, 2),
                                      .thread = u32(st, 3),
                                      .model = text(st, 4),
                                      .model_bytes = u64(st, 5),
                                      .providers = text(st, 6),
                                      .options = text(st, 7),
                                      .start_ns = u64(st, 8),
                                      .duration_ns = u64(st, 9),
                                      .seen_late = !has(st, 9),
                                      .error = text(st, 10),
                                      .read_ns = u64(st, 11),
                                      .initialise_ns = u64(st, 12),
                              });
}

static void inference_row(sqlite3_stmt *st, void *to)
{
    struct each_inference *each = to;

    each->call(each->context,
            &(struct inference){
                    .session = u32(st, 0),
                    .process = u32(st, 1),
                    .thread = u32(st, 2),
                    .start_ns = u64(st, 3),
                    .duration_ns = u64(st, 4),
                    .phase = (uint8_t)sqlite3_column_int(st, 5),
                    .flags = (uint16_t)sqlite3_column_int(st, 6),
                    .batch = u32(st, 7),
                    .sequence = u32(st, 8),
                    .past = u32(st, 9),
                    .in_bytes = u64(st, 10),
                    .out_bytes = u64(st, 11),
                    .has_context = has(st, 12),
                    .batch_size = u32(st, 12),
                    .padding = u32(st, 13),
                    .queue_depth = u32(st, 14),
                    .error = text(st, 15),
            });
}

static void operator_row(sqlite3_stmt *st, void *to)
{
    struct each_operator *each = to;

    each->call(each->context,
            &(struct operator){
                    .id = u32(st, 0),
                    .session = u32(st, 1),
                    .name = text(st, 2),
                    .op_type = text(st, 3),
                    .provider = text(st, 4),
                    .inputs = text(st, 5),
                    .outputs = text(st, 6),
                    .node_index = has(st, 7) ? u32(st, 7) : UINT32_MAX,
                    .sizes_known = has(st, 8),
                    .activation_bytes = u64(st, 8),
                    .parameter_bytes = u64(st, 9),
                    .output_bytes = u64(st, 10),
            });
}

static void operator_run_row(sqlite3_stmt *st, void *to)
{
    struct each_operator_run *each = to;

    each->call(each->context, &(struct operator_run){
                                      .inference = u64(st, 0),
                                      .operator_id = u32(st, 1),
                                      .thread = u32(st, 2),
                                      .depth = u32(st, 3),
                                      .start_ns = u64(st, 4),
                                      .raw_ns = u64(st, 5),
                                      .kernel_ns = u64(st, 6),
                                      .bracketed = has(st, 6),
                                      .in_cycles = has(st, 7),
                                      .cycles = u64(st, 7),
                              });
}

static void operator_edge_row(sqlite3_stmt *st, void *to)
{
    struct each_operator_edge *each = to;

    each->call(each->context,
            &(struct operator_edge){ .from = u32(st, 0), .to = u32(st, 1) });
}

static void section_row(sqlite3_stmt *st, void *to)
{
    struct each_section *each = to;

    each->call(each->context,
            &(struct section){
                    .process = u32(st, 0),
                    .thread = u32(st, 1),
                    .phase = (uint8_t)sqlite3_column_int(st, 2),
                    .name = text(st, 3),
                    .start_ns = u64(st, 4),
                    .duration_ns = u64(st, 5),
            });
}

static void token_row(sqlite3_stmt *st, void *to)
{
    struct each_token *each = to;

    each->call(each->context, &(struct token){
                                      .process = u32(st, 0),
                                      .thread = u32(st, 1),
                                      .index = u32(st, 2),
                                      .id = sqlite3_column_int64(st, 3),
                                      .text = text(st, 4),
                                      .time_ns = u64(st, 5),
                              });
}

static void note_row(sqlite3_stmt *st, void *to)
{
    struct each_note *each = to;

    each->call(each->context, &(struct note){
                                      .process = u32(st, 0),
                                      .thread = u32(st, 1),
                                      .text = text(st, 2),
                                      .time_ns = u64(st, 3),
                              });
}

/* --- and the queries behind them ------------------------------------------ */

#define READ(name, type, row, sql)                                             \
    STORE_EACH(name, type)                                                     \
    {                                                                          \
        return query(s, sql, run, row, &(struct each_##type){ each, context }, \
                e);                                                            \
    }

#define TEXT_OF(column) " (SELECT text FROM texts WHERE id = " column ")"

READ(process, process, process_row,
        "SELECT id, pid, parent, start_ns, program, hook_ns, lost, untimed,"
        " torn FROM processes WHERE run = ?1 ORDER BY id")
READ(library, library, library_row,
        "SELECT id, process, path, version, slots, language FROM libraries"
        " WHERE run = ?1 ORDER BY id")
READ(session, session, session_row,
        "SELECT id, process, library, thread, model, model_bytes, providers,"
        " options, start_ns, duration_ns, error, read_ns, initialise_ns"
        " FROM sessions WHERE run = ?1 ORDER BY id")
READ(inference, inference, inference_row,
        "SELECT session, process, thread, start_ns, duration_ns, phase, flags,"
        " batch, sequence, past, in_bytes, out_bytes, batch_size, padding,"
        " queue_depth," TEXT_OF(
                "error") " FROM inferences WHERE run = ?1 ORDER BY number")
READ(operator, operator, operator_row,
        "SELECT id, session," TEXT_OF("name") "," TEXT_OF("op_type") "," TEXT_OF(
                "provider") "," TEXT_OF("inputs") "," TEXT_OF("outputs") ","
                                                                         " node"
                                                                         "_inde"
                                                                         "x, "
                                                                         "activ"
                                                                         "ation"
                                                                         "_byte"
                                                                         "s, "
                                                                         "param"
                                                                         "eter_"
                                                                         "bytes"
                                                                         ", "
                                                                         "outpu"
                                                                         "t_"
                                                                         "bytes"
                                                                         " FROM"
                                                                         " oper"
                                                                         "ators"
                                                                         " WHER"
                                                                         "E "
                                                                         "run "
                                                                         "= ?1 "
                                                                         "ORDER"
                                                                         " BY "
                                                                         "id")
READ(operator_run, operator_run, operator_run_row,
        "SELECT inference, operator, thread, depth, start_ns, raw_ns,"
        " kernel_ns, cycles FROM operator_runs WHERE run = ?1 ORDER BY number")
READ(operator_edge, operator_edge, operator_edge_row,
        "SELECT from_operator, to_operator FROM operator_edges"
        " WHERE run = ?1 ORDER BY to_operator, from_operator")
READ(section, section, section_row,
        "SELECT process, thread, phase," TEXT_OF(
                "section_name") ", start_ns,"
                                " duration_ns FROM pipeline_sections WHERE run "
                                "= ?1 ORDER BY number")
READ(token, token, token_row,
        "SELECT process, thread, token_index, token_id," TEXT_OF(
                "token_text") ", time_ns"
                              " FROM tokens WHERE run = ?1 ORDER BY number")

#define NOTES(kind)                                                       \
    "SELECT process, thread," TEXT_OF(                                    \
            "events.text") ", time_ns"                                    \
                           " FROM events WHERE run = ?1 AND kind = " kind \
                           " ORDER BY number"
READ(mark, note, note_row, NOTES("0"))
READ(thread, note, note_row, NOTES("1"))

int store_read_run(struct store *s, int64_t row,
        void (*each)(void *context, const struct run *r), void *context,
        struct error *e)
{
    return query(s, "SELECT " RUN_COLUMNS " FROM profiling_runs WHERE id = ?1",
            row, run_row, &(struct each_run){ each, context }, e);
}

/* --- finding and listing -------------------------------------------------- */

int store_find_run(struct store *s, const char *name, int64_t *row,
        struct error *e)
{
    bool last = strcmp(name, "last") == 0;
    sqlite3_stmt *st = NULL;
    int64_t found = 0;
    int count = 0;
    int rc = sqlite3_prepare_v2(s->db,
            last ? "SELECT id FROM profiling_runs ORDER BY timestamp DESC,"
                   " id DESC LIMIT 1"
                 : "SELECT id FROM profiling_runs"
                   " WHERE substr(run_id, 1, length(?1)) = lower(?1) LIMIT 2",
            -1, &st, NULL);

    if (rc != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    if (!last)
        (void)sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
    for (; sqlite3_step(st) == SQLITE_ROW; count++)
        found = sqlite3_column_int64(st, 0);
    if (sqlite3_finalize(st) != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    if (!count && last)
        return fail(e, -ENOENT, "%s holds no runs yet", s->path);
    if (!count || !*name)
        return fail(e, -ENOENT,
                "there is no run '%s' in %s: see 'ortmeter list'", name,
                s->path);
    if (count > 1)
        return fail(e, -ENOTUNIQ,
                "several runs begin with '%s': give more of the id", name);
    *row = found;
    return 0;
}

struct each_line {
    void (*call)(void *, const struct run_line *);
    void *context;
};

static void line_row(sqlite3_stmt *st, void *to)
{
    struct each_line *each = to;
    struct run r = run_of(st);
    const char *models = text(st, RUN_COLUMN_COUNT + 2);

    each->call(each->context, &(struct run_line){
                                      .run = &r,
                                      .inferences = u64(st, RUN_COLUMN_COUNT),
                                      .failed = u64(st, RUN_COLUMN_COUNT + 1),
                                      .models = models ? models : "",
                              });
}

int store_list_runs(struct store *s, uint64_t limit,
        void (*each)(void *context, const struct run_line *l), void *context,
        struct error *e)
{
    return query(s,
            "SELECT " RUN_COLUMNS ","
            " (SELECT count(*) FROM inferences WHERE run = r.id),"
            " (SELECT count(*) FROM inferences WHERE run = r.id"
            "  AND flags & 1),"
            " (SELECT group_concat(model, char(10)) FROM"
            "  (SELECT DISTINCT model FROM sessions WHERE run = r.id"
            "   AND model NOT NULL))"
            " FROM profiling_runs r ORDER BY timestamp DESC, id DESC"
            " LIMIT ?1",
            (int64_t)limit, line_row, &(struct each_line){ each, context }, e);
}
