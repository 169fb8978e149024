#include "llm/model_folder.h"

#include "base/alloc.h"
#include "base/json_member.h"
#include "base/json_read.h"
#include "llm/setting.h"
#include "llm/tokenizer/vocab.h"
#include "os/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((uint64_t)256 << 20)

/* --- files
 * ------------------------------------------------------------------------ */

/* Adds a file's text; nothing where there is no such file. */
static int slurp(struct buf *out, const char *folder, const char *name,
        struct error *e)
{
    struct buf path = { 0 };
    uint64_t bytes = 0;
    FILE *file;
    char part[65536];
    size_t got;
    int rc = 0;

    buf_printf(&path, "%s/%s", folder, name);
    if (path_kind(buf_cstr(&path)) == PATH_FILE) {
        file = fopen(buf_cstr(&path), "rb");
        if (!file)
            rc = fail(e, -errno, "%s cannot be read: %s", buf_cstr(&path),
                    strerror(errno));
        else if (path_bytes(&bytes, buf_cstr(&path)) || bytes > FILE_MAX)
            rc = fail(e, -EFBIG, "%s is larger than 256 MB", buf_cstr(&path));
        while (!rc && (got = fread(part, 1, sizeof(part), file)) > 0)
            buf_add(out, part, got);
        if (file)
            (void)fclose(file);
    }
    buf_release(&path);
    return rc;
}

/* The path of a file in the folder, or in "onnx" below it; NULL: it is not
 * there. */
static char *find_file(const char *folder, const char *name)
{
    static const char *const below[] = { "", "onnx/" };

    for (size_t i = 0; i < LEN(below); i++) {
        struct buf path = { 0 };

        buf_printf(&path, "%s/%s%s", folder, below[i], name);
        if (path_kind(buf_cstr(&path)) == PATH_FILE)
            return path.p;
        buf_release(&path);
    }
    return NULL;
}

static int find_genai(struct model_folder *m, const char *folder,
        struct str genai, struct error *e)
{
    struct buf name = { 0 };
    struct str decoder = json_member(json_member(genai, "model"), "decoder");
    int rc = 0;

    if (!json_member_text(&name, decoder, "filename"))
        buf_text(&name, "model.onnx");
    m->decoder = find_file(folder, buf_cstr(&name));
    if (!m->decoder)
        rc = fail(e, -ENOENT, "%s has no %s, which its genai_config.json names",
                folder, buf_cstr(&name));
    buf_release(&name);
    return rc;
}

static int find_models(struct model_folder *m, const char *folder,
        struct str genai, struct error *e)
{
    static const char *const names[] = { "decoder_model_merged.onnx",
        "decoder_model.onnx", "model.onnx", "model_quantized.onnx" };

    if (genai.len)
        return find_genai(m, folder, genai, e);
    m->encoder = find_file(folder, "encoder_model.onnx");
    for (size_t i = 0; i < LEN(names) && !m->decoder; i++) {
        m->decoder = find_file(folder, names[i]);
        if (m->decoder && i == 1)
            m->with_past = find_file(folder, "decoder_with_past_model.onnx");
    }
    if (!m->decoder)
        return fail(e, -ENOENT,
                "%s has no model that could make text: neither model.onnx nor "
                "decoder_model_merged.onnx nor decoder_model.onnx",
                folder);
    return 0;
}

/* --- settings
 * ----------------------------------------------------------------------- */

static void take_i64(int64_t *out, struct str object, const char *key)
{
    int64_t value;

    if (setting_i64(&value, object, key) && value >= 0)
        *out = value;
}

/* One id or a list of them. */
static void take_stops(struct ids *out, struct str value)
{
    struct str one;
    uint64_t id;

    if (!value.len)
        return;
    out->count = 0;
    if (json_kind(value) == '0' && !str_u64(&id, value) && id < TOKEN_MAX)
        ids_add(out, (uint32_t)id);
    while (json_kind(value) == '[' && json_next_element(&value, &one) > 0)
        if (!str_u64(&id, one) && id < TOKEN_MAX)
            ids_add(out, (uint32_t)id);
}

static void take_architecture(struct model_folder *m, struct str object,
        const char *key)
{
    struct buf text = { 0 };

    if (json_member_text(&text, object, key))
        (void)snprintf(m->architecture, sizeof(m->architecture), "%s",
                buf_cstr(&text));
    buf_release(&text);
}

