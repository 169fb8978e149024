#include "ort/trace.h"

#include "base/alloc.h"
#include "base/map.h"
#include "ort/bursts.h"
#include "ort/options.h"
#include "ort/samples.h"
#include "ort/texts.h"

#include <stdlib.h>

/* A process that claims more than that is not believed. */
#define SESSION_BITS 20
#define OBJECTS_MOST ((1 << SESSION_BITS) - 1)

/* What a process told, by the addresses it uses. */
struct known {
    uint32_t parent;
    uint64_t start_ns;
    uint32_t library[16]; /* ids, by the hook's index */
    struct map ended;     /* address to the last session that ended there */
    struct map sessions;  /* address to id */
    struct map options;   /* address to struct session_options */
    struct map errors;    /* thread to text: why its next record failed */
    struct map batches;   /* thread to a place in `batch` */
    struct context {
        uint32_t size, padding, queue_depth;
    } * batch;
    size_t batch_count;
    struct map last_run; /* thread to inference << 20 | session */
    struct samples samples;
};

struct trace {
    struct trace_sink sink;
    uint64_t start_ns;
    struct texts texts;
    struct known *processes;
    uint32_t process_count;
    uint32_t library_count;
    uint32_t session_count;
    uint32_t operator_count;
    struct about_session {
        uint64_t end_ns; /* or 0 */
        struct burst_runs burst;
    } * sessions; /* by id, from 1 */
    uint64_t odd;
};

struct trace *trace_new(const struct trace_sink *sink, uint64_t start_ns)
{
    struct trace *t = alloc_zero(1, sizeof(*t));

    t->sink = *sink;
    t->start_ns = start_ns;
    return t;
}

static void release(struct known *k)
{
    for (size_t i = 0; i < k->options.cap; i++)
        if (k->options.entries[i].used)
            session_options_free(
                    (struct session_options *)(uintptr_t)k->options.entries[i]
                            .value);
    map_release(&k->ended);
    map_release(&k->sessions);
    map_release(&k->options);
    map_release(&k->errors);
    map_release(&k->batches);
    map_release(&k->last_run);
    samples_release(&k->samples);
    free(k->batch);
}

void trace_free(struct trace *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->process_count; i++)
        release(&t->processes[i]);
    free(t->processes);
    for (uint32_t i = 0; i < t->session_count; i++)
        bursts_release(&t->sessions[i].burst);
    free(t->sessions);
    texts_release(&t->texts);
    free(t);
}

uint32_t trace_process(struct trace *t, uint32_t parent, uint64_t start_ns)
{
    t->processes = alloc_resize(t->processes,
            (t->process_count + 1) * sizeof(*t->processes));
    t->processes[t->process_count++] = (struct known){
        .parent = parent,
        .start_ns = start_ns,
    };
    return t->process_count;
}

uint64_t trace_odd(const struct trace *t)
{
    return t->odd;
}

/* --- finding things ------------------------------------------------------- */

static struct known *known(struct trace *t, uint32_t process)
{
    return process ? &t->processes[process - 1] : NULL;
}

static const char *text(struct trace *t, uint64_t hash)
{
    return texts_find(&t->texts, hash);
}

static uint64_t since_start(const struct trace *t, uint64_t time_ns)
{
    return time_ns > t->start_ns ? time_ns - t->start_ns : 0;
}

