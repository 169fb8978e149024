#include "llm/choose.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void choice_state_release(struct choice_state *s)
{
    free(s->spare);
    free(s->order);
    *s = (struct choice_state){ 0 };
}

/* Between 0 and 1: SplitMix64. */
static double next_random(struct choice_state *s)
{
    uint64_t z = s->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

/* The best one, the first among equals; `count` where one is not a number. */
static size_t best_of(const float *logits, size_t count)
{
    size_t best = 0;

    for (size_t i = 0; i < count; i++) {
        if (isnan(logits[i]))
            return count;
        if (logits[i] > logits[best])
            best = i;
    }
    return best;
}

static double probability_of(const float *logits, size_t count, size_t best,
        size_t id)
{
    double sum = 0;

    /* For every token of a large vocabulary: in float, as the model's own. */
    for (size_t i = 0; i < count; i++)
        sum += (double)expf(logits[i] - logits[best]);
    return (double)expf(logits[id] - logits[best]) / sum;
}

static void penalise(struct choice_state *s, double penalty,
        const struct ids *seen, const float *logits, size_t count)
{
    for (size_t i = 0; i < seen->count; i++) {
        uint32_t id = seen->id[i];

        /* From the model's own number: one that repeats is not hit twice. */
        if (id < count)
            s->spare[id] = (float)(logits[id] < 0 ? logits[id] * penalty
                                                  : logits[id] / penalty);
    }
}

static int by_number(const void *a, const void *b, void *context)
{
    const float *number = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (number[x] > number[y])
        return -1;
    if (number[x] < number[y])
        return 1;
    return (x > y) - (x < y);
}

/* How many of the best are left by the rules; spare[] are then weights. */
static size_t keep_best(struct choice_state *s, const struct choice_rules *r,
        size_t count)
{
    size_t kept = r->top_k && r->top_k < count ? (size_t)r->top_k : count;
    double sum = 0, taken = 0, most = s->spare[s->order[0]];

    for (size_t i = 0; i < kept; i++) {
        float *number = &s->spare[s->order[i]];

        *number = (float)exp(((double)*number - most) / r->temperature);
        sum += *number;
    }
    for (size_t i = 0; i < kept; i++) {
        double share = s->spare[s->order[i]] / sum;

        /* The best one has weight 1: its share is 1 / sum. */
        if (i && (taken >= r->top_p || share < r->min_p / sum))
            return i;
        taken += share;
    }
    return kept;
}

static size_t draw(struct choice_state *s, const struct choice_rules *r,
        size_t count)
{
    double sum = 0, at;
    size_t kept;

    for (size_t i = 0; i < count; i++)
        s->order[i] = (uint32_t)i;
    sort_with(s->order, count, sizeof(*s->order), by_number, s->spare);
    kept = keep_best(s, r, count);
    for (size_t i = 0; i < kept; i++)
        sum += s->spare[s->order[i]];
    at = next_random(s) * sum;
    for (size_t i = 0; i < kept; i++) {
        at -= s->spare[s->order[i]];
        if (at < 0)
            return s->order[i];
    }
    return s->order[kept - 1];
}

bool choose_token(struct choice *out, struct choice_state *s,
        const struct choice_rules *rules, const float *logits, size_t count,
        const struct ids *seen)
{
    size_t best = best_of(logits, count), id = best;
    bool penalty =
            rules->repetition_penalty > 1 || rules->repetition_penalty < 1;

    if (best >= count)
        return false;
    if (!rules->greedy || penalty) {
        if (s->cap < count) {
            s->spare = alloc_resize(s->spare, count * sizeof(*s->spare));
            s->order = alloc_resize(s->order, count * sizeof(*s->order));
            s->cap = count;
        }
        memcpy(s->spare, logits, count * sizeof(*logits));
        if (penalty)
            penalise(s, rules->repetition_penalty, seen, logits, count);
        id = rules->greedy ? best_of(s->spare, count) : draw(s, rules, count);
    }
    *out = (struct choice){ (uint32_t)id,
        probability_of(logits, count, best, id) };
    return true;
}
