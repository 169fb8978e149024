/* generate.c -- texts from a decoder with a cache, in the ways that programs
 * make them, each timed by this program's own clock:
 *
 *     generate MODEL WAY TEXTS PROMPT TOKENS LAYERS HEADS SIZE
 *
 * WAY: "threads", one for each text; "turns", all in one thread, a token each
 * in turn; "parts", prompts in three parts; "drafts", three tokens are drafted
 * at a step and some of them refused; "batch", all in one inference.
 *
 * Prints a JSON object: for each text, or batch of them, its calls, in the
 * order in which it made them: [thread, ns before, ns after, tokens made by
 * it], by CLOCK_MONOTONIC.  A part of a prompt that another one follows makes
 * none. */
#include "ort_host.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LAYERS_MAX = 16, TENSORS = 3 + 2 * LAYERS_MAX, DRAFT = 4 };

const struct ort_api_base *OrtGetApiBase(void);

static struct {
    struct host host;
    struct ort_session *session;
    const char *way;
    uint64_t texts, prompt, tokens;
    int64_t layers, heads, size;
    const char *in_name[TENSORS], *out_name[TENSORS];
    char names[4][LAYERS_MAX][40];
} all;

struct call {
    int thread;
    uint64_t before_ns, after_ns, tokens;
};

/* One that is being made, or a batch of them. */
struct text {
    pthread_t thread;
    int64_t batch, past, seed;
    struct ort_value *cache[2 * LAYERS_MAX];
    uint64_t made; /* tokens */
    struct call *calls;
    size_t call_count;
};

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static struct ort_value *tensor(void *data, size_t bytes, const int64_t *dims,
        size_t rank, int type)
{
    const struct host *h = &all.host;
    struct ort_value *v = NULL;

    host_check(h, ORT(h->api, CreateTensorWithDataAsOrtValue)(h->memory, data,
                          bytes, dims, rank, type, &v));
    return v;
}

static void name_tensors(void)
{
    static const char *const in[] = { "input_ids", "attention_mask",
        "position_ids" };
    static const char *const kind[] = { "key", "value" };

    for (size_t i = 0; i < 3; i++)
        all.in_name[i] = in[i];
    all.out_name[0] = "logits";
    for (int64_t i = 0; i < 2 * all.layers; i++) {
        char *past = all.names[i % 2][i / 2];
        char *present = all.names[2 + i % 2][i / 2];

        (void)snprintf(past, 40, "past_key_values.%d.%s", (int)(i / 2),
                kind[i % 2]);
        (void)snprintf(present, 40, "present.%d.%s", (int)(i / 2), kind[i % 2]);
        all.in_name[3 + i] = past;
        all.out_name[1 + i] = present;
    }
}

static void take_cache(struct text *t, struct ort_value *const *cache)
{
    for (int64_t i = 0; i < 2 * all.layers; i++) {
        if (t->cache[i])
            ORT(all.host.api, ReleaseValue)(t->cache[i]);
        t->cache[i] = cache ? cache[i] : NULL;
    }
}

/* A step with so many ids. */
static void step(struct text *t, int64_t sequence)
{
    const struct host *h = &all.host;
    size_t n = 3 + 2 * (size_t)all.layers, ids = (size_t)(t->batch * sequence);
    int64_t total = t->past + sequence;
    int64_t *id = malloc(ids * 8), *at = malloc(ids * 8);
    int64_t *mask = malloc((size_t)(t->batch * total) * 8);
    const struct ort_value *in[TENSORS];
    struct ort_value *out[TENSORS] = { NULL };
    static float nothing;

    for (size_t i = 0; i < ids; i++) {
        id[i] = 3 + (t->seed * 7 + t->past + (int64_t)i) % 50;
        at[i] = t->past + (int64_t)i % sequence;
    }
    for (int64_t i = 0; i < t->batch * total; i++)
        mask[i] = 1;
    in[0] = tensor(id, ids * 8, (int64_t[]){ t->batch, sequence }, 2,
            ORT_TYPE_INT64);
    in[1] = tensor(mask, (size_t)(t->batch * total) * 8,
            (int64_t[]){ t->batch, total }, 2, ORT_TYPE_INT64);
    in[2] = tensor(at, ids * 8, (int64_t[]){ t->batch, sequence }, 2,
            ORT_TYPE_INT64);
    for (size_t i = 3; i < n; i++) {
        if (!t->cache[i - 3])
            t->cache[i - 3] = tensor(&nothing, 0,
                    (int64_t[]){ t->batch, all.heads, 0, all.size }, 4,
                    ORT_TYPE_FLOAT);
        in[i] = t->cache[i - 3];
    }
    t->calls = realloc(t->calls, (t->call_count + 1) * sizeof(*t->calls));

    struct call *call = &t->calls[t->call_count++];

    *call = (struct call){ .thread = gettid(), .before_ns = now_ns() };
    host_check(h, ORT(h->api, Run)(all.session, NULL, all.in_name, in, n,
                          all.out_name, n - 2, out));
    call->after_ns = now_ns();
    for (size_t i = 0; i < 3; i++)
        ORT(h->api, ReleaseValue)((struct ort_value *)(uintptr_t)in[i]);
    ORT(h->api, ReleaseValue)(out[0]);
    take_cache(t, out + 1);
    t->past = total;
    free(id);
    free(at);
    free(mask);
}

