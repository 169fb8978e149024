/* batch.c -- what comes by the thousands: written in one transaction. */
#include "base/alloc.h"
#include "os/clock.h"
#include "store/bulk_insert.h"
#include "store/sqlite.h"

#include <stdlib.h>

/* A commit may lie in the system's memory for a while, where a loss of power
 * takes it: once in so long it goes to the disk. */
#define SYNC_NS 900000000

static void set_sync(struct store *s, bool sync)
{
    if (sync != s->syncing)
        (void)sqlite3_exec(s->db,
                sync ? "PRAGMA synchronous = FULL"
                     : "PRAGMA synchronous = NORMAL",
                NULL, NULL, NULL);
    s->syncing = sync;
}

static void choose_sync(struct store *s)
{
    uint64_t now_ns = mono_ns();

    if (now_ns - s->synced_ns <= SYNC_NS)
        return;
    s->synced_ns = now_ns;
    set_sync(s, true);
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

void store_end(struct store *s)
{
    if (!s->in_transaction)
        return;
    if (!s->failed && sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL))
        store_keep_failure(s, "store the run");
    if (s->failed)
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->in_transaction = false;
    set_sync(s, false);
}

/* --- inferences ----------------------------------------------------------- */

uint64_t store_add_inference(struct store *s, const struct inference *i)
{
    uint64_t number = i->number ? i->number : s->last_inference + 1;

    if (s->waiting_count == STORE_BATCH)
        (void)store_flush(s, NULL);
    if (!s->failed) {
        s->waiting[s->waiting_count] = *i;
        s->waiting[s->waiting_count].number = number;
        s->errors[s->waiting_count++] = i->error ? alloc_text(i->error) : NULL;
    }
    s->failures += (i->flags & FLAG_FAILED) != 0;
    s->inferences++;
    s->last_inference = number;
    return number;
}

static size_t count_inferences(const struct store *s)
{
    return s->waiting_count;
}

static void inference_cell(sqlite3_context *to, const struct store *s,
        size_t at, int column)
{
    const struct inference *i = &s->waiting[at];

    switch (column) {
    case 0: bulk_insert_u64(to, (uint64_t)s->run, true); break;
    case 1: bulk_insert_u64(to, i->number, true); break;
    case 2: bulk_insert_u64(to, i->session, true); break;
    case 3: bulk_insert_u64(to, i->process, true); break;
    case 4: bulk_insert_u64(to, i->thread, true); break;
    case 5: bulk_insert_u64(to, i->start_ns, true); break;
    case 6: bulk_insert_u64(to, i->duration_ns, true); break;
    case 7: bulk_insert_u64(to, i->phase, true); break;
    case 8: bulk_insert_u64(to, i->flags, true); break;
    case 9: bulk_insert_u64(to, i->batch, i->flags & FLAG_SHAPE); break;
    case 10: bulk_insert_u64(to, i->sequence, i->flags & FLAG_SEQUENCE); break;
    case 11: bulk_insert_u64(to, i->past, i->flags & FLAG_PAST); break;
    case 12:
        bulk_insert_u64(to, i->in_bytes, i->flags & FLAG_INPUT_BYTES);
        break;
    case 13:
        bulk_insert_u64(to, i->out_bytes, i->flags & FLAG_OUTPUT_BYTES);
        break;
    case 14: bulk_insert_u64(to, i->batch_size, i->has_context); break;
    case 15: bulk_insert_u64(to, i->padding, i->has_context); break;
    case 16: bulk_insert_u64(to, i->queue_depth, i->has_context); break;
    case 17:
        bulk_insert_u64(to, (uint64_t)s->error_numbers[at],
                s->error_numbers[at]);
        break;
    case 18: bulk_insert_u64(to, i->generation, i->generation); break;
    case 19: bulk_insert_u64(to, i->lead_ns, i->lead_ns); break;
    case 20: bulk_insert_u64(to, i->runtime_ns, i->has_parts); break;
    case 21: bulk_insert_u64(to, i->gil_ns, i->has_parts); break;
    default: break;
    }
}

const struct bulk_insert feed_inferences = { "waiting_inferences", 22,
    count_inferences, inference_cell };

static void write_inferences(struct store *s)
{
    for (size_t i = 0; i < s->waiting_count; i++) {
        s->error_numbers[i] = store_text_number(s, s->errors[i]);
        free(s->errors[i]);
        s->errors[i] = NULL;
    }
    if (s->waiting_count)
        store_run_kept(s, &s->add_inferences,
                "INSERT OR FAIL INTO inferences SELECT * FROM"
                " waiting_inferences");
    s->waiting_count = 0;
}

/* --- operator runs -------------------------------------------------------- */

void store_add_operator_run(struct store *s, const struct operator_run *r)
{
    if (s->operator_run_count == STORE_BATCH)
        (void)store_flush(s, NULL);
    if (!s->failed)
        s->operator_runs[s->operator_run_count++] = *r;
}

static size_t count_operator_runs(const struct store *s)
{
    return s->operator_run_count;
}

static void operator_run_cell(sqlite3_context *to, const struct store *s,
        size_t at, int column)
{
    const struct operator_run *r = &s->operator_runs[at];

    switch (column) {
    case 0: bulk_insert_u64(to, (uint64_t)s->run, true); break;
    case 1: bulk_insert_u64(to, s->operators_ran + at + 1, true); break;
    case 2: bulk_insert_u64(to, r->inference, true); break;
    case 3: bulk_insert_u64(to, r->operator_id, true); break;
    case 4: bulk_insert_u64(to, r->thread, true); break;
    case 5: bulk_insert_u64(to, r->depth, true); break;
    case 6: bulk_insert_u64(to, r->start_ns, true); break;
    case 7:
        bulk_insert_u64(to, r->raw_ns, !r->in_cycles && !r->raw_unknown);
        break;
    case 8: bulk_insert_u64(to, r->kernel_ns, r->kernel_known); break;
    case 9: bulk_insert_u64(to, r->cycles, r->in_cycles); break;
    default: break;
    }
}

const struct bulk_insert feed_operator_runs = { "waiting_operator_runs", 10,
    count_operator_runs, operator_run_cell };

static void write_operator_runs(struct store *s)
{
    if (s->operator_run_count)
        store_run_kept(s, &s->add_operator_runs,
                "INSERT OR FAIL INTO operator_runs SELECT * FROM"
                " waiting_operator_runs");
    s->operators_ran += s->operator_run_count;
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
    store_end(s);
    return s->failed ? fail(e, s->failed, "%s", s->why.text) : 0;
}

size_t store_waiting(const struct store *s)
{
    return s->waiting_count + s->operator_run_count + s->reading_count;
}
