#include "collect/kernels.h"

#include "base/alloc.h"
#include "collect/kernels_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A process that claims more than that is not believed. */
#define KERNELS_MAX (1 << 18)
#define TOLD_MAX    (1 << 16) /* threads */
#define PENDING_MAX 1024
#define THREADS_MAX 256                /* of an inference */
#define WAITING_MAX ((size_t)64 << 20) /* bytes */
#define ROOM_KEPT   ((size_t)1 << 18)  /* bytes, for the next inference */

struct kernels *kernels_new(const struct subscriber *sink,
        const struct texts *texts)
{
    struct kernels *k = alloc_zero(1, sizeof(*k));

    k->sink = *sink;
    k->texts = texts;
    return k;
}

void kernels_keep_timelines(struct kernels *k)
{
    k->keeps_timelines = true;
}

struct kernel *kernels_find(struct process_kernels *p, uint64_t address)
{
    uint64_t *found = map_find(&p->kernels, address);

    return found ? (struct kernel *)(uintptr_t)*found : NULL;
}

const char *kernels_text(const struct kernels *k, uint64_t hash)
{
    return texts_find(k->texts, hash);
}

static void release_pending(struct pending *x)
{
    for (size_t i = 0; i < x->thread_count; i++)
        free(x->lines[i].line);
    free(x->lines);
    free(x->others);
}

static void forget_kernel(struct process_kernels *p, struct kernel *x)
{
    p->tensor_count -= x->tensor_count;
    free(x->tensors);
    free(x);
}

static void release_process(struct process_kernels *p)
{
    for (size_t i = 0; i < p->kernels.cap; i++)
        if (p->kernels.entries[i].used)
            forget_kernel(p,
                    (struct kernel *)(uintptr_t)p->kernels.entries[i].value);
    for (size_t i = 0; i < p->pending_count; i++)
        release_pending(&p->pending[i]);
    map_release(&p->kernels);
    map_release(&p->traced);
    free(p->told);
    free(p->pending);
}

void kernels_free(struct kernels *k)
{
    if (!k)
        return;
    for (uint32_t i = 0; i < k->process_count; i++)
        release_process(&k->processes[i]);
    for (uint32_t i = 0; i < k->table_count; i++)
        op_table_free(k->tables[i]);
    map_release(&k->by_identity);
    map_release(&k->by_session);
    map_release(&k->lost);
    buf_release(&k->text);
    free(k->processes);
    free(k->tables);
    free(k->runs);
    free(k->run_kernels);
    free(k);
}

/* --- descriptions --------------------------------------------------------- */

/* Two threads that meet a kernel at the same time both describe it. */
static bool is_same(const struct record *a, const struct record *b)
{
    return memcmp(&a->kernel, &b->kernel, sizeof(a->kernel)) == 0;
}

static bool take_kernel(struct process_kernels *p, const struct record *r)
{
    struct kernel *x = kernels_find(p, r->kernel.kernel);

    if (x && is_same(&x->found, r))
        return true;
    if (x) { /* its end was lost: another one lives there now */
        map_remove(&p->kernels, r->kernel.kernel);
        forget_kernel(p, x);
    }
    if (p->kernels.count >= KERNELS_MAX || r->kernel.kernel & LINE_KIND_BITS)
        return false;
    x = alloc_zero(1, sizeof(*x));
    x->found = *r;
    map_put(&p->kernels, r->kernel.kernel, (uintptr_t)x);
    return true;
}

static bool take_end(struct process_kernels *p, const struct record *r)
{
    struct kernel *x = kernels_find(p, r->kernel.kernel);

    if (x) {
        map_remove(&p->kernels, r->kernel.kernel);
        forget_kernel(p, x);
    }
    return true; /* also of one that never ran */
}

static bool describe(struct process_kernels *p, struct kernel *x,
        const struct record *r)
{
    if (x->table)
        return true;
    if (p->tensor_count >= TENSORS_MAX)
        return false;
    /* Doubled each time it is full: at a power of 2. */
    if (!(x->tensor_count & (x->tensor_count - 1)))
        x->tensors = alloc_resize(x->tensors,
                (x->tensor_count ? 2 * x->tensor_count : 1) *
                        sizeof(*x->tensors));
    x->tensors[x->tensor_count++] = *r;
    p->tensor_count++;
    return true;
}

/* --- traces that are not over --------------------------------------------- */

