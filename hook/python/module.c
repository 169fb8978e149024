/* module.c -- answers for the module's PyInit, and takes its methods' places.
 *
 * Python asks dlsym() for PyInit_<last part of the module's name> and calls it.
 * The result is the module, or, from ONNX Runtime 1.24 on, only its definition,
 * whose function Py_mod_exec fills the module later; then that function's place
 * is taken, too.  Neither has an argument by which copies could be told apart,
 * so there is a compiled pair for each. */
#include "hook/elf.h"
#include "hook/ops/ops.h"
#include "hook/python/python.h"
#include "hook/text.h"

#include <dlfcn.h>
#include <stdatomic.h>

#define MODULE_NAME "onnxruntime_pybind11_state"
#define COPIES      4

/* Python's own layouts, as they are since 3.5: a PyModuleDef's words, and what
 * its slots are. */
enum { DEF_NAME = 5, DEF_SLOTS = 9 };

struct def_slot {
    int kind;
    ort_function function;
};

enum { SLOT_END, SLOT_EXEC = 2 };

struct module python_modules[MODULES];

static struct copy {
    _Atomic uintptr_t init;
    int (*exec)(struct py *module);
    struct library *lib;
    const char *version; /* NULL: not known */
    bool announced, refused;
} copies[COPIES];

/* --- taking a method ------------------------------------------------------ */

/* The function of a pybind11 class, behind the method; a new reference. */
static struct py *function_of(struct py *class, const char *name)
{
    struct py *method = python_get(class, name);

    if (!method || python_type(method) != python.PyInstanceMethod_Type)
        return method;

    struct py *function = python.PyInstanceMethod_Function(method);

    if (function)
        python.Py_IncRef(function);
    python.Py_DecRef(method);
    return function;
}

/* Its definition, if all is as we know it; NULL: it is not. */
static struct method_def *def_of(struct py *function, const char *name)
{
    if (python_type(function) != python.PyCFunction_Type)
        return NULL;

    struct method_def *def = ((struct method_def **)function)[2];

    if (!def ||
            python.PyCFunction_GetFunction(function) !=
                    atomic_load(&def->function) ||
            python.PyCFunction_GetFlags(function) != def->flags || !def->name ||
            !text_is(def->name, name) ||
            (def->flags != METHOD_TUPLE && def->flags != METHOD_FAST))
        return NULL;
    return def;
}

static bool is_taken(const struct method_def *def)
{
    for (size_t i = 0; i < MODULES; i++)
        for (size_t k = 0; k < METHODS; k++)
            if (python_modules[i].taken[k].def == def)
                return true;
    return false;
}

/* A reference to the function is kept: its definition stays where it is. */
static bool take_method(struct module *m, enum method which, struct py *class,
        const char *name)
{
    struct py *function = function_of(class, name);
    struct method_def *def = function ? def_of(function, name) : NULL;

    if (!def || is_taken(def)) {
        if (function)
            python.Py_DecRef(function);
        return false;
    }
    m->taken[which] = (struct taken){ ((struct py **)function)[3],
        atomic_load(&def->function), def };
    atomic_store(&def->function, python_method(which, def->flags));
    return true;
}

static uint32_t take_methods(struct module *m, struct py *module)
{
    static const struct {
        const char *class, *name;
    } methods[METHODS] = {
#define X(ours, class, name) { class, name },
        PYTHON_METHODS(X)
#undef X
    };
    uint32_t taken = 0;

    for (size_t i = 0; i < METHODS; i++) {
        struct py *class = python_get(module, methods[i].class);

        if (!class)
            continue;
        taken += take_method(m, (enum method)i, class, methods[i].name);
        python.Py_DecRef(class);
    }
    return taken;
}

/* --- a module that is ready ----------------------------------------------- */

/* What Python says of a module's version; a new reference, or NULL. */
static struct py *version_of(struct py *module)
{
    struct py *version = python_ask(module, "get_version_string");

    return version ? version : python_get(module, "__version__");
}

