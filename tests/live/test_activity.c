/* test_activity.c -- how busy sessions are, and what others take: against sums
 * made by hand. */
#include "live/activity.h"

#include "os/clock.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define MS UINT64_C(1000000)

static int open_none(void *state, const struct sample_context *c,
        struct error *e)
{
    (void)state;
    (void)c;
    (void)e;
    return 0;
}

static void read_none(void *state, struct batch *out)
{
    (void)state;
    (void)out;
}

static void close_none(void *state)
{
    (void)state;
}

static const struct sampler none = { "none", "", 1, 100, 0, open_none,
    read_none, close_none };
static const struct sampler *const table[] = { &none, NULL };

/* --- who is told ---------------------------------------------------------- */

struct told {
    struct reading readings[4096];
    size_t count;
    uint32_t session; /* its subject; 0: none yet */
    char name[32];
};

static void on_subject(void *to, const struct subject_entry *x)
{
    struct told *t = to;

    if (x->subject.kind != SUBJECT_SESSION)
        return;
    t->session = x->id;
    CHECK_INT(x->subject.number, 3);
    (void)snprintf(t->name, sizeof(t->name), "%s", x->subject.name);
}

static void on_readings(void *to, const struct reading_list *list)
{
    struct told *t = to;

    for (size_t i = 0; i < list->count && t->count < 4096; i++)
        t->readings[t->count++] = list->items[i];
}

/* What a metric was at that time; NAN: nobody said. */
static double told_at(const struct told *t, enum metric_id metric, uint64_t ms)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->readings[i].metric == metric &&
                t->readings[i].time_ns == ms * MS)
            return t->readings[i].value;
    return NAN;
}

static double last_of(const struct told *t, enum metric_id metric)
{
    double last = NAN;
    uint64_t before = 0;

    for (size_t i = 0; i < t->count; i++)
        if (t->readings[i].metric == metric) {
            CHECK(t->readings[i].time_ns >= before);
            before = t->readings[i].time_ns;
            last = t->readings[i].value;
        }
    return last;
}

static void ran(const struct subscriber *to, uint64_t start_ms, uint64_t ms,
        uint16_t flags)
{
    to->inference(to->context, &(struct inference){ .session = 3,
                                       .flags = flags,
                                       .start_ns = start_ms * MS,
                                       .duration_ns = ms * MS });
}

static void read_cpu(const struct subscriber *to, uint64_t ms, double machine,
        double program)
{
    const struct reading readings[] = {
        { ms * MS, machine, 1, METRIC_core_user_seconds_total, 0 },
        { ms * MS, 5, 1, METRIC_core_system_seconds_total, 0 },
        { ms * MS, program, 2, METRIC_process_cpu_seconds_total, 0 },
    };

    to->readings(to->context, &(struct reading_list){ readings, 3 });
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void check_sessions(const struct told *t)
{
    CHECK(t->session && !strcmp(t->name, "/m/a.onnx"));
    /* 50 and 40 ms, of which 30 at once. */
    CHECK(near(told_at(t, METRIC_inferences_in_flight, 1100), 0.9));
    CHECK(near(told_at(t, METRIC_session_busy_seconds_total, 1100), 0.06));
    /* All of it, twice; then half of it, and what came last filled a hole. */
    CHECK(near(told_at(t, METRIC_inferences_in_flight, 1200), 2));
    CHECK(near(told_at(t, METRIC_session_busy_seconds_total, 1200), 0.16));
    CHECK(near(told_at(t, METRIC_inferences_in_flight, 1300), 0.7));
    CHECK(near(told_at(t, METRIC_session_busy_seconds_total, 1300), 0.23));
    CHECK(near(told_at(t, METRIC_inferences_in_flight, 1400), 0));
    /* What is idle is told once a second. */
    CHECK(isnan(told_at(t, METRIC_inferences_in_flight, 1600)));
    CHECK(near(told_at(t, METRIC_inferences_in_flight, 2000), 0));
    CHECK(near(last_of(t, METRIC_session_busy_seconds_total), 0.23));
    CHECK(near(last_of(t, METRIC_traced_inferences_total), 2));
    CHECK(isnan(told_at(t, METRIC_inferences_in_flight, 900)));
}

int main(void)
{
    static struct told t;
    struct subscribers list = { 0 };
    struct subscriber one = { .context = &t,
        .subject = on_subject,
        .readings = on_readings };
    struct subscriber all = subscriber_to_all(&list);
    uint64_t start_ns = mono_ns() - 10000 * MS;
    struct loop *l = NULL;

    subscribers_add(&list, &one);
    CHECK_INT(loop_open(&l,
                      &(struct loop_plan){
                              .sampling =
                                      &(struct sampling_plan){ .table = table },
                              .to = &all,
                              .start_ns = start_ns },
                      NULL),
            0);

    struct activity *a = activity_new(l, start_ns);
    struct subscriber s = activity_subscriber(a);

    s.session(s.context, &(struct session){ .id = 3, .model = "/m/a.onnx" });
    s.session(s.context, &(struct session){ .id = 4 }); /* it does nothing */
    ran(&s, 1000, 50, 0);
    ran(&s, 1020, 40, FLAG_TRACED);
    ran(&s, 1100, 150, 0);
    ran(&s, 1100, 100, FLAG_TRACED | FLAG_FAILED);
    ran(&s, 1260, 10, 0);
    ran(&s, 1250, 10, 0); /* between two that were told before */

    /* The machine used 2 s in a second, the program 0.5 of them. */
    read_cpu(&s, 1500, 10, 1);
    read_cpu(&s, 2500, 12, 1.5);
    while (!loop_step(l)) /* it polls when something is due */
        loop_wait(l, mono_ns() + 1000 * MS);
    CHECK(told_at(&t, METRIC_others_cpu_cores, 2500) > 1);
    CHECK(told_at(&t, METRIC_others_cpu_cores, 2500) <= 1.5);
    s.end(s.context, &(struct run_end){ 0 });
    check_sessions(&t);
    activity_free(a);
    loop_close(l);
    return test_result();
}
