/* energy_counts.c -- what a run's energy is divided by. */
#include "analyse/summary.h"

struct energy_counts summary_energy_counts(const struct summary *s)
{
    uint64_t done = s->inferences - s->failed;
    uint64_t length_ns = s->last_end_ns > s->first_start_ns
                                 ? s->last_end_ns - s->first_start_ns
                                 : 0;

    if (s->whole.inferences)
        return s->whole;
    return (struct energy_counts){
        .inferences = done,
        .samples = s->samples > (double)done ? s->samples : (double)done,
        .tokens = s->tokens.generations ? s->tokens.count : s->told_tokens,
        .seconds = (double)length_ns / 1e9,
        .latency_s = s->latency.count ? s->latency.mean / 1e9 : 0,
    };
}
