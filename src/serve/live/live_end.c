/* live_end.c -- what /ws/profiling is told when a run has ended: what is known
 * of its tokens' layers and components, and what it came to. */
#include "base/alloc.h"
#include "model/depth.h"
#include "os/clock.h"
#include "serve/answer/run_about.h"
#include "serve/live/live_run.h"

#include <math.h>
#include <stdlib.h>

/* Rows that belong to tokens, as JSON; in the order of their tokens. */
struct part {
    uint64_t token; /* its row in the run, from 1; 0: of the whole run */
    char *json;
};

struct parts {
    struct part *items;
    size_t count;
};

struct place {
    bool known;
    uint64_t token;
    uint32_t layer;
};

struct ending {
    struct following *follow;
    struct parts layers, components;
    struct place *places; /* of layers, by their ids */
    size_t place_count;
    uint64_t *index; /* of tokens, by their rows */
    size_t token_count;
    void (*tell)(void *to, const char *type, const char *run, char *json);
    void *to;
};

static void add_part(struct parts *p, uint64_t token, char *json)
{
    if (!(p->count & (p->count - 1)))
        p->items = alloc_resize(p->items,
                (p->count ? 2 * p->count : 1) * sizeof(*p->items));
    p->items[p->count++] = (struct part){ token, json };
}

static void release_parts(struct parts *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->items[i].json);
    free(p->items);
}

static void energy(struct json *j, double energy_mj, uint64_t duration_ns)
{
    if (isnan(energy_mj))
        return;
    json_real(j, "energy_mj", energy_mj);
    if (duration_ns)
        json_real(j, "avg_power_mw", energy_mj * 1e9 / (double)duration_ns);
}

static void take_token(void *to, const struct token *t)
{
    struct ending *x = to;

    if (!(x->token_count & (x->token_count - 1)))
        x->index = alloc_resize(x->index,
                (x->token_count ? 2 * x->token_count : 1) * sizeof(*x->index));
    x->index[x->token_count++] = t->index;
}

static void keep_place(struct ending *x, const struct layer_metric *l)
{
    if (l->id >= x->place_count) {
        size_t count = 2 * (size_t)l->id + 1;

        x->places = alloc_resize(x->places, count * sizeof(*x->places));
        for (size_t i = x->place_count; i < count; i++)
            x->places[i] = (struct place){ 0 };
        x->place_count = count;
    }
    x->places[l->id] = (struct place){ true, l->token_id, l->layer_index };
}

static void take_layer(void *to, const struct layer_metric *l)
{
    struct ending *x = to;
    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    keep_place(x, l);
    json_object(&j, NULL);
    json_u64(&j, "id", l->id);
    json_u64(&j, "layer_index", l->layer_index);
    json_fixed(&j, "duration_ms", (double)l->duration_ns / 1e6, 6);
    energy(&j, l->energy_mj, l->duration_ns);
    json_end(&j);
    add_part(&x->layers, l->token_id, text.p);
}

static void take_component(void *to, const struct component_metric *c)
{
    struct ending *x = to;
    struct buf text = { 0 };
    struct json j = json_line_into(&text);
    struct place at = c->layer_metric_id < x->place_count
                              ? x->places[c->layer_metric_id]
                              : (struct place){ 0 };

    json_object(&j, NULL);
    json_u64(&j, "id", c->id);
    if (at.known) { /* others are outside of all layers */
        json_u64(&j, "layer_metric_id", c->layer_metric_id);
        json_u64(&j, "layer_index", at.layer);
    }
    json_text(&j, "component_name", c->component_name);
    json_u64(&j, "count", c->count);
    json_fixed(&j, "duration_ms", (double)c->duration_ns / 1e6, 6);
    energy(&j, c->energy_mj, c->duration_ns);
    json_array(&j, "deep_operations");
    json_end(&j);
    json_end(&j);
    add_part(&x->components, at.token, text.p);
}

/* The beginning of a message; `data` is open. */
static struct json message(struct buf *text, const char *type,
        const char *run_id)
{
    struct json j = json_line_into(text);

    json_object(&j, NULL);
    json_text(&j, "type", type);
    json_fixed(&j, "timestamp", (double)wall_ns() / 1e9, 6);
    json_object(&j, "data");
    json_text(&j, "run_id", run_id);
    return j;
}

static void say(const struct ending *x, const char *type, struct json *j,
        struct buf *text)
{
    json_end(j);
    json_end(j);
    x->tell(x->to, type, x->follow->run.id, text->p);
}

/* A message for each token, and one for the whole run. */
static void say_parts(const struct ending *x, const struct parts *p,
        const char *type, const char *key)
{
    for (size_t i = 0; i < p->count;) {
        uint64_t token = p->items[i].token;
        struct buf text = { 0 };
        struct json j = message(&text, type, x->follow->run.id);

        if (token)
            json_u64(&j, "token_id", token);
        if (token && token <= x->token_count)
            json_u64(&j, "token_index", x->index[token - 1]);
        json_array(&j, key);
        for (; i < p->count && p->items[i].token == token; i++)
            json_raw(&j, NULL, p->items[i].json);
        json_end(&j);
        say(x, type, &j, &text);
    }
}

struct whole {
    struct ending *ending;
    struct store *store;
};

static void take_run(void *to, const struct run *r)
{
    const struct whole *w = to;
    struct run_totals t = run_totals(w->store, r);
    struct buf text = { 0 };
    struct json j = message(&text, "inference_complete", r->id);
    uint64_t made = r->output_tokens ? r->output_tokens
                                     : (uint64_t)w->ending->token_count;

    json_text(&j, "status", run_status_name(r->status));
    if (t.has_duration)
        json_fixed(&j, "total_duration_ms", t.duration_ms, 6);
    if (r->input_tokens)
        json_u64(&j, "input_tokens", r->input_tokens);
    if (made)
        json_u64(&j, "output_tokens", made);
    if (t.has_energy)
        json_real(&j, "total_energy_mj", t.energy_mj);
    if (t.has_duration && t.duration_ms > 0) {
        if (t.has_energy)
            json_real(&j, "avg_power_mw", t.energy_mj / t.duration_ms * 1000);
        if (made)
            json_real(&j, "tokens_per_second",
                    (double)made / t.duration_ms * 1000);
    }
    if (r->response)
        json_text(&j, "response", r->response);
    say(w->ending, "inference_complete", &j, &text);
}

void following_end(struct following *f, struct store *s,
        void (*tell)(void *to, const char *type, const char *run, char *json),
        void *to)
{
    struct ending x = { .follow = f, .tell = tell, .to = to };

    (void)store_each_token(s, f->run.row, take_token, &x, NULL);
    (void)store_each_layer(s, f->run.row, take_layer, &x, NULL);
    (void)store_each_component(s, f->run.row, take_component, &x, NULL);
    say_parts(&x, &x.layers, "layer_metrics", "layers");
    say_parts(&x, &x.components, "component_metrics", "components");
    (void)store_read_run(s, f->run.row, take_run, &(struct whole){ &x, s },
            NULL);
    release_parts(&x.layers);
    release_parts(&x.components);
    free(x.places);
    free(x.index);
}
