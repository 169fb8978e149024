#include "etw/record.h"

#include "etw/bytes.h"

#include <errno.h>

#define FAMILY_EVENT   0xc0
#define FAMILY_MESSAGE 0x90

#define SYSTEM_BYTES   0x20
#define COMPACT_BYTES  0x18
#define PERFINFO_BYTES 0x10
#define FULL_BYTES     0x30
#define INSTANCE_BYTES 0x48
#define EVENT_BYTES    0x50
#define MESSAGE_BYTES  8

#define EVENT_HAS_EXTENDED 1

static void take_kernel(struct etw_record *r, const unsigned char *p)
{
    r->kind = ETW_KERNEL;
    r->version = p[0]; /* the upper byte tells of counters */
    r->opcode = p[6];
    r->group = p[7];
}

static void take_ids(struct etw_record *r, const unsigned char *p)
{
    r->tid = get_u32(p + 8);
    r->pid = get_u32(p + 12);
    r->time = (int64_t)get_u64(p + 16);
}

/* Counters lie between header and payload.  Returns where the payload begins.
 */
static size_t take_counters(struct etw_record *r, const unsigned char *p)
{
    unsigned version = get_u16(p);
    size_t at = PERFINFO_BYTES + (version & 0x8000 ? 8 : 0);

    r->counter_count = version >> 8 & 7;
    r->counters = r->counter_count ? p + at : NULL;
    return at + (size_t)8 * r->counter_count;
}

static void take_classic(struct etw_record *r, const unsigned char *p)
{
    r->kind = ETW_CLASSIC;
    r->opcode = p[4];
    r->level = p[5];
    r->version = get_u16(p + 6);
    take_ids(r, p);
    r->guid = p + 0x18;
    r->kernel_ticks = get_u32(p + 0x28);
    r->user_ticks = get_u32(p + 0x2c);
}

static void take_event(struct etw_record *r, const unsigned char *p)
{
    r->kind = ETW_EVENT;
    take_ids(r, p);
    r->guid = p + 0x18;
    r->id = get_u16(p + 0x28);
    r->version = p[0x2a];
    r->channel = p[0x2b];
    r->level = p[0x2c];
    r->opcode = p[0x2d];
    r->task = get_u16(p + 0x2e);
    r->keyword = get_u64(p + 0x30);
    r->kernel_ticks = get_u32(p + 0x38);
    r->user_ticks = get_u32(p + 0x3c);
    r->activity = p + 0x40;
}

/* Where the payload begins; 0: the items do not fit. */
static size_t take_extended(struct etw_record *r, const unsigned char *p,
        size_t size)
{
    size_t at = EVENT_BYTES;
    bool more = get_u16(p + 4) & EVENT_HAS_EXTENDED;

    while (more) {
        if (size - at < 8)
            return 0;

        size_t item = ((size_t)get_u16(p + at) + 7) & ~(size_t)7;

        more = get_u16(p + at + 4) & 1;
        if (item < 8 || item > size - at || get_u16(p + at + 6) > item - 8)
            return 0;
        at += item;
    }
    r->extended = p + EVENT_BYTES;
    r->extended_len = at - EVENT_BYTES;
    return at;
}

static int take_message(struct etw_record *r, const unsigned char *p,
        size_t size)
{
    unsigned options = get_u16(p + 6);
    size_t at = MESSAGE_BYTES;

    r->kind = ETW_WPP;
    r->header = ETW_MESSAGE;
    r->id = get_u16(p + 4);
    at += options & 1 ? 4 : 0; /* a sequence number */
    if (options & 2 && size - MESSAGE_BYTES >= 4 + 16)
        r->guid = p + at;
    at += options & 2 ? 16 : options & 4 ? 4 : 0;
    if (options & 8 && at + 8 <= size) {
        r->time = (int64_t)get_u64(p + at);
        at += 8;
    }
    if (options & 0x20 && at + 8 <= size) {
        r->tid = get_u32(p + at);
        r->pid = get_u32(p + at + 4);
        at += 8;
    }
    if (at > size)
        return -EINVAL;
    r->data = p + at;
    r->len = size - at;
    return 0;
}

