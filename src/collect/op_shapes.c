/* op_shapes.c -- shapes that operators ran with, and how often.
 *
 * Shapes are read where those of the inference's inputs are new.  The key of
 * the inputs' shapes then stands for all of them, so other inferences with the
 * same key are counted without being read. */
#include "base/alloc.h"
#include "collect/kernels_state.h"
#include "onnx/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A tensor of a trace, and the kernel's operator. */
struct shown {
    uint32_t place;
    const struct record *r;
};

/* By operator; inputs first, by their index. */
static int by_operator(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    int x_out = x->r->flags & TENSOR_OUTPUT,
        y_out = y->r->flags & TENSOR_OUTPUT;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x_out != y_out)
        return x_out - y_out;
    return (int)x->r->tensor.index - (int)y->r->tensor.index;
}

static bool has_shape(const struct record *r)
{
    return r->tensor.type && r->tensor.rank <= TENSOR_DIMS &&
           !(r->flags & (TENSOR_ABSENT | TENSOR_NO_VALUE | TENSOR_OTHER |
                                TENSOR_CUT)) &&
           onnx_type_name(r->tensor.type);
}

/* False: it has no fixed size. */
static bool bytes_of(const struct record *r, uint64_t *out)
{
    uint64_t elements = 1;

    for (unsigned i = 0; i < r->tensor.rank; i++)
        if (__builtin_mul_overflow(elements, r->tensor.dims[i], &elements))
            return false;
    return onnx_type_bytes(out, r->tensor.type, elements);
}

/* As ONNX Runtime writes it: {"float":[1,3,48,192]}. */
static void write_shape(struct buf *out, const struct record *r)
{
    buf_printf(out, "{\"%s\":[", onnx_type_name(r->tensor.type));
    for (unsigned i = 0; i < r->tensor.rank; i++)
        buf_printf(out, "%s%" PRIu32, i ? "," : "", r->tensor.dims[i]);
    buf_text(out, "]}");
}

static void write_list(struct buf *out, const struct record *const *list,
        size_t count)
{
    buf_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_char(out, ',');
        write_shape(out, list[i]);
    }
    buf_char(out, ']');
}

/* --- who reads what is made ----------------------------------------------- */

/* Inputs of this trace by their names: the shape of an output that could not
 * be read is that of whoever takes it. */
static void note_inputs(struct map *out, const struct op_table *t,
        const struct shown *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct record *r = all[i].r;
        const struct op *o = &t->ops[all[i].place];

        if (r->flags & TENSOR_OUTPUT || !has_shape(r))
            continue;

        const struct op_tensor *x = op_find_tensor(o, false, r->tensor.index);

        if (!x || !x->name)
            continue;
        /* By the graph; and by the name alone, for who is in a body. */
        map_put(out, mixed(x->name, o->graph + UINT64_C(1)), (uintptr_t)r);
        if (!map_find(out, x->name))
            map_put(out, x->name, (uintptr_t)r);
    }
}

static const struct record *as_read(const struct map *inputs,
        const struct op *o, uint64_t name)
{
    uint64_t *r = map_find(inputs, mixed(name, o->graph + UINT64_C(1)));

    if (!r && !o->graph)
        r = map_find(inputs, name);
    return r ? (const struct record *)(uintptr_t)*r : NULL;
}

/* --- one operator --------------------------------------------------------- */

#define LIST_MAX 1024

struct listed {
    const struct record *in[LIST_MAX], *out[LIST_MAX];
    size_t n_in, n_out;
    bool in_known, out_known;
    uint64_t activation_bytes, parameter_bytes, output_bytes;
};

