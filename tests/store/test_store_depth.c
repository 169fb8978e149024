/* test_store_depth.c -- power samples, layers, components and operations: what
 * is written is what is read. */
#include "stored_same.h"

#include <math.h>

static size_t seen;

/* The same number, or both unknown. */
#define SAME_REAL(field)               \
    CHECK(got->field == want->field || \
            (isnan(got->field) && isnan(want->field)))

#define UNKNOWN            \
    {                      \
        NAN, NAN, NAN, NAN \
    }

static const struct power_sample samples[] = {
    { 5, 1000, 2000, 300, 3500, 200, 2, READING_MEASURED },
    { 6, 0, NAN, NAN, NAN, NAN, 0, READING_MODELLED },
};

static void take_power_sample(void *context, const struct power_sample *got)
{
    const struct power_sample *want = &samples[seen++ % LEN(samples)];

    (void)context;
    SAME(time_ns);
    SAME_REAL(cpu_power_mw);
    SAME_REAL(gpu_power_mw);
    SAME_REAL(ane_power_mw);
    SAME_REAL(dram_power_mw);
    SAME_REAL(total_power_mw);
    SAME(phase);
    SAME(method);
}

static const struct layer_metric layers[] = {
    { 1, 1, 0, 1000, 2.5, { 0.5, 1, 7, 0 }, READING_MODELLED,
            { .in_token = true, .token_index = 4, .token_text = "Hi" } },
    { 2, 0, 31, 0, NAN, UNKNOWN, 0, { 0 } },
};

#define SAME_PLACE()                     \
    do {                                 \
        SAME(place.in_token);            \
        SAME(place.in_layer);            \
        SAME(place.token_index);         \
        SAME(place.layer_index);         \
        SAME_TEXT(place.token_text);     \
        SAME_TEXT(place.component_name); \
    } while (0)

static void take_layer(void *context, const struct layer_metric *got)
{
    const struct layer_metric *want = &layers[seen++ % LEN(layers)];

    (void)context;
    SAME(id);
    SAME(token_id);
    SAME(layer_index);
    SAME(duration_ns);
    SAME_REAL(energy_mj);
    SAME_REAL(activation.mean);
    SAME_REAL(activation.std);
    SAME_REAL(activation.max);
    SAME_REAL(activation.sparsity);
    SAME(energy_method);
    SAME_PLACE();
}

static const struct component_metric components[] = {
    { 1, 1, "q_proj", 3, 700, 1.5, { 0.25, 0.5, 1, 0.125 }, READING_APPORTIONED,
            { true, true, 4, 0, "Hi", NULL } },
    { 2, 0, "q_proj", 0, 0, NAN, UNKNOWN, 0, { 0 } },
};

static void take_component(void *context, const struct component_metric *got)
{
    const struct component_metric *want = &components[seen++ % LEN(components)];

    (void)context;
    SAME(id);
    SAME(layer_metric_id);
    SAME_TEXT(component_name);
    SAME(count);
    SAME(duration_ns);
    SAME_REAL(energy_mj);
    SAME_REAL(activation.mean);
    SAME_REAL(activation.sparsity);
    SAME(energy_method);
    SAME_PLACE();
}

static const struct deep_operation_metric operations[] = {
    { 1, 1, "attention", "softmax", 8, 90, 0.5, 1.25, 0.5, 0.75, NAN, NAN,
            "[1,1.5]", "[0.5,1]", "[0,1]", NULL, READING_MODELLED,
            { true, true, 4, 0, "Hi", "q_proj" } },
    { 2, 0, "mlp", "gate", 1, 5, NAN, NAN, NAN, NAN, 0.5, NAN, NULL, NULL, NULL,
            "unfused graph", 0, { 0 } },
};

