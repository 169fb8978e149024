#include "model/subscriber.h"

#include "base/compiler.h"

#include <assert.h>
#include <string.h>

/* --- to all --------------------------------------------------------------- */

void subscribers_add(struct subscribers *s, const struct subscriber *x)
{
    assert(s->count < SUBSCRIBERS_MAX);
    s->item[s->count++] = x;
}

#define X(event, type)                                     \
    static void event##_to_all(void *to, const type *x)    \
    {                                                      \
        const struct subscribers *all = to;                \
                                                           \
        for (size_t i = 0; i < all->count; i++)            \
            if (all->item[i]->event)                       \
                all->item[i]->event(all->item[i]->context, \
                        x); /* NOLINT(bugprone-*) */       \
    }
SUBSCRIBER_EVENTS(X)
#undef X

struct subscriber subscriber_to_all(const struct subscribers *list)
{
    return (struct subscriber){ .context = (void *)list,
#define X(event, type) .event = event##_to_all,
        SUBSCRIBER_EVENTS(X)
#undef X
    };
}

void event_tell(const struct subscriber *s, enum run_event event, const void *x)
{
    switch (event) {
#define X(event, type)               \
    case EVENT_##event:              \
        if (s->event)                \
            s->event(s->context, x); \
        break;
        SUBSCRIBER_EVENTS(X)
#undef X
    case EVENTS: break;
    }
}

/* --- copies --------------------------------------------------------------- */

static const size_t sizes[EVENTS] = {
#define X(event, type) [EVENT_##event] = sizeof(type),
    SUBSCRIBER_EVENTS(X)
#undef X
};

/* Where the structs point to texts, but for those of a run. */
static const struct {
    uint8_t event;
    uint16_t at;
} texts[] = {
#define TEXT(event, type, member)             \
    {                                         \
        EVENT_##event, offsetof(type, member) \
    }
    TEXT(process, struct process, program),
    TEXT(process_end, struct process, program),
    TEXT(library, struct library, path),
    TEXT(library, struct library, version),
    TEXT(library, struct library, language),
    TEXT(library, struct library, untraced),
    TEXT(language, struct library, language),
    TEXT(untraced, struct library, untraced),
    TEXT(session, struct session, model),
    TEXT(session, struct session, providers),
    TEXT(session, struct session, options),
    TEXT(session, struct session, error),
    TEXT(inference, struct inference, error),
    TEXT(found_operator, struct operator, name),
    TEXT(found_operator, struct operator, op_type),
    TEXT(found_operator, struct operator, domain),
    TEXT(found_operator, struct operator, provider),
    TEXT(found_operator, struct operator, inputs),
    TEXT(found_operator, struct operator, outputs),
    TEXT(tensor, struct operator_tensor, name),
    TEXT(tensor, struct operator_tensor, shape),
    TEXT(shape, struct operator_shape, inputs),
    TEXT(shape, struct operator_shape, outputs),
    TEXT(operator_sum, struct operator_sum, spread),
    TEXT(section, struct section, name),
    TEXT(token, struct token, text),
    TEXT(mark, struct note, text),
    TEXT(thread, struct note, text),
    TEXT(subject, struct subject_entry, subject.name),
    TEXT(subject, struct subject_entry, subject.detail),
    TEXT(subject, struct subject_entry, subject.source),
    TEXT(missing, struct absence_note, reason),
    TEXT(alert, struct alert, rule),
    TEXT(alert_end, struct alert, rule),
#define RUN_TEXT(member) \
    TEXT(begin, struct run, member), TEXT(close, struct run, member)
    RUN_TEXT(command),
    RUN_TEXT(directory),
    RUN_TEXT(tags),
    RUN_TEXT(host),
    RUN_TEXT(version),
    RUN_TEXT(note),
    RUN_TEXT(experiment),
    RUN_TEXT(prompt),
    RUN_TEXT(response),
    RUN_TEXT(depth),
};

static size_t aligned(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

static bool is_list(enum run_event event)
{
    return event == EVENT_readings || event == EVENT_changes;
}

static const char **text_at(void *x, uint16_t at)
{
    return (const char **)(void *)((char *)x + at);
}

size_t event_bytes(enum run_event event, const void *x)
{
    size_t bytes = aligned(sizes[event]);

    if (is_list(event))
        bytes += ((const struct reading_list *)x)->count *
                 sizeof(struct reading);
    for (size_t i = 0; i < LEN(texts); i++) {
        const char *text = texts[i].event == event
                                   ? *text_at((void *)x, texts[i].at)
                                   : NULL;

        bytes += text ? strlen(text) + 1 : 0;
    }
    return bytes;
}

void event_copy(void *to, enum run_event event, const void *x)
{
    char *end = (char *)to + aligned(sizes[event]);

    memcpy(to, x, sizes[event]);
    if (is_list(event)) {
        struct reading_list *list = to;

        memcpy(end, list->items, list->count * sizeof(*list->items));
        list->items = (const struct reading *)(void *)end;
    }
    for (size_t i = 0; i < LEN(texts); i++) {
        const char **text = text_at(to, texts[i].at);

        if (texts[i].event != event || !*text)
            continue;

        size_t len = strlen(*text) + 1;

        memcpy(end, *text, len);
        *text = end;
        end += len;
    }
    /* Those who add to the notes of a run are told directly. */
    if (event == EVENT_end)
        *(struct run_end *)to = (struct run_end){ 0 };
}
