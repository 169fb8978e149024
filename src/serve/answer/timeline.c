/* timeline.c -- what took time, and what happened: /timeline, /api/spans,
 * /api/events. */
#include "analyse/counting.h"
#include "analyse/finding/findings.h"
#include "base/alloc.h"
#include "base/json_read.h"
#include "base/map.h"
#include "export/names.h"
#include "model/phase.h"
#include "serve/answer/figures_json.h"
#include "serve/answer/run_about.h"
#include "serve/live/event_json.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_MAX 200000

/* A stretch of a run that somebody looks at. */
struct view {
    struct call *call;
    const struct run_about *run;
    struct json *json;
    struct names names;
    uint64_t from_ns, to_ns;
    uint64_t limit, after, written, total, last;
    uint64_t inference; /* only this one; 0: any */
};

static bool in_view(const struct view *v, uint64_t start_ns, uint64_t duration)
{
    return start_ns < v->to_ns && start_ns + duration >= v->from_ns;
}

/* --- /timeline ------------------------------------------------------------ */

static void take_inference(void *to, const struct inference *i)
{
    struct view *v = to;
    struct json *j = v->json;

    if (!in_view(v, i->start_ns, i->duration_ns) || v->written == v->limit ||
            (v->inference && v->inference != i->number))
        return;
    v->written++;
    json_object(j, NULL);
    shape_id(j, "inference_id", v->run->id, "inference", i->number);
    json_u64(j, "number", i->number);
    shape_id(j, "session_id", v->run->id, "session", i->session);
    json_u64(j, "start_time_ns", v->run->start_wall_ns + i->start_ns);
    json_fixed(j, "duration_ms", (double)i->duration_ns / 1e6, 6);
    json_text(j, "phase", phase_name((enum phase)i->phase));
    json_u64(j, "process", i->process);
    json_u64(j, "thread", i->thread);
    if (inference_is_traced(i))
        json_bool(j, "traced", true);
    if (i->flags & FLAG_FAILED)
        json_text(j, "error", i->error ? i->error : "failed");
    json_end(j);
}

static bool same_in_any_case(struct str a, const char *b)
{
    size_t i = 0;

    for (; i < a.len && b[i]; i++)
        if (tolower((unsigned char)a.p[i]) != tolower((unsigned char)b[i]))
            return false;
    return i == a.len && !b[i];
}

static bool is_listed(const char *list, const char *word)
{
    for (struct str rest = str_of(list); rest.len; rest = str_after(rest, ','))
        if (word && same_in_any_case(str_before(rest, ','), word))
            return true;
    return false;
}

static bool is_wanted(const struct view *v, const struct operator* o)
{
    const char *op = query_text(v->call, "op");
    const char *provider = query_text(v->call, "provider");
    struct buf id = { 0 };

    shape_operation_id(&id, o);

    bool good =
            (!op || is_listed(op, o->op_type) ||
                    is_listed(op, buf_cstr(&id))) &&
            (!provider ||
                    (o->provider &&
                            (same_in_any_case(str_of(provider), o->provider) ||
                                    same_in_any_case(str_of(provider),
                                            provider_class(o->provider)))));

    buf_release(&id);
    return good;
}

static void take_operation(void *to, const struct operator_run *r)
{
    struct view *v = to;
    const struct operator* o = names_operator(&v->names, r->operator_id);
    uint64_t ns = r->kernel_known ? r->kernel_ns : r->raw_ns;

    if (!o || (v->inference && v->inference != r->inference) ||
            (!r->in_cycles && !in_view(v, r->start_ns, ns)) || !is_wanted(v, o))
        return;
    v->total++;
    if (v->total <= v->after || v->written == v->limit)
        return;
    v->written++;
    v->last = v->total;
    shape_operation_json(v->json, v->run->start_wall_ns, r, o, 0);
}

static void take_section(void *to, const struct section *x)
{
    struct view *v = to;
    struct json *j = v->json;

    v->total++;
    if (!in_view(v, x->start_ns, x->duration_ns) || v->written == v->limit)
        return;
    v->written++;
    json_object(j, NULL);
    json_u64(j, "id", v->total);
    json_text(j, "phase", phase_name((enum phase)x->phase));
    if (x->name)
        json_text(j, "section_name", x->name);
    json_u64(j, "start_time_ns", v->run->start_wall_ns + x->start_ns);
    json_fixed(j, "duration_ms", (double)x->duration_ns / 1e6, 6);
    json_u64(j, "process", x->process);
    json_u64(j, "thread", x->thread);
    if (x->parent)
        json_u64(j, "parent_id", x->parent);
    json_end(j);
}

