/* rates.h -- how often to read, and how to stay within what it may cost.
 *
 * A budget is a share of one core: 0.02 is 2 %.  Arithmetic only: what was
 * spent is told by whoever measures it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What a meter may cost where it is used. */
enum rates_profile {
    RATES_DEVELOPMENT, /* 10 % of a core */
    RATES_TESTING,     /* 5 % */
    RATES_PRODUCTION,  /* 2 % */
    RATES_PROFILES
};

/* "development", ...; ends with NULL. */
extern const char *const rates_profile_names[RATES_PROFILES + 1];

double rates_budget(enum rates_profile profile);

/* At how much of the wished rates to read, so that the budget holds in the
 * mean: what was spent too much is a debt and is saved again. */
struct rates_control {
    double budget;  /* 0: no limit */
    double scale;   /* of all rates; starts at 1 and never exceeds it */
    double debt_ns; /* CPU time spent beyond the budget */
};

enum rates_verdict { RATES_KEEP, RATES_SLOWER, RATES_FASTER };

/* Whether a stretch is long enough to judge by: a second, or less when that
 * second's whole budget is spent already. */
bool rates_control_ripe(const struct rates_control *c, uint64_t elapsed_ns,
        uint64_t cost_ns);

/* Takes what a stretch cost, and sets `scale` anew. */
enum rates_verdict rates_control_take(struct rates_control *c,
        uint64_t elapsed_ns, uint64_t cost_ns);

/* A change of the rates, for the records. */
struct rate_change {
    uint64_t time_ns;         /* of mono_ns() */
    double from_scale, scale; /* of the wished rates */
    double measured, budget;  /* shares of a core; the reason */
};

/* The reason as a sentence: "cost 7.1 % of a core, more than the 5 % allowed".
 * Cut off where `cap` bytes do not hold it. */
void rate_change_reason(char *out, unsigned cap, const struct rate_change *c);
