/* test_store_table.c -- a run's rows go to a copy, whatever tables there are,
 * and nothing of them is lost; and how far they have been sent is kept. */
#include "store/table.h"

#include "stored_same.h"

#include "base/compiler.h"
#include "store/shipments.h"

#include <errno.h>

#define THERE "clickhouse://h:8123/d"

/* A run with a row in each table: the tables themselves tell of what. */
static int64_t fill(const struct tree *t)
{
    struct store *s = stored_open(t, STORE_WRITE);
    struct run r = stored_run(s, 1000);

    store_add_process(s, &(struct process){ .id = 1, .pid = 7 });
    store_add_library(s, &(struct library){ .id = 1, .process = 1 });
    store_add_session(s,
            &(struct session){ .id = 1, .process = 1, .model = "/m/a.onnx" });
    store_add_operator(s, &(struct operator){ .id = 1,
                                  .session = 1,
                                  .name = "conv",
                                  .op_type = "Conv",
                                  .node_index = UINT32_MAX });
    store_add_operator_edge(s, &(struct operator_edge){ .from = 1, .to = 1 });
    for (uint64_t i = 0; i < 5; i++) {
        (void)store_add_inference(s, &(struct inference){ .session = 1,
                                             .start_ns = i,
                                             .error = i == 3 ? "bad" : NULL });
        store_add_operator_run(s,
                &(struct operator_run){ .inference = i + 1, .operator_id = 1 });
    }
    store_add_section(s, &(struct section){ .process = 1, .name = "load" });
    store_add_token(s, &(struct token){ .index = 1, .id = -5, .text = "Hi" });
    store_add_mark(s, &(struct note){ .process = 1, .text = "mark" });
    store_add_rollup(s,
            &(struct rollup){ .metric = 1, .count = 3, .min = 0.5 });
    stored_flush(s);
    r.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    store_close(s);
    return r.row;
}

/* --- tables --------------------------------------------------------------- */

static const struct stored_table *find(const struct stored_tables *all,
        const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->items[i].name, name) == 0)
            return &all->items[i];
    return NULL;
}

static const struct stored_column *find_column(const struct stored_table *t,
        const char *name)
{
    for (size_t i = 0; t && i < t->count; i++)
        if (strcmp(t->columns[i].name, name) == 0)
            return &t->columns[i];
    return NULL;
}

static void told(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct stored_tables all;

    CHECK_INT(store_tables(&all, s, NULL), 0);
    CHECK(all.count > 10 && all.items[all.count - 1].is_runs);
    CHECK(!find(&all, "texts") && !find(&all, "shipments"));
    CHECK(!find(&all, "shipment_marks") && !find(&all, "run_labels"));
    for (size_t i = 0; i < all.count; i++) {
        const struct stored_table *x = &all.items[i];
        size_t keys = 0;

        for (size_t j = 0; j < x->count; j++)
            keys += x->columns[j].key;
        /* Else rows of a run would be taken for each other. */
        CHECK(x->is_runs || keys > 0);
        CHECK(!x->numbered ||
                (keys == 1 && strcmp(x->columns[0].name, "number") == 0));
        CHECK(!find_column(x, "run") && !find_column(x, "run_id"));
    }

    const struct stored_column *name =
            find_column(find(&all, "operators"), "op_type");
    const struct stored_column *host =
            find_column(find(&all, "profiling_runs"), "host_id");
    const struct stored_column *least =
            find_column(find(&all, "rollups"), "min");

    CHECK(name && name->kind == COLUMN_NAME && name->nullable &&
            strcmp(name->kept_in, "texts") == 0);
    CHECK(host && host->kind == COLUMN_NAME &&
            strcmp(host->kept_as, "info") == 0);
    CHECK(least && least->kind == COLUMN_REAL && !least->nullable);
    CHECK(find(&all, "operator_runs")->numbered);
    CHECK(!find(&all, "sessions")->numbered);
    tables_release(&all);
    store_close(s);
    tree_close(&t);
}

/* --- there and back ------------------------------------------------------- */

struct passing {
    struct row_writer *writer;
    uint64_t count;
};

