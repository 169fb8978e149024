#include "cmd/generate/generate_repeats.h"

#include "analyse/verdict/interval.h"

#include <math.h>
#include <string.h>

uint64_t generate_later_ns(const struct generator_result *r)
{
    uint64_t later_ns = 0, step_ns;
    size_t steps = r->durations.len / sizeof(step_ns);

    for (size_t i = 1; i < steps; i++) {
        memcpy(&step_ns, r->durations.p + i * sizeof(step_ns), sizeof(step_ns));
        later_ns += step_ns;
    }
    return later_ns;
}

void generate_repeats_add(struct generate_repeats *r,
        const struct generator_result *result)
{
    size_t steps = result->durations.len / sizeof(uint64_t);

    spread_add(&r->first, result->prefill_ns);
    if (steps > 1)
        spread_add(&r->later, generate_later_ns(result) / (steps - 1));
}

static void figures_member(struct json *j, const char *key, struct spread *s)
{
    struct spread_figures f;
    double n, half;

    if (!spread_figures(s, &f) || f.count < 2)
        return;
    n = (double)f.count;
    half = interval_student_limit(0.025, n - 1) * f.stddev / sqrt(n);
    json_object(j, key);
    json_u64(j, "count", f.count);
    json_fixed(j, "mean", f.mean / 1e6, 6);
    json_fixed(j, "median", f.median / 1e6, 6);
    json_fixed(j, "stddev", f.stddev / 1e6, 6);
    json_fixed(j, "min", f.min / 1e6, 6);
    json_fixed(j, "max", f.max / 1e6, 6);
    json_array(j, "mean_interval");
    json_fixed(j, NULL, (f.mean - half) / 1e6, 6);
    json_fixed(j, NULL, (f.mean + half) / 1e6, 6);
    json_end(j);
    json_end(j);
}

void generate_repeats_json(struct json *j, struct generate_repeats *r)
{
    figures_member(j, "ttft_ms", &r->first);
    figures_member(j, "tpot_ms", &r->later);
}

void generate_repeats_release(struct generate_repeats *r)
{
    spread_release(&r->first);
    spread_release(&r->later);
}
