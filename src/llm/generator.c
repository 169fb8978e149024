#include "llm/generator.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/json_read.h"
#include "llm/generator_state.h"
#include "llm/jinja/jinja.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct network *generator_later(const struct generator *g)
{
    return g->with_past.session ? &g->with_past : &g->decoder;
}

static int open_networks(struct generator *g, const struct engine_setup *setup,
        struct error *e)
{
    const struct model_folder *m = &g->folder;
    int rc = 0;

    if (m->encoder)
        rc = network_open(&g->encoder, g->engine, m->encoder, setup,
                "last_hidden_state", g->given, g->given_count, e);
    if (!rc)
        rc = network_open(&g->decoder, g->engine, m->decoder, setup, "logits",
                g->given, g->given_count, e);
    if (!rc && m->with_past)
        rc = network_open(&g->with_past, g->engine, m->with_past, setup,
                "logits", g->given, g->given_count, e);
    return rc;
}

int generator_open(struct generator **out, const char *folder,
        const struct generator_setup *s, struct error *e)
{
    struct generator *g = alloc_zero(1, sizeof(*g));
    struct engine_setup setup = { .provider = s->provider,
        .threads = s->threads,
        .level = s->unfused ? ORT_LEVEL_OFF : ORT_LEVEL_ALL };
    struct error why = { 0 };
    int rc = model_folder_read(&g->folder, folder, e);

    g->path = alloc_text(folder);
    g->given_count = s->given_count;
    g->given = alloc_zero(s->given_count + 1, sizeof(*g->given));
    if (s->given_count)
        memcpy(g->given, s->given, s->given_count * sizeof(*g->given));
    if (!rc && g->folder.tokenizer.len) {
        rc = tokenizer_read(&g->tokenizer, buf_str(&g->folder.tokenizer), &why);
        if (rc)
            (void)fail(e, rc, "%.100s/tokenizer.json: %s", folder, why.text);
    }
    if (!rc)
        rc = engine_open(&g->engine, s->ort, e);
    if (!rc)
        rc = open_networks(g, &setup, e);
    if (rc) {
        generator_close(g);
        return rc;
    }
    *out = g;
    return 0;
}

void generator_close(struct generator *g)
{
    if (!g)
        return;
    network_close(&g->encoder);
    network_close(&g->decoder);
    network_close(&g->with_past);
    engine_close(g->engine);
    tokenizer_free(g->tokenizer);
    model_folder_release(&g->folder);
    free(g->given);
    free(g->path);
    free(g);
}

const struct model_folder *generator_folder(const struct generator *g)
{
    return &g->folder;
}

const struct runtime_info *generator_runtime(const struct generator *g)
{
    return engine_runtime(g->engine);
}

/* --- prompts
 * ------------------------------------------------------------------------- */

static void add_message(struct json *j, const char *role, struct str content)
{
    json_object(j, NULL);
    json_text(j, "role", role);
    json_str(j, "content", content);
    json_end(j);
}

static int fill_template(struct buf *out, const struct generator *g,
        struct str prompt, const char *system, const char *date,
        struct error *e)
{
    struct buf context = { 0 };
    struct json j = json_line_into(&context);
    struct error why = { 0 };
    int rc;

    json_object(&j, NULL);
    json_array(&j, "messages");
    if (system)
        add_message(&j, "system", str_of(system));
    add_message(&j, "user", prompt);
    json_end(&j);
    json_bool(&j, "add_generation_prompt", true);
    json_str(&j, "bos_token", buf_str(&g->folder.bos_text));
    json_str(&j, "eos_token", buf_str(&g->folder.eos_text));
    json_end(&j);
    rc = jinja_render(out, buf_str(&g->folder.chat), buf_str(&context), date,
            &why);
    if (rc == -EPROTO)
        rc = fail(e, -EINVAL, "%.100s: its chat template refuses: %s", g->path,
                why.text);
    else if (rc)
        rc = fail(e, rc, "%.100s: %s", g->path, why.text);
    buf_release(&context);
    return rc;
}

int generator_encode(struct generator *g, struct str prompt, bool chat,
        const char *system, const char *date, struct ids *out, struct error *e)
{
    struct buf text = { 0 };
    int rc;

    if (!g->tokenizer)
        return fail(e, -ENOENT,
                "%s has no tokenizer.json: give the prompt by --tokens",
                g->path);
    if (!chat) {
        tokenizer_encode(g->tokenizer, prompt, true, out);
        return 0;
    }
    if (!g->folder.chat.len)
        return fail(e, -ENOENT,
                "%s has no chat template: leave --chat away for plain text",
                g->path);
    /* The template writes all that stands around the text, BOS included. */
    rc = fill_template(&text, g, prompt, system, date, e);
    if (!rc)
        tokenizer_encode(g->tokenizer, buf_str(&text), false, out);
    buf_release(&text);
    return rc;
}

const char *generator_end_name(enum generator_end end)
{
    static const char *const names[] = {
        [GENERATOR_LENGTH] = "length",
        [GENERATOR_STOP_TOKEN] = "stop_token",
        [GENERATOR_STOP_TEXT] = "stop_text",
        [GENERATOR_CONTEXT] = "context",
        [GENERATOR_ASKED] = "asked",
    };

    return names[end];
}

void generator_result_release(struct generator_result *r)
{
    for (size_t i = 0; i < r->count; i++) {
        ids_release(&r->text[i].ids);
        buf_release(&r->text[i].text);
    }
    free(r->text);
    free(r->first_logits);
    buf_release(&r->durations);
    *r = (struct generator_result){ 0 };
}
