/* control.c -- nodes that hold graphs: If, Loop, Scan, and calls of the
 * model's own functions. */
#include "onnx/evaluate.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

#define DEPTH_MAX  48
#define ROUNDS_MAX INT32_MAX
#define PASSES_MAX 3 /* that a loop's shapes get to settle */

/* --- graphs --------------------------------------------------------------- */

/* Enters a graph with values for its inputs, and fills `out` with what its
 * outputs are.  Nothing is known of inputs beyond `in_count`. */
static struct total enter(struct study *s, struct frame *f,
        const struct fact *in, uint32_t in_count, struct fact *out)
{
    const struct onnx_graph *g = f->graph;
    struct total t = { .known = false };

    s->depth++;
    evaluate_begin(f);
    for (uint32_t i = 0; i < g->input_count; i++) {
        struct fact fact = in && i < in_count ? in[i] : fact_nothing();
        struct fact said = evaluate_declared(s, &g->inputs[i]);

        fact_complete(&fact, &said);
        frame_put(f, g->inputs[i].name, &fact);
    }
    if (s->depth <= DEPTH_MAX)
        t = evaluate(s, f);
    for (uint32_t i = 0; i < g->output_count; i++) {
        const struct fact *made = frame_find(f, g->outputs[i].name);

        out[i] = made ? *made : fact_nothing();
    }
    s->depth--;
    frame_release(f);
    return t;
}

static struct fact *room(uint32_t count)
{
    struct fact *list = alloc_zero(count + 1u, sizeof(*list));

    for (uint32_t i = 0; i <= count; i++)
        list[i] = fact_nothing();
    return list;
}

/* A number that changes with each round, or is not known. */
static struct fact scalar(int type)
{
    return fact_rank(type, 0);
}

/* A value of another round: its shape may stay, its numbers do not. */
static struct fact varying(const struct fact *f)
{
    struct fact made = *f;

    made.data = NULL;
    made.weight = false;
    return made;
}

static const struct onnx_graph *graph_of(const struct onnx_call *c,
        const char *name)
{
    const struct onnx_attr *a = call_attr(c, name);

    return a && a->kind == ONNX_ATTR_GRAPH ? a->graph : NULL;
}

/* --- If ------------------------------------------------------------------- */

static bool dearer(const struct total *a, const struct total *b)
{
    return onnx_flops(&a->cost) > onnx_flops(&b->cost);
}

static struct total run_branch(struct study *s, struct frame *around,
        const struct onnx_graph *g, struct fact *out)
{
    struct frame f = {
        .graph = g,
        .outer = around,
        .caller = around->caller,
    };

    return enter(s, &f, NULL, 0, out);
}

static struct total run_if(struct study *s, struct frame *f,
        struct onnx_call *c, const struct onnx_graph *yes,
        const struct onnx_graph *no)
{
    const struct fact *condition = call_in(c, 0);
    bool settled = fact_count(condition) == 1 && !isnan(condition->data[0]);
    struct fact *one = room(yes->output_count);
    struct fact *other = room(no->output_count);
    struct total t = { .known = true }, u = { .known = true };
    bool taken = settled && condition->data[0] != 0;

    if (!settled || taken)
        t = run_branch(s, f, yes, one);
    if (!settled || !taken)
        u = run_branch(s, f, no, other);
    for (int i = 0; i < c->out_count; i++) {
        struct fact made = fact_nothing();

        if (i < (int)yes->output_count && (!settled || taken))
            made = one[i];
        if (i < (int)no->output_count && settled && !taken)
            made = other[i];
        if (i < (int)no->output_count && !settled)
            fact_either(&made, &other[i]);
        call_set(c, i, &made);
    }
    free(one);
    free(other);
    return t.known && u.known ? (dearer(&t, &u) ? t : u)
                              : (struct total){ .known = false };
}

/* --- Loop ----------------------------------------------------------------- */

static struct total rounds(const struct total *body, int64_t count)
{
    struct total t = { .known = false };

