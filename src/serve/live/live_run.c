#include "serve/live/live_run.h"

#include "base/alloc.h"
#include "base/digits.h"
#include "model/phase.h"
#include "os/clock.h"
#include "serve/answer/figures_json.h"
#include "serve/answer/run_about.h"
#include "serve/live/event_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define READ_MAX 20000 /* rows of a kind at a time */
#define OLD_NS   UINT64_C(5000000000)

struct following *following_new(const struct run *r)
{
    struct following *f = alloc_zero(1, sizeof(*f));

    f->shown = alloc_zero(1, sizeof(*f->shown));
    f->shown->row = r->row;
    memcpy(f->shown->id, r->id, sizeof(r->id));
    f->figures = run_metrics_new(r);
    f->run = *r;
    f->run.command = f->run.directory = f->run.tags = f->run.host = NULL;
    f->run.version = f->run.note = f->run.experiment = f->run.prompt = NULL;
    f->run.response = f->run.depth = NULL;
    f->changed_ns = mono_ns();
    return f;
}

void following_free(struct following *f)
{
    struct live_run *x = f->shown;

    for (size_t i = 0; i < LIVE_EVENTS; i++)
        free(x->events[i].json);
    buf_release(&x->text);
    buf_release(&x->system);
    buf_release(&x->currents);
    free(x);
    for (size_t i = 0; i < f->session_count; i++) {
        free(f->sessions[i].model);
        free(f->sessions[i].latency);
        free(f->sessions[i].newest);
    }
    free(f->sessions);
    run_metrics_free(f->figures);
    subject_book_release(&f->book);
    readings_release(&f->readings);
    free(f);
}

/* --- what is new ---------------------------------------------------------- */

struct reading_new {
    struct following *follow;
    size_t count; /* rows of this kind */
    uint64_t lost;
    void (*say)(void *to, const char *type, const char *run, char *json);
    void *to;
};

static struct live_session *session_of(struct following *f, uint32_t id,
        uint8_t phase)
{
    const char *model = NULL;

    for (size_t i = 0; i < f->session_count; i++) {
        if (f->sessions[i].id == id && f->sessions[i].phase == phase)
            return &f->sessions[i];
        if (f->sessions[i].id == id)
            model = f->sessions[i].model;
    }
    f->sessions = alloc_resize(f->sessions,
            (f->session_count + 1) * sizeof(*f->sessions));
    f->sessions[f->session_count] = (struct live_session){
        .id = id,
        .phase = phase,
        .model = model ? alloc_text(model) : NULL,
        .latency = alloc_zero(1, sizeof(struct hist)),
    };
    return &f->sessions[f->session_count++];
}

static void take_session(void *to, const struct session *x)
{
    struct reading_new *n = to;
    struct following *f = n->follow;

    run_metrics_operators_of(f->figures, x); /* comes to be known later */
    if (++n->count <= f->known_sessions)
        return;
    run_metrics_session(f->figures, x);
    f->shown->newest.session = x->id;

    struct live_session *s = session_of(f, x->id, PHASE_OTHER);

    if (x->model && !s->model)
        s->model = alloc_text(x->model);
}

static void take_traced_sum(void *to, const struct traced_sum *x)
{
    run_metrics_traced(((struct reading_new *)to)->follow->figures, x);
}

static void take_process(void *to, const struct process *p)
{
    struct reading_new *n = to;

    n->count++;
    n->lost += event_lost(p);
    run_metrics_process(n->follow->figures, p);
}

static void take_library(void *to, const struct library *l)
{
    struct reading_new *n = to;

    if (++n->count > n->follow->known_libraries)
        run_metrics_library(n->follow->figures, l);
}

static void take_subject(void *to, const struct subject_entry *x)
{
    struct reading_new *n = to;

    if (++n->count > n->follow->known_subjects)
        subject_book_add(&n->follow->book, x->id, &x->subject);
    if (x->end_ns)
        readings_forget(&n->follow->readings, x->id);
}

