/* Every layout of gpu_metrics, made here by the kernel's own offsets. */
#include "sample/device/gpu_metrics.h"

#include "base/compiler.h"
#include "driven.h"

#include <errno.h>

static unsigned char file[4096];

static void put(size_t offset, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        file[offset + i] = (unsigned char)(value >> 8 * i);
}

/* All fields not available, as the driver begins. */
static void begin(unsigned format, unsigned content, size_t size)
{
    memset(file, 0xff, sizeof(file));
    put(0, 2, size);
    put(2, 1, format);
    put(3, 1, content);
}

static int parse(struct gpu_metrics *m, size_t len)
{
    return gpu_metrics_parse(m, (struct str){ (const char *)file, len });
}

static const struct {
    unsigned format, content;
    size_t size, power, gfx_clock;
    unsigned power_bytes;
    double watts; /* of one */
} layouts[] = {
    { 1, 0, 80, 34, 54, 2, 1 },
    { 1, 1, 96, 22, 54, 2, 1 },
    { 1, 2, 104, 22, 54, 2, 1 },
    { 1, 3, 120, 22, 54, 2, 1 },
    { 1, 4, 288, 10, 240, 2, 1 },
    { 1, 5, 360, 10, 312, 2, 1 },
    { 1, 6, 1664, 10, 264, 2, 1 },
    { 1, 7, 2208, 10, 296, 2, 1 },
    { 1, 8, 3872, 10, 296, 2, 1 },
    { 2, 0, 120, 44, 80, 2, 1e-3 },
    { 2, 1, 120, 40, 76, 2, 1e-3 },
    { 2, 2, 128, 40, 76, 2, 1e-3 },
    { 2, 3, 152, 40, 76, 2, 1e-3 },
    { 2, 4, 168, 40, 76, 2, 1e-3 },
    { 3, 0, 264, 112, 174, 4, 1e-3 },
};

static void every_layout(void)
{
    for (size_t i = 0; i < LEN(layouts); i++) {
        struct gpu_metrics m;

        begin(layouts[i].format, layouts[i].content, layouts[i].size);
        CHECK_INT(parse(&m, layouts[i].size), 0);
        for (size_t v = 0; v < GPU_METRICS_VALUES; v++) {
            CHECK(isnan(m.value[v]));
            CHECK(gpu_metrics_name((enum gpu_metrics_value)v));
        }
        CHECK(!m.has_throttle);
        put(layouts[i].power, layouts[i].power_bytes, 173);
        put(layouts[i].gfx_clock, 2, 2503);
        CHECK_INT(parse(&m, layouts[i].size), 0);
        CHECK_REAL(m.value[GPU_METRICS_SOCKET_WATTS], 173 * layouts[i].watts);
        CHECK_REAL(m.value[GPU_METRICS_GFX_HERTZ], 2503e6);
        CHECK_INT(m.powers_unsure,
                layouts[i].format == 2 && layouts[i].content == 2);
        /* Cut short; longer is another version of the same. */
        CHECK_INT(parse(&m, layouts[i].size - 1), -EINVAL);
        CHECK_INT(parse(&m, layouts[i].size + 8), 0);
        put(0, 2, layouts[i].size - 1);
        CHECK_INT(parse(&m, layouts[i].size), -EINVAL);
    }
}