/* The copy's ONNX Runtime, found when its first module is ready; NULL: there
 * are too many in this process, or nobody listens. */
static struct library *library_of(struct copy *copy, const struct image *i)
{
    struct library *lib =
            channel_ring()
                    ? library_take((const void *)atomic_load(&copy->init))
                    : NULL;
    const struct ort_api_base *base = lib ? base_find(i) : NULL;

    if (lib)
        lib->image = *i;
    if (base) {
        copy->version = base->get_version_string();
        lib->minor = library_minor(copy->version);
        lib->api = lib->minor ? base->get_api(1) : NULL;
    }
    return lib;
}

static void announce(struct copy *copy, struct py *module, const char *path,
        uint32_t methods)
{
    struct py *said = version_of(module);

    if (!copy->version && said)
        copy->version = python_text(said); /* the reference is kept */
    else if (said)
        python.Py_DecRef(said);
    copy->announced = true;
    if (copy->lib->api && (channel_ops() != OPS_OFF || channel_stats()))
        ops_install(copy->lib);
    copy->lib->minor = copy->version ? library_minor(copy->version) : 0;
    object_library(copy->lib, path, copy->version ? copy->version : "unknown",
            methods);
    copy->lib->language = 3; /* ORT_PROJECTION_PYTHON */
    object_language(copy->lib, NULL, copy->lib->language);
}

static struct module *free_module(void)
{
    for (size_t i = 0; i < MODULES; i++)
        if (!python_modules[i].lib)
            return &python_modules[i];
    return NULL;
}

static void refuse(struct copy *copy, const char *reason)
{
    struct image i = { 0 };
    char path[HOOK_PATH];

    if (!copy->refused && hook_object_at(&i, path, atomic_load(&copy->init)))
        object_static_library(path, reason);
    copy->refused = true;
}

static void enter(struct copy *copy, struct py *module)
{
    struct image i = { 0 };
    char path[HOOK_PATH];
    struct module *m = free_module();

    if (!m || !hook_object_at(&i, path, atomic_load(&copy->init))) {
        refuse(copy, "there are too many of its kind in one process");
        return;
    }
    if (!copy->lib)
        copy->lib = library_of(copy, &i);
    if (!copy->lib) {
        refuse(copy, "there are too many ONNX Runtimes in one process");
        return;
    }

    struct py *value = python_get(module, "OrtValue");

    m->lib = copy->lib;
    m->ort_value = (struct py_type *)value; /* the reference is kept, */
    m->session = (struct py_type *)python_get(module, "InferenceSession");

    uint32_t methods = take_methods(m, module);

    if (methods == 0) {
        m->lib = NULL;
        refuse(copy, "its methods are made in a way that the meter does not "
                     "know");
        return;
    }
    if (!copy->announced)
        announce(copy, module, path, methods);
    (void)gil_install(&i);
}

/* --- PyInit --------------------------------------------------------------- */

static int module_made(struct copy *copy, struct py *module)
{
    int rc = copy->exec(module);

    if (rc == 0)
        enter(copy, module);
    return rc;
}

/* True: the function that fills the module is now ours. */
static bool take_exec(struct copy *copy, struct py *definition,
        int (*ours)(struct py *))
{
    const char *name = ((const char *const *)definition)[DEF_NAME];
    struct def_slot *slot = ((struct def_slot **)definition)[DEF_SLOTS];

    if (!name || !text_is(name, MODULE_NAME))
        return false;
    for (; slot && slot->kind != SLOT_END; slot++) {
        if (slot->kind != SLOT_EXEC)
            continue;
        if (slot->function != (ort_function)ours) { /* else: made once more */
            copy->exec = (int (*)(struct py *))slot->function;
            slot->function = (ort_function)ours;
        }
        return true;
    }
    return false;
}

static struct py *module_asked(struct copy *copy, int (*exec)(struct py *))
{
    struct py *made = ((struct py * (*)(void)) atomic_load(&copy->init))();
    const char *reason = made ? python_load() : NULL;