/* Its text is kept for those who listen. */
static void keep_event(struct following *f, struct live_session *s,
        const struct inference *i)
{
    struct live_event *e = &f->shown->events[i->number % LIVE_EVENTS];
    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    inference_json(&j, i,
            &(struct inference_context){
                    .run_id = f->run.id,
                    .started_wall_ns = f->run.started_wall_ns,
                    .model = s->model,
                    .all = s->latency,
                    .jitter_ns =
                            s->latency->count > 1
                                    ? s->steps / (double)(s->latency->count - 1)
                                    : -1,
            });
    free(e->json);
    e->json = text.p;
    e->number = i->number;
    free(s->newest);
    s->newest = alloc_text(text.p);
}

static void take_inference(void *to, const struct inference *i)
{
    struct reading_new *n = to;
    struct following *f = n->follow;
    struct live_session *s = session_of(f, i->session, i->phase);

    n->count++;
    run_metrics_inference(f->figures, i);
    if (run_metrics_counts(f->figures, i)) {
        if (s->latency->count)
            s->steps += fabs((double)i->duration_ns - (double)s->last_ns);
        s->last_ns = i->duration_ns;
        hist_add(s->latency, i->duration_ns);
    }
    keep_event(f, s, i);
    f->shown->newest.inference = i->number;
}

/* --- /ws/profiling -------------------------------------------------------- */

static void say(struct reading_new *n, const char *type, uint64_t time_ns,
        const char *data)
{
    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    json_object(&j, NULL);
    json_text(&j, "type", type);
    json_fixed(&j, "timestamp",
            (double)(n->follow->run.started_wall_ns + time_ns) / 1e9, 6);
    json_raw(&j, "data", data);
    json_end(&j);
    n->say(n->to, type, n->follow->run.id, text.p);
}

static void take_reading(void *to, const struct reading *r)
{
    struct reading_new *n = to;

    n->count++;
    readings_take(&n->follow->readings, r);
    live_power_take(&n->follow->power, r);
}

static void take_section(void *to, const struct section *x)
{
    struct reading_new *n = to;
    struct buf text = { 0 };

    n->count++;
    if (x->derived) /* at the run's end, from its operators */
        return;
    for (int end = 0; end < 2; end++) {
        struct json j = json_line_into(&text);
        double start = (double)x->start_ns / 1e6;
        double ms = (double)x->duration_ns / 1e6;

        json_object(&j, NULL);
        json_text(&j, "run_id", n->follow->run.id);
        json_u64(&j, "id", n->follow->sections + n->count);
        json_text(&j, "phase", phase_name((enum phase)x->phase));
        if (x->name)
            json_text(&j, "section_name", x->name);
        json_fixed(&j, "start_time_ms", start, 6);
        if (end) {
            json_fixed(&j, "end_time_ms", start + ms, 6);
            json_fixed(&j, "duration_ms", ms, 6);
        }
        json_end(&j);
        say(n, end ? "section_end" : "section_start",
                x->start_ns + (end ? x->duration_ns : 0), buf_cstr(&text));
        buf_clear(&text);
    }
    buf_release(&text);
}

static void take_mark(void *to, const struct note *x)
{
    struct reading_new *n = to;

    (void)x;
    n->count++;
}

static void take_token(void *to, const struct token *t)
{
    struct reading_new *n = to;
    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    n->count++;
    json_object(&j, NULL);
    json_text(&j, "run_id", n->follow->run.id);
    json_u64(&j, "id", n->follow->tokens + n->count);
    json_u64(&j, "token_index", t->index);
    if (t->text)
        json_text(&j, "token_text", t->text);
    if (!t->seen)
        json_int(&j, "vocabulary_id", t->id);
    if (t->duration_ns)
        json_fixed(&j, "duration_ms", (double)t->duration_ns / 1e6, 6);
    json_end(&j);
    say(n, "token_complete", t->time_ns, buf_cstr(&text));
    buf_release(&text);
}

