/* test_store_sampled.c -- subjects, readings, rollups and absences: what is
 * written is what is read. */
#include "stored_same.h"

#include <math.h>

static size_t seen;

static const struct subject_entry subjects[] = {
    { 0, 0, { .kind = SUBJECT_HOST, .name = "toy" } },
    { 1, 77,
            { .kind = SUBJECT_PROCESS,
                    .number = 4711,
                    .start_ns = 5,
                    .name = "node",
                    .detail = "node app.js",
                    .source = "proc" } },
    { 2, 0, { .kind = SUBJECT_THREAD, .parent = 1, .number = 4712 } },
    { 7, 0,
            { .kind = SUBJECT_DEVICE,
                    .number = UINT32_MAX + UINT64_C(1),
                    .name = "gpu0",
                    .source = "nvml" } },
};

static void take_subject(void *context, const struct subject_entry *got)
{
    const struct subject_entry *want = &subjects[seen++ % LEN(subjects)];

    (void)context;
    SAME(id);
    SAME(end_ns);
    SAME(subject.kind);
    SAME(subject.parent);
    SAME(subject.number);
    SAME(subject.start_ns);
    SAME_TEXT(subject.name);
    SAME_TEXT(subject.detail);
    SAME_TEXT(subject.source);
}

#define FIRST METRIC_collector_cpu_seconds_total
#define OTHER METRIC_collector_resident_bytes

static const struct reading readings[] = {
    { 10, 0.25, 0, FIRST, READING_MEASURED },
    { 10, 9007199254740991.0, 1, OTHER, READING_APPORTIONED },
    { 9, -1e-300, 7, FIRST, READING_MODELLED }, /* read earlier, told later */
    { 10, 0.25, 0, FIRST, READING_MEASURED },   /* the same again */
};

static void take_reading(void *context, const struct reading *got)
{
    const struct reading *want = &readings[seen++ % LEN(readings)];

    (void)context;
    SAME(time_ns);
    SAME(subject);
    SAME(metric);
    SAME(method);
    CHECK(got->value == want->value);
}

/* In the order of being read back. */
static const struct rollup rollups[] = {
    { 0, 0, FIRST, 100, -1, 0.5, 2 },
    { 1, 0, FIRST, 1, 3, 3, 3 },
    { 0, 1, FIRST, 2, 0, 0, 0 },
    { 0, 0, OTHER, 3, 1, 2, 3 },
};

static void take_rollup(void *context, const struct rollup *got)
{
    const struct rollup *want = &rollups[seen++ % LEN(rollups)];

    (void)context;
    SAME(second);
    SAME(subject);
    SAME(metric);
    SAME(count);
    CHECK(got->min == want->min && got->mean == want->mean &&
            got->max == want->max);
}

static const struct absence_note absences[] = {
    { FIRST, 0, "no counter" },
    { FIRST, 7, "/dev/nvidia0: permission denied" },
    { OTHER, 7, "the driver does not tell" },
};

static void take_absence(void *context, const struct absence_note *got)
{
    const struct absence_note *want = &absences[seen++ % LEN(absences)];

    (void)context;
    SAME(metric);
    SAME(subject);
    SAME_TEXT(reason);
}

static void write_all(struct store *s)
{
    for (size_t i = 0; i < LEN(subjects); i++) {
        store_add_subject(s, subjects[i].id, &subjects[i].subject);
        if (subjects[i].end_ns)
            store_end_subject(s, subjects[i].id, subjects[i].end_ns);
    }
    store_add_readings(s, readings, 3);
    store_add_reading(s, &readings[3]);
    CHECK_INT(store_waiting(s), LEN(readings));
    for (size_t i = 0; i < LEN(rollups); i++)
        store_add_rollup(s, &rollups[i]);
    store_add_absence(s, &(struct absence_note){ FIRST, 0, "at first" });
    for (size_t i = 0; i < LEN(absences); i++)
        store_add_absence(s, &absences[i]);
    stored_flush(s);
    CHECK_INT(store_waiting(s), 0);
}

#define READ(name, type, cases)                                           \
    do {                                                                  \
        seen = 0;                                                         \
        CHECK_INT(store_each_##name(s, row, take_##name, NULL, NULL), 0); \
        CHECK_INT(seen, LEN(cases));                                      \
    } while (0)

static void read_all(struct store *s, int64_t row)
{
    READ(subject, subject_entry, subjects);
    READ(reading, reading, readings);
    READ(rollup, rollup, rollups);
    READ(absence, absence_note, absences);
}

static void rows(void)
{
    struct tree t = tree_open();

    for (int i = 0; i < 2; i++) {
        struct store *s = stored_open(&t, STORE_WRITE);
        struct run r = stored_run(s, 1);

        write_all(s);
        read_all(s, r.row);
        store_close(s);
        s = stored_open(&t, STORE_READ);
        read_all(s, 1);
        read_all(s, r.row);
        store_close(s);
    }
    CHECK_INT(stored_number(&t,
                      "SELECT count(*) FROM subjects WHERE start_ns NOT NULL"),
            2);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM metrics"), 2);
    tree_close(&t);
}

static void count_reading(void *context, const struct reading *r)
{
    (void)context;
    seen += r->metric == OTHER;
}

/* A file of an ortmeter whose list of metrics is another one. */
static void other_lists(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);

    (void)stored_run(s, 1);
    store_close(s);
    stored_change(&t,
            "INSERT INTO metrics VALUES (900, 'metric_of_tomorrow_bytes'),"
            " (901, 'collector_resident_bytes');"
            "INSERT INTO readings VALUES (1, 1, 5, 0, 900, 1.0, 0),"
            " (1, 2, 6, 0, 901, 2.0, 0)");
    s = stored_open(&t, STORE_WRITE);
    seen = 0;
    CHECK_INT(store_each_reading(s, 1, count_reading, NULL, NULL), 0);
    CHECK_INT(seen, 1);

    /* And ours goes by the number that is there. */
    struct run r = stored_run(s, 2);

    store_add_reading(s, &(struct reading){ .metric = OTHER });
    stored_flush(s);
    store_close(s);
    CHECK_INT(r.row, 2);
    CHECK_INT(stored_number(&t, "SELECT metric FROM readings WHERE run = 2"),
            901);
    tree_close(&t);
}

/* More than wait at once. */
static void many(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);

    (void)stored_run(s, 1);
    for (uint32_t i = 0; i < 10007; i++)
        store_add_reading(s,
                &(struct reading){ .time_ns = i, .metric = FIRST, .value = i });
    stored_flush(s);
    store_close(s);
    CHECK_INT(stored_number(&t, "SELECT count(*) = 10007 AND"
                                " sum(value = time_ns) = 10007 AND"
                                " max(number) = 10007 FROM readings"),
            1);
    /* They go with their run. */
    stored_change(&t, "PRAGMA foreign_keys = ON; DELETE FROM profiling_runs");
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM readings"), 0);
    tree_close(&t);
}

int main(void)
{
    rows();
    other_lists();
    many();
    return test_result();
}