static void pass(void *to, const struct stored_cell *cells)
{
    struct passing *p = to;

    p->count++;
    if (p->writer)
        CHECK_INT(row_writer_put(p->writer,
                          str_of("11111111-2222-4333-8444-555555555555"), cells,
                          NULL),
                0);
}

static void pass_table(struct store *from, struct store *to,
        const struct stored_table *x, int64_t run)
{
    struct passing p = { 0 };
    uint64_t count = 0;

    CHECK_INT(row_writer_open(&p.writer, to, x, NULL), 0);
    CHECK_INT(store_each_row(from, x, run, 0, UINT64_MAX, pass, &p, NULL), 0);
    CHECK_INT(store_count_rows(from, x, run, &count, NULL), 0);
    CHECK_INT(p.count, count);
    row_writer_close(p.writer);
}

struct found {
    uint64_t inferences, operators, errors, rollups;
};

static void take_inference(void *to, const struct inference *i)
{
    struct found *f = to;

    CHECK_INT(i->start_ns, f->inferences++);
    f->errors += i->error && strcmp(i->error, "bad") == 0;
}

static void take_operator(void *to, const struct operator* o)
{
    ((struct found *)to)->operators++;
    CHECK(same_text(o->op_type, "Conv") && same_text(o->name, "conv"));
    CHECK(!o->provider && o->node_index == UINT32_MAX && !o->sizes_known);
}

static void take_rollup(void *to, const struct rollup *r)
{
    ((struct found *)to)->rollups++;
    CHECK(r->min == 0.5 && r->count == 3);
}

static void take_line(void *to, const struct run_line *l)
{
    (void)to;
    CHECK_INT(l->inferences, 5);
    CHECK(same_text(l->models, "/m/a.onnx"));
    CHECK(same_text(l->run->command, "prog --flag"));
}

static void copied(void)
{
    struct tree t = tree_open();
    int64_t run = fill(&t), row = 0;
    struct store *from = stored_open(&t, STORE_READ), *to = NULL;
    struct stored_tables all;
    struct found f = { 0 };

    CHECK_INT(store_open_copy(&to, NULL), 0);
    CHECK_INT(store_tables(&all, from, NULL), 0);
    pass_table(from, to, &all.items[all.count - 1], run);
    for (size_t i = 0; i + 1 < all.count; i++)
        pass_table(from, to, &all.items[i], run);
    CHECK_INT(store_end_copy(to, NULL), 0);

    CHECK_INT(store_find_run(to, "11111111", &row, NULL), 0);
    CHECK_INT(store_each_inference(to, row, take_inference, &f, NULL), 0);
    CHECK_INT(store_each_operator(to, row, take_operator, &f, NULL), 0);
    CHECK_INT(store_each_rollup(to, row, take_rollup, &f, NULL), 0);
    CHECK_INT(f.inferences, 5);
    CHECK_INT(f.operators, 1);
    CHECK_INT(f.errors, 1);
    CHECK_INT(f.rollups, 1);
    CHECK_INT(store_list_runs(to,
                      &(struct run_filter){ .limit = 5, .model = "A.ONNX" },
                      take_line, NULL, NULL),
            0);
    tables_release(&all);
    store_close(from);
    store_close(to);
    tree_close(&t);
}

static void orphans(void)
{
    struct store *s = NULL;
    struct row_writer *w = NULL;
    struct stored_tables all;
    struct error e = { 0 };

    CHECK_INT(store_open_copy(&s, NULL), 0);
    CHECK_INT(store_tables(&all, s, NULL), 0);

    const struct stored_table *x = find(&all, "operator_edges");

    CHECK_INT(row_writer_open(&w, s, x, NULL), 0);
    CHECK_INT(row_writer_put(w, str_of("no such run"),
                      (struct stored_cell[4]){ { .there = true } }, &e),
            -ENOENT);
    CHECK(strstr(e.text, "operator_edges") != NULL);
    row_writer_close(w);
    tables_release(&all);
    store_close(s);
}

