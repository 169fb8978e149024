/* decode.c -- how fast the loop of `ortmeter generate` makes tokens, against
 * the plainest loop around the same session:
 *
 *     decode ORT FOLDER THREADS TOKENS TURNS
 *
 * The plain loop knows this model alone: no texts, no rules, no sections; it
 * lays out ids, mask and positions, takes the greatest number, and hands the
 * caches on.  The two take turns.  Prints the medians of the later tokens'
 * times, and of the ratios of neighbouring generations, as JSON. */
#include "base/alloc.h"
#include "base/json.h"
#include "bench/quantile.h"
#include "llm/generator_state.h"
#include "os/clock.h"
#include "tests/programs/ort_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROMPT = 16, VALUES_MAX = 256 };

struct plain {
    const struct generator *g;
    const struct network *n;
    struct network_state state;
    const char *in_name[VALUES_MAX], *out_name[VALUES_MAX];
    struct ort_value *in[VALUES_MAX], *out[VALUES_MAX];
    int from[VALUES_MAX]; /* of an input: the output that is its next value */
    size_t out_count;
    int64_t *mask, *position, *ids;
};

static void good(const struct generator *g, struct ort_status *status)
{
    if (status)
        die("%s", ORT(engine_api(g->engine), GetErrorMessage)(status));
}

static struct ort_value *tensor(const struct generator *g, int64_t *data,
        size_t count)
{
    const int64_t shape[2] = { 1, (int64_t)count };
    struct ort_value *out = NULL;

    good(g, ORT(engine_api(g->engine),
                    CreateTensorWithDataAsOrtValue)(engine_memory(g->engine),
                    data, 8 * count, shape, 2, ORT_TYPE_INT64, &out));
    return out;
}

/* The names, and which output is whose next value. */
static void plain_open(struct plain *p, const struct generator *g, size_t most)
{
    struct error e = { 0 };

    *p = (struct plain){ .g = g, .n = &g->decoder };
    p->state.batch = 1;
    if (network_state_begin(&p->state, p->n, &g->folder, &e))
        die("%s", e.text);
    p->out_name[p->out_count++] = p->n->out.item[p->n->main].name;
    for (size_t i = 0; i < p->n->in.count; i++) {
        p->in_name[i] = p->n->in.item[i].name;
        if (p->n->use[i] != NETWORK_PAST)
            continue;
        p->from[i] = (int)p->out_count;
        p->out_name[p->out_count++] = p->n->out.item[p->n->present[i]].name;
        for (size_t k = 0; k < p->state.cache_count; k++)
            if (strcmp(p->state.cache[k].name, p->in_name[i]) == 0)
                p->in[i] = p->state.cache[k].value;
    }
    p->mask = alloc_zero(most, sizeof(*p->mask));
    p->position = alloc_zero(most, sizeof(*p->position));
    p->ids = alloc_zero(most, sizeof(*p->ids));
    for (size_t i = 0; i < most; i++) {
        p->mask[i] = 1;
        p->position[i] = (int64_t)i;
    }
}

static int64_t greatest(const struct plain *p, size_t count, size_t vocabulary)
{
    const float *logits = NULL;
    int64_t best = 0;

    good(p->g, ORT(engine_api(p->g->engine), GetTensorMutableData)(p->out[0],
                       (void **)&logits));
    logits += (count - 1) * vocabulary;
    for (size_t i = 1; i < vocabulary; i++)
        if (logits[i] > logits[best])
            best = (int64_t)i;
    return best;
}

/* A step over the last `count` of `total` tokens. */
static int64_t plain_step(struct plain *p, size_t total, size_t count,
        size_t vocabulary)
{
    const struct ort_api *api = engine_api(p->g->engine);
    int64_t next;

    for (size_t i = 0; i < p->n->in.count; i++) {
        if (p->n->use[i] == NETWORK_IDS)
            p->in[i] = tensor(p->g, p->ids + total - count, count);
        else if (p->n->use[i] == NETWORK_MASK)
            p->in[i] = tensor(p->g, p->mask, total);
        else if (p->n->use[i] == NETWORK_POSITIONS)
            p->in[i] = tensor(p->g, p->position + total - count, count);
    }
    good(p->g, ORT(api, Run)(p->n->session, NULL, p->in_name,
                       (const struct ort_value *const *)p->in, p->n->in.count,
                       p->out_name, p->out_count, p->out));
    next = greatest(p, count, vocabulary);
    ORT(api, ReleaseValue)(p->out[0]);
    for (size_t i = 0; i < p->n->in.count; i++) {
        bool past = p->n->use[i] == NETWORK_PAST;

        if (!past || total > count) /* the first ones are the state's */
            ORT(api, ReleaseValue)(p->in[i]);
        if (past)
            p->in[i] = p->out[p->from[i]];
    }
    for (size_t i = 0; i < p->out_count; i++)
        p->out[i] = NULL;
    return next;
}

