/* inference.c -- times the methods that run a session. */
#include "hook/ops/ops.h"
#include "hook/python/python.h"
#include "wire/ring.h"

#include "base/compiler.h"

static inline struct fed begin(const struct call *c, uint16_t flags)
{
    return (struct fed){
        .passed.kind = RECORD_NONE,
        .run = { .kind = RECORD_RUN,
                .place = record_place(PHASE_OTHER, c->module->lib->index),
                .flags = flags,
                .run = { .session = (uintptr_t)c->args[0],
                        .thread = channel_thread() } },
    };
}

/* All that a method puts on the stack is below ours. */
#define STACK ((uintptr_t)__builtin_frame_address(0))

/* Of the parts, the last letting go of the GIL counts: the first inference of a
 * process has one more before. */
static inline struct record parts_of(const struct record *r,
        const struct gil *g)
{
    return (struct record){
        .kind = RECORD_GIL,
        .place = r->place,
        .gil = { .released = g->released,
                .wanted = g->wanted,
                .taken = g->taken,
                .thread = r->run.thread },
    };
}

/* What was told of it goes before the record of the run itself, and with it:
 * a ring is a place where two cores meet. */
static inline void send(const struct ring *ring, struct fed *f,
        const struct gil *g, struct trace *trace)
{
    struct record all[3];
    uint32_t n = 0;

    if (f->passed.kind && !(f->run.flags & FLAG_FAILED))
        all[n++] = f->passed;
    if (g->taken) /* else it did not come so far */
        all[n++] = parts_of(&f->run, g);
    if (!trace)
        all[n++] = f->run;
    if (n)
        (void)ring_push_many(ring, all, n, 0); /* full: it counts the loss */
    if (trace)
        trace_end(trace, &f->run);
}

/* Runs it, with what is known of its inputs in `f`, and sends that.  `feed` is
 * what it is fed, or NULL. */
static inline struct py *timed(const struct call *c, const struct ring *ring,
        struct fed *f, struct py *feed)
{
    struct library *lib = c->module->lib;
    const struct ort_session *session = (const struct ort_session *)c->args[0];
    struct trace *trace = lib->api && ops_wanted(lib)
                                  ? trace_begin(lib, session, NULL, 0, STACK)
                                  : NULL;
    struct record *r = &f->run;
    struct gil g;

    if (trace && feed && trace_is_traced(trace))
        trace_key(trace, feed_key(c->module, feed));
    gil_begin(&g);
    r->run.start = channel_now();

    struct py *out = python_pass(c);

    r->run.end = channel_now();
    gil_end(&g);
    ring_expect(ring);
    if (!out) {
        r->flags |= FLAG_FAILED;
        r->flags &= (uint16_t)~FLAG_OUTPUT_BYTES;
        r->run.out_bytes = 0;
        python_send_error(lib, r->run.thread);
    } else if (!(r->flags & FLAG_BINDING)) {
        feed_outputs(f, c->module, out);
    }
    send(ring, f, &g, trace);
    return out;
}

HOT struct py *python_run(const struct call *c)
{
    const struct ring *ring = channel_ring();

    if (!ring || !channel_takes_runs() || c->n < 1)
        return python_pass(c);

    struct fed f = begin(c, 0);

    feed_inputs(&f, c->module, python_arg(c, 2), python_arg(c, 1));
    return timed(c, ring, &f, python_arg(c, 2));
}

struct py *python_run_with_ort_values(const struct call *c)
{
    const struct ring *ring = channel_ring();

    if (!ring || !channel_takes_runs() || c->n < 1)
        return python_pass(c);

    struct fed f = begin(c, 0);

    feed_inputs(&f, c->module, python_arg(c, 1), python_arg(c, 2));
    return timed(c, ring, &f, python_arg(c, 1));
}

/* Its values are in vectors of C++, which are not looked into. */
struct py *python_run_with_ortvaluevector(const struct call *c)
{
    const struct ring *ring = channel_ring();

    if (!ring || !channel_takes_runs() || c->n < 1)
        return python_pass(c);

    struct fed f = begin(c, 0);

    return timed(c, ring, &f, NULL);
}

struct py *python_run_with_iobinding(const struct call *c)
{
    const struct ring *ring = channel_ring();

    if (!ring || !channel_takes_runs() || c->n < 1)
        return python_pass(c);

    struct fed f = begin(c, FLAG_BINDING);

    if (c->n > 1)
        binding_read(&f.run, &f.passed, (const struct ort_binding *)c->args[1]);
    return timed(c, ring, &f, NULL);
}

/* --- run_async: from the call to the callback ----------------------------- */

/* Of the tuple that our callback carries. */
enum { DONE_CALLBACK, DONE_BEGUN, DONE_ITEMS };

