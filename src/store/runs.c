/* runs.c -- a run's own row: its beginning, its end, and reading it. */
#include "os/clock.h"
#include "os/process/child.h"
#include "os/process/self.h"
#include "store/row.h"

#include <errno.h>
#include <stdio.h>

/* A version 4 UUID. */
int store_make_id(char out[RUN_ID_LEN + 1], struct error *e)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[16];
    char *to = out;

    if (self_random(bytes, sizeof(bytes)))
        return fail(e, -EIO, "the system gives no random numbers");
    bytes[6] = (unsigned char)(0x40 | (bytes[6] & 0x0f));
    bytes[8] = (unsigned char)(0x80 | (bytes[8] & 0x3f));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *to++ = '-';
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
    *to = 0;
    return 0;
}

/* --- its beginning -------------------------------------------------------- */

/* A machine is kept once, however many runs it made. */
static void add_host(struct store *s, const char *info)
{
    sqlite3_stmt *st =
            info ? store_once(s, "INSERT INTO hosts (info) VALUES (?1)"
                                 " ON CONFLICT DO NOTHING")
                 : NULL;

    if (!st)
        return;
    store_bind_text(st, 1, info);
    store_finish(s, st);
}

static void add_row(struct store *s, const struct run *run)
{
    sqlite3_stmt *st = store_once(s,
            "INSERT INTO profiling_runs (run_id, timestamp, status,"
            " start_mono_ns, meter_pid, version, command, directory, host_id,"
            " tags, experiment_name, prompt, profiling_depth)"
            " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,"
            " (SELECT id FROM hosts WHERE info = ?9),?10,?11,?12,?13)");

    if (!st)
        return;
    store_bind_text(st, 1, run->id);
    store_bind_u64(st, 2, run->started_wall_ns, true);
    store_bind_u64(st, 3, RUN_RUNNING, true);
    store_bind_u64(st, 4, run->start_mono_ns, true);
    store_bind_u64(st, 5, run->meter_pid, true);
    store_bind_text(st, 6, run->version);
    store_bind_text(st, 7, run->command);
    store_bind_text(st, 8, run->directory);
    store_bind_text(st, 9, run->host);
    store_bind_text(st, 10, run->tags);
    store_bind_text(st, 11, run->experiment);
    store_bind_text(st, 12, run->prompt);
    store_bind_text(st, 13, run->depth);
    store_finish(s, st);
}

/* So that the words of a prompt find it. */
static void add_prompt(struct store *s, const char *prompt)
{
    sqlite3_stmt *st =
            store_once(s, "INSERT INTO prompts (rowid, prompt) VALUES (?1,?2)");

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, s->run);
    store_bind_text(st, 2, prompt);
    store_finish(s, st);
}

static void count_from_nothing(struct store *s)
{
    s->inferences = s->failures = s->operators_ran = 0;
    s->last_inference = 0;
    s->sections = s->tokens = s->events = s->readings_taken = 0;
    s->power_samples = 0;
    map_release(&s->text_uses);
    store_forget_texts(s);
}

int store_begin_run(struct store *s, struct run *run, struct error *e)
{
    int rc = store_make_id(run->id, e);

    return rc ? rc : store_begin_kept_run(s, run, e);
}

int store_begin_kept_run(struct store *s, struct run *run, struct error *e)
{
    int rc = store_flush(s, e); /* of an earlier run */

    if (rc)
        return rc;
    count_from_nothing(s);
    store_begin(s);
    add_host(s, run->host);
    add_row(s, run);
    run->row = s->run = sqlite3_last_insert_rowid(s->db);
    if (run->tags)
        store_label_tags(s, s->run, run->tags);
    if (run->experiment)
        store_label(s, s->run, "experiment", str_of(run->experiment));
    if (run->prompt)
        add_prompt(s, run->prompt);
    rc = store_flush(s, e);
    if (rc)
        run->row = s->run = 0;
    return rc;
}

void store_cancel_run(struct store *s)
{
    (void)store_delete_run(s, s->run, NULL);
}

/* --- its end -------------------------------------------------------------- */

