#include "collect/trace.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "collect/trace_state.h"
#include "model/limits.h"

#include <stdlib.h>

struct trace *trace_new(const struct subscriber *sink, uint64_t start_ns)
{
    struct trace *t = alloc_zero(1, sizeof(*t));

    t->follower = follower_new();
    t->sink = *sink;
    t->start_ns = start_ns;
    t->kernels = kernels_new(sink, &t->texts);
    return t;
}

void trace_keep_timelines(struct trace *t)
{
    kernels_keep_timelines(t->kernels);
}

static void release(struct known *k)
{
    for (size_t i = 0; i < k->options.cap; i++)
        if (k->options.entries[i].used)
            session_options_free(
                    (struct session_options *)(uintptr_t)k->options.entries[i]
                            .value);
    for (size_t i = 0; i < k->passed.cap; i++)
        if (k->passed.entries[i].used)
            free((struct passed_on *)(uintptr_t)k->passed.entries[i].value);
    map_release(&k->passed);
    map_release(&k->ended);
    map_release(&k->sessions);
    map_release(&k->options);
    map_release(&k->errors);
    map_release(&k->runtime);
    map_release(&k->gil);
    map_release(&k->batches);
    free(k->batch);
}

void trace_free(struct trace *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->process_count; i++)
        release(&t->processes[i]);
    free(t->processes);
    free(t->sessions);
    free(t->libraries);
    kernels_free(t->kernels);
    texts_release(&t->texts);
    follower_free(t->follower);
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

uint64_t trace_malformed(const struct trace *t)
{
    return t->odd;
}

/* --- finding things ------------------------------------------------------- */

struct known *trace_known(struct trace *t, uint32_t process)
{
    return process ? &t->processes[process - 1] : NULL;
}

const char *trace_text(struct trace *t, uint64_t hash)
{
    return texts_find(&t->texts, hash);
}

uint64_t trace_since_start(const struct trace *t, uint64_t time_ns)
{
    return time_ns > t->start_ns ? time_ns - t->start_ns : 0;
}

uint64_t trace_lasted(uint64_t start_ns, uint64_t end_ns)
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
uint32_t trace_session(struct trace *t, uint32_t process, uint64_t at)
{
    struct known *k = trace_known(t, process);
    uint64_t *id = map_find(&k->sessions, at);
    uint32_t found = id ? (uint32_t)*id : 0;

    for (; !found && k->parent; k = trace_known(t, k->parent))
        found = inherited_session(t, trace_known(t, k->parent), at,
                k->start_ns);
    return found;
}

struct session_options *trace_options(struct trace *t, uint32_t process,
        uint64_t at)
{
    for (struct known *k = trace_known(t, process); k;
            k = trace_known(t, k->parent)) {
        uint64_t *o = map_find(&k->options, at);

        if (o)
            return (struct session_options *)(uintptr_t)*o;
    }
    return NULL;
}

uint32_t trace_library(struct trace *t, uint32_t process, uint8_t index)
{
    for (struct known *k = trace_known(t, process); k;
            k = trace_known(t, k->parent))
        if (k->library[index])
            return k->library[index];
    return 0;
}

/* Why it failed, if the process said; it is said once. */
const char *trace_error(struct trace *t, struct known *k, uint32_t thread)
{
    uint64_t *hash = map_find(&k->errors, thread);
    const char *why = hash ? trace_text(t, *hash) : NULL;

    map_remove(&k->errors, thread);
    return why ? why : "the reason was lost";
}

/* --- libraries and options ------------------------------------------------ */

/* A sentence for people; NULL: they are traced, or nobody asked. */
static const char *why_untraced(uint16_t tracing)
{
    static const char *const why[] = {
        [TRACING_TOO_OLD] = "it is older than 1.15, whose operators do not "
                            "say who they are",
        [TRACING_NO_TYPES] = "it was built without descriptions of its types",
        [TRACING_UNKNOWN] = "its operators are not laid out as in the versions "
                            "that ortmeter knows",
        [TRACING_PROCESSOR] = "ortmeter does not trace operators on this "
                              "processor",
        [TRACING_REFUSED] = "its tables of functions could not be written to",
    };

    return tracing < LEN(why) ? why[tracing] : NULL;
}

static uint32_t add_library(struct trace *t, uint32_t process,
        const struct record *r)
{
    bool enterable = r->kind == RECORD_LIBRARY;
    struct library l = {
        .id = ++t->library_count,
        .process = process,
        .path = trace_text(t, r->library_found.path),
        .version = enterable ? trace_text(t, r->library_found.version) : NULL,
        .untraced = enterable ? NULL : trace_text(t, r->library_found.version),
        .slots = r->library_found.slots,
    };

    t->libraries = alloc_resize(t->libraries,
            t->library_count * sizeof(*t->libraries));
    t->libraries[l.id - 1] =
            r->library_found.path * 31 + r->library_found.version;
    t->sink.library(t->sink.context, &l);
    return l.id;
}

