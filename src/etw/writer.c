#include "etw/writer.h"

#include "base/alloc.h"
#include "etw/buffer.h"
#include "etw/bytes.h"
#include "etw/record.h"
#include "etw/text16.h"
#include "etw/trace.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES  65536
#define LOGFILE_BYTES 0x118 /* TRACE_LOGFILE_HEADER of 64 bits */
/* The clock counts nanoseconds, and did so for a while when the trace began. */
#define FREQUENCY   UINT64_C(1000000000)
#define FIRST_TIME  UINT64_C(1000000000000)
#define NAMES_MAX   4000 /* bytes of a name in the header */
#define STATE_FLUSH 3

struct lane {
    unsigned char *buffer;
    size_t used;
    uint64_t last_time;
};

struct etw_writer {
    etw_put *put;
    void *context;
    struct lane *lanes;
    uint32_t lane_count, buffer_bytes;
    uint32_t buffers;  /* written so far */
    struct lane *last; /* its last buffer is held back, to be marked */
    unsigned char *held;
};

/* --- buffers ---------------------------------------------------------------
 */

static void finish_buffer(const struct etw_writer *w, unsigned char *p,
        size_t used, uint64_t time, uint32_t number, unsigned processor,
        unsigned type)
{
    memset(p, 0, ETW_BUFFER_HEADER);
    put_u32(p, w->buffer_bytes);
    put_u32(p + 0x04, (uint32_t)used);
    put_u32(p + 0x08, (uint32_t)used);
    put_u64(p + 0x10, time);
    put_u64(p + 0x18, number);
    put_u64(p + 0x20, FREQUENCY << 3 | ETW_QPC);
    put_u16(p + 0x28, (uint16_t)processor);
    put_u32(p + 0x2c, STATE_FLUSH);
    put_u32(p + 0x30, (uint32_t)used);
    put_u16(p + 0x34, ETW_BUFFER_PROCESSOR_INDEX);
    put_u16(p + 0x36, (uint16_t)type);
    memset(p + used, 0xff, w->buffer_bytes - used);
}

static void put_held(struct etw_writer *w, bool last)
{
    if (!w->last)
        return;
    if (last)
        put_u16(w->held + 0x34,
                ETW_BUFFER_PROCESSOR_INDEX | ETW_BUFFER_FLUSHED);
    w->put(w->context, w->held, w->buffer_bytes);
    w->last = NULL;
}

static void flush(struct etw_writer *w, struct lane *l)
{
    if (l->used == ETW_BUFFER_HEADER)
        return;
    put_held(w, false);
    finish_buffer(w, l->buffer, l->used, l->last_time, w->buffers++,
            (unsigned)(l - w->lanes), 0);
    /* The buffers change places. */
    unsigned char *full = l->buffer;

    l->buffer = w->held;
    w->held = full;
    w->last = l;
    l->used = ETW_BUFFER_HEADER;
}

/* Room for a record in the lane's buffer; its header and payload are for the
 * caller to fill.  NULL: no buffer can hold it. */
static unsigned char *room(struct etw_writer *w, const struct etw_stamp *s,
        size_t size)
{
    struct lane *l = &w->lanes[s->lane < w->lane_count ? s->lane : 0];
    size_t whole = (size + 7) & ~(size_t)7;

    if (size > UINT16_MAX || whole > w->buffer_bytes - ETW_BUFFER_HEADER)
        return NULL;
    if (whole > w->buffer_bytes - l->used)
        flush(w, l);

    unsigned char *p = l->buffer + l->used;

    memset(p + size, 0, whole - size);
    l->used += whole;
    l->last_time = FIRST_TIME + s->time_ns;
    return p;
}

/* --- records ---------------------------------------------------------------
 */

static void kernel_head(unsigned char *p, uint8_t header, uint8_t version,
        size_t size, uint8_t group, uint8_t opcode)
{
    put_u16(p, version);
    p[2] = header;
    p[3] = 0xc0;
    put_u16(p + 4, (uint16_t)size);
    p[6] = opcode;
    p[7] = group;
}

void etw_write_kernel(struct etw_writer *w, const struct etw_stamp *s,
        uint8_t group, uint8_t opcode, uint8_t version, const void *data,
        size_t len)
{
    size_t size = 0x20 + len;
    unsigned char *p = room(w, s, size);

    if (!p)
        return;
    kernel_head(p, ETW_SYSTEM64, version, size, group, opcode);
    put_u32(p + 8, s->tid);
    put_u32(p + 12, s->pid);
    put_u64(p + 16, FIRST_TIME + s->time_ns);
    put_u64(p + 24, 0);
    memcpy(p + 32, data, len);
}

void etw_write_short(struct etw_writer *w, const struct etw_stamp *s,
        uint8_t group, uint8_t opcode, uint8_t version, const void *data,
        size_t len)
{
    size_t size = 0x10 + len;
    unsigned char *p = room(w, s, size);

    if (!p)
        return;
    kernel_head(p, ETW_PERFINFO64, version, size, group, opcode);
    put_u64(p + 8, FIRST_TIME + s->time_ns);
    memcpy(p + 16, data, len);
}

/* --- the header ------------------------------------------------------------
 */

static uint64_t filetime(uint64_t wall_ns)
{
    return wall_ns / 100 + (uint64_t)ETW_FILETIME_1970;
}

static void add_name(struct buf *out, const char *name)
{
    struct str text = str_of(name ? name : "");

    if (text.len > NAMES_MAX)
        text.len = NAMES_MAX;
    text16_from(out, text);
    buf_add(out, "\0", 2);
}

