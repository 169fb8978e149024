/* Record headers of every kind, from bytes laid out by hand. */
#include "etw/bytes.h"
#include "etw/record.h"
#include "test.h"

#include <errno.h>

static unsigned char bytes[256];

static void head(unsigned first, unsigned type, unsigned family)
{
    memset(bytes, 0, sizeof(bytes));
    put_u16(bytes, (uint16_t)first);
    bytes[2] = (unsigned char)type;
    bytes[3] = (unsigned char)family;
}

static void kernel(void)
{
    struct etw_record r;

    head(2, ETW_SYSTEM64, 0xc0);
    put_u16(bytes + 4, 0x20 + 5);
    bytes[6] = 36;
    bytes[7] = 5;
    put_u32(bytes + 8, 77);
    put_u32(bytes + 12, 88);
    put_u64(bytes + 16, 123456789);
    put_u32(bytes + 0x18, 3);
    CHECK_INT(etw_record_parse(&r, bytes, 64), 0x28);
    CHECK_INT(r.kind, ETW_KERNEL);
    CHECK_INT(r.opcode, 36);
    CHECK_INT(r.group, 5);
    CHECK_INT(r.tid, 77);
    CHECK_INT(r.pid, 88);
    CHECK_INT(r.time, 123456789);
    CHECK_INT(r.kernel_ticks, 3);
    CHECK_INT(r.len, 5);
    CHECK_INT(r.pointer_bytes, 8);

    bytes[2] = ETW_COMPACT32;
    CHECK_INT(etw_record_parse(&r, bytes, 64), 0x28);
    CHECK_INT(r.len, 0x20 + 5 - 0x18);
    CHECK_INT(r.pointer_bytes, 4);
    CHECK_INT(r.kernel_ticks, 0);
}

static void perfinfo(void)
{
    struct etw_record r;

    head(0x8302, ETW_PERFINFO64, 0xc0); /* 3 counters behind an index */
    put_u16(bytes + 4, 0x10 + 8 + 24 + 16);
    put_u64(bytes + 8, 42);
    put_u64(bytes + 0x18, 1111);
    CHECK_INT(etw_record_parse(&r, bytes, 256), 0x10 + 8 + 24 + 16);
    CHECK_INT(r.version, 2);
    CHECK_INT(r.time, 42);
    CHECK_INT(r.counter_count, 3);
    CHECK_INT(get_u64(r.counters), 1111);
    CHECK_INT(r.len, 16);
    CHECK_INT(r.pid, ETW_NO_ID);
    put_u16(bytes + 4, 0x10 + 8); /* no room for the counters */
    CHECK_INT(etw_record_parse(&r, bytes, 256), -EINVAL);
}

static void classic(void)
{
    struct etw_record r;

    head(0x30 + 4, ETW_FULL32, 0xc0);
    bytes[4] = 3;
    put_u16(bytes + 6, 2);
    bytes[0x18] = 0xab;
    CHECK_INT(etw_record_parse(&r, bytes, 256), 0x38);
    CHECK_INT(r.kind, ETW_CLASSIC);
    CHECK_INT(r.opcode, 3);
    CHECK_INT(r.version, 2);
    CHECK_INT(r.guid[0], 0xab);
    CHECK_INT(r.len, 4);

    head(0x48 + 4, ETW_INSTANCE64, 0xc0);
    CHECK_INT(etw_record_parse(&r, bytes, 256), 0x50);
    CHECK_INT(r.len, 4);
}

static void event(void)
{
    struct etw_record r;
    const unsigned char *data;
    size_t len;

    head(0x50 + 24 + 6, ETW_EVENT64, 0xc0);
    put_u16(bytes + 4, 1);
    put_u16(bytes + 0x28, 154);
    bytes[0x2a] = 2;
    put_u16(bytes + 0x50, 16); /* an item, and another */
    put_u16(bytes + 0x52, ETW_EXT_TRAITS);
    put_u16(bytes + 0x54, 1);
    put_u16(bytes + 0x56, 5);
    put_u16(bytes + 0x60, 8);
    put_u16(bytes + 0x62, ETW_EXT_SCHEMA);
    CHECK_INT(etw_record_parse(&r, bytes, 256), 0x50 + 24 + 8);
    CHECK_INT(r.id, 154);
    CHECK_INT(r.version, 2);
    CHECK_INT(r.len, 6);
    CHECK(etw_extended(&r, ETW_EXT_TRAITS, &data, &len));
    CHECK_INT(len, 5);
    CHECK(etw_extended(&r, ETW_EXT_SCHEMA, &data, &len));
    CHECK_INT(len, 0);
    CHECK(!etw_extended(&r, ETW_EXT_STACK64, &data, &len));
    put_u16(bytes + 0x64, 1); /* one more, which is not there */
    CHECK_INT(etw_record_parse(&r, bytes, 0x50 + 24 + 8), -EINVAL);
    put_u16(bytes + 0x64, 0);
    put_u16(bytes + 0x56, 200); /* data beyond the item */
    CHECK_INT(etw_record_parse(&r, bytes, 256), -EINVAL);
}

static void message(void)
{
    struct etw_record r;

    head(8 + 4 + 16 + 8 + 8 + 3, 0, 0x90);
    put_u16(bytes + 4, 21);
    put_u16(bytes + 6, 1 | 2 | 8 | 0x20);
    put_u64(bytes + 8 + 4 + 16, 99);
    put_u32(bytes + 8 + 4 + 16 + 8, 5);
    CHECK_INT(etw_record_parse(&r, bytes, 256), 48);
    CHECK_INT(r.kind, ETW_WPP);
    CHECK_INT(r.header, ETW_MESSAGE);
    CHECK_INT(r.id, 21);
    CHECK_INT(r.time, 99);
    CHECK_INT(r.tid, 5);
    CHECK_INT(r.len, 3);
}

static void ends(void)
{
    struct etw_record r;

    memset(bytes, 0xff, sizeof(bytes));
    CHECK_INT(etw_record_parse(&r, bytes, 256), 0);
    memset(bytes, 0, sizeof(bytes));
    CHECK_INT(etw_record_parse(&r, bytes, 256), 0);
    CHECK_INT(etw_record_parse(&r, bytes, 7), 0);
    head(2, ETW_SYSTEM64, 0xc0);
    put_u16(bytes + 4, 0x1f); /* shorter than its header */
    CHECK_INT(etw_record_parse(&r, bytes, 256), -EINVAL);
    put_u16(bytes + 4, 0x40); /* longer than what is there */
    CHECK_INT(etw_record_parse(&r, bytes, 0x38), -EINVAL);
    head(0x40, 0x55, 0xc0);
    CHECK_INT(etw_record_parse(&r, bytes, 256), -EINVAL);
    head(0x40, ETW_FULL64, 0x40);
    CHECK_INT(etw_record_parse(&r, bytes, 256), -EINVAL);
}

int main(void)
{
    kernel();
    perfinfo();
    classic();
    event();
    message();
    ends();
    return test_result();
}
