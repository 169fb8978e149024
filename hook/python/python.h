/* python.h -- ONNX Runtime inside Python's module `onnxruntime`.
 *
 * Its extension module holds an ONNX Runtime of its own, and the module's
 * methods do not go through the OrtApi.  So their places are taken:
 *
 *     module.c      answers dlsym() for the module's PyInit and, when the
 *                   module is made, takes the places of its methods
 *     methods.c     what stands there, for both ways in which Python calls
 *     session.c     sessions, their options and bindings, as records
 *     inference.c   times the methods that run a session
 *     feed.c        what goes into an inference and comes out
 *     read.c        what Python's objects tell: shapes, bytes
 *     calls.c       the functions of Python that we call, found by name
 *     gil_linux.c   which part of a call was ONNX Runtime, and which was
 *                   waiting for Python's lock
 *     base.c        finds the OrtApi of a copy that does not export it
 *     extension.c   this library as a module of Python's: ortmeter.h for the
 *                   package `ortmeter`, which can bring a collector, too
 *
 * Only one word of each method is changed, the pointer to its function
 * (PyMethodDef.ml_meth): every caller is met, also one that fetched the method
 * before, and nothing that a program can see is different.
 *
 * In all calls of a method Python's lock, the GIL, is held.  Python's error is
 * left as it was found; an inference makes no Python object. */
#pragma once

#include "hook/hook.h"

/* What dlsym(handle, name) is to return in place of the real thing: a PyInit of
 * ours for the module's; NULL: it is none of our business. */
void *python_init_for(void *handle, const char *name);

/* Takes the methods of a module that was imported before there was a collector.
 * NULL: they are taken, now or before; else why not, as a sentence. */
struct py;
const char *python_take(struct py *module);

/* --- calls.c -------------------------------------------------------------- */

struct py;      /* a PyObject */
struct py_type; /* a PyTypeObject */

/* The part of Python's C API that we use: result, name, arguments.  All of it
 * is in 3.8, and in every version since. */
/* clang-format off */
#define PYTHON_CALLS(X) \
    X(void, Py_IncRef, (struct py *)) \
    X(void, Py_DecRef, (struct py *)) \
    X(const char *, Py_GetVersion, (void)) \
    X(void, PyErr_Clear, (void)) \
    X(struct py *, PyErr_Occurred, (void)) \
    X(void, PyErr_Fetch, (struct py **, struct py **, struct py **)) \
    X(void, PyErr_Restore, (struct py *, struct py *, struct py *)) \
    X(struct py *, PyObject_GetAttr, (struct py *, struct py *)) \
    X(struct py *, PyObject_GetAttrString, (struct py *, const char *)) \
    X(struct py *, PyObject_Call, \
            (struct py *, struct py *, struct py *)) \
    X(struct py *, PyObject_Str, (struct py *)) \
    X(intptr_t, PyObject_Hash, (struct py *)) \
    X(int, PyType_IsSubtype, (struct py_type *, struct py_type *)) \
    X(ort_function, PyCFunction_GetFunction, (struct py *)) \
    X(int, PyCFunction_GetFlags, (struct py *)) \
    X(struct py *, PyCFunction_NewEx, (void *, struct py *, struct py *)) \
    X(struct py *, PyInstanceMethod_Function, (struct py *)) \
    X(struct py *, PyWeakref_NewRef, (struct py *, struct py *)) \
    X(struct py *, PyUnicode_InternFromString, (const char *)) \
    X(const char *, PyUnicode_AsUTF8, (struct py *)) \
    X(struct py *, PyTuple_New, (intptr_t)) \
    X(intptr_t, PyTuple_Size, (struct py *)) \
    X(struct py *, PyTuple_GetItem, (struct py *, intptr_t)) \
    X(int, PyTuple_SetItem, (struct py *, intptr_t, struct py *)) \
    X(intptr_t, PyList_Size, (struct py *)) \
    X(struct py *, PyList_GetItem, (struct py *, intptr_t)) \
    X(int, PyDict_Next, \
            (struct py *, intptr_t *, struct py **, struct py **)) \
    X(struct py *, PyDict_GetItemString, (struct py *, const char *)) \
    X(struct py *, PyBytes_FromStringAndSize, (const char *, intptr_t)) \
    X(char *, PyBytes_AsString, (struct py *)) \
    X(intptr_t, PyBytes_Size, (struct py *)) \
    X(struct py *, PyLong_FromVoidPtr, (void *)) \
    X(void *, PyLong_AsVoidPtr, (struct py *)) \
    X(long, PyLong_AsLong, (struct py *)) \
    X(struct py *, PyNumber_Index, (struct py *)) \
    X(void *, PyEval_SaveThread, (void)) \
    X(void, PyEval_RestoreThread, (void *))

