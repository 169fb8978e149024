#include "store/replay.h"

struct replay {
    const struct subscriber *all;
    const struct subscribers *to;
};

/* Does anybody take this event? */
#define WANTED(r, event) wanted(r, offsetof(struct subscriber, event))

static bool wanted(const struct replay *r, size_t member)
{
    typedef void (*function)(void);

    for (size_t i = 0; i < r->to->count; i++) {
        const char *x = (const char *)r->to->item[i];

        if (*(const function *)(const void *)(x + member))
            return true;
    }
    return false;
}

static void tell(const struct replay *r, enum run_event event, const void *x)
{
    event_tell(r->all, event, x);
}

/* --- rows that are an event each ------------------------------------------ */

#define PLAIN(name, event, type)                     \
    static void take_##name(void *to, const type *x) \
    {                                                \
        tell(to, EVENT_##event, x);                  \
    }
PLAIN(inference, inference, struct inference)
PLAIN(operator, found_operator, struct operator)
PLAIN(operator_tensor, tensor, struct operator_tensor)
PLAIN(operator_edge, edge, struct operator_edge)
PLAIN(operator_shape, shape, struct operator_shape)
PLAIN(operator_sum, operator_sum, struct operator_sum)
PLAIN(traced_sum, traced_sum, struct traced_sum)
PLAIN(operator_run, ran_operator, struct operator_run)
PLAIN(activation, activation, struct activation)
PLAIN(section, section, struct section)
PLAIN(token, token, struct token)
PLAIN(mark, mark, struct note)
PLAIN(thread, thread, struct note)
PLAIN(rollup, rollup, struct rollup)
PLAIN(absence, missing, struct absence_note)
#undef PLAIN

/* --- and those that are several ------------------------------------------- */

static void take_process(void *to, const struct process *p)
{
    tell(to, EVENT_process, p);
    tell(to, EVENT_process_end, p);
}

static void take_library(void *to, const struct library *l)
{
    tell(to, EVENT_library, l);
    if (l->language)
        tell(to, EVENT_language, l);
    if (l->untraced)
        tell(to, EVENT_untraced, l);
}

static void take_session(void *to, const struct session *x)
{
    tell(to, EVENT_session, x);
    if (x->operators_of)
        tell(to, EVENT_operators_of, x);
    if (x->end_ns)
        tell(to, EVENT_session_end, x);
}

static void take_subject(void *to, const struct subject_entry *x)
{
    tell(to, EVENT_subject, x);
    if (x->end_ns)
        tell(to, EVENT_subject_end, x);
}

static void take_reading(void *to, const struct reading *r)
{
    tell(to, EVENT_changes, &(struct reading_list){ r, 1 });
}

static void take_begin(void *to, const struct run *r)
{
    tell(to, EVENT_begin, r);
}

static void take_end(void *to, const struct run *r)
{
    struct run run = *r;

    tell(to, EVENT_end, &(struct run_end){ .run = &run });
    tell(to, EVENT_close, &run);
}

/* --- the whole ------------------------------------------------------------ */

/* A table, if somebody wants what is in it. */
#define TABLE(name, is_wanted)                                 \
    do {                                                       \
        if (!rc && (is_wanted))                                \
            rc = store_each_##name(s, run, take_##name, r, e); \
    } while (0)

/* What there is little of, and what the rest refers to. */
static int tell_rare(struct replay *r, struct store *s, int64_t run,
        struct error *e)
{
    int rc = store_read_run(s, run, take_begin, r, e);

    TABLE(process, WANTED(r, process) || WANTED(r, process_end));
    TABLE(library,
            WANTED(r, library) || WANTED(r, language) || WANTED(r, untraced));
    TABLE(session, WANTED(r, session) || WANTED(r, session_end) ||
                           WANTED(r, operators_of));
    TABLE(thread, WANTED(r, thread));
    TABLE(subject, WANTED(r, subject) || WANTED(r, subject_end));
    TABLE(absence, WANTED(r, missing));
    TABLE(operator, WANTED(r, found_operator));
    TABLE(operator_tensor, WANTED(r, tensor));
    TABLE(operator_edge, WANTED(r, edge));
    TABLE(operator_shape, WANTED(r, shape));
    TABLE(operator_sum, WANTED(r, operator_sum));
    TABLE(traced_sum, WANTED(r, traced_sum));
    TABLE(activation, WANTED(r, activation));
    return rc;
}

static int tell_streams(struct replay *r, struct store *s, int64_t run,
        struct error *e)
{
    int rc = 0;

    TABLE(inference, WANTED(r, inference));
    TABLE(operator_run, WANTED(r, ran_operator));
    TABLE(section, WANTED(r, section));
    TABLE(mark, WANTED(r, mark));
    TABLE(token, WANTED(r, token));
    TABLE(reading, WANTED(r, changes));
    TABLE(rollup, WANTED(r, rollup));
    return rc;
}

int store_replay(struct store *s, int64_t run, const struct subscribers *to,
        struct error *e)
{
    const struct subscriber all = subscriber_to_all(to);
    struct replay r = { &all, to };
    int rc = tell_rare(&r, s, run, e);

    if (!rc)
        rc = tell_streams(&r, s, run, e);
    if (!rc)
        rc = store_read_run(s, run, take_end, &r, e);
    return rc;
}

int store_replay_to(struct store *s, int64_t run, const struct subscriber *to,
        struct error *e)
{
    return store_replay(s, run, &(struct subscribers){ { to }, 1 }, e);
}
