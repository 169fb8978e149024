/* session.c -- Python's sessions, their options and bindings, as records.
 *
 * A session is made in two steps, by two methods: __init__ reads the model,
 * initialize_session makes it ready.  Its name in the records is the address of
 * the Python object; its options have the same, since they are a copy of what
 * the program set on an object that it may change or drop. */
#include "hook/ops/ops.h"
#include "hook/python/python.h"
#include "hook/text.h"

#include <stdatomic.h>

/* --- the end of an object ------------------------------------------------- */

/* Python calls it with the number of the object, and the weak reference, which
 * we kept.  It is let go only at the next call: Python is still at it. */
static void let_go(struct py *reference)
{
    static struct py *last;

    if (last)
        python.Py_DecRef(last);
    last = reference;
}

static struct py *session_ended(struct py *number, struct py *reference)
{
    uintptr_t session = (uintptr_t)python.PyLong_AsVoidPtr(number);
    struct library *lib = &hook_libraries[session % LIBRARIES]; /* see below */

    object_session_end(lib, (struct ort_session *)(session - lib->index));
    feed_forget((const void *)(session - lib->index));
    let_go(reference);
    python.Py_IncRef(number);
    return number; /* any object is as good as None */
}

static struct py *binding_ended(struct py *number, struct py *reference)
{
    binding_forget(python.PyLong_AsVoidPtr(number));
    let_go(reference);
    python.Py_IncRef(number);
    return number;
}

#define METHOD_ONE 8 /* METH_O: one argument */

static struct method_def session_end_def = { "ended",
    (ort_function)session_ended, METHOD_ONE, NULL };
static struct method_def binding_end_def = { "ended",
    (ort_function)binding_ended, METHOD_ONE, NULL };

/* Has `def` called with that number when the object is gone. */
static void watch_end(struct py *object, uintptr_t number,
        struct method_def *def)
{
    struct py *name = python.PyLong_FromVoidPtr((void *)number);
    struct py *callback =
            name ? python.PyCFunction_NewEx(def, name, NULL) : NULL;

    if (!callback || !python.PyWeakref_NewRef(object, callback))
        python.PyErr_Clear(); /* its end will not be seen */
    if (callback)
        python.Py_DecRef(callback);
    if (name)
        python.Py_DecRef(name);
}

/* --- options -------------------------------------------------------------- */

/* What can be read of them: Python's name, the C API's, and what it is unless
 * somebody sets it. */
static const struct {
    const char *attribute, *key;
    long usual;
} options[] = {
    { "intra_op_num_threads", "intra_op_num_threads", 0 },
    { "inter_op_num_threads", "inter_op_num_threads", 0 },
    { "graph_optimization_level", "graph_optimization_level", 99 },
    { "execution_mode", "execution_mode", 0 },
    { "enable_profiling", "profiling", 0 },
    { "enable_mem_pattern", "mem_pattern", 1 },
    { "enable_cpu_mem_arena", "cpu_mem_arena", 1 },
    { "use_per_session_threads", "per_session_threads", 1 },
};

static void send_options(const struct library *lib, struct py *session,
        struct py *from)
{
    const struct ort_options *name = (const struct ort_options *)session;

    (void)object_options(lib, name, (const struct ort_options *)from, NULL);
    for (size_t i = 0; from && i < sizeof(options) / sizeof(options[0]); i++) {
        struct py *got = python_get(from, options[i].attribute);
        long number;

        if (got && python_number(got, &number) && number != options[i].usual)
            (void)object_option(lib, name, options[i].key, number, NULL);
        if (got)
            python.Py_DecRef(got);
    }
}

struct py *python_options_init(const struct call *c)
{
    struct py *out = python_pass(c);

    if (out && c->n > 0)
        (void)object_options(c->module->lib,
                (const struct ort_options *)c->args[0], NULL, NULL);
    return out;
}

struct py *python_options_entry(const struct call *c)
{
    struct py *out = python_pass(c);
    const char *key = out ? python_text(python_arg(c, 1)) : NULL;
    const char *value = out ? python_text(python_arg(c, 2)) : NULL;

    if (key && value)
        (void)object_option_text(c->module->lib,
                (const struct ort_options *)c->args[0], key, value, NULL);
    return out;
}

/* --- sessions ------------------------------------------------------------- */

/* Sessions that were begun and are not ready yet; one more goes without its
 * model's name. */
#define LOADINGS 64

