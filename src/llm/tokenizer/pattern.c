#include "llm/tokenizer/pattern.h"

#include "base/alloc.h"
#include "llm/unicode/unicode.h"

#include <stdlib.h>
#include <string.h>

void pattern_text(struct pattern *out, struct str text)
{
    *out = (struct pattern){ .text_len = text.len };
    out->text = alloc_zero(text.len + 1, 1);
    if (text.len)
        memcpy(out->text, text.p, text.len);
}

int pattern_expression(struct pattern *out, struct str expression,
        struct error *e)
{
    *out = (struct pattern){ .scan = scan_for(expression) };
    return out->scan ? 0 : regex_new(&out->regex, expression, e);
}

struct pattern pattern_scan(scan_fn *scan)
{
    return (struct pattern){ .scan = scan };
}

void pattern_release(struct pattern *p)
{
    free(p->text);
    regex_free(p->regex);
    *p = (struct pattern){ 0 };
}

static bool find_text(const struct pattern *p, struct str text, size_t at,
        size_t *from, size_t *end)
{
    if (!p->text_len)
        return false;
    while (at + p->text_len <= text.len) {
        const char *hit = memchr(text.p + at, p->text[0],
                text.len - at - p->text_len + 1);

        if (!hit)
            return false;
        at = (size_t)(hit - text.p);
        if (memcmp(hit, p->text, p->text_len) == 0) {
            *from = at;
            *end = at + p->text_len;
            return true;
        }
        at++;
    }
    return false;
}

bool pattern_find(const struct pattern *p, struct str text, size_t at,
        size_t *from, size_t *end)
{
    if (p->text)
        return find_text(p, text, at, from, end);
    if (!p->scan)
        return p->regex && regex_find(p->regex, text, at, from, end);
    while (at < text.len) {
        size_t len = p->scan(text, at);

        if (len) {
            *from = at;
            *end = at + len;
            return true;
        }
        (void)unicode_next(text, &at);
    }
    return false;
}
