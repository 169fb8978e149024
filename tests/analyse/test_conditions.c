/* test_conditions.c -- what a machine was like during a run. */
#include "analyse/verdict/conditions.h"

#include "stored.h"

#include <math.h>

enum { PROCESS = 1, HOST, CORE_0, CORE_1, ZONE, THREAD };

static void add(struct store *s, uint32_t subject, enum metric_id metric,
        uint64_t second, double min, double max)
{
    store_add_rollup(s, &(struct rollup){ .second = second,
                                .subject = subject,
                                .metric = (uint16_t)metric,
                                .count = 10,
                                .min = min,
                                .mean = (min + max) / 2,
                                .max = max });
}

static void add_subject(struct store *s, uint32_t id, enum subject_kind kind)
{
    store_add_subject(s, id,
            &(struct subject){ .kind = kind, .number = id, .name = "x" });
}

/* Four seconds of a machine of two cores. */
static void add_all(struct store *s)
{
    add_subject(s, PROCESS, SUBJECT_PROCESS);
    add_subject(s, HOST, SUBJECT_HOST);
    add_subject(s, CORE_0, SUBJECT_CORE);
    add_subject(s, CORE_1, SUBJECT_CORE);
    add_subject(s, ZONE, SUBJECT_ZONE);
    add_subject(s, THREAD, SUBJECT_THREAD);
    for (uint64_t i = 10; i < 14; i++) {
        double n = (double)i;

        add(s, PROCESS, METRIC_process_cpu_cores, i, 0.9, 1.1);
        add(s, HOST, METRIC_host_busy_ratio, i, 0.8, 0.8);
        add(s, CORE_0, METRIC_core_frequency_hertz, i, 1e9, 1e9);
        add(s, CORE_1, METRIC_core_frequency_hertz, i, 3e9, 3e9);
        /* A counter: 0.1 s in each second of one core, 0.2 of the other. */
        add(s, CORE_0, METRIC_core_stolen_seconds_total, i, 7 + 0.1 * n,
                7 + 0.1 * (n + 1));
        add(s, CORE_1, METRIC_core_stolen_seconds_total, i, 0.2 * n,
                0.2 * (n + 1));
        add(s, ZONE, METRIC_zone_temperature_celsius, i, 40, 40 + n);
        add(s, HOST, METRIC_host_memory_load_seconds, i, n * 1e-9, n * 1e-9);
        add(s, THREAD, METRIC_thread_wait_seconds_total, i, 0.5 * n,
                0.5 * (n + 1));
    }
}

static void check_read(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run r = stored_run(s, 1);
    struct usage u;
    double c[CONDITIONS];

    add_all(s);
    stored_flush(s);
    CHECK_INT(usage_read(&u, s, r.row, NULL), 0);
    CHECK_INT(conditions_read(c, &u, s, r.row, NULL), 0);
    CHECK(fabs(c[CONDITION_OTHERS] - 0.6) < 1e-9); /* 0.8 * 2 - 1 */
    CHECK(fabs(c[CONDITION_CLOCK] - 2e9) < 1);
    CHECK(fabs(c[CONDITION_HEAT] - 53) < 1e-9);
    CHECK(fabs(c[CONDITION_STOLEN] - 0.3) < 1e-9);
    CHECK(fabs(c[CONDITION_DELAY] - 0.5) < 1e-9);
    CHECK(fabs(c[CONDITION_MEMORY] - 11.5) < 1e-9); /* the median second */
    CHECK(isnan(c[CONDITION_PRESSURE]));            /* which nobody sampled */

    struct run none = stored_run(s, 2);

    CHECK_INT(usage_read(&u, s, none.row, NULL), 0);
    CHECK_INT(conditions_read(c, &u, s, none.row, NULL), 0);
    for (int i = 0; i < CONDITIONS; i++)
        CHECK(isnan(c[i]));
    store_close(s);
    tree_close(&t);
}

static void check_differs(void)
{
    CHECK(condition_differs(CONDITION_CLOCK, 1e9, 1.03e9));
    CHECK(condition_differs(CONDITION_CLOCK, 1e9, 0.97e9));
    CHECK(!condition_differs(CONDITION_CLOCK, 1e9, 1.01e9));
    CHECK(condition_differs(CONDITION_HEAT, 40, 46));
    CHECK(!condition_differs(CONDITION_HEAT, 40, 44));
    CHECK(!condition_differs(CONDITION_OTHERS, NAN, 5));
    CHECK(!condition_differs(CONDITION_OTHERS, 5, NAN));
}

int main(void)
{
    check_read();
    check_differs();
    return test_result();
}