static struct python_loading {
    _Atomic uintptr_t session; /* 0: free */
    uint64_t start, end;
    uint64_t model, bytes; /* as in the record */
} loadings[LOADINGS];

static struct python_loading *loading_of(uintptr_t session)
{
    for (size_t i = 0; i < LOADINGS; i++)
        if (atomic_load(&loadings[i].session) == session)
            return &loadings[i];
    return NULL;
}

static struct python_loading *loading_new(uintptr_t session)
{
    struct python_loading *l = loading_of(session); /* begun, and dropped */

    for (size_t i = 0; !l && i < LOADINGS; i++) {
        uintptr_t nobody = 0;

        if (atomic_compare_exchange_strong(&loadings[i].session, &nobody,
                    session))
            l = &loadings[i];
    }
    return l;
}

void python_send_error(const struct library *lib, uint32_t thread)
{
    struct py *type, *value, *traceback;

    python.PyErr_Fetch(&type, &value, &traceback);

    struct py *text = value ? python.PyObject_Str(value) : NULL;

    channel_send(&(struct record){
            .kind = RECORD_ERROR,
            .place = record_place(PHASE_OTHER, lib->index),
            .error = { .text = channel_text(python_text(text)),
                    .thread = thread },
    });
    if (text)
        python.Py_DecRef(text);
    else
        python.PyErr_Clear();
    python.PyErr_Restore(type, value, traceback);
}

/* The model's path, or how large it is. */
static void read_model(struct python_loading *l, struct py *model)
{
    l->model = channel_text(python_text(model));
    l->bytes = model && python_type(model) == python.PyBytes_Type
                       ? (uint64_t)python.PyBytes_Size(model)
                       : 0;
}

static void send_session(const struct library *lib, struct py *session,
        const struct python_loading *l, bool made, uint16_t flags)
{
    struct record r = {
        .kind = RECORD_SESSION,
        .flags = made ? flags : FLAG_FAILED,
        .place = record_place(PHASE_OTHER, lib->index),
        .session = {
            .start = l->start,
            .end = l->end,
            .session = made ? (uintptr_t)session : 0,
            .options = (uintptr_t)session,
            .model = l->model,
            .model_bytes = l->bytes,
            .thread = channel_thread(),
        },
    };

    if (!made)
        python_send_error(lib, r.session.thread);
    channel_send(&r);
    object_options_end(lib, (const struct ort_options *)session);
}

struct py *python_session_init(const struct call *c)
{
    const struct library *lib = c->module->lib;
    struct py *session = python_arg(c, 0);

    if (!session || !channel_wanted())
        return python_pass(c);

    struct python_loading l = { .session = (uintptr_t)session };

    read_model(&l, python_arg(c, 2));
    send_options(lib, session, python_arg(c, 1));
    l.start = channel_now();

    struct py *out = python_pass(c);

    l.end = channel_now();

    struct python_loading *kept = out ? loading_new((uintptr_t)session) : NULL;

    if (!out)
        send_session(lib, session, &l, false, 0);
    if (kept)
        kept->start = l.start, kept->model = l.model, kept->bytes = l.bytes;
    return out;
}

/* OpenVINO computes on several kinds of devices: which, its options say. */
static void send_device(const struct library *lib, struct py *session,
        struct py *of_all, const char *provider)
{
    struct py *of_one = of_all && python_type(of_all) == python.PyDict_Type
                                ? python.PyDict_GetItemString(of_all, provider)
                                : NULL;
    struct py *device =
            of_one && python_type(of_one) == python.PyDict_Type
                    ? python.PyDict_GetItemString(of_one, "device_type")
                    : NULL;
    const char *key = "device_type", *value = python_text(device);

    (void)object_provider_keys(lib, (const struct ort_options *)session,
            provider, &key, &value, value ? 1 : 0, NULL);
}

/* Those that were taken, and not only asked for. */
static void send_providers(const struct library *lib, struct py *session)
{
    struct py *list = python_ask(session, "get_providers");
    struct py *of_all =
            list ? python_ask(session, "get_provider_options") : NULL;
    bool is_list = list && python_type(list) == python.PyList_Type;
    intptr_t n = is_list ? python.PyList_Size(list) : 0;

    for (intptr_t i = 0; i < n; i++) {
        const char *name = python_text(python.PyList_GetItem(list, i));

        if (name)
            send_device(lib, session, of_all, name);
    }
    if (of_all)
        python.Py_DecRef(of_all);
    if (list)
        python.Py_DecRef(list);
}