static size_t bytes_of(const struct pending *x)
{
    size_t bytes = x->other_count * sizeof(*x->others);

    for (size_t i = 0; i < x->thread_count; i++)
        bytes += x->lines[i].count * sizeof(*x->lines[i].line);
    return bytes;
}

/* Keeps some of the room, for the next one. */
static void forget(struct process_kernels *p, struct pending *x)
{
    p->waiting -= bytes_of(x);
    while (x->thread_count > 1)
        free(x->lines[--x->thread_count].line);
    if (x->thread_count) {
        x->lines[0].count = 0;
        x->lines[0].thread = 0;
        if (x->lines[0].cap * sizeof(*x->lines[0].line) > ROOM_KEPT) {
            free(x->lines[0].line);
            x->lines[0] = (struct lines){ 0 };
        }
    }
    x->other_count = 0;
    if (x->other_cap * sizeof(*x->others) > ROOM_KEPT) {
        free(x->others);
        x->others = NULL;
        x->other_cap = 0;
    }
    x->trace = 0;
    x->damaged = false;
}

static struct pending *find_pending(struct process_kernels *p, uint32_t trace)
{
    for (size_t i = 0; i < p->pending_count; i++)
        if (p->pending[i].trace == trace)
            return &p->pending[i];
    return NULL;
}

/* A free one, a new one, or that of the oldest trace: its end was lost. */
static struct pending *begin(struct process_kernels *p, uint32_t trace)
{
    struct pending *x = find_pending(p, 0);

    if (!x && p->pending_count < PENDING_MAX) {
        p->pending = alloc_resize(p->pending,
                (p->pending_count + 1) * sizeof(*p->pending));
        x = &p->pending[p->pending_count++];
        *x = (struct pending){ 0 };
    }
    if (!x) {
        x = &p->pending[0];
        for (size_t i = 1; i < p->pending_count; i++)
            if (p->pending[i].age < x->age)
                x = &p->pending[i];
        forget(p, x);
    }
    x->trace = trace;
    x->age = p->age++;
    return x;
}

static struct pending *pending_of(struct process_kernels *p, uint32_t trace)
{
    struct pending *x = find_pending(p, trace);

    return x ? x : begin(p, trace);
}

/* False: what waits is too much. */
static bool has_room(struct process_kernels *p, struct pending *x, size_t bytes)
{
    if (p->waiting + bytes > WAITING_MAX) {
        x->damaged = true;
        return false;
    }
    p->waiting += bytes;
    return true;
}

static bool keep_other(struct process_kernels *p, uint32_t trace,
        const struct record *r)
{
    if (!trace)
        return false;

    struct pending *x = pending_of(p, trace);

    if (!has_room(p, x, sizeof(*r)))
        return false;
    if (x->other_count == x->other_cap) {
        x->other_cap = x->other_cap ? 2 * x->other_cap : 64;
        x->others = alloc_resize(x->others, x->other_cap * sizeof(*x->others));
    }
    x->others[x->other_count++] = *r;
    return true;
}

static struct lines *lines_of(struct pending *x, uint32_t thread)
{
    for (size_t i = 0; i < x->thread_count; i++)
        if (x->lines[i].thread == thread)
            return &x->lines[i];
    if (x->thread_count && !x->lines[0].count) {
        x->lines[0].thread = thread;
        return &x->lines[0];
    }
    if (x->thread_count == THREADS_MAX)
        return NULL;
    x->lines =
            alloc_resize(x->lines, (x->thread_count + 1) * sizeof(*x->lines));
    x->lines[x->thread_count] = (struct lines){ .thread = thread };
    return &x->lines[x->thread_count++];
}

static bool take_lines(struct process_kernels *p, const struct record *r)
{
    size_t n = r->flags;

    if (!r->lines.trace || !n)
        return false;

    struct pending *x = pending_of(p, r->lines.trace);
    struct lines *l = lines_of(x, r->lines.thread);

    if (n > RECORD_LINES_EACH || !l || !has_room(p, x, n * sizeof(*l->line))) {
        x->damaged = true;
        return false;
    }
    if (l->count + n > l->cap) {
        l->cap = l->cap ? 2 * l->cap : 64;
        l->line = alloc_resize(l->line, l->cap * sizeof(*l->line));
    }
    memcpy(&l->line[l->count], r->lines.line, n * sizeof(*l->line));
    l->count += (uint32_t)n;
    return true;
}

static bool take_tensor(struct process_kernels *p, const struct record *r)
{
    struct kernel *x = kernels_find(p, r->tensor.kernel);

    return x && describe(p, x, r) && keep_other(p, r->tensor.trace, r);
}

