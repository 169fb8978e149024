/* token_grid.c -- /api/tokens: the tokens of a text as columns, and below them
 * what their layers or components took. */
#include "base/alloc.h"
#include "export/json/shapes.h"
#include "serve/answer/run_about.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct column_of {
    uint64_t number; /* of the token in the run */
    uint32_t generation;
    uint32_t index;
    char *text; /* or NULL */
    uint64_t time_ns, duration_ns;
    double energy_mj; /* NAN: not known */
};

/* A layer, or a component, and its figure in each column. */
struct grid_row {
    char *name;
    int64_t layer; /* -1: none */
    double *sum;   /* by column; NAN: not known */
    uint32_t *parts;
};

struct grid {
    struct column_of *columns; /* of all texts; then of the one that is shown */
    size_t count, cap;
    uint32_t generations;
    struct grid_row *rows;
    size_t row_count;
    bool by_component;
    const char *value; /* "duration_us" */
    uint8_t method;    /* the weakest of those that make `value` */
};

/* --- tokens --------------------------------------------------------------- */

/* A text begins with the token of index 0. */
static void take_token(void *to, const struct token *t)
{
    struct grid *g = to;

    if (g->count == g->cap) {
        g->cap = g->cap ? 2 * g->cap : 256;
        g->columns = alloc_resize(g->columns, g->cap * sizeof(*g->columns));
    }
    if (!t->index || !g->generations)
        g->generations++;
    g->columns[g->count] = (struct column_of){
        .number = g->count + 1,
        .generation = g->generations,
        .index = t->index,
        .text = t->text ? alloc_text(t->text) : NULL,
        .time_ns = t->time_ns,
        .duration_ns = t->duration_ns,
        .energy_mj = t->has_energy ? t->energy_mj : NAN,
    };
    g->count++;
}

static void generation_event(struct json *j, const struct run_about *r,
        const struct column_of *first, size_t count)
{
    const struct column_of *last = &first[count - 1];
    uint64_t start_ns = first->time_ns - first->duration_ns;

    json_object(j, NULL);
    shape_id(j, "id", r->id, "generation", first->generation);
    json_text(j, "run_id", r->id);
    json_u64(j, "timestamp_ns", r->start_wall_ns + start_ns);
    json_fixed(j, "duration_ms", (double)(last->time_ns - start_ns) / 1e6, 6);
    json_text(j, "kind", "generation");
    json_u64(j, "tokens", count);
    if (first->duration_ns)
        json_fixed(j, "first_ms", (double)first->duration_ns / 1e6, 6);
    if (count > 1 && last->time_ns > first->time_ns)
        json_fixed(j, "tokens_per_second",
                (double)(count - 1) * 1e9 /
                        (double)(last->time_ns - first->time_ns),
                3);
    json_end(j);
}

static void write_generations(struct json *j, const struct run_about *r,
        const struct grid *g)
{
    json_array(j, "generations");
    for (size_t i = 0, next; i < g->count; i = next) {
        for (next = i + 1; next < g->count && g->columns[next].generation ==
                                                      g->columns[i].generation;)
            next++;
        generation_event(j, r, &g->columns[i], next - i);
    }
    json_end(j);
}

/* The others are forgotten. */
static void keep_generation(struct grid *g, uint32_t generation)
{
    size_t kept = 0;

    for (size_t i = 0; i < g->count; i++) {
        if (g->columns[i].generation == generation)
            g->columns[kept++] = g->columns[i];
        else
            free(g->columns[i].text);
    }
    g->count = kept;
}

/* --- rows ----------------------------------------------------------------- */

static struct grid_row *row_of(struct grid *g, const char *name, int64_t layer)
{
    struct grid_row *r;

    for (size_t i = 0; i < g->row_count; i++)
        if (g->rows[i].layer == layer && strcmp(g->rows[i].name, name) == 0)
            return &g->rows[i];
    g->rows = alloc_resize(g->rows, (g->row_count + 1) * sizeof(*g->rows));
    r = &g->rows[g->row_count++];
    *r = (struct grid_row){ .name = alloc_text(name), .layer = layer };
    r->sum = alloc_zero(g->count, sizeof(*r->sum));
    r->parts = alloc_zero(g->count, sizeof(*r->parts));
    return r;
}

