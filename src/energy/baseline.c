#include "energy/baseline.h"

#include <math.h>

#define S             1000000000ull
#define SAMPLES_LEAST 5

const struct baseline_rules baseline_usual = {
    .stretch_ns = 5 * S,
    .least_ns = 10 * S,
    .most_ns = 120 * S,
    .settled = 0.05,
    .certain = 0.01,
    .busy_most = 0.10,
};

void baseline_begin(struct baseline *b, const struct baseline_rules *rules,
        uint64_t now_ns)
{
    *b = (struct baseline){
        .rules = rules,
        .begin_ns = now_ns,
        .stretch_begin_ns = now_ns,
        .last_ns = now_ns,
    };
}

static void start_stretch(struct baseline *b, uint64_t now_ns)
{
    b->stretch_begin_ns = now_ns;
    b->sum = b->squares = b->weight = b->busy_sum = 0;
    b->samples = 0;
}

static void add(struct baseline *b, double seconds, double watts, double busy)
{
    b->sum += watts * seconds;
    b->squares += watts * watts * seconds;
    b->busy_sum += busy * seconds;
    b->weight += seconds;
    b->samples++;
    b->watts = b->sum / b->weight;
    b->busy = b->busy_sum / b->weight;

    double variance = b->squares / b->weight - b->watts * b->watts;

    b->error_watts = sqrt(fmax(variance, 0) / (double)b->samples);
}

static void settle(struct baseline *b, uint64_t now_ns)
{
    if (now_ns - b->stretch_begin_ns < b->rules->stretch_ns)
        return;

    double mean = b->watts;

    b->stretches++;
    if (b->stretches > 1 &&
            fabs(mean - b->last_mean) <= b->rules->settled * b->last_mean) {
        b->state = BASELINE_MEASURING;
        b->settled_ns = now_ns - b->begin_ns;
    }
    b->last_mean = mean;
    start_stretch(b, now_ns);
}

static void judge(struct baseline *b, uint64_t now_ns)
{
    if (now_ns - b->stretch_begin_ns < b->rules->least_ns ||
            b->samples < SAMPLES_LEAST)
        return;
    if (b->busy > b->rules->busy_most)
        b->state = BASELINE_BUSY;
    else if (b->error_watts <= b->rules->certain * b->watts)
        b->state = BASELINE_DONE;
}

enum baseline_state baseline_feed(struct baseline *b, uint64_t now_ns,
        double watts, double busy)
{
    if (b->state >= BASELINE_DONE || now_ns <= b->last_ns)
        return b->state;

    double seconds = (double)(now_ns - b->last_ns) / 1e9;

    b->last_ns = now_ns;
    b->all_busy += busy * seconds;
    b->all_count += seconds;
    add(b, seconds, watts, busy);
    if (b->state == BASELINE_SETTLING)
        settle(b, now_ns);
    else
        judge(b, now_ns);
    if (b->state < BASELINE_DONE && now_ns - b->begin_ns > b->rules->most_ns)
        b->state = b->all_busy > b->rules->busy_most * b->all_count
                           ? BASELINE_BUSY
                           : BASELINE_UNSTEADY;
    return b->state;
}
