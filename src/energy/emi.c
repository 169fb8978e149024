#include "energy/emi.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define TEXT_CHARS   16 /* of maker and model, in UTF-16 */
#define V1_NAME      72
#define V2_CHANNELS  68
#define UNIT_PWH     0
#define JOULES_A_PWH 3.6e-9
#define NS_A_TICK    100

static unsigned u16(const unsigned char *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static uint32_t u32(const unsigned char *p)
{
    return u16(p) | (uint32_t)u16(p + 2) << 16;
}

static uint64_t u64(const unsigned char *p)
{
    return u32(p) | (uint64_t)u32(p + 4) << 32;
}

/* UTF-16 up to a zero or the end, as UTF-8; what is no character of the basic
 * plane becomes '?'. */
static void text(char out[EMI_NAME_MOST], const unsigned char *p, size_t chars)
{
    size_t len = 0;

    for (size_t i = 0; i < chars && len + 4 < EMI_NAME_MOST; i++) {
        unsigned c = u16(p + 2 * i);

        if (!c)
            break;
        if (c >= 0xd800 && c < 0xe000)
            c = '?';
        if (c < 0x80) {
            out[len++] = (char)c;
        } else if (c < 0x800) {
            out[len++] = (char)(0xc0 | c >> 6);
            out[len++] = (char)(0x80 | (c & 0x3f));
        } else {
            out[len++] = (char)(0xe0 | c >> 12);
            out[len++] = (char)(0x80 | (c >> 6 & 0x3f));
            out[len++] = (char)(0x80 | (c & 0x3f));
        }
    }
    out[len] = 0;
}

static int version_1(struct emi_metadata *m, const unsigned char *p, size_t len)
{
    if (len < V1_NAME || u16(p + 70) > len - V1_NAME)
        return -EINVAL;
    if (u32(p) != UNIT_PWH)
        return -ENOTSUP;
    text(m->maker, p + 4, TEXT_CHARS);
    text(m->model, p + 36, TEXT_CHARS);
    m->revision = u16(p + 68);
    text(m->channel[0].name, p + V1_NAME, u16(p + 70) / 2);
    m->channel_count = 1;
    return 0;
}

static int version_2(struct emi_metadata *m, const unsigned char *p, size_t len)
{
    size_t at = V2_CHANNELS;

    if (len < V2_CHANNELS)
        return -EINVAL;
    text(m->maker, p, TEXT_CHARS);
    text(m->model, p + 32, TEXT_CHARS);
    m->revision = u16(p + 64);
    m->channel_count = u16(p + 66);
    if (m->channel_count > EMI_CHANNELS_MOST)
        return -E2BIG;
    for (unsigned i = 0; i < m->channel_count; i++) {
        if (len - at < 6 || u16(p + at + 4) > len - at - 6)
            return -EINVAL;
        if (u32(p + at) != UNIT_PWH)
            return -ENOTSUP;

        size_t name_bytes = u16(p + at + 4);

        text(m->channel[i].name, p + at + 6, name_bytes / 2);
        at += 6 + name_bytes;
    }
    return 0;
}

int emi_metadata(struct emi_metadata *out, unsigned version, const void *bytes,
        size_t len)
{
    struct emi_metadata m = { 0 };
    int rc = -EPROTO;

    if (version == 1)
        rc = version_1(&m, bytes, len);
    else if (version == 2)
        rc = version_2(&m, bytes, len);
    if (!rc)
        *out = m;
    return rc;
}

int emi_measurements(struct emi_measurement *out, unsigned count,
        const void *bytes, size_t len)
{
    const unsigned char *p = bytes;

    if (len / 16 < count)
        return -EINVAL;
    for (unsigned i = 0; i < count; i++)
        out[i] = (struct emi_measurement){
            .joules = (double)u64(p + 16 * i) * JOULES_A_PWH,
            .time_ns = u64(p + 16 * i + 8) * NS_A_TICK,
        };
    return 0;
}

static bool ends(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

enum zone_part emi_part(const char *channel, bool *inside)
{
    *inside = ends(channel, "_PP0") || ends(channel, "_PP1") ||
              ends(channel, "_CORE");
    if (ends(channel, "_PKG") || ends(channel, "_PP0") ||
            ends(channel, "_CORE"))
        return ZONE_CPU;
    if (ends(channel, "_PP1"))
        return ZONE_GPU;
    if (ends(channel, "_DRAM"))
        return ZONE_DRAM;
    return strcmp(channel, "SYS") == 0 ? ZONE_WHOLE : ZONE_OTHER;
}
