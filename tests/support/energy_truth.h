/* energy_truth.h -- a made-up machine whose power is known exactly at every
 * moment, and sensors on it as bad as real ones: they move in steps, at moments
 * that jitter, and start again when they are full.  Time is virtual. */
#pragma once

#include "energy/series.h"
#include "energy/spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull
#define US 1000ull

/* The same numbers on every machine. */
static inline double truth_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Power that is constant between steps. */
struct truth_step {
    uint64_t start_ns;
    double watts;
    double joules; /* until start_ns */
};

struct truth {
    struct truth_step *steps;
    size_t count, cap;
    struct work_span *spans;
    size_t span_count, span_cap;
    double *class_joules; /* what each class truly drew */
    uint32_t class_count;
};

static inline void truth_step(struct truth *t, uint64_t start_ns, double watts)
{
    double joules = 0;

    if (t->count) {
        const struct truth_step *last = &t->steps[t->count - 1];

        joules = last->joules +
                 last->watts * (double)(start_ns - last->start_ns) / 1e9;
    }
    if (t->count == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 1024;
        t->steps = realloc(t->steps, t->cap * sizeof(*t->steps));
    }
    t->steps[t->count++] = (struct truth_step){ start_ns, watts, joules };
}

/* Joules from the beginning to a moment. */
static inline double truth_joules(const struct truth *t, uint64_t at_ns)
{
    size_t low = 0, high = t->count;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (t->steps[middle].start_ns <= at_ns)
            low = middle;
        else
            high = middle;
    }
    if (!t->count || at_ns < t->steps[low].start_ns)
        return 0;
    return t->steps[low].joules +
           t->steps[low].watts * (double)(at_ns - t->steps[low].start_ns) / 1e9;
}

static inline void truth_span(struct truth *t, uint64_t start_ns,
        uint64_t end_ns, uint32_t work_class)
{
    if (t->span_count == t->span_cap) {
        t->span_cap = t->span_cap ? t->span_cap * 2 : 1024;
        t->spans = realloc(t->spans, t->span_cap * sizeof(*t->spans));
    }
    t->spans[t->span_count++] =
            (struct work_span){ start_ns, end_ns, 0, work_class, 0 };
}

/* A kind of work: how long one time of it takes, and what it draws. */
struct truth_work {
    uint64_t ns;
    double watts;
};

/* The works one after the other, again and again until end_ns, with a rest of
 * `rest` behind each round.  Lengths vary by +-`vary`.  Class of works[i] is
 * i + 1; the rest is 0.  Returns where it ended. */
static inline uint64_t truth_rounds(struct truth *t, uint64_t now_ns,
        uint64_t end_ns, const struct truth_work *works, size_t count,
        struct truth_work rest, double vary, uint64_t *seed)
{
    if (!t->class_joules) {
        t->class_count = (uint32_t)count + 1;
        t->class_joules = calloc(count + 1, sizeof(double));
    }
    while (now_ns < end_ns) {
        for (size_t i = 0; i <= count; i++) {
            struct truth_work w = i < count ? works[i] : rest;
            double stretch = 1 + vary * (2 * truth_random(seed) - 1);
            uint64_t ns = (uint64_t)((double)w.ns * stretch);

            truth_step(t, now_ns, w.watts);
            if (i < count)
                truth_span(t, now_ns, now_ns + ns, (uint32_t)i + 1);
            t->class_joules[i < count ? i + 1 : 0] +=
                    w.watts * (double)ns / 1e9;
            now_ns += ns;
        }
    }
    return now_ns;
}

static inline void truth_release(struct truth *t)
{
    free(t->steps);
    free(t->spans);
    free(t->class_joules);
    memset(t, 0, sizeof(*t));
}

/* A counter of joules and whoever reads it. */
struct truth_counter {
    uint64_t period_ns;  /* between two of its updates, */
    double jitter;       /* +- this share of it */
    double unit_joules;  /* it counts whole ones */
    double wrap_joules;  /* 0: never */
    double begin_joules; /* what it shows at the start */
    uint64_t read_ns;    /* between two reads */
    double read_jitter;
};

struct truth_readings {
    struct series_reading *items;
    size_t count;
};

static inline struct truth_readings truth_read(const struct truth *t,
        const struct truth_counter *c, uint64_t start_ns, uint64_t end_ns,
        uint64_t *seed)
{
    struct truth_readings r = {
        calloc((end_ns - start_ns) / c->read_ns * 2 + 16, sizeof(*r.items)), 0
    };
    uint64_t update_ns = start_ns, next_ns = start_ns, now_ns = start_ns;

    while (now_ns < end_ns) {
        while (next_ns <= now_ns) {
            update_ns = next_ns;
            next_ns +=
                    (uint64_t)((double)c->period_ns *
                               (1 + c->jitter * (2 * truth_random(seed) - 1)));
        }

        double joules = c->begin_joules + truth_joules(t, update_ns);

        if (c->unit_joules > 0)
            joules = floor(joules / c->unit_joules) * c->unit_joules;
        if (c->wrap_joules > 0)
            joules = fmod(joules, c->wrap_joules);
        r.items[r.count++] = (struct series_reading){ now_ns, joules };
        now_ns +=
                (uint64_t)((double)c->read_ns *
                           (1 + c->read_jitter * (2 * truth_random(seed) - 1)));
    }
    return r;
}

static inline bool within(double got, double want, double relative)
{
    if (fabs(got - want) <= relative * fabs(want))
        return true;
    (void)fprintf(stderr, "%g is not within %g %% of %g\n", got, relative * 100,
            want);
    return false;
}