static void units(void)
{
    struct gpu_metrics m;

    begin(1, 3, 120);
    put(4, 2, 41);        /* edge */
    put(16, 2, 87);       /* gfx activity, % */
    put(24, 8, 1u << 20); /* energy: its unit is not known on these */
    put(40, 2, 1100);     /* mean clock, since the current one is not told */
    put(112, 8, 1ull << 36 | 1);
    CHECK_INT(parse(&m, 120), 0);
    CHECK_REAL(m.value[GPU_METRICS_EDGE_CELSIUS], 41);
    CHECK_REAL(m.value[GPU_METRICS_GFX_RATIO], 0.87);
    CHECK_REAL(m.value[GPU_METRICS_GFX_HERTZ], 1100e6);
    CHECK_ABSENT(m.value[GPU_METRICS_ENERGY_JOULES]);
    CHECK(m.has_throttle && (m.throttle & GPU_METRICS_THROTTLE_THERMAL) &&
            (m.throttle & GPU_METRICS_THROTTLE_POWER));

    begin(1, 4, 288);
    put(24, 8, 65536ull * 5000); /* 2^-16 J each */
    put(240, 2, 1000);
    put(242, 2, 2100); /* another die, which runs faster */
    CHECK_INT(parse(&m, 288), 0);
    CHECK_REAL(m.value[GPU_METRICS_ENERGY_JOULES], 5000);
    CHECK_REAL(m.value[GPU_METRICS_GFX_HERTZ], 2100e6);

    begin(2, 1, 120);
    put(4, 2, 2500);  /* 0.01 degrees */
    put(28, 2, 4200); /* 0.01 % */
    CHECK_INT(parse(&m, 120), 0);
    CHECK_REAL(m.value[GPU_METRICS_EDGE_CELSIUS], 25);
    CHECK_REAL(m.value[GPU_METRICS_GFX_RATIO], 0.42);

    begin(3, 0, 264);
    for (unsigned i = 0; i < 8; i++)
        put(46 + 2 * i, 2, i < 4 ? 100 : 0);
    put(98, 2, 650);
    put(116, 2, 1875);
    put(180, 2, 1800);
    CHECK_INT(parse(&m, 264), 0);
    CHECK_REAL(m.value[GPU_METRICS_NPU_RATIO], 0.5);
    CHECK_REAL(m.value[GPU_METRICS_NPU_READ_BYTES_PER_S], 650e6);
    CHECK_REAL(m.value[GPU_METRICS_NPU_WATTS], 1.875);
    CHECK_REAL(m.value[GPU_METRICS_NPU_HERTZ], 1800e6);
}

static size_t attribute(size_t at, unsigned id, unsigned type, unsigned count)
{
    put(at, 8, (uint64_t)type << 20 | (uint64_t)id << 10 | count);
    return at + 8;
}

/* 1.9 says of every attribute what it is. */
static void attributes(void)
{
    struct gpu_metrics m;
    size_t at = 8;

    begin(1, 9, 0);
    put(4, 4, 4);
    at = attribute(at, 3, 2, 1); /* socket power, u16 */
    put(at, 2, 512);
    at = attribute(at + 2, 777, 6, 3); /* nobody knows it: 3 of u64 */
    at = attribute(at + 24, 7, 6, 1);  /* energy, u64 */
    put(at, 8, 65536ull * 12);
    at = attribute(at + 8, 33, 2, 8); /* clocks: one of eight is told */
    put(at + 4, 2, 1900);
    at += 16;
    CHECK_INT(parse(&m, at), 0);
    CHECK_REAL(m.value[GPU_METRICS_SOCKET_WATTS], 512);
    CHECK_REAL(m.value[GPU_METRICS_ENERGY_JOULES], 12);
    CHECK_REAL(m.value[GPU_METRICS_GFX_HERTZ], 1900e6);
    for (size_t len = 0; len < at; len++)
        CHECK_INT(parse(&m, len), -EINVAL);
    put(4, 4, 5); /* one more than there is */
    CHECK_INT(parse(&m, at), -EINVAL);
    (void)attribute(8, 3, 9, 1); /* no such type */
    CHECK_INT(parse(&m, at), -EINVAL);
}

static void unknown(void)
{
    static const unsigned char versions[][2] = { { 0, 0 }, { 1, 10 }, { 2, 5 },
        { 3, 1 }, { 4, 0 }, { 255, 255 } };
    struct gpu_metrics m;

    for (size_t i = 0; i < LEN(versions); i++) {
        begin(versions[i][0], versions[i][1], 4096);
        CHECK_INT(parse(&m, sizeof(file)), -EINVAL);
    }
}

int main(void)
{
    every_layout();
    units();
    attributes();
    unknown();
    return test_result();
}