    if (!made)
        return NULL;
    if (reason)
        refuse(copy, reason);
    else if (python_type(made) != python.PyModuleDef_Type)
        enter(copy, made);
    else if (!take_exec(copy, made, exec))
        refuse(copy,
                "its module is made in a way that the meter does not know");
    return made;
}

#define PAIR(i)                                    \
    static int exec_##i(struct py *module)         \
    {                                              \
        return module_made(&copies[i], module);    \
    }                                              \
    static struct py *init_##i(void)               \
    {                                              \
        return module_asked(&copies[i], exec_##i); \
    }
PAIR(0)
PAIR(1)
PAIR(2)
PAIR(3)

static struct py *(*const inits[COPIES])(
        void) = { init_0, init_1, init_2, init_3 };

/* The one of that PyInit, which is new or was met; NULL: there are too many. */
static struct copy *copy_at(uintptr_t init)
{
    for (size_t i = 0; init && i < COPIES; i++) {
        uintptr_t there = 0;

        if (atomic_compare_exchange_strong(&copies[i].init, &there, init) ||
                there == init)
            return &copies[i];
    }
    return NULL;
}

void *python_init_for(void *handle, const char *name)
{
    if (!name || !text_is(name, "PyInit_" MODULE_NAME) ||
            handle == RTLD_DEFAULT || handle == RTLD_NEXT || !hook_real_dlsym)
        return NULL;

    uintptr_t real = (uintptr_t)hook_real_dlsym(handle, name);

    struct copy *copy = copy_at(real);

    return copy ? (void *)(uintptr_t)inits[copy - copies] : NULL;
}

/* --- a module that is there already --------------------------------------- */

/* Where one of its methods leads to, if that is not taken yet. */
static uintptr_t method_address(struct py *module, bool *taken)
{
    struct py *class = python_get(module, "InferenceSession");
    struct py *function = class ? function_of(class, "run") : NULL;
    struct method_def *def = function ? def_of(function, "run") : NULL;
    uintptr_t at = def ? (uintptr_t)atomic_load(&def->function) : 0;

    *taken = def && is_taken(def);
    if (function)
        python.Py_DecRef(function);
    if (class)
        python.Py_DecRef(class);
    return at;
}

const char *python_take(struct py *module)
{
    const char *reason = python_load();
    bool taken = false;
    uintptr_t at = reason ? 0 : method_address(module, &taken);
    struct image i = { 0 };
    char path[HOOK_PATH];

    if (reason || taken)
        return reason;
    if (!at || !hook_object_at(&i, path, at))
        return "its methods are made in a way that the meter does not know";

    struct copy *copy =
            copy_at(elf_defines(i.base, i.dynamic, "PyInit_" MODULE_NAME));

    if (!copy)
        return "it is no module of onnxruntime, or there are too many of them";
    channel_reserve_for_runtime();
    enter(copy, module);
    (void)method_address(module, &taken);
    return taken ? NULL : "its methods could not be taken";
}

/* --- what passed us by ---------------------------------------------------- */

static int look_for_stranger(struct dl_phdr_info *o, size_t size, void *data)
{
    const char *name = o->dlpi_name ? o->dlpi_name : "";

    (void)size, (void)data;
    if (!text_contains(name, MODULE_NAME))
        return 0;
    for (size_t k = 0; k < COPIES; k++) {
        struct image i = { 0 };
        char path[HOOK_PATH];
        uintptr_t init = atomic_load(&copies[k].init);

        if (init && hook_object_at(&i, path, init) && i.base == o->dlpi_addr)
            return 0;
    }
    object_static_library(name,
            "it was loaded past the meter, as by a program that opens Python "
            "with RTLD_DEEPBIND");
    return 0;
}

/* A program that opens libpython with RTLD_DEEPBIND asks the C library's own
 * dlsym(): that shows only now. */
__attribute__((destructor)) static void at_exit(void)
{
    if (channel_wanted())
        (void)dl_iterate_phdr(look_for_stranger, NULL);
}
