/* gpu_metrics.c -- every layout is a table of rows: which value, where, how
 * wide, in which unit.  A field that is all ones is not available. */
#include "sample/device/gpu_metrics.h"

#include "base/compiler.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define CENTI 0.01
#define MILLI 0.001
#define MEGA  1e6
#define GIGA  1e9

/* What energy_accumulator counts in, on the Instinct cards; elsewhere its unit
 * is not known. */
#define ENERGY_UNIT_JOULES (1.0 / 65536)

enum choice { FIRST, HIGHEST, MEAN };

struct row {
    enum gpu_metrics_value value;
    uint16_t offset;
    uint8_t bytes; /* of one number */
    double unit;
    uint8_t count; /* of numbers */
    enum choice choice;
};

struct layout {
    uint8_t format, content;
    uint16_t size; /* at least */
    const struct row *rows;
    size_t count;
    uint16_t throttle; /* where its 64 bits are; 0: it has none */
};

#define V(name) GPU_METRICS_##name
#define ONE(name, offset, bytes, unit)         \
    {                                          \
        V(name), offset, bytes, unit, 1, FIRST \
    }
#define SOME(name, offset, bytes, unit, count, choice) \
    {                                                  \
        V(name), offset, bytes, unit, count, choice    \
    }

/* clang-format off */
#define TEMPERATURES_1(edge, hotspot, memory) \
    ONE(EDGE_CELSIUS, edge, 2, 1), \
    ONE(HOTSPOT_CELSIUS, hotspot, 2, 1), \
    ONE(MEMORY_CELSIUS, memory, 2, 1)
#define ACTIVITY_1(gfx, memory) \
    ONE(GFX_RATIO, gfx, 2, CENTI), \
    ONE(MEMORY_RATIO, memory, 2, CENTI)
/* The clocks of now, and where these are not told, the mean ones. */
#define CLOCKS_1 \
    ONE(GFX_HERTZ, 54, 2, MEGA), \
    ONE(SOC_HERTZ, 56, 2, MEGA), \
    ONE(MEMORY_HERTZ, 58, 2, MEGA), \
    ONE(GFX_HERTZ, 40, 2, MEGA), \
    ONE(SOC_HERTZ, 42, 2, MEGA), \
    ONE(MEMORY_HERTZ, 44, 2, MEGA)

static const struct row rows_1_0[] = {
    TEMPERATURES_1(16, 18, 20),
    ACTIVITY_1(28, 30),
    ONE(MEDIA_RATIO, 32, 2, CENTI),
    ONE(SOCKET_WATTS, 34, 2, 1),
    CLOCKS_1,
};

static const struct row rows_1_1[] = {
    TEMPERATURES_1(4, 6, 8),
    ACTIVITY_1(16, 18),
    ONE(MEDIA_RATIO, 20, 2, CENTI),
    ONE(SOCKET_WATTS, 22, 2, 1),
    CLOCKS_1,
};

/* Instinct cards: no edge, several compute dies. */
#define INSTINCT(energy, gfxclk, socclk, uclk, pcie) \
    ONE(HOTSPOT_CELSIUS, 4, 2, 1), \
    ONE(MEMORY_CELSIUS, 6, 2, 1), \
    ONE(SOC_CELSIUS, 8, 2, 1), \
    ONE(SOCKET_WATTS, 10, 2, 1), \
    ACTIVITY_1(12, 14), \
    ONE(ENERGY_JOULES, energy, 8, ENERGY_UNIT_JOULES), \
    SOME(GFX_HERTZ, gfxclk, 2, MEGA, 8, HIGHEST), \
    SOME(SOC_HERTZ, socclk, 2, MEGA, 4, HIGHEST), \
    ONE(MEMORY_HERTZ, uclk, 2, MEGA), \
    ONE(PCIE_BYTES_PER_S, pcie, 8, GIGA)

static const struct row rows_1_4[] = {
    INSTINCT(24, 240, 256, 280, 72),
    SOME(MEDIA_RATIO, 16, 2, CENTI, 4, HIGHEST),
};

static const struct row rows_1_5[] = {
    INSTINCT(88, 312, 328, 352, 136),
    SOME(MEDIA_RATIO, 16, 2, CENTI, 4, HIGHEST),
};

static const struct row rows_1_6[] = { INSTINCT(16, 264, 280, 304, 88) };
static const struct row rows_1_7[] = { INSTINCT(24, 296, 312, 336, 96) };

/* `t`: where the temperatures begin, `a`: activity, `p`: power, `m`: the mean
 * clocks, `c`: the clocks of now. */