static size_t header_bytes(unsigned header)
{
    switch (header) {
    case ETW_SYSTEM32:
    case ETW_SYSTEM64: return SYSTEM_BYTES;
    case ETW_COMPACT32:
    case ETW_COMPACT64: return COMPACT_BYTES;
    case ETW_FULL32:
    case ETW_FULL64: return FULL_BYTES;
    case ETW_INSTANCE32:
    case ETW_INSTANCE64: return INSTANCE_BYTES;
    case ETW_PERFINFO32:
    case ETW_PERFINFO64: return PERFINFO_BYTES;
    case ETW_EVENT32:
    case ETW_EVENT64: return EVENT_BYTES;
    default: return 0;
    }
}

/* Kernel records have their size behind the version, others at the front. */
static bool size_is_second(unsigned header)
{
    return header <= ETW_COMPACT64 || header == ETW_PERFINFO32 ||
           header == ETW_PERFINFO64;
}

static int take(struct etw_record *r, const unsigned char *p, size_t size)
{
    size_t at = header_bytes(r->header);

    switch (r->header) {
    case ETW_SYSTEM32:
    case ETW_SYSTEM64:
        r->kernel_ticks = get_u32(p + 0x18);
        r->user_ticks = get_u32(p + 0x1c);
        take_kernel(r, p);
        take_ids(r, p);
        break;
    case ETW_COMPACT32:
    case ETW_COMPACT64:
        take_kernel(r, p);
        take_ids(r, p);
        break;
    case ETW_PERFINFO32:
    case ETW_PERFINFO64:
        take_kernel(r, p);
        r->time = (int64_t)get_u64(p + 8);
        at = take_counters(r, p);
        break;
    case ETW_EVENT32:
    case ETW_EVENT64:
        take_event(r, p);
        at = take_extended(r, p, size);
        break;
    default: take_classic(r, p);
    }
    if (!at || at > size)
        return -EINVAL;
    r->data = p + at;
    r->len = size - at;
    return 0;
}

static bool is_narrow(unsigned header)
{
    switch (header) {
    case ETW_SYSTEM32:
    case ETW_COMPACT32:
    case ETW_PERFINFO32:
    case ETW_FULL32:
    case ETW_INSTANCE32:
    case ETW_EVENT32: return true;
    default: return false;
    }
}

int64_t etw_record_parse(struct etw_record *out, const unsigned char *p,
        size_t len)
{
    if (len < 8 || get_u32(p) == 0 || get_u32(p) == UINT32_MAX)
        return 0;

    bool message = (p[3] & 0xf0) == FAMILY_MESSAGE;
    size_t least = message ? MESSAGE_BYTES : header_bytes(p[2]);
    size_t size = get_u16(!message && size_is_second(p[2]) ? p + 4 : p);

    if (!message && (p[3] & FAMILY_EVENT) != FAMILY_EVENT)
        return -EINVAL;
    if (!least || size < least || size > len)
        return -EINVAL;
    *out = (struct etw_record){ .pid = ETW_NO_ID,
        .tid = ETW_NO_ID,
        .header = p[2],
        .pointer_bytes = is_narrow(p[2]) ? 4 : 8 };
    if (message ? take_message(out, p, size) : take(out, p, size))
        return -EINVAL;
    size = (size + 7) & ~(size_t)7;
    return (int64_t)(size < len ? size : len);
}

bool etw_extended(const struct etw_record *r, enum etw_extended type,
        const unsigned char **data, size_t *len)
{
    /* The items were checked when the record was read. */
    for (size_t at = 0; at + 8 <= r->extended_len;) {
        const unsigned char *p = r->extended + at;
        size_t item = ((size_t)get_u16(p) + 7) & ~(size_t)7;

        if (item < 8 || item > r->extended_len - at)
            return false;
        if (get_u16(p + 2) == type && get_u16(p + 6) <= item - 8) {
            *data = p + 8;
            *len = get_u16(p + 6);
            return true;
        }
        at += item;
    }
    return false;
}
