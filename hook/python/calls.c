/* calls.c -- the functions of Python that we call.
 *
 * They come from the program itself or from libpython, wherever the module
 * found them: by name, among all that is loaded.  What we read of objects
 * without a function is checked here first. */
#include "hook/python/python.h"
#include "hook/text.h"

#include <dlfcn.h>

struct python python;

static bool find_all(void)
{
#define X(result, name, args)                                                \
    python.name =                                                            \
            (result(*) args)(uintptr_t)hook_real_dlsym(RTLD_DEFAULT, #name); \
    if (!python.name)                                                        \
        return false;
    PYTHON_CALLS(X)
#undef X
#define X(name)                                         \
    python.name = hook_real_dlsym(RTLD_DEFAULT, #name); \
    if (!python.name)                                   \
        return false;
    PYTHON_TYPES(X)
#undef X
    return true;
}

struct py *python_get(struct py *o, const char *name)
{
    struct py *got = python.PyObject_GetAttrString(o, name);

    if (!got)
        python.PyErr_Clear();
    return got;
}

struct py *python_ask(struct py *o, const char *method)
{
    struct py *function = python_get(o, method);
    struct py *nothing = function ? python.PyTuple_New(0) : NULL;
    struct py *got =
            nothing ? python.PyObject_Call(function, nothing, NULL) : NULL;

    if (!got)
        python.PyErr_Clear();
    if (nothing)
        python.Py_DecRef(nothing);
    if (function)
        python.Py_DecRef(function);
    return got;
}

bool python_number(struct py *o, long *out)
{
    struct py *number = python.PyNumber_Index(o);

    if (!number) {
        python.PyErr_Clear();
        number = python.PyObject_GetAttr(o, python.value);
    }

    long n = number ? python.PyLong_AsLong(number) : -1;
    bool ok = number && !(n == -1 && python.PyErr_Occurred());

    if (number)
        python.Py_DecRef(number);
    if (!ok)
        python.PyErr_Clear();
    else
        *out = n;
    return ok;
}

/* An object begins with its count of references and its type; in builds
 * without a GIL there is more. */
static bool head_is_known(void)
{
    struct py *size =
            python_get((struct py *)python.PyBaseObject_Type, "__basicsize__");
    bool ok = size && python.PyLong_AsLong(size) == 2 * sizeof(void *);

    if (size)
        python.Py_DecRef(size);
    return ok && python_type((struct py *)python.PyBaseObject_Type) ==
                         python_type((struct py *)python.PyTuple_Type);
}

/* Behind the head of a tuple is its length, then, from 3.14 on, its hash, and
 * then its items. */
static bool tuple_is_known(void)
{
    struct py *tuple = python.PyTuple_New(1);
    struct py *item = python.value;

    if (!tuple)
        return false;
    python.Py_IncRef(item);
    (void)python.PyTuple_SetItem(tuple, 0, item);

    struct py *const *word = (struct py *const *)tuple;

    python.tuple_items = word[3] == item ? 3 : word[4] == item ? 4 : 0;

    bool ok = ((const intptr_t *)tuple)[2] == 1 && python.tuple_items;

    python.Py_DecRef(tuple);
    return ok;
}

/* Behind the head of a text is its length, then its hash. */
static bool text_is_known(void)
{
    return python.PyObject_Hash(python.value) == python_text_hash(python.value);
}

static bool make_names(void)
{
    python.value = python.PyUnicode_InternFromString("value");
    python.ortvalue = python.PyUnicode_InternFromString("_ortvalue");
    return python.value && python.ortvalue;
}

const char *python_load(void)
{
    static bool loaded;

    if (loaded)
        return NULL;
    if (!find_all())
        return "this Python lacks a function of its C API that the meter calls";
    if (!make_names() || !head_is_known() || !tuple_is_known() ||
            !text_is_known()) {
        python.PyErr_Clear();
        return "this Python lays out its objects in a way that the meter does "
               "not know, as builds without a GIL do";
    }
    loaded = true;
    return NULL;
}
