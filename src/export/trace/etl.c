/* etl.c -- a run as a trace of Windows' event tracing, for Windows Performance
 * Analyzer, PerfView and whoever reads .etl files.
 *
 * Processes, threads and libraries are the kernel's own events; sessions,
 * inferences, sections, operators, marks and readings are events of a provider
 * of our own, which describe themselves.  What took time is a pair of start and
 * stop, so that it can be shown as a region.
 *
 * Which processor did what is not known: the four that the trace has are lanes,
 * each in the order of its times.  The file's header tells how many buffers
 * follow, so all is written twice, first to nowhere. */
#include "base/alloc.h"
#include "etw/event.h"
#include "etw/writer.h"
#include "export/formats.h"
#include "export/names.h"
#include "export/subject_book.h"
#include "model/phase.h"

#include <stdlib.h>

enum { LANE_SPANS, LANE_READINGS, LANE_LIVES, LANE_MARKS, LANES };

#define OPCODE_START 1
#define OPCODE_STOP  2
#define LEVEL_INFO   4

static const struct etw_provider provider = { &etw_own_provider,
    ETW_OWN_PROVIDER };

/* Something whose end lies ahead. */
struct pending {
    uint64_t end_ns;
    struct span span; /* without its text */
    char *text;
};

struct etl {
    struct etw_writer *writer;
    struct etw_draft draft;
    struct names names;
    struct subject_book subjects;
    struct pending *heap; /* the earliest end first */
    size_t heap_len, heap_cap;
    struct map threads_seen;
    uint64_t last_ns;  /* of LANE_SPANS */
    uint64_t lives_ns; /* of LANE_LIVES */
    uint64_t marks_ns, readings_ns;
    struct run run; /* without its texts */
    struct buf run_command;
};

/* --- what spans need -------------------------------------------------------
 */

static char *copy(const char *text)
{
    return text ? alloc_text(text) : NULL;
}

static void take_run(void *to, const struct run *r)
{
    struct etl *t = to;

    t->run = *r;
    buf_clear(&t->run_command);
    buf_text(&t->run_command, r->command ? r->command : "");
    t->run.command = t->run.directory = t->run.tags = t->run.host = NULL;
}

static int read_names(struct etl *t, struct store *s, int64_t run,
        struct error *e)
{
    int rc = names_read(&t->names, s, run, e);

    if (!rc)
        rc = subject_book_read(&t->subjects, s, run, e);
    if (!rc)
        rc = store_read_run(s, run, take_run, t, e);
    return rc;
}

static void release(struct etl *t)
{
    free(t->heap);
    map_release(&t->threads_seen);
    names_release(&t->names);
    subject_book_release(&t->subjects);
    etw_draft_release(&t->draft);
    buf_release(&t->run_command);
}

/* --- times go forward in each lane -----------------------------------------
 */

static uint64_t forward(uint64_t *last, uint64_t time_ns)
{
    if (time_ns > *last)
        *last = time_ns;
    return *last;
}

static struct etw_stamp stamp(const struct etl *t, uint32_t lane,
        uint32_t process, uint32_t thread, uint64_t time_ns)
{
    return (struct etw_stamp){ lane, (uint32_t)names_pid(&t->names, process),
        thread, time_ns };
}

/* --- spans -----------------------------------------------------------------
 */

