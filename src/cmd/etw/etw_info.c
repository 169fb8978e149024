/* etw_info.c -- what a trace is, and how many records of each kind it has. */
#include "cmd/cli/output.h"
#include "cmd/etw/etw_views.h"
#include "etw/counts.h"
#include "etw/decode.h"
#include "export/json/summary_json.h"

#include <inttypes.h>
#include <stdio.h>

static void info_json(struct json *j, const struct etw_info *i)
{
    char os[32];

    (void)snprintf(os, sizeof(os), "%u.%u.%" PRIu32, i->os_major, i->os_minor,
            i->os_build);
    json_str(j, "session", buf_str(&i->session));
    json_str(j, "log_file", buf_str(&i->file));
    json_text(j, "windows", os);
    json_u64(j, "processors", i->processors);
    json_u64(j, "pointer_bytes", i->pointer_bytes);
    json_u64(j, "buffer_bytes", i->buffer_bytes);
    json_u64(j, "buffers_written", i->buffers_written);
    json_text(j, "clock",
            i->clock == ETW_SYSTEM_TIME ? "system_time"
            : i->clock == ETW_CYCLES    ? "cycles"
                                        : "qpc");
    json_u64(j, "clock_hertz", i->frequency);
    json_text(j, "compression",
            !i->compression       ? "none"
            : i->compression == 2 ? "lznt1"
            : i->compression == 3 ? "xpress"
            : i->compression == 4 ? "xpress_huffman"
                                  : "unknown");
    if (etw_trace_wall_ns(i))
        etw_filetime_json(j, "started", (uint64_t)i->start_time);
    if (i->end_time > i->start_time && i->start_time)
        etw_filetime_json(j, "ended", (uint64_t)i->end_time);
}

static void tally_json(struct json *j, const struct etw_trace *t)
{
    const struct etw_tally *y = etw_trace_tally(t);
    const struct etw_info *i = etw_trace_info(t);

    json_u64(j, "bytes", y->bytes);
    json_u64(j, "buffers", y->buffers);
    json_u64(j, "records", y->records);
    json_u64(j, "messages", y->messages);
    json_u64(j, "events_lost", i->events_lost);
    json_u64(j, "buffers_lost", i->buffers_lost);
    json_u64(j, "damaged_buffers", y->damaged_buffers);
    json_u64(j, "bytes_skipped", y->skipped_bytes);
    json_u64(j, "bytes_cut", y->cut_bytes);
}

static void counts_json(struct json *j, const struct etw_counts *c)
{
    json_object(j, "counts");
    for (size_t i = 0; i < c->used; i++) {
        struct buf key = { 0 };

        etw_count_key(&key, &c->slots[i]);
        json_u64(j, buf_cstr(&key), c->slots[i].count);
        buf_release(&key);
    }
    json_end(j);
}

static void print_json(struct buf *out, struct etw_trace *t,
        const struct etw_counts *c, const char *path, int64_t last_ns)
{
    struct json j = json_into(out);
    struct buf missing = { 0 };

    json_object(&j, NULL);
    json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_text(&j, "file", path);
    info_json(&j, etw_trace_info(t));
    json_int(&j, "duration_ns", last_ns);
    tally_json(&j, t);
    etw_trace_missing(&missing, t);
    json_bool(&j, "complete", !missing.len);
    if (missing.len)
        json_str(&j, "missing", str_trim(buf_str(&missing)));
    counts_json(&j, c);
    json_end(&j);
    buf_char(out, '\n');
    buf_release(&missing);
}

static void print_text(struct buf *out, struct etw_trace *t,
        const struct etw_counts *c, const char *path, int64_t last_ns)
{
    const struct etw_info *i = etw_trace_info(t);
    const struct etw_tally *y = etw_trace_tally(t);
    struct buf missing = { 0 };

    buf_printf(out,
            "%s: %" PRIu64 " records in %" PRIu64 " buffers, %.3f s\n"
            "session '%s', Windows %u.%u.%" PRIu32 ", %" PRIu32
            " processors, %" PRIu32 "-bit\n",
            path, y->records, y->buffers, (double)last_ns / 1e9,
            buf_cstr(&i->session), i->os_major, i->os_minor, i->os_build,
            i->processors, i->pointer_bytes * 8);
    etw_trace_missing(&missing, t);
    if (missing.len)
        buf_printf(out, "%s\n", buf_cstr(&missing));
    buf_char(out, '\n');
    for (size_t n = 0; n < c->used; n++) {
        struct buf key = { 0 };

        etw_count_key(&key, &c->slots[n]);
        buf_printf(out, "%12" PRIu64 "  %s\n", c->slots[n].count,
                buf_cstr(&key));
        buf_release(&key);
    }
    buf_release(&missing);
}

int etw_show_info(const struct etw_settings *s, struct etw_trace *t,
        const char *path, struct error *e)
{
    const struct etw_info *info = etw_trace_info(t);
    const struct etw_record *r;
    struct etw_counts counts = { 0 };
    struct buf out = { 0 };
    int64_t last = info->first_time;

    while ((r = etw_trace_next(t))) {
        last = r->time;
        if (etw_filter_passes(&s->filter, r, info))
            etw_counts_add(&counts, r);
    }
    etw_counts_sort(&counts);
    if (s->json)
        print_json(&out, t, &counts, path, etw_trace_ns(info, last));
    else
        print_text(&out, t, &counts, path, etw_trace_ns(info, last));

    int rc = output_write(s->out, buf_str(&out), e);

    buf_release(&out);
    etw_counts_release(&counts);
    return rc;
}
