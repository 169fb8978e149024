#include "llm/unicode/normal_form.h"
#include "llm/unicode/unicode.h"

#include <stdlib.h>
#include <utf8proc.h>

bool normal_form_there(void)
{
    return true;
}

static bool is_ascii(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.p[i] >= 0x80)
            return false;
    return true;
}

static void add_form(struct buf *out, struct str text, enum normal_form form)
{
    static const int options[] = {
        [NORMAL_FORM_C] = UTF8PROC_STABLE | UTF8PROC_COMPOSE,
        [NORMAL_FORM_D] = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
        [NORMAL_FORM_KC] = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT,
        [NORMAL_FORM_KD] =
                UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT,
    };
    utf8proc_uint8_t *formed = NULL;
    utf8proc_ssize_t len = utf8proc_map((const utf8proc_uint8_t *)text.p,
            (utf8proc_ssize_t)text.len, &formed,
            (utf8proc_option_t)options[form]);

    if (len >= 0)
        buf_add(out, formed, (size_t)len);
    free(formed);
}

/* Characters that are newer than the reference stay where they are, with
 * normal forms between them. */
void normal_form_add(struct buf *out, struct str text, enum normal_form form)
{
    size_t done = 0;

    if (is_ascii(text)) { /* which is in all of them */
        buf_add(out, text.p, text.len);
        return;
    }
    for (size_t at = 0, next = 0; at < text.len; at = next) {
        if (!unicode_has_late_form(unicode_next(text, &next)))
            continue;
        if (at > done)
            add_form(out, (struct str){ text.p + done, at - done }, form);
        buf_add(out, text.p + at, next - at);
        done = next;
    }
    if (text.len > done)
        add_form(out, (struct str){ text.p + done, text.len - done }, form);
}

void normal_form_lower(struct buf *out, uint32_t point)
{
    if (point == 0x130) /* the dotted I keeps its dot */
        buf_text(out, "i\xcc\x87");
    else
        unicode_add(out, (uint32_t)utf8proc_tolower((utf8proc_int32_t)point));
}

size_t normal_form_grapheme(struct str text, size_t at)
{
    utf8proc_int32_t state = 0;
    uint32_t last = unicode_next(text, &at);

    while (at < text.len) {
        size_t after = at;
        uint32_t point = unicode_next(text, &after);

        if (utf8proc_grapheme_break_stateful((utf8proc_int32_t)last,
                    (utf8proc_int32_t)point, &state))
            break;
        last = point;
        at = after;
    }
    return at;
}
