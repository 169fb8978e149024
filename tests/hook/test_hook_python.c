/* test_hook_python.c -- runs from Python, with objects that are made up: what
 * feed.c and read.c tell of them, and threads that take turns by a lock. */
#include "hooked.h"

#include "hook/python/python.h"

#include <pthread.h>

/* Nothing is loaded here. */
void *(*hook_real_dlsym)(void *handle, const char *name);

bool hook_object_at(struct image *out, char path[HOOK_PATH], uintptr_t address)
{
    (void)out, (void)path, (void)address;
    return false;
}

/* --- objects -------------------------------------------------------------- */

struct py_type {
    intptr_t head[3];
    const char *name;
};

#define TYPE(id, text) static struct py_type id = { { 1, 0, 0 }, text }
TYPE(text_type, "str");
TYPE(list_type, "list");
TYPE(dict_type, "dict");
TYPE(tuple_type, "tuple");
TYPE(array_type, "numpy.ndarray");
TYPE(matrix_type, "numpy.matrix");
TYPE(dtype_type, "numpy.dtype[float32]");
TYPE(number_type, "int");
TYPE(session_type, "InferenceSession");
TYPE(value_type, "OrtValue");

#define ITEMS 12

struct py {
    _Atomic intptr_t refs;
    struct py_type *type;
    intptr_t words[6]; /* where Python and numpy have theirs */
    const char *text;
    long number;
    size_t n;
    struct py *items[ITEMS]; /* of a dict: key, value, key, value ... */
};

#define RUNS_A_THREAD 200
#define THREADS       4

static pthread_mutex_t gil = PTHREAD_MUTEX_INITIALIZER;
static bool failing; /* what the real method does next */

static struct py text(const char *s)
{
    intptr_t hash = 1469598103934665603;

    for (const char *c = s; *c; c++)
        hash = (intptr_t)(((uintptr_t)hash ^ (unsigned char)*c) *
                          UINT64_C(1099511628211));
    return (struct py){ 1, &text_type, { (intptr_t)strlen(s), hash }, s, 0, 0,
        { NULL } };
}

static struct py float32 = { .refs = 1,
    .type = &dtype_type,
    .text = "f",
    .number = 4 };
static struct py int64 = { .refs = 1,
    .type = &dtype_type,
    .text = "i",
    .number = 8 };
static struct py boolean = { .refs = 1,
    .type = &dtype_type,
    .text = "b",
    .number = 1 };
static struct py texts = { .refs = 1,
    .type = &dtype_type,
    .text = "U",
    .number = 40 };

/* Dimensions and steps, where the array says that they are. */
struct made_array {
    struct array array;
    intptr_t dims[8], strides[8];
};

static struct py *array(struct made_array *m, struct py *dtype, void *data,
        int rank, const intptr_t *dims)
{
    intptr_t step = dtype->number;

    *m = (struct made_array){ .array = { .head = { (void *)1, &array_type },
                                      .data = data,
                                      .rank = rank,
                                      .dims = m->dims,
                                      .strides = m->strides,
                                      .dtype = dtype } };
    for (int i = rank - 1; i >= 0; i--) {
        m->dims[i] = dims[i];
        m->strides[i] = step;
        step *= dims[i];
    }
    return (struct py *)m;
}

#define DIMS(...)                                                  \
    (int)(sizeof((intptr_t[]){ __VA_ARGS__ }) / sizeof(intptr_t)), \
            (const intptr_t[])                                     \
    {                                                              \
        __VA_ARGS__                                                \
    }

/* --- the part of Python that is called ------------------------------------ */

static void inc(struct py *o)
{
    atomic_fetch_add((_Atomic intptr_t *)o, 1);
}

static void dec(struct py *o)
{
    atomic_fetch_sub((_Atomic intptr_t *)o, 1);
}

static void clear(void)
{
}

static struct py *occurred(void)
{
    return NULL;
}

static const char *utf8(struct py *o)
{
    return o->text;
}

static struct py *number(long n)
{
    static struct py made[64];
    static size_t next;
    struct py *o = &made[next++ % 64];

    *o = (struct py){ .refs = 1, .type = &number_type, .number = n };
    return o;
}

