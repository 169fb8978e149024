/* What the writer writes, the reader reads: header, counts, payloads. */
#include "etw/buffer.h"
#include "etw/bytes.h"
#include "etw/decode.h"
#include "made_trace.h"
#include "test.h"

static bool is_text(const struct etw_decoded *d, const char *name,
        const char *want)
{
    struct buf b = { 0 };
    const struct etw_value *v = etw_value(d, name);

    if (v)
        etw_value_text(&b, v);

    bool same = v && strcmp(buf_cstr(&b), want) == 0;

    buf_release(&b);
    return same;
}

static void put_nowhere(void *context, const void *bytes, size_t len)
{
    (void)bytes;
    *(size_t *)context += len;
}

static void header(void)
{
    struct etw_writing x = { .session = "s\xc3\xa4ss",
        .file = "f.etl",
        .start_wall_ns = MADE_WALL_NS,
        .duration_ns = 1000000000,
        .lanes = 2 };
    struct buf b = { 0 };
    size_t bytes = 0;
    struct etw_writer *w = etw_writer_new(&x, put_nowhere, &bytes);
    const struct etw_stamp s = { 1, 4, 5, 600 };

    etw_write_sample(w, &s, 1);
    x.buffers = etw_writer_end(w);
    CHECK_INT(x.buffers, 2);
    CHECK_INT(bytes, 2 * 65536);
    w = etw_writer_new(&x, made_put, &b);
    etw_write_sample(w, &s, 1);
    CHECK_INT(etw_writer_end(w), 2);
    CHECK_INT(b.len, bytes);

    struct etw_trace *t = made_open(&b, b.len);
    const struct etw_info *i = etw_trace_info(t);

    CHECK_INT(i->buffers_written, 2);
    CHECK_INT(i->pointer_bytes, 8);
    CHECK_INT(i->clock, ETW_QPC);
    CHECK_INT(i->frequency, 1000000000);
    CHECK(strcmp(buf_cstr(&i->session), "s\xc3\xa4ss") == 0);
    CHECK_INT(i->end_time - i->start_time, 10000000);
    (void)etw_trace_next(t);

    const struct etw_record *r = etw_trace_next(t);

    CHECK(r && etw_trace_ns(i, r->time) == 600);
    CHECK_INT(r ? r->processor : 9, 1);
    CHECK(!etw_trace_next(t));
    etw_trace_close(t);

    /* The last buffer says so, and what is not used is filled. */
    const unsigned char *last = (unsigned char *)b.p + 65536;

    CHECK_INT(get_u16(last + 0x34), 0x21);
    CHECK_INT(last[65535], 0xff);
    CHECK_INT(get_u32(last + 0x30), ETW_BUFFER_HEADER + 32);
    buf_release(&b);
}

static void lives(void)
{
    struct buf b = { 0 };
    struct etw_writer *w = made_writer(&b, 1);
    struct etw_stamp s = { 0, 42, 43, 10 };
    struct etw_decoded d;

    etw_write_process(w, &s, ETW_STOPS, 7, -3, "a.exe", "a.exe --x \xc3\xbc");
    etw_write_thread(w, &s, ETW_STARTS, "worker");
    etw_write_image(w, &s, "C:\\x.dll");
    etw_write_switch(w, &s, 1, 2, 5, 6);
    (void)etw_writer_end(w);

    struct etw_trace *t = made_open(&b, b.len);

    (void)etw_trace_next(t);
    CHECK(etw_decode(&d, etw_trace_next(t)));
    CHECK(strcmp(d.layout->name, "Process/Stop") == 0);
    CHECK_INT(etw_number(&d, "ProcessID", 0), 42);
    CHECK_INT(etw_number(&d, "ParentID", 0), 7);
    CHECK_INT((int64_t)etw_number(&d, "ExitStatus", 0), -3);
    CHECK(is_text(&d, "ImageFileName", "a.exe"));
    CHECK(is_text(&d, "CommandLine", "a.exe --x \xc3\xbc"));
    CHECK(etw_decode(&d, etw_trace_next(t)));
    CHECK_INT(etw_number(&d, "ThreadID", 0), 43);
    CHECK(is_text(&d, "ThreadName", "worker"));
    CHECK(etw_decode(&d, etw_trace_next(t)));
    CHECK(is_text(&d, "FileName", "C:\\x.dll"));
    CHECK_INT(etw_number(&d, "ProcessID", 0), 42);
    CHECK(etw_decode(&d, etw_trace_next(t)));
    CHECK_INT(etw_number(&d, "NewThreadID", 0), 1);
    CHECK_INT(etw_number(&d, "OldThreadState", 0), 5);
    CHECK_INT(etw_number(&d, "OldThreadWaitReason", 0), 6);
    etw_trace_close(t);
    buf_release(&b);
}

/* No record spans buffers, and none is lost between them. */
static void many(void)
{
    struct buf b = { 0 };
    const struct etw_record *r;
    uint64_t sum = 0;
    struct etw_writer *w = made_writer(&b, 2);

    for (uint32_t i = 0; i < 1009; i++) {
        struct etw_stamp s = { i % 2, i, 1, i };

        etw_write_process(w, &s, ETW_IS_THERE, 0, 0, "x", "y");
    }
    (void)etw_writer_end(w);

    struct etw_trace *t = made_open(&b, b.len);

    while ((r = etw_trace_next(t)))
        sum += r->pid;
    CHECK_INT(sum, 1008 * 1009 / 2);
    CHECK_INT(etw_trace_tally(t)->records, 1010);
    CHECK_INT(etw_trace_tally(t)->skipped_bytes, 0);
    etw_trace_close(t);
    buf_release(&b);
}

int main(void)
{
    header();
    lives();
    many();
    return test_result();
}
