/* read.c -- what Python's objects tell: shapes and bytes.
 *
 * How an array of numpy is laid out is checked against what the first one
 * itself says, before it is relied on. */
#include "hook/python/python.h"
#include "hook/text.h"

#include "base/compiler.h"

struct py_type *python_array;
struct element python_elements[ELEMENTS];

#define DIMS (sizeof(((struct shape *)0)->dims) / sizeof(int64_t))

/* --- numpy ---------------------------------------------------------------- */

static bool shape_is_as_said(const struct array *a, struct py *said)
{
    bool same = python_type(said) == python.PyTuple_Type &&
                python.PyTuple_Size(said) == a->rank;

    for (int i = 0; same && i < a->rank; i++)
        same = python.PyLong_AsLong(python.PyTuple_GetItem(said, i)) ==
               a->dims[i];
    return same;
}

COLD static bool is_laid_out_as_known(struct py *o)
{
    const struct array *a = (const struct array *)o;
    struct py *shape = python_get(o, "shape");
    struct py *dtype = python_get(o, "dtype");
    struct py *rank = python_get(o, "ndim");
    bool same = shape && dtype && rank && a->dtype == dtype &&
                python.PyLong_AsLong(rank) == a->rank &&
                shape_is_as_said(a, shape);

    if (shape)
        python.Py_DecRef(shape);
    if (dtype)
        python.Py_DecRef(dtype);
    if (rank)
        python.Py_DecRef(rank);
    python.PyErr_Clear();
    return same;
}

COLD static bool meet_array(struct py *o)
{
    static bool met;

    if (python_array)
        return python.PyType_IsSubtype(python_type(o), python_array);
    if (met || !text_is(python_type_name(python_type(o)), "numpy.ndarray"))
        return false;
    met = true;
    if (is_laid_out_as_known(o))
        python_array = python_type(o);
    return python_array;
}

static inline bool is_array(struct py *o)
{
    return python_type(o) == python_array || meet_array(o);
}

/* --- types of elements, which come again -----------------------------------
 */

static int type_of(char kind, long size)
{
    static const struct {
        char kind;
        long size;
        int type;
    } types[] = {
        { 'f', 4, ORT_TYPE_FLOAT },
        { 'f', 2, ORT_TYPE_FLOAT16 },
        { 'f', 8, ORT_TYPE_DOUBLE },
        { 'i', 8, ORT_TYPE_INT64 },
        { 'i', 4, ORT_TYPE_INT32 },
        { 'b', 1, ORT_TYPE_BOOL },
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].kind == kind && types[i].size == size)
            return types[i].type;
    return ORT_TYPE_UNDEFINED;
}

COLD static struct element learn_element(struct py *dtype)
{
    struct py *size = python_get(dtype, "itemsize");
    struct py *kind = python_get(dtype, "kind");
    struct py *native = python_get(dtype, "isnative");
    const char *letter = python_text(kind);
    long bytes = 0, in_order = 0;
    struct element e = { .dtype = dtype };

    if (size && letter && text_has("biufcV", *letter) &&
            python_number(size, &bytes) && bytes > 0)
        e.size = (uint32_t)bytes;
    if (e.size && native && python_number(native, &in_order) && in_order)
        e.type = type_of(*letter, bytes);
    if (size)
        python.Py_DecRef(size);
    if (kind)
        python.Py_DecRef(kind);
    if (native)
        python.Py_DecRef(native);
    return e;
}

COLD struct element python_meet_element(struct py *dtype)
{
    struct element *place =
            &python_elements[(uintptr_t)dtype >> 4 & (ELEMENTS - 1)];
    struct element e = learn_element(dtype);

    if (!place->dtype) {
        python.Py_IncRef(dtype);
        *place = e;
    }
    return e;
}

/* --- one value ------------------------------------------------------------ */

/* Its elements lie one behind the other, as ONNX Runtime has them. */
static bool is_in_rows(const struct array *a, uint32_t size)
{
    intptr_t step = size;

    for (int i = a->rank - 1; i >= 0; i--) {
        if (a->dims[i] != 1 && a->strides[i] != step)
            return false;
        step *= a->dims[i];
    }
    return true;
}

static void read_array(struct tensor *t, const struct array *a)
{
    struct element e = python_element(a->dtype);

    t->bytes = e.size;
    for (size_t i = 0; i < (size_t)a->rank; i++) {
        t->bytes *= (uint64_t)a->dims[i];
        if (i < DIMS)
            t->shape.dims[i] = a->dims[i];
    }
    t->shaped = true;
    t->shape.rank = (size_t)a->rank;
    t->shape.type = e.type;
    if (e.type && is_in_rows(a, e.size))
        t->shape.data = a->data;
    t->sized = e.size != 0;
}

/* Lists in lists: what becomes of them is only seen when they are converted. */
static void read_list(struct tensor *t, struct py *list)
{
    t->shaped = true;
    while (list && python_type(list) == python.PyList_Type &&
            t->shape.rank < DIMS) {
        intptr_t n = python.PyList_Size(list);

        t->shape.dims[t->shape.rank++] = n;
        list = n ? python.PyList_GetItem(list, 0) : NULL;
    }
    /* Rows that are arrays. */
    if (list && t->shape.rank < DIMS && is_array(list)) {
        const struct array *a = (const struct array *)list;

        for (int i = 0; i < a->rank && t->shape.rank < DIMS; i++)
            t->shape.dims[t->shape.rank++] = a->dims[i];
    }
}

/* pybind11 keeps the address of what an object is made around behind its head.
 */
static void read_ort_value(struct tensor *t, const struct module *m,
        struct py *o)
{
    const struct ort_value *value = ((const struct ort_value *const *)o)[2];

    if (!m->lib->api || !value)
        return;
    t->shaped = shape_read(m->lib, value, &t->shape);
    t->sized = t->shaped && shape_size(&t->shape, &t->bytes);
    if (t->shaped)
        t->shape.data = passed_values(m->lib, value);
}

/* onnxruntime.OrtValue, around the extension's own. */
COLD static void read_wrapped(struct tensor *t, const struct module *m,
        struct py *o)
{
    struct py *inner = python.PyObject_GetAttr(o, python.ortvalue);

    if (!inner)
        python.PyErr_Clear();
    else if (python_type(inner) == m->ort_value)
        read_ort_value(t, m, inner);
    if (inner)
        python.Py_DecRef(inner);
}

HOT void python_read(struct tensor *t, const struct module *m, struct py *o)
{
    t->shaped = t->sized = false;
    t->shape.type = 0;
    t->shape.rank = 0;
    t->shape.data = NULL;
    if (is_array(o))
        read_array(t, (const struct array *)o);
    else if (python_type(o) == m->ort_value)
        read_ort_value(t, m, o);
    else if (python_type(o) == python.PyList_Type)
        read_list(t, o);
    else if (text_is(python_type_name(python_type(o)), "OrtValue"))
        read_wrapped(t, m, o);
}

struct extent python_extent_of(const struct module *m, struct py *value)
{
    struct tensor t;

    python_read(&t, m, value);

    bool any = t.shaped && t.shape.rank;

    return (struct extent){ any ? t.shape.rank : 0, any ? t.shape.dims[0] : 0,
        t.sized ? t.bytes : UINT64_MAX };
}
