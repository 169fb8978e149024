/* methods.c -- what stands in the methods' places, for both ways in which
 * Python calls a function: with a tuple and a dict, or with an array. */
#include "hook/python/python.h"

#include "base/compiler.h"

/* Whose it is: a function's record is its own. */
static inline const struct module *module_of(enum method m,
        const struct py *self)
{
    for (size_t i = 0; i < MODULES - 1; i++)
        if (python_modules[i].taken[m].self == self)
            return &python_modules[i];
    return &python_modules[MODULES - 1];
}

struct py *python_pass(const struct call *c)
{
    if (c->tuple)
        return ((struct py * (*)(struct py *, struct py *, struct py *))
                        c->real)(c->self, c->tuple, c->names);
    return ((struct py *
             (*)(struct py *, struct py *const *, intptr_t, struct py *))
                    c->real)(c->self, c->args, c->n, c->names);
}

#define X(ours, class, name)                                                   \
    HOT static struct py *ours##_tuple(struct py *self, struct py *tuple,      \
            struct py *dict)                                                   \
    {                                                                          \
        const struct module *m = module_of(METHOD_##ours, self);               \
                                                                               \
        return python_##ours(&(struct call){ m, m->taken[METHOD_##ours].real,  \
                self, tuple, (struct py *const *)tuple + python.tuple_items,   \
                ((const intptr_t *)tuple)[2], dict });                         \
    }                                                                          \
    HOT static struct py *ours##_fast(struct py *self, struct py *const *args, \
            intptr_t n, struct py *names)                                      \
    {                                                                          \
        const struct module *m = module_of(METHOD_##ours, self);               \
                                                                               \
        return python_##ours(&(struct call){ m, m->taken[METHOD_##ours].real,  \
                self, NULL, args, n, names });                                 \
    }
PYTHON_METHODS(X)
#undef X

ort_function python_method(enum method m, int flags)
{
    static const ort_function ours[METHODS][2] = {
#define X(ours, class, name) \
    { (ort_function)ours##_tuple, (ort_function)ours##_fast },
        PYTHON_METHODS(X)
#undef X
    };

    return ours[m][flags == METHOD_FAST];
}
