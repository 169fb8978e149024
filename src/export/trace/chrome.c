/* chrome.c -- a run as a Chrome trace, for Perfetto and chrome://tracing: the
 * JSON object form of the Trace Event Format.
 *
 * What ONNX Runtime itself calls an event and its arguments is called so here,
 * so tools that read its profiles read these.  Times are microseconds since the
 * run's start, with three decimals: as Unix time they would lose nanoseconds in
 * a double.
 *
 * Events are written as they come from the store.  What is kept in memory grows
 * with the number of operators, threads and sessions, not of events. */
#include "base/alloc.h"
#include "base/json.h"
#include "energy/throttle_watch.h"
#include "export/formats.h"
#include "export/names.h"
#include "export/subject_book.h"
#include "export/trace/lanes.h"
#include "model/phase.h"
#include "ort/shape_text.h"
#include "store/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Threads of ours are numbered far above the system's: lanes that are no
 * thread's first. */
#define LANE_TIDS 0x40000000u

#define FLUSH_BYTES 65536

/* An operator, as its events show it. */
struct shown {
    char *name;
    char *args; /* an object whose end is missing */
};

struct chrome {
    struct sink *to;
    struct buf out;
    struct json event; /* the one being written */
    struct buf args;   /* of an operator, for a moment */
    bool any;          /* an event was written */
    struct lanes *lanes;
    uint32_t *tids; /* of the tracks */
    uint32_t track_count;
    struct names names;
    struct subject_book subjects;
    struct shown *operators; /* by id, from 1; made when one is met */
    struct throttle_watch *throttle;
};

/* --- writing -------------------------------------------------------------- */

static void flush(struct chrome *c)
{
    sink_write(c->to, buf_str(&c->out));
    buf_clear(&c->out);
}

static void begin_event(struct chrome *c, const char *phase, const char *name)
{
    buf_text(&c->out, c->any ? ",\n" : "\n");
    c->any = true;
    c->event = json_line_into(&c->out);
    json_object(&c->event, NULL);
    json_text(&c->event, "ph", phase);
    json_text(&c->event, "name", name);
}

static void end_event(struct chrome *c)
{
    json_end(&c->event);
    if (c->out.len >= FLUSH_BYTES)
        flush(c);
}

/* Exactly: three decimals, or none. */
static void microseconds(struct chrome *c, const char *key, uint64_t ns)
{
    char text[32];
    int whole = snprintf(text, sizeof(text), "%" PRIu64, ns / 1000);

    if (ns % 1000)
        (void)snprintf(text + whole, sizeof(text) - (size_t)whole, ".%03u",
                (unsigned)(ns % 1000));
    json_raw(&c->event, key, text);
}

static void place(struct chrome *c, uint64_t pid, uint64_t tid)
{
    json_u64(&c->event, "pid", pid);
    json_u64(&c->event, "tid", tid);
}

/* --- names ---------------------------------------------------------------- */

static void metadata(struct chrome *c, const char *what, uint64_t pid,
        uint64_t tid, const char *name)
{
    begin_event(c, "M", what);
    place(c, pid, tid);
    json_object(&c->event, "args");
    json_text(&c->event, "name", name);
    json_end(&c->event);
    end_event(c);
}

static void take_process(void *to, const struct process *p)
{
    struct chrome *c = to;
    struct buf name = { 0 };

    names_add_process(&name, &c->names, p);
    metadata(c, "process_name", names_pid(&c->names, p->id), 0,
            buf_cstr(&name));
    buf_release(&name);
}

static void name_track(struct chrome *c, const struct span *s,
        const struct lane_place *p)
{
    struct buf text = { 0 };

    c->tids = alloc_resize(c->tids, (p->track + 1) * sizeof(*c->tids));
    c->tids[p->track] = p->lane ? LANE_TIDS + p->track : s->thread;
    c->track_count = p->track + 1;
    names_add_lane(&text, &c->names, s, p->lane);
    metadata(c, "thread_name", names_pid(&c->names, s->process),
            c->tids[p->track], buf_cstr(&text));
    buf_release(&text);
}

/* --- operators ------------------------------------------------------------ */

static void shapes(struct json *j, const char *key, const char *text)
{
    if (text && shape_text_is_sound(text))
        json_raw(j, key, text);
    else if (text)
        json_text(j, key, text);
}

/* Numbers are texts there, as they are in ONNX Runtime's profiles. */
static void number(struct json *j, const char *key, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRIu64, value);
    json_text(j, key, text);
}

static char *args_of(const struct operator* o)
{
    struct buf b = { 0 };
    struct json j = json_line_into(&b);

    json_object(&j, NULL);
    json_text(&j, "op_name", o->op_type);
    if (o->provider)
        json_text(&j, "provider", o->provider);
    if (o->node_index != UINT32_MAX)
        number(&j, "node_index", o->node_index);
    shapes(&j, "input_type_shape", o->inputs);
    shapes(&j, "output_type_shape", o->outputs);
    if (o->sizes_known) {
        number(&j, "activation_size", o->activation_bytes);
        number(&j, "parameter_size", o->parameter_bytes);
        number(&j, "output_size", o->output_bytes);
    }

    char *args = alloc_text(buf_cstr(&b));

    buf_release(&b);
    return args;
}