/* --- events --------------------------------------------------------------- */

/* True: an event of that kind and time is to be written, as the next. */
static bool event_is_wanted(struct view *v, uint64_t start_ns,
        uint64_t duration_ns)
{
    if (!in_view(v, start_ns, duration_ns))
        return false;
    v->total++;
    if (v->total <= v->after || v->written == v->limit)
        return false;
    v->written++;
    v->last = v->total;
    return true;
}

struct numbered {
    struct view *view;
    uint64_t number;
};

static struct event_of run_of(const struct view *v)
{
    return (struct event_of){ v->run->id, v->run->start_wall_ns };
}

static void take_mark(void *to, const struct note *n)
{
    struct numbered *x = to;
    struct event_of r = run_of(x->view);

    x->number++;
    if (event_is_wanted(x->view, n->time_ns, 0))
        event_mark_json(x->view->json, &r, x->number, n);
}

static void take_load(void *to, const struct session *s)
{
    struct view *v = to;
    struct event_of r = run_of(v);

    if (!s->seen_late && event_is_wanted(v, s->start_ns, s->duration_ns))
        event_load_json(v->json, &r, s);
}

static void take_lost(void *to, const struct process *p)
{
    struct view *v = to;
    struct event_of r = run_of(v);

    if (event_lost(p) &&
            event_is_wanted(v, p->start_ns, v->to_ns - p->start_ns))
        event_lost_json(v->json, &r, p);
}

static void take_alert(void *to, const struct alert *a)
{
    struct view *v = to;
    struct event_of r = run_of(v);
    uint64_t end_ns = a->end_ns ? a->end_ns : v->to_ns;

    if (a->rule && event_is_wanted(v, a->time_ns,
                           end_ns > a->time_ns ? end_ns - a->time_ns : 0))
        event_alert_json(v->json, &r, a, v->run->live);
}

static int write_slow(struct view *v, struct error *e)
{
    struct event_of r = run_of(v);
    struct findings f = { .count = 0 };
    struct summary summary;
    int rc = summary_read(&summary, v->call->store, v->run->row, e);

    if (rc)
        return rc;
    rc = findings_read_slow(&f, &summary, v->call->store, v->run->row, e);
    for (size_t i = 0; i < f.slow.count && !rc; i++)
        if (event_is_wanted(v, f.slow.items[i].start_ns,
                    f.slow.items[i].duration_ns))
            event_slow_json(v->json, &r, &f, i);
    findings_release(&f);
    summary_release(&summary);
    return rc;
}

static int write_events(struct view *v, struct error *e)
{
    struct store *s = v->call->store;
    struct numbered marks = { v, 0 };
    bool all = v->call->route->handle != answer_events;
    int rc = 0;

    v->written = v->total = 0;
    if (all || query_lists(v->call, "kind", "load"))
        rc = store_each_session(s, v->run->row, take_load, v, e);
    if (!rc && (all || query_lists(v->call, "kind", "mark")))
        rc = store_each_mark(s, v->run->row, take_mark, &marks, e);
    if (!rc && (all || query_lists(v->call, "kind", "lost")))
        rc = store_each_process(s, v->run->row, take_lost, v, e);
    if (!rc && (all || query_lists(v->call, "kind", "alert")))
        rc = store_each_alert(s, v->run->row, take_alert, v, e);
    if (!rc && (all || query_lists(v->call, "kind", "slow")))
        rc = write_slow(v, e);
    return rc;
}

static int write_timeline(struct view *v, struct error *e)
{
    struct store *s = v->call->store;
    struct json *j = v->json;
    uint64_t total, last;

    json_array(j, "inferences");

    int rc = store_each_inference(s, v->run->row, take_inference, v, e);

    json_end(j);
    v->written = v->total = 0;
    json_array(j, "operations");
    if (!rc)
        rc = store_each_operator_run(s, v->run->row, take_operation, v, e);
    json_end(j);
    total = v->total;
    last = v->last;
    v->written = v->total = v->after = 0;
    json_array(j, "sections");
    if (!rc)
        rc = store_each_section(s, v->run->row, take_section, v, e);
    json_end(j);
    json_array(j, "events");
    if (!rc)
        rc = write_events(v, e);
    json_end(j);
    json_u64(j, "total", total);
    json_u64(j, "limit", v->limit);
    if (last && last < total)
        json_u64(j, "next_after", last);
    return rc;
}

