#include "cmd/cli/percent.h"

#include "base/str.h"

#include <errno.h>

int percent_read(double *out, const char *text, const char *option,
        struct error *e)
{
    struct str s = str_trim(str_of(text));
    double percent = 0;

    if (s.len && s.p[s.len - 1] == '%')
        s.len--;
    if (str_f64(&percent, str_trim(s)) || !(percent > 0 && percent <= 1000))
        return fail(e, -EINVAL, "%s takes a share like 2%%, not '%.64s'",
                option, text);
    *out = percent / 100;
    return 0;
}
