/* tokenizer_read.c -- reads a tokenizer.json. */
#include "base/alloc.h"
#include "base/json_member.h"
#include "base/json_read.h"
#include "llm/setting.h"
#include "llm/tokenizer/tokenizer_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define METASPACE "\xe2\x96\x81"

static int read_vocab(struct vocab *vocab, struct str rest, struct error *e)
{
    struct str key, value;
    struct buf text = { 0 };
    int rc;

    while ((rc = json_next_member(&rest, &key, &value)) > 0) {
        struct str quoted = { key.p - 1, key.len + 2 };
        uint64_t id;

        buf_clear(&text);
        if (json_read_text(&text, quoted) || str_u64(&id, value) ||
                id >= TOKEN_MAX) {
            rc = -EINVAL;
            break;
        }
        vocab_add(vocab, buf_str(&text), (uint32_t)id);
    }
    buf_release(&text);
    return rc ? fail(e, rc, "its vocabulary is damaged at token %zu",
                        vocab->count)
              : 0;
}

static int read_added_token(struct tokenizer *t, struct str value,
        struct buf *text, struct error *e)
{
    struct added_token token = { 0 };
    int64_t id;

    buf_clear(text);
    if (!setting_i64(&id, value, "id") || id < 0 || id >= TOKEN_MAX ||
            !json_member_text(text, value, "content"))
        return fail(e, -EINVAL, "its added token %zu is damaged",
                t->added.count);
    token.id = (uint32_t)id;
    token.special = setting_bool(value, "special", false);
    token.single_word = setting_bool(value, "single_word", false);
    token.lstrip = setting_bool(value, "lstrip", false);
    token.rstrip = setting_bool(value, "rstrip", false);
    token.normalised = setting_bool(value, "normalized", !token.special);
    vocab_add(&t->added_texts, buf_str(text), token.id);
    if (!t->special || token.id >= t->special_count) {
        size_t count = (size_t)token.id * 2 + 64;

        t->special = alloc_resize(t->special, count);
        memset(t->special + t->special_count, 0, count - t->special_count);
        t->special_count = (uint32_t)count;
    }
    t->special[token.id] = token.special;
    if (token.normalised && t->normalisers.count) {
        normalise(&t->normalisers, &t->normal, &t->spare, buf_str(text));
        added_add(&t->added, &token, buf_str(&t->normal));
    } else {
        added_add(&t->added, &token, buf_str(text));
    }
    return 0;
}

static int read_added(struct tokenizer *t, struct str rest, struct error *e)
{
    struct buf text = { 0 };
    struct str value;
    int rc = 0;

    while (rest.len && (rc = json_next_element(&rest, &value)) > 0) {
        rc = read_added_token(t, value, &text, e);
        if (rc)
            break;
    }
    buf_release(&text);
    return rc == -EINVAL && !t->added.count
                   ? fail(e, rc, "its added_tokens are no list")
                   : rc;
}

/* --- what stands around a text -----------------------------------------------
 */

/* A special token of a template: its ids. */
static int add_special(struct ids *out, struct str all, struct str name,
        struct error *e)
{
    struct str rest, key, value = { 0 }, one;

    while (json_next_member(&all, &key, &value) > 0)
        if (str_eq(key, name))
            break;
        else
            value.len = 0;
    rest = json_member(value, "ids");
    if (!rest.len)
        return fail(e, -EINVAL, "its template names an unknown token %.*s",
                (int)(name.len < 60 ? name.len : 60), name.p);
    while (json_next_element(&rest, &one) > 0) {
        uint64_t id;

        if (str_u64(&id, one) || id >= TOKEN_MAX)
            return fail(e, -EINVAL, "its template has an id that is none");
        ids_add(out, (uint32_t)id);
    }
    return 0;
}

static int read_template(struct tokenizer *t, struct str value, struct error *e)
{
    struct str rest = json_member(value, "single"), one;
    struct str specials = json_member(value, "special_tokens");
    bool behind = false;
    int rc = 0;

    while (!rc && json_next_element(&rest, &one) > 0) {
        struct str name = json_member(json_member(one, "SpecialToken"), "id");

        if (name.len > 2)
            rc = add_special(behind ? &t->suffix : &t->prefix, specials,
                    (struct str){ name.p + 1, name.len - 2 }, e);
        else
            behind = true;
    }
    return rc;
}

/* ["[SEP]", 102] */
static int add_pair(struct ids *out, struct str value, struct error *e)
{
    struct str one;
    uint64_t id;

    bool first = json_next_element(&value, &one) > 0;

    if (!first || json_next_element(&value, &one) <= 0 || str_u64(&id, one) ||
            id >= TOKEN_MAX)
        return fail(e, -EINVAL, "its post_processor has no pair sep or cls");
    ids_add(out, (uint32_t)id);
    return 0;
}

