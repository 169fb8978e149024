/* told.h -- for tests of the trace: records go in, and what the sink is told
 * comes out as lines of text, which are compared. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "collect/trace.h"
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

static void on_language(void *context, const struct library *l)
{
    (void)context;
    buf_printf(&told, "language of %u: %s\n", l->id, l->language);
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

static void on_session_end(void *context, const struct session *s)
{
    (void)context;
    buf_printf(&told, "end of %u at %u\n", s->id, (unsigned)s->end_ns);
}

static void on_untraced(void *context, const struct library *l)
{
    (void)context;
    buf_printf(&told, "%u is not traced: %s\n", l->id, l->untraced);
}

static void on_inference(void *context, const struct inference *i)
{
    (void)context;
    last = *i;
    CHECK_INT(i->number, ++inferences);
}

static void on_operators_of(void *context, const struct session *s)
{
    (void)context;
    buf_printf(&told, "operators of %u: those of %u\n", s->id, s->operators_of);
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
            (unsigned)(r->raw_unknown ? r->kernel_ns : r->raw_ns));
}

static void on_tensor(void *context, const struct operator_tensor *x)
{
    (void)context;
    buf_printf(&told, "%s %u of operator %u: %s\n",
            x->is_output ? "output" : "input", x->index, x->operator_id,
            or_none(x->name));
}

static void on_edge(void *context, const struct operator_edge *x)
{
    (void)context;
    buf_printf(&told, "operator %u reads from %u\n", x->to, x->from);
}

static void on_shape(void *context, const struct operator_shape *x)
{
    (void)context;
    buf_printf(&told, "operator %u, %u times: %s to %s\n", x->operator_id,
            (unsigned)x->count, or_none(x->inputs), or_none(x->outputs));
}

static void on_operator_sum(void *context, const struct operator_sum *x)
{
    (void)context;
    buf_printf(&told, "operator %u in phase %u: %u times %u\n", x->operator_id,
            x->phase, (unsigned)x->count, (unsigned)x->self_ns);
}

static void on_traced_sum(void *context, const struct traced_sum *x)
{
    (void)context;
    buf_printf(&told, "table of %u in phase %u: %u inferences of %u, lost %u\n",
            x->session, x->phase, (unsigned)x->count, (unsigned)x->run_ns,
            (unsigned)x->lost);
}

static void on_activation(void *context, const struct activation *x)
{
    (void)context;
    buf_printf(&told, "values of operator %u in %u: %u of %u\n", x->operator_id,
            (unsigned)x->inference, (unsigned)x->read, (unsigned)x->elements);
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

static const struct subscriber sink = {
    .context = &told,
    .library = on_library,
    .language = on_language,
    .session = on_session,
    .session_end = on_session_end,
    .untraced = on_untraced,
    .inference = on_inference,
    .operators_of = on_operators_of,
    .found_operator = on_operator,
    .tensor = on_tensor,
    .edge = on_edge,
    .shape = on_shape,
    .operator_sum = on_operator_sum,
    .traced_sum = on_traced_sum,
    .ran_operator = on_operator_run,
    .activation = on_activation,
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
    trace_take(t, process, &(struct record){ __VA_ARGS__ }, NULL)

/* Short enough for one piece; its name is whatever the test likes. */
static void text(struct trace *t, uint64_t name, const char *s)
{
    struct record r = { .kind = RECORD_TEXT,
        .text = { .hash = name, .len = (uint32_t)strlen(s) } };

    CHECK(strlen(s) <= RECORD_TEXT_BYTES);
    memcpy(r.text.bytes, s, strlen(s));
    trace_take(t, 1, &r, NULL);
}
