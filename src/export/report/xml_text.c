#include "export/report/xml_text.h"

#include "base/utf8.h"

#include <string.h>

static void add_ascii(struct buf *out, char c)
{
    switch (c) {
    case '<': buf_text(out, "&lt;"); break;
    case '>': buf_text(out, "&gt;"); break;
    case '&': buf_text(out, "&amp;"); break;
    case '"': buf_text(out, "&quot;"); break;
    case '\'': buf_text(out, "&#39;"); break;
    case '\t':
    case '\n':
    case '\r': buf_printf(out, "&#%d;", c); break;
    default:
        if (c < ' ' || c == 0x7f)
            buf_text(out, UTF8_REPLACEMENT);
        else
            buf_char(out, c);
    }
}

void xml_text(struct buf *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t left = strlen(text), bad;

    while (left) {
        size_t len = utf8_len(p, left, &bad);
        /* U+FFFE and U+FFFF are no characters of XML. */
        bool none = !len ||
                    (len == 3 && p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe);

        if (none)
            buf_text(out, UTF8_REPLACEMENT);
        else if (len == 1)
            add_ascii(out, (char)*p);
        else
            buf_add(out, p, len);
        p += len ? len : bad;
        left -= len ? len : bad;
    }
}
