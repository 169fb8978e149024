/* import_profile.c -- ONNX Runtime's own profile as a run.
 *
 * The file has one session's events in the order of their ends: nodes before
 * the run they belong to, children before the node they ran in.  It says no
 * more of a node's run than thread and time, so nodes are kept until the file's
 * end and then given to the runs that they began in. */
#include "analyse/operators/assign_nodes.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "import/import.h"
#include "import/profile_operators.h"
#include "ort/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ONNX Runtime's times are whole microseconds. */
#define SLACK_NS 1000
/* It drops what comes after so many events. */
#define EVENTS_KEPT 1000000
struct loaded {
    uint32_t process;
    uint32_t thread;
    int64_t start_ns, end_ns;
    uint64_t read_ns, initialise_ns;
    bool seen, read, made; /* any event of it; was read; was initialised */
};

struct profile_import {
    struct store *store;
    struct profile *reader;
    struct map processes; /* pid to id */
    struct loaded *sessions;
    size_t session_count;
    struct profile_operators operators;
    struct timed_run *runs;
    size_t run_count, run_cap;
    struct timed_node *nodes;
    size_t node_count, node_cap;
    uint64_t node_events, orphans;
    int64_t first_ns, last_ns;
    bool any;
};

/* --- what events tell ----------------------------------------------------- */

static uint32_t process_of(struct profile_import *p, int64_t pid)
{
    uint64_t key = (uint64_t)pid;
    const uint64_t *known = map_find(&p->processes, key);

    if (known)
        return (uint32_t)*known;
    map_put(&p->processes, key, p->processes.count + 1);
    return (uint32_t)p->processes.count;
}

static struct loaded *add_session(struct profile_import *p, uint32_t process)
{
    p->sessions = alloc_resize(p->sessions,
            (p->session_count + 1) * sizeof(*p->sessions));
    p->sessions[p->session_count] = (struct loaded){ .process = process };
    return &p->sessions[p->session_count++];
}

/* The latest session of the process; one that was there before, if none. */
static uint32_t session_of(struct profile_import *p, uint32_t process)
{
    for (size_t i = p->session_count; i--;)
        if (p->sessions[i].process == process)
            return (uint32_t)i + 1;
    (void)add_session(p, process);
    return (uint32_t)p->session_count;
}

static void take_loading(struct profile_import *p,
        const struct profile_event *e)
{
    struct loaded *x = add_session(p, process_of(p, e->pid));

    x->seen = x->read = true;
    x->thread = (uint32_t)e->tid;
    x->start_ns = e->start_ns;
    x->end_ns = e->start_ns + e->duration_ns;
    x->read_ns = (uint64_t)e->duration_ns;
}

static void take_initialization(struct profile_import *p,
        const struct profile_event *e)
{
    uint32_t process = process_of(p, e->pid);
    uint32_t number = session_of(p, process); /* it may add one, and move all */
    struct loaded *x = &p->sessions[number - 1];

    if (x->made || (x->seen && !x->read))
        x = add_session(p, process);
    if (!x->read) {
        x->thread = (uint32_t)e->tid;
        x->start_ns = e->start_ns;
    }
    x->seen = x->made = true;
    x->end_ns = e->start_ns + e->duration_ns;
    x->initialise_ns = (uint64_t)e->duration_ns;
}

static void take_run(struct profile_import *p, const struct profile_event *e)
{
    uint32_t process = process_of(p, e->pid);

    if (p->run_count == p->run_cap) {
        p->run_cap = p->run_cap ? 2 * p->run_cap : 64;
        p->runs = alloc_resize(p->runs, p->run_cap * sizeof(*p->runs));
    }
    p->runs[p->run_count++] = (struct timed_run){
        .start_ns = e->start_ns,
        .end_ns = e->start_ns + e->duration_ns,
        .process = process,
        .thread = (uint32_t)e->tid,
        .session = session_of(p, process),
    };
}

static void take_kernel(struct profile_import *p, const struct profile_event *e)
{
    uint32_t process = process_of(p, e->pid);
    uint32_t session = session_of(p, process);

    if (p->node_count == p->node_cap) {
        p->node_cap = p->node_cap ? 2 * p->node_cap : 1024;
        p->nodes = alloc_resize(p->nodes, p->node_cap * sizeof(*p->nodes));
    }
    p->nodes[p->node_count] = (struct timed_node){
        .start_ns = e->start_ns,
        .duration_ns = (uint64_t)e->duration_ns,
        .operator_id = profile_operators_take(&p->operators, session, e),
        .process = process,
        .thread = (uint32_t)e->tid,
    };
    p->node_count++;
}

static void take(void *to, const struct profile_event *e)
{
    struct profile_import *p = to;
    int64_t end_ns = e->start_ns + e->duration_ns;

    switch (profile_kind(e)) {
    case PROFILE_LOADING: take_loading(p, e); break;
    case PROFILE_INITIALIZATION: take_initialization(p, e); break;
    case PROFILE_RUN: take_run(p, e); break;
    case PROFILE_KERNEL: take_kernel(p, e); break;
    case PROFILE_FENCE:
    case PROFILE_EXECUTOR: break;
    case PROFILE_DEVICE: /* its clock may be another one */
    case PROFILE_OTHER: return;
    }
    p->node_events += str_is(e->category, "Node");
    p->first_ns =
            !p->any || e->start_ns < p->first_ns ? e->start_ns : p->first_ns;
    p->last_ns = !p->any || end_ns > p->last_ns ? end_ns : p->last_ns;
    p->any = true;
}

/* --- into the store ------------------------------------------------------- */

static uint64_t since(const struct profile_import *p, int64_t ns)
{
    return ns > p->first_ns ? (uint64_t)(ns - p->first_ns) : 0;
}