static uint64_t lasted(uint64_t start_ns, uint64_t end_ns)
{
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

/* A parent's session as its child knows it, which may live on in the child
 * though the parent's own has ended since. */
static uint32_t inherited_session(struct trace *t, const struct known *k,
        uint64_t at, uint64_t forked_ns)
{
    uint64_t *ended = map_find(&k->ended, at);
    uint64_t *id = map_find(&k->sessions, at);

    if (ended && t->sessions[*ended - 1].end_ns >= forked_ns)
        return (uint32_t)*ended;
    return id ? (uint32_t)*id : 0;
}

/* In this process, or in the one that it was forked from.  A parent's id is
 * always smaller, so the search ends. */
static uint32_t find_session(struct trace *t, uint32_t process, uint64_t at)
{
    struct known *k = known(t, process);
    uint64_t *id = map_find(&k->sessions, at);
    uint32_t found = id ? (uint32_t)*id : 0;

    for (; !found && k->parent; k = known(t, k->parent))
        found = inherited_session(t, known(t, k->parent), at, k->start_ns);
    return found;
}

static struct session_options *find_options(struct trace *t, uint32_t process,
        uint64_t at)
{
    for (struct known *k = known(t, process); k; k = known(t, k->parent)) {
        uint64_t *o = map_find(&k->options, at);

        if (o)
            return (struct session_options *)(uintptr_t)*o;
    }
    return NULL;
}

static uint32_t find_library(struct trace *t, uint32_t process, uint8_t index)
{
    for (struct known *k = known(t, process); k; k = known(t, k->parent))
        if (k->library[index])
            return k->library[index];
    return 0;
}

/* Why it failed, if the process said; it is said once. */
static const char *take_error(struct trace *t, struct known *k, uint32_t thread)
{
    uint64_t *hash = map_find(&k->errors, thread);
    const char *why = hash ? text(t, *hash) : NULL;

    map_remove(&k->errors, thread);
    return why ? why : "the reason was lost";
}

/* --- libraries and options ------------------------------------------------ */

static void take_library(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = known(t, process);
    bool enterable = r->kind == RECORD_LIBRARY;
    struct library l = {
        .id = ++t->library_count,
        .process = process,
        .path = text(t, r->library_found.path),
        .version = enterable ? text(t, r->library_found.version) : NULL,
        .slots = r->library_found.slots,
    };

    if (enterable)
        k->library[record_library(r)] = l.id;
    t->sink.library(t->sink.context, &l);
}

static void take_language(struct trace *t, uint32_t process,
        const struct record *r)
{
    /* OrtLanguageProjection */
    static const char *const names[] = { "C", "C++", "C#", "Python", "Java",
        "WinML", "Node.js", "Objective-C" };
    uint32_t library = find_library(t, process, record_library(r));
    uint64_t number = (uint64_t)r->option.number;

    if (library && number < sizeof(names) / sizeof(names[0]))
        t->sink.language(t->sink.context, library, names[number]);
}

static void keep_options(struct trace *t, struct known *k, uint64_t at,
        struct session_options *o)
{
    uint64_t *old = map_find(&k->options, at);

    if (old)
        session_options_free((struct session_options *)(uintptr_t)*old);
    if (!o || k->options.count >= OBJECTS_MOST) {
        t->odd += o != NULL;
        session_options_free(o);
        map_remove(&k->options, at);
        return;
    }
    map_put(&k->options, at, (uintptr_t)o);
}

static void take_options(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct session_options *from =
            r->kind == RECORD_OPTIONS_CLONE
                    ? find_options(t, process, r->option.from)
                    : NULL;
    struct session_options *o = r->kind == RECORD_OPTIONS_END ? NULL
                                : from ? session_options_copy(from)
                                       : session_options_new();

    keep_options(t, known(t, process), r->option.options, o);
}

static void take_option(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct session_options *o = find_options(t, process, r->option.options);
    const char *key = text(t, r->option.key);
    const char *value = text(t, r->option.value);

    if (!o) { /* made before the meter came */
        o = session_options_new();
        keep_options(t, known(t, process), r->option.options, o);
        o = find_options(t, process, r->option.options);
    }
    if (!o || !key)
        t->odd++;
    else if (r->kind == RECORD_PROVIDER)
        session_options_provider(o, key);
    else if (value)
        session_options_set(o, key, value);
    else
        session_options_set_number(o, key, r->option.number);
}

/* --- sessions and runs ---------------------------------------------------- */

static uint32_t new_session(struct trace *t, uint32_t process,
        const struct record *r, struct session *s)
{
    struct buf providers = { 0 }, options = { 0 };
    struct session_options *o =
            s->seen_late ? NULL : find_options(t, process, r->session.options);

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
    s->library = find_library(t, process, record_library(r));
    if (!s->seen_late) {
        s->providers = buf_cstr(&providers);
        s->options = buf_cstr(&options);
    }
    t->sink.session(t->sink.context, s);
    buf_release(&providers);
    buf_release(&options);
    return s->id;
}

static void take_session(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = known(t, process);
    struct session s = {
        .model = text(t, r->session.model),
        .model_bytes = r->session.model_bytes,
        .start_ns = since_start(t, r->session.start_ns),
        .duration_ns = lasted(r->session.start_ns, r->session.end_ns),
        .thread = r->session.thread,
    };

    if (r->flags & FLAG_FAILED)
        s.error = take_error(t, k, r->session.thread);

    uint32_t id = new_session(t, process, r, &s);

    if (id && !s.error)
        map_put(&k->sessions, r->session.session, id);
}

static void take_session_end(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = known(t, process);
    uint64_t *id = map_find(&k->sessions, r->session.session);

    if (!id)
        return; /* a parent's session, or one that we never saw */
    t->sink.session_end(t->sink.context, (uint32_t)*id,
            since_start(t, r->session.end_ns));
    t->sessions[*id - 1].end_ns = r->session.end_ns;
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
    map_remove(&k->batches, thread);
}

static void take_run(struct trace *t, uint32_t process, const struct record *r)
{
    struct known *k = known(t, process);
    struct inference i = {
        .session = find_session(t, process, r->run.session),
        .process = process,
        .thread = r->run.thread,
        .phase = record_phase(r) < PHASES ? record_phase(r) : PHASE_OTHER,
        .flags = r->flags,
        .start_ns = since_start(t, r->run.start_ns),
        .duration_ns = lasted(r->run.start_ns, r->run.end_ns),
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
        i.error = take_error(t, k, r->run.thread);
    add_context(k, r->run.thread, &i);

    uint64_t number = t->sink.inference(t->sink.context, &i);

    if (r->flags & FLAG_BURST && i.session)
        bursts_add(&t->sessions[i.session - 1].burst, number, i.start_ns);
    else if (r->flags & FLAG_SAMPLED)
        map_put(&k->last_run, r->run.thread,
                number << SESSION_BITS | i.session);
}

static void take_operator(struct trace *t, uint32_t process,
        const struct record *r)
{
    t->odd += !samples_take(&known(t, process)->samples, r);
}

static struct samples_sink operators_sink(const struct trace *t)
{
    return (struct samples_sink){ t->sink.context, t->sink.found_operator,
        t->sink.ran_operator };
}

/* ONNX Runtime's own profile of a session's first runs is there. */
static void take_profile(struct trace *t, uint32_t process,
        const struct record *r)
{
    uint32_t session = find_session(t, process, r->profile.session);
    const char *path = text(t, r->profile.path);
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
static void take_sample(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = known(t, process);
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

static void take_batch(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = known(t, process);
    uint64_t *place = map_find(&k->batches, r->batch.thread);
    size_t at = place ? (size_t)*place : 0;

    if (!place) {
        /* The places of threads that run nothing are used again. */
        if (k->batches.count == 0)
            k->batch_count = 0;
        if (k->batch_count >= OBJECTS_MOST) {
            t->odd++;
            return;
        }
        at = k->batch_count++;
        k->batch = alloc_resize(k->batch, k->batch_count * sizeof(*k->batch));
        map_put(&k->batches, r->batch.thread, at);
    }
    k->batch[at].size = r->batch.size;
    k->batch[at].padding = r->batch.padding;
    k->batch[at].queue_depth = r->batch.queue_depth;
}

/* --- what the program itself tells ---------------------------------------- */

static void take_section(struct trace *t, uint32_t process,
        const struct record *r)
{
    t->sink.section(t->sink.context,
            &(struct section){
                    .process = process,
                    .thread = r->section.thread,
                    .phase = record_phase(r) < PHASES ? record_phase(r)
                                                      : PHASE_OTHER,
                    .name = text(t, r->section.name),
                    .start_ns = since_start(t, r->section.start_ns),
                    .duration_ns =
                            lasted(r->section.start_ns, r->section.end_ns),
            });
}

static void take_token(struct trace *t, uint32_t process,
        const struct record *r)
{
    t->sink.token(t->sink.context,
            &(struct token){
                    .process = process,
                    .thread = r->token.thread,
                    .index = r->token.index,
                    .id = r->token.id,
                    .text = text(t, r->token.text),
                    .time_ns = since_start(t, r->token.time_ns),
            });
}

static void take_note(struct trace *t, uint32_t process, const struct record *r)
{
    struct note n = {
        .process = process,
        .thread = r->mark.thread,
        .text = text(t, r->mark.text),
        .time_ns = since_start(t, r->mark.time_ns),
    };

    (r->kind == RECORD_MARK ? t->sink.mark : t->sink.thread)(t->sink.context,
            &n);
}

static void take_text(struct trace *t, uint32_t process, const struct record *r)
{
    (void)process;
    t->odd += !texts_take(&t->texts, r);
}

static void take_error_text(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = known(t, process);

    if (k->errors.count < OBJECTS_MOST)
        map_put(&k->errors, r->error.thread, r->error.text);
}

void trace_take(struct trace *t, uint32_t process, const struct record *r)
{
    static void (*const take[RECORD_KINDS])(struct trace *, uint32_t,
            const struct record *) = {
        [RECORD_TEXT] = take_text,
        [RECORD_LIBRARY] = take_library,
        [RECORD_STATIC_LIBRARY] = take_library,
        [RECORD_LANGUAGE] = take_language,
        [RECORD_OPTIONS] = take_options,
        [RECORD_OPTIONS_CLONE] = take_options,
        [RECORD_OPTIONS_END] = take_options,
        [RECORD_OPTION] = take_option,
        [RECORD_PROVIDER] = take_option,
        [RECORD_SESSION] = take_session,
        [RECORD_SESSION_END] = take_session_end,
        [RECORD_RUN] = take_run,
        [RECORD_ERROR] = take_error_text,
        [RECORD_OPERATOR] = take_operator,
        [RECORD_OPERATOR_SIZES] = take_operator,
        [RECORD_OPERATOR_RUN] = take_operator,
        [RECORD_SAMPLE] = take_sample,
        [RECORD_PROFILE] = take_profile,
        [RECORD_SECTION] = take_section,
        [RECORD_BATCH] = take_batch,
        [RECORD_TOKEN] = take_token,
        [RECORD_MARK] = take_note,
        [RECORD_THREAD] = take_note,
    };

    if (r->kind < RECORD_KINDS && take[r->kind])
        take[r->kind](t, process, r);
    else
        t->odd++;
}
