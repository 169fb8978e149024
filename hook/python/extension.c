/* extension.c -- this library as a module of Python's, ortmeter._ortmeter.
 *
 * The package `ortmeter` loads libortmeter.so itself by PyInit__ortmeter: one
 * file for every Python 3, built without Python's headers, and under the meter
 * the very library that is preloaded.  Here is what has to be quick; the rest
 * of the package is Python.
 *
 * Functions take their arguments as an array (METH_FASTCALL), and raise
 * TypeError for what they cannot take. */
#include "hook/python/python.h"
#include "hook/text.h"
#include "ortmeter.h"

#include "base/compiler.h"

#include <dlfcn.h>

/* --- what only the module needs of Python --------------------------------- */

/* clang-format off */
#define EXTENSION_CALLS(X) \
    X(void, PyErr_SetString, (struct py *, const char *)) \
    X(struct py *, PyModule_Create2, (void *, int)) \
    X(int, PyModule_AddObject, (struct py *, const char *, struct py *)) \
    X(struct py *, PyBool_FromLong, (long)) \
    X(struct py *, PyLong_FromUnsignedLongLong, (unsigned long long)) \
    X(unsigned long long, PyLong_AsUnsignedLongLong, (struct py *)) \
    X(long long, PyLong_AsLongLong, (struct py *)) \
    X(struct py *, PyUnicode_FromString, (const char *)) \
    X(struct py *, PyType_FromSpec, (void *)) \
    X(struct py *, PyType_GenericAlloc, (struct py_type *, intptr_t)) \
    X(void, PyObject_Free, (void *))
/* clang-format on */

static struct {
#define X(result, name, args) result(*name) args;
    EXTENSION_CALLS(X)
#undef X
    struct py *none;
    struct py **type_error, **import_error; /* variables of Python's */
} extension;

