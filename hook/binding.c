/* binding.c -- what a program has bound for RunWithBinding, which names no
 * tensors itself.
 *
 * A binding belongs to one thread at a time, as ONNX Runtime asks; only the
 * table of bindings is shared. */
#include "hook/hook.h"
#include "hook/memory.h"
#include "hook/text.h"

#include <stdatomic.h>

#define BINDINGS 64
#define NAMES    192

struct bound {
    uint32_t name; /* a hash */
    bool input;
    bool known;       /* bytes is */
    uint8_t rank;     /* 0: not known, or it has none */
    uint32_t leading; /* its first dimension */
    uint64_t bytes;
};

struct binding {
    _Atomic uintptr_t key; /* 0: free */
    bool has_ids, has_mask, has_past, present;
    bool crowded[2]; /* more names than we keep: of outputs, of inputs */
    struct shape ids, mask, past;
    const void *present_at; /* NULL: not known */
    size_t count;
    struct bound bound[NAMES];
};

static struct binding *_Atomic bindings; /* BINDINGS of them */

static struct binding *find(const struct ort_binding *b)
{
    struct binding *all = atomic_load_explicit(&bindings, memory_order_acquire);

    for (size_t i = 0; all && i < BINDINGS; i++)
        if (atomic_load_explicit(&all[i].key, memory_order_acquire) ==
                (uintptr_t)b)
            return &all[i];
    return NULL;
}

static struct binding *all_bindings(void)
{
    struct binding *there = atomic_load(&bindings);
    struct binding *made =
            there ? NULL : memory_pages(BINDINGS * sizeof(*made));

    if (there || !made)
        return there;
    if (atomic_compare_exchange_strong(&bindings, &there, made))
        return made;
    memory_give_back(made, BINDINGS * sizeof(*made));
    return there;
}

static void empty(struct binding *b)
{
    b->has_ids = b->has_mask = b->has_past = b->present = false;
    b->present_at = NULL;
    b->crowded[0] = b->crowded[1] = false;
    b->count = 0;
}

static struct binding *find_or_take(const struct ort_binding *b)
{
    struct binding *found = find(b);
    struct binding *all = all_bindings();

    for (size_t i = 0; all && !found && i < BINDINGS; i++) {
        uintptr_t nobody = 0;

        if (atomic_compare_exchange_strong(&all[i].key, &nobody,
                    (uintptr_t)b)) {
            found = &all[i];
            empty(found);
        }
    }
    return found;
}

static uint32_t hash(const char *name)
{
    uint32_t h = UINT32_C(2166136261);

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT32_C(16777619);
    return h;
}

/* Binding a name again replaces what was bound to it. */
static void keep(struct binding *b, struct bound what)
{
    size_t i = 0;

    while (i < b->count &&
            (b->bound[i].name != what.name || b->bound[i].input != what.input))
        i++;
    if (i == NAMES) {
        b->crowded[what.input] = true;
        return;
    }
    b->bound[i] = what;
    if (i == b->count)
        b->count++;
}

/* `s` NULL: what is bound now has no shape. */
static void take_role(struct binding *b, const char *name,
        const struct shape *s)
{
    static const struct shape none;
    const struct shape *shape = s ? s : &none;

    switch (shape_role(name)) {
    case ROLE_IDS: b->ids = *shape, b->has_ids = s; break;
    case ROLE_MASK: b->mask = *shape, b->has_mask = s; break;
    case ROLE_PAST: b->past = *shape, b->has_past = s; break;
    default: break;
    }
}

void binding_keep(const struct ort_binding *b, const char *name, bool input,
        const struct shape *s, const uint64_t *bytes)
{
    struct binding *kept = name ? find_or_take(b) : NULL;

    if (!kept)
        return;

    struct bound what = { .name = hash(name), .input = input };

    if (bytes) {
        what.known = true;
        what.bytes = *bytes;
    }
    if (input && s) {
        what.rank = s->rank < UINT8_MAX ? (uint8_t)s->rank : UINT8_MAX;
        what.leading = s->rank ? (uint32_t)s->dims[0] : 0;
    }
    if (input)
        take_role(kept, name, s);
    if (!input && shape_role(name) == ROLE_PRESENT) {
        kept->present = true;
        kept->present_at = s ? s->data : NULL;
    }
    keep(kept, what);
}

