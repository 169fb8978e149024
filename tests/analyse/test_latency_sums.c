/* test_latency_sums.c -- latencies by second, minute and hour: against the
 * inferences themselves. */
#include "analyse/latency_sums.h"

#include "analyse/counting.h"
#include "base/compiler.h"
#include "base/hist.h"
#include "stored.h"

#include <errno.h>
#include <stdlib.h>

#define S     UINT64_C(1000000000)
#define COUNT 20000 /* in two hours and some */

static struct inference made[COUNT];

static void make(void)
{
    uint64_t seed = 17;

    for (size_t i = 0; i < COUNT; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        made[i] = (struct inference){
            .number = i + 1,
            .session = 1 + (i % 7 == 0),
            .phase = i % 3 ? PHASE_DECODE : PHASE_PREFILL,
            .flags = (uint16_t)(i % 100 == 3   ? FLAG_FAILED
                                : i % 100 == 4 ? FLAG_STATS
                                : i % 10 == 5  ? FLAG_TRACED
                                               : 0),
            .duration_ns = 1000 + (seed >> 40),
        };
        made[i].start_ns = i * (2 * 3600 * S / COUNT + 77777);
    }
}

struct seen {
    uint64_t count, failed, looked_at, sum_ns, rows;
    struct hist hist;
    uint32_t width_s;
};

static void take(void *to, const struct latency_sum *x)
{
    struct seen *s = to;

    CHECK_INT(x->width_s, s->width_s);
    s->rows++;
    s->count += x->count;
    s->failed += x->failed;
    s->looked_at += x->looked_at;
    s->sum_ns += x->sum_ns;
    CHECK(!x->count || (x->min_ns <= x->max_ns && x->spread));
    if (x->spread)
        CHECK_INT(hist_read(&s->hist, str_of(x->spread)), 0);
}

static bool counts(const struct inference *i)
{
    return !(i->flags & (FLAG_FAILED | FLAG_STATS));
}

/* A stretch that both ends of which are those of rows. */
static void check_within(struct store *s, int64_t run, uint32_t width_s,
        uint64_t from_s, uint64_t to_s)
{
    static struct seen seen;
    struct hist *whole = calloc(1, sizeof(*whole));
    uint64_t failed = 0, looked_at = 0, sum_ns = 0;

    memset(&seen, 0, sizeof(seen));
    seen.width_s = width_s;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t end_ns = made[i].start_ns + made[i].duration_ns;

        if (end_ns < from_s * S || end_ns >= to_s * S)
            continue;
        failed += (made[i].flags & FLAG_FAILED) != 0;
        looked_at += (made[i].flags & FLAG_STATS) != 0;
        if (counts(&made[i])) {
            hist_add(whole, made[i].duration_ns);
            sum_ns += made[i].duration_ns;
        }
    }
    CHECK_INT(store_each_latency_within(s, run, width_s, from_s * S, to_s * S,
                      take, &seen, NULL),
            0);
    CHECK(seen.rows > 0 && whole->count > 0);
    CHECK_INT(seen.count, whole->count);
    CHECK_INT(seen.failed, failed);
    CHECK_INT(seen.looked_at, looked_at);
    CHECK_INT(seen.sum_ns, sum_ns);
    CHECK(memcmp(seen.hist.bucket, whole->bucket, sizeof(whole->bucket)) == 0);
    free(whole);
}

struct part {
    uint64_t from_ns, to_ns, found, read;
};

static void take_part(void *to, const struct inference *i)
{
    struct part *p = to;
    uint64_t end_ns = i->start_ns + i->duration_ns;

    p->read++;
    p->found += end_ns >= p->from_ns && end_ns < p->to_ns;
}

/* A part of the inferences, without reading all. */
static void check_part(struct store *s, int64_t run, uint64_t from_s,
        uint64_t to_s)
{
    struct part p = { from_s * S, to_s * S, 0, 0 };
    uint64_t want = 0;

    for (size_t i = 0; i < COUNT; i++) {
        uint64_t end_ns = made[i].start_ns + made[i].duration_ns;

        want += end_ns >= p.from_ns && end_ns < p.to_ns;
    }
    CHECK_INT(store_each_inference_within(s, run, p.from_ns, p.to_ns, take_part,
                      &p, NULL),
            0);
    CHECK_INT(p.found, want);
    CHECK(p.read < want + 2 * 4096 + 100);
}

static void check_counting(struct store *s, int64_t run)
{
    struct counting *all = NULL, *sums = NULL;

    CHECK_INT(counting_read(&all, s, run, NULL), 0);
    CHECK_INT(counting_read_sums(&sums, s, run, NULL), 0);
    for (uint32_t i = 1; i <= 2; i++) {
        struct counting_session a = counting_session(all, i);
        struct counting_session b = counting_session(sums, i);

        CHECK_INT(a.plain, b.plain);
        CHECK_INT(a.traced, b.traced);
        CHECK_INT(a.looked_at, b.looked_at);
        CHECK_INT(a.left_out, b.left_out);
        CHECK_INT(a.marked, b.marked);
        CHECK(a.median_ns == b.median_ns);
    }
    for (size_t i = 0; i < COUNT; i += 13)
        CHECK_INT(counting_of(all, &made[i]), counting_of(sums, &made[i]));
    counting_free(all);
    counting_free(sums);
}

int main(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run none = stored_run(s, 1), r = stored_run(s, 2);
    struct counting *c = NULL;
    struct latency_sums *l = latency_sums_new(s);
    struct subscriber to = latency_sums_subscriber(l);

    make();
    for (uint32_t i = 1; i <= 2; i++)
        store_add_session(s, &(struct session){ .id = i, .process = 1 });
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t now_ns = made[i].start_ns + made[i].duration_ns;

        (void)store_add_inference(s, &made[i]);
        to.inference(to.context, &made[i]);
        to.tick(to.context, &now_ns);
    }
    to.session_end(to.context, &(struct session){ .id = 2 });
    to.end(to.context, &(struct run_end){ 0 });
    stored_flush(s);
    latency_sums_free(l);

    check_within(s, r.row, 1, 0, 3 * 3600);
    check_within(s, r.row, 1, 100, 777);
    check_within(s, r.row, 60, 60, 3000);
    check_within(s, r.row, 3600, 3600, 7200);
    check_part(s, r.row, 0, 20);
    check_part(s, r.row, 1000, 1020);
    check_part(s, r.row, 7000, 9000);
    check_counting(s, r.row);
    CHECK_INT(counting_read_sums(&c, s, none.row, NULL), -ENOENT);
    store_close(s);
    tree_close(&t);
    return test_result();
}