static void add_processes(struct profile_import *p)
{
    for (size_t i = 0; i < p->processes.cap; i++)
        if (p->processes.entries[i].used)
            store_add_process(p->store,
                    &(struct process){
                            .id = (uint32_t)p->processes.entries[i].value,
                            .pid = (uint32_t)p->processes.entries[i].key,
                    });
}

static void add_sessions(struct profile_import *p)
{
    for (size_t i = 0; i < p->session_count; i++) {
        const struct loaded *x = &p->sessions[i];

        store_add_session(p->store,
                &(struct session){
                        .id = (uint32_t)i + 1,
                        .process = x->process,
                        .thread = x->thread,
                        .seen_late = !x->made,
                        .start_ns = x->seen ? since(p, x->start_ns) : 0,
                        .duration_ns = (uint64_t)(x->end_ns - x->start_ns),
                        .read_ns = x->read_ns,
                        .initialise_ns = x->initialise_ns,
                });
    }
}

static void add_inferences(struct profile_import *p)
{
    for (size_t i = 0; i < p->run_count; i++) {
        const struct timed_run *r = &p->runs[i];

        (void)store_add_inference(p->store,
                &(struct inference){
                        .session = r->session,
                        .process = r->process,
                        .thread = r->thread,
                        .flags = FLAG_PROFILED,
                        .start_ns = since(p, r->start_ns),
                        .duration_ns = (uint64_t)(r->end_ns - r->start_ns),
                });
    }
}

static void add_operator_runs(struct profile_import *p)
{
    for (size_t i = 0; i < p->node_count; i++) {
        const struct timed_node *n = &p->nodes[i];

        store_add_operator_run(p->store,
                &(struct operator_run){
                        .inference = n->inference,
                        .operator_id = n->operator_id,
                        .thread = n->thread,
                        .depth = n->depth,
                        .start_ns = since(p, n->start_ns),
                        .raw_ns = n->duration_ns,
                });
    }
}

/* --- the importer --------------------------------------------------------- */

static bool has(struct str s, const char *what)
{
    return s.p && str_find(s, what);
}

/* A list of objects, or what is left of one; or an object that has the list. */
static bool recognise(struct str head)
{
    struct str s = head;

    if (str_starts(s, "\xef\xbb\xbf"))
        s = (struct str){ s.p + 3, s.len - 3 };
    s = str_trim(s);
    if (s.len && *s.p == '[') {
        s = str_trim((struct str){ s.p + 1, s.len - 1 });
        return !s.len || *s.p == '{' || *s.p == ']';
    }
    if (!s.len || *s.p != '{')
        return false;
    return has(s, "\"traceEvents\"") ||
           (has(s, "\"cat\"") && has(s, "\"dur\""));
}

static void begin(void *state, struct store *s, struct run *run)
{
    struct profile_import *p = state;

    (void)run;
    p->store = s;
    p->reader = profile_new(take, p);
}

static void feed(void *state, const char *bytes, size_t len)
{
    profile_feed(((struct profile_import *)state)->reader, bytes, len);
}

static void note(struct buf *b, const struct profile_import *p,
        const struct profile_tally *t)
{
    if (t->cut_bytes)
        buf_printf(b,
                "The file ends in the midst of an event: its last %" PRIu64
                " bytes are left out.  ",
                t->cut_bytes);
    else if (t->opened && !t->closed)
        buf_text(b, "The file ends before its list of events does: some may "
                    "be missing.  ");
    if (t->broken || t->too_long)
        buf_printf(b, "%" PRIu64 " events could not be read.  ",
                t->broken + t->too_long);
    else if (t->skipped_bytes)
        buf_printf(b, "%" PRIu64 " bytes in it are no events.  ",
                t->skipped_bytes);
    if (p->orphans)
        buf_printf(b,
                "Operator runs whose inference is not in it: %" PRIu64 ".  ",
                p->orphans);
    if (t->events == EVENTS_KEPT)
        buf_text(b, "ONNX Runtime keeps a million events and drops the rest: "
                    "there were more.  ");
}

static int end(void *state, struct import_tally *out, struct error *e)
{
    struct profile_import *p = state;
    const struct profile_tally *t = profile_end(p->reader);

    if (!p->any && (t->events || t->others || t->broken || t->too_long))
        return fail(e, -EINVAL, "it holds no event of ONNX Runtime's");
    p->orphans = assign_nodes(p->runs, p->run_count, p->nodes, p->node_count,
            SLACK_NS);
    add_processes(p);
    add_sessions(p);
    add_inferences(p);
    profile_operators_store(&p->operators, p->store);
    add_operator_runs(p);
    out->events = t->events;
    out->node_events = p->node_events;
    out->sessions = p->session_count;
    out->inferences = p->run_count;
    out->operators = p->operators.count;
    out->operator_runs = p->node_count;
    out->broken = t->broken + t->too_long;
    out->skipped_bytes = t->skipped_bytes;
    out->cut_bytes = t->cut_bytes;
    out->cut = t->cut_bytes || (t->opened && !t->closed);
    out->duration_ns = (uint64_t)(p->last_ns - p->first_ns);
    note(&out->note, p, t);
    return 0;
}

static void release(void *state)
{
    struct profile_import *p = state;

    profile_free(p->reader);
    map_release(&p->processes);
    profile_operators_release(&p->operators);
    free(p->sessions);
    free(p->runs);
    free(p->nodes);
}

const struct importer import_profile = {
    .name = "onnxruntime_profile",
    .about = "ONNX Runtime's own profile",
    .state_size = sizeof(struct profile_import),
    .recognise = recognise,
    .begin = begin,
    .feed = feed,
    .end = end,
    .release = release,
};
