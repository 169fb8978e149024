#include "cmd/cli/when.h"

#include "base/compiler.h"
#include "base/str.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

static int parse_span(uint64_t *out_ns, struct str text)
{
    static const struct {
        char letter;
        uint64_t seconds;
    } units[] = {
        { 's', 1 },
        { 'm', 60 },
        { 'h', 3600 },
        { 'd', 86400 },
        { 'w', UINT64_C(7) * 86400 },
    };
    uint64_t number;

    if (text.len < 2 || str_u64(&number, (struct str){ text.p, text.len - 1 }))
        return -EINVAL;
    for (size_t i = 0; i < LEN(units); i++)
        if (text.p[text.len - 1] == units[i].letter &&
                number <= UINT32_MAX / units[i].seconds * 2) {
            *out_ns = number * units[i].seconds * SECOND_NS;
            return 0;
        }
    return -EINVAL;
}

int when_span(uint64_t *out_ns, const char *text, struct error *e)
{
    if (parse_span(out_ns, str_of(text)))
        return fail(e, -EINVAL,
                "'%.64s' is no span of time: write 90s, 45m, 12h, 30d or 2w",
                text);
    return 0;
}

/* A number of exactly so many digits, and what stands behind it. */
static bool take(struct str *rest, size_t digits, int *out)
{
    uint64_t number;

    if (rest->len < digits || str_u64(&number, (struct str){ rest->p, digits }))
        return false;
    *out = (int)number;
    *rest = (struct str){ rest->p + digits, rest->len - digits };
    return true;
}

static bool skip(struct str *rest, const char *any_of)
{
    if (!rest->len || !strchr(any_of, *rest->p))
        return false;
    *rest = (struct str){ rest->p + 1, rest->len - 1 };
    return true;
}

static bool take_time(struct str *rest, struct tm *t)
{
    if (!skip(rest, "T "))
        return true;
    if (!take(rest, 2, &t->tm_hour) || !skip(rest, ":") ||
            !take(rest, 2, &t->tm_min))
        return false;
    return !skip(rest, ":") || take(rest, 2, &t->tm_sec);
}

static bool parse_date(uint64_t *out_ns, struct str rest)
{
    struct tm t = { .tm_isdst = -1 };

    if (!take(&rest, 4, &t.tm_year) || !skip(&rest, "-") ||
            !take(&rest, 2, &t.tm_mon) || !skip(&rest, "-") ||
            !take(&rest, 2, &t.tm_mday) || !take_time(&rest, &t))
        return false;

    bool utc = skip(&rest, "Z");

    if (rest.len || t.tm_year < 1970 || t.tm_year > 2261 || t.tm_mon < 1 ||
            t.tm_mon > 12 || t.tm_mday < 1 || t.tm_mday > 31 ||
            t.tm_hour > 23 || t.tm_min > 59 || t.tm_sec > 60)
        return false;
    t.tm_year -= 1900;
    t.tm_mon -= 1;

    int day = t.tm_mday;
    time_t seconds = utc ? timegm(&t) : mktime(&t);

    /* The 31st of a month that has 30 days would be moved to the next. */
    if (seconds < 0 || t.tm_mday != day)
        return false;
    *out_ns = (uint64_t)seconds * SECOND_NS;
    return true;
}

int when_moment(uint64_t *out_ns, const char *text, uint64_t now_ns,
        struct error *e)
{
    uint64_t span_ns;

    if (parse_date(out_ns, str_of(text)))
        return 0;
    if (!parse_span(&span_ns, str_of(text))) {
        *out_ns = span_ns < now_ns ? now_ns - span_ns : 1;
        return 0;
    }
    return fail(e, -EINVAL,
            "'%.64s' is no date: write 2026-01-31, '2026-01-31 12:30', or how "
            "long ago, as 12h or 30d",
            text);
}