/* Of arrays and of their dtypes, as numpy answers. */
static struct py *attribute(struct py *o, const char *name)
{
    static struct py shape, letter;
    const struct array *a = (const struct array *)o;

    if (o->type == &dtype_type && strcmp(name, "itemsize") == 0)
        return number(o->number);
    if (o->type == &dtype_type && strcmp(name, "isnative") == 0)
        return number(1);
    if (o->type == &dtype_type && strcmp(name, "kind") == 0) {
        letter = text(o->text);
        return &letter;
    }
    if (o->type != &array_type)
        return NULL;
    if (strcmp(name, "ndim") == 0)
        return number(a->rank);
    if (strcmp(name, "dtype") == 0)
        return inc(a->dtype), a->dtype;
    shape = (struct py){ .refs = 1, .type = &tuple_type, .n = (size_t)a->rank };
    for (size_t i = 0; i < shape.n; i++)
        shape.items[i] = number(a->dims[i]);
    return &shape;
}

static struct py *index_of(struct py *o)
{
    return inc(o), o;
}

static long as_long(struct py *o)
{
    return o->number;
}

static intptr_t length(struct py *o)
{
    return (intptr_t)o->n;
}

static struct py *item(struct py *o, intptr_t i)
{
    return o->items[i];
}

static int next_of(struct py *dict, intptr_t *at, struct py **key,
        struct py **value)
{
    if ((size_t)*at >= dict->n)
        return 0;
    *key = dict->items[2 * *at];
    *value = dict->items[2 * *at + 1];
    ++*at;
    return 1;
}

static int is_subtype(struct py_type *t, struct py_type *of)
{
    return t == &matrix_type && of == &array_type;
}

static void fetch(struct py **type, struct py **value, struct py **traceback)
{
    static struct py error;

    error = text("it failed");
    *type = *traceback = NULL;
    *value = &error;
}

static void restore(struct py *type, struct py *value, struct py *traceback)
{
    CHECK(!type && !traceback && value); /* what was fetched */
}

static struct py *str(struct py *o)
{
    return inc(o), o;
}

static struct py answer; /* what run() returns */

static struct py *real_fast(struct py *self, struct py *const *args, intptr_t n,
        struct py *names)
{
    CHECK(self && n == 4 && !names && args[0]->type == &session_type);
    if (fake.during)
        fake.during();
    return failing ? NULL : &answer;
}

static struct py *real_tuple(struct py *self, struct py *tuple,
        struct py *keywords)
{
    CHECK(self && tuple->type == &tuple_type && !keywords);
    return &answer;
}

static struct py record_of_run = { .type = &number_type };
static struct py record_of_tuple = { .type = &number_type };

static void begin(void)
{
    hooked_begin("1.30.0");
    python = (struct python){
        .Py_IncRef = inc,
        .Py_DecRef = dec,
        .PyErr_Clear = clear,
        .PyErr_Occurred = occurred,
        .PyErr_Fetch = fetch,
        .PyErr_Restore = restore,
        .PyObject_GetAttrString = attribute,
        .PyObject_Str = str,
        .PyType_IsSubtype = is_subtype,
        .PyUnicode_AsUTF8 = utf8,
        .PyTuple_Size = length,
        .PyTuple_GetItem = item,
        .PyList_Size = length,
        .PyList_GetItem = item,
        .PyDict_Next = next_of,
        .PyLong_AsLong = as_long,
        .PyNumber_Index = index_of,
        .PyUnicode_Type = &text_type,
        .PyList_Type = &list_type,
        .PyDict_Type = &dict_type,
        .PyTuple_Type = &tuple_type,
        .tuple_items = offsetof(struct py, items) / sizeof(void *),
    };
    python_modules[0] = (struct module){ .lib = &hook_libraries[0],
        .ort_value = &value_type,
        .taken = { [METHOD_run] = { .self = &record_of_run,
                           .real = (ort_function)real_fast } } };
    python_modules[1] = (struct module){ .lib = &hook_libraries[0],
        .taken = { [METHOD_run] = { .self = &record_of_tuple,
                           .real = (ort_function)real_tuple } } };
    answer = (struct py){ .refs = 1, .type = &list_type };
    failing = false;
}

