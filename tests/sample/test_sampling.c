/* test_sampling.c -- when samplers are read, with samplers and a clock that are
 * made up. */
#include "sample/sampling.h"

#include "base/compiler.h"
#include "live/board.h"
#include "os/clock.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

static uint64_t spent_ns; /* what we say that we used */
static uint64_t cost_ns;  /* of one read */
static int opened, closed;

struct count {
    uint64_t reads;
};

static int open_good(void *state, const struct sample_context *c,
        struct error *e)
{
    struct count *x = state;

    (void)e;
    CHECK_INT(x->reads, 0);
    CHECK(strcmp(c->root, "/recorded") == 0);
    opened++;
    return 0;
}

static int open_bad(void *state, const struct sample_context *c,
        struct error *e)
{
    (void)state;
    subjects_missing(c->subjects, METRIC_collector_resident_bytes, 0,
            "nobody knows");
    opened++;
    return fail(e, -ENODEV, "there is no such thing");
}

static void read_good(void *state, struct batch *out)
{
    struct count *x = state;

    spent_ns += cost_ns;
    batch_add(out, METRIC_collector_cpu_seconds_total, 0, (double)++x->reads);
}

/* More than there is room for at first. */
static void read_much(void *state, struct batch *out)
{
    (void)state;
    for (int i = 0; i < 6000; i++)
        batch_add(out, METRIC_collector_resident_bytes, 0, i);
}

static void close_any(void *state)
{
    (void)state;
    closed++;
}

static const struct sampler fast = { "fast", "", sizeof(struct count), 100,
    1000, open_good, read_good, close_any };
static const struct sampler slow = { "slow", "", sizeof(struct count), 10, 10,
    open_good, read_good, close_any };
static const struct sampler absent = { "absent", "", 0, 10, 10, open_bad,
    read_good, close_any };
static const struct sampler wide = { "wide", "", sizeof(struct count), 10, 10,
    open_good, read_much, close_any };

static const struct sampler *const three[] = { &fast, &absent, &slow, NULL };
static const struct sampler *const one[] = { &fast, NULL };
static const struct sampler *const big[] = { &wide, &wide, NULL };

static uint64_t spent(void)
{
    return spent_ns;
}

static struct sampling *start(struct sampling_plan plan)
{
    struct sampling *s = NULL;
    struct error e = { 0 };

    opened = closed = 0;
    plan.root = "/recorded";
    plan.cpu_ns = spent;
    CHECK_INT(sampling_open(&s, &plan, &e), 0);
    return s;
}

/* As if nothing else ever happened: always on time. */
static uint64_t live(struct sampling *s, uint64_t duration_ns)
{
    uint64_t from_ns = sampling_next_ns(s), steps = 0;

    while (sampling_next_ns(s) < from_ns + duration_ns) {
        (void)sampling_step(s, sampling_next_ns(s));
        steps++;
    }
    return steps;
}

static void check_rates(void)
{
    struct sampling *s = start((struct sampling_plan){ .table = three });

    cost_ns = 1000;
    CHECK_INT(opened, 3);
    CHECK_INT(sampling_source_count(s), 3);
    /* The slow one's moments are among those of the fast one. */
    CHECK_INT(live(s, 10 * SECOND), 1000);

    const struct sampling_source *x = sampling_source_at(s, 0);

    CHECK_INT(x->reads, 1000);
    CHECK_INT(x->missed, 0);
    CHECK(sampling_read_us(x) == 1);
    CHECK(fabs(sampling_effective_hz(x) - 100) < 1e-6);
    x = sampling_source_at(s, 2);
    CHECK_INT(x->reads, 100);
    CHECK(fabs(sampling_effective_hz(x) - 10) < 1e-6);
    x = sampling_source_at(s, 1);
    CHECK_INT(x->rc, -ENODEV);
    CHECK(strcmp(x->why.text, "there is no such thing") == 0);
    CHECK_INT(x->reads, 0);
    CHECK_INT(subjects_missing_count(sampling_subjects(s)), 1);
    CHECK(!sampling_targets(s));
    sampling_close(s);
    CHECK_INT(closed, 3); /* also the one that did not open */
}

