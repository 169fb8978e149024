#include "etw/ort.h"

#include "base/alloc.h"
#include "base/map.h"
#include "etw/event.h"
#include "etw/guid.h"
#include "etw/live/self.h"

#include <stdlib.h>
#include <string.h>

#define OPEN_MAX 16 /* runs within each other on one thread */

struct session {
    uint32_t pid, tid, number;
    struct buf model, graph, providers, version, error;
    int64_t start_ns, load_start_ns;
    uint64_t duration_ns, load_ns;
    bool begun, reported;
};

/* The inferences that a thread is in. */
struct thread {
    struct open_run {
        int64_t start_ns;
        uint32_t session;
        bool has_session;
    } open[OPEN_MAX];
    size_t depth;
    uint32_t pid, tid;
    struct buf error; /* of the innermost */
};

struct etw_ort {
    const struct etw_info *info;
    struct etw_ort_sink sink;
    struct etw_ort_tally tally;
    struct thread *threads;
    size_t thread_count, thread_cap;
    struct map by_thread;
    struct session *sessions;
    size_t session_count, session_cap;
    struct map by_session; /* pid and number */
};

/* The event's fields, as far as they are wanted. */
#define FIELDS_MAX 32

struct fields {
    struct etw_item items[FIELDS_MAX];
    size_t count;
};

struct etw_ort *etw_ort_new(const struct etw_info *info,
        const struct etw_ort_sink *sink)
{
    struct etw_ort *o = alloc_zero(1, sizeof(*o));

    o->info = info;
    o->sink = *sink;
    return o;
}

/* --- fields ----------------------------------------------------------------
 */

static void keep_field(void *context, const struct etw_item *i)
{
    struct fields *f = context;

    if (!i->depth && i->step == ETW_VALUE && f->count < FIELDS_MAX)
        f->items[f->count++] = *i;
}

static const struct etw_item *field(const struct fields *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->items[i].name, name) == 0)
            return &f->items[i];
    return NULL;
}

static bool number(const struct fields *f, const char *name, int64_t *out)
{
    const struct etw_item *i = field(f, name);

    return i && etw_item_number(i, out);
}

/* Replaces what is there by a text that says something. */
static void text(struct buf *out, const struct fields *f, const char *name)
{
    const struct etw_item *i = field(f, name);

    if (!i || !i->len)
        return;
    buf_clear(out);
    (void)etw_item_text(out, i);
}

static const char *or_null(const struct buf *b)
{
    return b->len ? buf_cstr(b) : NULL;
}

/* --- inferences ------------------------------------------------------------
 */

static struct thread *thread_of(struct etw_ort *o, const struct etw_record *r)
{
    uint64_t key = (uint64_t)r->pid << 32 | r->tid;
    const uint64_t *at = map_find(&o->by_thread, key);

    if (at)
        return &o->threads[*at];
    if (o->thread_count == o->thread_cap) {
        o->thread_cap = o->thread_cap ? 2 * o->thread_cap : 16;
        o->threads =
                alloc_resize(o->threads, o->thread_cap * sizeof(*o->threads));
    }
    map_put(&o->by_thread, key, o->thread_count);
    o->threads[o->thread_count] =
            (struct thread){ .pid = r->pid, .tid = r->tid };
    return &o->threads[o->thread_count++];
}

static void begin_run(struct etw_ort *o, const struct etw_record *r,
        const struct fields *f)
{
    struct thread *t = thread_of(o, r);
    struct open_run run = { .start_ns = etw_trace_ns(o->info, r->time) };
    int64_t session;

    run.has_session = number(f, "sessionId", &session);
    if (run.has_session)
        run.session = (uint32_t)session;
    if (t->depth == OPEN_MAX) { /* so many ends were lost */
        o->tally.unpaired_starts += OPEN_MAX;
        t->depth = 0;
    }
    t->open[t->depth++] = run;
    buf_clear(&t->error);
}

/* Starts of another session that lie above lost their ends. */
static bool match(struct etw_ort *o, struct thread *t, const struct fields *f)
{
    int64_t session;
    size_t at = t->depth;

    if (!number(f, "sessionId", &session))
        return at > 0;
    while (at && t->open[at - 1].has_session &&
            t->open[at - 1].session != (uint32_t)session)
        at--;
    if (!at)
        return false;
    o->tally.unpaired_starts += t->depth - at;
    t->depth = at;
    return true;
}