static struct py session = { .refs = 1, .type = &session_type };
static struct py nothing = { .type = &number_type };

static struct py *call(struct py *names, struct py *feed)
{
    struct py *args[] = { &session, names, feed, &nothing };
    struct py *(*run)(struct py *, struct py *const *, intptr_t, struct py *) =
            (struct py *
                    (*)(struct py *, struct py *const *, intptr_t, struct py *))
                    python_method(METHOD_run, METHOD_FAST);

    return run(&record_of_run, args, 4, NULL);
}

static void put(struct py *dict, struct py *key, struct py *value)
{
    dict->items[2 * dict->n] = key;
    dict->items[2 * dict->n + 1] = value;
    dict->n++;
}

/* --- tests ---------------------------------------------------------------- */

static void plain(void)
{
    struct made_array in, out, more;
    struct py x = text("x"), s = text("s"), y = text("y");
    struct py feed = { .type = &dict_type };
    struct py names = { .type = &list_type, .n = 1, .items = { &y } };

    begin();
    put(&feed, &x, array(&in, &float32, NULL, DIMS(3, 64)));
    answer.n = 1;
    answer.items[0] = array(&out, &float32, NULL, DIMS(3, 10));
    CHECK(call(&names, &feed) == &answer);

    const struct record *r = hooked_last(RECORD_RUN);

    CHECK_INT(r->flags, FLAG_SHAPE | FLAG_INPUT_BYTES | FLAG_OUTPUT_BYTES);
    CHECK_INT(r->run.session, U(&session));
    CHECK_INT(r->run.batch, 3);
    CHECK_INT(r->run.in_bytes, 3 * 64 * 4);
    CHECK_INT(r->run.out_bytes, 3 * 10 * 4);
    CHECK(r->run.start && r->run.end >= r->run.start);
    CHECK_INT(hooked_count(RECORD_GIL), 0); /* nobody let go of it */
    CHECK_INT(hooked_count(RECORD_PASSED), 0);

    /* Texts have no size; a class that is derived from an array is one. */
    put(&feed, &s, array(&more, &texts, NULL, DIMS(2)));
    more.array.head[1] = &matrix_type;
    CHECK(call(&names, &feed) == &answer);
    CHECK_INT(hooked_last(RECORD_RUN)->flags, FLAG_SHAPE | FLAG_OUTPUT_BYTES);

    failing = true;
    CHECK(!call(&names, &feed));
    CHECK_INT(hooked_last(RECORD_RUN)->flags, FLAG_SHAPE | FLAG_FAILED);
    CHECK(hooked_text(hooked_last(RECORD_ERROR)->error.text, "it failed"));
    CHECK_INT(atomic_load(&session.refs), 1);
    CHECK_INT(atomic_load(&answer.refs), 1);
}

/* Called with a tuple, and with things that ONNX Runtime will refuse. */
static void tuples(void)
{
    struct py junk = { .type = &number_type };
    struct py tuple = { .type = &tuple_type,
        .words = { 4 },
        .items = { &session, &junk, &junk, &nothing } };
    struct py *(*run)(struct py *, struct py *, struct py *) =
            (struct py * (*)(struct py *, struct py *, struct py *))
                    python_method(METHOD_run, METHOD_TUPLE);

    begin();
    CHECK(run(&record_of_tuple, &tuple, NULL) == &answer);
    CHECK_INT(hooked_last(RECORD_RUN)->flags, FLAG_OUTPUT_BYTES);
    tuple.words[0] = 0; /* run() */
    CHECK(run(&record_of_tuple, &tuple, NULL) == &answer);
    CHECK_INT(hooked_count(RECORD_RUN), 1);
}

