/* pretokenise_read.c -- reads the pre-tokenisers of a tokenizer.json. */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/json_member.h"
#include "base/json_read.h"
#include "llm/setting.h"
#include "llm/tokenizer/pretokenise.h"
#include "llm/unicode/unicode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cut *add(struct pretokeniser *p, scan_fn *scan,
        enum cut_behaviour behaviour)
{
    p->cut = alloc_resize(p->cut, (p->count + 1) * sizeof(*p->cut));
    p->spare = alloc_resize(p->spare, (p->count + 1) * sizeof(*p->spare));
    p->spare[p->count] = (struct buf){ 0 };

    struct cut *c = &p->cut[p->count++];

    *c = (struct cut){ .behaviour = behaviour, .pattern.scan = scan };
    c->none = !scan;
    return c;
}

/* --- scanners for what is cut by a kind of character -----------------------
 */

static size_t one_of(struct str text, size_t at, bool (*is)(uint32_t))
{
    size_t end = at;

    return is(unicode_next(text, &end)) ? end - at : 0;
}

static size_t scan_number(struct str text, size_t at)
{
    return one_of(text, at, unicode_is_number);
}

static size_t scan_blank(struct str text, size_t at)
{
    return one_of(text, at, unicode_is_space);
}

static bool is_punctuation(uint32_t c)
{
    if (c < 0x80)
        return c > ' ' && c < 0x7f && !unicode_is_letter(c) &&
               !unicode_is_number(c);

    enum unicode_class kind = unicode_class_8(c);

    return kind >= UNICODE_PC && kind <= UNICODE_PO;
}

static size_t scan_punctuation(struct str text, size_t at)
{
    return one_of(text, at, is_punctuation);
}

/* \w+|[^\w\s]+ */
static size_t scan_words(struct str text, size_t at)
{
    size_t end = at, next = at;
    uint32_t first = unicode_next(text, &next);
    bool word = unicode_is_word(first);

    if (unicode_is_space(first))
        return 0;
    for (end = next; end < text.len; end = next) {
        uint32_t c = unicode_next(text, &next);

        if (unicode_is_word(c) != word || unicode_is_space(c))
            break;
    }
    return end - at;
}

/* --- one kind each ---------------------------------------------------------
 */

static int read_behaviour(enum cut_behaviour *out, struct str value,
        struct error *e)
{
    static const char *const names[] = {
        [CUT_ISOLATED] = "Isolated",
        [CUT_REMOVED] = "Removed",
        [CUT_CONTIGUOUS] = "Contiguous",
        [CUT_WITH_PREVIOUS] = "MergedWithPrevious",
        [CUT_WITH_NEXT] = "MergedWithNext",
    };
    struct buf text = { 0 };
    int rc = -EINVAL;

    (void)json_member_text(&text, value, "behavior");
    for (size_t i = 0; i < LEN(names); i++) {
        if (strcmp(buf_cstr(&text), names[i]) == 0) {
            *out = (enum cut_behaviour)i;
            rc = 0;
        }
    }
    if (rc)
        rc = fail(e, rc, "its pre_tokenizer's behavior '%s' is not known",
                buf_cstr(&text));
    buf_release(&text);
    return rc;
}

static int read_split(struct pretokeniser *p, struct str value, struct error *e)
{
    struct cut *c = add(p, NULL, CUT_ISOLATED);
    int rc = read_behaviour(&c->behaviour, value, e);

    c->none = false;
    c->invert = setting_bool(value, "invert", false);
    if (rc)
        return rc;
    return setting_pattern(&c->pattern, json_member(value, "pattern"), e);
}

static int read_byte_level(struct pretokeniser *p, struct str value)
{
    bool cuts = setting_bool(value, "use_regex", true);
    struct cut *c = add(p, cuts ? scan_gpt2 : NULL, CUT_ISOLATED);

    c->add_space = setting_bool(value, "add_prefix_space", true);
    p->byte_level = true;
    return 0;
}

static int read_scheme(struct cut *c, struct str value, struct error *e)
{
    struct buf text = { 0 };
    int rc = 0;

    c->scheme = setting_bool(value, "add_prefix_space", true) ? METASPACE_ALWAYS
                                                              : METASPACE_NEVER;
    if (json_member_text(&text, value, "prepend_scheme")) {
        if (strcmp(buf_cstr(&text), "always") == 0)
            c->scheme = METASPACE_ALWAYS;
        else if (strcmp(buf_cstr(&text), "first") == 0)
            c->scheme = METASPACE_FIRST;
        else if (strcmp(buf_cstr(&text), "never") == 0)
            c->scheme = METASPACE_NEVER;
        else
            rc = fail(e, -ENOTSUP, "its prepend_scheme '%s' is not known",
                    buf_cstr(&text));
    }
    buf_release(&text);
    return rc;
}