/* An object's address has room for the library's index. */
static void watch_session(const struct library *lib, struct py *session)
{
    watch_end(session, (uintptr_t)session + lib->index, &session_end_def);
}

static const struct module *module_of_session(const struct py *session)
{
    for (size_t i = 0; i < MODULES; i++)
        if (python_modules[i].lib &&
                python_modules[i].session == python_type(session))
            return &python_modules[i];
    return NULL;
}

void python_session_known(struct py *session, struct py *model,
        struct py *options_of, bool watch)
{
    const struct module *m = module_of_session(session);
    struct python_loading l = { .start = channel_now() };

    if (!m || !channel_wanted())
        return;
    l.end = l.start;
    choose_forget((const struct ort_session *)session);
    read_model(&l, model);
    send_options(m->lib, session, options_of);
    send_providers(m->lib, session);
    send_session(m->lib, session, &l, true, SESSION_SEEN_LATE);
    if (watch)
        watch_session(m->lib, session);
}

static struct py *make_ready(const struct call *c)
{
    const struct library *lib = c->module->lib;
    struct py *session = python_arg(c, 0);
    struct python_loading *begun =
            session ? loading_of((uintptr_t)session) : NULL;
    struct python_loading l = { .start = begun ? begun->start : channel_now(),
        .model = begun ? begun->model : 0,
        .bytes = begun ? begun->bytes : 0 };

    if (!session || !channel_wanted())
        return python_pass(c);

    struct py *out = python_pass(c);

    l.end = channel_now();
    if (begun)
        atomic_store(&begun->session, 0);
    if (out)
        send_providers(lib, session);
    send_session(lib, session, &l, out, 0);
    if (out)
        watch_session(lib, session);
    return out;
}

struct py *python_session_initialize(const struct call *c)
{
    return make_ready(c);
}

struct py *python_session_load(const struct call *c)
{
    return make_ready(c);
}

/* --- bindings ------------------------------------------------------------- */

static const struct ort_binding *binding_name(const struct call *c)
{
    return (const struct ort_binding *)c->args[0];
}

struct py *python_binding_init(const struct call *c)
{
    struct py *out = python_pass(c);

    if (out && c->n > 0)
        watch_end(c->args[0], (uintptr_t)c->args[0], &binding_end_def);
    return out;
}

/* bind_input(name, array), or (name, device, type, shape, pointer). */
static struct tensor bound_tensor(const struct call *c)
{
    struct py *dims = python_arg(c, 4);
    bool list = dims && python_type(dims) == python.PyList_Type;
    struct tensor t = { 0 };

    if (c->n == 3)
        python_read(&t, c->module, c->args[2]);
    if (c->n <= 3)
        return t;
    if (!list && !(dims && python_type(dims) == python.PyTuple_Type))
        return t;
    t.shaped = true;
    t.shape.rank = (size_t)(list ? python.PyList_Size(dims)
                                 : python.PyTuple_Size(dims));
    for (intptr_t i = 0; i < (intptr_t)t.shape.rank && i < 8; i++)
        t.shape.dims[i] =
                python.PyLong_AsLong(list ? python.PyList_GetItem(dims, i)
                                          : python.PyTuple_GetItem(dims, i));
    if (python.PyErr_Occurred()) {
        python.PyErr_Clear();
        t.shaped = false;
    }
    return t;
}

static struct py *bind(const struct call *c, bool input)
{
    struct py *out = python_pass(c);
    const char *name = out ? python_text(python_arg(c, 1)) : NULL;

    if (!name)
        return out;

    struct tensor t = bound_tensor(c);

    binding_keep(binding_name(c), name, input, t.shaped ? &t.shape : NULL,
            t.sized ? &t.bytes : NULL);
    return out;
}

struct py *python_bind_input(const struct call *c)
{
    return bind(c, true);
}

struct py *python_bind_ortvalue_input(const struct call *c)
{
    return bind(c, true);
}

struct py *python_bind_output(const struct call *c)
{
    return bind(c, false);
}

struct py *python_bind_ortvalue_output(const struct call *c)
{
    return bind(c, false);
}

static struct py *clear(const struct call *c, bool inputs)
{
    struct py *out = python_pass(c);

    if (out && c->n > 0)
        binding_clear(binding_name(c), inputs);
    return out;
}

struct py *python_clear_inputs(const struct call *c)
{
    return clear(c, true);
}

struct py *python_clear_outputs(const struct call *c)
{
    return clear(c, false);
}
