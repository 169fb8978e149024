#include "analyse/operators.h"

#include "analyse/operators_state.h"
#include "base/alloc.h"

#include <stdlib.h>
/* Of a session's inferences; enough for their mean. */
#define PLAIN_MOST 262144

const char *operator_method_name(enum operator_method method)
{
    switch (method) {
    case OPERATOR_BRACKET: return "bracket";
    case OPERATOR_CONSTANT: return "constant";
    case OPERATOR_RAW: return "raw";
    }
    return "unknown";
}

/* An inference that was looked into. */
struct looked {
    uint64_t number;
    uint32_t session;
    uint64_t start_ns, end_ns;
    bool disturbed; /* far slower than the others: left out */
};

/* Durations of one session's inferences, for what is far out among them. */
struct durations {
    uint64_t *ns;
    size_t count, cap;
};

struct reading {
    struct operators *out;
    struct looked *looked; /* by number, ascending */
    size_t looked_count, looked_cap;
    struct durations *plain; /* of session 1, 2, ... */
    size_t plain_count;
    uint64_t inferences;

    /* The one whose operator runs are coming. */
    uint64_t number;
    const struct looked *now;   /* NULL: it is left out */
    uint64_t first_ns, last_ns; /* of its outermost nodes */
    double outer_raw_ns, outer_kernel_ns;
    uint64_t last_outer_end_ns;
    uint32_t deepest; /* depth of the run before: inner ones come first */
};

/* --- inferences ----------------------------------------------------------- */

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

static struct durations *plain_of(struct reading *r, uint32_t session)
{
    while (r->plain_count < session) {
        r->plain = alloc_resize(r->plain,
                (r->plain_count + 1) * sizeof(*r->plain));
        r->plain[r->plain_count++] = (struct durations){ 0 };
    }
    return &r->plain[session - 1];
}

static void keep(struct durations *d, uint64_t ns)
{
    if (d->count == PLAIN_MOST)
        return;
    if (d->count == d->cap) {
        d->cap = d->cap ? 2 * d->cap : 256;
        d->ns = alloc_resize(d->ns, d->cap * sizeof(*d->ns));
    }
    d->ns[d->count++] = ns;
}

static void take_inference(void *to, const struct inference *i)
{
    struct reading *r = to;
    uint64_t number = ++r->inferences;

    if (!i->session || i->flags & FLAG_FAILED)
        return;

    (void)operators_account(r->out, i->session);
    if (!(i->flags & FLAG_SAMPLED)) {
        keep(plain_of(r, i->session), i->duration_ns);
        return;
    }
    if (r->looked_count == r->looked_cap) {
        r->looked_cap = r->looked_cap ? 2 * r->looked_cap : 64;
        r->looked = alloc_resize(r->looked, r->looked_cap * sizeof(*r->looked));
    }
    r->looked[r->looked_count++] = (struct looked){ number, i->session,
        i->start_ns, i->start_ns + i->duration_ns, false };
}

