/* write.c -- what is rare in a run, row by row. */
#include "store/sqlite.h"

enum event_kind { EVENT_MARK, EVENT_THREAD };

void store_add_process(struct store *s, const struct process *p)
{
    sqlite3_stmt *st = store_once(s,
            "INSERT INTO processes (run, id, pid, parent, start_ns, program)"
            " VALUES (?1,?2,?3,?4,?5,?6)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, p->id, true);
    store_bind_u64(st, 3, p->pid, true);
    store_bind_u64(st, 4, p->parent, p->parent);
    store_bind_u64(st, 5, p->start_ns, true);
    store_bind_text(st, 6, p->program);
    store_finish(s, st);
}

void store_end_process(struct store *s, const struct process *p)
{
    sqlite3_stmt *st = store_once(s,
            "UPDATE processes SET hook_ns = ?3, lost = ?4, untimed = ?5,"
            " torn = ?6 WHERE run = ?1 AND id = ?2");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, p->id, true);
    store_bind_u64(st, 3, p->hook_ns, p->hook_ns);
    store_bind_u64(st, 4, p->lost, true);
    store_bind_u64(st, 5, p->untimed, true);
    store_bind_u64(st, 6, p->torn, true);
    store_finish(s, st);
}

void store_add_library(struct store *s, const struct library *l)
{
    sqlite3_stmt *st = store_once(s,
            "INSERT INTO libraries (run, id, process, path, version, slots)"
            " VALUES (?1,?2,?3,?4,?5,?6)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, l->id, true);
    store_bind_u64(st, 3, l->process, true);
    store_bind_text(st, 4, l->path);
    store_bind_text(st, 5, l->version);
    store_bind_u64(st, 6, l->slots, true);
    store_finish(s, st);
}

void store_add_language(struct store *s, uint32_t library, const char *name)
{
    sqlite3_stmt *st = store_once(s,
            "UPDATE libraries SET language = ?3 WHERE run = ?1 AND id = ?2");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, library, true);
    store_bind_text(st, 3, name);
    store_finish(s, st);
}

void store_set_untraced(struct store *s, uint32_t library, const char *why)
{
    sqlite3_stmt *st = store_once(s,
            "UPDATE libraries SET untraced = ?3 WHERE run = ?1 AND id = ?2");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, library, true);
    store_bind_text(st, 3, why);
    store_finish(s, st);
}

static void add_session(struct store *s, const struct session *x)
{
    sqlite3_stmt *st = store_once(s,
            "INSERT INTO sessions (run, id, process, library, thread, model,"
            " model_bytes, providers, options, start_ns, duration_ns, error,"
            " read_ns, initialise_ns)"
            " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, x->id, true);
    store_bind_u64(st, 3, x->process, true);
    store_bind_u64(st, 4, x->library, x->library);
    store_bind_u64(st, 5, x->thread, !x->seen_late);
    store_bind_text(st, 6, x->model);
    store_bind_u64(st, 7, x->model_bytes, x->model_bytes);
    store_bind_text(st, 8, x->providers);
    store_bind_text(st, 9, x->options);
    store_bind_u64(st, 10, x->start_ns, true);
    store_bind_u64(st, 11, x->duration_ns, !x->seen_late);
    store_bind_text(st, 12, x->error);
    store_bind_u64(st, 13, x->read_ns, x->read_ns || x->initialise_ns);
    store_bind_u64(st, 14, x->initialise_ns, x->read_ns || x->initialise_ns);
    store_finish(s, st);
}

/* With its model, or not at all: no run is found by what it does not have, nor
 * missed by what it has. */
void store_add_session(struct store *s, const struct session *x)
{
    bool alone = !s->in_transaction;

    store_begin(s);
    add_session(s, x);
    if (x->model)
        store_label(s, s->run, "model", str_of(x->model));
    if (alone)
        store_end(s);
}

void store_add_session_end(struct store *s, uint32_t session, uint64_t time_ns)
{
    sqlite3_stmt *st = store_once(s,
            "UPDATE sessions SET end_ns = ?3 WHERE run = ?1 AND id = ?2");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, session, true);
    store_bind_u64(st, 3, time_ns, true);
    store_finish(s, st);
}

