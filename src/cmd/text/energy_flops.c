#include "cmd/text/energy_flops.h"

#include "analyse/operators/model_flops.h"
#include "analyse/operators/operator_flops.h"

/* For run_energy_release(), unless it failed. */
static int read_by(struct run_energy *out, const struct summary *s,
        struct store *store, enum energy_by by, struct error *e)
{
    struct operator_flops flops = { 0 };

    if (by == ENERGY_BY_FLOPS)
        operator_flops_find(&flops, s);

    int rc = run_energy_read_by(out, store, s->run.row,
            &(struct energy_key){ .by = by,
                    .operator_flops = flops.operators,
                    .operator_count = flops.operator_count,
                    .session_flops = flops.sessions,
                    .session_count = flops.session_count },
            e);

    operator_flops_release(&flops);
    return rc;
}

int energy_share_by(struct summary *s, struct store *store, enum energy_by by,
        struct error *e)
{
    struct run_energy energy;

    if (by == s->energy.by)
        return 0;

    int rc = read_by(&energy, s, store, by, e);

    if (rc)
        return rc;
    run_energy_release(&s->energy);
    s->energy = energy;
    return 0;
}

void energy_flops_find(struct energy_flops *out, double given,
        const struct summary *s, struct store *store)
{
    struct run_energy energy;

    *out = (struct energy_flops){ .each = given, .source = "given" };
    if (given > 0)
        return;
    out->source = "model file";
    if (!model_flops(&out->each, s, &out->why))
        return;
    out->each = 0;
    /* The reason stays the file's: who has no operators knows that. */
    if (!s->operators.count ||
            read_by(&energy, s, store, ENERGY_BY_FLOPS, NULL))
        return;
    if (energy.inference_flops > 0) {
        out->each = energy.inference_flops;
        out->source = "operators that ran";
    }
    run_energy_release(&energy);
}
