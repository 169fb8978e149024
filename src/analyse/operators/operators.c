#include "analyse/operators/operators.h"

#include "analyse/operators/operators_state.h"
#include "analyse/operators/run_graph.h"
#include "base/alloc.h"
#include "base/hist.h"

#include <math.h>
#include <stdlib.h>

const char *operator_method_name(enum operator_method method)
{
    return method == OPERATOR_TIMED ? "timed" : "profile";
}

static char *copy(const char *text)
{
    return text ? alloc_text(text) : NULL;
}

/* --- what there is -------------------------------------------------------- */

struct operator_figures *operators_by_id(struct operators *o, uint32_t id)
{
    size_t low = 0, high = o->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (o->items[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < o->count && o->items[low].id == id ? &o->items[low] : NULL;
}

struct operator_table *operators_make_table(struct operators *o,
        uint32_t session)
{
    if (session && session <= o->session_count && o->table_of[session - 1])
        session = o->table_of[session - 1];
    for (size_t i = 0; i < o->table_count; i++)
        if (o->tables[i].session == session)
            return &o->tables[i];
    o->tables =
            alloc_resize(o->tables, (o->table_count + 1) * sizeof(*o->tables));
    o->tables[o->table_count] = (struct operator_table){ .session = session };
    return &o->tables[o->table_count++];
}

/* --- rows, as they come --------------------------------------------------- */

struct reader {
    struct operators *out;
    size_t cap, tensor_cap, edge_cap;
    bool summed; /* sums of traced inferences were kept */

    /* The sums of one operator, until those of the next come. */
    uint32_t id;
    struct hist *spread; /* of all its phases */
    double squares;
    struct operator_shape *shapes;
    size_t shape_count, shape_cap;
};

static void take_session(void *to, const struct session *x)
{
    struct operators *o = ((struct reader *)to)->out;

    if (!x->id || x->id > UINT16_MAX + (uint32_t)o->session_count)
        return; /* ids count from 1 */
    if (x->id > o->session_count) {
        o->table_of = alloc_resize(o->table_of, x->id * sizeof(*o->table_of));
        while (o->session_count < x->id)
            o->table_of[o->session_count++] = 0;
    }
    o->table_of[x->id - 1] = x->operators_of;
}

static void take_operator(void *to, const struct operator* x)
{
    struct reader *r = to;
    struct operators *o = r->out;

    if (o->count && o->items[o->count - 1].id >= x->id)
        return; /* they come in order */
    if (o->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 64;
        o->items = alloc_resize(o->items, r->cap * sizeof(*o->items));
    }

    struct operator_figures *f = &o->items[o->count++];

    *f = (struct operator_figures){
        .id = x->id,
        .session = x->session,
        .parent = x->parent,
        .name = copy(x->name),
        .op_type = copy(x->op_type),
        .provider = copy(x->provider),
        .node_index = x->node_index,
        .flops = NAN,
        .phase_flops = { NAN, NAN, NAN, NAN, NAN },
    };
    if (!x->inputs && !x->outputs)
        return;
    /* Of an imported one the only shapes are with the operator itself. */
    f->shapes = alloc_zero(1, sizeof(*f->shapes));
    f->shape_count = 1;
    f->shapes[0] = (struct operator_shape){
        .operator_id = x->id,
        .inputs = copy(x->inputs),
        .outputs = copy(x->outputs),
        .sizes_known = x->sizes_known,
        .activation_bytes = x->activation_bytes,
        .parameter_bytes = x->parameter_bytes,
        .output_known = x->sizes_known,
        .output_bytes = x->output_bytes,
    };
}

static void take_tensor(void *to, const struct operator_tensor *x)
{
    struct reader *r = to;
    struct operators *o = r->out;

    if (o->tensor_count == r->tensor_cap) {
        r->tensor_cap = r->tensor_cap ? 2 * r->tensor_cap : 256;
        o->tensors =
                alloc_resize(o->tensors, r->tensor_cap * sizeof(*o->tensors));
    }
    o->tensors[o->tensor_count] = *x;
    o->tensors[o->tensor_count].name = copy(x->name);
    o->tensors[o->tensor_count++].shape = copy(x->shape);
}

static void take_edge(void *to, const struct operator_edge *x)
{
    struct reader *r = to;
    struct operators *o = r->out;

    if (o->edge_count == r->edge_cap) {
        r->edge_cap = r->edge_cap ? 2 * r->edge_cap : 256;
        o->edges = alloc_resize(o->edges, r->edge_cap * sizeof(*o->edges));
    }
    o->edges[o->edge_count++] = *x;
}

static void release_shapes(struct operator_shape *shapes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free((char *)shapes[i].inputs);
        free((char *)shapes[i].outputs);
    }
    free(shapes);
}

static int by_count(const void *a, const void *b)
{
    const struct operator_shape *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The shapes of one operator are all there. */
static void close_shapes(struct reader *r)
{
    struct operator_figures *f =
            r->shape_count ? operators_by_id(r->out, r->shapes->operator_id)
                           : NULL;

    if (f) {
        release_shapes(f->shapes, f->shape_count);
        qsort(r->shapes, r->shape_count, sizeof(*r->shapes), by_count);
        f->shapes = r->shapes;
        f->shape_count = r->shape_count;
    } else {
        release_shapes(r->shapes, r->shape_count);
    }
    r->shapes = NULL;
    r->shape_count = r->shape_cap = 0;
}

static void take_shape(void *to, const struct operator_shape *x)
{
    struct reader *r = to;

    if (r->shape_count && r->shapes->operator_id != x->operator_id)
        close_shapes(r);
    if (r->shape_count == r->shape_cap) {
        r->shape_cap = r->shape_cap ? 2 * r->shape_cap : 2;
        r->shapes = alloc_resize(r->shapes, r->shape_cap * sizeof(*r->shapes));
    }
    r->shapes[r->shape_count] = *x;
    r->shapes[r->shape_count].inputs = copy(x->inputs);
    r->shapes[r->shape_count++].outputs = copy(x->outputs);
}

/* --- sums ----------------------------------------------------------------- */

static void add_traced(struct traced_sum *to, const struct traced_sum *x)
{
    to->session = x->session;
    to->count += x->count;
    to->run_ns += x->run_ns;
    to->before_ns += x->before_ns;
    to->kernels_ns += x->kernels_ns;
    to->flow_ns += x->flow_ns;
    to->between_ns += x->between_ns;
    to->after_ns += x->after_ns;
    to->beside += x->beside;
    to->beside_run_ns += x->beside_run_ns;
    to->busy_ns += x->busy_ns;
    to->operator_runs += x->operator_runs;
    to->cost_ns += x->cost_ns;
    to->lost += x->lost;
    to->doubtful += x->doubtful;
    to->shapeless += x->shapeless;
}

static void take_traced_sum(void *to, const struct traced_sum *x)
{
    struct reader *r = to;
    struct operator_table *t = operators_make_table(r->out, x->session);

    r->summed = true;
    if (x->phase < PHASES)
        add_traced(&t->sums[x->phase], x);
    add_traced(&t->sums[PHASES], x);
}

/* Of a sum of squares, without a second look at the values. */
static double deviation(double squares, double sum, double count)
{
    double off = count > 1 ? (squares - sum * sum / count) / (count - 1) : 0;

    return off > 0 ? sqrt(off) : 0;
}

static double median_of(const struct hist *h, double least, double greatest)
{
    double median = h->count ? hist_median(h) : NAN;

    return median < least ? least : median > greatest ? greatest : median;
}

static void close_sums(struct reader *r)
{
    struct operator_figures *f = operators_by_id(r->out, r->id);
    struct operator_times *t = f ? &f->times[PHASES] : NULL;

    if (t && t->count) {
        t->stddev_ns = deviation(r->squares, t->self_ns, (double)t->count);
        t->median_ns = median_of(r->spread, t->min_ns, t->max_ns);
    }
    *r->spread = (struct hist){ 0 };
    r->squares = 0;
}

static void take_operator_sum(void *to, const struct operator_sum *x)
{
    struct reader *r = to;
    struct operator_figures *f = operators_by_id(r->out, x->operator_id);
    struct hist *h;

    if (x->operator_id != r->id)
        close_sums(r);
    r->id = x->operator_id;
    if (!f || x->phase >= PHASES || !x->count)
        return;
    h = alloc_zero(1, sizeof(*h));
    if (x->spread)
        (void)hist_read(h, str_of(x->spread));
    f->times[x->phase] = (struct operator_times){
        .count = x->count,
        .total_ns = (double)x->total_ns,
        .self_ns = (double)x->self_ns,
        .min_ns = (double)x->min_ns,
        .max_ns = (double)x->max_ns,
        .median_ns = median_of(h, (double)x->min_ns, (double)x->max_ns),
        .spread = copy(x->spread),
        .stddev_ns =
                deviation(x->squares, (double)x->self_ns, (double)x->count),
    };
    hist_merge(r->spread, h);
    free(h);
    r->squares += x->squares;

    struct operator_times *all = &f->times[PHASES];

    if (!all->count || all->min_ns > (double)x->min_ns)
        all->min_ns = (double)x->min_ns;
    if (all->max_ns < (double)x->max_ns)
        all->max_ns = (double)x->max_ns;
    all->count += x->count;
    all->total_ns += (double)x->total_ns;
    all->self_ns += (double)x->self_ns;
}

/* --- what follows --------------------------------------------------------- */

static void find_parents(struct operators *o)
{
    for (size_t i = 0; i < o->count; i++) {
        struct operator_figures *parent =
                o->items[i].parent ? operators_by_id(o, o->items[i].parent)
                                   : NULL;

        if (parent && o->items[i].times[PHASES].count)
            parent->contains = true;
    }
}

/* Results of one run, of the shapes that were most frequent. */
static void describe(struct run_operator *out, const struct operator_figures *x,
        double inferences)
{
    *out = (struct run_operator){
        .id = x->id,
        .parent = x->parent,
        .ns = inferences > 0 ? x->times[PHASES].total_ns / inferences : 0,
        .bytes_known = x->shape_count && x->shapes->output_known,
        .output_bytes = x->shape_count ? x->shapes->output_bytes : 0,
    };
}

static void take_graph_edges(struct reader *r, const struct run_graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = g->first[i]; k < g->first[i + 1]; k++)
            take_edge(r, &(struct operator_edge){
                                 .from = g->operators[g->from[k]].id,
                                 .to = g->operators[i].id,
                         });
}

static void graph_of_table(struct reader *r, struct operator_table *t)
{
    struct operators *o = r->out;
    struct run_operator *all = alloc_zero(o->count + 1, sizeof(*all));
    struct run_graph g;
    size_t count = 0;

    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].session == t->session)
            describe(&all[count++], &o->items[i],
                    (double)t->sums[PHASES].count);
    run_graph_build(&g, all, count, o->tensors, o->tensor_count);
    take_graph_edges(r, &g);
    t->width = run_graph_width(&g);
    t->critical_ns = run_graph_critical_path(&g, NULL, NULL);
    t->peak_known = run_graph_peak(&t->peak_bytes, &g);
    run_graph_release(&g);
    free(all);
}

