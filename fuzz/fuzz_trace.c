/* fuzz_trace.c -- any bytes as the records of several processes.
 *
 * A byte says whose the next record is, and the record follows: its 64 bytes,
 * or what is left of the input and zeros.  With its highest bit set, the byte
 * makes a new process, forked from that one. */
#include "collect/trace.h"

#include <stdlib.h>
#include <string.h>

#define PROCESSES 64
#define START     1000000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t processes, libraries, sessions, operators;
static uint64_t inferences;
static volatile size_t sink_of_bytes;

/* What is told must hold: whoever reads it does not ask twice. */
static void hold(int condition)
{
    if (!condition)
        abort();
}

static void read_text(const char *text)
{
    sink_of_bytes += text ? strlen(text) : 0;
}

static void on_library(void *context, const struct library *l)
{
    (void)context;
    hold(l->id == ++libraries && l->process && l->process <= processes);
    read_text(l->path);
    read_text(l->version);
}

static void on_language(void *context, const struct library *l)
{
    (void)context;
    hold(l->id && l->id <= libraries && l->language);
    read_text(l->language);
}

static void on_session(void *context, const struct session *s)
{
    (void)context;
    hold(s->id == ++sessions && s->process && s->process <= processes);
    hold(s->library <= libraries);
    hold(!s->providers == !s->options);
    read_text(s->model);
    read_text(s->providers);
    read_text(s->options);
    read_text(s->error);
}

static void on_session_end(void *context, const struct session *s)
{
    (void)context;
    hold(s->id && s->id <= sessions);
}

static void on_untraced(void *context, const struct library *l)
{
    (void)context;
    hold(l->id && l->id <= libraries && l->untraced);
}

static void on_inference(void *context, const struct inference *i)
{
    (void)context;
    hold(i->number == ++inferences);
    hold(i->session && i->session <= sessions && i->phase < PHASES);
    hold(i->process && i->process <= processes);
    hold(!(i->flags & FLAG_FAILED) == !i->error);
    read_text(i->error);
}

static void on_operator(void *context, const struct operator* o)
{
    (void)context;
    operators++;
    hold(o->id && o->session && o->session <= sessions);
    read_text(o->name);
    read_text(o->op_type);
    read_text(o->provider);
    read_text(o->inputs);
    read_text(o->outputs);
}

static void on_operator_run(void *context, const struct operator_run *r)
{
    (void)context;
    hold(r->operator_id);
    hold(r->inference <= inferences + 1);
}

/* What kernels tell is looked at in fuzz_kernels.c. */
static void on_operators_of(void *context, const struct session *s)
{
    (void)context;
    /* A later session of the same model may have run first. */
    hold(s->operators_of && s->operators_of <= sessions && s->id &&
            s->id <= sessions);
}

static void on_tensor(void *context, const struct operator_tensor *x)
{
    (void)context;
    read_text(x->name);
    read_text(x->shape);
}

static void on_edge(void *context, const struct operator_edge *x)
{
    (void)context;
    hold(x->from && x->to && x->from != x->to);
}

static void on_shape(void *context, const struct operator_shape *x)
{
    (void)context;
    read_text(x->inputs);
    read_text(x->outputs);
}

static void on_operator_sum(void *context, const struct operator_sum *x)
{
    (void)context;
    read_text(x->spread);
}

static void on_traced_sum(void *context, const struct traced_sum *x)
{
    (void)context;
    hold(x->session && x->session <= sessions);
}

static void on_activation(void *context, const struct activation *x)
{
    (void)context;
    hold(x->inference == inferences + 1);
}

static void on_section(void *context, const struct section *s)
{
    (void)context;
    hold(s->phase < PHASES);
    read_text(s->name);
}

static void on_token(void *context, const struct token *t)
{
    (void)context;
    read_text(t->text);
}

static void on_note(void *context, const struct note *n)
{
    (void)context;
    read_text(n->text);
}

static const struct subscriber sink = {
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
    .mark = on_note,
    .thread = on_note,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace *t = trace_new(&sink, START);

    libraries = sessions = operators = 0;
    inferences = 0;
    processes = trace_process(t, 0, START);
    while (size) {
        uint32_t whose = *data % processes + 1;
        struct record r = { 0 };
        size_t len = size - 1 < sizeof(r) ? size - 1 : sizeof(r);

        if (*data & 0x80 && processes < PROCESSES)
            whose = processes = trace_process(t, whose, START + processes);
        memcpy(&r, data + 1, len);
        trace_take(t, whose, &r, NULL);
        data += 1 + len;
        size -= 1 + len;
    }
    trace_end(t);
    sink_of_bytes += trace_malformed(t);
    trace_free(t);
    return 0;
}
