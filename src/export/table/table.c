/* table.c -- from the rows of a run to their cells. */
#include "export/table/table.h"

#include "base/utf8.h"

#include <string.h>

const struct table *table_find(const char *name)
{
    for (const struct table *const *t = tables; *t; t++)
        if (strcmp((*t)->type->name, name) == 0)
            return *t;
    return NULL;
}

void tables_text(struct buf *out)
{
    for (const struct table *const *t = tables; *t; t++)
        buf_printf(out, "  %-18s %s\n", (*t)->type->name, (*t)->type->about);
}

/* --- to cells ------------------------------------------------------------- */

struct filling {
    const struct table *table;
    row_taker *take;
    void *context;
    int64_t started_wall_ns;
    int64_t number;
    struct cell cells[ROW_COLUMNS_MAX];
    struct buf mended[ROW_COLUMNS_MAX]; /* texts that were no UTF-8 */
};

/* A text of somebody else's, which may be no UTF-8. */
static void mend(struct filling *f, size_t i)
{
    struct cell *cell = &f->cells[i];

    if (utf8_is_sound(cell->text))
        return;
    buf_clear(&f->mended[i]);
    utf8_add(&f->mended[i], cell->text);
    cell->text = buf_str(&f->mended[i]);
}

static void fill(struct filling *f, size_t i, const void *row)
{
    const struct column *c = &f->table->type->columns[i];

    f->cells[i] = column_get(c, row, f->number, f->started_wall_ns);
    if (c->type == COLUMN_TEXT && f->cells[i].known)
        mend(f, i);
}

static void take_struct(void *to, const void *row)
{
    struct filling *f = to;

    f->number++;
    for (size_t i = 0; i < f->table->type->count; i++)
        fill(f, i, row);
    f->take(f->context, f->cells);
}

static void take_start(void *to, const struct run *r)
{
    *(int64_t *)to = (int64_t)r->started_wall_ns;
}

int table_each_row(const struct table *t, struct store *s, int64_t run,
        row_taker *take, void *context, struct error *e)
{
    struct filling f = { .table = t, .take = take, .context = context };
    int rc = store_read_run(s, run, take_start, &f.started_wall_ns, e);

    if (!rc)
        rc = t->each ? t->each(s, run, take_struct, &f, e)
                     : store_each(s, run, t->type, take_struct, &f, e);
    for (size_t i = 0; i < ROW_COLUMNS_MAX; i++)
        buf_release(&f.mended[i]);
    return rc;
}

bool table_takes_rows(const struct table *t)
{
    return !t->each || t->add;
}

void table_add(const struct table *t, struct store *s, const void *row)
{
    if (t->each)
        t->add(s, row);
    else
        store_put(s, t->type, row);
}
