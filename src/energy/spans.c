#include "energy/spans.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

/* The open spans of one thread, the innermost last. */
struct thread_stack {
    struct work_span *open;
    size_t count, cap;
    uint64_t done_ns; /* up to here the thread's pieces are out */
};

struct flattener {
    struct work_pieces *out;
    size_t cap;
    struct map threads; /* to an index in `stacks` */
    struct thread_stack *stacks;
    size_t stack_count;
};

static void emit(struct flattener *f, const struct work_span *of,
        uint64_t start_ns, uint64_t end_ns)
{
    if (end_ns <= start_ns)
        return;
    if (f->out->count == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 256;
        f->out->items =
                alloc_resize(f->out->items, f->cap * sizeof(*f->out->items));
    }

    struct work_span piece = *of;

    piece.start_ns = start_ns;
    piece.end_ns = end_ns;
    f->out->items[f->out->count++] = piece;
}

/* Closes what has ended by `now_ns`, and gives the rest its time until then. */
static void advance(struct flattener *f, struct thread_stack *t,
        uint64_t now_ns)
{
    while (t->count) {
        struct work_span *top = &t->open[t->count - 1];
        uint64_t until_ns = top->end_ns < now_ns ? top->end_ns : now_ns;

        emit(f, top, t->done_ns, until_ns);
        if (until_ns > t->done_ns)
            t->done_ns = until_ns;
        if (top->end_ns > now_ns)
            return;
        t->count--;
    }
}

static struct thread_stack *stack_of(struct flattener *f, uint32_t thread)
{
    uint64_t *known = map_find(&f->threads, thread);

    if (known)
        return &f->stacks[*known];
    map_put(&f->threads, thread, f->stack_count);
    f->stacks =
            alloc_resize(f->stacks, (f->stack_count + 1) * sizeof(*f->stacks));
    f->stacks[f->stack_count] = (struct thread_stack){ 0 };
    return &f->stacks[f->stack_count++];
}

static void enter(struct flattener *f, const struct work_span *s)
{
    struct thread_stack *t = stack_of(f, s->thread);

    advance(f, t, s->start_ns);
    if (t->done_ns < s->start_ns)
        t->done_ns = s->start_ns;
    if (t->count == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 8;
        t->open = alloc_resize(t->open, t->cap * sizeof(*t->open));
    }
    t->open[t->count] = *s;
    if (t->count && s->end_ns > t->open[t->count - 1].end_ns)
        t->open[t->count].end_ns = t->open[t->count - 1].end_ns;
    t->count++;
}

static int by_start(const void *a, const void *b)
{
    const struct work_span *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

void pieces_from_spans(struct work_pieces *out, const struct work_span *spans,
        size_t count, const bool *here)
{
    struct flattener f = { .out = out };

    *out = (struct work_pieces){ 0 };
    for (size_t i = 0; i < count; i++)
        if (spans[i].end_ns > spans[i].start_ns &&
                (!here || here[spans[i].work_class]))
            enter(&f, &spans[i]);
    for (size_t i = 0; i < f.stack_count; i++) {
        advance(&f, &f.stacks[i], UINT64_MAX);
        free(f.stacks[i].open);
    }
    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items), by_start);
    free(f.stacks);
    map_release(&f.threads);
}

void pieces_release(struct work_pieces *p)
{
    free(p->items);
    *p = (struct work_pieces){ 0 };
}
