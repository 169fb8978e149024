#include "cmd/generate/generate_deep.h"

#include "analyse/generation/deep.h"
#include "os/clock.h"

#include <stdio.h>

void generate_deep_keep(struct generate_deep *d, const struct ids *prompt,
        const struct ids *made)
{
    ids_add_all(&d->prompt, prompt->id, prompt->count);
    ids_add_all(&d->made, made->id, made->count);
}

void generate_deep_release(struct generate_deep *d)
{
    ids_release(&d->prompt);
    ids_release(&d->made);
}

static bool mark_token(void *context, const struct generator_token *t)
{
    char text[40];

    if (t->index == SIZE_MAX)
        return true;
    (void)snprintf(text, sizeof(text), DEEP_MARK "%zu", t->index + 1);
    own_sections_mark(context, text);
    return true;
}

static int replay(const struct generate_deep *d, struct own_sections *t,
        struct error *e)
{
    const struct generator_listener l = { .context = t, .token = mark_token };
    const struct generator_request r = {
        .prompts = &d->prompt,
        .count = 1,
        .max_tokens = d->made.count,
        .rules = { .greedy = true, .repetition_penalty = 1 },
        .ignore_end = true,
        .no_cache = d->no_cache,
        .forced = &d->made,
    };
    struct generator_result result = { 0 };
    struct generator *g = NULL;
    int rc = generator_open(&g, d->folder, &d->setup, e);

    if (rc)
        return rc;
    own_sections_look_again(t, true);
    rc = generator_run(g, &r, &l, &result, e);
    own_sections_look_again(t, false);
    generator_result_release(&result);
    generator_close(g);
    return rc;
}

void generate_deep_run(struct generate_deep *d, const struct own_sections *t,
        struct json *j)
{
    struct own_sections telling = *t;
    struct error why = { 0 };
    uint64_t since_ns = mono_ns();

    if (!d->made.count)
        return;
    d->setup.unfused = true;

    int rc = replay(d, &telling, &why);

    json_object(j, "deep");
    json_text(j, "graph", DEEP_UNFUSED);
    if (rc)
        json_text(j, "reason", why.text);
    else
        json_u64(j, "tokens", d->made.count);
    json_fixed(j, "cost_ms", (double)(mono_ns() - since_ns) / 1e6, 6);
    json_end(j);
}
