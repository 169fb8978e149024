/* told.h -- for tests of the trace: records go in, and what the sink is told
 * comes out as lines of text, which are compared. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "ort/trace.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define START 1000000 /* of the run, on the clock of the records */

static struct buf told;
static uint64_t inferences;
static struct inference last;

static const char *or_none(const char *text)
{
    return text ? text : "-";
}

static void on_library(void *context, const struct library *l)
{
    CHECK(context == &told);
    buf_printf(&told, "library %u of %u: %s %s %u\n", l->id, l->process,
            or_none(l->path), or_none(l->version), l->slots);
}

static void on_language(void *context, uint32_t library, const char *name)
{
    (void)context;
    buf_printf(&told, "language of %u: %s\n", library, name);
}

static void on_session(void *context, const struct session *s)
{
    (void)context;
    buf_printf(&told, "session %u of %u in %u: %s", s->id, s->process,
            s->library, or_none(s->model));
    if (s->model_bytes)
        buf_printf(&told, " %u bytes", (unsigned)s->model_bytes);
    if (s->seen_late)
        buf_printf(&told, " late");
    else
        buf_printf(&told, " %u+%u", (unsigned)s->start_ns,
                (unsigned)s->duration_ns);
    buf_printf(&told, " %s %s%s%s\n", or_none(s->providers),
            or_none(s->options), s->error ? " " : "", s->error ? s->error : "");
}

static void on_session_end(void *context, uint32_t session, uint64_t time_ns)
{
    (void)context;
    buf_printf(&told, "end of %u at %u\n", session, (unsigned)time_ns);
}

static uint64_t on_inference(void *context, const struct inference *i)
{
    (void)context;
    last = *i;
    return ++inferences;
}

static void on_operator(void *context, const struct operator* o)
{
    (void)context;
    buf_printf(&told, "operator %u of %u: %s %s\n", o->id, o->session,
            or_none(o->name), or_none(o->op_type));
}

static void on_operator_run(void *context, const struct operator_run *r)
{
    (void)context;
    buf_printf(&told, "operator %u ran in %u on %u: %u+%u\n", r->operator_id,
            (unsigned)r->inference, r->thread, (unsigned)r->start_ns,
            (unsigned)r->raw_ns);
}

static void on_read_file(void *context, const char *path,
        void (*feed)(void *to, const void *bytes, size_t len), void *to)
{
    (void)context;
    buf_printf(&told, "read %s\n", path);
    feed(to, "[", 1); /* no profile, and cut short */
}

static void on_section(void *context, const struct section *s)
{
    (void)context;
    buf_printf(&told, "section of %u/%u: %s phase %u %u+%u\n", s->process,
            s->thread, or_none(s->name), s->phase, (unsigned)s->start_ns,
            (unsigned)s->duration_ns);
}

static void on_token(void *context, const struct token *t)
{
    (void)context;
    buf_printf(&told, "token of %u/%u: %u is %d %s at %u\n", t->process,
            t->thread, t->index, (int)t->id, or_none(t->text),
            (unsigned)t->time_ns);
}

static void on_mark(void *context, const struct note *n)
{
    (void)context;
    buf_printf(&told, "mark of %u/%u: %s at %u\n", n->process, n->thread,
            or_none(n->text), (unsigned)n->time_ns);
}

static void on_thread(void *context, const struct note *n)
{
    (void)context;
    buf_printf(&told, "thread %u/%u: %s\n", n->process, n->thread,
            or_none(n->text));
}

static const struct trace_sink sink = {
    .context = &told,
    .library = on_library,
    .language = on_language,
    .session = on_session,
    .session_end = on_session_end,
    .inference = on_inference,
    .found_operator = on_operator,
    .ran_operator = on_operator_run,
    .read_file = on_read_file,
    .section = on_section,
    .token = on_token,
    .mark = on_mark,
    .thread = on_thread,
};

/* What was told since the last time. */
static void check_told(int line, const char *want)
{
    if (strcmp(buf_cstr(&told), want) != 0) {
        test_failures++;
        (void)fprintf(stderr, "line %d: told\n%snot\n%s", line, buf_cstr(&told),
                want);
    }
    buf_clear(&told);
}
#define TOLD(want) check_told(__LINE__, want)

static struct trace *begin(void)
{
    struct trace *t = trace_new(&sink, START);

    buf_clear(&told);
    inferences = 0;
    CHECK_INT(trace_process(t, 0, START), 1);
    return t;
}

#define TAKE(t, process, ...) \
    trace_take(t, process, &(struct record){ __VA_ARGS__ })

/* Short enough for one piece; its name is whatever the test likes. */
static void text(struct trace *t, uint64_t name, const char *s)
{
    struct record r = { .kind = RECORD_TEXT,
        .text = { .hash = name, .len = (uint32_t)strlen(s) } };

    CHECK(strlen(s) <= RECORD_TEXT_BYTES);
    memcpy(r.text.bytes, s, strlen(s));
    trace_take(t, 1, &r);
}