static int read_metaspace(struct pretokeniser *p, struct str value,
        struct error *e)
{
    struct cut *c = add(p, NULL, CUT_WITH_NEXT);
    struct buf text = { 0 };

    c->metaspace = true;
    if (!json_member_text(&text, value, "replacement"))
        buf_text(&text, "\xe2\x96\x81");
    if (!text.len || text.len >= sizeof(c->replacement_text)) {
        buf_release(&text);
        return fail(e, -EINVAL, "its Metaspace replaces by no character");
    }
    memcpy(c->replacement_text, text.p, text.len);
    c->replacement.len = text.len;
    if (setting_bool(value, "split", true)) {
        c->none = false;
        pattern_text(&c->pattern, buf_str(&text));
    }
    buf_release(&text);
    return read_scheme(c, value, e);
}

static int read_delimiter(struct pretokeniser *p, struct str value,
        struct error *e)
{
    struct cut *c = add(p, NULL, CUT_REMOVED);

    c->none = false;
    return setting_pattern(&c->pattern, json_member(value, "delimiter"), e);
}

static int read_punctuation(struct pretokeniser *p, struct str value,
        struct error *e)
{
    struct cut *c = add(p, scan_punctuation, CUT_ISOLATED);

    return json_member(value, "behavior").len
                   ? read_behaviour(&c->behaviour, value, e)
                   : 0;
}

static int read_one(struct pretokeniser *p, struct str value, struct error *e);

static int read_sequence(struct pretokeniser *p, struct str value,
        struct error *e)
{
    struct str rest = json_member(value, "pretokenizers"), one;
    int rc;

    while ((rc = json_next_element(&rest, &one)) > 0) {
        rc = read_one(p, one, e);
        if (rc)
            return rc;
    }
    return rc ? fail(e, rc, "its pretokenizers are no list") : 0;
}

static int read_one(struct pretokeniser *p, struct str value, struct error *e)
{
    char type[32];

    setting_type(type, sizeof(type), value);
    if (p->byte_level)
        return fail(e, -ENOTSUP,
                "its pre_tokenizer %s behind ByteLevel is not known", type);
    if (strcmp(type, "Sequence") == 0)
        return read_sequence(p, value, e);
    if (strcmp(type, "Split") == 0)
        return read_split(p, value, e);
    if (strcmp(type, "ByteLevel") == 0)
        return read_byte_level(p, value);
    if (strcmp(type, "Metaspace") == 0)
        return read_metaspace(p, value, e);
    if (strcmp(type, "CharDelimiterSplit") == 0)
        return read_delimiter(p, value, e);
    if (strcmp(type, "Punctuation") == 0)
        return read_punctuation(p, value, e);
    if (strcmp(type, "Digits") == 0) {
        add(p, scan_number,
                setting_bool(value, "individual_digits", false)
                        ? CUT_ISOLATED
                        : CUT_CONTIGUOUS);
    } else if (strcmp(type, "WhitespaceSplit") == 0) {
        add(p, scan_blank, CUT_REMOVED);
    } else if (strcmp(type, "Whitespace") == 0) {
        add(p, scan_words, CUT_REMOVED)->invert = true;
    } else if (strcmp(type, "BertPreTokenizer") == 0) {
        add(p, scan_blank, CUT_REMOVED);
        add(p, scan_punctuation, CUT_ISOLATED);
    } else {
        return fail(e, -ENOTSUP, "its pre_tokenizer '%s' is not known", type);
    }
    return 0;
}

int pretokeniser_read(struct pretokeniser *out, struct str value,
        struct error *e)
{
    int rc = 0;

    if (value.len && !str_is(value, "null"))
        rc = read_one(out, value, e);
    for (size_t i = 0; i < out->count; i++)
        out->cut[i].replacement.p = out->cut[i].replacement_text;
    return rc;
}

void pretokeniser_release(struct pretokeniser *p)
{
    for (size_t i = 0; i < p->count; i++) {
        pattern_release(&p->cut[i].pattern);
        buf_release(&p->spare[i]);
    }
    free(p->cut);
    free(p->spare);
    *p = (struct pretokeniser){ 0 };
}
