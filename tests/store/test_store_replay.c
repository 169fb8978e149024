/* test_store_replay.c -- a stored run is told to subscribers as it was told
 * when it was recorded: a store that subscribes has the same run afterwards. */
#include "store/replay.h"

#include "base/buf.h"
#include "base/compiler.h"
#include "full_run.h"
#include "store/subscriber.h"
#include "store/table.h"

#include <errno.h>
#include <inttypes.h>

/* --- into another store --------------------------------------------------- */

/* What is computed when a run has ended, or said of how it was recorded, is no
 * event of it.  Marks and names of threads are numbered together, and told one
 * kind after the other. */
static bool is_beside(const char *table)
{
    static const char *const names[] = { "profiling_runs", "run_figures",
        "power_samples", "layer_metrics", "component_metrics",
        "deep_operation_metrics", "latency_sums", "settings", "sampler_rates",
        "events" };

    for (size_t i = 0; i < LEN(names); i++)
        if (strcmp(table, names[i]) == 0)
            return true;
    return false;
}

struct printed {
    const struct stored_table *table;
    struct buf text;
};

static void print_row(void *to, const struct stored_cell *cells)
{
    struct printed *p = to;

    for (size_t i = 0; i < p->table->count; i++) {
        const struct stored_cell *c = &cells[i];

        if (!c->there)
            buf_text(&p->text, "-");
        else if (p->table->columns[i].kind == COLUMN_INTEGER)
            buf_printf(&p->text, "%" PRId64, c->integer);
        else if (p->table->columns[i].kind == COLUMN_REAL)
            buf_printf(&p->text, "%.17g", c->real);
        else
            buf_printf(&p->text, "%.*s", (int)c->text.len, c->text.p);
        buf_text(&p->text, i + 1 < p->table->count ? "|" : "\n");
    }
}

static struct buf rows_of(struct store *s, const struct stored_table *t,
        int64_t run)
{
    struct printed p = { .table = t };

    CHECK_INT(
            store_each_row(s, t, run, 0, UINT64_MAX >> 1, print_row, &p, NULL),
            0);
    return p.text;
}

/* Returns how many tables had rows. */
static size_t same_tables(struct store *a, int64_t run_a, struct store *b,
        int64_t run_b)
{
    struct stored_tables all = { 0 };
    size_t count = 0;

    CHECK_INT(store_tables(&all, a, NULL), 0);
    for (size_t i = 0; i < all.count; i++) {
        const struct stored_table *t = &all.items[i];

        if (is_beside(t->name))
            continue;

        struct buf was = rows_of(a, t, run_a), is = rows_of(b, t, run_b);

        if (!str_eq(buf_str(&was), buf_str(&is)))
            (void)fprintf(stderr, "%s was\n%sand is\n%s", t->name,
                    buf_cstr(&was), buf_cstr(&is));
        CHECK(str_eq(buf_str(&was), buf_str(&is)));
        count += was.len > 0;
        buf_release(&was);
        buf_release(&is);
    }
    tables_release(&all);
    return count;
}

static void copied_by_events(void)
{
    struct tree from = tree_open(), to = tree_open();
    struct store *a = stored_open(&from, STORE_WRITE);
    struct store *b = stored_open(&to, STORE_WRITE);
    int64_t run = full_run(a, 1000);
    struct run copy = stored_run(b, 1000);
    struct store_subscriber into;

    store_subscribe(&into, b);
    CHECK_INT(store_replay_to(a, run, &into.to, NULL), 0);
    CHECK(!into.failed);
    CHECK(same_tables(a, run, b, copy.row) > 15);
    store_close(a);
    store_close(b);
    tree_close(&from);
    tree_close(&to);
}

/* --- who is told what ----------------------------------------------------- */

struct heard {
    uint64_t count[EVENTS], all;
    uint64_t first, last; /* events */
    uint64_t inference;
};

static void hear(struct heard *h, enum run_event event)
{
    if (!h->all++)
        h->first = event;
    h->last = event;
    h->count[event]++;
}

#define X(event, type)                                \
    static void hear_##event(void *to, const type *x) \
    {                                                 \
        (void)x;                                      \
        hear(to, EVENT_##event);                      \
    }
SUBSCRIBER_EVENTS(X)
#undef X

static void hear_in_order(void *to, const struct inference *i)
{
    struct heard *h = to;

    CHECK_INT(i->number, ++h->inference);
}

static void each_is_told_what_it_wants(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    int64_t run = full_run(s, 1000);
    struct heard all = { 0 }, few = { 0 };
    struct subscriber to_all = { .context = &all,
#define X(event, type) .event = hear_##event,
        SUBSCRIBER_EVENTS(X)
#undef X
    };
    struct subscriber to_few = { .context = &few, .inference = hear_in_order };
    struct error e = { 0 };

    CHECK_INT(store_replay(s, run,
                      &(struct subscribers){ { &to_all, &to_few }, 2 }, &e),
            0);
    CHECK_INT(all.first, EVENT_begin);
    CHECK_INT(all.last, EVENT_close);
    CHECK_INT(all.count[EVENT_inference], 12);
    CHECK_INT(all.count[EVENT_ran_operator], 12 * 8);
    CHECK_INT(all.count[EVENT_process_end], 2);
    CHECK_INT(all.count[EVENT_language], 1);
    CHECK_INT(all.count[EVENT_mark], 2);
    CHECK_INT(all.count[EVENT_thread], 2);
    CHECK_INT(all.count[EVENT_end], 1);
    CHECK_INT(all.count[EVENT_readings], 0); /* not all were stored */
    CHECK(all.count[EVENT_changes] > 0);
    CHECK_INT(few.inference, 12);
    store_close(s);

    /* Nobody asks for a table that nobody wants; and who cannot be told all is
     * not told that it is over. */
    stored_change(&t, "UPDATE operator_runs SET thread = -1");
    s = stored_open(&t, STORE_READ);
    few = all = (struct heard){ 0 };
    CHECK_INT(store_replay_to(s, run, &to_few, &e), 0);
    CHECK_INT(few.inference, 12);
    CHECK(store_replay_to(s, run, &to_all, &e) < 0);
    CHECK_INT(all.count[EVENT_close], 0);
    CHECK_INT(store_replay_to(s, run + 1, &to_few, &e), -ENOENT);
    store_close(s);
    tree_close(&t);
}

int main(void)
{
    copied_by_events();
    each_is_told_what_it_wants();
    return test_result();
}