static void list_inputs(struct listed *l, const struct op *o,
        const struct shown *own, size_t count)
{
    l->in_known = true;
    for (size_t i = 0; i < count; i++) {
        const struct record *r = own[i].r;
        uint64_t bytes = 0;

        if (r->flags & TENSOR_OUTPUT ||
                (i && !(own[i - 1].r->flags & TENSOR_OUTPUT) &&
                        own[i - 1].r->tensor.index == r->tensor.index))
            continue; /* told twice */
        if (!has_shape(r))
            continue;
        if (l->n_in < LIST_MAX)
            l->in[l->n_in++] = r;
        l->in_known &= bytes_of(r, &bytes);

        const struct op_tensor *x = op_find_tensor(o, false, r->tensor.index);

        *(x && x->flags & TENSOR_CONSTANT ? &l->parameter_bytes
                                          : &l->activation_bytes) += bytes;
    }
}

static const struct record *told_output(const struct shown *own, size_t count,
        uint16_t index)
{
    for (size_t i = 0; i < count; i++)
        if (own[i].r->flags & TENSOR_OUTPUT && own[i].r->tensor.index == index)
            return own[i].r;
    return NULL;
}

/* One that is not made, or has no shape, is left out, as ONNX Runtime does. */
static void list_outputs(struct listed *l, const struct op *o,
        const struct shown *own, size_t count, const struct map *inputs)
{
    l->out_known = true;
    for (uint32_t i = 0; i < o->tensor_count; i++) {
        const struct op_tensor *x = &o->tensors[i];
        uint64_t bytes = 0;

        if (!(x->flags & TENSOR_OUTPUT) || x->flags & TENSOR_ABSENT)
            continue;

        const struct record *r = told_output(own, count, x->index);

        if (r && r->flags & (TENSOR_NO_VALUE | TENSOR_OTHER))
            continue;
        if (!r || !has_shape(r))
            r = x->name ? as_read(inputs, o, x->name) : NULL;
        if (!r) {
            l->out_known = false;
            continue;
        }
        if (l->n_out < LIST_MAX)
            l->out[l->n_out++] = r;
        l->out_known &= bytes_of(r, &bytes);
        l->output_bytes += bytes;
    }
}