#define PYTHON_TYPES(X) \
    X(PyBaseObject_Type) X(PyBytes_Type) X(PyCFunction_Type) X(PyDict_Type) \
    X(PyInstanceMethod_Type) X(PyList_Type) X(PyModuleDef_Type) \
    X(PyTuple_Type) X(PyUnicode_Type)
/* clang-format on */

struct python {
#define X(result, name, args) result(*name) args;
    PYTHON_CALLS(X)
#undef X
#define X(name) struct py_type *name;
    PYTHON_TYPES(X)
#undef X
    size_t tuple_items; /* the word of a tuple in which its items begin */
    struct py *value, *ortvalue; /* names of attributes */
};

extern struct python python;

/* Finds all of it, once.  NULL: this Python is one that we know; else why not,
 * as a sentence. */
const char *python_load(void);

static inline struct py_type *python_type(const struct py *o)
{
    return ((struct py_type *const *)o)[1];
}

/* Borrowed; NULL: it is no text. */
static inline const char *python_text(struct py *o)
{
    return o && python_type(o) == python.PyUnicode_Type
                   ? python.PyUnicode_AsUTF8(o)
                   : NULL;
}

/* Of a key of a dict, which has it for sure; anything else: 0. */
static inline intptr_t python_text_hash(struct py *o)
{
    return python_type(o) == python.PyUnicode_Type ? ((const intptr_t *)o)[3]
                                                   : 0;
}

/* The name by which the type was made: "numpy.ndarray". */
static inline const char *python_type_name(const struct py_type *t)
{
    return ((const char *const *)t)[3];
}

/* A new reference, or NULL; Python's error stays clear. */
struct py *python_get(struct py *o, const char *name);
/* Calls a method without arguments; the same. */
struct py *python_ask(struct py *o, const char *method);
/* A number, or what has one as its `value`: an enum.  False: neither. */
bool python_number(struct py *o, long *out);

/* --- methods.c ------------------------------------------------------------ */

/* The methods whose places are taken: ours, its class, its name. */
/* clang-format off */
#define PYTHON_METHODS(X) \
    X(session_init, "InferenceSession", "__init__") \
    X(session_initialize, "InferenceSession", "initialize_session") \
    X(session_load, "InferenceSession", "load_model") /* before 1.5 */ \
    X(run, "InferenceSession", "run") \
    X(run_async, "InferenceSession", "run_async") \
    X(run_with_ort_values, "InferenceSession", "run_with_ort_values") \
    X(run_with_ortvaluevector, "InferenceSession", "run_with_ortvaluevector") \
    X(run_with_iobinding, "InferenceSession", "run_with_iobinding") \
    X(options_init, "SessionOptions", "__init__") \
    X(options_entry, "SessionOptions", "add_session_config_entry") \
    X(binding_init, "SessionIOBinding", "__init__") \
    X(bind_input, "SessionIOBinding", "bind_input") \
    X(bind_ortvalue_input, "SessionIOBinding", "bind_ortvalue_input") \
    X(bind_output, "SessionIOBinding", "bind_output") \
    X(bind_ortvalue_output, "SessionIOBinding", "bind_ortvalue_output") \
    X(clear_inputs, "SessionIOBinding", "clear_binding_inputs") \
    X(clear_outputs, "SessionIOBinding", "clear_binding_outputs")
/* clang-format on */

enum method {
#define X(ours, class, name) METHOD_##ours,
    PYTHON_METHODS(X)
#undef X
            METHODS
};

/* PyMethodDef, and the two kinds of functions that pybind11 makes. */
struct method_def {
    const char *name;
    _Atomic ort_function function;
    int flags;
    const char *doc;
};

enum method_flags {
    METHOD_TUPLE = 3,   /* (self, tuple, dict) */
    METHOD_FAST = 0x82, /* (self, arguments, count, names) */
};

/* Modules whose methods were taken: a copy of ONNX Runtime has one for each
 * interpreter that imports it. */
#define MODULES 8

struct module {
    struct library *lib;
    struct py_type *ort_value; /* the class C.OrtValue; NULL: it has none */
    struct py_type *session;   /* and C.InferenceSession */
    struct taken {
        struct py *self; /* what the function is called with: its record */
        ort_function real;
        struct method_def *def; /* NULL: not taken */
    } taken[METHODS];
};

extern struct module python_modules[MODULES];