/* It comes again when it is known whether its operators can be traced. */
static void take_library(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct known *k = trace_known(t, process);
    const char *why = why_untraced(r->flags);

    if (r->kind != RECORD_LIBRARY) {
        (void)add_library(t, process, r);
        return;
    }

    uint32_t *id = &k->library[record_library(r)];

    if (!*id || t->libraries[*id - 1] !=
                        r->library_found.path * 31 + r->library_found.version)
        *id = add_library(t, process, r);
    if (why)
        t->sink.untraced(t->sink.context,
                &(struct library){ .id = *id, .untraced = why });
}

static void take_language(struct trace *t, uint32_t process,
        const struct record *r)
{
    /* OrtLanguageProjection */
    static const char *const names[] = { "C", "C++", "C#", "Python", "Java",
        "WinML", "Node.js", "Objective-C" };
    uint32_t library = trace_library(t, process, record_library(r));
    uint64_t number = (uint64_t)r->option.number;

    if (library && number < sizeof(names) / sizeof(names[0]))
        t->sink.language(t->sink.context,
                &(struct library){ .id = library, .language = names[number] });
}

static void keep_options(struct trace *t, struct known *k, uint64_t at,
        struct session_options *o)
{
    uint64_t *old = map_find(&k->options, at);

    if (old)
        session_options_free((struct session_options *)(uintptr_t)*old);
    if (!o || k->options.count >= OPTIONS_MAX) {
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
                    ? trace_options(t, process, r->option.from)
                    : NULL;
    struct session_options *o = r->kind == RECORD_OPTIONS_END ? NULL
                                : from ? session_options_copy(from)
                                       : session_options_new();

    keep_options(t, trace_known(t, process), r->option.options, o);
}

/* To be changed: a child of fork() has a copy of its parent's.  NULL: there are
 * too many. */
static struct session_options *own_options(struct trace *t, uint32_t process,
        uint64_t at)
{
    struct known *k = trace_known(t, process);

    if (!map_find(&k->options, at)) {
        struct session_options *parents = trace_options(t, process, at);

        /* None: made before the meter came. */
        keep_options(t, k, at,
                parents ? session_options_copy(parents)
                        : session_options_new());
    }

    uint64_t *o = map_find(&k->options, at);

    return o ? (struct session_options *)(uintptr_t)*o : NULL;
}

static void take_option(struct trace *t, uint32_t process,
        const struct record *r)
{
    struct session_options *o = own_options(t, process, r->option.options);
    const char *key = trace_text(t, r->option.key);
    const char *value = trace_text(t, r->option.value);

    if (!o || !key || (r->option.value && !value))
        t->odd++;
    else if (r->kind == RECORD_PROVIDER)
        session_options_provider(o, key);
    else if (value)
        session_options_set(o, key, value);
    else
        session_options_set_number(o, key, r->option.number);
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
                    .name = trace_text(t, r->section.name),
                    .start_ns = trace_since_start(t, r->section.start),
                    .duration_ns =
                            trace_lasted(r->section.start, r->section.end),
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
                    .seen = r->token.id == -1,
                    .text = trace_text(t, r->token.text),
                    .time_ns = trace_since_start(t, r->token.time),
                    .duration_ns = r->token.duration_ns < LIMIT_NS
                                           ? r->token.duration_ns
                                           : 0,
                    .probability = r->token.probability > 0 &&
                                                   r->token.probability <= 1
                                           ? r->token.probability
                                           : 0,
            });
}

static void take_note(struct trace *t, uint32_t process, const struct record *r)
{
    struct note n = {
        .process = process,
        .thread = r->mark.thread,
        .text = trace_text(t, r->mark.text),
        .time_ns = trace_since_start(t, r->mark.time),
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
    struct known *k = trace_known(t, process);

    if (k->errors.count < OBJECTS_MAX)
        map_put(&k->errors, r->error.thread, r->error.text);
}

static void take_kernel(struct trace *t, uint32_t process,
        const struct record *r)
{
    t->odd += !kernels_take(t->kernels, process, r);
}

void trace_take(struct trace *t, uint32_t process, const struct record *r,
        const struct tick_line *clock)
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
        [RECORD_SESSION] = trace_take_session,
        [RECORD_SESSION_END] = trace_take_session_end,
        [RECORD_RUN] = trace_take_run,
        [RECORD_ERROR] = take_error_text,
        [RECORD_SECTION] = take_section,
        [RECORD_GIL] = trace_take_gil,
        [RECORD_BATCH] = trace_take_batch,
        [RECORD_PASSED] = trace_take_passed,
        [RECORD_TOKEN] = take_token,
        [RECORD_MARK] = take_note,
        [RECORD_THREAD] = take_note,
        [RECORD_KERNEL] = take_kernel,
        [RECORD_TENSOR] = take_kernel,
        [RECORD_LINES] = take_kernel,
        [RECORD_TRACED] = take_kernel,
        [RECORD_KERNEL_END] = take_kernel,
        [RECORD_STATS] = take_kernel,
        [RECORD_HEADS] = take_kernel,
    };

    t->clock = clock;
    if (r->kind < RECORD_KINDS && take[r->kind])
        take[r->kind](t, process, r);
    else
        t->odd++;
}

void trace_tell(struct trace *t)
{
    kernels_tell(t->kernels);
}

void trace_end(struct trace *t)
{
    kernels_end(t->kernels);
}