static void check_wishes(void)
{
    static const struct sampling_rate off[] = { { "slow", 0 },
        { "fast", 250 } };
    static const struct sampling_rate wrong[] = { { "fats", 1 } };
    static const struct sampling_rate huge[] = { { "fast", 1e9 } };
    struct sampling *s =
            start((struct sampling_plan){ .table = three, .hz = 1000 });
    struct error e = { 0 };

    /* As fast as asked, but no faster than there is something new. */
    CHECK(sampling_source_at(s, 0)->hz == 1000);
    CHECK(sampling_source_at(s, 2)->hz == 10);
    sampling_close(s);

    s = start((struct sampling_plan){ .table = three,
            .hz = 1000,
            .rates = off,
            .rate_count = LEN(off) });
    CHECK(sampling_source_at(s, 0)->hz == 250);
    CHECK_INT(sampling_source_at(s, 2)->rc, -ECANCELED);
    CHECK_INT(live(s, SECOND), 250);
    CHECK_INT(sampling_source_at(s, 2)->reads, 0);
    sampling_close(s);
    CHECK_INT(opened, 2);
    CHECK_INT(closed, 2);

    s = NULL;
    CHECK_INT(sampling_open(&s,
                      &(struct sampling_plan){ .table = three,
                              .rates = wrong,
                              .rate_count = 1 },
                      &e),
            -EINVAL);
    CHECK(strstr(e.text, "fats"));
    CHECK_INT(sampling_open(&s,
                      &(struct sampling_plan){ .table = three,
                              .rates = huge,
                              .rate_count = 1 },
                      &e),
            -EINVAL);
    CHECK_INT(sampling_open(&s,
                      &(struct sampling_plan){ .table = three, .hz = -1 }, &e),
            -EINVAL);
    CHECK(!s);
    sampling_close(NULL);
}

/* We slept through some deadlines: they are counted and not made up for. */
static void check_late(void)
{
    struct sampling *s = start((struct sampling_plan){ .table = one });
    uint64_t begin_ns = sampling_next_ns(s);

    (void)sampling_step(s, begin_ns);
    CHECK_INT(sampling_next_ns(s), begin_ns + SECOND / 100);
    /* A little late: the next deadline stays where it was. */
    (void)sampling_step(s, begin_ns + SECOND / 100 + 3000000);
    CHECK_INT(sampling_next_ns(s), begin_ns + SECOND / 50);
    CHECK_INT(sampling_source_at(s, 0)->missed, 0);
    /* Half a second late. */
    (void)sampling_step(s, begin_ns + SECOND / 50 + SECOND / 2 + 1);
    CHECK_INT(sampling_next_ns(s),
            begin_ns + SECOND / 50 + SECOND / 2 + SECOND / 100);
    CHECK_INT(sampling_source_at(s, 0)->missed, 50);
    CHECK_INT(sampling_source_at(s, 0)->reads, 3);
    /* Too early: nothing. */
    CHECK_INT(sampling_step(s, begin_ns + SECOND / 2)->count, 0);
    CHECK_INT(sampling_source_at(s, 0)->reads, 3);
    /* Asked for, due or not. */
    CHECK_INT(sampling_read_all(s, begin_ns + SECOND / 2)->count, 1);
    CHECK_INT(sampling_source_at(s, 0)->reads, 4);
    sampling_close(s);
}

/* A read costs a hundred times what it may: the rate follows, is on record, and
 * comes back. */
static void check_budget(void)
{
    struct sampling *s = start(
            (struct sampling_plan){ .table = one, .hz = 1000, .budget = 0.02 });
    uint64_t begin_ns = sampling_next_ns(s);

    spent_ns = 0;
    cost_ns = 2000000;
    (void)live(s, 60 * SECOND);

    uint64_t passed_ns = sampling_next_ns(s) - begin_ns;
    const struct rate_change *c = sampling_change_at(s, 0);

    CHECK((double)spent_ns <= 0.02 * (double)passed_ns + (double)cost_ns);
    CHECK((double)spent_ns >= 0.01 * (double)passed_ns);
    CHECK(sampling_scale(s) < 0.011);
    CHECK(sampling_source_at(s, 0)->hz < 11);
    CHECK(sampling_change_count(s) > 0);
    CHECK(c->from_scale == 1 && c->scale < 1 && c->measured > 0.02);
    CHECK(c->time_ns >= begin_ns && c->time_ns < begin_ns + SECOND);
    cost_ns = 1000;
    (void)live(s, 60 * SECOND);
    CHECK(sampling_scale(s) == 1);
    CHECK(sampling_source_at(s, 0)->hz == 1000);
    c = sampling_change_at(s, sampling_change_count(s) - 1);
    CHECK(c->scale == 1 && c->from_scale < 1);
    sampling_close(s);
}

