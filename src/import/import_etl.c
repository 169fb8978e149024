/* import_etl.c -- a trace of Windows' event tracing as a run.
 *
 * The program of the run are the processes in which ONNX Runtime reported
 * something, or all where it did nowhere; etl_processes.h has what they did.
 * Inferences are the pairs that ONNX Runtime reports, or what our own writer
 * wrote.  What a trace does not tell is absent, with the reason. */
#include "base/json.h"
#include "base/map.h"
#include "etw/event.h"
#include "etw/guid.h"
#include "etw/ort.h"
#include "etw/trace.h"
#include "import/etl_own.h"
#include "import/etl_processes.h"
#include "import/import.h"
#include "model/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MARK_LEVEL 3 /* warnings and worse become marks */

struct etl_import {
    struct store *store;
    struct run *run;
    struct etw_trace *trace;
    struct etl_processes *processes;
    struct etw_ort *ort;
    struct etl_own *own;
    struct map sessions;  /* pid and ONNX Runtime's number, to the run's */
    struct map operators; /* of QNN: hash to id */
    uint32_t session_count, operator_count;
    uint64_t operator_runs, inferences, last_inference;
    int64_t last_ns;
    struct map concerned; /* pids of the program; none: all */
    struct buf host, note;
};

static uint64_t run_ns(int64_t ns)
{
    return ns > 0 ? (uint64_t)ns : 0;
}

static uint32_t process_of(const struct etl_import *x, uint32_t pid)
{
    return etl_process_of(x->processes, pid);
}

/* --- ONNX Runtime ----------------------------------------------------------
 */

/* "CPUExecutionProvider,QNNExecutionProvider" as a JSON array. */
static void providers_json(struct buf *out, const char *list)
{
    struct json j = json_line_into(out);
    struct str rest = str_of(list ? list : "");

    json_array(&j, NULL);
    while (rest.len) {
        struct str one = str_trim(str_before(rest, ','));

        if (one.len)
            json_str(&j, NULL, one);
        rest = str_after(rest, ',');
    }
    json_end(&j);
}

static uint64_t session_key(uint32_t pid, uint32_t session)
{
    return (uint64_t)pid << 32 | session;
}

/* The run's number of a session, which may not have been seen being made. */
static uint32_t session_of(struct etl_import *x, uint32_t pid, uint32_t session)
{
    const uint64_t *at = map_find(&x->sessions, session_key(pid, session));

    if (at)
        return (uint32_t)*at;
    map_put(&x->sessions, session_key(pid, session), ++x->session_count);
    return x->session_count;
}

/* Sessions are reported when they are made; inferences may come before that of
 * a session that was there already, so all are added at the end. */
static void take_session(void *context, const struct etw_ort_session *s)
{
    struct etl_import *x = context;
    struct buf providers = { 0 };
    uint32_t id = session_of(x, s->pid, s->session);

    providers_json(&providers, s->providers);
    store_add_session(x->store,
            &(struct session){
                    .id = id,
                    .process = process_of(x, s->pid),
                    .model = s->model ? s->model : s->graph,
                    .providers = s->providers ? buf_cstr(&providers) : NULL,
                    .error = s->error,
                    .seen_late = !s->whole,
                    .start_ns = run_ns(s->start_ns),
                    .duration_ns = s->duration_ns,
                    .read_ns = s->load_ns < s->duration_ns ? s->load_ns : 0,
                    .initialise_ns = s->load_ns && s->load_ns < s->duration_ns
                                             ? s->duration_ns - s->load_ns
                                             : 0,
                    .thread = s->tid,
            });
    map_put(&x->sessions, session_key(s->pid, s->session) | UINT64_C(1) << 63,
            1);
    buf_release(&providers);
}

static void take_inference(void *context, const struct etw_ort_inference *i)
{
    struct etl_import *x = context;

    x->last_inference = store_add_inference(x->store,
            &(struct inference){
                    .session = session_of(x, i->pid,
                            i->has_session ? i->session : 0),
                    .process = process_of(x, i->pid),
                    .thread = i->tid,
                    .flags = i->error ? FLAG_FAILED : 0,
                    .start_ns = run_ns(i->start_ns),
                    .duration_ns = i->duration_ns,
                    .error = i->error,
            });
    x->inferences++;
}

static uint32_t operator_of(struct etl_import *x, const char *name)
{
    uint64_t hash = import_hash(0, str_of(name));
    const uint64_t *at = map_find(&x->operators, hash);

    if (at)
        return (uint32_t)*at;
    map_put(&x->operators, hash, ++x->operator_count);
    store_add_operator(x->store, &(struct operator){
                                         .id = x->operator_count,
                                         .session = x->session_count ? 1 : 0,
                                         .name = name,
                                         .provider = "QNNExecutionProvider",
                                         .node_index = UINT32_MAX,
                                 });
    return x->operator_count;
}