static bool role_has_values(enum role role)
{
    return role == ROLE_MASK || role == ROLE_PAST || role == ROLE_PRESENT;
}

static void bind(const struct library *lib, const struct ort_binding *b,
        const char *name, const struct ort_value *v, bool input)
{
    struct shape s;
    uint64_t bytes;
    bool readable = name && shape_read(lib, v, &s);

    if (readable && role_has_values(shape_role(name)))
        s.data = passed_values(lib, v);
    binding_keep(b, name, input, readable ? &s : NULL,
            readable && shape_size(&s, &bytes) ? &bytes : NULL);
}

void binding_input(const struct library *lib, const struct ort_binding *b,
        const char *name, const struct ort_value *v)
{
    bind(lib, b, name, v, true);
}

void binding_output(const struct library *lib, const struct ort_binding *b,
        const char *name, const struct ort_value *v)
{
    bind(lib, b, name, v, false);
}

void binding_clear(const struct ort_binding *b, bool inputs)
{
    struct binding *kept = find(b);
    size_t left = 0;

    if (!kept)
        return;
    for (size_t i = 0; i < kept->count; i++)
        if (kept->bound[i].input != inputs)
            kept->bound[left++] = kept->bound[i];
    kept->count = left;
    kept->crowded[inputs] = false;
    if (inputs) {
        kept->has_ids = kept->has_mask = kept->has_past = false;
    } else {
        kept->present = false;
        kept->present_at = NULL;
    }
}

void binding_forget(const struct ort_binding *b)
{
    struct binding *kept = b ? find(b) : NULL;

    if (kept)
        atomic_store_explicit(&kept->key, 0, memory_order_release);
}

/* The bytes of one side; false: not all of them are known. */
static bool sum(const struct binding *b, bool inputs, uint64_t *bytes)
{
    uint64_t total = 0;
    size_t n = 0;

    for (size_t i = 0; i < b->count; i++) {
        if (b->bound[i].input != inputs)
            continue;
        if (!b->bound[i].known)
            return false;
        total += b->bound[i].bytes;
        n++;
    }
    *bytes = total;
    return n && !b->crowded[inputs];
}

/* The batch leads the first input that has at least two dimensions, or else the
 * first that has any.  False: none has. */
static bool find_batch(const struct binding *b, uint32_t *batch)
{
    uint8_t best = 0;

    if (b->has_ids && b->ids.rank) {
        *batch = (uint32_t)b->ids.dims[0];
        return true;
    }
    for (size_t i = 0; i < b->count && best < 2; i++)
        if (b->bound[i].input && b->bound[i].rank > best) {
            best = b->bound[i].rank;
            *batch = b->bound[i].leading;
        }
    return best > 0;
}

void binding_read(struct record *r, struct record *passed,
        const struct ort_binding *b)
{
    const struct binding *kept = find(b);

    passed->kind = RECORD_NONE;
    if (!kept)
        return;
    if (find_batch(kept, &r->run.batch))
        r->flags |= FLAG_SHAPE;
    if (kept->has_ids)
        shape_phase(r, &kept->ids, kept->has_mask ? &kept->mask : NULL,
                kept->has_past ? &kept->past : NULL, kept->present);
    if (r->flags & FLAG_PAST)
        passed_bound(passed, r, kept->has_past ? kept->past.data : NULL,
                kept->present_at);
    if (sum(kept, true, &r->run.in_bytes))
        r->flags |= FLAG_INPUT_BYTES;
    if (sum(kept, false, &r->run.out_bytes))
        r->flags |= FLAG_OUTPUT_BYTES;
}