static void push(struct etl *t, const struct pending *p)
{
    if (t->heap_len == t->heap_cap) {
        t->heap_cap = t->heap_cap ? 2 * t->heap_cap : 64;
        t->heap = alloc_resize(t->heap, t->heap_cap * sizeof(*t->heap));
    }

    size_t at = t->heap_len++;

    while (at && t->heap[(at - 1) / 2].end_ns > p->end_ns) {
        t->heap[at] = t->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    t->heap[at] = *p;
}

static struct pending pop(struct etl *t)
{
    struct pending first = t->heap[0], moved = t->heap[--t->heap_len];
    size_t at = 0, child;

    while ((child = 2 * at + 1) < t->heap_len) {
        if (child + 1 < t->heap_len &&
                t->heap[child + 1].end_ns < t->heap[child].end_ns)
            child++;
        if (t->heap[child].end_ns >= moved.end_ns)
            break;
        t->heap[at] = t->heap[child];
        at = child;
    }
    t->heap[at] = moved;
    return first;
}

static void fill_session(struct etl *t, const struct span *s)
{
    const struct named_session *x = names_session(&t->names, s->id);

    etw_draft_begin(&t->draft, "Session");
    etw_draft_u32(&t->draft, "session", s->id);
    etw_draft_text(&t->draft, "model", x ? x->model : NULL);
}

static void fill_inference(struct etl *t, const struct span *s)
{
    etw_draft_begin(&t->draft, "Inference");
    etw_draft_u64(&t->draft, "inference", s->inference);
    etw_draft_u32(&t->draft, "session", s->id);
}

static void fill_section(struct etl *t, const struct span *s, const char *text)
{
    etw_draft_begin(&t->draft, "Section");
    etw_draft_text(&t->draft, "name", text);
    etw_draft_text(&t->draft, "phase", phase_name((enum phase)s->phase));
}

static void fill_operator(struct etl *t, const struct span *s)
{
    const struct operator* o = names_operator(&t->names, s->id);

    etw_draft_begin(&t->draft, "Operator");
    etw_draft_u64(&t->draft, "inference", s->inference);
    etw_draft_u32(&t->draft, "operator", s->id);
    etw_draft_u32(&t->draft, "session", o ? o->session : 0);
    etw_draft_text(&t->draft, "name", o ? o->name : NULL);
    etw_draft_text(&t->draft, "op_type", o ? o->op_type : NULL);
    etw_draft_text(&t->draft, "provider", o ? o->provider : NULL);
    etw_draft_u32(&t->draft, "depth", s->depth);
}

static void write_span(struct etl *t, const struct span *s, const char *text,
        uint8_t opcode, uint64_t time_ns)
{
    struct etw_stamp at = stamp(t, LANE_SPANS, s->process, s->thread, time_ns);

    switch (s->kind) {
    case SPAN_SESSION: fill_session(t, s); break;
    case SPAN_SECTION: fill_section(t, s, text); break;
    case SPAN_INFERENCE: fill_inference(t, s); break;
    case SPAN_OPERATOR: fill_operator(t, s); break;
    }
    if (opcode == OPCODE_STOP) {
        etw_draft_u64(&t->draft, "duration_ns", s->duration_ns);
        if (s->kind == SPAN_INFERENCE) {
            etw_draft_bool(&t->draft, "failed", s->flags & FLAG_FAILED);
            etw_draft_text(&t->draft, "error", text);
        }
    }
    etw_draft_write(t->writer, &at, &provider, &t->draft, LEVEL_INFO, opcode,
            0);
}

static void end_until(struct etl *t, uint64_t time_ns)
{
    while (t->heap_len && t->heap[0].end_ns <= time_ns) {
        struct pending p = pop(t);

        write_span(t, &p.span, p.text, OPCODE_STOP,
                forward(&t->last_ns, p.end_ns));
        free(p.text);
    }
}

static void see_thread(struct etl *t, const struct span *s)
{
    uint64_t key = (uint64_t)s->process << 32 | s->thread;

    if (map_find(&t->threads_seen, key))
        return;
    map_put(&t->threads_seen, key, 1);

    struct etw_stamp at =
            stamp(t, LANE_SPANS, s->process, s->thread, t->last_ns);

    etw_write_thread(t->writer, &at, ETW_IS_THERE,
            names_thread(&t->names, s->process, s->thread));
}

static void take_span(void *to, const struct span *s)
{
    struct etl *t = to;

    end_until(t, s->start_ns);
    (void)forward(&t->last_ns, s->start_ns);
    see_thread(t, s);
    write_span(t, s, s->text, OPCODE_START, t->last_ns);

    struct pending p = { .end_ns = s->start_ns + s->duration_ns, .span = *s };

    p.text = copy(s->text);
    p.span.text = NULL;
    push(t, &p);
}

/* --- the rest --------------------------------------------------------------
 */

static void take_process(void *to, const struct process *p)
{
    struct etl *t = to;
    struct etw_stamp at =
            stamp(t, LANE_LIVES, p->id, 0, forward(&t->lives_ns, p->start_ns));

    etw_write_process(t->writer, &at, p->start_ns ? ETW_STARTS : ETW_IS_THERE,
            p->parent ? (uint32_t)names_pid(&t->names, p->parent) : 0, 0,
            names_program(&t->names, p->id),
            p->parent ? "" : buf_cstr(&t->run_command));
}

static void take_library(void *to, const struct library *l)
{
    struct etl *t = to;
    struct etw_stamp at = stamp(t, LANE_LIVES, l->process, 0, t->lives_ns);

    if (l->path)
        etw_write_image(t->writer, &at, l->path);
}

static void take_mark(void *to, const struct note *n)
{
    struct etl *t = to;
    struct etw_stamp at = stamp(t, LANE_MARKS, n->process, n->thread,
            forward(&t->marks_ns, n->time_ns));

    etw_draft_begin(&t->draft, "Mark");
    etw_draft_text(&t->draft, "text", n->text);
    etw_draft_write(t->writer, &at, &provider, &t->draft, LEVEL_INFO, 0, 0);
}

static void take_reading(void *to, const struct reading *r)
{
    struct etl *t = to;
    const struct subject *x = subject_book_find(&t->subjects, r->subject);
    const struct metric *m = &metric_table[r->metric];
    struct etw_stamp at = { .lane = LANE_READINGS,
        .pid = x && x->kind == SUBJECT_PROCESS ? (uint32_t)x->number : 0,
        .time_ns = forward(&t->readings_ns, r->time_ns) };

    etw_draft_begin(&t->draft, "Reading");
    etw_draft_text(&t->draft, "metric", m->name);
    etw_draft_text(&t->draft, "unit", m->unit);
    etw_draft_text(&t->draft, "subject", x ? x->name : NULL);
    etw_draft_real(&t->draft, "value", r->value);
    etw_draft_text(&t->draft, "method",
            reading_method_name((enum reading_method)r->method));
    etw_draft_write(t->writer, &at, &provider, &t->draft, LEVEL_INFO, 0, 0);
}

static void write_run(struct etl *t)
{
    struct etw_stamp at = { .lane = LANE_SPANS };

    etw_draft_begin(&t->draft, "Run");
    etw_draft_text(&t->draft, "id", t->run.id);
    etw_draft_text(&t->draft, "command", buf_cstr(&t->run_command));
    etw_draft_text(&t->draft, "written_by", "ortmeter " ORTMETER_VERSION);
    etw_draft_write(t->writer, &at, &provider, &t->draft, LEVEL_INFO, 0, 0);
}

static void rewind_lanes(struct etl *t)
{
    t->last_ns = t->lives_ns = t->marks_ns = t->readings_ns = 0;
    map_release(&t->threads_seen);
}

/* All of it once.  `buffers` is what the header says, and then what there were.
 */
static int pass(struct etl *t, struct store *s, int64_t run, etw_put *put,
        void *context, uint32_t *buffers, struct error *e)
{
    struct etw_writing x = { .session = "ortmeter",
        .file = "ortmeter.etl",
        .start_wall_ns = t->run.started_wall_ns,
        .duration_ns = t->run.duration_ns,
        .lanes = LANES,
        .buffers = *buffers };

    rewind_lanes(t);
    t->writer = etw_writer_new(&x, put, context);
    write_run(t);

    int rc = store_each_process(s, run, take_process, t, e);

    if (!rc)
        rc = store_each_library(s, run, take_library, t, e);
    if (!rc)
        rc = store_each_span(s, run, take_span, t, e);
    end_until(t, UINT64_MAX);
    if (!rc)
        rc = store_each_mark(s, run, take_mark, t, e);
    if (!rc)
        rc = store_each_reading(s, run, take_reading, t, e);
    *buffers = etw_writer_end(t->writer);
    return rc;
}

static void put_nowhere(void *context, const void *bytes, size_t len)
{
    (void)context;
    (void)bytes;
    (void)len;
}

static void put_sink(void *context, const void *bytes, size_t len)
{
    sink_write(context, (struct str){ bytes, len });
}

static int write(struct sink *to, struct store *s, int64_t run, struct error *e)
{
    struct etl t = { 0 };
    uint32_t buffers = 0;
    int rc = read_names(&t, s, run, e);

    if (!rc)
        rc = pass(&t, s, run, put_nowhere, NULL, &buffers, e);
    if (!rc)
        rc = pass(&t, s, run, put_sink, to, &buffers, e);
    release(&t);
    return rc;
}

const struct export_format export_etl = {
    .name = "etl",
    .about = "a trace of Windows' event tracing, for its tools",
    .ending = ".etl",
    .binary = true,
    .write = write,
};
