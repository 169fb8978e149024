/* Built without utf8proc. */
#include "llm/unicode/normal_form.h"

bool normal_form_there(void)
{
    return false;
}

void normal_form_add(struct buf *out, struct str text, enum normal_form form)
{
    (void)form;
    buf_add(out, text.p, text.len);
}

void normal_form_lower(struct buf *out, uint32_t point)
{
    (void)out;
    (void)point;
}

size_t normal_form_grapheme(struct str text, size_t at)
{
    (void)at;
    return text.len;
}
