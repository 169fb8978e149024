/* test_ops_choose.c -- which inferences are traced, and when shapes are sent.
 */
#include "traced_runs.h"

static struct ort_session *some(uintptr_t n)
{
    return (struct ort_session *)(0x10000 + n * 0x150);
}

static uint64_t line_ns = 30;

/* How many of `count` inferences of that length are traced. */
static uint64_t traced_of(uint64_t count, uint64_t took, uint32_t kernels,
        struct ort_session *s)
{
    uint64_t traced = 0;

    for (uint64_t i = 0; i < count; i++) {
        const struct ort_value *in[] = { &image_value };
        struct choice c = choose(&hook_libraries[0], s, in, 1);
        struct trace t = { .kernels = kernels,
            .key = c.key,
            .weighed = c.weighed,
            .spent = c.weighed ? kernels * line_ns : 0 };

        atomic_store(&t.shapes, c.shapes);
        traced += c.traced;
        choose_account(c.watched, c.number, took, c.traced ? &t : NULL);
    }
    return traced;
}

static void every_nth(void)
{
    start("5", "1.30.0");
    CHECK_INT(traced_of(101, 1000, 10, some(1)), 21);
}

static void all(void)
{
    start("all", "1.30.0");
    CHECK_INT(traced_of(101, 1, 1000, some(1)), 101);
}

/* Each where that costs a hundredth; else the least that does. */
static void budget(void)
{
    start("auto", "1.30.0");
    CHECK_INT(traced_of(1000, 1000000, 300, some(1)), 1000); /* 9 us in 1 ms */

    /* 57 x 30 ns are 1.7 % of 100 us: one in two. */
    uint64_t traced = traced_of(1000, 100000, 57, some(2));

    CHECK(traced >= 499 && traced <= 503);

    /* 10,000 of them in 3 ms are 10 %: one in eleven. */
    traced = traced_of(1100, 3000000, 10000, some(3));
    CHECK(traced >= 99 && traced <= 104);
}

/* What shapes cost counts, too. */
static void budget_with_shapes(void)
{
    uint64_t traced = 0;

    start("auto", "1.30.0");
    for (uint64_t i = 0; i < 1000; i++) {
        struct choice c = choose(&hook_libraries[0], some(1), NULL, 0);
        struct trace t = { .kernels = 10, .weighed = true, .spent = 10 };

        atomic_store(&t.repeated, 2500);
        traced += c.traced;
        choose_account(c.watched, c.number, 100000, c.traced ? &t : NULL);
    }
    CHECK(traced >= 330 && traced <= 340);
}

/* Many sessions, one after the other and at the same time. */
static void sessions(void)
{
    start("7", "1.30.0");
    for (uintptr_t i = 0; i < 3000; i++) {
        CHECK_INT(traced_of(8, 1000, 10, some(i)), 2);
        choose_forget(some(i));
    }
    for (uintptr_t i = 0; i < 500; i++)
        CHECK_INT(traced_of(1, 1000, 10, some(i)), 1);
    for (uintptr_t i = 0; i < 500; i++)
        CHECK_INT(traced_of(1, 1000, 10, some(i)), 0);
    choose_forget(some(9999)); /* never seen */
}

/* --- shapes --------------------------------------------------------------- */

static void shapes_when_new(void)
{
    start("all", "1.30.0");
    infer(conv_relu);
    infer(conv_relu);
    CHECK_INT(hooked_count(RECORD_TENSOR), 6);
    image_value.dims[3] = 16;
    infer(conv_relu);
    CHECK_INT(hooked_count(RECORD_TENSOR), 12);
    CHECK_INT(nth(RECORD_TENSOR, 6)->tensor.name, 0);
    CHECK_INT(nth(RECORD_TENSOR, 6)->tensor.dims[3], 16);
    CHECK_INT(nth(RECORD_TENSOR, 6)->tensor.trace,
            nth(RECORD_TRACED, 2)->traced.trace);
    CHECK(nth(RECORD_TRACED, 1)->traced.shapes ==
            nth(RECORD_TRACED, 0)->traced.shapes);
    CHECK(nth(RECORD_TRACED, 2)->traced.shapes !=
            nth(RECORD_TRACED, 0)->traced.shapes);
    image_value.dims[3] = 8;
    infer(conv_relu); /* known already */
    CHECK_INT(hooked_count(RECORD_TENSOR), 12);
}

/* New each time: the first eight, and then one in sixteen. */
static void shapes_always_new(void)
{
    start("all", "1.30.0");
    for (int i = 0; i < 8 + 160; i++) {
        image_value.dims[3] = i + 1;
        infer(conv_relu);
    }
    CHECK_INT(hooked_count(RECORD_TENSOR), 6 * (8 + 10));
}

int main(void)
{
    HOOKED(every_nth);
    HOOKED(all);
    HOOKED(budget);
    HOOKED(budget_with_shapes);
    HOOKED(sessions);
    HOOKED(shapes_when_new);
    HOOKED(shapes_always_new);
    return test_result();
}