/* NULL: nothing is known of it. */
static const struct shown *shown_of(struct chrome *c, uint32_t id)
{
    const struct operator* o = names_operator(&c->names, id);
    struct buf name = { 0 };

    if (!o)
        return NULL;
    if (!c->operators)
        c->operators =
                alloc_zero(c->names.operator_count, sizeof(*c->operators));

    struct shown *x = &c->operators[id - 1];

    if (!x->name) {
        buf_printf(&name, "%s_kernel_time", o->name);
        x->name = alloc_text(buf_cstr(&name));
        x->args = args_of(o);
        buf_release(&name);
    }
    return x;
}

/* --- what took time ------------------------------------------------------- */

static void begin_span(struct chrome *c, const char *category, const char *name)
{
    begin_event(c, "X", name);
    json_text(&c->event, "cat", category);
}

static void end_span(struct chrome *c, const struct span *s,
        const struct lane_place *p)
{
    place(c, names_pid(&c->names, s->process), c->tids[p->track]);
    microseconds(c, "ts", p->start_ns);
    microseconds(c, "dur", p->duration_ns);
    end_event(c);
}

/* Begins the args. */
static void begin_args(struct chrome *c, uint32_t session)
{
    const char *model = names_model(&c->names, session);

    json_object(&c->event, "args");
    json_u64(&c->event, "session", session);
    if (model)
        json_text(&c->event, "model", model);
}

static void session_part(struct chrome *c, const char *name,
        const struct span *s, const struct lane_place *p)
{
    begin_span(c, "Session", name);
    begin_args(c, s->id);
    json_end(&c->event);
    end_span(c, s, p);
}

/* Made of one piece, or of the two that ONNX Runtime tells. */
static void session_span(struct chrome *c, const struct span *s,
        const struct lane_place *p)
{
    const struct named_session *x = names_session(&c->names, s->id);
    struct lane_place part = *p;

    if (!x || !x->read_ns || x->read_ns > p->duration_ns) {
        session_part(c, "session_creation", s, p);
        return;
    }
    part.duration_ns = x->read_ns;
    session_part(c, "model_loading", s, &part);
    part.start_ns += x->read_ns;
    part.duration_ns = p->duration_ns - x->read_ns;
    session_part(c, "session_initialization", s, &part);
}

static void inference_span(struct chrome *c, const struct span *s,
        const struct lane_place *p)
{
    struct buf name = { 0 };

    names_inference(&name, &c->names, s);
    begin_span(c, "Session", buf_cstr(&name));
    buf_release(&name);
    begin_args(c, s->id);
    json_u64(&c->event, "inference", s->inference);
    if (s->phase != PHASE_OTHER)
        json_text(&c->event, "phase", phase_name(s->phase));
    if (s->flags & FLAG_FAILED)
        json_text(&c->event, "error", s->text ? s->text : "failed");
    json_end(&c->event);
    end_span(c, s, p);
}

static void section_span(struct chrome *c, const struct span *s,
        const struct lane_place *p)
{
    begin_span(c, "Section", s->text ? s->text : "section");
    json_object(&c->event, "args");
    json_text(&c->event, "phase", phase_name(s->phase));
    json_end(&c->event);
    end_span(c, s, p);
}

static void operator_span(struct chrome *c, const struct span *s,
        const struct lane_place *p)
{
    const struct shown *o = shown_of(c, s->id);

    if (!o)
        return;
    buf_clear(&c->args);
    buf_text(&c->args, o->args);
    if (s->inference)
        buf_printf(&c->args, ",\"inference\":%" PRIu64, s->inference);
    buf_char(&c->args, '}');
    begin_span(c, "Node", o->name);
    json_raw(&c->event, "args", buf_cstr(&c->args));
    end_span(c, s, p);
}

static void take_span(void *to, const struct span *s)
{
    struct chrome *c = to;

    if (sink_failed(c->to))
        return;

    throttle_watch_span(c->throttle, s);

    struct lane_place p = lanes_place(c->lanes, s);

    if (p.fresh)
        name_track(c, s, &p);
    switch (s->kind) {
    case SPAN_SESSION: session_span(c, s, &p); break;
    case SPAN_SECTION: section_span(c, s, &p); break;
    case SPAN_INFERENCE: inference_span(c, s, &p); break;
    case SPAN_OPERATOR: operator_span(c, s, &p); break;
    }
}

/* --- what happened at a moment -------------------------------------------- */

static void instant(struct chrome *c, const char *category, const char *name,
        const struct note *n)
{
    begin_event(c, "i", name);
    json_text(&c->event, "cat", category);
    json_text(&c->event, "s", "t");
    place(c, names_pid(&c->names, n->process), n->thread);
    microseconds(c, "ts", n->time_ns);
}

static void take_mark(void *to, const struct note *n)
{
    struct chrome *c = to;

    instant(c, "Mark", n->text ? n->text : "mark", n);
    end_event(c);
}

