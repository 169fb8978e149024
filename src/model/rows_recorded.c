/* rows_recorded.c -- rows of how a run was recorded, and of its latencies in
 * stretches of time. */
#include "model/describe.h"

#define ROW latency_sum
static const struct column latency_sum_columns[] = {
    U32("width_s", width_s, "s", ALWAYS, KEY),
    U64("place", place, NULL, ALWAYS, KEY),
    U32("session", session, NULL, ALWAYS, KEY),
    COLUMN("phase", TEXT, NULL, PHASE, phase, ALWAYS, KEY),
    COLUMN("traced", BOOL, NULL, BOOL, traced, ALWAYS, KEY),
    U64("count", count, "inferences", ALWAYS),
    U64("failed", failed, "inferences", ALWAYS),
    U64("looked_at", looked_at, "inferences", ALWAYS),
    U64("sum_ns", sum_ns, "ns", ALWAYS),
    U64("min_ns", min_ns, "ns", ALWAYS),
    U64("max_ns", max_ns, "ns", ALWAYS),
    JSON("spread", spread),
};
#undef ROW
ROW_TYPE(latency_sum, "latency_sums", 9,
        "latencies of each second, minute and hour");

#define ROW setting
static const struct column setting_columns[] = {
    COLUMN("name", TEXT, NULL, TEXT, name, ALWAYS, KEY),
    TEXT("value", value),
};
#undef ROW
ROW_TYPE(setting, "settings", 9, "what was asked of the meter");

#define ROW sampler_rate
static const struct column sampler_rate_columns[] = {
    COLUMN("name", TEXT, NULL, TEXT, name, ALWAYS, KEY),
    COLUMN("wanted_hz", REAL, "Hz", F64, wanted_hz, ALWAYS),
    COLUMN("hz", REAL, "Hz", F64, hz, ALWAYS),
    REAL("effective_hz", effective_hz, "Hz"),
    U64("reads", reads, NULL, ALWAYS),
    U64("missed", missed, NULL, ALWAYS),
    TEXT("reason", reason),
};
#undef ROW
ROW_TYPE(sampler_rate, "sampler_rates", 9, "how often the samplers were read");
