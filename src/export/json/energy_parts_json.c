#include "export/json/energy_parts_json.h"

#include "analyse/operators/energy_places.h"
#include "energy/context.h"

static void sum(struct json *j, const struct energy_sum *x,
        const struct summary *s)
{
    json_u64(j, "count", x->count);
    json_fixed(j, "gross_j", (double)x->gross_uj / 1e6, 6);
    if (s->energy.account.attribution.idle_known)
        json_fixed(j, "net_j", (double)x->net_uj / 1e6, 6);
    if (x->error_j > 0)
        json_fixed(j, "error_j", x->error_j, 6);
    json_text(j, "method", reading_method_name(x->method));
}

static void places(struct json *j, const struct summary *s)
{
    struct energy_places p;

    energy_places_find(&p, s);
    if (p.layer_count)
        json_array(j, "layers");
    for (size_t i = 0; i < p.layer_count; i++) {
        if (!p.layers[i].count)
            continue;
        json_object(j, NULL);
        json_u64(j, "layer", i);
        sum(j, &p.layers[i], s);
        json_end(j);
    }
    if (p.layer_count)
        json_end(j);
    if (p.any)
        json_object(j, "components");
    for (int i = 0; p.any && i < ARCH_COMPONENTS; i++) {
        if (!p.components[i].count)
            continue;
        json_object(j, arch_component_name((enum arch_component)i));
        sum(j, &p.components[i], s);
        json_end(j);
    }
    if (p.any)
        json_end(j);
    energy_places_release(&p);
}

static void context(struct json *j, const struct summary *s)
{
    const struct energy_account *a = &s->energy.account;
    struct context_step steps[CONTEXT_STEPS];

    if (!context_find(steps, &s->energy))
        return;
    json_array(j, "context");
    for (size_t i = 0; i < CONTEXT_STEPS; i++) {
        const struct context_step *x = &steps[i];

        if (!x->tokens)
            continue;
        json_object(j, NULL);
        json_u64(j, "past_min", x->past_min);
        json_u64(j, "past_max", x->past_max);
        json_fixed(j, "past_mean", x->past_sum / (double)x->tokens, 3);
        json_u64(j, "tokens", x->tokens);
        json_real(j, "gross_j_per_token", x->gross_j / (double)x->tokens);
        if (a->attribution.idle_known)
            json_real(j, "net_j_per_token", x->net_j / (double)x->tokens);
        json_text(j, "method",
                reading_method_name(
                        energy_account_method(a, x->busy_ns / x->inferences)));
        json_end(j);
    }
    json_end(j);
}

void energy_parts_json(struct json *j, const char *key, const struct summary *s)
{
    if (!s->energy.account.counted)
        return;
    json_object(j, key);
    places(j, s);
    context(j, s);
    json_end(j);
}
