/* live_read.c -- what comes of runs, one by one, for who follows them: from
 * memory what is kept there, from the store what is not.  For the service
 * thread. */
#include "serve/answer/figures_json.h"
#include "serve/answer/run_about.h"
#include "serve/live/event_json.h"
#include "serve/live/live_state.h"

#include <string.h>

static struct store *reader_of(struct live *l)
{
    if (!l->reader)
        (void)l->open_store(l->context, &l->reader, STORE_READ, NULL);
    return l->reader;
}

const struct live_run *live_run_of(const struct live_view *v,
        const char *run_id)
{
    for (size_t i = 0; i < v->run_count; i++)
        if (strcmp(v->runs[i]->id, run_id) == 0)
            return v->runs[i];
    return NULL;
}

/* A copy of how far a run has come; false: it is not followed. */
static bool newest_of(struct live *l, const char *run_id,
        struct live_cursor *newest, bool *ended)
{
    const struct live_run *r = live_run_of(live_lock(l), run_id);

    if (r) {
        *newest = r->newest;
        *ended = r->ended;
    }
    live_unlock(l);
    return r != NULL;
}

/* --- from the store ------------------------------------------------------- */

/* One look into the store. */
struct reading_on {
    struct live_cursor *at;
    size_t count, most;
    struct buf *out;
    struct event_of run;
    struct store *store;
    int64_t row;
    struct names *names;
    bool renewed;   /* the names, in this look */
    uint64_t place; /* of the row that is being read */
    uint64_t up_to; /* inference */
    uint64_t lost;
    bool stopped;
};

static void take_start(void *to, const struct run *r)
{
    ((struct reading_on *)to)->run.start_wall_ns = r->started_wall_ns;
}

static struct names *names_of(struct live *l, const char *run_id)
{
    struct live_names *n;

    for (size_t i = 0; i < LIVE_NAMES; i++)
        if (strcmp(l->names[i].run_id, run_id) == 0)
            return &l->names[i].names;
    n = &l->names[l->names_turn++ % LIVE_NAMES];
    names_release(&n->names);
    *n = (struct live_names){ 0 };
    memcpy(n->run_id, run_id, sizeof(n->run_id));
    return &n->names;
}

static bool begin(struct reading_on *x, struct live *l, const char *run_id)
{
    x->run.run_id = run_id;
    x->store = reader_of(l);
    x->names = names_of(l, run_id);
    return x->store &&
           store_find_run_id(x->store, run_id, &x->row, NULL) == 0 &&
           store_read_run(x->store, x->row, take_start, x, NULL) == 0;
}

/* Something has no name: it may have come since they were read. */
static bool renew_names(struct reading_on *x)
{
    if (x->renewed)
        return false;
    x->renewed = true;
    names_release(x->names);
    *x->names = (struct names){ 0 };
    return names_read(x->names, x->store, x->row, NULL) == 0;
}

/* Where the next one is written. */
static struct json next(struct reading_on *x)
{
    if (x->count++)
        buf_char(x->out, ',');
    return json_line_into(x->out);
}

/* --- inferences ----------------------------------------------------------- */

/* Those that are kept; false: the first wanted is not among them. */
static bool from_memory(const struct live_view *v, struct reading_on *x)
{
    const struct live_run *r = live_run_of(v, x->run.run_id);

    while (r && x->count < x->most && x->at->inference < r->newest.inference) {
        uint64_t number = x->at->inference + 1;
        const struct live_event *e = &r->events[number % LIVE_EVENTS];

        if (e->number != number)
            return x->count > 0;
        buf_printf(x->out, "%s%s", x->count++ ? "," : "", e->json);
        x->at->inference = number;
    }
    return r != NULL;
}

static void take_inference(void *to, const struct inference *i)
{
    struct reading_on *x = to;
    struct json j = next(x);

    if (!names_session(x->names, i->session))
        (void)renew_names(x);
    inference_json(&j, i,
            &(struct inference_context){
                    .run_id = x->run.run_id,
                    .started_wall_ns = x->run.start_wall_ns,
                    .model = names_model(x->names, i->session),
                    .jitter_ns = -1,
            });
}

size_t live_inferences(struct live *l, const char *run_id,
        struct live_cursor *at, size_t most, struct buf *out)
{
    struct reading_on x = { .at = at,
        .most = most,
        .out = out,
        .run = { run_id, 0 } };
    bool kept = from_memory(live_lock(l), &x);

    live_unlock(l);
    if (!kept && begin(&x, l, run_id))
        (void)store_each_inference_since(x.store, x.row, &at->inference, most,
                take_inference, &x, NULL);
    return x.count;
}

/* --- operations ----------------------------------------------------------- */

