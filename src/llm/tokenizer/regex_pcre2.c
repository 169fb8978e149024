/* Regular expressions by PCRE2.  Blanks are spelled out first: PCRE2 counts
 * U+180E among them, Oniguruma does not. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/alloc.h"
#include "base/buf.h"
#include "llm/tokenizer/pattern.h"

#include <errno.h>
#include <pcre2.h>
#include <stdlib.h>

#define BLANKS                                                 \
    "\\t-\\r\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}" \
    "\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
/* A match that takes more steps than this is given up: no text of a tokenizer
 * needs them. */
#define MOST_STEPS 10000000u

struct regex {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
};

static void spell_out(struct buf *out, struct str from)
{
    bool list = false;

    for (size_t i = 0; i < from.len; i++) {
        char c = from.p[i];

        if (c == '\\' && i + 1 < from.len) {
            char next = from.p[++i];

            if (next == 's')
                buf_text(out, list ? BLANKS : "[" BLANKS "]");
            else if (next == 'S' && !list)
                buf_text(out, "[^" BLANKS "]");
            else
                buf_printf(out, "\\%c", next);
            continue;
        }
        list = c == '[' || (list && c != ']');
        buf_char(out, c);
    }
}

int regex_new(struct regex **out, struct str expression, struct error *e)
{
    struct regex *r = alloc_zero(1, sizeof(*r));
    struct buf text = { 0 };
    PCRE2_UCHAR why[120] = "";
    PCRE2_SIZE place;
    int code;

    spell_out(&text, expression);
    r->code = pcre2_compile((PCRE2_SPTR)buf_cstr(&text), text.len,
            PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &code, &place,
            NULL);
    buf_release(&text);
    if (!r->code) {
        (void)pcre2_get_error_message(code, why, sizeof(why));
        regex_free(r);
        return fail(e, -ENOTSUP, "the expression %.*s is not understood: %s",
                (int)(expression.len < 80 ? expression.len : 80), expression.p,
                (char *)why);
    }
    (void)pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE);
    r->match = pcre2_match_data_create_from_pattern(r->code, NULL);
    r->context = pcre2_match_context_create(NULL);
    if (!r->match || !r->context) {
        regex_free(r);
        return fail(e, -ENOMEM, "no memory for a regular expression");
    }
    (void)pcre2_set_match_limit(r->context, MOST_STEPS);
    *out = r;
    return 0;
}

void regex_free(struct regex *r)
{
    if (!r)
        return;
    pcre2_match_context_free(r->context);
    pcre2_match_data_free(r->match);
    pcre2_code_free(r->code);
    free(r);
}

bool regex_find(const struct regex *r, struct str text, size_t at, size_t *from,
        size_t *end)
{
    int rc = pcre2_match(r->code, (PCRE2_SPTR)text.p, text.len, at,
            PCRE2_NOTEMPTY | PCRE2_NO_UTF_CHECK, r->match, r->context);

    if (rc <= 0)
        return false;

    const PCRE2_SIZE *place = pcre2_get_ovector_pointer(r->match);

    *from = place[0];
    *end = place[1];
    return place[1] > place[0];
}
