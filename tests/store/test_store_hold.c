/* test_store_hold.c -- inferences that are read once and gone over often. */
#include "stored.h"

#include <stdlib.h>
#include <string.h>

static void add(struct store *s, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        (void)store_add_inference(s, &(struct inference){ .session = 1,
                                             .process = 1,
                                             .start_ns = 10 * i,
                                             .duration_ns = 3 + i,
                                             .flags = i % 3 ? 0 : FLAG_FAILED,
                                             .error = i % 3   ? NULL
                                                      : i % 2 ? "odd"
                                                              : "even" });
    stored_flush(s);
}

struct seen {
    uint64_t count, ns, odd, even;
};

static void take(void *to, const struct inference *i)
{
    struct seen *x = to;

    x->count++;
    x->ns += i->duration_ns;
    x->odd += i->error && strcmp(i->error, "odd") == 0;
    x->even += i->error && strcmp(i->error, "even") == 0;
}

static struct seen look(struct store *s, int64_t run)
{
    struct seen x = { 0 };

    CHECK_INT(store_each_inference(s, run, take, &x, NULL), 0);
    return x;
}

int main(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run first = stored_run(s, 1);
    struct seen read, held;

    add(s, 13);
    read = look(s, first.row);
    CHECK_INT(read.count, 13);
    CHECK_INT(read.odd, 2);
    CHECK_INT(read.even, 3);
    CHECK_INT(store_hold_inferences(s, first.row, NULL), 0);
    held = look(s, first.row);
    CHECK(memcmp(&read, &held, sizeof(read)) == 0);

    /* What is held stays as it was; another run is read as ever. */
    add(s, 4);
    CHECK_INT(look(s, first.row).count, 13);
    CHECK_INT(look(s, first.row + 1).count, 0);
    CHECK_INT(store_hold_inferences(s, first.row, NULL), 0);
    CHECK_INT(look(s, first.row).count, 17);
    CHECK_INT(store_hold_inferences(s, first.row + 1, NULL), 0);
    CHECK_INT(look(s, first.row + 1).count, 0);
    add(s, 1);
    CHECK_INT(look(s, first.row).count, 18);
    store_drop_inferences(s);
    store_drop_inferences(s);
    CHECK_INT(store_hold_inferences(s, first.row, NULL), 0);
    store_close(s); /* which drops them, too */
    tree_close(&t);
    return test_result();
}