/* Keeps so many tokens of the cache, in memory of its own, as programs do that
 * refuse drafts. */
static void cut(struct text *t, int64_t length, float **memory)
{
    const struct host *h = &all.host;
    struct ort_value *kept[2 * LAYERS_MAX];

    for (int64_t i = 0; i < 2 * all.layers; i++) {
        size_t row = (size_t)(length * all.size);
        void *from = NULL;

        memory[i] = realloc(memory[i], (size_t)all.heads * row * 4);
        host_check(h, ORT(h->api, GetTensorMutableData)(t->cache[i], &from));
        for (int64_t k = 0; k < all.heads; k++)
            memcpy(memory[i] + (size_t)k * row,
                    (float *)from + k * t->past * all.size, row * 4);
        kept[i] = tensor(memory[i], (size_t)all.heads * row * 4,
                (int64_t[]){ 1, all.heads, length, all.size }, 4,
                ORT_TYPE_FLOAT);
    }
    take_cache(t, kept);
    t->past = length;
}

/* The last call made so many tokens of each text. */
static void made(struct text *t, uint64_t tokens)
{
    t->made += tokens;
    t->calls[t->call_count - 1].tokens = tokens;
}

static void ask(struct text *t)
{
    int64_t prompt = (int64_t)all.prompt;

    if (strcmp(all.way, "parts") == 0) {
        step(t, prompt / 3);
        step(t, prompt / 3);
        step(t, prompt - 2 * (prompt / 3));
    } else {
        step(t, prompt);
    }
    made(t, 1);
}

static void *make(void *arg)
{
    struct text *t = arg;
    float *memory[2 * LAYERS_MAX] = { NULL };
    bool drafts = strcmp(all.way, "drafts") == 0;

    ask(t);
    while (t->made < all.tokens) {
        int64_t before = t->past;

        step(t, drafts && t->made > 1 ? DRAFT : 1);
        if (drafts && t->past > before + 1) /* 1 to 3 of them were right */
            cut(t, before + 1 + (int64_t)(t->made % 3), memory);
        made(t, (uint64_t)(t->past - before));
    }
    take_cache(t, NULL);
    for (size_t i = 0; i < 2 * LAYERS_MAX; i++)
        free(memory[i]);
    return NULL;
}

static void make_in_turns(struct text *texts)
{
    for (uint64_t i = 0; i < all.texts; i++)
        ask(&texts[i]);
    for (uint64_t n = 1; n < all.tokens; n++)
        for (uint64_t i = 0; i < all.texts; i++) {
            step(&texts[i], 1);
            made(&texts[i], 1);
        }
    for (uint64_t i = 0; i < all.texts; i++)
        take_cache(&texts[i], NULL);
}

static void report(const struct text *texts, uint64_t count)
{
    (void)puts("{\"texts\": [");
    for (uint64_t i = 0; i < count; i++) {
        const struct text *t = &texts[i];

        printf("%s{\"batch\": %" PRId64 ", \"calls\": [", i ? ", " : "",
                t->batch);
        for (size_t k = 0; k < t->call_count; k++)
            printf("%s[%d, %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]",
                    k ? ", " : "", t->calls[k].thread, t->calls[k].before_ns,
                    t->calls[k].after_ns, t->calls[k].tokens);
        (void)puts("]}");
    }
    (void)puts("]}");
}

int main(int argc, char **argv)
{
    if (argc != 9)
        die("use: %s MODEL WAY TEXTS PROMPT TOKENS LAYERS HEADS SIZE", argv[0]);
    all.way = argv[2];
    all.texts = number(argv[3]);
    all.prompt = number(argv[4]);
    all.tokens = number(argv[5]);
    all.layers = (int64_t)number(argv[6]);
    all.heads = (int64_t)number(argv[7]);
    all.size = (int64_t)number(argv[8]);
    if (all.layers > LAYERS_MAX || !all.texts || all.tokens < 2)
        die("that is more, or less, than this program can do");
    host_open(&all.host, OrtGetApiBase());

    struct ort_options *options = host_options(&all.host, 1);

    host_check(&all.host, ORT(all.host.api, CreateSession)(all.host.env,
                                  argv[1], options, &all.session));
    ORT(all.host.api, ReleaseSessionOptions)(options);
    name_tensors();

    bool batch = strcmp(all.way, "batch") == 0;
    bool threads = strcmp(all.way, "threads") == 0;
    struct text *texts = calloc(all.texts, sizeof(*texts));

    for (uint64_t i = 0; i < all.texts; i++) {
        texts[i].batch = batch ? (int64_t)all.texts : 1;
        texts[i].seed = (int64_t)i;
    }
    if (strcmp(all.way, "turns") == 0)
        make_in_turns(texts);
    else
        for (uint64_t i = 0; i < (batch ? 1 : all.texts); i++)
            if (!threads)
                (void)make(&texts[i]);
            else if (pthread_create(&texts[i].thread, NULL, make, &texts[i]))
                die("cannot start a thread");
    for (uint64_t i = 0; threads && i < all.texts; i++)
        (void)pthread_join(texts[i].thread, NULL);
    report(texts, batch ? 1 : all.texts);
    free(texts);
    ORT(all.host.api, ReleaseSession)(all.session);
    host_close(&all.host);
    return 0;
}