static double value_in(const char *name, uint64_t duration_ns, double energy_mj,
        const struct depth_values *v)
{
    if (strcmp(name, "duration_us") == 0)
        return (double)duration_ns / 1e3;
    if (strcmp(name, "energy_mj") == 0)
        return energy_mj;
    if (strcmp(name, "activation_mean") == 0)
        return v->mean;
    if (strcmp(name, "activation_std") == 0)
        return v->std;
    return strcmp(name, "activation_max") == 0 ? v->max : v->sparsity;
}

/* Times and joules of a component add up over the layers; others are means. */
static void add_value(struct grid *g, const char *name, int64_t layer,
        uint64_t token, double value, uint8_t method)
{
    size_t at = 0;

    while (at < g->count && g->columns[at].number != token)
        at++;
    if (at == g->count || isnan(value))
        return;

    struct grid_row *r = row_of(g, name, layer);

    r->sum[at] += value;
    r->parts[at]++;
    if (strcmp(g->value, "energy_mj") == 0 && method > g->method)
        g->method = method;
}

/* Layers come before their components: by their ids. */
struct layer_tokens {
    struct grid *grid;
    uint64_t *token; /* by the layer's id */
    size_t count;
};

static void take_layer(void *to, const struct layer_metric *l)
{
    struct layer_tokens *t = to;
    char name[32];

    if (l->id >= t->count) {
        size_t count = 2 * (size_t)l->id + 1;

        t->token = alloc_resize(t->token, count * sizeof(*t->token));
        memset(t->token + t->count, 0, (count - t->count) * sizeof(*t->token));
        t->count = count;
    }
    t->token[l->id] = l->token_id;
    if (t->grid->by_component || !l->token_id)
        return;
    (void)snprintf(name, sizeof(name), "layer %u", l->layer_index);
    add_value(t->grid, name, l->layer_index, l->token_id,
            value_in(t->grid->value, l->duration_ns, l->energy_mj,
                    &l->activation),
            l->energy_method);
}

static void take_component(void *to, const struct component_metric *c)
{
    struct layer_tokens *t = to;

    if (c->layer_metric_id && c->layer_metric_id < t->count &&
            t->token[c->layer_metric_id])
        add_value(t->grid, c->component_name, -1, t->token[c->layer_metric_id],
                value_in(t->grid->value, c->duration_ns, c->energy_mj,
                        &c->activation),
                c->energy_method);
}

static int read_rows(struct grid *g, struct store *s, int64_t run,
        struct error *e)
{
    struct layer_tokens t = { .grid = g };
    int rc = store_each_layer(s, run, take_layer, &t, e);

    if (!rc && g->by_component)
        rc = store_each_component(s, run, take_component, &t, e);
    free(t.token);
    return rc;
}

/* --- writing -------------------------------------------------------------- */

static bool is_mean(const struct grid *g)
{
    return strncmp(g->value, "activation", 10) == 0;
}

/* A column counts as traced where each row is known. */
static bool is_traced(const struct grid *g, size_t at)
{
    for (size_t i = 0; i < g->row_count; i++)
        if (!g->rows[i].parts[at])
            return false;
    return g->row_count > 0;
}

/* The columns [from, to), which are shown as one. */
struct stretch {
    size_t from, to;
};

static bool stretch_is_traced(const struct grid *g, struct stretch x)
{
    for (size_t i = x.from; i < x.to; i++)
        if (is_traced(g, i))
            return true;
    return false;
}

static double row_mean(const struct grid *g, const struct grid_row *r,
        struct stretch x)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = x.from; i < x.to; i++)
        if (is_traced(g, i)) {
            sum += is_mean(g) ? r->sum[i] / r->parts[i] : r->sum[i];
            count++;
        }
    return sum / (double)count;
}

static struct stretch stretch_at(const struct grid *g, size_t each, size_t i)
{
    size_t from = i * each, to = from + each;

    return (struct stretch){ from, to < g->count ? to : g->count };
}

