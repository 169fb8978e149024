/* noise.h -- runs of one program that differ as real ones do: recordings beside
 * the project, and made ones.
 *
 * A made run has a level of its own, which is a little above the least and
 * seldom far above; inferences within it resemble their neighbours, have a
 * second mode, and a few that were interrupted.  The numbers are of the size
 * that was recorded on a shared virtual machine. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOISE_INFERENCES 600 /* of a run */
#define NOISE_RUNS       40

struct noise {
    size_t runs;
    uint64_t ns[NOISE_RUNS][NOISE_INFERENCES];
};

/* --- chance, the same at every start -------------------------------------- */

struct dice {
    uint64_t state; /* not 0 */
};

static inline uint64_t dice_throw(struct dice *d)
{
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return d->state;
}

/* From 0 to below 1. */
static inline double dice_part(struct dice *d)
{
    return (double)(dice_throw(d) >> 11) * 0x1p-53;
}

static inline size_t dice_below(struct dice *d, size_t n)
{
    return (size_t)(dice_part(d) * (double)n);
}

/* The sum of twelve has the variance 1. */
static inline double dice_normal(struct dice *d)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += dice_part(d);
    return sum;
}

/* --- made ----------------------------------------------------------------- */

struct noise_kind {
    double level;     /* standard deviation of a run's level, one-sided */
    double bad;       /* share of runs that are slow all their life, */
    double bad_by;    /* by up to that */
    double within;    /* standard deviation of an inference */
    double alike;     /* correlation with the one before */
    double mode;      /* share in a second mode, 20 % slower */
    double disturbed; /* share that is far slower */
};

static inline void noise_make_run(uint64_t *out, const struct noise_kind *k,
        struct dice *d)
{
    double base = log(1e6) + fabs(dice_normal(d)) * k->level;
    double drift = 0;

    if (dice_part(d) < k->bad)
        base += dice_part(d) * k->bad_by;
    for (size_t i = 0; i < NOISE_INFERENCES; i++) {
        drift = k->alike * drift +
                sqrt(1 - k->alike * k->alike) * dice_normal(d) * k->within;

        double ln = base + fabs(drift);

        if (dice_part(d) < k->mode)
            ln += 0.2;
        if (dice_part(d) < k->disturbed)
            ln += dice_part(d);
        out[i] = (uint64_t)exp(ln);
    }
}

static inline void noise_make(struct noise *out, const struct noise_kind *k,
        uint64_t seed)
{
    struct dice d = { seed };

    out->runs = NOISE_RUNS;
    for (size_t i = 0; i < NOISE_RUNS; i++)
        noise_make_run(out->ns[i], k, &d);
}

/* --- recorded ------------------------------------------------------------- */

#define NOISE_FOLDER SOURCE_ROOT "/../shared/data/noise"

/* Nanoseconds, 32 bits each, little-endian.  0: there is no such file. */
static inline int noise_read(struct noise *out, const char *name)
{
    char path[512];
    unsigned char bytes[NOISE_INFERENCES][4];

    (void)snprintf(path, sizeof(path), NOISE_FOLDER "/%s.u32", name);
    out->runs = 0;

    FILE *f = fopen(path, "rb");

    if (!f)
        return 0;
    while (out->runs < NOISE_RUNS && fread(bytes, sizeof(bytes), 1, f) == 1) {
        for (size_t i = 0; i < NOISE_INFERENCES; i++) {
            const unsigned char *b = bytes[i];

            out->ns[out->runs][i] = b[0] | (uint32_t)b[1] << 8 |
                                    (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        }
        out->runs++;
    }
    (void)fclose(f);
    return out->runs > 0;
}
