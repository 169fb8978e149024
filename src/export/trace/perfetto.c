/* perfetto.c -- a run as a trace in Perfetto's own format, with the names and
 * arguments that the Chrome trace has (chrome.c).
 *
 * A slice is written as its beginning and its end at once, out of the order of
 * time, which Perfetto allows: it sorts by time, and what happens at the same
 * time stays in the order of the file.  Slices come in the order of their
 * start, so an end lies before whatever begins at that time.
 *
 * What is kept in memory grows with the number of operators, threads and
 * sessions, not of events. */
#include "energy/throttle_watch.h"
#include "export/formats.h"
#include "export/names.h"
#include "export/subject_book.h"
#include "export/trace/lanes.h"
#include "export/trace/perfetto_packets.h"
#include "model/phase.h"
#include "store/replay.h"

#include <math.h>

/* Numbers of tracks, apart from each other. */
#define PROCESS_TRACKS (UINT64_C(1) << 32)
#define LANE_TRACKS    (UINT64_C(2) << 32)
#define THREAD_TRACKS  (UINT64_C(3) << 32)
#define COUNTER_TRACKS (UINT64_C(4) << 32)
#define MACHINE_TRACKS (UINT64_C(5) << 32)

struct trace {
    struct perfetto *to;
    struct sink *sink;
    struct lanes *lanes;
    struct names names;
    struct map threads; /* process and thread to their track */
    struct subject_book subjects;
    struct map counters; /* metric and subject to their track */
    uint64_t start_ns;   /* of the run, by the monotonic clock */
    uint64_t wall_ns;
    struct throttle_watch *throttle;
};

/* --- tracks --------------------------------------------------------------- */

static void take_process(void *to, const struct process *p)
{
    struct trace *t = to;
    struct buf name = { 0 };

    names_add_process(&name, &t->names, p);
    perfetto_process(t->to, PROCESS_TRACKS + p->id, names_pid(&t->names, p->id),
            buf_cstr(&name));
    buf_release(&name);
}

static uint64_t thread_track(struct trace *t, const struct span *s)
{
    uint64_t key = (uint64_t)s->process << 32 | s->thread;
    const uint64_t *known = map_find(&t->threads, key);
    uint64_t track = THREAD_TRACKS + t->threads.count + 1;
    struct buf name = { 0 };

    if (known)
        return *known;
    map_put(&t->threads, key, track);
    names_add_lane(&name, &t->names, s, 0);
    perfetto_thread(t->to, track, names_pid(&t->names, s->process), s->thread,
            buf_cstr(&name));
    buf_release(&name);
    return track;
}

/* A thread's first lane is the thread itself. */
static uint64_t track_of(struct trace *t, const struct span *s,
        const struct lane_place *p)
{
    uint64_t track = LANE_TRACKS + p->track + 1;
    struct buf name = { 0 };

    if (!p->lane)
        return thread_track(t, s);
    if (p->fresh) {
        names_add_lane(&name, &t->names, s, p->lane);
        perfetto_lane(t->to, track, PROCESS_TRACKS + s->process,
                buf_cstr(&name));
        buf_release(&name);
    }
    return track;
}

/* --- what took time ------------------------------------------------------- */

static void of_session(struct trace *t, uint32_t session)
{
    perfetto_u64(t->to, "session", session);
    perfetto_text(t->to, "model", names_model(&t->names, session));
}

static void session_part(struct trace *t, uint64_t track, const char *name,
        const struct span *s)
{
    perfetto_event(t->to, track, "Session", name);
    of_session(t, s->id);
}

/* Made of one piece, or of the two that ONNX Runtime tells. */
static void session_span(struct trace *t, uint64_t track, const struct span *s,
        const struct lane_place *p)
{
    const struct named_session *x = names_session(&t->names, s->id);
    uint64_t start_ns = t->start_ns + p->start_ns;

    if (!x || !x->read_ns || x->read_ns > p->duration_ns) {
        session_part(t, track, "session_creation", s);
        perfetto_slice(t->to, start_ns, p->duration_ns);
        return;
    }
    session_part(t, track, "model_loading", s);
    perfetto_slice(t->to, start_ns, x->read_ns);
    session_part(t, track, "session_initialization", s);
    perfetto_slice(t->to, start_ns + x->read_ns, p->duration_ns - x->read_ns);
}

