/* perf_record.c -- see perf_event_open(2), and
 * Documentation/trace/events.rst for the format of tracepoints. */
#include "sample/perf/perf_record.h"

#include <errno.h>
#include <string.h>

/* Of linux/perf_event.h, which other systems do not have. */
enum { TYPE_LOST = 2, TYPE_SAMPLE = 9, TYPE_SWITCH = 14 };
enum { MISC_SWITCH_OUT = 1 << 13, MISC_SWITCH_OUT_PREEMPT = 1 << 14 };

struct head {
    uint32_t type;
    uint16_t misc;
    uint16_t size;
};

/* Takes a number of the machine's own byte order off the bytes. */
static bool take(void *out, size_t size, struct str *rest)
{
    if (rest->len < size)
        return false;
    memcpy(out, rest->p, size);
    *rest = (struct str){ rest->p + size, rest->len - size };
    return true;
}

static bool take_u32(uint32_t *out, struct str *rest)
{
    return take(out, sizeof(*out), rest);
}

static bool take_u64(uint64_t *out, struct str *rest)
{
    return take(out, sizeof(*out), rest);
}

static bool read_sample(struct perf_record *r, struct str body)
{
    uint32_t reserved, size;

    r->kind = PERF_RECORDED_SAMPLE;
    if (!take_u64(&r->id, &body) || !take_u32(&r->pid, &body) ||
            !take_u32(&r->tid, &body) || !take_u64(&r->time_ns, &body) ||
            !take_u64(&r->address, &body) || !take_u32(&r->cpu, &body) ||
            !take_u32(&reserved, &body))
        return false;
    if (take_u32(&size, &body) && size <= body.len)
        r->raw = (struct str){ body.p, size };
    return true;
}

/* What every record but a sample ends with. */
static bool read_end(struct perf_record *r, struct str body)
{
    enum { END = 4 + 4 + 8 + 4 + 4 + 8 };
    uint32_t reserved;

    if (body.len < END)
        return false;
    body = (struct str){ body.p + body.len - END, END };
    return take_u32(&r->pid, &body) && take_u32(&r->tid, &body) &&
           take_u64(&r->time_ns, &body) && take_u32(&r->cpu, &body) &&
           take_u32(&reserved, &body) && take_u64(&r->id, &body);
}

static bool read_body(struct perf_record *r, const struct head *h,
        struct str body)
{
    switch (h->type) {
    case TYPE_SAMPLE: return read_sample(r, body);
    case TYPE_SWITCH:
        r->kind = PERF_RECORDED_SWITCH;
        r->out = h->misc & MISC_SWITCH_OUT;
        r->preempted = h->misc & MISC_SWITCH_OUT_PREEMPT;
        return read_end(r, body);
    case TYPE_LOST:
        r->kind = PERF_RECORDED_LOSS;
        return take_u64(&r->id, &body) && take_u64(&r->lost, &body);
    default: r->kind = PERF_RECORDED_OTHER; return true;
    }
}

bool perf_record_next(struct perf_record *out, struct str *rest)
{
    struct perf_record r = { 0 };
    struct str bytes = *rest;
    struct head h;

    if (!take(&h, sizeof(h), &bytes) || h.size < sizeof(h) ||
            h.size > rest->len)
        return false;
    if (!read_body(&r, &h, (struct str){ bytes.p, h.size - sizeof(h) }))
        return false;
    *rest = (struct str){ rest->p + h.size, rest->len - h.size };
    *out = r;
    return true;
}

/* The number behind "offset:" in a line. */
static int number_after(uint64_t *out, struct str line, const char *word)
{
    for (size_t i = 0; i + strlen(word) <= line.len; i++) {
        struct str here = { line.p + i, line.len - i };

        if (str_starts(here, word))
            return str_u64(out, str_before(str_after(here, ':'), ';'));
    }
    return -ENOENT;
}

int trace_field_find(struct trace_field *out, struct str format,
        const char *name)
{
    struct str line;

    while (str_line(&line, &format)) {
        struct str field = str_trim(line);
        struct trace_field f;

        if (!str_starts(field, "field:"))
            continue;

        struct str declared = str_before(str_after(field, ':'), ';');

        if (!str_is(str_after_last(declared, ' '), name))
            continue;
        if (number_after(&f.offset, field, "offset:") ||
                number_after(&f.size, field, "size:") || f.size < 1 ||
                f.size > 8 || f.offset > 65535)
            return -ENOENT;
        *out = f;
        return 0;
    }
    return -ENOENT;
}

/* Little end first, as on all machines that ONNX Runtime runs on. */
bool trace_field_get(uint64_t *out, struct str raw, struct trace_field f)
{
    uint64_t value = 0;

    if (f.offset > raw.len || raw.len - f.offset < f.size || f.size > 8)
        return false;
    for (size_t i = f.size; i-- > 0;)
        value = value << 8 | (unsigned char)raw.p[f.offset + i];
    *out = value;
    return true;
}