static bool take_given_up(struct process_kernels *p, uint32_t trace)
{
    struct pending *x = trace ? find_pending(p, trace) : NULL;

    if (x)
        forget(p, x);
    return trace != 0;
}

static bool take_traced(struct process_kernels *p, const struct record *r)
{
    uint64_t *place = map_find(&p->traced, r->traced.thread);

    if (r->flags & TRACED_GIVEN_UP)
        return take_given_up(p, r->traced.trace);
    if (!place) {
        if (p->told_count >= TOLD_MAX)
            return false;
        p->told = alloc_resize(p->told, (p->told_count + 1) * sizeof(*p->told));
        map_put(&p->traced, r->traced.thread, p->told_count++);
        place = map_find(&p->traced, r->traced.thread);
    }
    p->told[*place] = *r;
    return true;
}

bool kernels_take(struct kernels *k, uint32_t process, const struct record *r)
{
    if (process > k->process_count) {
        k->processes =
                alloc_resize(k->processes, process * sizeof(*k->processes));
        memset(&k->processes[k->process_count], 0,
                (process - k->process_count) * sizeof(*k->processes));
        k->process_count = process;
    }

    struct process_kernels *p = &k->processes[process - 1];

    switch (r->kind) {
    case RECORD_KERNEL: return take_kernel(p, r);
    case RECORD_KERNEL_END: return take_end(p, r);
    case RECORD_TENSOR: return take_tensor(p, r);
    case RECORD_LINES: return take_lines(p, r);
    case RECORD_TRACED: return take_traced(p, r);
    case RECORD_STATS: return keep_other(p, r->stats.trace, r);
    case RECORD_HEADS: return keep_other(p, r->heads.trace, r);
    default: return false;
    }
}

/* --- an inference is over ------------------------------------------------- */

/* What its thread told right before.  False: nothing. */
static bool take_told(struct process_kernels *p, uint32_t thread,
        struct record *out)
{
    uint64_t *place = map_find(&p->traced, thread);

    if (!place || !p->told[*place].kind)
        return false;
    *out = p->told[*place];
    p->told[*place].kind = RECORD_NONE;
    return true;
}

static void make_room(struct kernels *k, size_t count)
{
    if (count <= k->run_cap)
        return;
    k->run_cap = count > 2 * k->run_cap ? count : 2 * k->run_cap;
    k->runs = alloc_resize(k->runs, k->run_cap * sizeof(*k->runs));
    k->run_kernels =
            alloc_resize(k->run_kernels, k->run_cap * sizeof(struct kernel *));
}

static uint64_t time_of(const struct tick_line *clock, uint64_t time)
{
    return clock ? tick_line_ns(clock, time) : time;
}

/* Lines of a thread, in absolute times.  False: they make no sense. */
static bool rebuild(struct kernels *k, struct process_kernels *p,
        const struct lines *l, const struct tick_line *clock, size_t *count)
{
    uint64_t end = 0, high_after = 0, high_took = 0;
    bool running = false; /* the clock is known */

    for (size_t i = 0; i < l->count; i++) {
        const struct record_line *line = &l->line[i];
        unsigned kind = line->kernel & LINE_KIND_BITS;

        if (kind == LINE_CLOCK) {
            end = line->after | (uint64_t)line->took << 32;
            running = true;
            continue;
        }
        if (kind == LINE_HIGH) {
            high_after = (uint64_t)line->after << 32;
            high_took = (uint64_t)line->took << 32;
            continue;
        }

        uint64_t after = line->after | high_after;
        uint64_t took = line->took | high_took;
        struct kernel *x = kernels_find(p, line->kernel);

        high_after = high_took = 0;
        if (kind != LINE_KERNEL || !running || !x || after > UINT64_MAX - end ||
                took > end + after)
            return false;
        end += after;
        k->runs[*count] = (struct kernel_run){
            .start_ns = time_of(clock, end - took),
            .end_ns = time_of(clock, end),
            .thread = l->thread,
        };
        k->run_kernels[(*count)++] = x;
    }
    return true;
}

/* Of all its threads, each nested; so many, or SIZE_MAX: it cannot be told. */
static size_t rebuild_all(struct kernels *k, struct process_kernels *p,
        const struct pending *x, const struct tick_line *clock,
        uint64_t traced_ns)
{
    size_t count = 0, lines = 0;

    for (size_t i = 0; i < x->thread_count; i++)
        lines += x->lines[i].count;
    make_room(k, lines);
    for (size_t i = 0; i < x->thread_count; i++) {
        size_t from = count;

        if (!rebuild(k, p, &x->lines[i], clock, &count) ||
                (count > from &&
                        !account_nest(&k->runs[from], count - from, traced_ns)))
            return SIZE_MAX;
    }
    return count;
}