static void take_token(void *to, const struct token *t)
{
    struct chrome *c = to;
    struct note at = {
        .process = t->process,
        .thread = t->thread,
        .time_ns = t->time_ns,
    };

    instant(c, "Token", t->text ? t->text : "token", &at);
    json_object(&c->event, "args");
    json_u64(&c->event, "index", t->index);
    json_int(&c->event, "id", t->id);
    json_end(&c->event);
    end_event(c);
}

/* --- what was sampled ----------------------------------------------------- */

/* Of no process: readings are of the machine. */
static void take_reading(void *to, const struct reading *r)
{
    struct chrome *c = to;
    struct buf name = { 0 };

    throttle_watch_reading(c->throttle, r);
    if (!isfinite(r->value) || sink_failed(c->to))
        return;
    subject_add_series(&name, &c->subjects, (enum metric_id)r->metric,
            r->subject);
    begin_event(c, "C", buf_cstr(&name));
    place(c, 0, 0);
    microseconds(c, "ts", r->time_ns);
    json_object(&c->event, "args");
    json_real(&c->event, metric_table[r->metric].unit, r->value);
    json_end(&c->event);
    end_event(c);
    buf_release(&name);
}

static void take_changes(void *to, const struct reading_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        take_reading(to, &list->items[i]);
}

/* --- when the machine was held back --------------------------------------- */

static void take_rollup(void *to, const struct rollup *r)
{
    throttle_watch_rollup(((struct chrome *)to)->throttle, r);
}

/* On tracks of the machine, one for each way in which it was found. */
static void write_throttling(struct chrome *c)
{
    struct throttling t = { 0 };

    throttle_watch_finish(c->throttle, &t);
    throttling_merge(&t);
    if (t.count)
        metadata(c, "process_name", 0, 0, THROTTLE_PROCESS);
    for (size_t i = 0; i < t.count; i++) {
        const struct throttle_interval *x = &t.items[i];
        uint64_t tid = LANE_TIDS + c->track_count + x->sign;
        const char *sign = throttle_sign_name(x->sign);

        if (!i || x->sign != t.items[i - 1].sign)
            metadata(c, "thread_name", 0, tid, sign);
        begin_span(c, THROTTLE_CATEGORY, THROTTLE_NAME);
        json_object(&c->event, "args");
        json_text(&c->event, "sign", sign);
        if (throttle_percent(x))
            json_u64(&c->event, "depth_percent", throttle_percent(x));
        json_end(&c->event);
        place(c, 0, tid);
        microseconds(c, "ts", x->start_ns);
        microseconds(c, "dur", x->end_ns - x->start_ns);
        end_event(c);
    }
    throttling_release(&t);
}

/* --- the whole ------------------------------------------------------------ */

static void take_run(void *to, const struct run *r)
{
    struct chrome *c = to;
    struct json j = json_line_into(&c->out);

    json_object(&j, NULL);
    json_text(&j, "run", r->id);
    json_u64(&j, "started_ns", r->started_wall_ns);
    json_text(&j, "command", r->command ? r->command : "");
    json_text(&j, "ortmeter", r->version ? r->version : "");
    json_end(&j);
}

static int write_events(struct chrome *c, struct store *s, int64_t run,
        struct error *e)
{
    const struct subscriber names = names_subscriber(&c->names);
    const struct subscriber processes = { c, .process = take_process };
    const struct subscriber subjects = subject_book_subscriber(&c->subjects);
    const struct subscriber moments = { c, .mark = take_mark,
        .token = take_token, .changes = take_changes, .rollup = take_rollup };
    int rc = store_replay(s, run,
            &(struct subscribers){ { &names, &processes, &subjects }, 3 }, e);

    if (!rc)
        rc = store_each_span(s, run, take_span, c, e);
    if (!rc)
        rc = store_replay_to(s, run, &moments, e);
    if (!rc)
        write_throttling(c);
    return rc;
}

static void release(struct chrome *c)
{
    for (size_t i = 0; c->operators && i < c->names.operator_count; i++) {
        free(c->operators[i].name);
        free(c->operators[i].args);
    }
    free(c->operators);
    free(c->tids);
    lanes_free(c->lanes);
    throttle_watch_free(c->throttle);
    names_release(&c->names);
    subject_book_release(&c->subjects);
    buf_release(&c->out);
    buf_release(&c->args);
}

static int write(struct sink *to, struct store *s, int64_t run, struct error *e)
{
    struct chrome c = { .to = to,
        .lanes = lanes_new(),
        .throttle = throttle_watch_new() };

    buf_text(&c.out, "{\"traceEvents\":[");

    int rc = write_events(&c, s, run, e);

    buf_text(&c.out, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":");
    if (!rc)
        rc = store_read_run(s, run, take_run, &c, e);
    buf_text(&c.out, "}\n");
    if (!rc)
        flush(&c);
    release(&c);
    return rc;
}

const struct export_format export_chrome = {
    .name = "chrome",
    .about = "a timeline for Perfetto and chrome://tracing, as JSON",
    .ending = ".json",
    .write = write,
};
