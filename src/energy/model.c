#include "energy/model.h"

#include "energy/tdp.h"

#include <math.h>
#include <stdio.h>

#define IDLE_OF_TDP 0.12
#define FULL_OF_TDP 0.75 /* 0.12 + 0.63 */

static void bound(struct cpu_model *m, double factor)
{
    m->low_factor = 1 / factor;
    m->high_factor = factor;
}

static struct cpu_model from_watts(const struct cpu_model_given *given)
{
    struct cpu_model m = {
        .idle_watts = given->idle_watts,
        .full_watts = given->full_watts,
        .low_factor = 0.8,
        .high_factor = 1.2,
    };

    (void)snprintf(m.basis, sizeof(m.basis),
            "this machine's own %.4g W idle and %.4g W full", m.idle_watts,
            m.full_watts);
    return m;
}

struct cpu_model cpu_model_of(const struct host_info *host,
        const struct cpu_model_given *given)
{
    if (given->full_watts > 0 && given->full_watts >= given->idle_watts)
        return from_watts(given);

    struct tdp tdp = tdp_of(host->cpu_model);
    bool told = given->tdp_watts > 0;
    bool virtual = host->virtualisation[0] != 0;
    unsigned sockets = host->cpu_sockets ? host->cpu_sockets : 1;
    double watts = told ? given->tdp_watts : tdp.watts * sockets;
    struct cpu_model m = {
        .idle_watts =
                given->idle_watts > 0 ? given->idle_watts : IDLE_OF_TDP * watts,
        .full_watts = FULL_OF_TDP * watts,
    };

    m.full_watts = fmax(m.full_watts, m.idle_watts);
    bound(&m, virtual || (!told && tdp.source == TDP_GUESSED) ? 3 : 2);
    if (told)
        (void)snprintf(m.basis, sizeof(m.basis), "a TDP of %.4g W, as given",
                watts);
    else if (tdp.source == TDP_GUESSED)
        (void)snprintf(m.basis, sizeof(m.basis),
                "a guess of %.4g W for the TDP of '%.60s', whose model is "
                "not in our table",
                watts, host->cpu_model);
    else
        (void)snprintf(m.basis, sizeof(m.basis), "the TDP of %s, %u x %.4g W%s",
                tdp.model, sockets, tdp.watts,
                tdp.source == TDP_UNCHECKED ? ", which nobody checked" : "");
    return m;
}

double cpu_model_watts(const struct cpu_model *m, double busy, double clock)
{
    double load = fmin(fmax(busy, 0), 1) * fmin(fmax(clock, 0), 1);

    return m->idle_watts + (m->full_watts - m->idle_watts) * load;
}
