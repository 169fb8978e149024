/* test_subscriber.c -- events go to all who want them, and a copy of an event
 * needs nothing of the original. */
#include "model/subscriber.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* --- to all --------------------------------------------------------------- */

static char order[16];
static size_t calls;

static void on_mark(void *context, const struct note *n)
{
    CHECK(strcmp(n->text, "now") == 0);
    order[calls++] = *(const char *)context;
}

static void check_all(void)
{
    static char names[] = "abc";
    const struct subscriber a = { .context = &names[0], .mark = on_mark };
    const struct subscriber b = { .context = &names[1] };
    const struct subscriber c = { .context = &names[2], .mark = on_mark };
    struct subscribers list = { 0 };
    struct subscriber all = subscriber_to_all(&list);
    const struct note note = { .text = "now" };

    all.mark(all.context, &note);
    CHECK_INT(calls, 0);
    subscribers_add(&list, &a);
    subscribers_add(&list, &b);
    subscribers_add(&list, &c);
    all.mark(all.context, &note);
    CHECK(strcmp(order, "ac") == 0);
    event_tell(&all, EVENT_mark, &note);
    CHECK(strcmp(order, "acac") == 0);
    event_tell(&b, EVENT_mark, &note); /* who does not want it */
    CHECK_INT(calls, 4);
}

/* Each event gets to the function of its name. */
static size_t told[EVENTS];

#define X(event, type)                                   \
    static void on_each_##event(void *to, const type *x) \
    {                                                    \
        CHECK(to == told && !x);                         \
        told[EVENT_##event]++;                           \
    }
SUBSCRIBER_EVENTS(X)
#undef X

static void check_each(void)
{
    const struct subscriber one = { .context = told,
#define X(event, type) .event = on_each_##event,
        SUBSCRIBER_EVENTS(X)
#undef X
    };
    struct subscribers list = { 0 };
    struct subscriber all = subscriber_to_all(&list);

    subscribers_add(&list, &one);
#define X(event, type) all.event(all.context, NULL);
    SUBSCRIBER_EVENTS(X)
#undef X
    for (size_t i = 0; i < EVENTS; i++) {
        event_tell(&one, (enum run_event)i, NULL);
        CHECK_INT(told[i], 2);
    }
}

/* --- copies --------------------------------------------------------------- */

static void *copy(enum run_event event, const void *x)
{
    size_t bytes = event_bytes(event, x);
    char *to = alloc_zero(1, bytes + 8);

    memset(to + bytes, 0x5a, 8);
    event_copy(to, event, x);
    for (size_t i = 0; i < 8; i++)
        CHECK_INT(to[bytes + i], 0x5a);
    return to;
}

#define SAME(got, want) CHECK((got) && (got) != (want) && !strcmp(got, want))

static void check_copies(void)
{
    const struct session s = { .id = 7, .model = "m", .options = "{}" };
    struct session *session = copy(EVENT_session, &s);
    const struct reading readings[] = { { .value = 1 }, { .value = 2 } };
    struct reading_list *list = copy(EVENT_readings,
            &(struct reading_list){ readings, LEN(readings) });
    const struct run r = { .id = "x", .command = "c", .note = "n", .tags = "" };
    struct run *run = copy(EVENT_close, &r);
    const struct subject_entry u = { .id = 3,
        .subject = { .name = "gpu0", .source = "nvml" } };
    struct subject_entry *subject = copy(EVENT_subject, &u);
    struct run_end *end =
            copy(EVENT_end, &(struct run_end){ .run = (struct run *)&r });

    CHECK_INT(session->id, 7);
    SAME(session->model, s.model);
    SAME(session->options, s.options);
    CHECK(!session->error && !session->providers);
    CHECK(list->items != readings && list->count == 2);
    CHECK(list->items[0].value == 1 && list->items[1].value == 2);
    SAME(run->command, r.command);
    SAME(run->note, r.note);
    SAME(run->tags, r.tags);
    CHECK(!strcmp(run->id, "x") && !run->host);
    SAME(subject->subject.name, u.subject.name);
    SAME(subject->subject.source, u.subject.source);
    CHECK(!subject->subject.detail);
    CHECK(!end->run && !end->note);
    free(session);
    free(list);
    free(run);
    free(subject);
    free(end);
}

int main(void)
{
    check_all();
    check_each();
    check_copies();
    return test_result();
}
