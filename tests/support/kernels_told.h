/* kernels_told.h -- for tests of kernels: records are made and go in, and what
 * the sink is told is kept for looking at. */
#pragma once

#include "base/alloc.h"
#include "base/compiler.h"
#include "collect/kernels.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define TOLD_OPERATORS 20000
#define TOLD_RUNS      400000
#define TOLD_SMALL     4096

static struct {
    struct operator operators[TOLD_OPERATORS]; /* by id; texts are copies */
    size_t operator_count;
    struct operator_edge edges[2 * TOLD_OPERATORS];
    size_t edge_count;
    struct operator_tensor tensors[2 * TOLD_OPERATORS];
    size_t tensor_count;
    struct operator_shape shapes[2 * TOLD_OPERATORS]; /* the newest of a key */
    size_t shape_count;
    struct operator_sum sums[TOLD_OPERATORS][PHASES]; /* by id; the newest */
    size_t sums_told;
    struct traced_sum traced[64][PHASES]; /* by session */
    struct operator_run runs[TOLD_RUNS];
    size_t run_count;
    struct activation activations[TOLD_SMALL];
    char heads[128]; /* of the last that had some */
    size_t activation_count;
    uint32_t operators_of[64]; /* by session */
    char *texts[16 * TOLD_OPERATORS];
    size_t text_count;
} told;

static const char *keep(const char *text)
{
    if (!text)
        return NULL;
    CHECK(told.text_count < LEN(told.texts));
    told.texts[told.text_count] = alloc_text(text);
    return told.texts[told.text_count++];
}

static void told_operators_of(void *context, const struct session *s)
{
    CHECK(context == &told && s->id < LEN(told.operators_of));
    told.operators_of[s->id] = s->operators_of;
}

static void told_operator(void *context, const struct operator* o)
{
    (void)context;
    CHECK(o->id && o->id < TOLD_OPERATORS && !told.operators[o->id].id);

    struct operator* to = & told.operators[o->id];

    *to = *o;
    to->name = keep(o->name);
    to->op_type = keep(o->op_type);
    to->inputs = keep(o->inputs);
    to->outputs = keep(o->outputs);
    told.operator_count++;
}

static void told_tensor(void *context, const struct operator_tensor *x)
{
    (void)context;
    CHECK(told.tensor_count < LEN(told.tensors));
    told.tensors[told.tensor_count] = *x;
    told.tensors[told.tensor_count].name = keep(x->name);
    told.tensors[told.tensor_count++].shape = keep(x->shape);
}

static void told_edge(void *context, const struct operator_edge *x)
{
    (void)context;
    CHECK(told.operators[x->from].id && told.operators[x->to].id);
    CHECK(told.edge_count < LEN(told.edges));
    told.edges[told.edge_count++] = *x;
}

static void told_shape(void *context, const struct operator_shape *x)
{
    size_t i = 0;

    (void)context;
    while (i < told.shape_count &&
            (told.shapes[i].operator_id != x->operator_id ||
                    told.shapes[i].index != x->index))
        i++;
    CHECK(i < LEN(told.shapes));
    told.shape_count += i == told.shape_count;
    told.shapes[i] = *x;
    told.shapes[i].inputs = keep(x->inputs);
    told.shapes[i].outputs = keep(x->outputs);
}

static void told_operator_sum(void *context, const struct operator_sum *x)
{
    (void)context;
    CHECK(told.operators[x->operator_id].id && x->phase < PHASES);
    told.sums[x->operator_id][x->phase] = *x;
    told.sums[x->operator_id][x->phase].spread = keep(x->spread);
    told.sums_told++;
}

static void told_traced_sum(void *context, const struct traced_sum *x)
{
    (void)context;
    CHECK(x->session < LEN(told.traced));
    told.traced[x->session][x->phase] = *x;
    CHECK(x->run_ns == x->before_ns + x->kernels_ns + x->flow_ns +
                               x->between_ns + x->after_ns);
}

static void told_run(void *context, const struct operator_run *r)
{
    (void)context;
    CHECK(told.operators[r->operator_id].id && told.run_count < TOLD_RUNS);
    told.runs[told.run_count++] = *r;
}

static void told_activation(void *context, const struct activation *x)
{
    (void)context;
    CHECK(told.activation_count < LEN(told.activations));
    if (x->entropy_per_head)
        (void)snprintf(told.heads, sizeof(told.heads), "%s %s %s",
                x->entropy_per_head, x->largest_per_head, x->sparsity_per_head);
    told.activations[told.activation_count++] = *x;
}

static const struct subscriber told_sink = {
    .context = &told,
    .operators_of = told_operators_of,
    .found_operator = told_operator,
    .tensor = told_tensor,
    .edge = told_edge,
    .shape = told_shape,
    .operator_sum = told_operator_sum,
    .traced_sum = told_traced_sum,
    .ran_operator = told_run,
    .activation = told_activation,
};

