/* feed.c -- what is fed to an inference, and what it returns: bytes, batch, and
 * which step of a text it is.
 *
 * Everything here is paid by every call, so each input is looked at once and
 * its name is not read but known by its hash, which a key of a dict has: the
 * program may make its names anew for each call. */
#include "hook/python/python.h"
#include "hook/table.h"

#include "base/compiler.h"

#include <stdatomic.h>

#define ROLES (ROLE_STATES + 1)

/* --- names ---------------------------------------------------------------- */

#define NAMES 1024 /* a power of 2 */

/* Of a hash all but the last bits, in which is what the name means. */
#define KNOWN     8
#define ROLE_BITS (KNOWN - 1)

_Static_assert(ROLES <= KNOWN, "a role has its bits");

COLD static enum role meet_name(_Atomic uint64_t *place, struct py *name,
        uint64_t hash)
{
    const char *text = python_text(name);
    enum role role = shape_role(text);

    if (text)
        atomic_store_explicit(place,
                (hash & ~(uint64_t)(KNOWN | ROLE_BITS)) | KNOWN | role,
                memory_order_relaxed);
    return role;
}

/* Of a key of a dict. */
static inline enum role role_of(struct py *name)
{
    static _Atomic uint64_t names[NAMES];
    uint64_t hash = (uint64_t)python_text_hash(name);
    _Atomic uint64_t *place = &names[hash >> 4 & (NAMES - 1)];
    uint64_t known = atomic_load_explicit(place, memory_order_relaxed);

    return (known ^ hash) >> 4 || !(known & KNOWN)
                   ? meet_name(place, name, hash)
                   : (enum role)(known & ROLE_BITS);
}

/* --- what a session returns ----------------------------------------------- */

#define SESSIONS 256 /* a power of 2 */

/* Which of the outputs is the last cache, which an encoder's states; from 1. */
union returns {
    uint64_t word;
    struct {
        uint32_t known : 1;
        uint32_t count : 31; /* it holds for that many */
        uint16_t present, states;
    };
};

static struct table_place sessions[SESSIONS];

void feed_forget(const void *session)
{
    table_write(sessions, SESSIONS, session, 0);
}

static enum role role_at(struct py *names, size_t i)
{
    return shape_role(python_text(python.PyList_GetItem(names, (intptr_t)i)));
}

COLD static union returns learn(struct py *names, size_t n)
{
    union returns r = { .known = 1, .count = (uint32_t)n & INT32_MAX };

    for (size_t i = 0; i < n && i < UINT16_MAX; i++) {
        enum role role = role_at(names, i);

        if (role == ROLE_PRESENT)
            r.present = (uint16_t)(i + 1);
        else if (role == ROLE_STATES)
            r.states = (uint16_t)(i + 1);
    }
    return r;
}

static inline bool holds(union returns r, struct py *names, size_t n)
{
    return r.known && r.count == n &&
           (!r.present || role_at(names, r.present - 1U) == ROLE_PRESENT) &&
           (!r.states || role_at(names, r.states - 1U) == ROLE_STATES);
}

static union returns returns_of(const void *session, struct py *names)
{
    union returns r = { 0 };

    if (!names || python_type(names) != python.PyList_Type)
        return r;

    size_t n = (size_t)python.PyList_Size(names);
    _Atomic uint64_t *kept = table_word(sessions, SESSIONS, session);

    if (kept)
        r.word = atomic_load_explicit(kept, memory_order_relaxed);
    if (!holds(r, names, n)) {
        r = learn(names, n);
        if (kept)
            atomic_store_explicit(kept, r.word, memory_order_relaxed);
    }
    return r;
}

/* --- inputs --------------------------------------------------------------- */

/* What the inputs of one inference tell, as they pass. */
struct inputs {
    struct py *role[ROLES]; /* the first that plays it */
    struct py *last_past;
    size_t best_rank;
    int64_t batch;
    uint64_t bytes;
    bool all_sized;
};

static inline void add_input(struct inputs *in, const struct module *m,
        struct py *name, struct py *value)
{
    struct extent e = python_extent(m, value);
    enum role role = role_of(name);

    in->all_sized &= e.bytes != UINT64_MAX;
    in->bytes += e.bytes;
    /* The batch leads the first that has at least two dimensions, or else the
     * first that has any. */
    if (in->best_rank < 2 && e.rank > in->best_rank) {
        in->best_rank = e.rank;
        in->batch = e.first;
    }
    if (role == ROLE_NONE)
        return;
    if (!in->role[role])
        in->role[role] = value;
    if (role == ROLE_PAST)
        in->last_past = value;
}