/* A node's cycles are a run of an operator; what is in microseconds is a
 * section that ended when it was reported. */
static void take_qnn(void *context, const struct etw_ort_qnn *q)
{
    struct etl_import *x = context;
    const char *name = q->identifier ? q->identifier
                       : q->message  ? q->message
                                     : "QNN";
    uint64_t ns = q->value * 1000, now = run_ns(q->time_ns);

    if (q->unit && strcmp(q->unit, "CYCLES") == 0) {
        store_add_operator_run(x->store,
                &(struct operator_run){ .inference = x->last_inference,
                        .operator_id = operator_of(x, name),
                        .thread = q->tid,
                        .raw_unknown = true,
                        .in_cycles = true,
                        .cycles = q->value });
        x->operator_runs++;
    } else if (q->unit && strcmp(q->unit, "US") == 0 &&
               q->value < UINT64_C(315360000000000))
        store_add_section(x->store,
                &(struct section){ .process = process_of(x, q->pid),
                        .thread = q->tid,
                        .name = name,
                        .start_ns = now > ns ? now - ns : 0,
                        .duration_ns = now > ns ? ns : now });
}

static void take_message(void *context, const struct etw_ort_message *m)
{
    struct etl_import *x = context;

    if (m->level && m->level <= MARK_LEVEL)
        store_add_mark(x->store,
                &(struct note){ .process = process_of(x, m->pid),
                        .thread = m->tid,
                        .text = m->text,
                        .time_ns = run_ns(m->time_ns) });
}

/* --- the run ---------------------------------------------------------------
 */

/* As the trace begins: what its first record says. */
static void make_host(struct etl_import *x)
{
    const struct etw_info *i = etw_trace_info(x->trace);
    struct host_info host = { .cpu_threads = i->processors,
        .cpu_max_mhz = i->cpu_mhz };
    struct json j = json_line_into(&x->host);

    (void)snprintf(host.os_name, sizeof(host.os_name), "Windows");
    (void)snprintf(host.os_version, sizeof(host.os_version), "%u.%u.%" PRIu32,
            i->os_major, i->os_minor, i->os_build);
    host_json(&j, NULL, &host);
}

static void begin(void *state, struct store *s, struct run *run)
{
    struct etl_import *x = state;

    x->store = s;
    x->run = run;
}

/* A first look: in whom ONNX Runtime, or our writer, reported anything. */
static int find_concerned(struct etl_import *x, const char *path,
        struct error *e)
{
    struct etw_trace *t;
    const struct etw_record *r;
    int rc = etw_trace_open(&t, path, e);

    if (rc)
        return rc;
    while ((r = etw_trace_next(t)))
        if (r->kind == ETW_EVENT &&
                (guid_is(r->guid, &etw_ort_provider) ||
                        guid_is(r->guid, &etw_own_provider)))
            map_put(&x->concerned, r->pid, 1);
    etw_trace_close(t);
    return 0;
}

static int begin_run(struct etl_import *x, struct error *e)
{
    const struct etw_info *i = etw_trace_info(x->trace);

    if (etw_trace_wall_ns(i))
        x->run->started_wall_ns = etw_trace_wall_ns(i);
    make_host(x);
    x->run->host = buf_cstr(&x->host);

    return store_begin_run(x->store, x->run, e);
}

static void take_all(struct etl_import *x)
{
    const struct etw_info *i = etw_trace_info(x->trace);
    const struct etw_record *r;
    int64_t last = i->first_time;

    while ((r = etw_trace_next(x->trace))) {
        etl_processes_take(x->processes, r);
        etw_ort_take(x->ort, r);
        etl_own_take(x->own, r);
        last = r->time;
    }
    x->last_ns = etw_trace_ns(i, last);
    etw_ort_end(x->ort);
    etl_own_end(x->own);
    etl_processes_end(x->processes, last);
}

static int read_trace(void *state, const char *path, struct error *e)
{
    struct etl_import *x = state;
    int rc = find_concerned(x, path, e);

    if (!rc)
        rc = etw_trace_open(&x->trace, path, e);
    if (!rc)
        rc = begin_run(x, e);
    if (rc)
        return rc;

    const struct etw_info *i = etw_trace_info(x->trace);

    x->processes = etl_processes_new(x->store, i, &x->concerned);
    x->ort = etw_ort_new(i, &(struct etw_ort_sink){ .context = x,
                                    .session = take_session,
                                    .inference = take_inference,
                                    .qnn = take_qnn,
                                    .message = take_message });
    x->own = etl_own_new(x->store, i, x->processes);
    take_all(x);
    return 0;
}

/* A session that nobody reported still has inferences. */
static void add_silent_sessions(struct etl_import *x)
{
    for (size_t i = 0; i < x->sessions.cap; i++) {
        const struct map_entry *m = &x->sessions.entries[i];

        if (!m->used || m->key >> 63 ||
                map_find(&x->sessions, m->key | UINT64_C(1) << 63))
            continue;
        store_add_session(x->store,
                &(struct session){ .id = (uint32_t)m->value,
                        .process = process_of(x, (uint32_t)(m->key >> 32)),
                        .seen_late = true });
    }
}

