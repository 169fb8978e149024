/* mirror_clickhouse.h -- for tests: a server that has the rows of one run of a
 * local database, and changes those it pleases on their way out. */
#pragma once

#include "fake_clickhouse.h"
#include "fleet/row_binary.h"
#include "stored.h"

struct mirror {
    struct fake fake;
    struct stored_tables tables;
    struct buf *rows; /* of each table */
    char id[RUN_ID_LEN + 1];
    /* Called for each row as it is loaded; may be NULL. */
    void (*change)(void *context, const struct stored_table *t, size_t row,
            struct stored_cell *cells);
    void *context;
    struct { /* while it is loaded */
        size_t table, row;
    } at;
    /* Once all is there, who serves it may cut it, or write into it. */
    void (*spoil)(void *context, const struct stored_table *t,
            struct buf *rows);
};

static inline void mirror_add(void *to, const struct stored_cell *cells)
{
    struct mirror *m = to;
    const struct stored_table *t = &m->tables.items[m->at.table];
    struct stored_cell *own = malloc(t->count * sizeof(*own));

    memcpy(own, cells, t->count * sizeof(*own));
    if (m->change)
        m->change(m->context, t, m->at.row, own);
    m->at.row++;
    buf_add(&m->rows[m->at.table], m->id, RUN_ID_LEN);
    row_binary_cells(&m->rows[m->at.table], t, own);
    free(own);
}

static inline void mirror_release(struct mirror *m)
{
    for (size_t i = 0; i < m->tables.count; i++)
        buf_release(&m->rows[i]);
    free(m->rows);
    tables_release(&m->tables);
}

/* `change` and what belongs to it is set before. */
static inline void mirror_load(struct mirror *m, struct store *s, int64_t run)
{
    CHECK_INT(store_tables(&m->tables, s, NULL), 0);
    m->rows = calloc(m->tables.count, sizeof(*m->rows));
    for (m->at.table = 0; m->at.table < m->tables.count; m->at.table++) {
        m->at.row = 0;
        CHECK_INT(store_each_row(s, &m->tables.items[m->at.table], run, 0,
                          UINT64_MAX, mirror_add, m, NULL),
                0);
        if (m->spoil)
            m->spoil(m->context, &m->tables.items[m->at.table],
                    &m->rows[m->at.table]);
    }
}

static inline void mirror_columns(const struct mirror *m, struct buf *body)
{
    for (size_t i = 0; i < m->tables.count; i++)
        for (size_t j = 0; j < m->tables.items[i].count; j++)
            buf_printf(body, "%s\t%s\n", m->tables.items[i].name,
                    m->tables.items[i].columns[j].name);
}

static inline void mirror_answer(void *to, const char *asked, struct buf *body)
{
    struct mirror *m = to;

    if (strstr(asked, "version()")) {
        buf_text(body, "26.7.2.14\nasync_insert\nLowCardinality\n");
    } else if (strstr(asked, "system.columns")) {
        mirror_columns(m, body);
    } else if (strstr(asked, "FORMAT RowBinary")) {
        for (size_t i = 0; i < m->tables.count; i++) {
            char from[80];

            (void)snprintf(from, sizeof(from), " FROM `%s` FINAL",
                    m->tables.items[i].name);
            if (strstr(asked, from))
                buf_add(body, m->rows[i].p, m->rows[i].len);
        }
    } else if (strstr(asked, "SELECT `run_id` FROM")) {
        buf_printf(body, "%s\n", m->id);
    }
}

/* Serves what is loaded; its address is clickhouse://127.0.0.1:PORT/d. */
static inline void mirror_serve(struct mirror *m)
{
    m->fake = (struct fake){ .make = mirror_answer, .context = m };
    fake_listen(&m->fake);
}
