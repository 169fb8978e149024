/* xpress.c -- XPRESS without Huffman codes: [MS-XCA] 2.3 and 2.4.
 *
 * 32 flags, the highest first, say what follows: a byte, or a match of 16 bits,
 * 13 of distance and 3 of length.  A longer length takes half a byte, which two
 * matches share, then a byte, then 16 or 32 bits. */
#include "etw/bytes.h"
#include "etw/compress/decompress.h"
#include "etw/match.h"

#include <errno.h>

struct input {
    const unsigned char *p;
    size_t at, len;
    size_t half; /* where the shared byte is whose upper half is free; 0: none
                  */
};

/* The length beyond the 3 bits; -1: the input ends. */
static int64_t long_length(struct input *in)
{
    uint64_t length;

    if (in->half) {
        length = in->p[in->half] >> 4;
        in->half = 0;
    } else {
        if (in->at >= in->len)
            return -1;
        in->half = in->at;
        length = in->p[in->at++] & 15;
    }
    if (length < 15)
        return (int64_t)length + 7;
    if (in->at >= in->len)
        return -1;
    length = in->p[in->at++];
    if (length < 255)
        return (int64_t)length + 15 + 7;
    if (in->len - in->at < 2)
        return -1;
    length = get_u16(in->p + in->at);
    in->at += 2;
    if (!length) {
        if (in->len - in->at < 4)
            return -1;
        length = get_u32(in->p + in->at);
        in->at += 4;
    }
    /* It counts from 0, though shorter ones had a shorter form. */
    return length < 15 + 7 ? -1 : (int64_t)length;
}

int64_t xpress_decompress(unsigned char *to, size_t cap,
        const unsigned char *from, size_t len)
{
    struct input in = { .p = from, .len = len };
    uint32_t flags = 0;
    int left = 0;
    size_t at = 0;

    while (at < cap) {
        if (!left) {
            if (in.len - in.at < 4)
                break;
            flags = get_u32(in.p + in.at);
            in.at += 4;
            left = 32;
        }
        left--;
        if (in.at >= in.len)
            break;
        if (!(flags >> left & 1)) {
            to[at++] = in.p[in.at++];
            continue;
        }
        if (in.len - in.at < 2)
            return -EINVAL;

        unsigned match = get_u16(in.p + in.at);
        int64_t length = match & 7;

        in.at += 2;
        if (length == 7 && (length = long_length(&in)) < 0)
            return -EINVAL;
        if (!match_copy(to, &at, cap, (match >> 3) + 1, (size_t)length + 3))
            return -EINVAL;
    }
    return (int64_t)at;
}

int64_t etw_decompress(enum etw_compression format, unsigned char *to,
        size_t cap, const unsigned char *from, size_t len)
{
    switch (format) {
    case ETW_LZNT1: return lznt1_decompress(to, cap, from, len);
    case ETW_XPRESS: return xpress_decompress(to, cap, from, len);
    case ETW_XPRESS_HUFFMAN:
        return xpress_huffman_decompress(to, cap, from, len);
    case ETW_PLAIN: break;
    }
    return -ENOTSUP;
}
