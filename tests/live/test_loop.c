/* test_loop.c -- what the loop tells of samplers that a test has made. */
#include "live/loop.h"

#include "os/clock.h"
#include "test.h"

#include <errno.h>
#include <string.h>

#define START UINT64_C(1000)

static struct subjects *subjects; /* the loop's */
static uint32_t added, polled, finished;

/* --- two samplers --------------------------------------------------------- */

static int open_good(void *state, const struct sample_context *c,
        struct error *e)
{
    (void)state;
    (void)e;
    subjects = c->subjects;
    added = subjects_add(c->subjects,
            &(struct subject){ .kind = SUBJECT_DEVICE, .name = "gpu0" });
    return 0;
}

static int open_bad(void *state, const struct sample_context *c,
        struct error *e)
{
    (void)state;
    subjects_missing(c->subjects, METRIC_device_power_watts, 0, "nobody knows");
    return fail(e, -ENODEV, "there is no such thing");
}

static void read_one(void *state, struct batch *out)
{
    batch_add(out, METRIC_device_power_watts, added, ++*(double *)state);
}

static void close_any(void *state)
{
    (void)state;
}

static const struct sampler good = { "good", "", sizeof(double), 100, 0,
    open_good, read_one, close_any };
static const struct sampler bad = { "bad", "", sizeof(double), 10, 0, open_bad,
    read_one, close_any };
static const struct sampler *const table[] = { &good, &bad, NULL };

/* --- who is told ---------------------------------------------------------- */

struct seen {
    uint32_t subjects, ended;
    uint64_t readings, missing;
    double last;
    uint64_t last_ns;
};

static void on_subject(void *to, const struct subject_entry *x)
{
    struct seen *s = to;

    CHECK_INT(x->id, s->subjects++);
    CHECK(x->id != added || strcmp(x->subject.name, "gpu0") == 0);
}

static void on_subject_end(void *to, const struct subject_entry *x)
{
    struct seen *s = to;

    CHECK_INT(x->id, added);
    CHECK_INT(x->end_ns, 5);
    s->ended++;
}

static void on_readings(void *to, const struct reading_list *list)
{
    struct seen *s = to;

    CHECK(list->count > 0);
    for (size_t i = 0; i < list->count; i++) {
        CHECK(list->items[i].subject < s->subjects);
        s->last = list->items[i].value;
        s->last_ns = list->items[i].time_ns;
        s->readings++;
    }
}

static void on_missing(void *to, const struct absence_note *x)
{
    CHECK(strcmp(x->reason, "nobody knows") == 0);
    ((struct seen *)to)->missing++;
}

static void poll_feed(void *to)
{
    CHECK(to == &polled);
    polled++;
}

static void finish_feed(void *to)
{
    CHECK(to == &polled);
    finished++;
}

/* -------------------------------------------------------------------------- */

static struct loop *start(struct seen *seen, struct subscribers *list,
        struct subscriber *one, struct subscriber *all)
{
    const struct sampling_plan sampling = { .table = table };
    struct loop *l = NULL;

    *one = (struct subscriber){ .context = seen,
        .subject = on_subject,
        .subject_end = on_subject_end,
        .readings = on_readings,
        .missing = on_missing };
    *all = subscriber_to_all(list);
    subscribers_add(list, one);
    CHECK_INT(loop_open(&l,
                      &(struct loop_plan){ .sampling = &sampling,
                              .to = all,
                              .start_ns = START,
                              .keeps_board = true },
                      NULL),
            0);
    return l;
}

static void check_loop(void)
{
    struct seen seen = { 0 };
    struct subscribers list = { 0 };
    struct subscriber one, all;
    struct loop *l = start(&seen, &list, &one, &all);
    const struct board_figure *f;

    loop_add_feed(l, &(struct loop_feed){ &polled, poll_feed, finish_feed });
    for (int i = 0; i < 7; i++) {
        loop_wait(l, UINT64_MAX);
        CHECK(loop_step(l));
    }
    CHECK_INT(polled, 7);
    CHECK(!loop_step(l) || polled == 8); /* unless it took that long */
    /* The board is up to date before the others are. */
    f = board_figure(loop_board(l), added, METRIC_device_power_watts);
    CHECK(f && f->value == polled && f->time_ns == loop_tick_ns(l) - START);
    loop_tell(l);
    CHECK_INT(seen.readings, polled);
    CHECK(seen.last == polled && seen.last_ns == loop_tick_ns(l) - START);
    CHECK_INT(seen.subjects, 2); /* the host and gpu0 */
    loop_tell(l);
    CHECK_INT(seen.readings, polled);

    /* From elsewhere; but not what was before the start. */
    loop_take(l, &(struct reading){ .time_ns = START - 1, .value = 1 });
    CHECK_INT(seen.readings, polled);
    loop_take(l, &(struct reading){ .time_ns = START + 3, .value = 4 });
    CHECK(seen.readings == polled + 1 && seen.last == 4 && seen.last_ns == 3);

    subjects_end(subjects, added, START + 5);
    loop_finish(l);
    CHECK_INT(seen.readings, polled + 2);
    CHECK_INT(seen.ended, 1);
    CHECK_INT(seen.missing, 1);
    CHECK_INT(finished, 1);
    loop_close(l);
}

/* Without samplers it never has anything to do. */
static void check_none(void)
{
    CHECK(loop_next_ns(NULL) == UINT64_MAX);
    loop_close(NULL);
}

int main(void)
{
    check_loop();
    check_none();
    return test_result();
}
