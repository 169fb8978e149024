#include "energy/meter.h"

#include <errno.h>
#include <string.h>

#define NS_PER_S        1000000000ull
#define LATEST_S        4102444800ull /* the year 2100 */
#define FRACTION_DIGITS 9

static int parse_time(uint64_t *out_ns, struct str word)
{
    struct str whole = str_before(word, '.');
    struct str fraction = str_after(word, '.');
    uint64_t seconds = 0, part = 0;

    if (str_u64(&seconds, whole) || seconds > LATEST_S ||
            fraction.len > FRACTION_DIGITS)
        return -EINVAL;
    if (whole.len < word.len && str_u64(&part, fraction))
        return -EINVAL;
    for (size_t i = fraction.len; i < FRACTION_DIGITS; i++)
        part *= 10;
    *out_ns = seconds * NS_PER_S + part;
    return 0;
}

int meter_line(struct meter_sample *out, struct str line)
{
    struct str rest = str_trim(line);
    struct meter_sample s = { 0 };

    if (!rest.len || rest.p[0] == '#')
        return 0;
    if (parse_time(&s.wall_ns, str_word(&rest)) ||
            str_f64(&s.watts, str_word(&rest)) || s.watts < 0)
        return -EINVAL;
    *out = s;
    return 1;
}

static void end_line(struct meter_reader *r)
{
    struct meter_sample s;
    int rc = r->skipping ? -EINVAL : meter_line(&s, buf_str(&r->rest));

    r->bad += rc < 0;
    if (rc > 0) {
        r->samples++;
        r->take(r->context, &s);
    }
    buf_clear(&r->rest);
    r->skipping = false;
}

void meter_feed(struct meter_reader *r, const void *bytes, size_t len)
{
    const char *p = bytes;

    while (len) {
        const char *newline = memchr(p, '\n', len);
        size_t part = newline ? (size_t)(newline - p) : len;

        if (r->rest.len + part > METER_LINE_MAX) {
            r->skipping = true;
            buf_clear(&r->rest);
        }
        if (!r->skipping && part)
            buf_add(&r->rest, p, part);
        if (newline) {
            end_line(r);
            part++;
        }
        p += part;
        len -= part;
    }
}

void meter_end(struct meter_reader *r)
{
    if (r->rest.len || r->skipping)
        end_line(r);
    buf_release(&r->rest);
}
