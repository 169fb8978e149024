#include "analyse/operators.h"

#include "analyse/operators_state.h"
#include "base/alloc.h"

#include <stdlib.h>

const char *operator_method_name(enum operator_method method)
{
    switch (method) {
    case OPERATOR_TIMED: return "timed";
    case OPERATOR_BRACKET: return "bracket";
    case OPERATOR_FITTED: return "fitted";
    case OPERATOR_CONSTANT: return "constant";
    case OPERATOR_RAW: return "raw";
    }
    return "unknown";
}

struct reader {
    struct operators *out;
    struct inferences inferences;

    /* The one whose operator runs are coming: told together at its end. */
    uint64_t number;
    struct operator_run *runs;
    double *own_ns; /* of each of them */
    size_t run_count, run_cap;
    struct kernels *kernels; /* of each that counts */
    size_t kernels_count, kernels_cap;
};

struct operator_account *operators_account(struct operators *o,
        uint32_t session)
{
    while (o->account_count < session) {
        o->accounts = alloc_resize(o->accounts,
                (o->account_count + 1) * sizeof(*o->accounts));
        o->accounts[o->account_count++] = (struct operator_account){ 0 };
    }
    return &o->accounts[session - 1];
}

/* --- operators and their runs --------------------------------------------- */

static char *copy(const char *text)
{
    return text ? alloc_text(text) : NULL;
}

static void take_operator(void *to, const struct operator* o)
{
    struct operators *all = ((struct reader *)to)->out;

    all->items =
            alloc_resize(all->items, (all->count + 1) * sizeof(*all->items));
    all->items[all->count++] = (struct operator_sum){
        .id = o->id,
        .session = o->session,
        .name = copy(o->name),
        .op_type = copy(o->op_type),
        .provider = copy(o->provider),
        .inputs = copy(o->inputs),
        .outputs = copy(o->outputs),
        .node_index = o->node_index,
        .sizes_known = o->sizes_known,
        .activation_bytes = o->activation_bytes,
        .parameter_bytes = o->parameter_bytes,
        .output_bytes = o->output_bytes,
    };
}

/* Ids count from 1 in the order of the rows. */
static struct operator_sum *operator_of(struct operators *o, uint32_t id)
{
    return id && id <= o->count && o->items[id - 1].id == id ? &o->items[id - 1]
                                                             : NULL;
}

/* The outermost nodes of an inference. */
struct outer {
    uint64_t first_ns, last_ns; /* UINT64_MAX and 0: there are none */
    double raw_ns, kernel_ns;
    bool overlapping;
};

static double kernel_of(const struct operator_run *x)
{
    return (double)(x->bracketed ? x->kernel_ns : x->raw_ns);
}

/* Where nothing was described, the kernel is all. */
static double described_of(const struct operator_run *x)
{
    return x->raw_unknown ? kernel_of(x) : (double)x->raw_ns;
}

static struct outer find_outer(const struct operator_run *runs, size_t count)
{
    struct outer o = { .first_ns = UINT64_MAX };
    uint64_t last_end_ns = 0;

    for (const struct operator_run *x = runs; x < runs + count; x++) {
        double kernel = kernel_of(x), raw = described_of(x);
        uint64_t end_ns = x->start_ns + (uint64_t)kernel;

        if (x->depth || x->in_cycles)
            continue;
        o.first_ns = x->start_ns < o.first_ns ? x->start_ns : o.first_ns;
        o.last_ns = end_ns > o.last_ns ? end_ns : o.last_ns;
        o.raw_ns += raw > kernel ? raw : kernel;
        o.kernel_ns += kernel;
        o.overlapping |= x->start_ns < last_end_ns;
        last_end_ns = end_ns;
    }
    return o;
}

/* Whether others ran in it: inner ones come before, on the same thread. */
static bool has_inner(const struct operator_run *runs, size_t at)
{
    for (size_t i = at; i-- > 0;)
        if (runs[i].thread == runs[at].thread)
            return runs[i].depth > runs[at].depth;
    return false;
}

