/* test_usage.c -- what a run took of its machine, added up over its
 * processes. */
#include "analyse/usage.h"

#include "summed.h"

#include <math.h>

enum { PARENT = 1, CHILD = 2, CORE = 3 };

static void add(struct summed *x, uint32_t subject, enum metric_id metric,
        uint64_t second, double min, double mean, double max)
{
    store_add_rollup(x->store, &(struct rollup){ .second = second,
                                       .subject = subject,
                                       .metric = (uint16_t)metric,
                                       .count = 10,
                                       .min = min,
                                       .mean = mean,
                                       .max = max });
}

static void add_subject(struct summed *x, uint32_t id, enum subject_kind kind)
{
    store_add_subject(x->store, id,
            &(struct subject){ .kind = kind, .number = 100 + id, .name = "x" });
}

static void check_sums(void)
{
    struct summed x = summed_begin();
    const struct usage *u;

    add_subject(&x, PARENT, SUBJECT_PROCESS);
    add_subject(&x, CHILD, SUBJECT_PROCESS);
    add_subject(&x, CORE, SUBJECT_CORE);
    /* The parent in seconds 0 to 3, the child in 2 and 3. */
    for (uint64_t i = 0; i < 4; i++) {
        add(&x, PARENT, METRIC_process_cpu_cores, i, 0, 0.5, 0.9);
        add(&x, PARENT, METRIC_process_resident_bytes, i, 100, 100, 110);
        add(&x, PARENT, METRIC_process_read_bytes_total, i, 1000, 1000,
                1000 + 7 * (double)i);
    }
    for (uint64_t i = 2; i < 4; i++) {
        add(&x, CHILD, METRIC_process_cpu_cores, i, 1, 1, 1.5);
        add(&x, CHILD, METRIC_process_resident_bytes, i, 40, 50, 60);
        add(&x, CHILD, METRIC_process_read_bytes_total, i, 5, 5, 5);
    }
    /* No process: it does not count. */
    add(&x, CORE, METRIC_process_cpu_cores, 0, 64, 64, 64);

    u = &summed_read(&x)->usage;
    CHECK_INT(u->processes, 2);
    CHECK_INT(u->readings, 18 * 10);
    CHECK_INT(u->cpu_cores.count, 4);
    CHECK(u->cpu_cores.min == 0.5 && u->cpu_cores.max == 1.5);
    CHECK(fabs(u->cpu_cores.mean - 1) < 1e-12);
    CHECK(u->cpu_cores.first == 0.5 && u->cpu_cores.last == 1.5);
    CHECK(u->most_cpu_cores == 1.5);
    CHECK(u->rss_bytes.max == 150 && u->rss_bytes.first == 100);
    CHECK(u->most_rss_bytes == 110);
    CHECK(u->read_bytes.known);
    CHECK(u->read_bytes.value == 1021 + 5);
    /* What nobody told is not known, and not 0. */
    CHECK(!u->written_bytes.known);
    CHECK_INT(u->threads.count, 0);
    summed_end(&x);
}

/* Ten seconds: 100 at first, 110 in the second fifth, 132 in the last. */
static void check_growth(void)
{
    struct summed x = summed_begin();
    const struct usage *u;

    add_subject(&x, PARENT, SUBJECT_PROCESS);
    for (uint64_t i = 0; i < 10; i++) {
        double bytes = i < 2 ? 100 : i < 4 ? 110 : i < 8 ? 120 : 132;

        add(&x, PARENT, METRIC_process_resident_bytes, 3 + 2 * i, bytes, bytes,
                bytes);
    }
    u = &summed_read(&x)->usage;
    CHECK(u->early_rss_bytes == 110 && u->late_rss_bytes == 132);
    summed_end(&x);
}

static void check_nothing(void)
{
    struct summed x = summed_begin();
    const struct usage *u = &summed_read(&x)->usage;
    struct run running = { 0 };
    struct run ended = { .ended = true,
        .duration_ns = 2000,
        .user_cpu_ns = 500,
        .system_cpu_ns = 500 };
    double mean = -1;

    CHECK_INT(u->processes, 0);
    CHECK_INT(u->cpu_cores.count, 0);
    CHECK(!usage_mean_cores(&mean, u, &running));
    CHECK(mean == -1);
    CHECK(usage_mean_cores(&mean, u, &ended));
    CHECK(mean == 0.5);
    summed_end(&x);
}

int main(void)
{
    check_sums();
    check_growth();
    check_nothing();
    return test_result();
}
