/* writer_kernel.c -- the kernel's events, as their payloads lie: layouts.c. */
#include "etw/bytes.h"
#include "etw/decode.h"
#include "etw/text16.h"
#include "etw/writer.h"

#include <string.h>

#define TEXT_MAX 2000

static void add_u32(struct buf *out, uint32_t value)
{
    unsigned char bytes[4];

    put_u32(bytes, value);
    buf_add(out, bytes, sizeof(bytes));
}

static void add_u64(struct buf *out, uint64_t value)
{
    unsigned char bytes[8];

    put_u64(bytes, value);
    buf_add(out, bytes, sizeof(bytes));
}

static struct str short_text(const char *text)
{
    struct str s = str_of(text ? text : "");

    if (s.len > TEXT_MAX)
        s.len = TEXT_MAX;
    return s;
}

static void add_text16(struct buf *out, const char *text)
{
    text16_from(out, short_text(text));
    buf_add(out, "\0", 2);
}

/* S-1-0-0, nobody, behind a TOKEN_USER: some readers insist on one. */
static void add_sid(struct buf *out)
{
    static const unsigned char nobody[12] = { 1, 1 };

    add_u64(out, 0xfffff8a000000000);
    add_u64(out, 0);
    buf_add(out, nobody, sizeof(nobody));
}

void etw_write_process(struct etw_writer *w, const struct etw_stamp *s,
        enum etw_life life, uint32_t parent, int32_t exit_status,
        const char *name, const char *command)
{
    struct buf data = { 0 };
    struct str image = short_text(name);

    add_u64(&data, 0xfffffa8000000000 + (uint64_t)s->pid * 16);
    add_u32(&data, s->pid);
    add_u32(&data, parent);
    add_u32(&data, 0); /* session */
    add_u32(&data, life == ETW_STOPS ? (uint32_t)exit_status : 259);
    add_u64(&data, 0); /* page directory */
    add_u32(&data, 0); /* flags */
    add_sid(&data);
    buf_add(&data, image.p, image.len);
    buf_char(&data, 0);
    add_text16(&data, command);
    add_text16(&data, "");
    add_text16(&data, "");
    etw_write_kernel(w, s, ETW_CLASS_PROCESS, (uint8_t)life, 4, data.p,
            data.len);
    buf_release(&data);
}

void etw_write_thread(struct etw_writer *w, const struct etw_stamp *s,
        enum etw_life life, const char *name)
{
    struct buf data = { 0 };
    static const unsigned char priorities[4] = { 8, 5, 2, 0 };

    add_u32(&data, s->pid);
    add_u32(&data, s->tid);
    for (int i = 0; i < 7; i++)
        add_u64(&data, 0); /* stacks, start and TEB: not known */
    add_u32(&data, 0);
    buf_add(&data, priorities, sizeof(priorities));
    add_text16(&data, name);
    etw_write_kernel(w, s, ETW_CLASS_THREAD, (uint8_t)life, 3, data.p,
            data.len);
    buf_release(&data);
}

void etw_write_image(struct etw_writer *w, const struct etw_stamp *s,
        const char *path)
{
    struct buf data = { 0 };

    add_u64(&data, 0); /* base and size: not known */
    add_u64(&data, 0);
    add_u32(&data, s->pid);
    add_u32(&data, 0);
    add_u32(&data, 0);
    add_u32(&data, 0);
    add_u64(&data, 0);
    add_u64(&data, 0);
    add_u64(&data, 0);
    add_text16(&data, path);
    etw_write_kernel(w, s, ETW_CLASS_IMAGE, ETW_IS_THERE, 3, data.p, data.len);
    buf_release(&data);
}

void etw_write_switch(struct etw_writer *w, const struct etw_stamp *s,
        uint32_t new_tid, uint32_t old_tid, uint8_t old_state,
        uint8_t wait_reason)
{
    unsigned char data[24] = { 0 };

    put_u32(data, new_tid);
    put_u32(data + 4, old_tid);
    data[8] = data[9] = 8;
    data[12] = wait_reason;
    data[14] = old_state;
    etw_write_short(w, s, ETW_CLASS_THREAD, 36, 4, data, sizeof(data));
}

void etw_write_sample(struct etw_writer *w, const struct etw_stamp *s,
        uint64_t ip)
{
    unsigned char data[16] = { 0 };

    put_u64(data, ip);
    put_u32(data + 8, s->tid);
    put_u16(data + 12, 1);
    data[14] = 8 << 3;
    etw_write_short(w, s, ETW_CLASS_PERF_INFO, 46, 2, data, sizeof(data));
}
