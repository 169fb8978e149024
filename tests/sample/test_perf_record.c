/* Records as the kernel lays them out, cut and broken ones, and the formats of
 * tracepoints. */
#include "sample/perf/perf_record.h"

#include "base/buf.h"
#include "test.h"

#include <errno.h>
#include <string.h>

static void add_u32(struct buf *b, uint32_t n)
{
    buf_add(b, &n, sizeof(n));
}

static void add_u64(struct buf *b, uint64_t n)
{
    buf_add(b, &n, sizeof(n));
}

static void add_head(struct buf *b, uint32_t type, uint32_t misc, uint32_t size)
{
    add_u32(b, type);
    add_u32(b, misc | size << 16);
}

static void add_switch(struct buf *b, uint32_t misc)
{
    add_head(b, 14, misc, 40);
    add_u32(b, 7);
    add_u32(b, 8);
    add_u64(b, 123456);
    add_u32(b, 3);
    add_u32(b, 0);
    add_u64(b, 99);
}

static void add_sample(struct buf *b)
{
    add_head(b, 9, 1, 56 + 4 + 12);
    add_u64(b, 55);
    add_u32(b, 7);
    add_u32(b, 8);
    add_u64(b, 1000);
    add_u64(b, 0xabcdef);
    add_u32(b, 1);
    add_u32(b, 0);
    add_u32(b, 12);
    buf_add(b, "\1\2\3\4\5\6\7\10\11\12\13\14", 12);
    add_u64(b, 0);
}

static void records(void)
{
    struct buf b = { 0 };
    struct perf_record r;
    struct str rest;

    add_switch(&b, 1 << 13 | 1 << 14);
    add_sample(&b);
    add_head(&b, 2, 0, 24);
    add_u64(&b, 55);
    add_u64(&b, 17);
    add_head(&b, 77, 0, 8);
    rest = buf_str(&b);
    CHECK(perf_record_next(&r, &rest));
    CHECK_INT(r.kind, PERF_RECORDED_SWITCH);
    CHECK(r.out && r.preempted);
    CHECK_INT(r.pid, 7);
    CHECK_INT(r.tid, 8);
    CHECK_INT(r.time_ns, 123456);
    CHECK_INT(r.cpu, 3);
    CHECK_INT(r.id, 99);
    CHECK(perf_record_next(&r, &rest));
    CHECK_INT(r.kind, PERF_RECORDED_SAMPLE);
    CHECK_INT(r.id, 55);
    CHECK_INT(r.address, 0xabcdef);
    CHECK_INT(r.raw.len, 12);
    CHECK(perf_record_next(&r, &rest));
    CHECK_INT(r.kind, PERF_RECORDED_LOSS);
    CHECK_INT(r.lost, 17);
    CHECK(perf_record_next(&r, &rest));
    CHECK_INT(r.kind, PERF_RECORDED_OTHER);
    CHECK_INT(rest.len, 0);
    CHECK(!perf_record_next(&r, &rest));
    buf_release(&b);
}

static void cuts(void)
{
    struct buf b = { 0 };
    struct perf_record r;

    add_switch(&b, 0);
    for (size_t len = 0; len < b.len; len++) {
        struct str rest = { b.p, len };

        CHECK(!perf_record_next(&r, &rest));
        CHECK_INT(rest.len, len);
    }
    buf_clear(&b);
    add_head(&b, 14, 0, 7); /* shorter than its head */
    CHECK(!perf_record_next(&r, &(struct str){ b.p, b.len }));
    buf_clear(&b);
    add_head(&b, 9, 0, 16); /* too short for a sample */
    add_u64(&b, 1);
    CHECK(!perf_record_next(&r, &(struct str){ b.p, b.len }));
    buf_release(&b);
}

static void formats(void)
{
    static const char text[] =
            "name: block_rq_issue\nID: 1203\nformat:\n"
            "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\t"
            "signed:0;\n\n"
            "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
            "\tfield:unsigned int bytes;\toffset:4;\tsize:4;\tsigned:0;\n"
            "\tfield:char comm[16];\toffset:46;\tsize:16;\tsigned:0;\n"
            "\tfield:int bad;\toffset:x;\tsize:4;\tsigned:0;\n";
    struct str raw = { "\1\2\3\4\5\6\7\10", 8 };
    struct trace_field f = { 0 };
    uint64_t n = 0;

    CHECK_INT(trace_field_find(&f, str_of(text), "bytes"), 0);
    CHECK_INT(f.offset, 4);
    CHECK_INT(f.size, 4);
    CHECK(trace_field_get(&n, raw, f));
    CHECK_INT(n, 0x08070605);
    raw.len = 7;
    CHECK(!trace_field_get(&n, raw, f));
    CHECK_INT(trace_field_find(&f, str_of(text), "byte"), -ENOENT);
    CHECK_INT(trace_field_find(&f, str_of(text), "comm[16]"), -ENOENT);
    CHECK_INT(trace_field_find(&f, str_of(text), "bad"), -ENOENT);
    CHECK_INT(trace_field_find(&f, str_of(""), "bytes"), -ENOENT);
}

int main(void)
{
    records();
    cuts();
    formats();
    return test_result();
}
