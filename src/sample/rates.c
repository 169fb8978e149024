#include "sample/rates.h"

#include <stdio.h>

#define STRETCH_NS 1e9

/* A debt is paid back in so long, and while it is, a share of the budget stays
 * for reading at all. */
#define REPAY_NS 10e9
#define STAY     0.25

/* Aim below the budget, and go up only when well below: so it does not swing.
 */
#define AIM_SLOWER 0.9
#define AIM_FASTER 0.85
#define WELL_BELOW 0.7
#define STEP_UP    1.25
#define STEP_DOWN  0.05
#define LEAST      1e-4

const char *const rates_profile_names[RATES_PROFILES + 1] = {
    [RATES_DEVELOPMENT] = "development",
    [RATES_TESTING] = "testing",
    [RATES_PRODUCTION] = "production",
};

double rates_budget(enum rates_profile profile)
{
    static const double share[RATES_PROFILES] = {
        [RATES_DEVELOPMENT] = 0.10,
        [RATES_TESTING] = 0.05,
        [RATES_PRODUCTION] = 0.02,
    };

    return share[profile];
}

bool rates_control_ripe(const struct rates_control *c, uint64_t elapsed_ns,
        uint64_t cost_ns)
{
    if (c->budget <= 0 || !elapsed_ns)
        return false;
    return (double)elapsed_ns >= STRETCH_NS ||
           (double)cost_ns >= c->budget * STRETCH_NS;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

enum rates_verdict rates_control_take(struct rates_control *c,
        uint64_t elapsed_ns, uint64_t cost_ns)
{
    double elapsed = (double)elapsed_ns, cost = (double)cost_ns;
    double before = c->scale;

    if (c->budget <= 0 || !elapsed_ns)
        return RATES_KEEP;
    c->debt_ns = greater(0, c->debt_ns + cost - c->budget * elapsed);

    double measured = cost / elapsed;
    double allowed =
            greater(c->budget - c->debt_ns / REPAY_NS, STAY * c->budget);

    if (measured > allowed) {
        c->scale *= greater(AIM_SLOWER * allowed / measured, STEP_DOWN);
        c->scale = greater(c->scale, LEAST);
        return c->scale < before ? RATES_SLOWER : RATES_KEEP;
    }
    if (c->scale < 1 && c->debt_ns <= 0 && measured < WELL_BELOW * c->budget) {
        /* Also from nothing at all by one step. */
        double step =
                measured > 0 ? AIM_FASTER * c->budget / measured : STEP_UP;

        c->scale = lesser(1, c->scale * lesser(step, STEP_UP));
        return RATES_FASTER;
    }
    return RATES_KEEP;
}

void rate_change_reason(char *out, unsigned cap, const struct rate_change *c)
{
    if (c->scale < c->from_scale)
        (void)snprintf(out, cap,
                "sampling cost %.2f %% of a core, and %.2f %% is allowed",
                100 * c->measured, 100 * c->budget);
    else
        (void)snprintf(out, cap,
                "sampling cost only %.2f %% of a core of the %.2f %% allowed",
                100 * c->measured, 100 * c->budget);
}
