/* record.h -- a record of a trace: its header, whichever of the eleven kinds it
 * is, and where its payload lies.
 *
 * Byte 3 of a record says what family it is of, byte 2 which header; all are
 * rounded up to 8 bytes.  A pure function on bytes that nobody vouches for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Byte 2, as it lies in the file. */
enum etw_header {
    ETW_SYSTEM32 = 0x01,
    ETW_SYSTEM64 = 0x02,
    ETW_COMPACT32 = 0x03,
    ETW_COMPACT64 = 0x04,
    ETW_FULL32 = 0x0a,
    ETW_INSTANCE32 = 0x0b,
    ETW_PERFINFO32 = 0x10,
    ETW_PERFINFO64 = 0x11,
    ETW_EVENT32 = 0x12,
    ETW_EVENT64 = 0x13,
    ETW_FULL64 = 0x14,
    ETW_INSTANCE64 = 0x15,
    ETW_MESSAGE = 0x90, /* not byte 2, but byte 3 says so */
};

/* How a record says what it is. */
enum etw_kind {
    ETW_KERNEL,  /* by group and opcode */
    ETW_CLASSIC, /* by a class's GUID and opcode */
    ETW_EVENT,   /* by a provider's GUID and id, or by describing itself */
    ETW_WPP,     /* a message whose text is elsewhere: counted only */
};

#define ETW_NO_ID UINT32_MAX /* the header has no pid, no tid */

struct etw_record {
    enum etw_kind kind;
    uint8_t header; /* enum etw_header */
    uint8_t group;  /* of the kernel's */
    uint8_t opcode;
    uint8_t level;
    uint8_t channel;
    uint8_t pointer_bytes; /* 4 or 8 */
    uint16_t version;
    uint16_t id;
    uint16_t task;
    uint16_t processor; /* of the buffer */
    uint32_t pid, tid;
    int64_t time; /* of the trace's clock */
    uint64_t keyword;
    uint32_t kernel_ticks, user_ticks; /* CPU time of the thread, in units of
                                          the timer; 0 where there are none */
    const unsigned char *guid;         /* 16 bytes; NULL: the kernel's */
    const unsigned char *activity;     /* 16 bytes, or NULL */
    const unsigned char *counters;     /* hardware counters, 8 bytes each */
    unsigned counter_count;
    const unsigned char *extended; /* items: see etw_extended() */
    size_t extended_len;
    const unsigned char *data; /* the payload */
    size_t len;
};

/* The record at `p`, of which `len` bytes are there.  Returns its bytes, up to
 * the next one; 0: no more records follow; -EINVAL: it is damaged, and `out`
 * says nothing. */
int64_t etw_record_parse(struct etw_record *out, const unsigned char *p,
        size_t len);

/* Types of extended items. */
enum etw_extended {
    ETW_EXT_RELATED_ACTIVITY = 1,
    ETW_EXT_SID = 2,
    ETW_EXT_TS_ID = 3,
    ETW_EXT_STACK32 = 5,
    ETW_EXT_STACK64 = 6,
    ETW_EXT_SCHEMA = 11, /* TraceLogging: the event describes itself */
    ETW_EXT_TRAITS = 12, /* the provider's name */
};

/* The data of the first item of that type.  False: there is none. */
bool etw_extended(const struct etw_record *r, enum etw_extended type,
        const unsigned char **data, size_t *len);