    if (body->known && count >= 0 &&
            cost_add(&t.cost.macs, body->cost.macs, (uint64_t)count) &&
            cost_add(&t.cost.operations, body->cost.operations,
                    (uint64_t)count))
        t.known = true;
    return t;
}

static bool is_true(const struct fact *f)
{
    return fact_count(f) == 1 && f->data[0] != 0 && !isnan(f->data[0]);
}

/* Whether what comes out of a round can go into the next; else `in` takes what
 * holds for both. */
static bool settles(struct fact *in, const struct fact *out)
{
    struct fact both = *in;

    fact_either(&both, out);

    bool same = both.type == in->type && both.rank == in->rank;

    for (int i = 0; i < both.rank && same; i++)
        same = both.dims[i] == in->dims[i];
    *in = varying(&both);
    return same;
}

/* A row of what each round puts out. */
static struct fact stacked(const struct fact *f, int axis, int64_t count)
{
    struct fact made = fact_rank(f->type, f->rank < 0 ? -1 : f->rank + 1);

    if (made.rank < 0 || axis > f->rank)
        return fact_rank(f->type, FACT_UNKNOWN);
    for (int i = 0, k = 0; i < made.rank; i++)
        made.dims[i] = i == axis ? count : f->dims[k++];
    return made;
}

/* Runs a body until the shapes it carries settle. `first` is where they begin
 * among its inputs, `back` where they come out. */
static struct total run_body(struct study *s, struct frame *around,
        const struct onnx_graph *body, struct fact *in, uint32_t in_count,
        struct fact *out, const uint32_t carried[3])
{
    struct total t = { .known = false };
    bool settled = false;
    uint32_t first = carried[0], back = carried[1], count = carried[2];

    for (int pass = 0; pass < PASSES_MAX && !settled; pass++) {
        struct frame f = {
            .graph = body,
            .outer = around,
            .caller = around->caller,
        };

        t = enter(s, &f, in, in_count, out);
        settled = true;
        for (uint32_t i = 0; i < count; i++)
            if (back + i < body->output_count)
                settled &= settles(&in[first + i], &out[back + i]);
    }
    t.known &= settled;
    return t;
}

/* Inputs: rounds at most, condition, what is carried.  The body takes the
 * round's number, the condition, what is carried; it gives the condition, what
 * is carried, and rows. */
static struct total run_loop(struct study *s, struct frame *f,
        struct onnx_call *c, const struct onnx_graph *body)
{
    uint32_t count = c->in_count > 2 ? (uint32_t)c->in_count - 2 : 0;
    struct fact *in = room(count + 2), *out = room(body->output_count);
    const uint32_t carried[3] = { 2, 1, count };
    int64_t most[FACT_DATA_MAX];
    bool counted = call_numbers(c, 0, most) == 1 && most[0] >= 0 &&
                   most[0] <= ROUNDS_MAX;
    bool always = !call_has(c, 1) || is_true(call_in(c, 1));

    in[0] = scalar(ONNX_INT64);
    in[1] = always && call_has(c, 1) ? *call_in(c, 1) : scalar(ONNX_BOOL);
    for (uint32_t i = 0; i < count; i++)
        in[i + 2] = varying(call_in(c, (int)i + 2));

    struct total t = run_body(s, f, body, in, count + 2, out, carried);

    /* Rounds are as many as allowed if nothing ends them earlier. */
    always &= body->output_count > 0 && is_true(&out[0]);

    int64_t times = counted && always ? most[0] : FACT_UNKNOWN;

    for (int i = 0; i < c->out_count; i++) {
        struct fact made = fact_nothing();

        if (i < (int)count)
            made = in[i + 2];
        else if (i + 1 < (int)body->output_count)
            made = stacked(&out[i + 1], 0, times);
        call_set(c, i, &made);
    }
    free(in);
    free(out);
    return rounds(&t, times);
}

/* --- Scan ----------------------------------------------------------------- */

