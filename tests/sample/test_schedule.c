/* When what is due: deadlines, and how they are put together. */
#include "sample/schedule.h"

#include "test.h"

#include <stdbool.h>

#define SECOND UINT64_C(1000000000)
#define BEGIN  (5 * SECOND)

/* Lives through `duration_ns`, always on time; counts how often each was due.
 * Returns how often we woke up. */
static uint64_t live(struct schedule *s, uint64_t duration_ns, uint64_t *due)
{
    uint64_t wakes = 0;

    for (uint64_t now_ns; (now_ns = schedule_next_ns(s)) < BEGIN + duration_ns;
            wakes++) {
        uint64_t until_ns = schedule_horizon_ns(s, now_ns);

        for (size_t i = 0; i < s->count; i++)
            if (s->next_ns[i] <= until_ns) {
                CHECK_INT(schedule_advance(s, i, now_ns), 0);
                due[i]++;
            }
    }
    return wakes;
}

/* The slower ones wake nobody up, whatever their rate, and keep it. */
static void check_together(void)
{
    static const double hz[] = { 4, 100, 30, 0.7, 99.5 };
    struct schedule s = { 0 };
    uint64_t due[5] = { 0 };

    for (size_t i = 0; i < 5; i++) {
        CHECK_INT(schedule_add(&s), i);
        schedule_start(&s, i, hz[i], BEGIN);
    }
    CHECK_INT(schedule_add(&s), 5); /* and one that never is */
    CHECK_INT(s.fastest, 1);
    CHECK_INT(schedule_next_ns(&s), BEGIN);
    CHECK_INT(live(&s, 10 * SECOND, due), 1000);
    CHECK_INT(due[0], 40);
    CHECK_INT(due[1], 1000);
    CHECK_INT(due[2], 300);
    CHECK_INT(due[3], 7);
    CHECK_INT(due[4], 995);
}

/* A deadline is met at the tick nearest to it. */
static void check_nearest(void)
{
    struct schedule s = { 0 };

    (void)schedule_add(&s);
    (void)schedule_add(&s);
    schedule_start(&s, 0, 100, BEGIN + 10000000);
    schedule_start(&s, 1, 1, BEGIN + 14000000);
    CHECK(s.next_ns[1] <= schedule_horizon_ns(&s, BEGIN + 10000000));
    CHECK(s.next_ns[1] - 4000000 + 5000001 >
            schedule_horizon_ns(&s, BEGIN + 10000000));
    /* Too early for anything. */
    CHECK_INT(schedule_horizon_ns(&s, BEGIN + 9999999), 0);
    /* Met before its time: the next one is where it would have been. */
    CHECK_INT(schedule_advance(&s, 1, BEGIN + 10000000), 0);
    CHECK_INT(s.next_ns[1], BEGIN + SECOND + 14000000);
    /* Slept through three of them. */
    CHECK_INT(schedule_advance(&s, 0, BEGIN + 10000000 + 35000000), 3);
    CHECK_INT(s.next_ns[0], BEGIN + 50000000);
}

static void check_change(void)
{
    struct schedule s = { 0 };

    CHECK(schedule_next_ns(&s) == SCHEDULE_OFF);
    (void)schedule_add(&s);
    CHECK(schedule_next_ns(&s) == SCHEDULE_OFF);
    CHECK_INT(schedule_horizon_ns(&s, BEGIN), 0);
    (void)schedule_add(&s);
    schedule_start(&s, 1, 1, BEGIN + SECOND);
    CHECK_INT(schedule_next_ns(&s), BEGIN + SECOND);
    /* Faster: at once.  Slower: only after the deadline that is near. */
    schedule_change(&s, 1, 100, BEGIN);
    CHECK_INT(schedule_next_ns(&s), BEGIN + SECOND / 100);
    schedule_change(&s, 1, 0.1, BEGIN);
    CHECK_INT(schedule_next_ns(&s), BEGIN + SECOND / 100);
    (void)schedule_advance(&s, 1, BEGIN + SECOND / 100);
    CHECK_INT(schedule_next_ns(&s), BEGIN + SECOND / 100 + 10 * SECOND);
    /* Who is slowed down is no longer the one to go by. */
    schedule_start(&s, 0, 1, BEGIN + SECOND);
    CHECK_INT(schedule_next_ns(&s), BEGIN + SECOND);
}

int main(void)
{
    check_together();
    check_nearest();
    check_change();
    return test_result();
}