/* --- records -------------------------------------------------------------- */

static struct texts texts;
static struct kernels *kernels;
static uint64_t inference; /* number of the last */

static void begin(void)
{
    for (size_t i = 0; i < told.text_count; i++)
        free(told.texts[i]);
    memset(&told, 0, sizeof(told));
    texts = (struct texts){ 0 };
    kernels = kernels_new(&told_sink, &texts);
    inference = 0;
}

static void end(void)
{
    kernels_free(kernels);
    texts_release(&texts);
}

/* Sends a text; its name is its hash. */
static uint64_t text(const char *s)
{
    struct record r = { .kind = RECORD_TEXT };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    if (!s)
        return 0;
    for (const char *c = s; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    CHECK(strlen(s) <= RECORD_TEXT_BYTES);
    r.text.hash = hash;
    r.text.len = (uint32_t)strlen(s);
    memcpy(r.text.bytes, s, strlen(s));
    (void)texts_take(&texts, &r);
    return hash;
}

static bool send_to(uint32_t process, struct record r)
{
    return kernels_take(kernels, process, &r);
}

static void send(struct record r)
{
    CHECK(send_to(1, r));
}

/* Addresses are multiples of 16. */
#define AT(n) ((uint64_t)(n)*16 + 0x10000)

static struct record kernel(uint64_t at, uint64_t parent, const char *name,
        const char *op_type, uint32_t index)
{
    return (struct record){
        .kind = RECORD_KERNEL,
        .kernel = { .kernel = at,
                .parent = parent,
                .name = text(name),
                .op_type = text(op_type),
                .provider = text("CPUExecutionProvider"),
                .node_index = index },
    };
}

/* Of rank 2, float; NULL: no name. */
static struct record tensor(uint64_t at, uint32_t trace, uint16_t flags,
        uint16_t index, const char *name, uint32_t rows, uint32_t columns)
{
    return (struct record){
        .kind = RECORD_TENSOR,
        .flags = flags,
        .tensor = { .kernel = at,
                .name = text(name),
                .trace = trace,
                .index = index,
                .type = 1,
                .rank = 2,
                .dims = { rows, columns } },
    };
}

/* An output of which only the name is known. */
static struct record output(uint64_t at, uint32_t trace, uint16_t index,
        const char *name)
{
    struct record r = tensor(at, trace, TENSOR_OUTPUT, index, name, 0, 0);

    r.tensor.type = 0;
    r.tensor.rank = 0;
    return r;
}

static void clock_line(uint32_t trace, uint32_t thread, uint64_t time)
{
    send((struct record){
            .kind = RECORD_LINES,
            .flags = 1,
            .lines = { trace, thread,
                    { { LINE_CLOCK, (uint32_t)time,
                            (uint32_t)(time >> 32) } } },
    });
}

static void line(uint32_t trace, uint32_t thread, uint64_t at, uint32_t after,
        uint32_t took)
{
    send((struct record){
            .kind = RECORD_LINES,
            .flags = 1,
            .lines = { trace, thread, { { at, after, took } } },
    });
}

static void traced(uint32_t trace, uint32_t thread, uint32_t count,
        uint64_t shapes)
{
    send((struct record){
            .kind = RECORD_TRACED,
            .traced = { .shapes = shapes,
                    .cost = 9,
                    .beside_kernels = 7,
                    .trace = trace,
                    .thread = thread,
                    .kernels = count },
    });
}

/* The inference of that thread and session is over. */
static bool over(uint32_t thread, uint32_t session, uint64_t start_ns,
        uint64_t end_ns)
{
    return kernels_close(kernels, &(struct kernels_run){
                                          .process = 1,
                                          .thread = thread,
                                          .session = session,
                                          .identity = 99,
                                          .number = ++inference,
                                          .flags = FLAG_TRACED,
                                          .start_ns = start_ns,
                                          .end_ns = end_ns,
                                          .origin_ns = 100,
                                  });
}

/* --- looking -------------------------------------------------------------- */

/* 0: there is none. */
static uint32_t operator_named(const char *name)
{
    for (uint32_t i = 1; i < TOLD_OPERATORS; i++)
        if (told.operators[i].name && strcmp(told.operators[i].name, name) == 0)
            return i;
    return 0;
}

static bool has_edge(const char *from, const char *to)
{
    for (size_t i = 0; i < told.edge_count; i++)
        if (told.edges[i].from == operator_named(from) &&
                told.edges[i].to == operator_named(to))
            return true;
    return false;
}

static const struct operator_sum *sum_of(const char *name)
{
    return &told.sums[operator_named(name)][PHASE_OTHER];
}

/* NULL: there is none. */
static const struct operator_shape *shape_of(const char *name, uint32_t index)
{
    for (size_t i = 0; i < told.shape_count; i++)
        if (told.shapes[i].operator_id == operator_named(name) &&
                told.shapes[i].index == index)
            return &told.shapes[i];
    return NULL;
}
