/* depth.c -- power samples, layers, components and operations. */
#include "store/row.h"

#include <math.h>

static void bind_real(sqlite3_stmt *st, int at, double value)
{
    store_bind_real(st, at, value, !isnan(value));
}

static double real(sqlite3_stmt *st, int at)
{
    return row_has(st, at) ? sqlite3_column_double(st, at) : NAN;
}

static void bind_activation(sqlite3_stmt *st, int at,
        const struct depth_values *a)
{
    bind_real(st, at, a->mean);
    bind_real(st, at + 1, a->std);
    bind_real(st, at + 2, a->max);
    bind_real(st, at + 3, a->sparsity);
}

static struct depth_values activation(sqlite3_stmt *st, int at)
{
    return (struct depth_values){
        .mean = real(st, at),
        .std = real(st, at + 1),
        .max = real(st, at + 2),
        .sparsity = real(st, at + 3),
    };
}

/* --- writing -------------------------------------------------------------- */

void store_add_power_sample(struct store *s, const struct power_sample *p)
{
    store_begin(s);

    sqlite3_stmt *st = store_kept(s, &s->add_power,
            "INSERT INTO power_samples VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,"
            "?10)");

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, s->run);
    store_bind_u64(st, 2, ++s->power_samples, true);
    store_bind_u64(st, 3, p->time_ns, true);
    bind_real(st, 4, p->cpu_power_mw);
    bind_real(st, 5, p->gpu_power_mw);
    bind_real(st, 6, p->ane_power_mw);
    bind_real(st, 7, p->dram_power_mw);
    bind_real(st, 8, p->total_power_mw);
    store_bind_u64(st, 9, p->phase, p->phase);
    store_bind_u64(st, 10, p->method, true);
    store_step_kept(s, st);
}

void store_add_layer(struct store *s, const struct layer_metric *l)
{
    store_begin(s);

    sqlite3_stmt *st = store_kept(s, &s->add_layer,
            "INSERT INTO layer_metrics VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,"
            "?10,?11)");

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, s->run);
    store_bind_u64(st, 2, l->id, true);
    store_bind_u64(st, 3, l->token_id, l->token_id);
    store_bind_u64(st, 4, l->layer_index, true);
    store_bind_u64(st, 5, l->duration_ns, true);
    bind_real(st, 6, l->energy_mj);
    bind_activation(st, 7, &l->activation);
    store_bind_u64(st, 11, l->energy_method, !isnan(l->energy_mj));
    store_step_kept(s, st);
}

void store_add_component(struct store *s, const struct component_metric *c)
{
    store_begin(s);

    sqlite3_stmt *st = store_kept(s, &s->add_component,
            "INSERT INTO component_metrics VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,"
            "?10,?11,?12)");

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, s->run);
    store_bind_u64(st, 2, c->id, true);
    store_bind_u64(st, 3, c->layer_metric_id, c->layer_metric_id);
    store_bind_text_number(s, st, 4, c->component_name);
    store_bind_u64(st, 5, c->count, true);
    store_bind_u64(st, 6, c->duration_ns, true);
    bind_real(st, 7, c->energy_mj);
    bind_activation(st, 8, &c->activation);
    store_bind_u64(st, 12, c->energy_method, !isnan(c->energy_mj));
    store_step_kept(s, st);
}

void store_add_deep_operation(struct store *s,
        const struct deep_operation_metric *d)
{
    store_begin(s);

    sqlite3_stmt *st = store_kept(s, &s->add_deep_operation,
            "INSERT INTO deep_operation_metrics VALUES (?1,?2,?3,?4,?5,?6,?7,"
            "?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)");

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, s->run);
    store_bind_u64(st, 2, d->id, true);
    store_bind_u64(st, 3, d->component_metric_id, d->component_metric_id);
    store_bind_text_number(s, st, 4, d->operation_type);
    store_bind_text_number(s, st, 5, d->operation_name);
    store_bind_u64(st, 6, d->count, true);
    store_bind_u64(st, 7, d->duration_ns, true);
    bind_real(st, 8, d->energy_mj);
    bind_real(st, 9, d->attention_entropy);
    bind_real(st, 10, d->attention_sparsity);
    bind_real(st, 11, d->max_attention_weight);
    bind_real(st, 12, d->activation_kill_ratio);
    bind_real(st, 13, d->variance_ratio);
    store_bind_u64(st, 14, d->energy_method, !isnan(d->energy_mj));
    store_bind_text_number(s, st, 15, d->graph);
    store_bind_text(st, 16, d->entropy_per_head);
    store_bind_text(st, 17, d->largest_per_head);
    store_bind_text(st, 18, d->sparsity_per_head);
    store_step_kept(s, st);
}