#define PROCESSOR(t, a, p, m, c) \
    ONE(EDGE_CELSIUS, t, 2, CENTI), \
    ONE(SOC_CELSIUS, (t) + 2, 2, CENTI), \
    SOME(CORE_CELSIUS, (t) + 4, 2, CENTI, 8, HIGHEST), \
    ONE(GFX_RATIO, a, 2, CENTI * CENTI), \
    ONE(MEDIA_RATIO, (a) + 2, 2, CENTI * CENTI), \
    ONE(SOCKET_WATTS, p, 2, MILLI), \
    ONE(CPU_WATTS, (p) + 2, 2, MILLI), \
    ONE(SOC_WATTS, (p) + 4, 2, MILLI), \
    ONE(GFX_WATTS, (p) + 6, 2, MILLI), \
    ONE(GFX_HERTZ, c, 2, MEGA), \
    ONE(SOC_HERTZ, (c) + 2, 2, MEGA), \
    ONE(MEMORY_HERTZ, (c) + 4, 2, MEGA), \
    ONE(GFX_HERTZ, m, 2, MEGA), \
    ONE(SOC_HERTZ, (m) + 2, 2, MEGA), \
    ONE(MEMORY_HERTZ, (m) + 4, 2, MEGA)

static const struct row rows_2_0[] = { PROCESSOR(16, 40, 44, 68, 80) };
static const struct row rows_2_1[] = { PROCESSOR(4, 28, 40, 64, 76) };

/* average_sys_power at 168 is left out: it was seen to be beyond belief. */
static const struct row rows_3_0[] = {
    ONE(EDGE_CELSIUS, 4, 2, CENTI),
    ONE(SOC_CELSIUS, 6, 2, CENTI),
    SOME(CORE_CELSIUS, 8, 2, CENTI, 16, HIGHEST),
    ONE(SKIN_CELSIUS, 40, 2, CENTI),
    ONE(GFX_RATIO, 42, 2, CENTI),
    ONE(MEDIA_RATIO, 44, 2, CENTI),
    SOME(NPU_RATIO, 46, 2, CENTI, 8, MEAN),
    ONE(NPU_READ_BYTES_PER_S, 98, 2, MEGA),
    ONE(NPU_WRITTEN_BYTES_PER_S, 100, 2, MEGA),
    ONE(SOCKET_WATTS, 112, 4, MILLI),
    ONE(NPU_WATTS, 116, 2, MILLI),
    ONE(APU_WATTS, 120, 4, MILLI),
    ONE(GFX_WATTS, 124, 4, MILLI),
    ONE(CPU_WATTS, 132, 4, MILLI),
    ONE(GFX_HERTZ, 174, 2, MEGA),
    ONE(SOC_HERTZ, 176, 2, MEGA),
    ONE(NPU_HERTZ, 180, 2, MEGA),
    ONE(MEMORY_HERTZ, 186, 2, MEGA),
};

#define ROWS(name) name, LEN(name)

static const struct layout layouts[] = {
    { 1, 0, 80, ROWS(rows_1_0), 0 },
    { 1, 1, 96, ROWS(rows_1_1), 0 },
    { 1, 2, 104, ROWS(rows_1_1), 0 },
    { 1, 3, 120, ROWS(rows_1_1), 112 },
    { 1, 4, 288, ROWS(rows_1_4), 0 },
    { 1, 5, 360, ROWS(rows_1_5), 0 },
    { 1, 6, 1664, ROWS(rows_1_6), 0 },
    { 1, 7, 2208, ROWS(rows_1_7), 0 },
    { 1, 8, 3872, ROWS(rows_1_7), 0 },
    { 2, 0, 120, ROWS(rows_2_0), 0 },
    { 2, 1, 120, ROWS(rows_2_1), 0 },
    { 2, 2, 128, ROWS(rows_2_1), 120 },
    { 2, 3, 152, ROWS(rows_2_1), 120 },
    { 2, 4, 168, ROWS(rows_2_1), 120 },
    { 3, 0, 264, ROWS(rows_3_0), 0 },
};
/* clang-format on */

/* --- numbers -------------------------------------------------------------- */

static uint64_t number(const char *p, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | (unsigned char)p[i];
    return value;
}

/* NAN: all ones, which says that it is not available. */
static double available(const char *p, unsigned bytes)
{
    unsigned ones = 0;

    for (unsigned i = 0; i < bytes; i++)
        ones += (unsigned char)p[i] == 0xff;
    return ones == bytes ? NAN : (double)number(p, bytes);
}

/* One value of several numbers; those that are not available do not count. */
static double choose(const char *p, unsigned bytes, unsigned count,
        enum choice choice)
{
    double first = NAN, highest = NAN, sum = 0;
    unsigned there = 0;

    for (unsigned i = 0; i < count; i++) {
        double value = available(p + (size_t)i * bytes, bytes);

        if (isnan(value))
            continue;
        first = there ? first : value;
        highest = there ? fmax(highest, value) : value;
        sum += value;
        there++;
    }
    if (!there)
        return NAN;
    return choice == FIRST ? first : choice == HIGHEST ? highest : sum / there;
}

/* --- 1.9: a row of attributes, each of which says what it is ---------------
 */

static const unsigned attribute_bytes[] = { 1, 1, 2, 2, 4, 4, 8, 8 };