/* The axis that row `i` runs along, of a list of axes. */
static int row_axis(const struct onnx_call *c, const char *name, int i,
        int rank)
{
    const int64_t *axes;

    return fact_axis(i < call_ints(c, name, &axes) ? axes[i] : 0, rank);
}

/* One slice of a row, and how long the row is. */
static struct fact slice_of(const struct fact *row, int axis, int64_t *len)
{
    struct fact f = fact_rank(row->type, row->rank - 1);

    if (axis < 0)
        return fact_rank(row->type, FACT_UNKNOWN);
    *len = row->dims[axis];
    for (int i = 0, k = 0; i < row->rank; i++)
        if (i != axis)
            f.dims[k++] = row->dims[i];
    return f;
}

/* Inputs: states, then rows; outputs: states, then rows. */
static struct total run_scan(struct study *s, struct frame *f,
        struct onnx_call *c, const struct onnx_graph *body)
{
    int64_t rows = call_int(c, "num_scan_inputs", 0);
    struct total unknown = { .known = false };

    if (rows < 1 || rows > c->in_count)
        return unknown;

    uint32_t all = (uint32_t)c->in_count;
    uint32_t states = all - (uint32_t)rows;
    struct fact *in = room(all), *out = room(body->output_count);
    const uint32_t carried[3] = { 0, 0, states };
    int64_t len = FACT_UNKNOWN;

    for (uint32_t i = 0; i < all; i++) {
        const struct fact *given = call_in(c, (int)i);
        int axis =
                row_axis(c, "scan_input_axes", (int)(i - states), given->rank);

        in[i] = i < states ? varying(given) : slice_of(given, axis, &len);
    }

    struct total t = run_body(s, f, body, in, all, out, carried);

    for (int i = 0; i < c->out_count; i++) {
        struct fact made = fact_nothing();

        if (i < (int)states)
            made = in[i];
        else if (i < (int)body->output_count)
            made = stacked(&out[i],
                    row_axis(c, "scan_output_axes", i - (int)states,
                            out[i].rank + 1),
                    len);
        call_set(c, i, &made);
    }
    free(in);
    free(out);
    return rounds(&t, len);
}

/* --- functions ------------------------------------------------------------ */

static struct total run_function(struct study *s, struct onnx_call *c,
        const struct onnx_graph *body)
{
    struct frame f = { .graph = body, .caller = c };
    struct fact *in = room((uint32_t)c->in_count);
    struct fact *out = room(body->output_count);

    for (int i = 0; i < c->in_count; i++)
        in[i] = *call_in(c, i);

    struct total t = enter(s, &f, in, (uint32_t)c->in_count, out);

    for (int i = 0; i < c->out_count && i < (int)body->output_count; i++)
        call_set(c, i, &out[i]);
    free(in);
    free(out);
    return t;
}

/* --- all ------------------------------------------------------------------ */

static bool standard_control(struct study *s, struct frame *f,
        struct onnx_call *c, struct total *cost)
{
    const struct onnx_graph *yes = graph_of(c, "then_branch");
    const struct onnx_graph *no = graph_of(c, "else_branch");
    const struct onnx_graph *body = graph_of(c, "body");
    struct str op = c->node->op_type;

    if (str_is(op, "If") && yes && no)
        *cost = run_if(s, f, c, yes, no);
    else if (str_is(op, "Loop") && body)
        *cost = run_loop(s, f, c, body);
    /* Operator set 8 had another Scan, with batches. */
    else if (str_is(op, "Scan") && body &&
             onnx_opset(s->model, str_of("")) >= 9)
        *cost = run_scan(s, f, c, body);
    else
        return false;
    return true;
}

bool control_node(struct study *s, struct frame *f, struct onnx_call *c,
        struct total *cost)
{
    struct str domain = c->node->domain;
    const uint64_t *function = map_find(&s->functions, c->node->kind);

    if (function) {
        *cost = run_function(s, c, s->model->functions[*function].body);
        return true;
    }
    if (!c->node->graph_count || (domain.len && !str_is(domain, "ai.onnx")))
        return false;
    return standard_control(s, f, c, cost);
}