static void take_operation(void *to, const struct operator_run *r)
{
    struct reading_on *x = to;
    const struct operator* o;

    x->stopped |= r->inference > x->up_to;
    if (x->stopped)
        return;
    x->at->operation = x->place;
    o = names_operator(x->names, r->operator_id);
    if (!o && renew_names(x))
        o = names_operator(x->names, r->operator_id);
    if (o) {
        struct json j = next(x);

        shape_operation_json(&j, x->run.start_wall_ns, r, o, x->place);
    }
}

size_t live_operations(struct live *l, const char *run_id,
        struct live_cursor *at, size_t most, struct buf *out)
{
    struct reading_on x = { .at = at,
        .out = out,
        .place = at->operation,
        .up_to = at->inference };
    struct live_cursor newest;
    bool ended;

    if (newest_of(l, run_id, &newest, &ended)) {
        if (at->operation >= newest.operation)
            return 0;
        if (ended) /* what waits for its inference waits in vain */
            x.up_to = UINT64_MAX;
    }
    if (begin(&x, l, run_id))
        (void)store_each_operator_run_since(x.store, x.row, &x.place, most,
                take_operation, &x, NULL);
    return x.count;
}

/* --- events --------------------------------------------------------------- */

static void take_load(void *to, const struct session *s)
{
    struct reading_on *x = to;

    if (s->id <= x->at->session || x->count == x->most)
        return;
    x->at->session = s->id;
    if (!s->seen_late) {
        struct json j = next(x);

        event_load_json(&j, &x->run, s);
    }
}

static void sum_lost(void *to, const struct process *p)
{
    ((struct reading_on *)to)->lost += event_lost(p);
}

static void take_lost(void *to, const struct process *p)
{
    if (event_lost(p)) {
        struct reading_on *x = to;
        struct json j = next(x);

        event_lost_json(&j, &x->run, p);
    }
}

static void take_mark(void *to, const struct note *n)
{
    struct reading_on *x = to;
    struct json j = next(x);

    event_mark_json(&j, &x->run, ++x->at->marks, n);
}

/* All of them again: those that go on are told again when they are over. */
static void take_alert(void *to, const struct alert *a)
{
    struct reading_on *x = to;

    if (!a->rule || x->count == x->most)
        return;

    struct json j = next(x);

    event_alert_json(&j, &x->run, a, true);
}

static void tell_alerts(struct reading_on *x)
{
    uint64_t alerts = 0;

    (void)store_each_alert(x->store, x->row, event_sum_alerts, &alerts, NULL);
    if (alerts != x->at->alerts)
        (void)store_each_alert(x->store, x->row, take_alert, x, NULL);
    x->at->alerts = alerts;
}

size_t live_happenings(struct live *l, const char *run_id,
        struct live_cursor *at, size_t most, struct buf *out)
{
    struct reading_on x = { .at = at, .most = most, .out = out };
    struct live_cursor newest;
    bool ended;

    if (newest_of(l, run_id, &newest, &ended) && at->mark >= newest.mark &&
            at->session >= newest.session && at->lost == newest.lost &&
            at->alerts == newest.alerts)
        return 0;
    if (!begin(&x, l, run_id))
        return 0;
    (void)store_each_session(x.store, x.row, take_load, &x, NULL);
    (void)store_each_process(x.store, x.row, sum_lost, &x, NULL);
    if (x.lost != at->lost)
        (void)store_each_process(x.store, x.row, take_lost, &x, NULL);
    at->lost = x.lost;
    (void)store_each_mark_since(x.store, x.row, &at->mark, most, take_mark, &x,
            NULL);
    tell_alerts(&x);
    return x.count;
}

/* --- runs ----------------------------------------------------------------- */

struct live_cursor live_cursor_at(struct live *l, const char *run_id,
        uint64_t inference)
{
    struct live_cursor at = { .inference = inference };
    struct reading_on x = { .at = &at };

    if (inference && begin(&x, l, run_id))
        (void)store_last_operator_run(x.store, x.row, inference, &at.operation,
                NULL);
    return at;
}

static void take_status(void *to, const struct run *r)
{
    *(enum run_status *)to = r->status;
}

bool live_ended_run(struct live *l, const char *run_id, struct buf *out)
{
    struct reading_on x = { 0 };
    enum run_status status = RUN_RUNNING;
    struct live_cursor newest;
    bool ended;

    if (newest_of(l, run_id, &newest, &ended) || !begin(&x, l, run_id) ||
            store_read_run(x.store, x.row, take_status, &status, NULL) ||
            status == RUN_RUNNING)
        return false;
    if (out) {
        struct json j = json_line_into(out);

        (void)run_row_json(&j, NULL, x.store, x.row, false, NULL);
    }
    return true;
}

static void take_id(void *to, const struct run *r)
{
    memcpy(to, r->id, sizeof(r->id));
}

bool live_finds(struct live *l, const char *name, char id[RUN_ID_LEN + 1])
{
    struct store *store = reader_of(l);
    int64_t row;

    return store && strlen(name) >= 4 &&
           store_find_run_id(store, name, &row, NULL) == 0 &&
           store_read_run(store, row, take_id, id, NULL) == 0;
}