/* Work of others in the same thread does not slow the samplers down. */
static void check_forgiven(void)
{
    struct sampling *s = start(
            (struct sampling_plan){ .table = one, .hz = 100, .budget = 0.02 });

    cost_ns = 10000;
    for (int i = 0; i < 1000; i++) {
        (void)sampling_step(s, sampling_next_ns(s));
        spent_ns += 5000000;
        sampling_forgive(s);
    }
    CHECK_INT(sampling_change_count(s), 0);
    CHECK(sampling_read_us(sampling_source_at(s, 0)) == 10);
    sampling_close(s);
}

static void check_room(void)
{
    struct sampling *s = start((struct sampling_plan){ .table = big });
    const struct batch *b = sampling_step(s, sampling_next_ns(s));

    CHECK_INT(b->count, 8192);
    CHECK_INT(b->dropped, 12000 - 8192);
    b = sampling_step(s, sampling_next_ns(s));
    CHECK_INT(b->count, 12000);
    CHECK_INT(b->dropped, 12000 - 8192);
    sampling_close(s);
}

/* Some steps are held, in their order; what is not held goes with the next. */
static void check_held(void)
{
    struct sampling *s = start((struct sampling_plan){ .table = one });

    CHECK_INT(sampling_held(s).count, 0);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(sampling_step(s, sampling_next_ns(s))->count, 1);
        sampling_hold(s);
    }
    CHECK_INT(sampling_step(s, sampling_next_ns(s))->count, 1);
    CHECK(sampling_step(s, sampling_next_ns(s))->items[0].value == 5);
    sampling_hold(s);

    struct batch held = sampling_held(s);

    CHECK_INT(held.count, 4);
    CHECK(held.items[0].value == 1 && held.items[1].value == 2);
    CHECK(held.items[2].value == 3 && held.items[3].value == 5);
    sampling_drop(s);
    CHECK_INT(sampling_held(s).count, 0);
    /* Ten times a second there is a step to hand them on after. */
    (void)live(s, SECOND / 5);
    CHECK(!sampling_is_metered(s));

    int metered = 0;

    for (int i = 0; i < 100; i++) {
        (void)sampling_step(s, sampling_next_ns(s));
        metered += sampling_is_metered(s);
    }
    CHECK_INT(metered, 10);
    sampling_close(s);
}

static void check_board(void)
{
    struct subjects *subjects = subjects_new("here");
    struct reading items[4];
    struct batch batch = { .items = items, .cap = 4 };
    struct board *b = board_new(subjects);
    uint32_t p = subjects_add(subjects,
            &(struct subject){ .kind = SUBJECT_PROCESS, .number = 41 });
    uint32_t q = subjects_add(subjects,
            &(struct subject){ .kind = SUBJECT_PROCESS, .number = 42 });

    batch_add_at(&batch, 5, METRIC_collector_resident_bytes, p, 1);
    batch_add_at(&batch, 5, METRIC_collector_resident_bytes, q, 2);
    batch_add_at(&batch, 5, METRIC_collector_cpu_seconds_total, p, 3);
    batch_add_at(&batch, 6, METRIC_collector_resident_bytes, p, 4);
    board_take(b, &batch);
    CHECK_INT(board_count(b), 2);
    CHECK_INT(board_at(b, 0)->count, 2);
    CHECK(board_figure(b, p, METRIC_collector_resident_bytes)->value == 4);
    CHECK_INT(board_figure(b, p, METRIC_collector_resident_bytes)->time_ns, 6);
    CHECK(board_figure(b, p, METRIC_collector_cpu_seconds_total)->value == 3);
    CHECK(!board_figure(b, q, METRIC_collector_cpu_seconds_total));
    CHECK(!board_figure(b, 0, METRIC_collector_cpu_seconds_total));
    CHECK(!board_find(b, 0));
    /* One ends: its figures stay until they are swept. */
    subjects_end(subjects, p, 7);
    CHECK(board_find(b, p));
    board_sweep(b);
    CHECK(!board_find(b, p));
    CHECK_INT(board_count(b), 1);
    CHECK_INT(board_find(b, q)->subject, q);
    CHECK(board_figure(b, q, METRIC_collector_resident_bytes)->value == 2);
    board_free(b);
    board_free(NULL);
    subjects_free(subjects);
}

int main(void)
{
    check_rates();
    check_wishes();
    check_late();
    check_budget();
    check_forgiven();
    check_room();
    check_held();
    check_board();
    return test_result();
}
