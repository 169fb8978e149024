#include "store/subscriber.h"

#include "base/buf.h"
#include "os/clock.h"

/* Rows are committed by so many, or after so long. */
#define FLUSH_COUNT 1000

static struct store *store_of(void *to)
{
    return ((struct store_subscriber *)to)->store;
}

/* Events that are a row as they are. */
#define ROW(event, type)                              \
    static void take_##event(void *to, const type *x) \
    {                                                 \
        store_add_##event(store_of(to), x);           \
    }
ROW(process, struct process)
ROW(session, struct session)
ROW(operator, struct operator)
ROW(operator_tensor, struct operator_tensor)
ROW(operator_edge, struct operator_edge)
ROW(operator_shape, struct operator_shape)
ROW(operator_sum, struct operator_sum)
ROW(traced_sum, struct traced_sum)
ROW(operator_run, struct operator_run)
ROW(activation, struct activation)
ROW(section, struct section)
ROW(token, struct token)
ROW(mark, struct note)
ROW(thread, struct note)
ROW(rollup, struct rollup)
ROW(absence, struct absence_note)
ROW(alert, struct alert)
#undef ROW

static void end_process(void *to, const struct process *x)
{
    store_end_process(store_of(to), x);
}

static void take_library(void *to, const struct library *l)
{
    store_add_library(store_of(to), l);
    if (l->untraced)
        store_set_untraced(store_of(to), l->id, l->untraced);
}

static void set_language(void *to, const struct library *l)
{
    store_add_language(store_of(to), l->id, l->language);
}

static void set_untraced(void *to, const struct library *l)
{
    store_set_untraced(store_of(to), l->id, l->untraced);
}

static void end_session(void *to, const struct session *x)
{
    store_add_session_end(store_of(to), x->id, x->end_ns);
}

static void set_operators_of(void *to, const struct session *x)
{
    store_set_operators_of(store_of(to), x->id, x->operators_of);
}

static void take_inference(void *to, const struct inference *i)
{
    ((struct store_subscriber *)to)->inferences++;
    (void)store_add_inference(store_of(to), i);
}

static void take_subject(void *to, const struct subject_entry *x)
{
    store_add_subject(store_of(to), x->id, &x->subject);
}

static void end_subject(void *to, const struct subject_entry *x)
{
    store_end_subject(store_of(to), x->id, x->end_ns);
}

static void end_alert(void *to, const struct alert *x)
{
    store_end_alert(store_of(to), x->number, x->end_ns);
}

static void take_changes(void *to, const struct reading_list *list)
{
    store_add_readings(store_of(to), list->items, list->count);
}

/* --- committing ----------------------------------------------------------- */

static void flush(struct store_subscriber *s)
{
    s->flushed_ns = mono_ns();
    if (s->failed)
        return;
    if (store_flush(s->store, &s->why))
        s->failed = true;
    else
        s->kept = s->inferences;
}

static void tick(void *to, const uint64_t *now_ns)
{
    struct store_subscriber *s = to;

    if (store_waiting(s->store) >= FLUSH_COUNT ||
            *now_ns - s->flushed_ns >= s->flush_ns)
        flush(s);
}

static void end(void *to, const struct run_end *x)
{
    struct store_subscriber *s = to;

    flush(s);
    if (!s->failed && s->derive) {
        s->derive(s->derive_context, x->run);
        flush(s);
    }
    if (s->failed && x->note)
        buf_printf(x->note, "%sRecording stopped early: %s.",
                x->note->len ? " " : "", s->why.text);
}

static void close_run(void *to, const struct run *x)
{
    struct store_subscriber *s = to;
    struct run run = *x;
    struct error why;

    if (s->failed)
        run.status = RUN_FAILED;
    if (store_end_run(s->store, &run, &why) && !s->failed) {
        s->failed = true;
        s->why = why;
    }
}

void store_subscribe(struct store_subscriber *s, struct store *store)
{
    *s = (struct store_subscriber){
        .store = store,
        .flush_ns = STORE_FLUSH_NS,
        .to = {
                .context = s,
                .process = take_process,
                .process_end = end_process,
                .library = take_library,
                .language = set_language,
                .untraced = set_untraced,
                .session = take_session,
                .session_end = end_session,
                .operators_of = set_operators_of,
                .inference = take_inference,
                .found_operator = take_operator,
                .tensor = take_operator_tensor,
                .edge = take_operator_edge,
                .shape = take_operator_shape,
                .operator_sum = take_operator_sum,
                .traced_sum = take_traced_sum,
                .ran_operator = take_operator_run,
                .activation = take_activation,
                .section = take_section,
                .token = take_token,
                .mark = take_mark,
                .thread = take_thread,
                .subject = take_subject,
                .subject_end = end_subject,
                .changes = take_changes,
                .rollup = take_rollup,
                .missing = take_absence,
                .alert = take_alert,
                .alert_end = end_alert,
                .tick = tick,
                .end = end,
                .close = close_run,
        },
    };
}