static bool find_all(void)
{
#define X(result, name, args)                                                \
    extension.name =                                                         \
            (result(*) args)(uintptr_t)hook_real_dlsym(RTLD_DEFAULT, #name); \
    if (!extension.name)                                                     \
        return false;
    EXTENSION_CALLS(X)
#undef X
    extension.none = hook_real_dlsym(RTLD_DEFAULT, "_Py_NoneStruct");
    extension.type_error = hook_real_dlsym(RTLD_DEFAULT, "PyExc_TypeError");
    extension.import_error = hook_real_dlsym(RTLD_DEFAULT, "PyExc_ImportError");
    return extension.none && extension.type_error && extension.import_error;
}

static struct py *nothing(void)
{
    python.Py_IncRef(extension.none);
    return extension.none;
}

static struct py *wrong(const char *sentence)
{
    extension.PyErr_SetString(*extension.type_error, sentence);
    return NULL;
}

/* --- arguments ------------------------------------------------------------ */

/* The next two leave an error where they return false. */
static bool take_text(const char **out, struct py *o)
{
    *out = python_text(o);
    if (!*out && !python.PyErr_Occurred())
        (void)wrong("a name or a text is a str");
    return *out != NULL;
}

static bool take_count(uint32_t *out, struct py *o)
{
    long long n = extension.PyLong_AsLongLong(o);

    if (n == -1 && python.PyErr_Occurred())
        return false;
    if (n < 0 || n > UINT32_MAX) {
        (void)wrong("a count is from 0 to 4294967295");
        return false;
    }
    *out = (uint32_t)n;
    return true;
}

static int phase_of(const char *name)
{
    static const char *const names[] = {
        [ORTMETER_OTHER] = "other",
        [ORTMETER_PRE] = "pre",
        [ORTMETER_PREFILL] = "prefill",
        [ORTMETER_DECODE] = "decode",
        [ORTMETER_POST] = "post",
    };

    for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
        if (text_is(names[i], name))
            return i;
    (void)wrong("a phase is other, pre, prefill, decode or post");
    return -1;
}

/* --- functions ------------------------------------------------------------ */

#define FUNCTION(name) \
    static struct py *name(struct py *self, struct py *const *args, intptr_t n)

FUNCTION(version)
{
    (void)self, (void)args, (void)n;
    return extension.PyUnicode_FromString(ortmeter_version());
}

FUNCTION(listening)
{
    (void)self, (void)args, (void)n;
    return extension.PyBool_FromLong(ortmeter_listening());
}

/* The moment, for section_from(); 0: nobody listens. */
FUNCTION(now)
{
    (void)self, (void)args, (void)n;
    return extension.PyLong_FromUnsignedLongLong(
            channel_wanted() ? channel_now() : 0);
}

FUNCTION(section_from)
{
    struct ortmeter_section s = { 0 };

    (void)self;
    if (n != 3)
        return wrong("section_from(start, phase, name)");
    s.start = extension.PyLong_AsUnsignedLongLong(args[0]);
    if (python.PyErr_Occurred())
        return NULL;
    if (!s.start)
        return nothing();

    const char *phase;

    if (!take_text(&phase, args[1]) || (s.phase = phase_of(phase)) < 0 ||
            !take_text(&s.name, args[2]))
        return NULL;
    ortmeter_section_end(&s);
    return nothing();
}

static struct py *tell_batch(struct py *const *args, intptr_t n,
        void (*tell)(uint32_t, uint32_t, uint32_t))
{
    uint32_t size, padding, depth;

    if (n != 3)
        return wrong("a batch has a size, padding and queue_depth");
    if (!take_count(&size, args[0]) || !take_count(&padding, args[1]) ||
            !take_count(&depth, args[2]))
        return NULL;
    tell(size, padding, depth);
    return nothing();
}

FUNCTION(batch)
{
    (void)self;
    return tell_batch(args, n, ortmeter_batch);
}

FUNCTION(batch_lasting)
{
    (void)self;
    return tell_batch(args, n, ortmeter_batch_lasting);
}

FUNCTION(token)
{
    uint32_t index;
    const char *text = NULL;

    (void)self;
    if (n < 2 || n > 3)
        return wrong("token(index, id, text=None)");
    if (!channel_wanted())
        return nothing();

    long long id = extension.PyLong_AsLongLong(args[1]);

    if ((id == -1 && python.PyErr_Occurred()) || !take_count(&index, args[0]) ||
            (n == 3 && args[2] != extension.none && !take_text(&text, args[2])))
        return NULL;
    ortmeter_token(index, id, text);
    return nothing();
}

static struct py *tell_text(struct py *const *args, intptr_t n,
        void (*tell)(const char *))
{
    const char *text;

    if (n != 1)
        return wrong("it takes one text");
    if (!channel_wanted())
        return nothing();
    if (!take_text(&text, args[0]))
        return NULL;
    tell(text);
    return nothing();
}

FUNCTION(mark)
{
    (void)self;
    return tell_text(args, n, ortmeter_mark);
}

FUNCTION(thread_name)
{
    (void)self;
    return tell_text(args, n, ortmeter_thread_name);
}

/* --- a collector of its own ----------------------------------------------- */

/* 0, or an errno: why not, as hook_listen() has it. */
FUNCTION(listen)
{
    const char *folder;

    (void)self;
    if (n != 1)
        return wrong("listen(folder)");
    if (!take_text(&folder, args[0]))
        return NULL;
    return extension.PyLong_FromUnsignedLongLong(
            (unsigned long long)hook_listen(folder));
}

FUNCTION(stop)
{
    (void)self, (void)args, (void)n;
    hook_stop();
    return nothing();
}

/* None, or why its methods could not be taken. */
FUNCTION(take)
{
    (void)self;
    if (n != 1)
        return wrong("take(module)");

    const char *reason = python_take(args[0]);

    return reason ? extension.PyUnicode_FromString(reason) : nothing();
}

FUNCTION(session)
{
    (void)self;
    if (n != 4)
        return wrong("session(session, model, options, watch)");

    struct py *options = args[2] == extension.none ? NULL : args[2];
    long watch = python.PyLong_AsLong(args[3]);

    if (python.PyErr_Occurred())
        return NULL;
    python_session_known(args[0], args[1], options, watch);
    return nothing();
}

/* --- Section(phase, name), with `with` ------------------------------------ */

struct section {
    void *head[2];
    struct ortmeter_section now;
    int phase;
    struct py *name;
};

static struct py *section_new(struct py_type *type, struct py *args,
        struct py *keywords)
{
    const char *phase, *name;

    if (keywords || python.PyTuple_Size(args) != 2)
        return wrong("Section(phase, name)");
    if (!take_text(&phase, python.PyTuple_GetItem(args, 0)) ||
            !take_text(&name, python.PyTuple_GetItem(args, 1)))
        return NULL;

    int number = phase_of(phase);
    struct section *s =
            number < 0
                    ? NULL
                    : (struct section *)extension.PyType_GenericAlloc(type, 0);

    if (!s)
        return NULL;
    s->phase = number;
    s->name = python.PyTuple_GetItem(args, 1);
    python.Py_IncRef(s->name);
    return (struct py *)s;
}

static void section_free(struct py *self)
{
    struct section *s = (struct section *)self;
    struct py_type *type = python_type(self);

    if (s->name)
        python.Py_DecRef(s->name);
    extension.PyObject_Free(self);
    python.Py_DecRef((struct py *)type);
}

FUNCTION(section_enter)
{
    struct section *s = (struct section *)self;

    (void)args, (void)n;
    if (channel_wanted())
        s->now = ortmeter_section_begin((enum ortmeter_phase)s->phase,
                python_text(s->name));
    python.Py_IncRef(self);
    return self;
}

FUNCTION(section_exit)
{
    (void)args, (void)n;
    ortmeter_section_end(&((struct section *)self)->now);
    return nothing();
}

/* --- the module ----------------------------------------------------------- */

#define FAST 0x80 /* METH_FASTCALL */

static struct method_def section_methods[] = {
    { "__enter__", (ort_function)section_enter, FAST, NULL },
    { "__exit__", (ort_function)section_exit, FAST, NULL },
    { 0 },
};

/* PyType_Spec and its slots, by the numbers of the stable ABI. */
static const struct type_slot {
    int slot;
    void *value;
} section_slots[] = {
    { 52, (void *)(uintptr_t)section_free },
    { 64, section_methods },
    { 65, (void *)(uintptr_t)section_new },
    { 0, NULL },
};

static const struct {
    const char *name;
    int basic_size, item_size;
    unsigned flags;
    const struct type_slot *slots;
} section_spec = { "ortmeter._ortmeter.Section", sizeof(struct section), 0,
    1U << 18 /* Py_TPFLAGS_DEFAULT */, section_slots };

static struct method_def functions[] = {
#define X(name) { #name, (ort_function)name, FAST, NULL },
    X(version) X(listening) X(now) X(section_from) X(batch) X(batch_lasting)
            X(token) X(mark) X(thread_name) X(listen) X(stop) X(take) X(session)
#undef X
                    { 0 },
};

/* PyModuleDef. */
static struct {
    intptr_t count;
    void *type, *init;
    intptr_t index;
    void *copy;
    const char *name, *doc;
    intptr_t size;
    struct method_def *methods;
    void *slots, *traverse, *clear, *free;
} definition = { .count = 1,
    .name = "_ortmeter",
    .size = -1,
    .methods = functions };

ORTMETER_API struct py *PyInit__ortmeter(void);

struct py *PyInit__ortmeter(void)
{
    if (!hook_real_dlsym || !find_all())
        return NULL; /* Python says that there is no module */

    const char *reason = python_load();

    if (reason) {
        extension.PyErr_SetString(*extension.import_error, reason);
        return NULL;
    }

    struct py *module = extension.PyModule_Create2(&definition, 3);
    struct py *type =
            module ? extension.PyType_FromSpec((void *)(uintptr_t)&section_spec)
                   : NULL;

    if (type)
        (void)extension.PyModule_AddObject(module, "Section", type);
    return type ? module : NULL;
}