static void inference_event(struct trace *t, uint64_t track,
        const struct span *s)
{
    struct buf name = { 0 };

    names_inference(&name, &t->names, s);
    perfetto_event(t->to, track, "Session", buf_cstr(&name));
    buf_release(&name);
    of_session(t, s->id);
    perfetto_u64(t->to, "inference", s->inference);
    if (s->phase != PHASE_OTHER)
        perfetto_text(t->to, "phase", phase_name(s->phase));
    if (s->flags & FLAG_FAILED)
        perfetto_text(t->to, "error", s->text ? s->text : "failed");
}

static void section_event(struct trace *t, uint64_t track, const struct span *s)
{
    perfetto_event(t->to, track, "Section", s->text ? s->text : "section");
    perfetto_text(t->to, "phase", phase_name(s->phase));
}

/* False: nothing is known of it. */
static bool operator_event(struct trace *t, uint64_t track,
        const struct span *s)
{
    const struct operator* o = names_operator(&t->names, s->id);
    struct buf name = { 0 };

    if (!o)
        return false;
    buf_printf(&name, "%s_kernel_time", o->name);
    perfetto_event(t->to, track, "Node", buf_cstr(&name));
    buf_release(&name);
    perfetto_text(t->to, "op_name", o->op_type);
    perfetto_text(t->to, "provider", o->provider);
    if (o->node_index != UINT32_MAX)
        perfetto_u64(t->to, "node_index", o->node_index);
    perfetto_text(t->to, "input_type_shape", o->inputs);
    perfetto_text(t->to, "output_type_shape", o->outputs);
    if (o->sizes_known) {
        perfetto_u64(t->to, "activation_size", o->activation_bytes);
        perfetto_u64(t->to, "parameter_size", o->parameter_bytes);
        perfetto_u64(t->to, "output_size", o->output_bytes);
    }
    if (s->inference)
        perfetto_u64(t->to, "inference", s->inference);
    return true;
}

static void take_span(void *to, const struct span *s)
{
    struct trace *t = to;

    if (sink_failed(t->sink))
        return;

    throttle_watch_span(t->throttle, s);

    struct lane_place p = lanes_place(t->lanes, s);
    uint64_t track = track_of(t, s, &p);

    switch (s->kind) {
    case SPAN_SESSION: session_span(t, track, s, &p); return;
    case SPAN_SECTION: section_event(t, track, s); break;
    case SPAN_INFERENCE: inference_event(t, track, s); break;
    case SPAN_OPERATOR:
        if (!operator_event(t, track, s))
            return;
        break;
    }
    perfetto_slice(t->to, t->start_ns + p.start_ns, p.duration_ns);
}

/* --- what happened at a moment -------------------------------------------- */

static void take_mark(void *to, const struct note *n)
{
    struct trace *t = to;
    struct span at = { .process = n->process, .thread = n->thread };

    perfetto_event(t->to, thread_track(t, &at), "Mark",
            n->text ? n->text : "mark");
    perfetto_instant(t->to, t->start_ns + n->time_ns);
}

static void take_token(void *to, const struct token *x)
{
    struct trace *t = to;
    struct span at = { .process = x->process, .thread = x->thread };

    perfetto_event(t->to, thread_track(t, &at), "Token",
            x->text ? x->text : "token");
    perfetto_u64(t->to, "index", x->index);
    perfetto_i64(t->to, "id", x->id);
    perfetto_instant(t->to, t->start_ns + x->time_ns);
}

/* --- what was sampled ----------------------------------------------------- */

