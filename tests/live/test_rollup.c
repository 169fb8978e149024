/* test_rollup.c -- of many readings, what is kept of them. */
#include "live/rollup.h"

#include "base/buf.h"
#include "test.h"

#include <string.h>

#define S UINT64_C(1000000000)

static struct buf told;

static void on_changes(void *context, const struct reading_list *list)
{
    CHECK(context == &told && list->count);
    for (size_t i = 0; i < list->count; i++)
        buf_printf(&told, "%u/%u %g at %.1f\n", list->items[i].subject,
                list->items[i].metric == METRIC_zone_power_watts,
                list->items[i].value, (double)list->items[i].time_ns / 1e9);
}

static void on_rollup(void *context, const struct rollup *r)
{
    CHECK(context == &told);
    buf_printf(&told, "second %u of %u: %u from %g to %g, mean %g\n",
            (unsigned)r->second, r->subject, (unsigned)r->count, r->min, r->max,
            r->mean);
}

static const struct subscriber sink = {
    .context = &told,
    .changes = on_changes,
    .rollup = on_rollup,
};

static void check_told(int line, const char *want)
{
    if (strcmp(buf_cstr(&told), want) != 0) {
        test_failures++;
        (void)fprintf(stderr, "line %d: told\n%snot\n%s", line, buf_cstr(&told),
                want);
    }
    buf_clear(&told);
}
#define TOLD(want) check_told(__LINE__, want)

static void add(const struct subscriber *to, enum metric_id metric,
        uint64_t tenth, double value)
{
    to->readings(to->context,
            &(struct reading_list){ &(struct reading){
                                            .subject = 3,
                                            .metric = (uint16_t)metric,
                                            .time_ns = tenth * S / 10,
                                            .value = value,
                                    },
                    1 });
}

static void end(const struct subscriber *to)
{
    to->end(to->context, &(struct run_end){ 0 });
}

static void check_changes(void)
{
    struct rollups *r = rollups_new(&sink);
    struct subscriber to = rollups_subscriber(r);
    enum metric_id metric = METRIC_process_resident_bytes;

    add(&to, metric, 0, 5);
    TOLD("3/0 5 at 0.0\n");
    add(&to, metric, 1, 5); /* the same again, until a second has gone */
    add(&to, metric, 9, 5);
    TOLD("");
    add(&to, metric, 10, 5);
    TOLD("second 0 of 3: 3 from 5 to 5, mean 5\n3/0 5 at 1.0\n");
    add(&to, metric, 11, 8);
    TOLD("3/0 8 at 1.1\n");
    add(&to, metric, 12, 2);
    TOLD("3/0 2 at 1.2\n");
    end(&to);
    TOLD("second 1 of 3: 3 from 2 to 8, mean 5\n");
    end(&to);
    TOLD("");
    rollups_free(r);
}

/* The last reading before a change, too, and in order. */
static void check_energy(void)
{
    struct rollups *r = rollups_new(&sink);
    struct subscriber to = rollups_subscriber(r);

    for (uint64_t i = 0; i < 4; i++)
        add(&to, METRIC_zone_power_watts, i, 7);
    TOLD("3/1 7 at 0.0\n");
    add(&to, METRIC_zone_power_watts, 4, 9);
    TOLD("3/1 7 at 0.3\n3/1 9 at 0.4\n");
    add(&to, METRIC_zone_power_watts, 5, 7);
    TOLD("3/1 7 at 0.5\n");
    end(&to);
    TOLD("second 0 of 3: 6 from 7 to 9, mean 7.33333\n");
    rollups_free(r);
}

int main(void)
{
    check_changes();
    check_energy();
    buf_release(&told);
    return test_result();
}
