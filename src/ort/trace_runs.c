/* trace_runs.c -- sessions, their inferences, and what ran inside. */
#include "base/alloc.h"
#include "ort/trace_state.h"

/* --- sessions and runs ---------------------------------------------------- */

static uint32_t new_session(struct trace *t, uint32_t process,
        const struct record *r, struct session *s)
{
    struct buf providers = { 0 }, options = { 0 };
    uint64_t at = s->seen_late ? 0 : r->session.options;
    struct session_options *o = at ? trace_options(t, process, at) : NULL;

    if (t->session_count >= OBJECTS_MOST) {
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
    t->sink.session_end(t->sink.context, (uint32_t)*id,
            trace_since_start(t, r->session.end));
    t->sessions[*id - 1].end_ns = r->session.end;
    map_put(&k->ended, r->session.session, *id);
    map_remove(&k->sessions, r->session.session);
}

/* What the program said of the next inference of this thread. */
static void add_context(struct known *k, uint32_t thread, struct inference *i)
{
    uint64_t *place = map_find(&k->batches, thread);

    if (!place)
        return;
    i->has_context = true;
    i->batch_size = k->batch[*place].size;
    i->padding = k->batch[*place].padding;
    i->queue_depth = k->batch[*place].queue_depth;

    /* The last takes the place that is free now. */
    size_t at = (size_t)*place;

    map_remove(&k->batches, thread);
    k->batch[at] = k->batch[--k->batch_count];
    if (at < k->batch_count)
        map_put(&k->batches, k->batch[at].thread, at);
}

void trace_take_run(struct trace *t, uint32_t process, const struct record *r)
{
    struct known *k = trace_known(t, process);
    struct inference i = {
        .session = trace_session(t, process, r->run.session),
        .process = process,
        .thread = r->run.thread,
        .phase = record_phase(r) < PHASES ? record_phase(r) : PHASE_OTHER,
        .flags = r->flags,
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

    uint64_t number = t->sink.inference(t->sink.context, &i);

    if (r->flags & FLAG_BURST && i.session)
        bursts_add(&t->sessions[i.session - 1].burst,
                &(struct burst_run){ number, i.start_ns, i.thread });
    else if (r->flags & FLAG_SAMPLED && k->last_run.count < OBJECTS_MOST)
        map_put(&k->last_run, r->run.thread,
                number << SESSION_BITS | i.session);
}

void trace_take_operator(struct trace *t, uint32_t process,
        const struct record *r)
{
    t->odd += !samples_take(&trace_known(t, process)->samples, r);
}

static struct samples_sink operators_sink(const struct trace *t)
{
    return (struct samples_sink){ t->sink.context, t->sink.found_operator,
        t->sink.ran_operator };
}

/* ONNX Runtime's own profile of a session's first runs is there. */
void trace_take_profile(struct trace *t, uint32_t process,
        const struct record *r)
{
    uint32_t session = trace_session(t, process, r->profile.session);
    const char *path = trace_text(t, r->profile.path);
    struct samples_sink sink = operators_sink(t);

    if (!session || !path) {
        t->odd++;
        return;
    }

    struct burst_reader *reader =
            burst_reader_new(&t->sessions[session - 1].burst, session,
                    &t->operator_count, &sink);

    t->sink.read_file(t->sink.context, path, burst_reader_feed, reader);
    burst_reader_end(reader);
    bursts_release(&t->sessions[session - 1].burst);
}

/* The thread's last run was that sample: now it is known whose the operators
 * are that were told of before. */
void trace_take_sample(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = trace_known(t, process);
    uint64_t *run = map_find(&k->last_run, r->sample.thread);
    struct sample_place place = {
        .sample = r->sample.id,
        .start_ns = t->start_ns,
    };

    if (!run) {
        t->odd++;
        return;
    }
    place.inference = *run >> SESSION_BITS;
    place.session = *run & ((1 << SESSION_BITS) - 1);
    map_remove(&k->last_run, r->sample.thread);

    struct samples_sink sink = operators_sink(t);

    samples_close(&k->samples, &place, &t->texts, &t->operator_count, &sink);
}

void trace_take_batch(struct trace *t, uint32_t process, const struct record *r)
{
    struct known *k = trace_known(t, process);
    uint64_t *place = map_find(&k->batches, r->batch.thread);
    size_t at = place ? (size_t)*place : 0;

    if (!place) {
        if (k->batch_count >= OBJECTS_MOST) {
            t->odd++;
            return;
        }
        at = k->batch_count++;
        k->batch = alloc_resize(k->batch, k->batch_count * sizeof(*k->batch));
        map_put(&k->batches, r->batch.thread, at);
    }
    k->batch[at] = (struct context){ r->batch.thread, r->batch.size,
        r->batch.padding, r->batch.queue_depth };
}
