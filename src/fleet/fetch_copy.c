#include "fleet/fetch_copy.h"

#include "base/alloc.h"
#include "fleet/layout.h"
#include "fleet/row_binary.h"
#include "os/process/child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- from an answer to rows ----------------------------------------------- */

struct reading_in {
    const struct stored_table *table;
    struct row_writer *writer;
    struct stored_cell *cells;
    struct buf left;      /* the beginning of a row, from the last piece */
    size_t status, meter; /* columns of a run; SIZE_MAX: of no run */
};

static size_t column_index(const struct stored_table *t, const char *name)
{
    for (size_t i = 0; t->is_runs && i < t->count; i++)
        if (strcmp(t->columns[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* Whether its meter still lives can only be seen on its own machine, which
 * tells us when it is over.  The store looks for the meter's process here. */
static void mind_the_meter(const struct reading_in *in)
{
    if (in->status != SIZE_MAX && in->meter != SIZE_MAX &&
            in->cells[in->status].integer == RUN_RUNNING)
        in->cells[in->meter].integer = own_pid();
}

static int take_rows(void *to, struct str piece, struct error *e)
{
    struct reading_in *in = to;
    struct str rest = piece, id;
    int rc;

    if (in->left.len) {
        buf_add(&in->left, piece.p, piece.len);
        rest = buf_str(&in->left);
    }
    while ((rc = row_binary_take(&id, in->cells, in->table, &rest)) == 1) {
        mind_the_meter(in);
        rc = row_writer_put(in->writer, id, in->cells, e);
        if (rc)
            return rc;
    }
    if (rc < 0)
        return fail(e, rc, "the server's rows of %s cannot be read",
                in->table->name);

    struct buf left = { 0 };

    buf_add(&left, rest.p, rest.len);
    buf_release(&in->left);
    in->left = left;
    return 0;
}

static int copy_rows(struct store *s, struct clickhouse *c,
        const struct stored_table *t, const char *sql, struct error *e)
{
    struct reading_in in = {
        .table = t,
        .cells = alloc_zero(t->count, sizeof(*in.cells)),
        .status = column_index(t, "status"),
        .meter = column_index(t, "meter_pid"),
    };
    int rc = row_writer_open(&in.writer, s, t, e);

    if (!rc)
        rc = clickhouse_select(c, sql, take_rows, &in, e);
    if (!rc && in.left.len)
        rc = fail(e, -EBADMSG, "the server's rows of %s end in the middle",
                t->name);
    row_writer_close(in.writer);
    buf_release(&in.left);
    free(in.cells);
    return rc;
}

/* --- a copy of the tables ------------------------------------------------- */

/* Columns that the server does not have, because only older ones of us wrote
 * to it, are left out: nothing is known of them. */
static void keep_known(struct fetch_copy *x, struct stored_table *t)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->count; i++) {
        struct stored_column *c = &t->columns[i];

        if (layout_has(buf_str(&x->there), t->name, c->name)) {
            struct stored_column keep = *c;

            *c = t->columns[kept];
            t->columns[kept++] = keep;
        }
    }
    for (size_t i = kept; i < t->count; i++) {
        free(t->columns[i].name);
        free(t->columns[i].kept_in);
        free(t->columns[i].kept_as);
    }
    t->count = kept;
}

static int copy_table(struct fetch_copy *x, struct stored_table *t,
        const char *more, struct error *e)
{
    const char *between = " ORDER BY ";
    struct buf sql = { 0 };

    if (!layout_has(buf_str(&x->there), t->name, NULL))
        return 0;
    keep_known(x, t);
    buf_text(&sql, "SELECT `run_id`");
    for (size_t i = 0; i < t->count; i++)
        buf_printf(&sql, ", `%s`", t->columns[i].name);
    buf_printf(&sql, " FROM `%s` FINAL%s", t->name, buf_cstr(&x->where));
    for (size_t i = 0; !*more && i < t->count; i++)
        if (t->columns[i].key) {
            buf_printf(&sql, "%s`%s`", between, t->columns[i].name);
            between = ", ";
        }
    buf_printf(&sql, "%s FORMAT RowBinary", more);

    int rc = copy_rows(x->store, x->clickhouse, t, buf_cstr(&sql), e);

    buf_release(&sql);
    return rc;
}

int fetch_copy_open(struct fetch_copy *x, struct clickhouse *c, struct error *e)
{
    const struct address *a = clickhouse_address(c);
    int rc;

    x->clickhouse = c;
    rc = store_open_copy(&x->store, e);
    if (!rc)
        rc = store_tables(&x->tables, x->store, e);
    if (!rc)
        rc = layout_read(c, &x->there, e);
    if (!rc && !layout_has(buf_str(&x->there),
                       x->tables.items[x->tables.count - 1].name, NULL))
        rc = fail(e, -ENOENT, "%s holds no runs yet", a->name);
    return rc;
}

void fetch_copy_end(struct fetch_copy *x, int rc, struct store **out)
{
    if (rc)
        store_close(x->store);
    else
        *out = x->store;
    tables_release(&x->tables);
    buf_release(&x->there);
    buf_release(&x->where);
}

/* They come last in the list of tables. */
int fetch_copy_runs(struct fetch_copy *x, const char *more, struct error *e)
{
    return copy_table(x, &x->tables.items[x->tables.count - 1], more, e);
}

int fetch_copy_others(struct fetch_copy *x, const char *const *names,
        struct error *e)
{
    int rc = 0;

    for (size_t i = 0; !rc && i + 1 < x->tables.count; i++) {
        const char *const *n = names;

        while (n && *n && strcmp(*n, x->tables.items[i].name) != 0)
            n++;
        if (!names || *n)
            rc = copy_table(x, &x->tables.items[i], "", e);
    }
    return rc;
}