static int view_open(struct view *v, struct call *c, struct answer *a,
        struct run_about *r, struct json *j)
{
    *v = (struct view){ .call = c, .run = r, .json = j };
    if (run_of_query(c, a, r))
        return -ENOENT;
    return range_of_query(c, a, r, &v->from_ns, &v->to_ns);
}

static void head(struct view *v)
{
    json_object(v->json, NULL);
    json_text(v->json, "run_id", v->run->id);
    json_u64(v->json, "from_ns", v->run->start_wall_ns + v->from_ns);
    json_u64(v->json, "to_ns", v->run->start_wall_ns + v->to_ns);
}

void answer_timeline(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct run_about r;
    struct error e;
    struct view v;

    if (view_open(&v, c, a, &r, &j))
        return;
    v.limit = (uint64_t)query_number(c, "limit", 1000);
    v.after = (uint64_t)query_number(c, "after", 0);
    v.inference = (uint64_t)query_number(c, "inference", 0);
    head(&v);

    int rc = names_read(&v.names, c->store, r.row, &e);

    if (!rc)
        rc = write_timeline(&v, &e);
    json_end(&j);
    names_release(&v.names);
    if (rc)
        answer_failed(a, &e);
}

void answer_events(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct run_about r;
    struct error e;
    struct view v;

    if (view_open(&v, c, a, &r, &j))
        return;
    v.limit = (uint64_t)query_number(c, "limit", 200);
    v.after = (uint64_t)query_number(c, "after", 0);
    json_object(&j, NULL);
    json_array(&j, "events");

    int rc = write_events(&v, &e);

    json_end(&j);
    json_u64(&j, "total", v.total);
    json_u64(&j, "limit", v.limit);
    if (v.last && v.last < v.total)
        json_u64(&j, "next_after", v.last);
    json_end(&j);
    if (rc)
        answer_failed(a, &e);
}

/* --- /api/spans ----------------------------------------------------------- */

struct piece {
    uint64_t start_ns, duration_ns, of, count, busy_ns, longest_ns;
};

struct track {
    const char *kind;
    uint32_t process, thread;
    struct piece *items;
    size_t count, cap;
};

struct tracks {
    struct view *view;
    uint64_t least_ns; /* shorter ones are joined up to that; 0: none are */
    struct track *items;
    size_t count;
    uint64_t total, pieces;
};

static struct track *track_of(struct tracks *t, const char *kind,
        uint32_t process, uint32_t thread)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->items[i].kind == kind && t->items[i].process == process &&
                t->items[i].thread == thread)
            return &t->items[i];
    t->items = alloc_resize(t->items, (t->count + 1) * sizeof(*t->items));
    t->items[t->count] = (struct track){
        .kind = kind,
        .process = process,
        .thread = thread,
    };
    return &t->items[t->count++];
}

/* Joins it to the one before where both lie within the same width. */
static void add_piece(struct tracks *t, struct track *to, uint64_t start_ns,
        uint64_t duration_ns, uint64_t of)
{
    struct piece *last = to->count ? &to->items[to->count - 1] : NULL;
    uint64_t end = start_ns + duration_ns;

    t->total++;
    if (last && duration_ns < t->least_ns && last->longest_ns < t->least_ns &&
            end - last->start_ns <= t->least_ns) {
        uint64_t last_end = last->start_ns + last->duration_ns;

        last->duration_ns = (end > last_end ? end : last_end) - last->start_ns;
        last->count++;
        last->busy_ns += duration_ns;
        if (duration_ns > last->longest_ns) {
            last->longest_ns = duration_ns;
            last->of = of;
        }
        return;
    }
    if (t->pieces == SPANS_MAX)
        return;
    if (!to->items || to->count == to->cap) {
        to->cap = to->cap ? 2 * to->cap : 64;
        to->items = alloc_resize(to->items, to->cap * sizeof(*to->items));
    }
    to->items[to->count++] = (struct piece){ start_ns, duration_ns, of, 1,
        duration_ns, duration_ns };
    t->pieces++;
}

static uint64_t phase_place(uint8_t phase)
{
    static const uint8_t order[PHASES] = { [PHASE_PRE] = 0,
        [PHASE_PREFILL] = 1,
        [PHASE_DECODE] = 2,
        [PHASE_POST] = 3,
        [PHASE_OTHER] = 4 };

    return phase < PHASES ? order[phase] : 4;
}