static int by_reader(const void *a, const void *b)
{
    const struct operator_edge *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* The names of tensors tell more than the model's file. */
static void find_graphs(struct reader *r)
{
    struct operators *o = r->out;

    if (!o->tensor_count)
        return;
    o->edge_count = 0;
    for (size_t i = 0; i < o->table_count; i++)
        graph_of_table(r, &o->tables[i]);
    if (o->edge_count)
        qsort(o->edges, o->edge_count, sizeof(*o->edges), by_reader);
}

static int by_self(const void *a, const void *b)
{
    const struct operator_figures *x = a, *y = b;
    double m = x->times[PHASES].self_ns, n = y->times[PHASES].self_ns;

    return m < n ? 1 : m > n ? -1 : x->id < y->id ? -1 : x->id > y->id;
}

static int by_session(const void *a, const void *b)
{
    const struct operator_table *x = a, *y = b;

    return x->session < y->session ? -1 : x->session > y->session;
}

static int read_sums(struct reader *r, struct store *s, int64_t run,
        struct error *e)
{
    int rc = store_each_operator_sum(s, run, take_operator_sum, r, e);

    close_sums(r);
    return rc;
}

static int read_all(struct reader *r, struct store *s, int64_t run,
        struct error *e)
{
    int rc = store_each_session(s, run, take_session, r, e);

    if (!rc)
        rc = store_each_operator_tensor(s, run, take_tensor, r, e);
    if (!rc)
        rc = store_each_operator_edge(s, run, take_edge, r, e);
    if (!rc)
        rc = store_each_traced_sum(s, run, take_traced_sum, r, e);
    if (!rc)
        rc = r->summed ? read_sums(r, s, run, e)
                       : operators_sum_runs(r->out, s, run, e);
    if (!rc)
        rc = store_each_operator_shape(s, run, take_shape, r, e);
    close_shapes(r);
    return rc;
}

static void add_self(struct operators *o)
{
    for (size_t i = 0; i < o->count; i++) {
        const struct operator_figures *x = &o->items[i];
        struct operator_table *t = operators_make_table(o, x->session);

        for (int p = 0; p <= PHASES; p++)
            t->self_ns[p] += x->times[p].self_ns;
    }
}

static void finish(struct reader *r)
{
    struct operators *o = r->out;

    add_self(o);
    o->method = r->summed ? OPERATOR_TIMED : OPERATOR_PROFILE;
    find_parents(o);
    if (o->table_count)
        qsort(o->tables, o->table_count, sizeof(*o->tables), by_session);
    find_graphs(r);
    operators_find_places(o);
    if (o->count)
        qsort(o->items, o->count, sizeof(*o->items), by_self);
}

int operators_read(struct operators *out, struct store *s, int64_t run,
        struct error *e)
{
    struct reader r = { .out = out };

    *out = (struct operators){ 0 };

    int rc = store_each_operator(s, run, take_operator, &r, e);

    if (!rc && !out->count)
        return 0;
    r.spread = alloc_zero(1, sizeof(*r.spread));
    if (!rc)
        rc = read_all(&r, s, run, e);
    free(r.spread);
    if (rc)
        operators_release(out);
    else
        finish(&r);
    return rc;
}

static void release_figures(struct operator_figures *x)
{
    free(x->name);
    free(x->op_type);
    free(x->provider);
    for (int p = 0; p <= PHASES; p++)
        free(x->times[p].spread);
    release_shapes(x->shapes, x->shape_count);
}

void operators_drop_table(struct operators *o, uint32_t session)
{
    size_t kept = 0;

    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].session == session)
            release_figures(&o->items[i]);
        else
            o->items[kept++] = o->items[i];
    o->count = kept;
    kept = 0;
    for (size_t i = 0; i < o->table_count; i++)
        if (o->tables[i].session != session)
            o->tables[kept++] = o->tables[i];
    o->table_count = kept;
}

