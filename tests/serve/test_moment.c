/* test_moment.c -- moments as requests name them. */
#include "serve/answer/moment.h"

#include "base/compiler.h"
#include "test.h"

#include <errno.h>

#define S UINT64_C(1000000000)

static void is(const char *text, enum moment_kind kind, uint64_t ns)
{
    struct moment m = { 0 };

    CHECK_INT(moment_read(&m, str_of(text)), 0);
    CHECK_INT(m.kind, kind);
    CHECK(m.ns == ns);
}

int main(void)
{
    static const char *const bad[] = { "", "-", "now", "12", "2026-13-01",
        "2026-01-31T12", "2026-01-31T12:00:00.", "2026-01-31T12:00:00+25:00",
        "-5", "-5y", "-1e99s", "5m", "99999999999999999999", "2026-01-31x",
        "1969-01-01", "2026-01-31T12:00:00.1234567890Z" };
    struct moment m;

    is("2026-01-31", MOMENT_WALL, 1769817600 * S);
    is("2026-01-31T12:00:00Z", MOMENT_WALL, 1769860800 * S);
    is("2026-01-31T12:00:00", MOMENT_WALL, 1769860800 * S);
    is("2026-01-31 12:00", MOMENT_WALL, 1769860800 * S);
    is("2026-01-31T13:30:00+01:30", MOMENT_WALL, 1769860800 * S);
    is("2026-01-31T12:00:00.000000001Z", MOMENT_WALL, 1769860800 * S + 1);
    is("2026-01-31T12:00:00.5Z", MOMENT_WALL, 1769860800 * S + S / 2);
    is("1769860800000000001", MOMENT_WALL, 1769860800 * S + 1);
    is("-15m", MOMENT_BACK, 900 * S);
    is("-0.5s", MOMENT_BACK, S / 2);
    is("1.4575s", MOMENT_SINCE, 1457500000);
    for (size_t i = 0; i < LEN(bad); i++)
        CHECK_INT(moment_read(&m, str_of(bad[i])), -EINVAL);

    CHECK_INT(moment_read(&m, str_of("2026-01-31")), 0);
    CHECK(m.whole_day);
    m = (struct moment){ .kind = MOMENT_BACK, .ns = 3 * S };
    CHECK(moment_wall(&m, 10 * S, 20 * S) == 17 * S);
    CHECK(moment_wall(&m, 0, S) == 0);
    m.kind = MOMENT_SINCE;
    CHECK(moment_wall(&m, 10 * S, 20 * S) == 13 * S);
    return test_result();
}