/* What is kept of it until then, as bytes of Python's. */
struct begun {
    const struct module *module;
    struct fed fed;
    bool wants_trace;
    struct choice choice;
};

static void send_failure(const struct record *r, const char *error)
{
    channel_send(&(struct record){
            .kind = RECORD_ERROR,
            .place = r->place,
            .error = { .text = channel_text(error), .thread = r->run.thread },
    });
}

/* callback(results, user_data, error), on a thread of ONNX Runtime's. */
static struct py *async_done(struct py *held, struct py *args)
{
    struct begun b = *(const struct begun *)python.PyBytes_AsString(
            python.PyTuple_GetItem(held, DONE_BEGUN));
    struct record *r = &b.fed.run;
    bool three = python.PyTuple_Size(args) == 3;
    const char *error =
            three ? python_text(python.PyTuple_GetItem(args, 2)) : NULL;

    r->run.end = channel_now();
    if (error && *error) {
        r->flags |= FLAG_FAILED;
        send_failure(r, error);
    } else if (three) {
        feed_outputs(&b.fed, b.module, python.PyTuple_GetItem(args, 0));
        if (b.fed.passed.kind)
            channel_send(&b.fed.passed);
    }
    if (b.wants_trace)
        trace_async_end(&b.choice, r, STACK);
    else
        channel_send(r);
    return python.PyObject_Call(python.PyTuple_GetItem(held, DONE_CALLBACK),
            args, NULL);
}

static struct method_def async_done_def = { "callback",
    (ort_function)async_done, 1 /* METH_VARARGS */, NULL };

/* What is called in place of the program's callback; NULL: there is no memory,
 * and no error is left. */
static struct py *callback_for(struct py *theirs, const struct begun *b)
{
    struct py *held = python.PyTuple_New(DONE_ITEMS);
    struct py *bytes =
            python.PyBytes_FromStringAndSize((const char *)b, sizeof(*b));
    struct py *ours = NULL;

    if (held && bytes) {
        python.Py_IncRef(theirs);
        python.Py_IncRef(bytes);
        (void)python.PyTuple_SetItem(held, DONE_CALLBACK, theirs);
        (void)python.PyTuple_SetItem(held, DONE_BEGUN, bytes);
        ours = python.PyCFunction_NewEx(&async_done_def, held, NULL);
    }
    if (!ours)
        python.PyErr_Clear();
    if (bytes)
        python.Py_DecRef(bytes);
    if (held)
        python.Py_DecRef(held);
    return ours;
}

#define ASYNC_ARGS     8
#define ASYNC_CALLBACK 3

/* Calls it with another callback. */
static struct py *pass_with(const struct call *c, struct py *callback)
{
    struct py *args[ASYNC_ARGS];
    struct call changed = *c;

    for (intptr_t i = 0; i < c->n; i++)
        args[i] = i == ASYNC_CALLBACK ? callback : c->args[i];
    changed.args = args;
    if (!c->tuple) {
        /* Names of further arguments stand for those behind the others. */
        return python_pass(&changed);
    }
    changed.tuple = python.PyTuple_New(c->n);
    if (!changed.tuple) {
        python.PyErr_Clear();
        return python_pass(c);
    }
    for (intptr_t i = 0; i < c->n; i++) {
        python.Py_IncRef(args[i]);
        (void)python.PyTuple_SetItem(changed.tuple, i, args[i]);
    }

    struct py *out = python_pass(&changed);

    python.Py_DecRef(changed.tuple);
    return out;
}

struct py *python_run_async(const struct call *c)
{
    if (!channel_takes_runs() || c->n < 1)
        return python_pass(c);

    struct library *lib = c->module->lib;
    const struct ort_session *session = (const struct ort_session *)c->args[0];
    bool usual = !c->names && c->n > ASYNC_CALLBACK && c->n <= ASYNC_ARGS;
    struct begun b = { .module = c->module,
        .fed = begin(c, FLAG_ASYNC),
        .wants_trace = usual && lib->api && ops_wanted(lib) };

    feed_inputs(&b.fed, c->module, python_arg(c, 2), python_arg(c, 1));
    if (b.wants_trace)
        b.choice = trace_async_begin(lib, session, NULL, 0);
    b.fed.run.run.start = channel_now();

    struct py *callback =
            usual ? callback_for(c->args[ASYNC_CALLBACK], &b) : NULL;
    struct py *out = callback ? pass_with(c, callback) : python_pass(c);

    if (callback)
        python.Py_DecRef(callback);
    if (b.wants_trace && (!out || !callback))
        trace_async_refused();
    if (!out) { /* refused: the callback will not come */
        b.fed.run.run.end = channel_now();
        b.fed.run.flags |= FLAG_FAILED;
        python_send_error(lib, b.fed.run.run.thread);
        channel_send(&b.fed.run);
    } else if (!callback) {
        channel_untimed();
    }
    return out;
}
