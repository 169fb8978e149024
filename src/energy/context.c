#include "energy/context.h"

#include <math.h>
#include <string.h>

static unsigned step_of(uint32_t past)
{
    unsigned step = 0;

    for (; past; past >>= 1)
        step++;
    return step;
}

static void add(struct context_step *to, const struct run_energy *r,
        uint64_t number)
{
    const struct run_inference *x = &r->inferences[number];
    double net, gross = run_energy_inference(r, number, &net);

    to->past_min =
            !to->tokens || x->past < to->past_min ? x->past : to->past_min;
    to->past_max = x->past > to->past_max ? x->past : to->past_max;
    to->tokens += x->tokens;
    to->gross_j += gross;
    to->net_j += net;
    to->past_sum += (double)x->past * x->tokens;
    to->busy_ns += x->end_ns - x->start_ns;
    to->inferences++;
}

bool context_find(struct context_step out[CONTEXT_STEPS],
        const struct run_energy *r)
{
    bool any = false;

    memset(out, 0, CONTEXT_STEPS * sizeof(*out));
    for (uint64_t i = 1; i <= r->inference_count && r->account.counted; i++) {
        const struct run_inference *x = &r->inferences[i];

        if (x->phase != PHASE_DECODE || !x->tokens || !x->past_known ||
                isnan(energy_account_between(&r->account, x->start_ns,
                        x->end_ns)))
            continue;
        add(&out[step_of(x->past)], r, i);
        any = true;
    }
    return any;
}
