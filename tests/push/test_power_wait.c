/* test_power_wait.c -- samples of power go out once, in order, with their phase
 * as soon as it is known. */
#include "push/power_wait.h"

#include "test.h"

#include <math.h>
#include <string.h>

#define MS UINT64_C(1000000)

static struct power_wait w;
static struct subject_book book;

static void take(uint32_t subject, uint64_t time_ms, double watts)
{
    power_wait_take(&w, &(struct reading){
                                .time_ns = time_ms * MS,
                                .value = watts,
                                .subject = subject,
                                .metric = METRIC_zone_power_watts,
                        });
}

static const char *phase_of(const struct figure *f)
{
    for (size_t i = 0; i < f->label_count; i++)
        if (strcmp(f->label[i].name, "phase") == 0)
            return f->label[i].value;
    return "";
}

/* The next of the list is this. */
static void is(const struct figure_list *l, size_t i, uint64_t time_ms,
        double watts, const char *phase)
{
    CHECK(i < l->count);
    if (i >= l->count)
        return;
    CHECK_INT(l->items[i].time_ns, time_ms * MS);
    CHECK(l->items[i].value == watts);
    CHECK(strcmp(phase_of(&l->items[i]), phase) == 0);
}

static void collect(struct figure_list *l, uint64_t now_ms)
{
    figure_list_release(l);
    power_wait_collect(&w, &book, now_ms * MS, l);
}

static void in_order(void)
{
    struct figure_list l = { 0 };

    take(1, 10, 40);
    take(1, 20, 41); /* the same tenth of a second */
    take(2, 30, 7);  /* of another sensor */
    take(1, 110, 42);
    take(1, 50, 43); /* too late */
    take(1, 210, NAN);
    take(1, 230, 44);
    live_phase_add(&w.phase, PHASE_PREFILL, 0, 150 * MS);
    collect(&l, 300);
    CHECK_INT(l.count, 0);
    collect(&l, 1100);
    CHECK_INT(l.count, 2);
    is(&l, 0, 10, 40, "prefill");
    is(&l, 1, 30, 7, "prefill");

    /* Each once; and without a phase where it waited in vain. */
    collect(&l, 1200);
    CHECK_INT(l.count, 0);
    collect(&l, 30250);
    CHECK_INT(l.count, 1);
    is(&l, 0, 110, 42, "");

    /* At the end, all until then. */
    take(1, 31000, 45);
    take(1, 32000, 46);
    live_phase_end(&w.phase);
    collect(&l, 31500);
    CHECK_INT(l.count, 2);
    is(&l, 0, 230, 44, "idle");
    is(&l, 1, 31000, 45, "idle");
    figure_list_release(&l);
    power_wait_release(&w);
}

static void not_too_many(void)
{
    struct figure_list l = { 0 };

    w = (struct power_wait){ 0 };
    for (uint64_t i = 0; i < POWER_WAIT_MAX + 7; i++)
        take(1, 100 * i, (double)i);
    CHECK_INT(w.cut, 7);
    live_phase_end(&w.phase);
    collect(&l, UINT64_C(1000) * POWER_WAIT_MAX);
    CHECK_INT(l.count, POWER_WAIT_MAX);
    is(&l, POWER_WAIT_MAX - 1, 100 * (POWER_WAIT_MAX - 1), POWER_WAIT_MAX - 1,
            "idle");
    /* There is room again. */
    take(1, UINT64_C(100) * (POWER_WAIT_MAX + 7), 1);
    CHECK_INT(w.count, 1);
    CHECK_INT(w.cut, 7);
    figure_list_release(&l);
    power_wait_release(&w);
}

int main(void)
{
    in_order();
    not_too_many();
    return test_result();
}