static void end_run(struct etw_ort *o, const struct etw_record *r,
        const struct fields *f)
{
    struct thread *t = thread_of(o, r);

    if (!match(o, t, f)) {
        o->tally.unpaired_stops++;
        return;
    }

    const struct open_run *run = &t->open[--t->depth];
    int64_t end = etw_trace_ns(o->info, r->time);
    struct etw_ort_inference x = {
        .pid = r->pid,
        .tid = r->tid,
        .has_session = run->has_session,
        .session = run->session,
        .start_ns = run->start_ns,
        .duration_ns =
                end > run->start_ns ? (uint64_t)(end - run->start_ns) : 0,
        .error = or_null(&t->error),
    };

    o->tally.inferences++;
    if (o->sink.inference)
        o->sink.inference(o->sink.context, &x);
    buf_clear(&t->error);
}

/* --- sessions --------------------------------------------------------------
 */

static struct session *session_of(struct etw_ort *o, const struct etw_record *r,
        const struct fields *f)
{
    int64_t named = 0;

    (void)number(f, "sessionId", &named);

    uint64_t key = (uint64_t)r->pid << 32 | (uint32_t)named;
    const uint64_t *at = map_find(&o->by_session, key);

    if (at)
        return &o->sessions[*at];
    if (o->session_count == o->session_cap) {
        o->session_cap = o->session_cap ? 2 * o->session_cap : 16;
        o->sessions = alloc_resize(o->sessions,
                o->session_cap * sizeof(*o->sessions));
    }
    map_put(&o->by_session, key, o->session_count);
    o->sessions[o->session_count] = (struct session){ .pid = r->pid,
        .tid = r->tid,
        .number = (uint32_t)named,
        .start_ns = etw_trace_ns(o->info, r->time) };
    return &o->sessions[o->session_count++];
}

static void report_session(struct etw_ort *o, struct session *s)
{
    struct etw_ort_session x = {
        .pid = s->pid,
        .tid = s->tid,
        .session = s->number,
        .model = or_null(&s->model),
        .graph = or_null(&s->graph),
        .providers = or_null(&s->providers),
        .version = or_null(&s->version),
        .error = or_null(&s->error),
        .start_ns = s->start_ns,
        .duration_ns = s->duration_ns,
        .load_ns = s->load_ns,
        .whole = s->begun && s->duration_ns,
    };

    if (s->reported)
        return;
    s->reported = true;
    o->tally.sessions++;
    if (o->sink.session)
        o->sink.session(o->sink.context, &x);
}

static uint64_t since(int64_t from, int64_t to)
{
    return to > from ? (uint64_t)(to - from) : 0;
}

static void take_session(struct etw_ort *o, const struct etw_record *r,
        const struct fields *f, const char *name)
{
    struct session *s = session_of(o, r, f);
    int64_t now = etw_trace_ns(o->info, r->time), good = 1;

    text(&s->version, f, "runtimeVersion");
    if (strcmp(name, "SessionCreationStart") == 0) {
        s->begun = true;
        s->start_ns = now;
        s->tid = r->tid;
    } else if (strcmp(name, "ModelLoadStart") == 0)
        s->load_start_ns = now;
    else if (strcmp(name, "ModelLoadEnd") == 0)
        s->load_ns = since(s->load_start_ns, now);
    else if (strcmp(name, "SessionCreationEnd") == 0) {
        s->duration_ns = s->begun ? since(s->start_ns, now) : 0;
        if (number(f, "isSuccess", &good) && !good)
            text(&s->error, f, "errorMessage");
        report_session(o, s);
    } else { /* SessionCreation, also in answer to a capture of the state */
        text(&s->model, f, "modelFileName");
        text(&s->graph, f, "modelGraphName");
        text(&s->providers, f, "executionProviderIds");
    }
}

/* --- the rest --------------------------------------------------------------
 */