/* What takes a method's place. */
ort_function python_method(enum method m, int flags);

/* A call of a method, however it was made.  `args` are those given by position;
 * args[0] is the object. */
struct call {
    const struct module *module;
    ort_function real;
    struct py *self;
    struct py *tuple; /* or NULL: made the fast way */
    struct py *const *args;
    intptr_t n;
    struct py *names; /* or keywords */
};

struct py *python_pass(const struct call *c);

static inline struct py *python_arg(const struct call *c, intptr_t i)
{
    return i < c->n ? c->args[i] : NULL;
}

/* --- session.c, inference.c ----------------------------------------------- */

#define X(ours, class, name) struct py *python_##ours(const struct call *c);
PYTHON_METHODS(X)
#undef X

/* Tells of a session that was made before there was a collector; `model` is its
 * path, or bytes, or None, and `options` what it was made with, or None. */
void python_session_known(struct py *session, struct py *model,
        struct py *options, bool watch);

/* Sends why the call failed that is about to raise; the error stays. */
void python_send_error(const struct library *lib, uint32_t thread);

/* --- read.c --------------------------------------------------------------- */

/* What is known of a tensor, or of what becomes one. */
struct tensor {
    bool shaped, sized;
    struct shape shape;
    uint64_t bytes;
};

/* Of an array, an OrtValue, a list of lists. */
void python_read(struct tensor *t, const struct module *m, struct py *o);

/* An array of numpy: the same in numpy 1 and 2. */
struct array {
    void *head[2];
    char *data;
    int rank;
    intptr_t *dims, *strides;
    struct py *base;
    struct py *dtype;
};

/* numpy's class; NULL: no array was met yet, or it is not as we know it. */
extern struct py_type *python_array;

/* Of an array's dtype: bytes of an element, 0: it has no fixed size, as texts;
 * and what ONNX Runtime calls it, 0: nothing that we would look into. */
struct element {
    struct py *dtype; /* a reference is kept: no other has the address */
    uint32_t size;
    int type;
};

#define ELEMENTS 64 /* a power of 2 */

extern struct element python_elements[ELEMENTS];

struct element python_meet_element(struct py *dtype);

static inline struct element python_element(struct py *dtype)
{
    const struct element *e =
            &python_elements[(uintptr_t)dtype >> 4 & (ELEMENTS - 1)];

    return e->dtype == dtype ? *e : python_meet_element(dtype);
}

/* As much of it as every inference wants. */
struct extent {
    size_t rank;    /* 0: it has no shape, or no dimension */
    int64_t first;  /* of its dimensions */
    uint64_t bytes; /* UINT64_MAX: not known */
};

struct extent python_extent_of(const struct module *m, struct py *value);

static inline struct extent python_extent(const struct module *m,
        struct py *value)
{
    if (python_type(value) != python_array)
        return python_extent_of(m, value);

    const struct array *a = (const struct array *)value;
    uint32_t size = python_element(a->dtype).size;
    uint64_t bytes = size;

    for (int i = 0; i < a->rank; i++)
        bytes *= (uint64_t)a->dims[i];
    return (struct extent){ (size_t)a->rank, a->rank ? a->dims[0] : 0,
        size ? bytes : UINT64_MAX };
}

/* --- feed.c --------------------------------------------------------------- */

/* An inference that is about to begin. */
struct fed {
    struct record passed; /* RECORD_NONE, unless a text is being made */
    struct record run;
    uint16_t present, states; /* which outputs are these, from 1; 0: none */
};

/* Fills what the inputs tell, {name: value}, into an inference's records;
 * `names` lists its outputs' or is NULL. */
void feed_inputs(struct fed *f, const struct module *m, struct py *feed,
        struct py *names);
/* A number for all their shapes; 0: they could not all be read. */
uint64_t feed_key(const struct module *m, struct py *feed);
/* And what it returned. */
void feed_outputs(struct fed *f, const struct module *m, struct py *list);
/* A session has ended. */
void feed_forget(const void *session);

/* --- gil_linux.c ---------------------------------------------------------- */

/* When a call let go of the GIL last, asked for it, and had it again. */
struct gil {
    uint64_t released, wanted, taken;
    struct gil *outer;
};

/* From now on the extension's calls pass by us.  False: they do not. */
bool gil_install(const struct image *i);

/* Around a call, of this thread. */
void gil_begin(struct gil *g);
void gil_end(struct gil *g);

/* --- base.c --------------------------------------------------------------- */

/* The only OrtApiBase in an object, exported or not; NULL: none was found. */
const struct ort_api_base *base_find(const struct image *i);
