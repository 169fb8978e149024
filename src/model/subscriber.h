/* subscriber.h -- who is told what happens in a run, as it happens.
 *
 * A run is a sequence of events, from `begin` to `close`.  Each is a function
 * that gets the subscriber's context and one struct of the model; what that
 * points to is gone after the call.  A function that is NULL is not called.
 * Times count from run.start_mono_ns, unless their struct says otherwise.
 *
 * The collector and the samplers emit events to a subscriber_to_all() of those
 * who want them.  They are called by the thread that empties the rings, so they
 * do not wait: whoever may be slow stands behind a queue (live/queue.h). */
#pragma once

#include "model/alert.h"
#include "model/reading.h"
#include "model/run.h"
#include "model/traced.h"

#include <stddef.h>

struct buf;

/* The program has ended, and all that it left was told. */
struct run_end {
    struct run *run;  /* what is found out now may be added: its energy */
    struct buf *note; /* what is to be said of the run: sentences may be added,
                         with a blank between; NULL: nobody asks */
};

/* Events that a subscriber did not get. */
struct event_loss {
    uint64_t count; /* since the beginning */
};

/* X(event, type of its struct), in the order in which a run begins.  Of a
 * struct that is named twice, only what comes to be known later is set the
 * second time, beside the id. */
#define SUBSCRIBER_EVENTS(X)                                                   \
    X(begin, struct run)                                                       \
    X(process, struct process)                                                 \
    X(process_end, struct process) /* lost, untimed, torn, hook_ns */          \
    X(library, struct library)                                                 \
    X(language, struct library) /* language */                                 \
    X(untraced, struct library) /* untraced */                                 \
    X(session, struct session)                                                 \
    X(session_end, struct session)  /* end_ns */                               \
    X(operators_of, struct session) /* operators_of */                         \
    X(inference, struct inference)  /* numbered by the trace */                \
    X(found_operator, struct operator)                                         \
    X(tensor, struct operator_tensor) /* this and the next two replace */      \
    X(edge, struct operator_edge)     /* one with the same key, as do */       \
    X(shape, struct operator_shape)   /* the sums */                           \
    X(operator_sum, struct operator_sum)                                       \
    X(traced_sum, struct traced_sum)                                           \
    X(ran_operator, struct operator_run) /* of a timeline that is kept */      \
    X(activation, struct activation)                                           \
    X(section, struct section)                                                 \
    X(token, struct token)                                                     \
    X(mark, struct note)                                                       \
    X(thread, struct note)           /* its name */                            \
    X(subject, struct subject_entry) /* before its first reading, and */       \
    /* again when it is called something else */                               \
    X(subject_end, struct subject_entry) /* end_ns */                          \
    X(readings, struct reading_list)     /* all that were taken, */            \
    X(changes, struct reading_list)      /* or (live/rollup.h) the changes, */ \
    X(rollup, struct rollup)             /* and seconds summed up */           \
    X(missing, struct absence_note)                                            \
    X(alert, struct alert)                                                     \
    X(alert_end, struct alert) /* end_ns, and the value then, NAN: gone */     \
    X(loss, struct event_loss)                                                 \
    X(tick, uint64_t) /* of mono_ns(): so far that was all */                  \
    X(end, struct run_end)                                                     \
    X(close, struct run) /* as it is kept, with all notes */

struct subscriber {
    void *context;
#define X(event, type) void (*event)(void *context, const type *x);
    SUBSCRIBER_EVENTS(X)
#undef X
};

enum run_event {
#define X(event, type) EVENT_##event,
    SUBSCRIBER_EVENTS(X)
#undef X
            EVENTS
};

/* Those who are told, in this order. */
#define SUBSCRIBERS_MAX 12

struct subscribers {
    const struct subscriber *item[SUBSCRIBERS_MAX];
    size_t count;
};

void subscribers_add(struct subscribers *s, const struct subscriber *x);

/* Passes everything on to each of them.  None of its functions is NULL.  The
 * list, which may still grow, must outlive it. */
struct subscriber subscriber_to_all(const struct subscribers *list);

/* Tells one event by its number. */
void event_tell(const struct subscriber *s, enum run_event event,
        const void *x);

/* A copy of an event in one piece of memory: texts and readings lie behind it.
 * `to` is aligned to 8 bytes and has room for event_bytes(). */
size_t event_bytes(enum run_event event, const void *x);
void event_copy(void *to, enum run_event event, const void *x);