static void take_span(void *to, const struct span *s)
{
    static const char *const kinds[] = { [SPAN_SESSION] = "load",
        [SPAN_SECTION] = "section",
        [SPAN_INFERENCE] = "inference",
        [SPAN_OPERATOR] = "operator" };
    struct tracks *t = to;
    const struct view *v = t->view;
    int64_t session = query_number(v->call, "session", 0);
    const char *kind = kinds[s->kind];

    if (!in_view(v, s->start_ns, s->duration_ns) ||
            (v->inference && s->inference != v->inference))
        return;
    if (session && s->kind == SPAN_INFERENCE && s->id != (uint64_t)session)
        return;
    if (s->kind == SPAN_SECTION && query_lists(v->call, "kinds", "phase"))
        add_piece(t, track_of(t, "phase", 0, 0), s->start_ns, s->duration_ns,
                phase_place(s->phase));
    if (!query_lists(v->call, "kinds", kind))
        return;
    add_piece(t, track_of(t, kind, s->process, s->thread), s->start_ns,
            s->duration_ns,
            s->kind == SPAN_INFERENCE ? s->inference
            : s->kind == SPAN_SECTION ? phase_place(s->phase)
                                      : s->id);
}

enum column_of { STARTS, DURATIONS, OFS, COUNTS, BUSY };

static void column(struct json *j, const char *key, const struct track *t,
        enum column_of which)
{
    uint64_t before = 0;

    json_array(j, key);
    for (size_t i = 0; i < t->count; i++) {
        const struct piece *p = &t->items[i];

        switch (which) {
        case STARTS:
            json_int(j, NULL, (int64_t)(p->start_ns - before));
            before = p->start_ns;
            break;
        case DURATIONS: json_u64(j, NULL, p->duration_ns); break;
        case OFS: json_u64(j, NULL, p->of); break;
        case COUNTS: json_u64(j, NULL, p->count); break;
        case BUSY: json_u64(j, NULL, p->busy_ns); break;
        }
    }
    json_end(j);
}

static void write_track(struct tracks *x, const struct track *t)
{
    struct json *j = x->view->json;
    const char *name = names_thread(&x->view->names, t->process, t->thread);

    json_object(j, NULL);
    json_text(j, "kind", t->kind);
    if (t->process) {
        json_u64(j, "process", t->process);
        json_u64(j, "thread", t->thread);
        if (name)
            json_text(j, "name", name);
    }
    column(j, "start_ns", t, STARTS);
    column(j, "duration_ns", t, DURATIONS);
    column(j, "of", t, OFS);
    if (x->least_ns) {
        column(j, "count", t, COUNTS);
        column(j, "busy_ns", t, BUSY);
    }
    json_end(j);
}

static void write_spans(struct tracks *t)
{
    struct json *j = t->view->json;

    head(t->view);
    json_text(j, "clock", "seen");
    json_array(j, "tracks");
    for (size_t i = 0; i < t->count; i++)
        write_track(t, &t->items[i]);
    json_end(j);
    json_u64(j, "total", t->total);
    json_array(j, "missing");
    if (query_given(t->view->call, "clock") &&
            strcmp(query_text(t->view->call, "clock"), "net") == 0) {
        json_object(j, NULL);
        json_text(j, "member", "clock");
        json_text(j, "reason",
                "what tracing cost is known of sums only, not of single "
                "spans");
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void answer_spans(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    int64_t width = query_number(c, "width", 0);
    struct run_about r;
    struct error e;
    struct view v;
    struct tracks t = { .view = &v };

    if (view_open(&v, c, a, &r, &j))
        return;
    v.inference = (uint64_t)query_number(c, "inference", 0);
    if (width)
        t.least_ns = (v.to_ns - v.from_ns) / (uint64_t)width + 1;

    int rc = names_read(&v.names, c->store, r.row, &e);

    if (!rc)
        rc = store_each_span(c->store, r.row, take_span, &t, &e);
    if (rc)
        answer_failed(a, &e);
    else if (t.pieces == SPANS_MAX)
        answer_problem(a, 400, "bad_parameter", "width",
                "width must be given: there are more than %d spans", SPANS_MAX);
    else
        write_spans(&t);
    for (size_t i = 0; i < t.count; i++)
        free(t.items[i].items);
    free(t.items);
    names_release(&v.names);
}
