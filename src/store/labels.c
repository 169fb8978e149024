/* labels.c -- what runs are found by: models, tags, experiments. */
#include "store/row.h"

/* Binds kind and name to ?1 and ?2 of a statement that is used once. */
static void change(struct store *s, const char *sql, const char *kind,
        struct str name, int64_t run)
{
    sqlite3_stmt *st = store_once(s, sql);

    if (!st)
        return;
    store_bind_text(st, 1, kind);
    (void)sqlite3_bind_text(st, 2, name.p, (int)name.len, SQLITE_TRANSIENT);
    if (run)
        (void)sqlite3_bind_int64(st, 3, run);
    store_finish(s, st);
}

void store_label(struct store *s, int64_t run, const char *kind,
        struct str name)
{
    change(s,
            "INSERT INTO labels (kind, name) VALUES (?1,?2)"
            " ON CONFLICT DO NOTHING",
            kind, name, 0);
    change(s,
            "INSERT INTO run_labels SELECT l.id, r.id, r.timestamp,"
            " r.duration_ns, r.total_energy_mj FROM labels l, profiling_runs r"
            " WHERE l.kind = ?1 AND l.name = ?2 AND r.id = ?3"
            " ON CONFLICT DO NOTHING",
            kind, name, run);
}

void store_label_tags(struct store *s, int64_t run, const char *tags)
{
    for (struct str rest = str_of(tags); rest.len;
            rest = str_after(rest, ',')) {
        struct str tag = str_trim(str_before(rest, ','));

        if (tag.len)
            store_label(s, run, "tag", tag);
    }
}

void store_label_keys(struct store *s, int64_t run)
{
    sqlite3_stmt *st = store_once(s,
            "UPDATE run_labels SET (duration_ns, total_energy_mj) ="
            " (SELECT duration_ns, total_energy_mj FROM profiling_runs"
            " WHERE id = ?1) WHERE run = ?1");

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, run);
    store_finish(s, st);
}

/* Takes all labels of that kind off the run, and those that no run has any
 * more out of the file. */
static void unlabel(struct store *s, int64_t run, const char *kind)
{
    sqlite3_stmt *st =
            store_once(s, "DELETE FROM run_labels WHERE run = ?1 AND label IN"
                          " (SELECT id FROM labels WHERE kind = ?2)");

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, run);
    store_bind_text(st, 2, kind);
    store_finish(s, st);
    st = store_once(s, "DELETE FROM labels WHERE kind = ?1 AND NOT EXISTS"
                       " (SELECT 1 FROM run_labels WHERE label = labels.id)");
    if (!st)
        return;
    store_bind_text(st, 1, kind);
    store_finish(s, st);
}

static void set_column(struct store *s, const char *sql, int64_t run,
        const char *text)
{
    sqlite3_stmt *st = store_once(s, sql);

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, run);
    store_bind_text(st, 2, text);
    store_finish(s, st);
}

int store_set_tags(struct store *s, int64_t row, const char *tags,
        struct error *e)
{
    store_begin(s);
    set_column(s, "UPDATE profiling_runs SET tags = ?2 WHERE id = ?1", row,
            tags);
    unlabel(s, row, "tag");
    if (tags)
        store_label_tags(s, row, tags);
    return store_flush(s, e);
}

int store_set_note(struct store *s, int64_t row, const char *note,
        struct error *e)
{
    store_begin(s);
    set_column(s, "UPDATE profiling_runs SET note = ?2 WHERE id = ?1", row,
            note);
    return store_flush(s, e);
}

int store_set_experiment(struct store *s, int64_t row, const char *name,
        struct error *e)
{
    store_begin(s);
    set_column(s,
            "UPDATE profiling_runs SET experiment_name = ?2 WHERE id = ?1", row,
            name);
    unlabel(s, row, "experiment");
    if (name)
        store_label(s, row, "experiment", str_of(name));
    return store_flush(s, e);
}