static void take_qnn(struct etw_ort *o, const struct etw_record *r,
        const struct fields *f)
{
    struct buf message = { 0 }, unit = { 0 }, level = { 0 }, identifier = { 0 };
    int64_t value = 0;

    text(&message, f, "Message");
    text(&unit, f, "Unit of Measurement");
    text(&level, f, "Event Level");
    text(&identifier, f, "Event Identifier");
    (void)number(f, "Value", &value);

    struct etw_ort_qnn x = { .pid = r->pid,
        .tid = r->tid,
        .time_ns = etw_trace_ns(o->info, r->time),
        .message = or_null(&message),
        .unit = or_null(&unit),
        .level = or_null(&level),
        .identifier = or_null(&identifier),
        .value = (uint64_t)value };

    o->tally.qnn_events++;
    if (o->sink.qnn)
        o->sink.qnn(o->sink.context, &x);
    buf_release(&message);
    buf_release(&unit);
    buf_release(&level);
    buf_release(&identifier);
}

static void take_message(struct etw_ort *o, const struct etw_record *r,
        const struct fields *f)
{
    struct buf category = { 0 }, message = { 0 };

    text(&category, f, "category");
    text(&message, f, "message");

    struct etw_ort_message x = { .pid = r->pid,
        .tid = r->tid,
        .time_ns = etw_trace_ns(o->info, r->time),
        .level = r->level,
        .category = or_null(&category),
        .text = or_null(&message) };

    o->tally.messages++;
    if (o->sink.message && x.text)
        o->sink.message(o->sink.context, &x);
    buf_release(&category);
    buf_release(&message);
}

static void take_perf(struct etw_ort *o, const struct fields *f)
{
    int64_t runs;

    if (number(f, "totalRuns", &runs) && runs > 0)
        o->tally.reported_runs += (uint64_t)runs;
}

static void take_event(struct etw_ort *o, const struct etw_record *r,
        bool logging)
{
    struct etw_self self;
    struct fields f;

    if (!etw_self_parse(&self, r))
        return;
    f.count = 0; /* the items are many, and zeroing them costs */
    o->tally.events++;
    (void)etw_self_walk(&self, r, keep_field, &f);
    if (logging)
        take_message(o, r, &f);
    else if (strcmp(self.name, "EvaluationStart") == 0)
        begin_run(o, r, &f);
    else if (strcmp(self.name, "EvaluationStop") == 0)
        end_run(o, r, &f);
    else if (strcmp(self.name, "RuntimeInferenceError") == 0)
        text(&thread_of(o, r)->error, &f, "errorMessage");
    else if (strncmp(self.name, "SessionCreation", 15) == 0 ||
             strncmp(self.name, "ModelLoad", 9) == 0)
        take_session(o, r, &f, self.name);
    else if (strcmp(self.name, "QNNProfilingEvent") == 0)
        take_qnn(o, r, &f);
    else if (strcmp(self.name, "RuntimePerf") == 0)
        take_perf(o, &f);
}

void etw_ort_take(struct etw_ort *o, const struct etw_record *r)
{
    if (r->kind != ETW_EVENT)
        return;
    if (guid_is(r->guid, &etw_ort_logging))
        take_event(o, r, true);
    else if (guid_is(r->guid, &etw_ort_provider))
        take_event(o, r, false);
}

void etw_ort_end(struct etw_ort *o)
{
    for (size_t i = 0; i < o->session_count; i++)
        report_session(o, &o->sessions[i]);
    for (size_t i = 0; i < o->thread_count; i++) {
        o->tally.unpaired_starts += o->threads[i].depth;
        o->threads[i].depth = 0;
    }
}

const struct etw_ort_tally *etw_ort_tally(const struct etw_ort *o)
{
    return &o->tally;
}

void etw_ort_free(struct etw_ort *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->session_count; i++) {
        struct session *s = &o->sessions[i];

        buf_release(&s->model);
        buf_release(&s->graph);
        buf_release(&s->providers);
        buf_release(&s->version);
        buf_release(&s->error);
    }
    for (size_t i = 0; i < o->thread_count; i++)
        buf_release(&o->threads[i].error);
    map_release(&o->by_thread);
    map_release(&o->by_session);
    free(o->sessions);
    free(o->threads);
    free(o);
}