/* Its shape, and its values where they can be read. */
static struct shape *read_role(struct tensor *t, const struct module *m,
        struct py *value)
{
    if (!value)
        return NULL;
    python_read(t, m, value);
    return t->shaped ? &t->shape : NULL;
}

static void read_text(struct fed *f, const struct module *m,
        const struct inputs *in)
{
    struct tensor ids, mask, past, position, branch, last;
    struct handed h = {
        .ids = read_role(&ids, m, in->role[ROLE_IDS]),
        .mask = read_role(&mask, m, in->role[ROLE_MASK]),
        .past = read_role(&past, m, in->role[ROLE_PAST]),
        .present = f->present,
    };
    const struct shape *at = read_role(&branch, m, in->role[ROLE_BRANCH]);
    struct record *r = &f->run;

    if (at && at->type == ORT_TYPE_BOOL)
        h.branch = at->data;
    if (h.past && !h.mask)
        h.position = read_role(&position, m, in->role[ROLE_POSITION]);
    if (h.ids && h.ids->rank) {
        r->run.batch = (uint32_t)h.ids->dims[0];
        r->flags |= FLAG_SHAPE;
    }
    shape_text(r, &h);
    if (!(r->flags & FLAG_PAST) && !f->states)
        return;

    const struct shape *handed =
            r->run.past ? read_role(&last, m, in->last_past) : NULL;
    const struct shape *states =
            handed ? NULL : read_role(&last, m, in->role[ROLE_STATES]);

    passed_begin(&f->passed, r, handed, states);
}

HOT void feed_inputs(struct fed *f, const struct module *m, struct py *feed,
        struct py *names)
{
    struct record *r = &f->run;
    struct inputs in = { .all_sized = true };
    struct py *key, *value;
    intptr_t at = 0;

    if (!feed || python_type(feed) != python.PyDict_Type)
        return;

    union returns returned =
            returns_of((const void *)(uintptr_t)r->run.session, names);

    f->present = returned.present;
    f->states = returned.states;
    while (python.PyDict_Next(feed, &at, &key, &value))
        add_input(&in, m, key, value);
    if (in.best_rank) {
        r->run.batch = (uint32_t)in.batch;
        r->flags |= FLAG_SHAPE;
    }
    if (in.all_sized && at) {
        r->run.in_bytes = in.bytes;
        r->flags |= FLAG_INPUT_BYTES;
    }
    if (in.role[ROLE_IDS] || f->states)
        read_text(f, m, &in);
}

uint64_t feed_key(const struct module *m, struct py *feed)
{
    const uint64_t prime = UINT64_C(1099511628211);
    uint64_t key = UINT64_C(14695981039346656037);
    struct py *name, *value;
    intptr_t at = 0;

    if (!feed || python_type(feed) != python.PyDict_Type)
        return 0;
    while (python.PyDict_Next(feed, &at, &name, &value)) {
        struct tensor t;

        python_read(&t, m, value);
        if (!t.shaped ||
                t.shape.rank > sizeof(t.shape.dims) / sizeof(*t.shape.dims))
            return 0;
        key = (key ^ (uint64_t)python_text_hash(name)) * prime;
        key = (key ^ t.shape.rank) * prime;
        for (size_t i = 0; i < t.shape.rank; i++)
            key = (key ^ (uint64_t)t.shape.dims[i]) * prime;
    }
    return key;
}

/* --- outputs -------------------------------------------------------------- */

static struct shape *read_output(struct tensor *t, const struct module *m,
        struct py *list, size_t which)
{
    bool there = which && which <= (size_t)python.PyList_Size(list);

    return there ? read_role(t, m,
                           python.PyList_GetItem(list, (intptr_t)which - 1))
                 : NULL;
}

static void hand_on(struct fed *f, const struct module *m, struct py *list)
{
    struct tensor present, states;

    passed_finish(&f->passed, &f->run,
            read_output(&present, m, list, f->present),
            read_output(&states, m, list, f->states));
}

HOT void feed_outputs(struct fed *f, const struct module *m, struct py *list)
{
    struct record *r = &f->run;
    uint64_t sum = 0;

    if (python_type(list) != python.PyList_Type)
        return;
    if (f->passed.kind)
        hand_on(f, m, list);

    intptr_t n = python.PyList_Size(list);

    for (intptr_t i = 0; i < n; i++) {
        struct extent e = python_extent(m, python.PyList_GetItem(list, i));

        if (e.bytes == UINT64_MAX)
            return;
        sum += e.bytes;
    }
    r->run.out_bytes = sum;
    r->flags |= FLAG_OUTPUT_BYTES;
}