/* Tells sessions apart, by the kernels that ran. */
static bool signature_of(struct kernels *k, struct process_kernels *p,
        size_t count, uint64_t *out)
{
    uint64_t sum = 1;

    for (size_t i = 0; i < count; i++) {
        struct kernel *x = k->run_kernels[i];

        if (x->stamp == k->closed)
            continue;
        x->stamp = k->closed;
        if (!op_key(k, p, x))
            return false;
        sum += mixed(x->key, 1);
    }
    *out = sum;
    return true;
}

/* Gives every kernel its operator in the session's table.  NULL: not all of
 * them can have one. */
static struct op_table *resolve(struct kernels *k, struct process_kernels *p,
        const struct kernels_run *run, size_t count)
{
    struct op_table *t = op_table_find(k, run->session);
    uint64_t signature = 0;

    if (!t && !signature_of(k, p, count, &signature))
        return NULL;
    if (!t)
        t = op_table_of(k, run, signature);
    for (size_t i = 0; i < count; i++) {
        struct kernel *x = k->run_kernels[i];

        if (!x->table && !op_resolve(k, p, t, x, 0))
            return NULL;
        if (x->table != t) /* it is another session's, and its end was lost */
            return NULL;

        struct op *o = &t->ops[x->place];

        o->is_flow |= k->runs[i].is_flow;
        k->runs[i].is_flow = o->is_flow;
        k->runs[i].operator_place = x->place;
    }
    return t;
}

/* False: something of it is missing, or makes no sense. */
static bool close_trace(struct kernels *k, struct process_kernels *p,
        const struct kernels_run *run, const struct record *traced,
        struct pending *trace)
{
    uint32_t kernels = traced->traced.kernels;
    uint64_t each_ns = kernels ? traced->traced.beside_kernels / kernels : 0;
    size_t count = trace->damaged
                           ? SIZE_MAX
                           : rebuild_all(k, p, trace, run->clock, each_ns);
    struct account account;

    if (count != kernels || traced->traced.doubtful)
        return false;

    struct op_table *t = resolve(k, p, run, count);

    if (!t)
        return false;

    const struct shape_set *shapes =
            op_shapes_take(k, p, t, traced->traced.shapes, trace);

    op_tell_new(k, t);
    if (!account_make(&account, k->runs, count, run->start_ns, run->end_ns))
        return false;
    kernels_tell_activations(k, p, t, run, trace);
    if (!(run->flags & FLAG_STATS)) /* that takes its time between kernels */
        op_sums_add(k, t, run, &account, traced, shapes, count);
    else if (k->keeps_timelines)
        op_keep_timeline(k, t, run, count);
    return true;
}

bool kernels_close(struct kernels *k, const struct kernels_run *run)
{
    static struct pending nothing; /* of a trace without kernels */
    struct process_kernels *p = run->process <= k->process_count
                                        ? &k->processes[run->process - 1]
                                        : NULL;
    struct record traced = { 0 };
    bool told = p && take_told(p, run->thread, &traced);
    struct pending *trace = told ? find_pending(p, traced.traced.trace) : NULL;
    bool failed = run->flags & FLAG_FAILED;
    bool whole = false;

    if (!told && !(run->flags & FLAG_TRACED))
        return false;
    k->closed++;
    if (told && run->session && !failed)
        whole = close_trace(k, p, run, &traced, trace ? trace : &nothing);
    if (trace)
        forget(p, trace);
    if (!whole && !failed && run->session)
        op_sums_lose(k, run, told ? traced.traced.doubtful : 0);
    return whole;
}

void kernels_tell(struct kernels *k)
{
    for (uint32_t i = 0; i < k->table_count; i++)
        op_sums_tell(k, k->tables[i]);
}

/* Lost inferences of sessions of which no trace was whole. */
void kernels_end(struct kernels *k)
{
    while (k->lost.count) {
        size_t i = 0;

        while (!k->lost.entries[i].used)
            i++;

        uint32_t session = (uint32_t)(k->lost.entries[i].key >> 8);

        (void)op_table_of(k, &(struct kernels_run){ .session = session },
                session);
    }
    kernels_tell(k);
}
