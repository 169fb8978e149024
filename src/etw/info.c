#include "etw/info.h"

#include "etw/bytes.h"
#include "etw/text16.h"

#include <errno.h>

/* TRACE_LOGFILE_HEADER has two pointers and 176 bytes of time zone in its
 * midst, 4 of which only fill up. */
#define HEAD_BYTES 0x38
#define ZONE_BYTES 176
#define TAIL_BYTES 32

static const unsigned char *take_name(struct buf *out, const unsigned char *p,
        size_t *left)
{
    size_t count = text16_count(p, *left);
    size_t taken = 2 * count + 2 < *left ? 2 * count + 2 : *left;

    text16_add(out, p, count);
    *left -= taken;
    return p + taken;
}

static void take_head(struct etw_info *out, const unsigned char *p)
{
    out->buffer_bytes = get_u32(p);
    out->os_major = p[4];
    out->os_minor = p[5];
    out->version_major = p[6];
    out->version_minor = p[7];
    out->os_build = get_u32(p + 0x08);
    out->processors = get_u32(p + 0x0c);
    out->end_time = (int64_t)get_u64(p + 0x10);
    out->timer_resolution = get_u32(p + 0x18);
    out->max_file_mb = get_u32(p + 0x1c);
    out->mode = get_u32(p + 0x20);
    out->buffers_written = get_u32(p + 0x24);
    out->pointer_bytes = get_u32(p + 0x2c);
    out->events_lost = get_u32(p + 0x30);
    out->cpu_mhz = get_u32(p + 0x34);
}

static void take_clock(struct etw_info *out, const unsigned char *p)
{
    out->boot_time = (int64_t)get_u64(p);
    out->frequency = get_u64(p + 8);
    out->start_time = (int64_t)get_u64(p + 16);
    out->clock = get_u32(p + 24);
    out->buffers_lost = get_u32(p + 28);
    if (out->clock == ETW_SYSTEM_TIME)
        out->frequency = 10000000;
    else if (out->clock == ETW_CYCLES)
        out->frequency = (uint64_t)out->cpu_mhz * 1000000;
    /* A trace that says nothing of its clock counts in 100 ns. */
    if (!out->frequency || out->frequency > UINT64_C(9000000000))
        out->frequency = 10000000;
}

int etw_info_parse(struct etw_info *out, const struct etw_record *first)
{
    const unsigned char *p = first->data;
    size_t left = first->len;

    if (first->kind != ETW_KERNEL || first->group || first->opcode ||
            left < HEAD_BYTES)
        return -EINVAL;
    take_head(out, p);
    if (out->pointer_bytes != 4 && out->pointer_bytes != 8)
        return -EINVAL;

    size_t zone = HEAD_BYTES + (size_t)2 * out->pointer_bytes;

    if (left < zone + ZONE_BYTES + TAIL_BYTES)
        return -EINVAL;
    out->utc_bias_minutes = (int32_t)get_u32(p + zone);
    take_clock(out, p + zone + ZONE_BYTES);
    out->first_time = first->time;
    left -= zone + ZONE_BYTES + TAIL_BYTES;
    p = take_name(&out->session, p + zone + ZONE_BYTES + TAIL_BYTES, &left);
    (void)take_name(&out->file, p, &left);
    return 0;
}

void etw_info_release(struct etw_info *i)
{
    buf_release(&i->session);
    buf_release(&i->file);
}

int64_t etw_trace_ns(const struct etw_info *i, int64_t time)
{
    int64_t frequency = (int64_t)i->frequency;
    int64_t ticks = (int64_t)((uint64_t)time - (uint64_t)i->first_time);
    int64_t seconds = ticks / frequency, rest = ticks % frequency;

    /* So that any two can be subtracted. */
    if (seconds > ETW_NS_MAX / 1000000000 || seconds < -ETW_NS_MAX / 1000000000)
        return seconds < 0 ? -ETW_NS_MAX : ETW_NS_MAX;
    return seconds * 1000000000 + rest * 1000000000 / frequency;
}

uint64_t etw_trace_wall_ns(const struct etw_info *i)
{
    /* Until the year 2262, when 64 bits of nanoseconds end. */
    if (i->start_time <= ETW_FILETIME_1970 ||
            i->start_time - ETW_FILETIME_1970 > INT64_MAX / 100)
        return 0;
    return (uint64_t)(i->start_time - ETW_FILETIME_1970) * 100;
}