static int read_post(struct tokenizer *t, struct str value, struct error *e);

static int read_posts(struct tokenizer *t, struct str value, struct error *e)
{
    struct str rest = json_member(value, "processors"), one;
    int rc = 0;

    while (!rc && json_next_element(&rest, &one) > 0)
        rc = read_post(t, one, e);
    return rc;
}

static int read_post(struct tokenizer *t, struct str value, struct error *e)
{
    char type[32];

    if (!value.len || str_is(value, "null"))
        return 0;
    setting_type(type, sizeof(type), value);
    if (strcmp(type, "Sequence") == 0)
        return read_posts(t, value, e);
    if (strcmp(type, "TemplateProcessing") == 0)
        return read_template(t, value, e);
    if (strcmp(type, "ByteLevel") == 0) /* only offsets */
        return 0;
    if (strcmp(type, "BertProcessing") == 0 ||
            strcmp(type, "RobertaProcessing") == 0) {
        int rc = add_pair(&t->prefix, json_member(value, "cls"), e);

        return rc ? rc : add_pair(&t->suffix, json_member(value, "sep"), e);
    }
    return fail(e, -ENOTSUP, "its post_processor '%s' is not known", type);
}

/* --- the model ---------------------------------------------------------------
 */

/* Old files do not say the model's type. */
static enum tokenizer_model guess_model(struct str model)
{
    if (json_member(model, "merges").len)
        return TOKENIZER_BPE;
    return json_kind(json_member(model, "vocab")) == '[' ? TOKENIZER_UNIGRAM
                                                         : TOKENIZER_WORDPIECE;
}

static int model_kind(enum tokenizer_model *out, struct str model,
        struct error *e)
{
    char type[32];

    setting_type(type, sizeof(type), model);
    *out = guess_model(model);
    if (strcmp(type, "BPE") == 0)
        *out = TOKENIZER_BPE;
    else if (strcmp(type, "Unigram") == 0)
        *out = TOKENIZER_UNIGRAM;
    else if (strcmp(type, "WordPiece") == 0)
        *out = TOKENIZER_WORDPIECE;
    else if (type[0])
        return fail(e, -ENOTSUP, "its model '%s' is not known", type);
    return 0;
}

static int read_model(struct tokenizer *t, struct str model, struct error *e)
{
    bool byte_level = t->pretokeniser.byte_level;
    int rc;

    if (json_kind(model) != '{')
        return fail(e, -EINVAL, "it has no model");
    rc = model_kind(&t->model, model, e);
    if (rc)
        return rc;
    if (t->model == TOKENIZER_UNIGRAM)
        rc = unigram_read(&t->unigram, &t->vocab, model, e);
    else
        rc = read_vocab(&t->vocab, json_member(model, "vocab"), e);
    if (!rc && t->model == TOKENIZER_BPE)
        rc = bpe_read(&t->bpe, &t->vocab, model, byte_level, e);
    if (!rc && t->model == TOKENIZER_WORDPIECE)
        rc = wordpiece_read(&t->wordpiece, &t->vocab, model, e);
    if (!rc && byte_level && t->model != TOKENIZER_BPE)
        rc = fail(e, -ENOTSUP, "ByteLevel without BPE is not known");
    if (!rc && t->model == TOKENIZER_BPE &&
            bpe_may_cut(&t->bpe, str_of(METASPACE)))
        t->cut_mark = str_of(METASPACE);
    return rc;
}

int tokenizer_read(struct tokenizer **out, struct str json, struct error *e)
{
    struct tokenizer *t = alloc_zero(1, sizeof(*t));
    int rc = 0;

    if (!json_is_sound(json) || json_kind(json) != '{')
        rc = fail(e, -EINVAL, "it is no JSON object");
    if (!rc)
        rc = normalisers_read(&t->normalisers, json_member(json, "normalizer"),
                e);
    if (!rc)
        rc = pretokeniser_read(&t->pretokeniser,
                json_member(json, "pre_tokenizer"), e);
    if (!rc)
        rc = decoders_read(&t->decoders, json_member(json, "decoder"), e);
    if (!rc)
        rc = read_post(t, json_member(json, "post_processor"), e);
    if (!rc)
        rc = read_model(t, json_member(json, "model"), e);
    if (!rc)
        rc = read_added(t, json_member(json, "added_tokens"), e);
    if (rc) {
        tokenizer_free(t);
        return rc;
    }
    *out = t;
    return 0;
}