/* A step of a text: every role that a name can have. */
static void steps(void)
{
    static const char *const said[] = { "input_ids", "attention_mask",
        "past_key_values.0.key", "position_ids", "use_cache_branch",
        "encoder_hidden_states" };
    struct made_array in[6], out;
    int64_t mask[8] = { 1, 1, 1, 1, 1, 0, 0, 0 };
    bool branch = true;
    float past[7 * 2] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
    float present[8 * 2] = { 1, 2, 3 };
    struct py name[6], logits = text("logits"), cache = text("present.0.key");
    struct py feed = { .type = &dict_type };
    struct py names = { .type = &list_type,
        .n = 2,
        .items = { &logits, &cache } };

    begin();
    for (size_t i = 0; i < 6; i++)
        name[i] = text(said[i]);
    put(&feed, &name[0], array(&in[0], &int64, NULL, DIMS(2, 1)));
    put(&feed, &name[1], array(&in[1], &int64, mask, DIMS(1, 8)));
    put(&feed, &name[2], array(&in[2], &float32, past, DIMS(1, 1, 7, 2)));
    put(&feed, &name[3], array(&in[3], &int64, mask, DIMS(1, 1)));
    put(&feed, &name[4], array(&in[4], &boolean, &branch, DIMS(1)));
    put(&feed, &name[5], array(&in[5], &float32, NULL, DIMS(1, 4, 8)));
    answer.n = 2;
    answer.items[0] = array(&out, &float32, NULL, DIMS(2, 1, 9));

    struct made_array handed_on;

    answer.items[1] = array(&handed_on, &float32, present, DIMS(1, 1, 8, 2));
    for (int again = 0; again < 2; again++) {
        CHECK(call(&names, &feed) == &answer);

        const struct record *r = hooked_last(RECORD_RUN);

        CHECK_INT(record_phase(r), PHASE_DECODE);
        CHECK_INT(r->run.batch, 2);
        CHECK_INT(r->run.sequence, 1);
        CHECK_INT(r->run.past, 4); /* the mask lets five through */
        CHECK_INT(hooked_count(RECORD_PASSED), again + 1);
        r = hooked_last(RECORD_PASSED);
        CHECK(r->passed.in && r->passed.in_at && r->passed.out_at);
        CHECK_INT(r->passed.session, U(&session));
    }

    /* The cache does not count, says the program: a prompt. */
    branch = false;
    feed.items[2] = &session; /* a name that is no text, and no mask */
    CHECK(call(&names, &feed) == &answer);
    CHECK_INT(record_phase(hooked_last(RECORD_RUN)), PHASE_PREFILL);
    CHECK_INT(hooked_last(RECORD_RUN)->run.past, 0);

    /* Rows that do not lie one behind the other are not read. */
    branch = true;
    in[2].strides[2] = 1000;
    CHECK(call(&names, &feed) == &answer);
    CHECK_INT(hooked_last(RECORD_PASSED)->passed.in, 0);
    CHECK_INT(hooked_last(RECORD_RUN)->run.past, 1); /* where it stands */
}

/* --- threads, which take turns as Python's do ------------------------------
 */

static void let_go(void)
{
    pthread_mutex_unlock(&gil);
    pthread_mutex_lock(&gil);
}

static void *work(void *data)
{
    struct py *const *args = data;

    pthread_mutex_lock(&gil);
    for (int i = 0; i < RUNS_A_THREAD; i++)
        CHECK(call(args[0], args[1]) == &answer);
    pthread_mutex_unlock(&gil);
    return NULL;
}

static void threads(void)
{
    struct made_array in;
    struct py x = text("x"), y = text("y");
    struct py feed = { .type = &dict_type };
    struct py names = { .type = &list_type, .n = 1, .items = { &y } };
    struct py *args[] = { &names, &feed };
    pthread_t thread[THREADS];

    begin();
    put(&feed, &x, array(&in, &float32, NULL, DIMS(5, 7)));
    fake.during = let_go;
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, work, args) == 0);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK_INT(hooked_count(RECORD_RUN), THREADS * RUNS_A_THREAD);
    for (size_t i = 0; i < hooked.count; i++)
        if (hooked.records[i].kind == RECORD_RUN)
            CHECK_INT(hooked.records[i].run.in_bytes, 5 * 7 * 4);
    /* A reference to the dtype is kept, and no other. */
    CHECK_INT(atomic_load(&float32.refs), 2);
}

int main(void)
{
    HOOKED(plain);
    HOOKED(tuples);
    HOOKED(steps);
    HOOKED(threads);
    return test_result();
}
