#include "serve/answer/moment.h"

#include "base/digits.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define DAY_NS   UINT64_C(86400000000000)
#define SPAN_MAX 1e18 /* ns: thirty years */

static int read_span(struct moment *out, struct str s, enum moment_kind kind)
{
    static const struct {
        char letter;
        double ns;
    } units[] = { { 's', 1e9 }, { 'm', 6e10 }, { 'h', 3.6e12 },
        { 'd', 8.64e13 } };
    double value;

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (s.len < 2 || s.p[s.len - 1] != units[i].letter)
            continue;
        if (str_f64(&value, (struct str){ s.p, s.len - 1 }) ||
                !(value >= 0 && value * units[i].ns <= SPAN_MAX))
            return -EINVAL;
        *out = (struct moment){
            .kind = kind,
            .ns = (uint64_t)llround(value * units[i].ns),
        };
        return 0;
    }
    return -EINVAL;
}

/* Takes "+01:00", "-0130" or "Z" off the end; minutes east of Greenwich. */
static int take_offset(struct str *s, int *minutes)
{
    const char *sign = NULL;
    uint64_t hour, minute;

    *minutes = 0;
    if (s->len && (s->p[s->len - 1] == 'Z' || s->p[s->len - 1] == 'z')) {
        s->len--;
        return 0;
    }
    if (s->len > 6)
        sign = s->p + s->len - 6;
    if (!sign || (*sign != '+' && *sign != '-'))
        return 0;
    if (sign[3] != ':' || str_u64(&hour, (struct str){ sign + 1, 2 }) ||
            str_u64(&minute, (struct str){ sign + 4, 2 }) || hour > 23 ||
            minute > 59)
        return -EINVAL;
    *minutes = (int)(hour * 60 + minute) * (*sign == '-' ? -1 : 1);
    s->len -= 6;
    return 0;
}

/* digits_read_time() takes one form; others are brought into it. */
static int read_date(struct moment *out, struct str s)
{
    char text[] = "0000-00-00T00:00:00.000000000Z";
    bool date_only = s.len == 10;
    int64_t ns;
    int east = 0;

    if (!date_only && take_offset(&s, &east))
        return -EINVAL;
    if (s.len < 10 || (!date_only && s.len < 16) || s.len > 29)
        return -EINVAL;
    memcpy(text, s.p, s.len);
    if (!date_only && s.p[10] == ' ')
        text[10] = 'T';
    if (s.len > 19 && (s.p[19] != '.' || s.len == 20))
        return -EINVAL;
    if (s.len == 17 || s.len == 18)
        return -EINVAL;
    if (digits_read_time(&ns, str_of(text)) || ns < 0)
        return -EINVAL;
    ns -= (int64_t)east * 60 * 1000000000;
    if (ns < 0)
        return -EINVAL;
    *out = (struct moment){ .ns = (uint64_t)ns, .whole_day = date_only };
    return 0;
}

int moment_read(struct moment *out, struct str s)
{
    uint64_t ns;

    if (s.len >= 16 && str_u64(&ns, s) == 0) {
        *out = (struct moment){ .ns = ns };
        return ns <= INT64_MAX ? 0 : -EINVAL;
    }
    if (s.len && *s.p == '-')
        return read_span(out, (struct str){ s.p + 1, s.len - 1 }, MOMENT_BACK);
    if (s.len >= 10 && s.p[4] == '-')
        return read_date(out, s);
    if (s.len && s.p[s.len - 1] == 's')
        return read_span(out, s, MOMENT_SINCE);
    return -EINVAL;
}

uint64_t moment_wall(const struct moment *m, uint64_t start_wall_ns,
        uint64_t end_wall_ns)
{
    switch (m->kind) {
    case MOMENT_BACK: return end_wall_ns > m->ns ? end_wall_ns - m->ns : 0;
    case MOMENT_SINCE: return start_wall_ns + m->ns;
    case MOMENT_WALL: break;
    }
    return m->ns;
}