static const struct looked *find(const struct reading *r, uint64_t number)
{
    size_t low = 0, high = r->looked_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (r->looked[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->looked_count && r->looked[low].number == number
                   ? &r->looked[low]
                   : NULL;
}

/* --- what was disturbed --------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Tukey's fence: beyond it something else took the time, such as another
 * program.  Sorts. */
static double fence(struct durations *d)
{
    if (!d->count)
        return 0;
    qsort(d->ns, d->count, sizeof(*d->ns), by_value);

    size_t quarter = d->count / 4, three_quarters = d->count * 3 / 4;
    double low = (double)d->ns[quarter];
    double high = (double)d->ns[three_quarters];

    return high + 1.5 * (high - low);
}

/* The mean of an undisturbed inference. */
static void sum_up_plain(struct reading *r)
{
    for (size_t i = 0; i < r->plain_count; i++) {
        struct durations *d = &r->plain[i];
        struct operator_account *a = operators_account(r->out, (uint32_t)i + 1);
        double most = fence(d), sum = 0;

        for (size_t k = 0; k < d->count; k++)
            if ((double)d->ns[k] <= most) {
                sum += (double)d->ns[k];
                a->plain_inferences++;
            }
        if (a->plain_inferences)
            a->plain_mean_ns = sum / (double)a->plain_inferences;
        a->left_out += d->count - a->plain_inferences;
        free(d->ns);
    }
    free(r->plain);
}

static void find_disturbed(struct reading *r)
{
    for (size_t s = 1; s <= r->out->account_count; s++) {
        struct durations d = { 0 };

        for (size_t i = 0; i < r->looked_count; i++)
            if (r->looked[i].session == s)
                keep(&d, r->looked[i].end_ns - r->looked[i].start_ns);

        double most = fence(&d);

        for (size_t i = 0; i < r->looked_count; i++) {
            struct looked *x = &r->looked[i];

            if (x->session == s && (double)(x->end_ns - x->start_ns) > most) {
                x->disturbed = true;
                r->out->accounts[s - 1].left_out++;
            }
        }
        free(d.ns);
    }
}

/* --- operators and their runs --------------------------------------------- */

static char *copy(const char *text)
{
    return text ? alloc_text(text) : NULL;
}

static void take_operator(void *to, const struct operator* o)
{
    struct operators *all = ((struct reading *)to)->out;

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

/* The inference's last operator run was read. */
static void close_inference(struct reading *r)
{
    if (!r->now)
        return;

    struct operator_account *a = operators_account(r->out, r->now->session);
    double run = (double)(r->now->end_ns - r->now->start_ns);
    double before = r->first_ns > r->now->start_ns
                            ? (double)(r->first_ns - r->now->start_ns)
                            : 0;
    double after = r->now->end_ns > r->last_ns
                           ? (double)(r->now->end_ns - r->last_ns)
                           : 0;

    a->inferences++;
    a->run_ns += run;
    a->before_ns += before;
    a->after_ns += after;
    a->describing_ns += r->outer_raw_ns - r->outer_kernel_ns;
    a->gaps_ns += run - before - after - r->outer_raw_ns;
    a->control_flow_ns += r->outer_kernel_ns; /* less the kernels, later */
    r->now = NULL;
}

static void open_inference(struct reading *r, uint64_t number)
{
    r->number = number;
    r->now = find(r, number);
    if (r->now && r->now->disturbed)
        r->now = NULL;
    r->first_ns = UINT64_MAX;
    r->last_ns = 0;
    r->outer_raw_ns = r->outer_kernel_ns = 0;
    r->last_outer_end_ns = 0;
    r->deepest = 0;
}

static void add_outer(struct reading *r, const struct operator_run *x)
{
    double kernel = (double)(x->bracketed ? x->kernel_ns : x->raw_ns);
    uint64_t end_ns = x->start_ns + (uint64_t)kernel;

    r->first_ns = x->start_ns < r->first_ns ? x->start_ns : r->first_ns;
    r->last_ns = end_ns > r->last_ns ? end_ns : r->last_ns;
    r->outer_raw_ns += (double)x->raw_ns > kernel ? (double)x->raw_ns : kernel;
    r->outer_kernel_ns += kernel;
    if (x->start_ns < r->last_outer_end_ns)
        operators_account(r->out, r->now->session)->overlapping = true;
    r->last_outer_end_ns = end_ns;
}

static void take_operator_run(void *to, const struct operator_run *x)
{
    struct reading *r = to;
    struct operator_sum *o = operator_of(r->out, x->operator_id);

    if (r->number != x->inference) {
        close_inference(r);
        open_inference(r, x->inference);
    }
    if (!o || !r->now)
        return;
    o->count++;
    o->cycles += x->cycles;
    if (x->in_cycles)
        return; /* no time is known */
    o->raw_ns += (double)x->raw_ns;
    if (x->bracketed) {
        o->bracketed++;
        o->bracketed_ns += (double)x->kernel_ns;
        o->bracketed_raw_ns += (double)x->raw_ns;
    }
    /* Inner ones come before the one that they ran in. */
    o->contains |= r->deepest > x->depth;
    r->deepest = x->depth;
    if (!x->depth)
        add_outer(r, x);
}

static void take_edge(void *to, const struct operator_edge *x)
{
    struct operators *o = ((struct reading *)to)->out;

    o->edges = alloc_resize(o->edges, (o->edge_count + 1) * sizeof(*o->edges));
    o->edges[o->edge_count++] = *x;
}

int operators_read_names(struct operators *out, struct store *s, int64_t run,
        struct error *e)
{
    struct reading r = { .out = out };

    *out = (struct operators){ 0 };

    int rc = store_each_operator(s, run, take_operator, &r, e);

    for (size_t i = 0; i < out->count; i++)
        out->items[i].count = 1;
    return rc;
}

int operators_read(struct operators *out, struct store *s, int64_t run,
        struct error *e)
{
    struct reading r = { .out = out };

    *out = (struct operators){ 0 };

    int rc = store_each_operator(s, run, take_operator, &r, e);

    if (!rc && !out->count)
        return 0;
    if (!rc)
        rc = store_each_operator_edge(s, run, take_edge, &r, e);
    if (!rc)
        rc = store_each_inference(s, run, take_inference, &r, e);
    sum_up_plain(&r);
    find_disturbed(&r);
    if (!rc)
        rc = store_each_operator_run(s, run, take_operator_run, &r, e);
    close_inference(&r);
    free(r.looked);
    if (rc) {
        operators_release(out);
        return rc;
    }
    operators_sum_up(out);
    return 0;
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
