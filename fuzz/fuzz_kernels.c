/* fuzz_kernels.c -- any bytes as a process's records of kernels and inferences.
 *
 * Few addresses, names, traces and threads, so that records meet: the first
 * byte says what comes, the next ones what is in it. */
#include "collect/kernels.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    uint32_t operators;
    uint64_t runs, inference;
} seen;

/* What is told must hold: whoever reads it does not ask twice. */
static void hold(int condition)
{
    if (!condition)
        abort();
}

static void on_operators_of(void *context, const struct session *s)
{
    (void)context;
    hold(s->id && s->operators_of);
}

static void on_operator(void *context, const struct operator* o)
{
    (void)context;
    seen.operators = o->id > seen.operators ? o->id : seen.operators;
    hold(o->id && o->session && o->parent < o->id);
    hold(!o->sizes_known || (o->inputs && o->outputs));
}

static void on_tensor(void *context, const struct operator_tensor *x)
{
    (void)context;
    hold(x->operator_id && x->operator_id <= seen.operators);
    hold(!x->shape || x->is_constant);
}

static void on_edge(void *context, const struct operator_edge *x)
{
    (void)context;
    hold(x->from && x->to && x->from != x->to);
    hold(x->from <= seen.operators && x->to <= seen.operators);
}

static void on_shape(void *context, const struct operator_shape *x)
{
    (void)context;
    hold(x->operator_id && x->operator_id <= seen.operators);
    hold(x->inputs && *x->inputs == '[');
    hold(!x->outputs || *x->outputs == '[');
}

static void on_operator_sum(void *context, const struct operator_sum *x)
{
    (void)context;
    hold(x->operator_id && x->operator_id <= seen.operators && x->count);
    hold(x->self_ns <= x->total_ns && x->min_ns <= x->max_ns);
    hold(x->min_ns * x->count <= x->self_ns);
    hold(x->spread && *x->spread == '[');
}

static void on_traced_sum(void *context, const struct traced_sum *x)
{
    (void)context;
    hold(x->run_ns == x->before_ns + x->kernels_ns + x->flow_ns +
                              x->between_ns + x->after_ns);
    hold(x->busy_ns <= x->beside_run_ns && x->beside <= x->count);
    hold(x->shapeless <= x->count);
}

static void on_run(void *context, const struct operator_run *r)
{
    (void)context;
    hold(r->operator_id && r->operator_id <= seen.operators);
    hold(r->inference == seen.inference && r->kernel_known);
    seen.runs++;
}

static void on_activation(void *context, const struct activation *x)
{
    (void)context;
    hold(x->operator_id && x->operator_id <= seen.operators);
    hold(x->inference == seen.inference);
}

static const struct subscriber sink = {
    .operators_of = on_operators_of,
    .found_operator = on_operator,
    .tensor = on_tensor,
    .edge = on_edge,
    .shape = on_shape,
    .operator_sum = on_operator_sum,
    .traced_sum = on_traced_sum,
    .ran_operator = on_run,
    .activation = on_activation,
};

struct input {
    const uint8_t *p;
    size_t len;
};

static uint8_t next(struct input *in)
{
    if (!in->len)
        return 0;
    in->len--;
    return *in->p++;
}

static uint64_t address(struct input *in)
{
    uint8_t byte = next(in);

    return (uint64_t)(byte & 7) * 16 + (byte & 8 ? byte >> 4 : 0);
}

static struct record make(struct input *in, uint8_t what)
{
    struct record r = { 0 };

    switch (what % 6) {
    case 0:
        r.kind = RECORD_KERNEL;
        r.kernel.kernel = address(in);
        r.kernel.parent = address(in);
        r.kernel.op_type = next(in) & 3;
        r.kernel.name = next(in) & 3;
        r.kernel.node_index = next(in);
        break;
    case 1:
        r.kind = RECORD_TENSOR;
        r.tensor.kernel = address(in);
        r.flags = next(in);
        r.tensor.trace = next(in) & 3;
        r.tensor.index = next(in) & 3;
        r.tensor.name = next(in) & 7;
        r.tensor.type = next(in);
        r.tensor.rank = next(in);
        for (size_t i = 0; i < r.tensor.rank && i < TENSOR_DIMS; i++)
            r.tensor.dims[i] = (uint32_t)next(in) << (next(in) & 31);
        break;
    case 2:
        r.kind = RECORD_LINES;
        r.lines.trace = next(in) & 3;
        r.lines.thread = next(in) & 1;
        r.flags = next(in) & 3;
        for (size_t i = 0; i < r.flags; i++)
            r.lines.line[i] =
                    (struct record_line){ address(in), next(in), next(in) };
        break;
    case 3:
        r.kind = RECORD_TRACED;
        r.traced.trace = next(in) & 3;
        r.traced.thread = next(in) & 1;
        r.traced.kernels = next(in) & 7;
        r.traced.shapes = next(in) & 3;
        r.traced.cost = next(in);
        break;
    case 4:
        r.kind = RECORD_KERNEL_END;
        r.kernel.kernel = address(in);
        break;
    default:
        r.kind = RECORD_STATS;
        r.stats.kernel = address(in);
        r.stats.trace = next(in) & 3;
        r.stats.read = next(in);
        r.stats.nans = next(in);
        break;
    }
    return r;
}

static void close_inference(struct kernels *k, struct input *in)
{
    uint8_t how = next(in);

    seen.inference++;
    (void)kernels_close(k, &(struct kernels_run){
                                   .process = 1 + (how & 1),
                                   .thread = next(in) & 1,
                                   .session = next(in) & 3,
                                   .identity = next(in) & 1,
                                   .number = seen.inference,
                                   .phase = next(in) % PHASES,
                                   .flags = (uint16_t)(how << 8 | how),
                                   .start_ns = next(in),
                                   .end_ns = 4 * (uint64_t)next(in),
                           });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    struct texts texts = { 0 };
    struct kernels *k = kernels_new(&sink, &texts);

    memset(&seen, 0, sizeof(seen));
    for (uint64_t i = 1; i < 8; i++) {
        static const char names[8][12] = { "", "a", "b", "c_token_1",
            "d_token_", "e", "f", "g" };
        struct record r = { .kind = RECORD_TEXT };

        r.text.hash = i;
        r.text.len = (uint32_t)strlen(names[i]);
        memcpy(r.text.bytes, names[i], r.text.len);
        (void)texts_take(&texts, &r);
    }
    while (in.len) {
        uint8_t what = next(&in) & 31;

        if (what >= 24) {
            close_inference(k, &in);
        } else {
            struct record r = make(&in, what);

            (void)kernels_take(k, 1 + (what == 23), &r);
        }
        if (what == 31)
            kernels_tell(k);
    }
    kernels_end(k);
    kernels_free(k);
    texts_release(&texts);
    return 0;
}