/* Fills the times of all tokens but the first; the last token of all, so that
 * both can be seen to make the same. */
static int64_t plain_run(const struct generator *g, size_t tokens,
        double *took_ns)
{
    size_t vocabulary = (size_t)g->folder.vocabulary;
    struct plain p;
    int64_t id;

    plain_open(&p, g, PROMPT + tokens);
    for (size_t i = 0; i < PROMPT; i++)
        p.ids[i] = (int64_t)i + 3;
    id = plain_step(&p, PROMPT, PROMPT, vocabulary);
    for (size_t i = 1; i < tokens; i++) {
        uint64_t since_ns = mono_ns();

        p.ids[PROMPT + i - 1] = id;
        id = plain_step(&p, PROMPT + i, 1, vocabulary);
        took_ns[i - 1] = (double)(mono_ns() - since_ns);
    }
    for (size_t i = 0; i < p.n->in.count; i++)
        if (p.n->use[i] == NETWORK_PAST)
            ORT(engine_api(g->engine), ReleaseValue)(p.in[i]);
    network_state_release(&p.state, g->engine);
    free(p.mask);
    free(p.position);
    free(p.ids);
    return id;
}

static int64_t our_run(struct generator *g, size_t tokens, double *took_ns)
{
    struct ids prompt = { 0 };
    struct generator_request r = { .prompts = &prompt,
        .count = 1,
        .max_tokens = tokens,
        .rules = { .greedy = true, .repetition_penalty = 1 },
        .ignore_end = true };
    struct generator_listener l = { 0 };
    struct generator_result result;
    struct error e = { 0 };
    int64_t last;

    for (uint32_t i = 0; i < PROMPT; i++)
        ids_add(&prompt, i + 3);
    if (generator_run(g, &r, &l, &result, &e))
        die("%s", e.text);
    for (size_t i = 1; i < tokens; i++) {
        uint64_t ns;

        memcpy(&ns, result.durations.p + i * sizeof(ns), sizeof(ns));
        took_ns[i - 1] = (double)ns;
    }
    last = result.text[0].ids.id[tokens - 1];
    generator_result_release(&result);
    ids_release(&prompt);
    return last;
}

int main(int argc, char **argv)
{
    struct generator *g = NULL;
    struct error e = { 0 };

    if (argc != 6)
        die("use: %s ORT FOLDER THREADS TOKENS TURNS", argv[0]);

    size_t tokens = number(argv[4]), turns = number(argv[5]);
    struct generator_setup setup = { .ort = argv[1],
        .threads = (uint32_t)number(argv[3]) };
    double *took_ns = alloc_zero(tokens, sizeof(*took_ns));
    double *ours = alloc_zero(turns + 1, sizeof(*ours));
    double *bare = alloc_zero(turns + 1, sizeof(*bare));
    double *ratio = alloc_zero(turns + 1, sizeof(*ratio));

    if (tokens < 2 || !turns || generator_open(&g, argv[2], &setup, &e))
        die("%s", e.text);
    for (size_t i = 0; i < turns; i++) {
        bool first = i % 2;
        int64_t a = 0, b = 0;

        for (int k = 0; k < 2; k++) {
            if ((k == 0) == first) {
                a = our_run(g, tokens, took_ns);
                ours[i] = median(took_ns, tokens - 1);
            } else {
                b = plain_run(g, tokens, took_ns);
                bare[i] = median(took_ns, tokens - 1);
            }
        }
        if (a != b)
            die("the two loops made other tokens");
        ratio[i] = bare[i] / ours[i];
    }

    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    json_object(&j, NULL);
    json_fixed(&j, "ours_us", median(ours, turns) / 1e3, 3);
    json_fixed(&j, "bare_us", median(bare, turns) / 1e3, 3);
    json_fixed(&j, "speed", quantile(ratio, turns, 0.5), 4);
    json_fixed(&j, "speed_p25", quantile(ratio, turns, 0.25), 4);
    json_fixed(&j, "speed_p75", quantile(ratio, turns, 0.75), 4);
    json_end(&j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
    free(took_ns);
    free(ours);
    free(bare);
    free(ratio);
    generator_close(g);
    return 0;
}
