#include "energy/save.h"

#include "base/alloc.h"
#include "energy/run_energy.h"

#include <math.h>
#include <stdlib.h>

struct keeping {
    struct store *store;
    struct run_energy energy;
    bool part_known[ZONE_PARTS];
    struct inference_joules *inferences; /* by their end */
    size_t inference_count;
    uint64_t section, token; /* numbers of the last ones that were read */
    uint64_t token_ns;       /* when the last token was told */
    enum reading_method token_method;
    /* What is to be set, as the store is not changed while it is read. */
    struct kept_energy {
        uint64_t number;
        double joules;
        enum reading_method method;
    } * sections, *tokens;
    size_t section_count, token_count;
};

struct inference_joules {
    uint64_t end_ns;
    double joules; /* NAN: not known */
};

static struct kept_energy *add(struct kept_energy **items, size_t *count)
{
    /* Room is doubled whenever the count is a power of 2. */
    if ((*count & (*count - 1)) == 0)
        *items = alloc_resize(*items,
                (*count ? 2 * *count : 1) * sizeof(**items));
    return &(*items)[(*count)++];
}

/* --- sections ------------------------------------------------------------- */

static void take_section(void *to, const struct section *x)
{
    struct keeping *k = to;
    double joules = energy_account_between(&k->energy.account, x->start_ns,
            x->start_ns + x->duration_ns);

    k->section++;
    if (isnan(joules))
        return;
    *add(&k->sections, &k->section_count) = (struct kept_energy){ k->section,
        joules, energy_account_method(&k->energy.account, x->duration_ns) };
}

/* --- tokens --------------------------------------------------------------- */

static int by_end(const void *a, const void *b)
{
    uint64_t x = ((const struct inference_joules *)a)->end_ns;
    uint64_t y = ((const struct inference_joules *)b)->end_ns;

    return (x > y) - (x < y);
}

static void list_inferences(struct keeping *k)
{
    const struct run_energy *r = &k->energy;

    k->inference_count = (size_t)r->inference_count;
    k->inferences = alloc_zero(k->inference_count + 1, sizeof(*k->inferences));
    for (size_t i = 0; i < k->inference_count; i++) {
        const struct run_inference *x = &r->inferences[i + 1];
        double net, joules = run_energy_inference(r, i + 1, &net);
        bool covered = !isnan(
                energy_account_between(&r->account, x->start_ns, x->end_ns));

        k->inferences[i] =
                (struct inference_joules){ x->end_ns, covered ? joules : NAN };
    }
    qsort(k->inferences, k->inference_count, sizeof(*k->inferences), by_end);
}

/* The first that ended later. */
static size_t first_after(const struct keeping *k, uint64_t time_ns)
{
    size_t low = 0, high = k->inference_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (k->inferences[middle].end_ns > time_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A token is told when the inferences that made it have ended. */
static void take_token(void *to, const struct token *t)
{
    struct keeping *k = to;
    size_t first = k->token ? first_after(k, k->token_ns) : 0;
    size_t behind = first_after(k, t->time_ns);
    double joules = 0;

    k->token++;
    k->token_ns = t->time_ns;
    for (size_t i = first; i < behind; i++)
        joules += k->inferences[i].joules;
    if (first >= behind || isnan(joules))
        return;
    *add(&k->tokens, &k->token_count) =
            (struct kept_energy){ k->token, joules, k->token_method };
}

/* --- power ---------------------------------------------------------------- */

static double part_mw(const struct keeping *k, const struct account_point *p,
        enum zone_part part)
{
    return k->part_known[part] ? 1e3 * p->part_watts[part] : NAN;
}

static void add_power(const struct keeping *k)
{
    const struct energy_account *a = &k->energy.account;

    for (size_t i = 0; i < a->point_count; i++) {
        const struct account_point *p = &a->points[i];
        uint64_t length_ns = p->end_ns - p->start_ns;

        store_add_power_sample(k->store,
                &(struct power_sample){
                        .time_ns = p->start_ns + length_ns / 2,
                        .cpu_power_mw = part_mw(k, p, ZONE_CPU),
                        .gpu_power_mw = part_mw(k, p, ZONE_GPU),
                        .ane_power_mw = part_mw(k, p, ZONE_NPU),
                        .dram_power_mw = part_mw(k, p, ZONE_DRAM),
                        .total_power_mw = 1e3 * p->watts,
                        .phase = (uint8_t)p->phase,
                        .method = (uint8_t)energy_account_method(a, length_ns),
                });
    }
}

static bool is_covered(const struct energy_account *a)
{
    double length_ns = (double)(a->end_ns - a->start_ns);

    return (double)a->covered_ns >= ENERGY_COVERED_LEAST * length_ns;
}

static void set_run(struct run *run, const struct energy_account *a)
{
    if (!is_covered(a))
        return;
    run->has_energy = true;
    run->energy_mj = (double)a->attribution.total_uj / 1e3;
    run->energy_method = (uint8_t)a->method;
}

static void write_all(struct keeping *k, struct run *run)
{
    add_power(k);
    for (size_t i = 0; i < k->section_count; i++)
        store_set_section_energy(k->store, k->sections[i].number,
                1e3 * k->sections[i].joules, k->sections[i].method);
    for (size_t i = 0; i < k->token_count; i++)
        store_set_token_energy(k->store, k->tokens[i].number,
                1e3 * k->tokens[i].joules, k->tokens[i].method);
    set_run(run, &k->energy.account);
}

int energy_save(struct store *s, struct run *run, struct error *e)
{
    struct keeping k = { .store = s };
    const struct energy_account *a = &k.energy.account;
    int rc = run_energy_read_ended(&k.energy, s, run, e);

    for (size_t i = 0; !rc && i < a->zone_count; i++)
        if (a->zones[i].zone.role == ZONE_COUNTED &&
                a->zones[i].window.covered_ns)
            k.part_known[a->zones[i].zone.part] = true;
    if (!rc && a->counted) {
        list_inferences(&k);
        k.token_method = run_energy_phase(&k.energy, PHASES).method;
        rc = store_each_section(s, run->row, take_section, &k, e);
        if (!rc)
            rc = store_each_token(s, run->row, take_token, &k, e);
        if (!rc)
            write_all(&k, run);
    }
    free(k.sections);
    free(k.tokens);
    free(k.inferences);
    run_energy_release(&k.energy);
    return rc;
}