static void add_run(struct operator_sum *o, const struct operator_run *x)
{
    o->count++;
    if (x->raw_unknown) {
        o->timed++;
        o->timed_ns += (double)x->kernel_ns;
        return;
    }
    o->raw_ns += (double)x->raw_ns;
    if (x->bracketed) {
        o->bracketed++;
        o->bracketed_ns += (double)x->kernel_ns;
        o->bracketed_raw_ns += (double)x->raw_ns;
    }
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Adds an inference that was looked into to its session's account.
 *
 * Part of the first node's description lies before its kernel, and of the last
 * one's behind it.  Where nodes are close together that shows: there would be
 * less than nothing between them. */
static void add_inference(struct reader *r, const struct looked *l,
        const struct outer *o)
{
    struct operator_account *a = operators_account(r->out, l->session);
    double run = (double)(l->end_ns - l->start_ns);
    double before =
            o->first_ns > l->start_ns ? (double)(o->first_ns - l->start_ns) : 0;
    double after =
            l->end_ns > o->last_ns ? (double)(l->end_ns - o->last_ns) : 0;
    double gaps = run - before - after - o->raw_ns;
    double describing = o->raw_ns - o->kernel_ns;

    if (gaps < 0 && !o->overlapping) {
        double first = smaller(-gaps / 2, before);
        double last = smaller(-gaps - first, after);

        before -= first;
        after -= last;
        describing += gaps + first + last;
        gaps = 0;
    }
    a->inferences++;
    a->timed += l->timed;
    a->run_ns += run;
    a->before_ns += before;
    a->after_ns += after;
    a->describing_ns += describing;
    a->gaps_ns += gaps;
    a->control_flow_ns += o->kernel_ns; /* less the kernels, later */
    a->overlapping |= o->overlapping;
}

/* An inner one's description is no control flow of the node around it. */
static void add_inner(struct operator_account *a, const struct operator_run *x)
{
    double describing = described_of(x) - kernel_of(x);

    if (x->depth && describing > 0) {
        a->describing_ns += describing;
        a->control_flow_ns -= describing;
    }
}

static void add_kernel(struct kernels *k, const struct operator_run *x)
{
    if (x->bracketed) {
        k->seen_ns += (double)x->kernel_ns;
    } else {
        k->described_ns += (double)x->raw_ns;
        k->described++;
    }
}

static void keep_kernels(struct reader *r, const struct kernels *k)
{
    if (r->kernels_count == r->kernels_cap) {
        r->kernels_cap = r->kernels_cap ? 2 * r->kernels_cap : 64;
        r->kernels =
                alloc_resize(r->kernels, r->kernels_cap * sizeof(*r->kernels));
    }
    r->kernels[r->kernels_count++] = *k;
}

/* An inference that was left out: which operators it had is known all the
 * same. */
static void leave_out(struct reader *r)
{
    for (size_t i = 0; i < r->run_count; i++)
        operator_of(r->out, r->runs[i].operator_id)->left_out++;
}

/* Its last operator run was read.  Where the outermost nodes were lost, nobody
 * knows where its time went. */
static void close_inference(struct reader *r)
{
    const struct looked *l = inferences_find(&r->inferences, r->number);
    struct outer outer = find_outer(r->runs, r->run_count);
    struct kernels kernels = { .session = l ? l->session : 0,
        .timed = l && l->timed,
        .speed = 1 };
    bool known = outer.first_ns != UINT64_MAX;

    if (l && l->disturbed) {
        leave_out(r);
        l = NULL;
    }

    bool flow = l && operators_flow(r->own_ns, r->runs, r->run_count);

    for (size_t i = 0; l && i < r->run_count; i++) {
        const struct operator_run *x = &r->runs[i];
        struct operator_sum *o = operator_of(r->out, x->operator_id);

        if (x->in_cycles) { /* no time is known */
            o->count++;
            o->cycles += x->cycles;
        } else if (known) {
            bool contains = has_inner(r->runs, i);

            add_run(o, x);
            add_inner(operators_account(r->out, l->session), x);
            o->contains |= contains;
            if (!contains) {
                add_kernel(&kernels, x);
            } else if (flow) {
                o->flow_ns += r->own_ns[i];
                kernels.flow_ns += r->own_ns[i];
            }
        }
    }
    if (l && known) {
        if (l->local_ns > 0)
            kernels.speed =
                    operators_account(r->out, l->session)->plain_median_ns /
                    l->local_ns;
        add_inference(r, l, &outer);
        keep_kernels(r, &kernels);
    }
    r->run_count = 0;
}

static void take_operator_run(void *to, const struct operator_run *x)
{
    struct reader *r = to;

    if (r->number != x->inference)
        close_inference(r);
    r->number = x->inference;
    if (!operator_of(r->out, x->operator_id))
        return;
    if (r->run_count == r->run_cap) {
        r->run_cap = r->run_cap ? 2 * r->run_cap : 256;
        r->runs = alloc_resize(r->runs, r->run_cap * sizeof(*r->runs));
        r->own_ns = alloc_resize(r->own_ns, r->run_cap * sizeof(*r->own_ns));
    }
    r->runs[r->run_count++] = *x;
}

static void take_edge(void *to, const struct operator_edge *x)
{
    struct operators *o = ((struct reader *)to)->out;

    o->edges = alloc_resize(o->edges, (o->edge_count + 1) * sizeof(*o->edges));
    o->edges[o->edge_count++] = *x;
}

int operators_read_names(struct operators *out, struct store *s, int64_t run,
        struct error *e)
{
    struct reader r = { .out = out };

    *out = (struct operators){ 0 };

    int rc = store_each_operator(s, run, take_operator, &r, e);

    for (size_t i = 0; i < out->count; i++)
        out->items[i].count = 1;
    return rc;
}

int operators_read(struct operators *out, struct store *s, int64_t run,
        struct error *e)
{
    struct reader r = { .out = out, .inferences.out = out };

    *out = (struct operators){ 0 };

    int rc = store_each_operator(s, run, take_operator, &r, e);

    if (!rc && !out->count)
        return 0;
    if (!rc)
        rc = store_each_operator_edge(s, run, take_edge, &r, e);
    if (!rc)
        rc = store_each_inference(s, run, inferences_take, &r.inferences, e);
    inferences_judge(&r.inferences);
    if (!rc)
        rc = store_each_operator_run(s, run, take_operator_run, &r, e);
    close_inference(&r);
    free(r.runs);
    free(r.own_ns);
    free(r.inferences.looked);
    if (!rc)
        operators_sum_up(out, r.kernels, r.kernels_count);
    else
        operators_release(out);
    free(r.kernels);
    return rc;
}

void operators_release(struct operators *o)
{
    for (size_t i = 0; i < o->count; i++) {
        free(o->items[i].name);
        free(o->items[i].op_type);
        free(o->items[i].provider);
        free(o->items[i].inputs);
        free(o->items[i].outputs);
    }
    free(o->items);
    free(o->edges);
    free(o->accounts);
    *o = (struct operators){ 0 };
}
