#include "energy/emi.h"

#include "base/buf.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void add_u16(struct buf *b, unsigned v)
{
    buf_char(b, (char)v);
    buf_char(b, (char)(v >> 8));
}

static void add_u32(struct buf *b, uint32_t v)
{
    add_u16(b, v & 0xffff);
    add_u16(b, v >> 16);
}

static void add_u64(struct buf *b, uint64_t v)
{
    add_u32(b, (uint32_t)v);
    add_u32(b, (uint32_t)(v >> 32));
}

/* `chars` characters of UTF-16, filled up with zeros. */
static void add_text(struct buf *b, const char *ascii, size_t chars)
{
    size_t len = strlen(ascii);

    for (size_t i = 0; i < chars; i++)
        add_u16(b, i < len ? (unsigned char)ascii[i] : 0);
}

static void add_channel(struct buf *b, const char *name, uint32_t unit)
{
    add_u32(b, unit);
    add_u16(b, (unsigned)(strlen(name) + 1) * 2);
    add_text(b, name, strlen(name) + 1);
}

static void version_2(void)
{
    struct buf b = { 0 };
    struct emi_metadata m;

    add_text(&b, "Microsoft", 16);
    add_text(&b, "RAPL", 16);
    add_u16(&b, 3);
    add_u16(&b, 2);
    add_channel(&b, "RAPL_Package0_PKG", 0);
    add_channel(&b, "RAPL_Package0_DRAM", 0);
    CHECK_INT(emi_metadata(&m, 2, b.p, b.len), 0);
    CHECK_INT(m.channel_count, 2);
    CHECK_INT(m.revision, 3);
    CHECK(strcmp(m.maker, "Microsoft") == 0);
    CHECK(strcmp(m.channel[1].name, "RAPL_Package0_DRAM") == 0);
    /* Wherever it is cut, it is refused. */
    for (size_t len = 0; len < b.len; len++)
        CHECK_INT(emi_metadata(&m, 2, b.p, len), -EINVAL);
    CHECK_INT(emi_metadata(&m, 3, b.p, b.len), -EPROTO);
    b.p[68] = 1; /* another unit */
    CHECK_INT(emi_metadata(&m, 2, b.p, b.len), -ENOTSUP);
    b.p[67] = 1;
    CHECK_INT(emi_metadata(&m, 2, b.p, b.len), -E2BIG);
    buf_release(&b);
}

static void version_1(void)
{
    struct buf b = { 0 };
    struct emi_metadata m;

    add_u32(&b, 0);
    add_text(&b, "Maker", 16);
    add_text(&b, "Model", 16);
    add_u16(&b, 1);
    add_u16(&b, 8);
    add_u16(&b, 0x20ac); /* the euro, as UTF-8 in three bytes */
    add_text(&b, "SYS", 3);
    CHECK_INT(emi_metadata(&m, 1, b.p, b.len), 0);
    CHECK(strcmp(m.channel[0].name, "\xe2\x82\xacSYS") == 0);
    CHECK(strcmp(m.model, "Model") == 0);
    for (size_t len = 0; len < b.len; len++)
        CHECK_INT(emi_metadata(&m, 1, b.p, len), -EINVAL);
    buf_release(&b);
}

/* 1e12 pWh are 1 Wh: 3600 J, in 10 s: 360 W. */
static void measurement(void)
{
    struct buf b = { 0 };
    struct emi_measurement m[2];

    add_u64(&b, 0);
    add_u64(&b, 5);
    add_u64(&b, 1000000000000);
    add_u64(&b, 100000005);
    CHECK_INT(emi_measurements(m, 2, b.p, b.len), 0);
    CHECK(fabs(m[1].joules - 3600) < 1e-6);
    CHECK_INT(m[1].time_ns - m[0].time_ns, 10000000000);
    CHECK_INT(emi_measurements(m, 2, b.p, b.len - 1), -EINVAL);
    buf_release(&b);
}

static void parts(void)
{
    bool inside = false;

    CHECK_INT(emi_part("RAPL_Package0_PKG", &inside), ZONE_CPU);
    CHECK(!inside);
    CHECK_INT(emi_part("RAPL_Package0_PP0", &inside), ZONE_CPU);
    CHECK(inside);
    CHECK_INT(emi_part("RAPL_Package0_Core3_CORE", &inside), ZONE_CPU);
    CHECK(inside);
    CHECK_INT(emi_part("RAPL_Package0_PP1", &inside), ZONE_GPU);
    CHECK_INT(emi_part("RAPL_Package1_DRAM", &inside), ZONE_DRAM);
    CHECK(!inside);
    CHECK_INT(emi_part("SYS", &inside), ZONE_WHOLE);
    CHECK_INT(emi_part("PSU_USB", &inside), ZONE_OTHER);
}

int main(void)
{
    version_1();
    version_2();
    measurement();
    parts();
    return test_result();
}