static void say_power(struct reading_new *n)
{
    struct following *f = n->follow;
    struct buf text = { 0 };
    struct json j = json_line_into(&text);
    uint64_t time_ns;

    json_object(&j, NULL);
    json_text(&j, "run_id", f->run.id);
    if (live_power_next(&f->power, &f->book, &j, &time_ns)) {
        json_end(&j);
        say(n, "power_sample", time_ns, buf_cstr(&text));
    }
    buf_release(&text);
}

size_t following_read(struct following *f, struct store *s,
        void (*tell)(void *to, const char *type, const char *run, char *json),
        void *to)
{
    struct reading_new n = { .follow = f, .say = tell, .to = to };
    struct live_cursor before = f->shown->newest;
    struct live_cursor *newest = &f->shown->newest;
    uint64_t inferences = f->inferences, readings = f->readings_seen;
    uint64_t sections = f->sections, tokens = f->tokens;
    int64_t row = f->run.row;

#define KNOWN(name, member)                                    \
    n.count = 0;                                               \
    if (store_each_##name(s, row, take_##name, &n, NULL) == 0) \
        f->member = n.count;
    KNOWN(process, known_processes)
    KNOWN(library, known_libraries)
    KNOWN(session, known_sessions)
    KNOWN(subject, known_subjects)
#undef KNOWN
    (void)store_each_traced_sum(s, row, take_traced_sum, &n, NULL);
#define SINCE(name, after)                                                   \
    n.count = 0;                                                             \
    (void)store_each_##name##_since(s, row, &(after), READ_MAX, take_##name, \
            &n, NULL)
    SINCE(inference, f->inferences);
    SINCE(reading, f->readings_seen);
    SINCE(section, sections);
    SINCE(token, tokens);
    SINCE(mark, newest->mark);
    newest->marks += n.count;
#undef SINCE
    newest->lost = n.lost;
    newest->alerts = 0;
    (void)store_each_alert(s, row, event_sum_alerts, &newest->alerts, NULL);
    (void)store_last_operator_run(s, row, newest->inference, &newest->operation,
            NULL);
    say_power(&n);

    size_t found = (size_t)(f->inferences - inferences) +
                   (size_t)(f->readings_seen - readings) +
                   (size_t)(sections - f->sections) +
                   (size_t)(tokens - f->tokens) +
                   (memcmp(&before, newest, sizeof(before)) != 0);

    f->sections = sections;
    f->tokens = tokens;
    if (found)
        f->changed_ns = mono_ns();
    return found;
}

/* --- what is shown -------------------------------------------------------- */

static void show_system(struct following *f)
{
    struct shape_moment m = { 0 };
    uint64_t newest = 0;

    for (size_t i = 0; i < f->readings.count; i++)
        if (f->readings.last[i].time_ns > newest)
            newest = f->readings.last[i].time_ns;
    for (size_t i = 0; i < f->readings.count; i++) {
        const struct reading *r = &f->readings.last[i];
        const struct subject *x = subject_book_find(&f->book, r->subject);
        enum shape_figure figure;
        double scale;

        if (r->time_ns + OLD_NS > newest &&
                shape_figure_of((enum metric_id)r->metric, x && shape_is_npu(x),
                        &figure, &scale))
            shape_moment_add(&m, figure, r->value * scale);
    }
    buf_clear(&f->shown->system);
    if (!newest)
        return;

    struct json j = json_line_into(&f->shown->system);

    shape_moment_json(&j, f->run.started_wall_ns + newest, &m);
}

void following_show(struct following *f, struct store *s)
{
    struct live_run *x = f->shown;
    uint64_t now = mono_ns();

    show_system(f);
    buf_clear(&x->currents);
    for (size_t i = 0; i < f->session_count; i++)
        if (f->sessions[i].newest)
            buf_printf(&x->currents, "%s%s", x->currents.len ? "," : "",
                    f->sessions[i].newest);
    if (!x->text.len || now - f->row_ns > UINT64_C(500000000)) {
        struct json j;

        buf_clear(&x->text);
        j = json_line_into(&x->text);
        (void)run_row_json(&j, NULL, s, f->run.row, false, NULL);
        f->row_ns = now;
    }
}
