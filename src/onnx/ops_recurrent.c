/* ops_recurrent.c -- LSTM, GRU and RNN. */
#include "onnx/ops.h"

#include <stddef.h>

/* The sizes that all of them have; FACT_UNKNOWN each. */
struct sizes {
    int64_t steps, batch, directions, hidden;
};

/* X is [steps, batch, input], or the first two turned. */
static struct sizes sizes_of(const struct onnx_call *c)
{
    const struct fact *x = call_in(c, 0), *w = call_in(c, 1);
    const struct fact *r = call_in(c, 2);
    bool batch_first = call_int(c, "layout", 0);
    struct sizes s = { FACT_UNKNOWN, FACT_UNKNOWN, FACT_UNKNOWN,
        call_int(c, "hidden_size", FACT_UNKNOWN) };

    if (x->rank == 3) {
        s.steps = x->dims[batch_first];
        s.batch = x->dims[!batch_first];
    }
    if (w->rank == 3)
        s.directions = w->dims[0];
    else if (str_is(call_text(c, "direction"), "bidirectional"))
        s.directions = 2;
    if (s.hidden < 1)
        s.hidden = r->rank == 3 ? r->dims[2] : FACT_UNKNOWN;
    return s;
}

static void infer_recurrent(struct onnx_call *c)
{
    struct sizes s = sizes_of(c);
    bool batch_first = call_int(c, "layout", 0);
    int type = call_in(c, 0)->type;
    struct fact all = fact_rank(type, 4), last = fact_rank(type, 3);

    all.dims[0] = batch_first ? s.batch : s.steps;
    all.dims[1] = batch_first ? s.steps : s.directions;
    all.dims[2] = batch_first ? s.directions : s.batch;
    all.dims[3] = s.hidden;
    last.dims[0] = batch_first ? s.batch : s.directions;
    last.dims[1] = batch_first ? s.directions : s.batch;
    last.dims[2] = s.hidden;
    call_set(c, 0, &all);
    call_set(c, 1, &last);
    call_set(c, 2, &last);
}

/* At each step each row of the batch meets all weights; then the gates, as
 * many operations for each hidden element as the table says. */
static bool cost_recurrent(const struct onnx_call *c, struct onnx_cost *out)
{
    struct sizes s = sizes_of(c);
    struct fact states = fact_rank(ONNX_UNKNOWN, 4);
    struct fact rows = fact_rank(ONNX_UNKNOWN, 2);
    uint64_t weights, again, row_count, state_count;

    states.dims[0] = rows.dims[0] = s.steps;
    states.dims[1] = rows.dims[1] = s.batch;
    states.dims[2] = s.directions;
    states.dims[3] = s.hidden;
    return fact_elements(&row_count, &rows) &&
           fact_elements(&state_count, &states) &&
           fact_elements(&weights, call_in(c, 1)) &&
           fact_elements(&again, call_in(c, 2)) &&
           cost_add(&out->macs, row_count, weights) &&
           cost_add(&out->macs, row_count, again) &&
           cost_add(&out->operations, state_count, (uint64_t)c->op->each);
}

const struct onnx_op ops_recurrent[] = {
    { "LSTM", infer_recurrent, cost_recurrent, 9 },
    { "GRU", infer_recurrent, cost_recurrent, 8 },
    { "RNN", infer_recurrent, cost_recurrent, 1 },
    { 0 },
};

const struct onnx_op ops_microsoft_recurrent[] = {
    { "DynamicQuantizeLSTM", infer_recurrent, cost_recurrent, 9 },
    { 0 },
};
