/* test_store_described.c -- rows of every type that is described: what is
 * written is what is read, every column of it, and those that are not known. */
#include "model/phase.h"
#include "model/rows.h"
#include "stored.h"

#define TEXT_LEN 24

/* A value for a column, another one for another number. */
static struct cell made_cell(const struct column *c, unsigned number,
        char text[TEXT_LEN])
{
    struct cell cell = { .known = true };

    switch (c->type) {
    case COLUMN_INT:
    case COLUMN_TIME: cell.number = number % 200 + 1; break;
    case COLUMN_REAL: cell.real = number + 0.125; break;
    case COLUMN_BOOL: cell.truth = number & 1; break;
    case COLUMN_TEXT:
        (void)snprintf(text, TEXT_LEN, "[\"%u, %u\"]", number, number);
        cell.text = str_of(c->form == FORM_PHASE
                                   ? phase_name((enum phase)(number % PHASES))
                                   : text);
        break;
    }
    return cell;
}

/* A row of made values; a sparse one knows only what it has to. */
struct made_row {
    uint64_t row[ROW_COLUMNS_MAX * 4];
    char texts[ROW_COLUMNS_MAX][TEXT_LEN];
};

static void make_row(struct made_row *m, const struct row_type *t,
        unsigned seed, bool sparse)
{
    CHECK(t->size <= sizeof(m->row));
    memset(m, 0, sizeof(*m));
    for (size_t i = 0; i < t->count; i++) {
        const struct column *c = &t->columns[i];
        struct cell cell = made_cell(c, (unsigned)(seed + i), m->texts[i]);

        if (sparse && column_nullable(c) && !c->key)
            cell = (struct cell){ 0 };
        CHECK_INT(column_put(c, m->row, &cell), 0);
    }
}

static bool same_cell(const struct column *c, const void *a, const void *b)
{
    struct cell x = column_get_plain(c, a, 1), y = column_get_plain(c, b, 1);

    if (!x.known || !y.known)
        return x.known == y.known;
    switch (column_plain_type(c)) {
    case COLUMN_REAL: return x.real == y.real;
    case COLUMN_TEXT: return str_eq(x.text, y.text);
    default: return x.number == y.number;
    }
}

struct expected {
    const struct row_type *type;
    const struct made_row *rows;
    size_t count, seen;
};

static void take(void *to, const void *row)
{
    struct expected *x = to;

    CHECK(x->seen < x->count);
    for (size_t i = 0; x->seen < x->count && i < x->type->count; i++) {
        const struct column *c = &x->type->columns[i];

        if (!same_cell(c, row, x->rows[x->seen].row)) {
            (void)fprintf(stderr, "%s.%s of row %zu\n", x->type->name, c->name,
                    x->seen);
            CHECK(false);
        }
    }
    x->seen++;
}

static void read_back(struct store *s, int64_t run, const struct row_type *t,
        const struct made_row *rows, size_t count)
{
    struct expected x = { t, rows, count, 0 };

    CHECK_INT(store_each(s, run, t, take, &x, NULL), 0);
    CHECK_INT(x.seen, count);
}

static void round_trip(struct store *s, int64_t run, const struct row_type *t)
{
    static struct made_row rows[3];
    bool only_keys = true;

    /* Their keys grow, but where a phase or a bool is among them. */
    make_row(&rows[0], t, 0, false);
    make_row(&rows[1], t, 10, true);
    make_row(&rows[2], t, 20, false);
    for (size_t i = 0; i < LEN(rows); i++)
        store_put(s, t, rows[i].row);
    stored_flush(s);
    read_back(s, run, t, rows, LEN(rows));

    /* The same key again: the row is another one now. */
    for (size_t i = 0; i < t->count; i++) {
        const struct column *c = &t->columns[i];

        if (c->key)
            continue;

        struct cell cell = made_cell(c, (unsigned)i + 77, rows[1].texts[i]);

        only_keys = false;
        CHECK_INT(column_put(c, rows[1].row, &cell), 0);
    }
    store_put(s, t, rows[1].row);
    stored_flush(s);
    read_back(s, run, t, rows, LEN(rows));
    CHECK(!only_keys || t->count == 2);
}

static void every_type(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run first = stored_run(s, 1);
    struct run r = stored_run(s, 2);
    size_t types = 0;

    for (const struct row_type *const *type = row_types; *type; type++) {
        round_trip(s, r.row, *type);
        read_back(s, first.row, *type, NULL, 0);
        types++;
    }
    CHECK(types >= 7);
    store_close(s);
    CHECK_INT(
            stored_number(&t, "SELECT count(*) FROM pragma_foreign_key_check"),
            0);
    CHECK_INT(
            stored_number(&t,
                    "SELECT count(*) FROM operator_sums WHERE spread IS NULL"),
            0);
    CHECK_INT(stored_number(&t,
                      "SELECT count(*) FROM operators WHERE node_index IS NULL"
                      " AND name IS NOT NULL"),
            0);
    tree_close(&t);
}

int main(void)
{
    every_type();
    return test_result();
}