int store_end_run(struct store *s, const struct run *run, struct error *e)
{
    bool counted = !s->failed;
    sqlite3_stmt *st;

    /* Also when recording failed: then there is more reason to say so. */
    store_end(s);
    s->failed = 0;
    store_begin(s);
    st = store_once(s,
            "UPDATE profiling_runs SET status = ?2, duration_ns = ?3,"
            " exit_code = ?4, signal = ?5, peak_rss_bytes = ?6,"
            " user_cpu_ns = ?7, system_cpu_ns = ?8, meter_cpu_ns = ?9,"
            " meter_rss_bytes = ?10, note = ?11, response = ?12,"
            " input_tokens = ?13, output_tokens = ?14, total_energy_mj = ?15,"
            " energy_method = ?16, inferences = ?17, failed = ?18,"
            " model_name = (SELECT model"
            " FROM sessions WHERE run = ?1 AND model NOT NULL LIMIT 1)"
            " WHERE id = ?1");
    if (st) {
        bool tokens = run->input_tokens || run->output_tokens;

        store_bind_u64(st, 1, (uint64_t)run->row, true);
        store_bind_u64(st, 2, run->status, true);
        store_bind_u64(st, 3, run->duration_ns, run->duration_ns);
        store_bind_u64(st, 4, (uint64_t)run->exit_code,
                run->ended && !run->signal);
        store_bind_u64(st, 5, (uint64_t)run->signal, run->signal);
        store_bind_u64(st, 6, run->peak_rss_bytes, run->peak_rss_bytes);
        store_bind_u64(st, 7, run->user_cpu_ns, run->ended);
        store_bind_u64(st, 8, run->system_cpu_ns, run->ended);
        store_bind_u64(st, 9, run->meter_cpu_ns, run->meter_cpu_ns);
        store_bind_u64(st, 10, run->meter_rss_bytes, run->meter_rss_bytes);
        store_bind_text(st, 11, run->note);
        store_bind_text(st, 12, run->response);
        store_bind_u64(st, 13, run->input_tokens, tokens);
        store_bind_u64(st, 14, run->output_tokens, tokens);
        store_bind_real(st, 15, run->energy_mj, run->has_energy);
        store_bind_u64(st, 16, run->energy_method, run->has_energy);
        store_bind_u64(st, 17, s->inferences, counted && run->row == s->run);
        store_bind_u64(st, 18, s->failures, counted && run->row == s->run);
        store_finish(s, st);
    }
    store_label_keys(s, run->row);
    store_end(s);
    return s->failed ? fail(e, s->failed, "%s", s->why.text) : 0;
}

/* --- one whose meter died ------------------------------------------------- */

/* Neither gone, nor of a time before the machine was started. */
static bool meter_is_there(uint32_t pid, uint64_t start_mono_ns)
{
    return process_is_there(pid) && start_mono_ns <= mono_ns();
}

int store_mark_interrupted(struct store *s, int64_t row, struct error *e)
{
    sqlite3_stmt *st = store_once(s,
            "UPDATE profiling_runs SET status = ?2,"
            " inferences = (SELECT count(*) FROM inferences WHERE run = ?1),"
            " failed = (SELECT count(*) FROM inferences WHERE run = ?1"
            "  AND flags & 1),"
            " model_name = (SELECT model FROM sessions WHERE run = ?1"
            "  AND model NOT NULL LIMIT 1)"
            " WHERE id = ?1 AND status = ?3");

    if (st) {
        (void)sqlite3_bind_int64(st, 1, row);
        store_bind_u64(st, 2, RUN_INTERRUPTED, true);
        store_bind_u64(st, 3, RUN_RUNNING, true);
        store_finish(s, st);
    }
    return s->failed ? fail(e, s->failed, "%s", s->why.text) : 0;
}

struct each_row {
    void (*call)(void *, int64_t);
    void *context;
};

static void interrupted_row(sqlite3_stmt *st, void *to)
{
    struct each_row *each = to;

    if (!meter_is_there(row_u32(st, 1), row_u64(st, 2)))
        each->call(each->context, sqlite3_column_int64(st, 0));
}