static void set_energy(struct store *s, const char *sql, uint64_t number,
        double energy_mj, enum reading_method method)
{
    store_begin(s);

    sqlite3_stmt *st = store_once(s, sql);

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, s->run);
    store_bind_u64(st, 2, number, true);
    (void)sqlite3_bind_double(st, 3, energy_mj);
    store_bind_u64(st, 4, method, true);
    store_finish(s, st);
}

void store_set_section_energy(struct store *s, uint64_t number,
        double energy_mj, enum reading_method method)
{
    set_energy(s,
            "UPDATE pipeline_sections SET energy_mj = ?3, energy_method = ?4"
            " WHERE run = ?1 AND number = ?2",
            number, energy_mj, method);
}

void store_set_token_energy(struct store *s, uint64_t number, double energy_mj,
        enum reading_method method)
{
    set_energy(s,
            "UPDATE tokens SET energy_mj = ?3, energy_method = ?4"
            " WHERE run = ?1 AND number = ?2",
            number, energy_mj, method);
}

/* --- reading -------------------------------------------------------------- */

static uint8_t row_method(sqlite3_stmt *st, int column)
{
    return (uint8_t)sqlite3_column_int(st, column);
}

ROW_EACH(power_sample);
ROW_EACH(layer_metric);
ROW_EACH(component_metric);
ROW_EACH(deep_operation_metric);

static void power_sample_row(sqlite3_stmt *st, void *to)
{
    struct each_power_sample *each = to;

    each->call(each->context,
            &(struct power_sample){
                    .time_ns = row_u64(st, 0),
                    .cpu_power_mw = real(st, 1),
                    .gpu_power_mw = real(st, 2),
                    .ane_power_mw = real(st, 3),
                    .dram_power_mw = real(st, 4),
                    .total_power_mw = real(st, 5),
                    .phase = (uint8_t)sqlite3_column_int(st, 6),
                    .method = (uint8_t)sqlite3_column_int(st, 7),
            });
}

/* From what PLACE selects, or from the first two of it. */
static struct depth_place place(sqlite3_stmt *st, int at, int count)
{
    struct depth_place p = {
        .in_token = row_has(st, at),
        .token_index = row_u32(st, at),
        .token_text = row_text(st, at + 1),
    };

    if (count > 2) {
        p.in_layer = row_has(st, at + 2);
        p.layer_index = row_u32(st, at + 2);
    }
    if (count > 3)
        p.component_name = row_text(st, at + 3);
    return p;
}

static void layer_row(sqlite3_stmt *st, void *to)
{
    struct each_layer_metric *each = to;

    each->call(each->context, &(struct layer_metric){
                                      .id = row_u32(st, 0),
                                      .token_id = row_u64(st, 1),
                                      .layer_index = row_u32(st, 2),
                                      .duration_ns = row_u64(st, 3),
                                      .energy_mj = real(st, 4),
                                      .activation = activation(st, 5),
                                      .energy_method = row_method(st, 9),
                                      .place = place(st, 10, 2),
                              });
}

static void component_row(sqlite3_stmt *st, void *to)
{
    struct each_component_metric *each = to;

    each->call(each->context, &(struct component_metric){
                                      .id = row_u32(st, 0),
                                      .layer_metric_id = row_u32(st, 1),
                                      .component_name = row_text(st, 2),
                                      .count = row_u64(st, 3),
                                      .duration_ns = row_u64(st, 4),
                                      .energy_mj = real(st, 5),
                                      .activation = activation(st, 6),
                                      .energy_method = row_method(st, 10),
                                      .place = place(st, 11, 3),
                              });
}

