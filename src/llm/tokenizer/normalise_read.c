/* normalise_read.c -- reads the normalisers of a tokenizer.json. */
#include "base/alloc.h"
#include "base/json_member.h"
#include "base/json_read.h"
#include "llm/setting.h"
#include "llm/tokenizer/normalise.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct normaliser *add(struct normalisers *n, enum normaliser_kind kind)
{
    n->item = alloc_resize(n->item, (n->count + 1) * sizeof(*n->item));

    struct normaliser *item = &n->item[n->count++];

    *item = (struct normaliser){ .kind = kind };
    return item;
}

static int need_forms(const char *type, struct error *e)
{
    if (normal_form_there())
        return 0;
    return fail(e, -ENOTSUP, "built without utf8proc, which %s needs", type);
}

static int read_bert(struct normalisers *n, struct str value)
{
    bool small = setting_bool(value, "lowercase", true);
    bool strip = setting_bool(value, "strip_accents", small);

    if (setting_bool(value, "clean_text", true))
        add(n, NORMALISER_CLEAN);
    if (setting_bool(value, "handle_chinese_chars", true))
        add(n, NORMALISER_CHINESE);
    if (strip) {
        add(n, NORMALISER_FORM)->form = NORMAL_FORM_D;
        add(n, NORMALISER_STRIP_ACCENTS)->only_mn = true;
    }
    if (small)
        add(n, NORMALISER_LOWER);
    return 0;
}

static int read_replace(struct normalisers *n, struct str value,
        struct error *e)
{
    struct normaliser *item = add(n, NORMALISER_REPLACE);

    (void)json_member_text(&item->content, value, "content");
    return setting_pattern(&item->pattern, json_member(value, "pattern"), e);
}

static int read_charsmap(struct normalisers *n, struct str value,
        struct error *e)
{
    struct buf text = { 0 };
    struct normaliser *item = add(n, NORMALISER_CHARSMAP);

    (void)json_member_text(&text, value, "precompiled_charsmap");

    int rc = charsmap_new(&item->map, buf_str(&text), e);

    buf_release(&text);
    return rc;
}

static int read_sequence(struct normalisers *n, struct str value,
        struct error *e)
{
    struct str rest = json_member(value, "normalizers"), one;
    int rc;

    while ((rc = json_next_element(&rest, &one)) > 0) {
        rc = normalisers_read(n, one, e);
        if (rc)
            return rc;
    }
    return rc ? fail(e, rc, "its normalizers are no list") : 0;
}

/* Those that are nothing but Unicode's. */
static const struct {
    const char *type;
    enum normaliser_kind kind;
    enum normal_form form;
} plain[] = {
    { "NFC", NORMALISER_FORM, NORMAL_FORM_C },
    { "NFD", NORMALISER_FORM, NORMAL_FORM_D },
    { "NFKC", NORMALISER_FORM, NORMAL_FORM_KC },
    { "NFKD", NORMALISER_FORM, NORMAL_FORM_KD },
    { "Lowercase", NORMALISER_LOWER, 0 },
};

static int read_unicode(struct normalisers *n, const char *type,
        struct str value, struct error *e)
{
    int rc = need_forms(type, e);

    if (rc)
        return rc;
    if (strcmp(type, "BertNormalizer") == 0)
        return read_bert(n, value);
    if (strcmp(type, "Precompiled") == 0)
        return read_charsmap(n, value, e);
    for (size_t i = 0; i < LEN(plain); i++)
        if (strcmp(type, plain[i].type) == 0)
            add(n, plain[i].kind)->form = plain[i].form;
    return 0;
}

static bool is_unicode(const char *type)
{
    for (size_t i = 0; i < LEN(plain); i++)
        if (strcmp(type, plain[i].type) == 0)
            return true;
    return strcmp(type, "BertNormalizer") == 0 ||
           strcmp(type, "Precompiled") == 0;
}

int normalisers_read(struct normalisers *n, struct str value, struct error *e)
{
    char type[32];

    if (!value.len || str_is(value, "null"))
        return 0;
    setting_type(type, sizeof(type), value);
    if (is_unicode(type))
        return read_unicode(n, type, value, e);
    if (strcmp(type, "Sequence") == 0)
        return read_sequence(n, value, e);
    if (strcmp(type, "Replace") == 0)
        return read_replace(n, value, e);
    if (strcmp(type, "Prepend") == 0) {
        (void)json_member_text(&add(n, NORMALISER_PREPEND)->content, value,
                "prepend");
    } else if (strcmp(type, "Strip") == 0) {
        struct normaliser *item = add(n, NORMALISER_STRIP);

        item->left = setting_bool(value, "strip_left", true);
        item->right = setting_bool(value, "strip_right", true);
    } else if (strcmp(type, "StripAccents") == 0) {
        add(n, NORMALISER_STRIP_ACCENTS);
    } else if (strcmp(type, "ByteLevel") == 0) {
        add(n, NORMALISER_BYTES);
    } else {
        return fail(e, -ENOTSUP, "its normalizer '%s' is not known", type);
    }
    return 0;
}

void normalisers_release(struct normalisers *n)
{
    for (size_t i = 0; i < n->count; i++) {
        pattern_release(&n->item[i].pattern);
        buf_release(&n->item[i].content);
        charsmap_free(n->item[i].map);
    }
    free(n->item);
    *n = (struct normalisers){ 0 };
}