static void take_deep_operation(void *context,
        const struct deep_operation_metric *got)
{
    const struct deep_operation_metric *want =
            &operations[seen++ % LEN(operations)];

    (void)context;
    SAME(id);
    SAME(component_metric_id);
    SAME_TEXT(operation_type);
    SAME_TEXT(operation_name);
    SAME(count);
    SAME(duration_ns);
    SAME_REAL(energy_mj);
    SAME_REAL(attention_entropy);
    SAME_REAL(attention_sparsity);
    SAME_REAL(max_attention_weight);
    SAME_REAL(activation_kill_ratio);
    SAME_REAL(variance_ratio);
    SAME_TEXT(entropy_per_head);
    SAME_TEXT(largest_per_head);
    SAME_TEXT(sparsity_per_head);
    SAME_TEXT(graph);
    SAME(energy_method);
    SAME_PLACE();
}

#define WRITE(name, cases)                  \
    for (size_t i = 0; i < LEN(cases); i++) \
    store_add_##name(s, &(cases)[i])
#define READ(name, cases)                                                 \
    do {                                                                  \
        seen = 0;                                                         \
        CHECK_INT(store_each_##name(s, row, take_##name, NULL, NULL), 0); \
        CHECK_INT(seen, LEN(cases));                                      \
    } while (0)

static void rows(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    int64_t row = stored_run(s, 1).row;

    store_add_token(s, &(struct token){ .index = 4, .text = "Hi" });
    WRITE(power_sample, samples);
    WRITE(layer, layers);
    WRITE(component, components);
    WRITE(deep_operation, operations);
    stored_flush(s);
    READ(power_sample, samples);
    READ(layer, layers);
    READ(component, components);
    READ(deep_operation, operations);
    store_close(s);
    /* By the names of EP-006, and what is computed. */
    CHECK_INT(stored_number(&t,
                      "SELECT duration_ms = 0.001 AND avg_power_mw = 2.5e6 AND"
                      " token_id = 1 FROM layer_metrics WHERE id = 1"),
            1);
    CHECK_INT(stored_number(&t, "SELECT avg_power_mw IS NULL AND"
                                " energy_mj IS NULL AND token_id IS NULL"
                                " FROM layer_metrics WHERE id = 2"),
            1);
    CHECK_INT(stored_number(&t, "SELECT cpu_power_mw = 0 AND"
                                " gpu_power_mw IS NULL FROM power_samples"
                                " WHERE timestamp = 6"),
            1);
    tree_close(&t);
}

struct energies {
    double sections[2], tokens[2];
    size_t section_count, token_count;
};

static void take_section(void *to, const struct section *x)
{
    struct energies *e = to;

    e->sections[e->section_count++] = x->has_energy ? x->energy_mj : NAN;
}

static void take_token(void *to, const struct token *x)
{
    struct energies *e = to;

    e->tokens[e->token_count++] = x->has_energy ? x->energy_mj : NAN;
}

/* Energy is told afterwards. */
static void energy(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    int64_t row = stored_run(s, 1).row;
    struct energies e = { 0 };

    for (int i = 0; i < 2; i++) {
        store_add_section(s, &(struct section){ .duration_ns = 1000 });
        store_add_token(s, &(struct token){ .id = i });
    }
    store_set_section_energy(s, 2, 7.5, READING_MODELLED);
    store_set_token_energy(s, 1, 0, READING_MEASURED);
    stored_flush(s);
    CHECK_INT(store_each_section(s, row, take_section, &e, NULL), 0);
    CHECK_INT(store_each_token(s, row, take_token, &e, NULL), 0);
    CHECK(isnan(e.sections[0]) && e.sections[1] == 7.5);
    CHECK(e.tokens[0] == 0 && isnan(e.tokens[1]));
    store_close(s);
    CHECK_INT(stored_number(&t, "SELECT energy_method FROM pipeline_sections"
                                " WHERE number = 2 AND avg_power_mw = 7.5e6"),
            READING_MODELLED);
    tree_close(&t);
}

int main(void)
{
    rows();
    energy();
    return test_result();
}
