/* test_live_power.c -- sensors that overlap are added once, counters become
 * watts, and what is not known is not told. */
#include "serve/live/live_power.h"

#include "test.h"

#include <string.h>

#define MS UINT64_C(1000000)

static struct live_power power;
static struct subject_book book;

static void subject(uint32_t id, uint32_t parent, const char *name)
{
    subject_book_add(&book, id,
            &(struct subject){ .kind = SUBJECT_ZONE,
                    .parent = parent,
                    .name = name,
                    .source = "rapl" });
}

static void tell(uint64_t ms, uint32_t id, enum metric_id metric, double value)
{
    live_power_take(&power, &(struct reading){ .time_ns = ms * MS,
                                    .subject = id,
                                    .metric = (uint16_t)metric,
                                    .value = value });
}

static void joules(uint64_t ms, uint32_t id, double value)
{
    tell(ms, id, METRIC_zone_energy_joules_total, value);
}

/* NULL: nothing is told. */
static void expect(const char *text)
{
    struct buf out = { 0 };
    struct json j = json_line_into(&out);
    uint64_t time_ns;
    bool told;

    json_object(&j, NULL);
    told = live_power_next(&power, &book, &j, &time_ns);
    json_end(&j);
    CHECK_INT(told, text != NULL);
    if (text)
        CHECK(strcmp(buf_cstr(&out), text) == 0);
    buf_release(&out);
}

static void test_counters(void)
{
    subject(1, 0, "package-0");
    subject(2, 1, "core");
    subject(3, 0, "dram");
    expect(NULL);
    for (uint32_t id = 1; id <= 3; id++)
        joules(1000, id, 100);
    expect(NULL); /* one of a counter tells nothing */
    joules(1050, 1, 101);
    expect(NULL); /* too soon */
    joules(1100, 1, 102);
    joules(1100, 2, 101);
    expect(NULL); /* of the DRAM nothing is known yet */
    joules(1100, 3, 100.5);
    expect("{\"time_ns\":1100000000,\"cpu_power_mw\":20000,"
           "\"dram_power_mw\":5000,\"total_power_mw\":25000,"
           "\"method\":\"measured\"}");
    expect(NULL); /* once */
    /* One that began anew is known again after two. */
    joules(1200, 1, 1);
    joules(1200, 3, 100.75);
    joules(1300, 1, 2);
    joules(1300, 3, 101);
    expect("{\"time_ns\":1300000000,\"cpu_power_mw\":10000,"
           "\"dram_power_mw\":2500,\"total_power_mw\":12500,"
           "\"method\":\"measured\"}");
}

/* All else is inside what a meter measures; and a sensor that fell silent is no
 * part of the sum. */
static void test_meter(void)
{
    subject(4, 0, "meter");
    tell(1400, 4, METRIC_zone_power_watts, 60);
    expect("{\"time_ns\":1400000000,\"total_power_mw\":60000,"
           "\"method\":\"measured\"}");
    tell(1450, 4, METRIC_zone_power_watts, 70);
    expect(NULL);
    joules(7000, 1, 10);
    joules(7100, 1, 11);
    expect("{\"time_ns\":7100000000,\"cpu_power_mw\":10000,"
           "\"total_power_mw\":10000,\"method\":\"measured\"}");
}

/* A counter that does not move is left out, after a while. */
static void test_still(void)
{
    subject(5, 0, "dram-1");
    for (uint64_t ms = 20000; ms <= 21100; ms += 100) {
        joules(ms, 1, (double)ms);
        joules(ms, 5, 0);
        if (ms < 21100)
            expect(NULL);
    }
    expect("{\"time_ns\":21100000000,\"cpu_power_mw\":1000000,"
           "\"total_power_mw\":1000000,\"method\":\"measured\"}");
}

int main(void)
{
    test_counters();
    test_meter();
    test_still();
    subject_book_release(&book);
    return test_result();
}
