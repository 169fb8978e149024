#include "energy/figures.h"

#include <math.h>

static double over(double joules, double count)
{
    return count > 0 ? joules / count : NAN;
}

static struct energy_each each(const struct run_energy *r,
        const struct energy_sum *sum, double count)
{
    bool net = r->account.attribution.idle_known;

    return (struct energy_each){
        .gross_j = over((double)sum->gross_uj / 1e6, count),
        .net_j = net ? over((double)sum->net_uj / 1e6, count) : NAN,
    };
}

static void prices(struct energy_figures *f, const struct energy_counts *n,
        const struct energy_prices *p, const struct energy_account *a)
{
    f->grams = f->cost = f->sci.grams_per_unit = NAN;
    if (p->price_per_kwh > 0)
        f->cost = carbon_cost(f->total_j, p->pue, p->price_per_kwh);
    if (!p->grid)
        return;
    f->grams = carbon_grams(f->total_j, p->pue, p->grid);
    if (!n->inferences)
        return;
    f->sci = carbon_sci(&(struct carbon_sci_input){
            .operational_grams = f->grams,
            .embodied_grams = p->embodied_grams,
            .used_s = (double)(a->end_ns - a->start_ns) / 1e9,
            .lifespan_s = p->lifespan_s,
            .share = 1,
            .units = (double)n->inferences,
    });
}

struct energy_figures energy_figures(const struct run_energy *r,
        const struct energy_counts *n, const struct energy_prices *p)
{
    const struct energy_account *a = &r->account;
    struct attribution_lines l = attribution_lines(&a->attribution);
    struct energy_sum all = run_energy_phase(r, PHASES);
    struct energy_sum prefill = run_energy_phase(r, PHASE_PREFILL);
    struct energy_sum decode = run_energy_phase(r, PHASE_DECODE);
    struct energy_sum text = {
        .gross_uj = prefill.gross_uj + decode.gross_uj,
        .net_uj = prefill.net_uj + decode.net_uj,
    };
    bool idle = a->attribution.idle_known;
    double rate = over((double)n->inferences, n->seconds);
    struct energy_figures f = {
        .total_j = (double)l.total_uj / 1e6,
        .net_j = idle ? (double)(l.attributed_uj + l.unattributed_uj) / 1e6
                      : NAN,
        .idle_share = idle ? over((double)l.idle_uj, (double)l.total_uj) : NAN,
        .inference = each(r, &all, (double)n->inferences),
        .sample = each(r, &all, n->samples),
        .token = each(r, &text, (double)n->tokens),
        .inferences_per_watt = over(rate, a->mean_watts),
        .flops_per_watt =
                n->flops > 0 ? over(rate * n->flops, a->mean_watts) : NAN,
    };

    f.delay_product_js =
            n->latency_s > 0 ? f.inference.gross_j * n->latency_s : NAN;
    prices(&f, n, p, a);
    return f;
}