int store_each_interrupted(struct store *s,
        void (*each)(void *context, int64_t row), void *context,
        struct error *e)
{
    return row_query(s,
            "SELECT id, meter_pid, start_mono_ns FROM profiling_runs"
            " WHERE status = 0 AND ?1",
            1, interrupted_row, &(struct each_row){ each, context }, e);
}

static void unsummed_row(sqlite3_stmt *st, void *to)
{
    struct each_row *each = to;

    each->call(each->context, sqlite3_column_int64(st, 0));
}

int store_each_unsummed(struct store *s,
        void (*each)(void *context, int64_t row), void *context,
        struct error *e)
{
    return row_query(s,
            "SELECT id FROM profiling_runs WHERE summed = 0 AND status <> 0"
            " AND ?1",
            1, unsummed_row, &(struct each_row){ each, context }, e);
}

/* --- reading -------------------------------------------------------------- */

struct run row_run(sqlite3_stmt *st)
{
    struct run r = {
        .row = sqlite3_column_int64(st, 0),
        .status = (enum run_status)sqlite3_column_int(st, 2),
        .started_wall_ns = row_u64(st, 3),
        .start_mono_ns = row_u64(st, 4),
        .duration_ns = row_u64(st, 5),
        .meter_pid = row_u32(st, 6),
        .command = row_text(st, 7),
        .directory = row_text(st, 8),
        .tags = row_text(st, 9),
        .host = row_text(st, 10),
        .version = row_text(st, 11),
        .note = row_text(st, 12),
        .ended = row_has(st, 13) || row_has(st, 14),
        .exit_code = sqlite3_column_int(st, 13),
        .signal = sqlite3_column_int(st, 14),
        .peak_rss_bytes = row_u64(st, 15),
        .user_cpu_ns = row_u64(st, 16),
        .system_cpu_ns = row_u64(st, 17),
        .meter_cpu_ns = row_u64(st, 18),
        .meter_rss_bytes = row_u64(st, 19),
        .experiment = row_text(st, 20),
        .prompt = row_text(st, 21),
        .response = row_text(st, 22),
        .depth = row_text(st, 23),
        .input_tokens = row_u64(st, 24),
        .output_tokens = row_u64(st, 25),
        .has_energy = row_has(st, 26),
        .energy_mj = sqlite3_column_double(st, 26),
        .energy_method = (uint8_t)sqlite3_column_int(st, 27),
    };
    const char *id = row_text(st, 1);

    (void)snprintf(r.id, sizeof(r.id), "%s", id ? id : "");
    if (r.status == RUN_RUNNING &&
            !meter_is_there(r.meter_pid, r.start_mono_ns))
        r.status = RUN_INTERRUPTED;
    return r;
}

struct one_run {
    void (*call)(void *, const struct run *);
    void *context;
    bool found;
};

static void run_row(sqlite3_stmt *st, void *to)
{
    struct one_run *one = to;
    struct run r = row_run(st);

    one->found = true;
    one->call(one->context, &r);
}

int store_read_run(struct store *s, int64_t row,
        void (*each)(void *context, const struct run *r), void *context,
        struct error *e)
{
    struct one_run one = { each, context, false };
    int rc = row_query(s,
            "SELECT " ROW_RUN_COLUMNS " FROM profiling_runs r WHERE id = ?1",
            row, run_row, &one, e);

    /* It was deleted meanwhile, or an index that somebody made up names it. */
    return rc || one.found
                   ? rc
                   : fail(e, -ENOENT, "%s does not hold that run", s->path);
}

int64_t store_state(struct store *s)
{
    sqlite3_stmt *st = NULL;
    int64_t state = 0;

    if (sqlite3_prepare_v2(s->db, "PRAGMA data_version", -1, &st, NULL) ==
                    SQLITE_OK &&
            sqlite3_step(st) == SQLITE_ROW)
        state = sqlite3_column_int64(st, 0);
    (void)sqlite3_finalize(st);
    return state;
}
