#include "sample/perf/perf_count.h"

#include <errno.h>

void perf_count_add(struct perf_count *sum, const struct perf_count *part)
{
    sum->value += part->value;
    sum->enabled_ns += part->enabled_ns;
    sum->running_ns += part->running_ns;
}

bool perf_count_whole(double *out, const struct perf_count *c)
{
    if (!c->running_ns && c->enabled_ns)
        return false;
    *out = c->running_ns < c->enabled_ns
                   ? (double)c->value * (double)c->enabled_ns /
                             (double)c->running_ns
                   : (double)c->value;
    return true;
}

double perf_count_share(const struct perf_count *c)
{
    if (c->running_ns >= c->enabled_ns)
        return 1;
    return (double)c->running_ns / (double)c->enabled_ns;
}

static int hexadecimal(uint64_t *out, struct str s)
{
    uint64_t n = 0;

    if (!str_starts(s, "0x") || s.len < 3 || s.len > 2 + 16)
        return -EINVAL;
    for (size_t i = 2; i < s.len; i++) {
        char c = s.p[i];

        if (c >= '0' && c <= '9')
            n = n * 16 + (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            n = n * 16 + (uint64_t)(c - 'a' + 10);
        else
            return -EINVAL;
    }
    *out = n;
    return 0;
}

int perf_terms_parse(uint64_t *config, struct str text)
{
    struct str rest = str_trim(text);
    uint64_t sum = 0, number;

    do {
        struct str term = str_before(rest, ',');
        struct str name = str_before(term, '=');

        rest = str_after(rest, ',');
        if (hexadecimal(&number, str_after(term, '=')) || number > 0xff)
            return -EINVAL;
        if (str_is(name, "event"))
            sum |= number;
        else if (str_is(name, "umask"))
            sum |= number << 8;
        else
            return -EINVAL;
    } while (rest.len);
    *config = sum;
    return 0;
}