/* From one token to the next; a first one's is that to the first token. */
static void write_times(struct json *j, const struct grid *g, size_t each,
        size_t count, bool greatest)
{
    json_array(j, greatest ? "max_us" : "duration_us");
    for (size_t i = 0; i < count; i++) {
        struct stretch x = stretch_at(g, each, i);
        double sum = 0, most = 0;

        for (size_t k = x.from; k < x.to; k++) {
            double us = (double)g->columns[k].duration_ns / 1e3;

            sum += us;
            most = us > most ? us : most;
        }
        json_fixed(j, NULL, greatest ? most : sum / (double)(x.to - x.from), 3);
    }
    json_end(j);
}

static void write_texts(struct json *j, const struct grid *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (!g->columns[i].text)
            return; /* all or none */
    json_array(j, "token_text");
    for (size_t i = 0; i < g->count; i++)
        json_text(j, NULL, g->columns[i].text);
    json_end(j);
}

static void write_values(struct json *j, const struct grid *g, size_t each,
        size_t count)
{
    json_array(j, "traced");
    for (size_t i = 0; i < count; i++)
        if (stretch_is_traced(g, stretch_at(g, each, i)))
            json_u64(j, NULL, i);
    json_end(j);
    json_array(j, "rows");
    for (size_t i = 0; i < g->row_count; i++) {
        json_object(j, NULL);
        json_text(j, "name", g->rows[i].name);
        if (g->rows[i].layer >= 0)
            json_int(j, "layer", g->rows[i].layer);
        else
            json_text(j, "component", g->rows[i].name);
        json_end(j);
    }
    json_end(j);
    json_array(j, "values");
    for (size_t i = 0; i < g->row_count; i++) {
        json_array(j, NULL);
        for (size_t k = 0; k < count; k++) {
            struct stretch x = stretch_at(g, each, k);

            if (stretch_is_traced(g, x))
                json_real(j, NULL, row_mean(g, &g->rows[i], x));
        }
        json_end(j);
    }
    json_end(j);
}

static void write_missing(struct json *j, const struct grid *g)
{
    json_array(j, "missing");
    if (!g->row_count) {
        json_object(j, NULL);
        json_text(j, "member", "values");
        json_text(j, "reason",
                g->count ? "layers of single tokens were not recorded"
                         : "the run has no tokens");
        json_end(j);
    }
    json_end(j);
}

static void write_columns(struct json *j, const struct call *c,
        const struct grid *g)
{
    size_t width = (size_t)query_number(c, "width", 0);
    size_t each =
            width && g->count > width ? (g->count + width - 1) / width : 1;
    size_t count = (g->count + each - 1) / each;

    json_array(j, "token_index");
    for (size_t i = 0; i < count; i++)
        json_u64(j, NULL, g->columns[i * each].index);
    json_end(j);
    if (each == 1 && g->count)
        write_texts(j, g);
    write_times(j, g, each, count, false);
    if (each > 1)
        write_times(j, g, each, count, true);
    write_values(j, g, each, count);
    if (strcmp(g->value, "energy_mj") == 0 && g->row_count)
        json_text(j, "method",
                reading_method_name((enum reading_method)g->method));
    write_missing(j, g);
}

static void grid_release(struct grid *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->columns[i].text);
    for (size_t i = 0; i < g->row_count; i++) {
        free(g->rows[i].name);
        free(g->rows[i].sum);
        free(g->rows[i].parts);
    }
    free(g->columns);
    free(g->rows);
}

void answer_tokens(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    const char *value = query_text(c, "value"), *rows = query_text(c, "rows");
    uint32_t generation = (uint32_t)query_number(c, "generation", 1);
    struct grid g = { .value = value ? value : "duration_us",
        .by_component = rows && strcmp(rows, "component") == 0 };
    struct run_about r;
    struct error e;
    int rc;

    if (run_of_query(c, a, &r))
        return;
    rc = store_each_token(c->store, r.row, take_token, &g, &e);
    if (!rc && query_given(c, "generation") && generation > g.generations) {
        answer_problem(a, 404, "not_found", "generation",
                "the run has no such generation");
        grid_release(&g);
        return;
    }
    json_object(&j, NULL);
    json_text(&j, "run_id", r.id);
    json_u64(&j, "generation", generation);
    write_generations(&j, &r, &g);
    keep_generation(&g, generation);
    if (!rc)
        rc = read_rows(&g, c->store, r.row, &e);
    write_columns(&j, c, &g);
    json_end(&j);
    grid_release(&g);
    if (rc)
        answer_failed(a, &e);
}