static uint64_t hash_of(struct str s)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < s.len; i++)
        hash = (hash ^ (unsigned char)s.p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The operator's shape of that text, its place + 1; 0: it cannot be kept. */
static uint32_t keep_shape(struct kernels *k, struct op *o,
        const struct listed *l)
{
    struct buf *text = &k->text;
    size_t split;

    buf_clear(text);
    write_list(text, l->in, l->n_in);
    buf_add(text, "", 1);
    split = text->len;
    if (l->out_known || l->n_out)
        write_list(text, l->out, l->n_out);

    uint64_t hash = hash_of(buf_str(text));

    for (uint32_t i = 0; i < o->shape_count; i++)
        if (o->shapes[i].hash == hash)
            return i + 1;
    if (o->shape_count == SHAPES_MAX || k->text_bytes + text->len > SHAPE_TEXT)
        return 0;
    k->text_bytes += text->len;
    if (!(o->shape_count & (o->shape_count - 1)))
        o->shapes = alloc_resize(o->shapes,
                (o->shape_count ? 2 * o->shape_count : 1) * sizeof(*o->shapes));
    o->shapes[o->shape_count++] = (struct op_shape){
        .hash = hash,
        .inputs = alloc_text(text->p),
        .outputs = text->len > split ? alloc_text(text->p + split) : NULL,
        .sizes_known = l->in_known,
        .output_known = l->out_known,
        .activation_bytes = l->activation_bytes,
        .parameter_bytes = l->parameter_bytes,
        .output_bytes = l->output_bytes,
        .changed = true,
    };
    return o->shape_count;
}

/* --- sets ----------------------------------------------------------------- */

static struct shape_set *find_set(const struct op_table *t, uint64_t key)
{
    uint64_t *set = map_find(&t->sets, key);

    return set ? (struct shape_set *)(uintptr_t)*set : NULL;
}

/* Room for all operators that are known now.  False: there are too many. */
static bool widen(struct kernels *k, struct shape_set *set, uint32_t count)
{
    if (set->count >= count)
        return true;
    if (k->set_places + (count - set->count) > SETS_MAX)
        return false;
    k->set_places += count - set->count;
    set->shape = alloc_resize(set->shape, count * sizeof(*set->shape));
    memset(set->shape + set->count, 0,
            (count - set->count) * sizeof(*set->shape));
    set->count = count;
    return true;
}

/* NULL: there is no room. */
static struct shape_set *make_set(struct kernels *k, struct op_table *t,
        uint64_t key)
{
    struct shape_set *set = find_set(t, key);
    struct shape_set fresh = { 0 };

    if (!widen(k, set ? set : &fresh, t->count))
        return NULL;
    if (!set) {
        set = alloc_zero(1, sizeof(*set));
        *set = fresh;
        map_put(&t->sets, key, (uintptr_t)set);
    }
    return set;
}

static size_t collect(struct process_kernels *p, const struct op_table *t,
        const struct pending *trace, struct shown *out)
{
    size_t n = 0;

    for (size_t i = 0; i < trace->other_count; i++) {
        const struct record *r = &trace->others[i];
        const struct kernel *x = r->kind == RECORD_TENSOR
                                         ? kernels_find(p, r->tensor.kernel)
                                         : NULL;

        if (x && x->table == t)
            out[n++] = (struct shown){ x->place, r };
    }
    qsort(out, n, sizeof(*out), by_operator);
    return n;
}

static void fill_set(struct kernels *k, struct op_table *t,
        struct shape_set *set, const struct shown *all, size_t count)
{
    struct listed *l = alloc_zero(1, sizeof(*l));
    struct map inputs = { 0 };

    note_inputs(&inputs, t, all, count);
    for (size_t i = 0; i < count;) {
        uint32_t place = all[i].place;
        struct op *o = &t->ops[place];
        size_t n = 1;

        while (i + n < count && all[i + n].place == place)
            n++;
        l->n_in = l->n_out = 0;
        l->activation_bytes = l->parameter_bytes = l->output_bytes = 0;
        list_inputs(l, o, &all[i], n);
        list_outputs(l, o, &all[i], n, &inputs);
        set->shape[place] = keep_shape(k, o, l);
        i += n;
    }
    map_release(&inputs);
    free(l);
}

const struct shape_set *op_shapes_take(struct kernels *k,
        struct process_kernels *p, struct op_table *t, uint64_t key,
        struct pending *trace)
{
    struct shown *all = trace->other_count
                                ? alloc_zero(trace->other_count, sizeof(*all))
                                : NULL;
    size_t count = all ? collect(p, t, trace, all) : 0;
    struct shape_set *set = count ? make_set(k, t, key)
                            : key ? find_set(t, key)
                                  : NULL;

    if (count && set)
        fill_set(k, t, set, all, count);
    t->changed |= count != 0;
    free(all);
    return set;
}

void op_shapes_tell(struct kernels *k, struct op *o)
{
    for (uint32_t i = 0; i < o->shape_count; i++) {
        struct op_shape *s = &o->shapes[i];
        uint64_t count = 0;

        if (!s->changed)
            continue;
        s->changed = false;
        for (unsigned phase = 0; phase < PHASES; phase++)
            count += s->counts[phase];
        k->sink.shape(k->sink.context,
                &(struct operator_shape){
                        .operator_id = o->row.id,
                        .index = i,
                        .inputs = s->inputs,
                        .outputs = s->outputs,
                        .count = count,
                        .phases_known = true,
                        .prefill_count = s->counts[PHASE_PREFILL],
                        .decode_count = s->counts[PHASE_DECODE],
                        .sizes_known = s->sizes_known,
                        .activation_bytes = s->activation_bytes,
                        .parameter_bytes = s->parameter_bytes,
                        .output_known = s->output_known,
                        .output_bytes = s->output_bytes,
                });
    }
}
