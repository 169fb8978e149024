/* counts.h -- how many records of each kind a trace has, by what distinguishes
 * them:
 *
 *     K|g=0x05|op=36|v=2|hdr=0x11                   the kernel's
 *     C|<guid>|hdr=0x14                             classic
 *     E|<guid>|id=1|op=1|v=0|hdr=0x13               events
 *     M|hdr=0x90                                    WPP messages */
#pragma once

#include "base/buf.h"
#include "etw/guid.h"
#include "etw/record.h"

struct etw_count {
    uint64_t count;
    uint64_t bytes; /* of payload */
    struct guid guid;
    uint16_t id, version;
    uint8_t kind, header, group, opcode;
};

/* Starts zeroed. */
struct etw_counts {
    struct etw_count *slots; /* a hash table; free where `count` is 0 */
    size_t cap, used;
};

void etw_counts_add(struct etw_counts *c, const struct etw_record *r);

/* Brings them into the order of their keys, from the first slot on; after this
 * nothing can be added. */
void etw_counts_sort(struct etw_counts *c);

void etw_count_key(struct buf *out, const struct etw_count *c);

void etw_counts_release(struct etw_counts *c);