/* The same number under the names that families give it; the last counts. */
static void take_sizes(struct model_folder *m, struct str c)
{
    take_i64(&m->layers, c, "num_layers");
    take_i64(&m->layers, c, "n_layer");
    take_i64(&m->layers, c, "num_hidden_layers");
    take_i64(&m->layers, c, "num_decoder_layers");
    take_i64(&m->layers, c, "decoder_layers");
    take_i64(&m->heads, c, "n_head");
    take_i64(&m->heads, c, "num_heads");
    take_i64(&m->heads, c, "decoder_attention_heads");
    take_i64(&m->heads, c, "num_attention_heads");
    take_i64(&m->kv_heads, c, "num_key_value_heads");
    take_i64(&m->head_size, c, "d_kv");
    take_i64(&m->head_size, c, "head_dim");
    take_i64(&m->head_size, c, "head_size");
    take_i64(&m->hidden, c, "d_model");
    take_i64(&m->hidden, c, "n_embd");
    take_i64(&m->hidden, c, "hidden_size");
    take_i64(&m->context, c, "n_positions");
    take_i64(&m->context, c, "max_position_embeddings");
    take_i64(&m->context, c, "max_target_positions");
    take_i64(&m->context, c, "context_length");
    take_i64(&m->vocabulary, c, "vocab_size");
}

static void take_tokens(struct model_folder *m, struct str c)
{
    take_i64(&m->bos, c, "bos_token_id");
    take_i64(&m->pad, c, "pad_token_id");
    take_i64(&m->start, c, "decoder_start_token_id");
    take_stops(&m->stops, json_member(c, "eos_token_id"));
}

int model_folder_settings(struct model_folder *m, struct str config,
        struct str generation, struct str genai, struct error *e)
{
    const struct {
        struct str text;
        const char *name;
    } all[] = { { config, "config.json" },
        { generation, "generation_config.json" },
        { genai, "genai_config.json" } };
    struct str model = json_member(genai, "model");
    struct str decoder = json_member(model, "decoder");

    for (size_t i = 0; i < LEN(all); i++)
        if (all[i].text.len &&
                (!json_is_sound(all[i].text) || json_kind(all[i].text) != '{'))
            return fail(e, -EINVAL, "its %s is no JSON object", all[i].name);
    take_architecture(m, config, "model_type");
    take_architecture(m, model, "type");
    take_sizes(m, config);
    take_sizes(m, model);
    take_sizes(m, decoder);
    take_tokens(m, config);
    take_tokens(m, generation);
    take_tokens(m, model);
    take_i64(&m->window, json_member(decoder, "sliding_window"), "window_size");
    if (m->kv_heads < 0)
        m->kv_heads = m->heads;
    if (m->head_size < 0 && m->heads > 0 && m->hidden > 0)
        m->head_size = m->hidden / m->heads;
    return 0;
}

/* A text, or an object with one in "content". */
static void take_special(struct buf *out, struct str config, const char *key)
{
    if (!json_member_text(out, config, key))
        (void)json_member_text(out, json_member(config, key), "content");
}

static int read_tokenizer(struct model_folder *m, const char *folder,
        struct error *e)
{
    struct buf config = { 0 };
    int rc = slurp(&m->tokenizer, folder, "tokenizer.json", e);

    if (!rc)
        rc = slurp(&m->chat, folder, "chat_template.jinja", e);
    if (!rc)
        rc = slurp(&config, folder, "tokenizer_config.json", e);
    if (!rc && config.len && !json_is_sound(buf_str(&config)))
        rc = fail(e, -EINVAL, "%s/tokenizer_config.json is no JSON", folder);
    if (!rc && config.len) {
        take_special(&m->bos_text, buf_str(&config), "bos_token");
        take_special(&m->eos_text, buf_str(&config), "eos_token");
        if (!m->chat.len)
            (void)json_member_text(&m->chat, buf_str(&config), "chat_template");
    }
    buf_release(&config);
    return rc;
}

int model_folder_read(struct model_folder *m, const char *path, struct error *e)
{
    struct buf config = { 0 }, generation = { 0 }, genai = { 0 };
    struct error why = { 0 };
    int rc = 0;

    *m = (struct model_folder){ .layers = -1,
        .heads = -1,
        .kv_heads = -1,
        .head_size = -1,
        .hidden = -1,
        .context = -1,
        .vocabulary = -1,
        .bos = -1,
        .pad = -1,
        .start = -1,
        .window = -1 };
    if (path_kind(path) != PATH_FOLDER)
        return fail(e, -ENOENT, "%s is no folder", path);
    rc = slurp(&config, path, "config.json", e);
    if (!rc)
        rc = slurp(&generation, path, "generation_config.json", e);
    if (!rc)
        rc = slurp(&genai, path, "genai_config.json", e);
    if (!rc) {
        rc = model_folder_settings(m, buf_str(&config), buf_str(&generation),
                buf_str(&genai), &why);
        if (rc)
            (void)fail(e, rc, "%s: %s", path, why.text);
    }
    if (!rc)
        rc = find_models(m, path, buf_str(&genai), e);
    if (!rc)
        rc = read_tokenizer(m, path, e);
    buf_release(&config);
    buf_release(&generation);
    buf_release(&genai);
    if (rc)
        model_folder_release(m);
    return rc;
}

void model_folder_release(struct model_folder *m)
{
    free(m->decoder);
    free(m->with_past);
    free(m->encoder);
    ids_release(&m->stops);
    buf_release(&m->chat);
    buf_release(&m->bos_text);
    buf_release(&m->eos_text);
    buf_release(&m->tokenizer);
    *m = (struct model_folder){ 0 };
}