void operators_release(struct operators *o)
{
    for (size_t i = 0; i < o->count; i++)
        release_figures(&o->items[i]);
    for (size_t i = 0; i < o->tensor_count; i++) {
        free((char *)o->tensors[i].name);
        free((char *)o->tensors[i].shape);
    }
    free(o->items);
    free(o->edges);
    free(o->tensors);
    free(o->tables);
    free(o->table_of);
    *o = (struct operators){ 0 };
}

/* --- asking --------------------------------------------------------------- */

const struct operator_figures *operators_find(const struct operators *o,
        uint32_t id)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].id == id)
            return &o->items[i];
    return NULL;
}

const struct operator_tensor *operators_tensors(const struct operators *o,
        uint32_t id, size_t *count)
{
    size_t low = 0, high = o->tensor_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (o->tensors[middle].operator_id < id)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < o->tensor_count &&
                     o->tensors[low + *count].operator_id == id;)
        ++*count;
    return o->tensors + low;
}

const struct operator_table *operators_table(const struct operators *o,
        uint32_t session)
{
    if (session && session <= o->session_count && o->table_of[session - 1])
        session = o->table_of[session - 1];
    for (size_t i = 0; i < o->table_count; i++)
        if (o->tables[i].session == session)
            return &o->tables[i];
    return NULL;
}

double operator_flops_in(const struct operator_figures *o, unsigned phase)
{
    return phase < PHASES ? o->phase_flops[phase] : o->flops;
}

double operators_self_ns(const struct operators *o, uint32_t table,
        unsigned phase)
{
    double sum = 0;

    for (size_t i = 0; i < o->table_count; i++)
        if (!table || o->tables[i].session == table)
            sum += o->tables[i].self_ns[phase];
    return sum;
}