static const struct {
    uint16_t id;
    enum gpu_metrics_value value;
    double unit;
} attributes[] = {
    { 0, V(HOTSPOT_CELSIUS), 1 },
    { 1, V(MEMORY_CELSIUS), 1 },
    { 2, V(SOC_CELSIUS), 1 },
    { 3, V(SOCKET_WATTS), 1 },
    { 4, V(GFX_RATIO), CENTI },
    { 5, V(MEMORY_RATIO), CENTI },
    { 7, V(ENERGY_JOULES), ENERGY_UNIT_JOULES },
    { 23, V(PCIE_BYTES_PER_S), GIGA },
    { 33, V(GFX_HERTZ), MEGA },
    { 34, V(SOC_HERTZ), MEGA },
    { 37, V(MEMORY_HERTZ), MEGA },
};

static void take_attribute(struct gpu_metrics *m, unsigned id, const char *p,
        unsigned bytes, unsigned count)
{
    for (size_t i = 0; i < LEN(attributes); i++)
        if (attributes[i].id == id)
            m->value[attributes[i].value] =
                    choose(p, bytes, count, HIGHEST) * attributes[i].unit;
}

static int parse_attributes(struct gpu_metrics *m, struct str file)
{
    if (file.len < 8)
        return -EINVAL;

    uint64_t left = number(file.p + 4, 4);
    struct str rest = { file.p + 8, file.len - 8 };

    for (; left; left--) {
        if (rest.len < 8)
            return -EINVAL;

        uint64_t encoding = number(rest.p, 8);
        unsigned type = encoding >> 20 & 15;
        unsigned id = encoding >> 10 & 1023;
        unsigned count = encoding & 1023;

        if (type >= LEN(attribute_bytes))
            return -EINVAL;

        size_t len = (size_t)count * attribute_bytes[type];

        if (rest.len - 8 < len)
            return -EINVAL;
        take_attribute(m, id, rest.p + 8, attribute_bytes[type], count);
        rest = (struct str){ rest.p + 8 + len, rest.len - 8 - len };
    }
    return 0;
}

/* --- the whole ------------------------------------------------------------ */

static void take_rows(struct gpu_metrics *m, const struct layout *l,
        struct str file)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct row *r = &l->rows[i];

        if (isnan(m->value[r->value])) /* the first that is there */
            m->value[r->value] =
                    choose(file.p + r->offset, r->bytes, r->count, r->choice) *
                    r->unit;
    }
    if (l->throttle && number(file.p + l->throttle, 8) != UINT64_MAX) {
        m->has_throttle = true;
        m->throttle = number(file.p + l->throttle, 8);
    }
    m->powers_unsure = l->format == 2 && l->content == 2;
}

int gpu_metrics_parse(struct gpu_metrics *out, struct str file)
{
    struct gpu_metrics m = { 0 };

    if (file.len < 4)
        return -EINVAL;
    m.format = (uint8_t)file.p[2];
    m.content = (uint8_t)file.p[3];
    for (size_t i = 0; i < GPU_METRICS_VALUES; i++)
        m.value[i] = NAN;
    if (m.format == 1 && m.content == 9) {
        int rc = parse_attributes(&m, file);

        if (!rc)
            *out = m;
        return rc;
    }
    for (size_t i = 0; i < LEN(layouts); i++) {
        const struct layout *l = &layouts[i];

        if (l->format != m.format || l->content != m.content)
            continue;
        if (file.len < l->size || number(file.p, 2) < l->size)
            return -EINVAL;
        take_rows(&m, l, file);
        *out = m;
        return 0;
    }
    return -EINVAL;
}

const char *gpu_metrics_name(enum gpu_metrics_value value)
{
    static const char *const names[GPU_METRICS_VALUES] = {
        [V(EDGE_CELSIUS)] = "edge_celsius",
        [V(HOTSPOT_CELSIUS)] = "hotspot_celsius",
        [V(MEMORY_CELSIUS)] = "memory_celsius",
        [V(SOC_CELSIUS)] = "soc_celsius",
        [V(CORE_CELSIUS)] = "core_celsius",
        [V(SKIN_CELSIUS)] = "skin_celsius",
        [V(GFX_RATIO)] = "gfx_ratio",
        [V(MEMORY_RATIO)] = "memory_ratio",
        [V(MEDIA_RATIO)] = "media_ratio",
        [V(NPU_RATIO)] = "npu_ratio",
        [V(SOCKET_WATTS)] = "socket_watts",
        [V(APU_WATTS)] = "apu_watts",
        [V(CPU_WATTS)] = "cpu_watts",
        [V(SOC_WATTS)] = "soc_watts",
        [V(GFX_WATTS)] = "gfx_watts",
        [V(NPU_WATTS)] = "npu_watts",
        [V(GFX_HERTZ)] = "gfx_hertz",
        [V(SOC_HERTZ)] = "soc_hertz",
        [V(MEMORY_HERTZ)] = "memory_hertz",
        [V(NPU_HERTZ)] = "npu_hertz",
        [V(NPU_READ_BYTES_PER_S)] = "npu_read_bytes_per_s",
        [V(NPU_WRITTEN_BYTES_PER_S)] = "npu_written_bytes_per_s",
        [V(PCIE_BYTES_PER_S)] = "pcie_bytes_per_s",
        [V(ENERGY_JOULES)] = "energy_joules",
    };

    return names[value];
}
