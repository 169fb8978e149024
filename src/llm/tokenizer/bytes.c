/* Bytes that are printable in Latin-1 stand for themselves; the other 68 are
 * U+0100 and on, in their order. */
#include "llm/tokenizer/bytes.h"

#include "llm/unicode/unicode.h"

static bool is_itself(uint32_t byte)
{
    return (byte >= 0x21 && byte <= 0x7e) ||
           (byte >= 0xa1 && byte <= 0xff && byte != 0xad);
}

uint32_t byte_character(unsigned char byte)
{
    if (is_itself(byte))
        return byte;
    if (byte <= 0x20)
        return 0x100u + byte;
    return byte == 0xad ? 0x143 : 0x100u + 0x21 + (byte - 0x7fu);
}

int byte_of_character(uint32_t c)
{
    if (c < 0x100)
        return is_itself(c) ? (int)c : -1;
    if (c <= 0x120)
        return (int)(c - 0x100);
    if (c <= 0x142)
        return (int)(c - 0x121 + 0x7f);
    return c == 0x143 ? 0xad : -1;
}

void bytes_to_characters(struct buf *out, struct str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        unicode_add(out, byte_character((unsigned char)bytes.p[i]));
}