static void write_header(struct etw_writer *w, const struct etw_writing *x)
{
    unsigned char p[LOGFILE_BYTES] = { 0 };
    struct buf data = { 0 };

    put_u32(p, w->buffer_bytes);
    p[4] = 10; /* as Windows 10 writes it */
    p[6] = 1;
    p[7] = 5;
    put_u32(p + 0x08, 19045);
    put_u32(p + 0x0c, w->lane_count);
    if (x->duration_ns)
        put_u64(p + 0x10, filetime(x->start_wall_ns + x->duration_ns));
    put_u32(p + 0x18, 156250);
    put_u32(p + 0x20, 1); /* sequential */
    put_u32(p + 0x24, x->buffers);
    put_u32(p + 0x28, 1);
    put_u32(p + 0x2c, 8);
    put_u32(p + 0x34, 1000);
    put_u64(p + 0xf8, filetime(x->start_wall_ns) - FIRST_TIME / 100);
    put_u64(p + 0x100, FREQUENCY);
    put_u64(p + 0x108, filetime(x->start_wall_ns));
    put_u32(p + 0x110, ETW_QPC);
    buf_add(&data, p, sizeof(p));
    add_name(&data, x->session);
    add_name(&data, x->file);

    const struct etw_stamp first = { 0 };
    struct lane *l = &w->lanes[0];

    etw_write_kernel(w, &first, 0, 0, 2, data.p, data.len);
    buf_release(&data);
    finish_buffer(w, l->buffer, l->used, 0, w->buffers++, 0,
            ETW_BUFFER_TYPE_HEADER);
    put_u16(l->buffer + 0x34, ETW_BUFFER_PROCESSOR_INDEX | ETW_BUFFER_FLUSHED);
    w->put(w->context, l->buffer, w->buffer_bytes);
    l->used = ETW_BUFFER_HEADER;
}

struct etw_writer *etw_writer_new(const struct etw_writing *x, etw_put *put,
        void *context)
{
    struct etw_writer *w = alloc_zero(1, sizeof(*w));

    w->put = put;
    w->context = context;
    w->buffer_bytes = x->buffer_bytes ? x->buffer_bytes : BUFFER_BYTES;
    w->lane_count = x->lanes ? x->lanes : 1;
    w->lanes = alloc_zero(w->lane_count, sizeof(*w->lanes));
    w->held = alloc_zero(1, w->buffer_bytes);
    for (uint32_t i = 0; i < w->lane_count; i++) {
        w->lanes[i].buffer = alloc_zero(1, w->buffer_bytes);
        w->lanes[i].used = ETW_BUFFER_HEADER;
    }
    write_header(w, x);
    return w;
}

uint32_t etw_writer_end(struct etw_writer *w)
{
    for (uint32_t i = 0; i < w->lane_count; i++)
        flush(w, &w->lanes[i]);
    put_held(w, true);

    uint32_t buffers = w->buffers;

    for (uint32_t i = 0; i < w->lane_count; i++)
        free(w->lanes[i].buffer);
    free(w->lanes);
    free(w->held);
    free(w);
    return buffers;
}

/* --- events that describe themselves ---------------------------------------
 */

/* Items lie behind the header, each rounded up to 8 bytes. */
static size_t item_bytes(size_t data)
{
    return (8 + data + 7) & ~(size_t)7;
}

static unsigned char *put_item(unsigned char *p, unsigned type, bool more,
        const void *data, size_t len)
{
    size_t whole = item_bytes(len);

    memset(p, 0, whole);
    put_u16(p, (uint16_t)whole);
    put_u16(p + 2, (uint16_t)type);
    put_u16(p + 4, more);
    put_u16(p + 6, (uint16_t)len);
    memcpy(p + 8, data, len);
    return p + whole;
}

void etw_draft_write(struct etw_writer *w, const struct etw_stamp *s,
        const struct etw_provider *provider, struct etw_draft *d, uint8_t level,
        uint8_t opcode, uint64_t keyword)
{
    size_t name = strlen(provider->name) + 1;
    unsigned char traits[256];
    size_t traits_len = 2 + (name < 250 ? name : 250);

    put_u16((unsigned char *)d->schema.p, (uint16_t)d->schema.len);
    put_u16(traits, (uint16_t)traits_len);
    memcpy(traits + 2, provider->name, traits_len - 2);

    size_t size = 0x50 + item_bytes(traits_len) + item_bytes(d->schema.len) +
                  d->data.len;
    unsigned char *p = room(w, s, size), *at;

    if (!p)
        return;
    memset(p, 0, 0x50);
    put_u16(p, (uint16_t)size);
    p[2] = ETW_EVENT64;
    p[3] = 0xc0;
    put_u16(p + 4, 1); /* items follow */
    put_u32(p + 8, s->tid);
    put_u32(p + 12, s->pid);
    put_u64(p + 16, FIRST_TIME + s->time_ns);
    memcpy(p + 0x18, provider->guid->bytes, 16);
    p[0x2b] = 11; /* the channel of TraceLogging */
    p[0x2c] = level;
    p[0x2d] = opcode;
    put_u64(p + 0x30, keyword);
    at = put_item(p + 0x50, ETW_EXT_TRAITS, true, traits, traits_len);
    at = put_item(at, ETW_EXT_SCHEMA, false, d->schema.p, d->schema.len);
    memcpy(at, d->data.p ? d->data.p : "", d->data.len);
}