static uint64_t counter_track(struct trace *t, const struct reading *r)
{
    uint64_t key = (uint64_t)r->metric << 32 | r->subject;
    const uint64_t *known = map_find(&t->counters, key);
    uint64_t track = COUNTER_TRACKS + t->counters.count + 1;
    struct buf name = { 0 };

    if (known)
        return *known;
    map_put(&t->counters, key, track);
    subject_add_series(&name, &t->subjects, (enum metric_id)r->metric,
            r->subject);
    perfetto_counter(t->to, track, buf_cstr(&name),
            metric_table[r->metric].unit);
    buf_release(&name);
    return track;
}

static void take_reading(void *to, const struct reading *r)
{
    struct trace *t = to;

    throttle_watch_reading(t->throttle, r);
    if (isfinite(r->value) && !sink_failed(t->sink))
        perfetto_value(t->to, counter_track(t, r), t->start_ns + r->time_ns,
                r->value);
}

/* --- when the machine was held back --------------------------------------- */

static void take_changes(void *to, const struct reading_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        take_reading(to, &list->items[i]);
}

static void take_rollup(void *to, const struct rollup *r)
{
    throttle_watch_rollup(((struct trace *)to)->throttle, r);
}

static void write_throttling(struct trace *t)
{
    struct throttling all = { 0 };

    throttle_watch_finish(t->throttle, &all);
    throttling_merge(&all);
    if (all.count)
        perfetto_process(t->to, MACHINE_TRACKS, 0, THROTTLE_PROCESS);
    for (size_t i = 0; i < all.count; i++) {
        const struct throttle_interval *x = &all.items[i];
        uint64_t track = MACHINE_TRACKS + 1 + x->sign;
        const char *sign = throttle_sign_name(x->sign);

        if (!i || x->sign != all.items[i - 1].sign)
            perfetto_lane(t->to, track, MACHINE_TRACKS, sign);
        perfetto_event(t->to, track, THROTTLE_CATEGORY, THROTTLE_NAME);
        perfetto_text(t->to, "sign", sign);
        if (throttle_percent(x))
            perfetto_u64(t->to, "depth_percent", throttle_percent(x));
        perfetto_slice(t->to, t->start_ns + x->start_ns,
                x->end_ns - x->start_ns);
    }
    throttling_release(&all);
}

/* --- the whole ------------------------------------------------------------ */

static void take_run(void *to, const struct run *r)
{
    struct trace *t = to;

    t->start_ns = r->start_mono_ns;
    t->wall_ns = r->started_wall_ns;
}

static int write_events(struct trace *t, struct store *s, int64_t run,
        struct error *e)
{
    const struct subscriber names = names_subscriber(&t->names);
    const struct subscriber processes = { t, .process = take_process };
    const struct subscriber subjects = subject_book_subscriber(&t->subjects);
    const struct subscriber moments = { t, .mark = take_mark,
        .token = take_token, .changes = take_changes, .rollup = take_rollup };
    int rc = store_replay(s, run,
            &(struct subscribers){ { &names, &processes, &subjects }, 3 }, e);

    if (!rc)
        rc = store_each_span(s, run, take_span, t, e);
    if (!rc)
        rc = store_replay_to(s, run, &moments, e);
    if (!rc)
        write_throttling(t);
    return rc;
}

static EXPORT_WRITE(write)
{
    struct trace t = { .sink = to,
        .lanes = lanes_new(),
        .throttle = throttle_watch_new() };
    int rc = store_read_run(s, run, take_run, &t, e);

    if (!rc) {
        t.to = perfetto_new(to, t.start_ns, t.wall_ns);
        rc = write_events(&t, s, run, e);
    }
    perfetto_free(t.to);
    lanes_free(t.lanes);
    throttle_watch_free(t.throttle);
    names_release(&t.names);
    map_release(&t.threads);
    map_release(&t.counters);
    subject_book_release(&t.subjects);
    return rc;
}

const struct export_format export_perfetto = {
    .name = "perfetto",
    .about = "a timeline in Perfetto's own format: smaller than chrome's",
    .ending = ".perfetto-trace",
    .binary = true,
    .write = write,
};