static void note_unpaired(struct buf *out, uint64_t count, const char *what)
{
    if (count)
        buf_printf(out,
                "%" PRIu64 " inference%s no %s in the trace and %s left "
                "out.  ",
                count, count == 1 ? " has" : "s have", what,
                count == 1 ? "is" : "are");
}

static void write_note(struct etl_import *x, struct import_tally *out)
{
    const struct etw_ort_tally *y = etw_ort_tally(x->ort);
    unsigned has = etw_activity_has(etl_processes_activity(x->processes));

    etw_trace_missing(&x->note, x->trace);
    note_unpaired(&x->note, y->unpaired_starts, "end");
    note_unpaired(&x->note, y->unpaired_stops, "beginning");
    if (!x->concerned.count)
        buf_text(&x->note, "ONNX Runtime reported nothing in the trace: the "
                           "figures are of all processes.  ");
    if ((has & (ETW_HAS_SWITCHES | ETW_HAS_SAMPLES)) == ETW_HAS_SAMPLES)
        buf_text(&x->note, "CPU time is apportioned by the profiler's "
                           "samples.  ");
    while (x->note.len && x->note.p[x->note.len - 1] == ' ')
        x->note.p[--x->note.len] = 0;
    buf_add(&out->note, x->note.p ? x->note.p : "", x->note.len);
}

static void end_cpu(struct etl_import *x, const struct etw_process *p)
{
    bool measured;
    uint64_t cpu = etw_process_cpu_ns(etl_processes_activity(x->processes), p,
            &measured);

    if (p->samples)
        x->run->system_cpu_ns =
                (uint64_t)((double)cpu * (double)p->kernel_samples /
                           (double)p->samples);
    else if (cpu)
        buf_text(&x->note, "User and kernel CPU time are not told apart: the "
                           "trace has no samples.  ");
    x->run->user_cpu_ns = cpu - x->run->system_cpu_ns;
}

/* How the program ended, where it is one process. */
static void end_program(struct etl_import *x)
{
    const struct etw_activity *a = etl_processes_activity(x->processes);

    for (size_t i = 0; i < etw_activity_processes(a); i++) {
        const struct etw_process *p = etw_activity_process(a, i);

        if (!map_find(&x->concerned, p->pid))
            continue;
        if (p->peak_working_set_bytes > x->run->peak_rss_bytes)
            x->run->peak_rss_bytes = p->peak_working_set_bytes;
        if (x->concerned.count == 1 && p->ended) {
            x->run->ended = true;
            x->run->exit_code = p->exit_status;
            end_cpu(x, p);
        }
    }
}

static int end(void *state, struct import_tally *out, struct error *e)
{
    struct etl_import *x = state;
    const struct etw_tally *y = etw_trace_tally(x->trace);
    const struct etl_own_tally *own = etl_own_tally(x->own);

    add_silent_sessions(x);
    end_program(x);
    write_note(x, out);
    x->run->status = RUN_COMPLETE;
    x->run->duration_ns = run_ns(x->last_ns) ? run_ns(x->last_ns) : 1;
    x->run->note = x->note.len ? buf_cstr(&out->note) : NULL;

    int rc = store_flush(x->store, e);

    if (!rc)
        rc = store_end_run(x->store, x->run, e);
    x->run->host = NULL; /* it goes with the state */
    out->events = y->records;
    out->broken = y->damaged_buffers;
    out->skipped_bytes = y->skipped_bytes;
    out->cut_bytes = y->cut_bytes;
    out->cut = y->cut_bytes > 0;
    out->sessions = x->session_count + own->sessions;
    out->inferences = x->inferences + own->inferences;
    out->operators = x->operator_count + own->operators;
    out->operator_runs = x->operator_runs + own->operator_runs;
    out->node_events = out->operator_runs;
    out->duration_ns = x->run->duration_ns;
    return rc;
}

static void release(void *state)
{
    struct etl_import *x = state;

    etw_ort_free(x->ort);
    etl_own_free(x->own);
    etl_processes_free(x->processes);
    etw_trace_close(x->trace);
    map_release(&x->concerned);
    map_release(&x->sessions);
    map_release(&x->operators);
    buf_release(&x->host);
    buf_release(&x->note);
}

static bool recognise(struct str head)
{
    return etw_trace_recognise((const unsigned char *)head.p, head.len);
}

const struct importer import_etl = {
    .name = "etl",
    .about = "a trace of Windows' event tracing",
    .own_run = true,
    .state_size = sizeof(struct etl_import),
    .recognise = recognise,
    .begin = begin,
    .read = read_trace,
    .end = end,
    .release = release,
};
