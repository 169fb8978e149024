/* buffer.h -- a trace is a sequence of buffers, each one processor's:
 *
 *     00 u32 bytes in the file      28 u16 processor
 *     04 u32 used, header included, 2c u32 state; in the first buffer of a
 *            or 0 in a first buffer        compressed trace, the format
 *     10 i64 time of the flush      30 u32 used, header included
 *     18 i64 number
 *                                   34 u16 flags
 *                                   36 u16 type
 *
 * and from 48 on records, one behind the other, or the same compressed. */
#pragma once

#include "etw/compress/decompress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETW_BUFFER_HEADER 0x48
/* Windows makes none that are larger. */
#define ETW_BUFFER_MAX ((uint32_t)16 << 20)

enum etw_buffer_flag {
    ETW_BUFFER_FLUSHED = 1,
    ETW_BUFFER_EVENTS_LOST = 2,
    ETW_BUFFER_BUFFER_LOST = 4,
    ETW_BUFFER_PROCESSOR_INDEX = 0x20,
    ETW_BUFFER_COMPRESSED = 0x40,
};

#define ETW_BUFFER_TYPE_HEADER 4

struct etw_buffer {
    uint32_t bytes; /* in the file, to the next one */
    uint32_t used;  /* when it is not compressed; the header included */
    uint32_t state;
    uint16_t processor;
    uint16_t flags;
    uint16_t type;
    uint64_t number;
};

/* Of ETW_BUFFER_HEADER bytes.  False: this is no buffer's header. */
bool etw_buffer_parse(struct etw_buffer *out, const unsigned char *p);