static void deep_operation_row(sqlite3_stmt *st, void *to)
{
    struct each_deep_operation_metric *each = to;

    each->call(each->context, &(struct deep_operation_metric){
                                      .id = row_u32(st, 0),
                                      .component_metric_id = row_u32(st, 1),
                                      .operation_type = row_text(st, 2),
                                      .operation_name = row_text(st, 3),
                                      .count = row_u64(st, 4),
                                      .duration_ns = row_u64(st, 5),
                                      .energy_mj = real(st, 6),
                                      .attention_entropy = real(st, 7),
                                      .attention_sparsity = real(st, 8),
                                      .max_attention_weight = real(st, 9),
                                      .activation_kill_ratio = real(st, 10),
                                      .variance_ratio = real(st, 11),
                                      .energy_method = row_method(st, 12),
                                      .graph = row_text(st, 13),
                                      .entropy_per_head = row_text(st, 14),
                                      .largest_per_head = row_text(st, 15),
                                      .sparsity_per_head = row_text(st, 16),
                                      .place = place(st, 17, 4),
                              });
}

ROW_READ(power_sample, power_sample, power_sample_row,
        "SELECT timestamp, cpu_power_mw, gpu_power_mw, ane_power_mw,"
        " dram_power_mw, total_power_mw, phase, method FROM power_samples"
        " WHERE run = ?1 ORDER BY number")

/* The token of a layer "l", and the layer of a component "c". */
#define TOKEN_OF_LAYER                                               \
    " LEFT JOIN tokens t ON t.run = l.run AND t.number = l.token_id" \
    " LEFT JOIN texts w ON w.id = t.token_text"
#define LAYER_OF_COMPONENT                        \
    " LEFT JOIN layer_metrics l ON l.run = c.run" \
    " AND l.id = c.layer_metric_id" TOKEN_OF_LAYER

ROW_READ(layer, layer_metric, layer_row,
        "SELECT l.id, l.token_id, layer_index, l.duration_ns, l.energy_mj,"
        " activation_mean, activation_std, activation_max, activation_sparsity,"
        " l.energy_method, t.token_index, w.text"
        " FROM layer_metrics l" TOKEN_OF_LAYER
        " WHERE l.run = ?1 ORDER BY l.id")
ROW_READ(component, component_metric, component_row,
        "SELECT c.id, layer_metric_id, n.text AS component_name, count, "
        "c.duration_ns,"
        " c.energy_mj, c.activation_mean, c.activation_std, c.activation_max,"
        " c.activation_sparsity, c.energy_method, t.token_index, w.text,"
        " l.layer_index"
        " FROM component_metrics c"
        " LEFT JOIN texts n ON n.id = component_name" LAYER_OF_COMPONENT
        " WHERE c.run = ?1 ORDER BY c.id")
ROW_READ(deep_operation, deep_operation_metric, deep_operation_row,
        "SELECT d.id, component_metric_id, k.text AS operation_type,"
        " n.text AS operation_name, d.count,"
        " d.duration_ns, d.energy_mj, attention_entropy, attention_sparsity,"
        " max_attention_weight, activation_kill_ratio, variance_ratio,"
        " d.energy_method, g.text, d.attention_entropy_per_head,"
        " d.max_attention_weight_per_head, d.attention_sparsity_per_head,"
        " t.token_index, w.text, l.layer_index, m.text"
        " FROM deep_operation_metrics d"
        " LEFT JOIN texts g ON g.id = d.graph"
        " LEFT JOIN texts k ON k.id = operation_type"
        " LEFT JOIN texts n ON n.id = operation_name"
        " LEFT JOIN component_metrics c ON c.run = d.run"
        "  AND c.id = d.component_metric_id"
        " LEFT JOIN texts m ON m.id = c.component_name" LAYER_OF_COMPONENT
        " WHERE d.run = ?1 ORDER BY d.id")
