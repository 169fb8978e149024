/* batch.c -- what comes by the thousands: written in one transaction. */
#include "base/alloc.h"
#include "os/clock.h"
#include "store/sqlite.h"

#include <stdlib.h>

/* A commit may lie in the system's memory for a while, where a loss of power
 * takes it: once in so long it goes to the disk. */
#define SYNC_NS 900000000

static void choose_sync(struct store *s)
{
    uint64_t now_ns = mono_ns();
    bool sync = now_ns - s->synced_ns > SYNC_NS;

    if (sync != s->syncing)
        (void)sqlite3_exec(s->db,
                sync ? "PRAGMA synchronous = FULL"
                     : "PRAGMA synchronous = NORMAL",
                NULL, NULL, NULL);
    s->syncing = sync;
    if (sync)
        s->synced_ns = now_ns;
}

void store_begin(struct store *s)
{
    if (s->in_transaction || s->failed)
        return;
    choose_sync(s);
    if (sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
        store_keep_failure(s, "store the run");
    else
        s->in_transaction = true;
}

/* What was begun is over: kept, or as if it had never been. */
static void end(struct store *s)
{
    if (!s->in_transaction)
        return;
    if (!s->failed && sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL))
        store_keep_failure(s, "store the run");
    if (s->failed)
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->in_transaction = false;
}

/* --- inferences ----------------------------------------------------------- */

uint64_t store_add_inference(struct store *s, const struct inference *i)
{
    if (s->waiting_count == STORE_BATCH)
        (void)store_flush(s, NULL);
    if (!s->failed) {
        s->waiting[s->waiting_count] = *i;
        s->errors[s->waiting_count++] = i->error ? alloc_text(i->error) : NULL;
    }
    s->failures += (i->flags & FLAG_FAILED) != 0;
    return ++s->inferences;
}

static void insert_inference(struct store *s, sqlite3_stmt *st, uint64_t number,
        const struct inference *i, const char *error)
{
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, number, true);
    store_bind_u64(st, 3, i->session, true);
    store_bind_u64(st, 4, i->process, true);
    store_bind_u64(st, 5, i->thread, true);
    store_bind_u64(st, 6, i->start_ns, true);
    store_bind_u64(st, 7, i->duration_ns, true);
    store_bind_u64(st, 8, i->phase, true);
    store_bind_u64(st, 9, i->flags, true);
    store_bind_u64(st, 10, i->batch, i->flags & FLAG_SHAPE);
    store_bind_u64(st, 11, i->sequence, i->flags & FLAG_SEQUENCE);
    store_bind_u64(st, 12, i->past, i->flags & FLAG_PAST);
    store_bind_u64(st, 13, i->in_bytes, i->flags & FLAG_INPUT_BYTES);
    store_bind_u64(st, 14, i->out_bytes, i->flags & FLAG_OUTPUT_BYTES);
    store_bind_u64(st, 15, i->batch_size, i->has_context);
    store_bind_u64(st, 16, i->padding, i->has_context);
    store_bind_u64(st, 17, i->queue_depth, i->has_context);
    store_bind_text_number(s, st, 18, error);
    store_step_kept(s, st);
}

static void write_inferences(struct store *s)
{
    sqlite3_stmt *st = store_kept(s, &s->add_inference,
            "INSERT INTO inferences VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,"
            "?11,?12,?13,?14,?15,?16,?17,?18)");
    uint64_t first = s->inferences - s->waiting_count + 1;

    for (size_t i = 0; st && i < s->waiting_count && !s->failed; i++)
        insert_inference(s, st, first + i, &s->waiting[i], s->errors[i]);
    for (size_t i = 0; i < s->waiting_count; i++) {
        free(s->errors[i]);
        s->errors[i] = NULL;
    }
    s->waiting_count = 0;
}

/* --- operators ------------------------------------------------------------ */

void store_add_operator(struct store *s, const struct operator* o)
{
    store_begin(s); /* a model may have ten thousand of them */

    sqlite3_stmt *st = store_kept(s, &s->add_operator,
            "INSERT INTO operators VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,"
            "?11,?12)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, o->id, true);
    store_bind_u64(st, 3, o->session, true);
    store_bind_text_number(s, st, 4, o->name);
    store_bind_text_number(s, st, 5, o->op_type);
    store_bind_text_number(s, st, 6, o->provider);
    store_bind_text_number(s, st, 7, o->inputs);
    store_bind_text_number(s, st, 8, o->outputs);
    store_bind_u64(st, 9, o->node_index, o->node_index != UINT32_MAX);
    store_bind_u64(st, 10, o->activation_bytes, o->sizes_known);
    store_bind_u64(st, 11, o->parameter_bytes, o->sizes_known);
    store_bind_u64(st, 12, o->output_bytes, o->sizes_known);
    store_step_kept(s, st);
}

void store_add_operator_edge(struct store *s, const struct operator_edge *x)
{
    store_begin(s);

    sqlite3_stmt *st = store_kept(s, &s->add_operator_edge,
            "INSERT OR IGNORE INTO operator_edges VALUES (?1,?2,?3)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, x->to, true);
    store_bind_u64(st, 3, x->from, true);
    store_step_kept(s, st);
}

void store_add_operator_run(struct store *s, const struct operator_run *r)
{
    if (s->operator_run_count == STORE_BATCH)
        (void)store_flush(s, NULL);
    if (!s->failed)
        s->operator_runs[s->operator_run_count++] = *r;
}

static void write_operator_runs(struct store *s)
{
    sqlite3_stmt *st = store_kept(s, &s->add_operator_run,
            "INSERT INTO operator_runs VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,"
            "?10)");

    for (size_t i = 0; st && i < s->operator_run_count && !s->failed; i++) {
        const struct operator_run *r = &s->operator_runs[i];

        store_bind_u64(st, 1, (uint64_t)s->run, true);
        store_bind_u64(st, 2, ++s->operators_ran, true);
        store_bind_u64(st, 3, r->inference, true);
        store_bind_u64(st, 4, r->operator_id, true);
        store_bind_u64(st, 5, r->thread, true);
        store_bind_u64(st, 6, r->depth, true);
        store_bind_u64(st, 7, r->start_ns, true);
        store_bind_u64(st, 8, r->raw_ns, !r->in_cycles);
        store_bind_u64(st, 9, r->kernel_ns, r->bracketed);
        store_bind_u64(st, 10, r->cycles, r->in_cycles);
        store_step_kept(s, st);
    }
    s->operator_run_count = 0;
}

/* --- all ----------------------------------------------------------------- */

int store_flush(struct store *s, struct error *e)
{
    if (store_waiting(s))
        store_begin(s);
    write_inferences(s);
    write_operator_runs(s);
    store_write_readings(s);
    end(s);
    return s->failed ? fail(e, s->failed, "%s", s->why.text) : 0;
}

size_t store_waiting(const struct store *s)
{
    return s->waiting_count + s->operator_run_count + s->reading_count;
}
