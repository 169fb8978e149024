#include "etw/guid.h"

#include <string.h>

/* Where in the text each byte stands: the first three groups are numbers, so
 * their bytes come in reverse. */
static const unsigned char place[16] = { 6, 4, 2, 0, 11, 9, 16, 14, 19, 21, 24,
    26, 28, 30, 32, 34 };

void guid_text(char out[GUID_TEXT_LEN + 1], const unsigned char *bytes)
{
    static const char digits[] = "0123456789abcdef";

    memset(out, '-', GUID_TEXT_LEN);
    out[GUID_TEXT_LEN] = 0;
    for (int i = 0; i < 16; i++) {
        out[place[i]] = digits[bytes[i] >> 4];
        out[place[i] + 1] = digits[bytes[i] & 15];
    }
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool guid_read(struct guid *out, const char *text)
{
    size_t len = strlen(text);

    if (len == GUID_TEXT_LEN + 2 && text[0] == '{' && text[len - 1] == '}')
        text++;
    else if (len != GUID_TEXT_LEN)
        return false;
    if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-')
        return false;
    for (int i = 0; i < 16; i++) {
        int high = digit(text[place[i]]), low = digit(text[place[i] + 1]);

        if (high < 0 || low < 0)
            return false;
        out->bytes[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

bool guid_is(const unsigned char *bytes, const struct guid *g)
{
    return memcmp(bytes, g->bytes, sizeof(g->bytes)) == 0;
}
