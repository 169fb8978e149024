/* test_when.c -- dates and spans, as people write them. */
#include "cmd/cli/when.h"

#include "base/compiler.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define S UINT64_C(1000000000)

static void spans(void)
{
    static const struct {
        const char *text;
        uint64_t ns; /* 0: refused */
    } cases[] = {
        { "1s", S },
        { "90s", 90 * S },
        { "45m", 2700 * S },
        { "12h", 43200 * S },
        { "30d", 2592000 * S },
        { "2w", 1209600 * S },
        { "", 0 },
        { "s", 0 },
        { "30", 0 },
        { "-1d", 0 },
        { "1.5h", 0 },
        { "1 d", 0 },
        { "1D", 0 },
        { "99999999999w", 0 },
        { "18446744073709551615s", 0 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct error e = { 0 };
        uint64_t ns = 0;

        CHECK_INT(when_span(&ns, cases[i].text, &e), cases[i].ns ? 0 : -EINVAL);
        CHECK_INT(ns, cases[i].ns);
        CHECK((*e.text != 0) == (cases[i].ns == 0));
    }
}

static void moments(void)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {
        { "1970-01-02Z", 86400 * S },
        { "2026-11-16T02:03:04Z", UINT64_C(1794794584) * S },
        { "2026-11-16 02:03Z", UINT64_C(1794794580) * S },
        { "2026-11-16", (UINT64_C(1794787200) - 3600) * S }, /* local */
        { "2026-07-01", (UINT64_C(1782864000) - 7200) * S }, /* in summer */
        { "2024-02-29Z", UINT64_C(1709164800) * S }, { "2026-02-29Z", 0 },
        { "2026-13-01", 0 }, { "2026-00-01", 0 }, { "2026-11-31", 0 },
        { "2026-11-16T24:00Z", 0 }, { "2026-11-16T", 0 },
        { "2026-11-16T1:00", 0 }, { "2026-11-16x", 0 }, { "26-11-16", 0 },
        { "1969-12-31Z", 0 }, { "9999-01-01Z", 0 }, { "yesterday", 0 },
        { "", 0 }, { "1h", UINT64_C(1000000) * S - 3600 * S },
        { "52w", 1 }, /* before 1970: as early as can be */
    };

    (void)setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    for (size_t i = 0; i < LEN(cases); i++) {
        struct error e = { 0 };
        uint64_t ns = 0;

        CHECK_INT(when_moment(&ns, cases[i].text, UINT64_C(1000000) * S, &e),
                cases[i].ns ? 0 : -EINVAL);
        CHECK_INT(cases[i].ns ? ns : 0, cases[i].ns);
        if (cases[i].ns != (cases[i].ns ? ns : 0))
            (void)fprintf(stderr, "%s\n", cases[i].text);
    }
}

int main(void)
{
    spans();
    moments();
    return test_result();
}
