/* trace_runs.c -- sessions and their inferences. */
#include "base/alloc.h"
#include "collect/trace_state.h"

/* --- sessions and runs ---------------------------------------------------- */

static uint64_t hash_of(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* The same for sessions that are alike: of the same library, model and options.
 * 0: not all of that is known. */
static uint64_t identity_of(const struct trace *t, const struct session *s)
{
    uint64_t library = s->library ? t->libraries[s->library - 1] : 0;

    if (!s->model || !s->providers || !s->options)
        return 0;
    return hash_of(hash_of(hash_of(library ^ UINT64_C(0xcbf29ce484222325),
                                   s->model),
                           s->providers),
                   s->options) |
           1;
}

static uint32_t new_session(struct trace *t, uint32_t process,
        const struct record *r, struct session *s)
{
    struct buf providers = { 0 }, options = { 0 };
    uint64_t at = r->kind == RECORD_SESSION ? r->session.options : 0;
    struct session_options *o = at ? trace_options(t, process, at) : NULL;

    if (t->session_count >= OBJECTS_MAX) {
        t->odd++;
        return 0;
    }
    session_options_providers_json(o, &providers);
    session_options_json(o, &options);
    t->sessions = alloc_resize(t->sessions,
            (t->session_count + 1) * sizeof(*t->sessions));
    t->sessions[t->session_count] = (struct about_session){ 0 };
    s->id = ++t->session_count;
    s->process = process;
    s->library = trace_library(t, process, record_library(r));
    if (o || (!s->seen_late && !at)) { /* else nobody knows */
        s->providers = buf_cstr(&providers);
        s->options = buf_cstr(&options);
    }
    t->sessions[s->id - 1].identity = identity_of(t, s);
    t->sink.session(t->sink.context, s);
    buf_release(&providers);
    buf_release(&options);
    return s->id;
}

void trace_take_session(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = trace_known(t, process);
    struct session s = {
        .model = trace_text(t, r->session.model),
        .model_bytes = r->session.model_bytes,
        .start_ns = trace_since_start(t, r->session.start),
        .duration_ns = trace_lasted(r->session.start, r->session.end),
        .thread = r->session.thread,
        .seen_late = r->flags & SESSION_SEEN_LATE,
    };

    if (r->flags & FLAG_FAILED)
        s.error = trace_error(t, k, r->session.thread);

    uint32_t id = new_session(t, process, r, &s);

    if (id && !s.error)
        map_put(&k->sessions, r->session.session, id);
}

void trace_take_session_end(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = trace_known(t, process);
    uint64_t *id = map_find(&k->sessions, r->session.session);

    if (!id)
        return; /* a parent's session, or one that we never saw */
    t->sink.session_end(t->sink.context,
            &(struct session){ .id = (uint32_t)*id,
                    .end_ns = trace_since_start(t, r->session.end) });
    t->sessions[*id - 1].end_ns = r->session.end;
    map_put(&k->ended, r->session.session, *id);
    map_remove(&k->sessions, r->session.session);
}

/* The last takes the place that is free then. */
static void forget_context(struct known *k, uint32_t thread, size_t at)
{
    map_remove(&k->batches, thread);
    k->batch[at] = k->batch[--k->batch_count];
    if (at < k->batch_count)
        map_put(&k->batches, k->batch[at].thread, at);
}

/* What the program said of the next inference of this thread, or of all. */
static void add_context(struct known *k, uint32_t thread, struct inference *i)
{
    uint64_t *place = map_find(&k->batches, thread);

    if (!place)
        return;

    const struct context *c = &k->batch[*place];

    i->has_context = true;
    i->batch_size = c->size;
    i->padding = c->padding;
    i->queue_depth = c->queue_depth;
    if (!c->lasts)
        forget_context(k, thread, (size_t)*place);
}

/* What Python said of the next inference of this thread. */
void trace_take_gil(struct trace *t, uint32_t process, const struct record *r)
{
    struct known *k = trace_known(t, process);

    if (r->gil.released > r->gil.wanted || r->gil.wanted > r->gil.taken ||
            k->gil.count >= OBJECTS_MAX) {
        t->odd++;
        return;
    }
    map_put(&k->runtime, r->gil.thread, r->gil.wanted - r->gil.released);
    map_put(&k->gil, r->gil.thread, r->gil.taken - r->gil.wanted);
}

static void add_parts(struct known *k, uint32_t thread, struct inference *i)
{
    uint64_t *runtime = map_find(&k->runtime, thread);
    uint64_t *gil = map_find(&k->gil, thread);

    if (!runtime || !gil)
        return;
    /* By differences: together they may be any number. */
    i->has_parts =
            *runtime <= i->duration_ns && *gil <= i->duration_ns - *runtime;
    if (i->has_parts) {
        i->runtime_ns = *runtime;
        i->gil_ns = *gil;
    }
    map_remove(&k->runtime, thread);
    map_remove(&k->gil, thread);
}

/* Whether its operators are known, and all of them. */
static bool close_traced(struct trace *t, const struct inference *i,
        const struct record *r)
{
    return kernels_close(t->kernels,
            &(struct kernels_run){
                    .process = i->process,
                    .thread = i->thread,
                    .session = i->session,
                    .identity = i->session
                                        ? t->sessions[i->session - 1].identity
                                        : 0,
                    .number = i->number,
                    .phase = i->phase,
                    .flags = r->flags,
                    .start_ns = r->run.start,
                    .end_ns = r->run.end,
                    .origin_ns = t->start_ns,
                    .clock = t->clock,
            });
}

void trace_take_passed(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = trace_known(t, process);
    uint64_t *kept = map_find(&k->passed, r->passed.thread);
    struct passed_on *on = kept ? (struct passed_on *)(uintptr_t)*kept : NULL;

    if (!on && k->passed.count >= OBJECTS_MAX) {
        t->odd++;
        return;
    }
    if (!on) {
        on = alloc_zero(1, sizeof(*on));
        map_put(&k->passed, r->passed.thread, (uintptr_t)on);
    }
    *on = (struct passed_on){
        .session = r->passed.session,
        .passed = { .flags = r->flags,
                .in_at = r->passed.in_at,
                .out_at = r->passed.out_at,
                .in = r->passed.in },
    };
    for (size_t i = 0; i < PASSED_ROWS; i++)
        on->passed.out[i] = r->passed.out[i];
}

/* Which text it is of; what was passed on is used once. */
static void follow(struct trace *t, struct known *k, const struct record *r,
        struct inference *i)
{
    uint64_t *kept = map_find(&k->passed, r->run.thread);
    struct passed_on *on = kept ? (struct passed_on *)(uintptr_t)*kept : NULL;
    bool ours = on && on->session == r->run.session;

    follower_take(t->follower, i, ours ? &on->passed : NULL);
    if (ours)
        on->session = 0;
}

void trace_take_run(struct trace *t, uint32_t process, const struct record *r)
{
    struct known *k = trace_known(t, process);
    struct inference i = {
        .number = ++t->inference_count,
        .session = trace_session(t, process, r->run.session),
        .process = process,
        .thread = r->run.thread,
        .phase = record_phase(r) < PHASES ? record_phase(r) : PHASE_OTHER,
        .flags = r->flags & (uint16_t)~FLAG_TRACED,
        .start_ns = trace_since_start(t, r->run.start),
        .duration_ns = trace_lasted(r->run.start, r->run.end),
        .batch = r->run.batch,
        .sequence = r->run.sequence,
        .past = r->run.past,
        .in_bytes = r->run.in_bytes,
        .out_bytes = r->run.out_bytes,
    };

    if (!i.session) {
        struct session s = { .seen_late = true, .start_ns = i.start_ns };

        i.session = new_session(t, process, r, &s);
        if (i.session)
            map_put(&k->sessions, r->run.session, i.session);
    }
    if (r->flags & FLAG_FAILED)
        i.error = trace_error(t, k, r->run.thread);
    add_context(k, r->run.thread, &i);
    add_parts(k, r->run.thread, &i);
    follow(t, k, r, &i);

    if (close_traced(t, &i, r))
        i.flags |= FLAG_TRACED;
    t->sink.inference(t->sink.context, &i);
}

void trace_take_batch(struct trace *t, uint32_t process, const struct record *r)
{
    struct known *k = trace_known(t, process);
    uint64_t *place = map_find(&k->batches, r->batch.thread);
    size_t at = place ? (size_t)*place : 0;
    bool lasts = r->flags & BATCH_LASTS;

    if (lasts && !r->batch.size) {
        if (place)
            forget_context(k, r->batch.thread, at);
        return;
    }
    if (!place) {
        if (k->batch_count >= OBJECTS_MAX) {
            t->odd++;
            return;
        }
        at = k->batch_count++;
        k->batch = alloc_resize(k->batch, k->batch_count * sizeof(*k->batch));
        map_put(&k->batches, r->batch.thread, at);
    }
    k->batch[at] = (struct context){ r->batch.thread, r->batch.size,
        r->batch.padding, r->batch.queue_depth, lasts };
}
