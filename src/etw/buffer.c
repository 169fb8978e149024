#include "etw/buffer.h"

#include "etw/bytes.h"

/* It stands there twice.  Whichever says more: behind the last record there is
 * nothing but fill, so too much does no harm, and too little hides records. */
static uint32_t used_bytes(const unsigned char *p, uint32_t room)
{
    uint32_t a = get_u32(p + 0x30), b = get_u32(p + 4);

    if (b >= ETW_BUFFER_HEADER && b <= room && (b > a || a > room))
        return b;
    return a;
}

bool etw_buffer_parse(struct etw_buffer *out, const unsigned char *p)
{
    struct etw_buffer b = {
        .bytes = get_u32(p),
        .state = get_u32(p + 0x2c),
        .processor = get_u16(p + 0x28),
        .flags = get_u16(p + 0x34),
        .type = get_u16(p + 0x36),
        .number = get_u64(p + 0x18),
    };
    bool compressed = b.flags & ETW_BUFFER_COMPRESSED;
    uint32_t room = compressed ? ETW_BUFFER_MAX : b.bytes;

    if (!(b.flags & ETW_BUFFER_PROCESSOR_INDEX))
        b.processor &= 0xff; /* the other byte is an alignment */
    b.processor &= 0x7ff;
    b.used = used_bytes(p, room);
    *out = b;
    return b.bytes >= ETW_BUFFER_HEADER && b.bytes <= ETW_BUFFER_MAX &&
           b.used >= ETW_BUFFER_HEADER && b.used <= room;
}