void store_set_operators_of(struct store *s, uint32_t session, uint32_t of)
{
    sqlite3_stmt *st = store_once(s,
            "UPDATE sessions SET operators_of = ?3 WHERE run = ?1 AND id = ?2");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, session, true);
    store_bind_u64(st, 3, of, true);
    store_finish(s, st);
}

void store_add_section(struct store *s, const struct section *x)
{
    sqlite3_stmt *st = store_kept(s, &s->add_section,
            "INSERT INTO pipeline_sections (run, number, process, thread,"
            " phase, section_name, start_ns, duration_ns, energy_mj,"
            " parent_id, derived) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, ++s->sections, true);
    store_bind_u64(st, 3, x->process, true);
    store_bind_u64(st, 4, x->thread, true);
    store_bind_u64(st, 5, x->phase, true);
    store_bind_text_number(s, st, 6, x->name);
    store_bind_u64(st, 7, x->start_ns, true);
    store_bind_u64(st, 8, x->duration_ns, true);
    store_bind_real(st, 9, x->energy_mj, x->has_energy);
    store_bind_u64(st, 10, x->parent, x->parent);
    store_bind_u64(st, 11, x->derived, x->derived);
    store_step_kept(s, st);
}

void store_set_section_parent(struct store *s, uint64_t number, uint64_t parent)
{
    store_begin(s);

    sqlite3_stmt *st =
            store_once(s, "UPDATE pipeline_sections SET parent_id = ?3"
                          " WHERE run = ?1 AND number = ?2");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, number, true);
    store_bind_u64(st, 3, parent, true);
    store_finish(s, st);
}

void store_set_token_layers(struct store *s, uint64_t number,
        const struct token *t)
{
    store_begin(s);

    sqlite3_stmt *st =
            store_once(s, "UPDATE tokens SET layers_ns = ?3, between_ns = ?4,"
                          " outside_ns = ?5 WHERE run = ?1 AND number = ?2");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, number, true);
    store_bind_u64(st, 3, t->layers_ns, true);
    store_bind_u64(st, 4, t->between_ns, true);
    store_bind_u64(st, 5, t->outside_ns, true);
    store_finish(s, st);
}

void store_add_token(struct store *s, const struct token *t)
{
    store_begin(s); /* they come by the thousands */

    sqlite3_stmt *st = store_kept(s, &s->add_token,
            "INSERT INTO tokens (run, number, process, thread, token_index,"
            " token_id, token_text, time_ns, duration_ns, energy_mj,"
            " probability, layers_ns, between_ns, outside_ns)"
            " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, ++s->tokens, true);
    store_bind_u64(st, 3, t->process, true);
    store_bind_u64(st, 4, t->thread, true);
    store_bind_u64(st, 5, t->index, true);
    (void)sqlite3_bind_int64(st, 6, t->seen ? STORE_NO_TOKEN_ID : t->id);
    store_bind_text_number(s, st, 7, t->text);
    store_bind_u64(st, 8, t->time_ns, true);
    store_bind_u64(st, 9, t->duration_ns, t->duration_ns);
    store_bind_real(st, 10, t->energy_mj, t->has_energy);
    store_bind_real(st, 11, t->probability, t->probability > 0);
    store_bind_u64(st, 12, t->layers_ns, t->layers_ns);
    store_bind_u64(st, 13, t->between_ns, t->layers_ns);
    store_bind_u64(st, 14, t->outside_ns, t->layers_ns);
    store_step_kept(s, st);
}

static void add_event(struct store *s, enum event_kind kind,
        const struct note *n)
{
    sqlite3_stmt *st = store_kept(s, &s->add_event,
            "INSERT INTO events VALUES (?1,?2,?3,?4,?5,?6,?7)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, ++s->events, true);
    store_bind_u64(st, 3, kind, true);
    store_bind_u64(st, 4, n->process, true);
    store_bind_u64(st, 5, n->thread, true);
    store_bind_u64(st, 6, n->time_ns, true);
    store_bind_text_number(s, st, 7, n->text);
    store_step_kept(s, st);
}

void store_add_mark(struct store *s, const struct note *n)
{
    add_event(s, EVENT_MARK, n);
}

void store_add_thread(struct store *s, const struct note *n)
{
    add_event(s, EVENT_THREAD, n);
}
