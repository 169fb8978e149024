/* test_fleet_shipper.c -- what is recorded is sent, whatever the server does;
 * the real one is in e2e/clickhouse.sh. */
#include "fleet/shipper.h"

#include "os/clock.h"

#include "fake_clickhouse.h"
#include "stored.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

/* A server that has everything and as much of it as anybody asks. */
static const struct fake_answer willing[] = {
    { 200, "18.16.1\n", "version()" },
    { 200, "99\n", "SELECT count()" },
    { 200, "", NULL },
    { 0 },
};

/* One that does not take rows: it says so, hangs up, or loses them. */
static const struct fake_answer unwilling[] = {
    { 200, "18.16.1\n", "version()" },
    { 500, "Code: 252, e.displayText() = DB::Exception: Too many parts",
            "INSERT" },
    { 200, "", NULL },
    { 0 },
};
static const struct fake_answer silent[] = {
    { 200, "18.16.1\n", "version()" },
    { 0, "", "INSERT" },
    { 200, "", NULL },
    { 0 },
};
static const struct fake_answer forgetful[] = {
    { 200, "18.16.1\n", "version()" },
    { 200, "0\n", "SELECT count()" },
    { 200, "", NULL },
    { 0 },
};

static void record(struct store *s, struct run *r)
{
    *r = stored_run(s, 1000);
    for (uint64_t i = 0; i < 7; i++)
        (void)store_add_inference(s,
                &(struct inference){ .session = 1, .start_ns = i });
    stored_flush(s);
    r->status = RUN_COMPLETE;
    CHECK_INT(store_end_run(s, r, NULL), 0);
}

#define PATIENCE_NS (30 * SHIPPER_LAST_NS)

static struct shipper_outcome ship(const struct tree *t, unsigned port,
        bool recorded, uint64_t last_ns)
{
    struct shipper *shipper = NULL;
    struct shipper_outcome out;
    struct address a;
    struct run r = { 0 };
    struct store *s = stored_open(t, STORE_WRITE);
    char text[64];

    (void)snprintf(text, sizeof(text), "clickhouse://127.0.0.1:%u/d", port);
    CHECK_INT(address_parse(&a, str_of(text), NULL, NULL), 0);
    CHECK_INT(shipper_start(&shipper, stored_open(t, STORE_WRITE), &a, NULL),
            0);
    if (recorded)
        record(s, &r);
    shipper_stop(shipper, r.row, mono_ns() + last_ns, &out);
    address_release(&a);
    store_close(s);
    return out;
}

static size_t count(const struct buf *b, const char *what)
{
    size_t n = 0;
    const char *at = b->p;

    while ((at = memmem(at, b->len - (size_t)(at - b->p), what,
                    strlen(what)))) {
        n++;
        at++;
    }
    return n;
}

static void all_is_well(void)
{
    struct tree t = tree_open();
    struct fake f;
    struct shipper_outcome o;

    fake_start_as(&f, willing, true);
    o = ship(&t, f.port, true, PATIENCE_NS);
    CHECK(!o.failed);
    CHECK_INT(o.tally.runs, 1);
    CHECK_INT(o.tally.rows, 8); /* the run, too */
    CHECK_INT(count(&f.asked, "INSERT%20INTO%20%60inferences%60"), 1);
    CHECK_INT(count(&f.asked, "INSERT%20INTO%20%60profiling_runs%60"), 1);

    /* Nothing is new: nothing is sent. */
    o = ship(&t, f.port, false, PATIENCE_NS);
    CHECK(!o.failed && !o.tally.runs && !o.tally.rows);
    fake_stop(&f);
    shipper_stop(NULL, 1, 0, &o);
    CHECK(!o.failed);
    tree_close(&t);
}

/* It waits in the database until a server takes it. */
static void later(const struct fake_answer *server, const char *because)
{
    struct tree t = tree_open();
    struct fake f;
    struct shipper_outcome o;

    fake_start_as(&f, server, true);
    o = ship(&t, f.port, true, PATIENCE_NS);
    CHECK(o.failed && strstr(o.why.text, because));
    if (!strstr(o.why.text, because))
        (void)fprintf(stderr, "%s\n", o.why.text);
    CHECK_INT(o.tally.runs, 0);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM shipments"
                                " WHERE NOT arrived"),
            1);

    /* The same place, another time. */
    unsigned port = f.port;
    char sql[128];

    fake_stop(&f);
    fake_start_as(&f, willing, true);
    (void)snprintf(sql, sizeof(sql),
            "UPDATE shipments SET destination ="
            " replace(destination, '%u', '%u')",
            port, f.port);
    stored_change(&t, sql);
    stored_change(&t, "DELETE FROM shipment_marks");
    o = ship(&t, f.port, false, PATIENCE_NS);
    CHECK(!o.failed);
    CHECK_INT(o.tally.runs, 1);
    CHECK_INT(o.tally.rows, 8);
    fake_stop(&f);
    tree_close(&t);
}

/* Rows that the server had confirmed, and does not have: all of the table goes
 * once more, and then it is said. */
static void forgotten(void)
{
    struct tree t = tree_open();
    struct fake f;
    struct shipper_outcome o;

    fake_start_as(&f, forgetful, true);
    o = ship(&t, f.port, true, PATIENCE_NS);
    CHECK(o.failed && strstr(o.why.text, "of 7 rows of inferences") &&
            strstr(o.why.text, "has only 0"));
    CHECK_INT(count(&f.asked, "INSERT%20INTO%20%60inferences%60"), 2);
    fake_stop(&f);
    tree_close(&t);
}

/* All receivers together have one limit: what others took is not there for the
 * last. */
static void shared_time(void)
{
    for (uint64_t ns = 0; ns <= SHIPPER_LAST_NS; ns += SHIPPER_LAST_NS / 10)
        CHECK_INT(ns + shipper_left_ns(ns), SHIPPER_LAST_NS);
    CHECK_INT(shipper_left_ns(SHIPPER_LAST_NS + 1), 0);
    CHECK_INT(shipper_left_ns(UINT64_MAX), 0);
}

/* It takes connections, and never says anything: the end comes all the same,
 * and what was recorded waits. */
static void never(void)
{
    struct tree t = tree_open();
    struct shipper_outcome o;
    struct sockaddr_in a = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    CHECK_INT(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
    CHECK_INT(listen(fd, 8), 0);
    CHECK_INT(getsockname(fd, (struct sockaddr *)&a, &len), 0);
    o = ship(&t, ntohs(a.sin_port), true, 1);
    CHECK(o.failed && strstr(o.why.text, "is slow"));
    CHECK_INT(o.tally.rows, 0);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM shipments"
                                " WHERE NOT arrived"),
            1);
    (void)close(fd);
    tree_close(&t);
}

int main(void)
{
    (void)setenv("no_proxy", "127.0.0.1", 1);
    all_is_well();
    later(unwilling, "Too many parts");
    later(silent, "is away");
    forgotten();
    shared_time();
    never();
    return test_result();
}