/* Only what was added since. */
static void parts(void)
{
    struct tree t = tree_open();
    int64_t run = fill(&t);
    struct store *s = stored_open(&t, STORE_READ);
    struct stored_tables all;
    struct passing p = { 0 };

    CHECK_INT(store_tables(&all, s, NULL), 0);

    const struct stored_table *x = find(&all, "operator_runs");

    CHECK_INT(store_each_row(s, x, run, 0, 2, pass, &p, NULL), 0);
    CHECK_INT(p.count, 2);
    CHECK_INT(store_each_row(s, x, run, 2, 100, pass, &p, NULL), 0);
    CHECK_INT(p.count, 5);
    CHECK_INT(store_each_row(s, x, run + 1, 0, 100, pass, &p, NULL), 0);
    CHECK_INT(p.count, 5);
    tables_release(&all);
    store_close(s);
    tree_close(&t);
}

/* --- what was sent -------------------------------------------------------- */

static int64_t next(struct store *s, int64_t after)
{
    struct shipment x;

    CHECK_INT(store_next_shipment(s, THERE, after, &x, NULL), 0);
    return x.run;
}

static void shipped(void)
{
    struct tree t = tree_open();
    int64_t run = fill(&t), again = fill(&t);
    struct store *s = stored_open(&t, STORE_WRITE);
    struct shipment_mark mark = { 7, 8 }, got;

    CHECK_INT(next(s, 0), 0);
    CHECK_INT(store_add_shipment(s, run, THERE, false, NULL), 0);
    CHECK_INT(store_add_shipment(s, again, "elsewhere", false, NULL), 0);
    CHECK_INT(next(s, 0), run);
    CHECK_INT(next(s, run), 0);
    CHECK_INT(store_put_mark(s, run, THERE, "inferences", &mark, NULL), 0);
    CHECK_INT(store_read_mark(s, run, THERE, "inferences", &got, NULL), 0);
    CHECK(got.number == 7 && got.digest == 8);
    CHECK_INT(store_read_mark(s, run, THERE, "tokens", &got, NULL), 0);
    CHECK(got.number == 0 && got.digest == 0);
    CHECK_INT(store_end_shipment(s, run, THERE, NULL), 0);
    CHECK_INT(next(s, 0), 0);

    /* Told once more, it has still arrived; unless all is wanted again. */
    CHECK_INT(store_add_shipment(s, run, THERE, false, NULL), 0);
    CHECK_INT(next(s, 0), 0);
    CHECK_INT(store_add_shipment(s, run, THERE, true, NULL), 0);
    CHECK_INT(next(s, 0), run);
    CHECK_INT(store_read_mark(s, run, THERE, "inferences", &got, NULL), 0);
    CHECK_INT(got.number, 0);

    CHECK_INT(store_add_all_shipments(s, THERE, NULL), 0);
    CHECK_INT(next(s, run), again);
    CHECK_INT(store_put_mark(s, again, THERE, "inferences", &mark, NULL), 0);
    CHECK_INT(store_delete_run(s, again, NULL), 0);
    CHECK_INT(next(s, run), 0);
    CHECK_INT(stored_number(&t, "SELECT (SELECT count(*) FROM shipments) * 10 +"
                                " (SELECT count(*) FROM shipment_marks)"),
            10);
    store_close(s);
    tree_close(&t);
}

/* One that we record is enrolled; one whose meter is gone is marked so. */
static void recorded(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run r = stored_run(s, 1000);
    struct shipment x;
    uint64_t count = 0;

    CHECK_INT(store_add_own_shipments(s, THERE, &count, NULL), 0);
    CHECK_INT(count, 1);
    CHECK_INT(store_next_shipment(s, THERE, 0, &x, NULL), 0);
    CHECK_INT(x.run, r.row);
    CHECK(x.own && strcmp(x.id, r.id) == 0 && x.started_wall_ns == 1000);

    /* Of a process that lives, but is not us: init. */
    stored_change(&t, "UPDATE profiling_runs SET meter_pid = 1");
    CHECK_INT(next(s, 0), 0);
    stored_change(&t, "UPDATE profiling_runs SET meter_pid = 4194305");
    CHECK_INT(next(s, 0), r.row);
    CHECK_INT(stored_number(&t, "SELECT status FROM profiling_runs"),
            RUN_INTERRUPTED);
    store_close(s);
    tree_close(&t);
}

int main(void)
{
    told();
    copied();
    orphans();
    parts();
    shipped();
    recorded();
    return test_result();
}
