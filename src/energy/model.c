#include "energy/model.h"

#include "energy/tdp.h"

#include <math.h>
#include <stdio.h>

#define IDLE_OF_TDP  0.12
#define FULL_OF_TDP  0.75 /* 0.12 + 0.63 */
#define THREAD_WATTS 3.0  /* of TDP: 2.2 to 4.3 in our table */

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

/* A virtual machine has some threads of a CPU, and the rest of that is others'.
 * What a thread draws is about the same in all that are in our table. */
static double share_of(const struct host_info *host, double watts)
{
    double own = THREAD_WATTS * host->cpu_threads;

    return own > 0 && own < watts ? own / watts : 1;
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
    double whole = told ? given->tdp_watts : tdp.watts * sockets;
    double share = virtual && !told ? share_of(host, whole) : 1;
    double watts = whole * share;
    struct cpu_model m = {
        .idle_watts =
                given->idle_watts > 0 ? given->idle_watts : IDLE_OF_TDP * watts,
        .full_watts = FULL_OF_TDP * watts,
    };

    m.full_watts = fmax(m.full_watts, m.idle_watts);
    bound(&m, virtual || (!told && tdp.source == TDP_GUESSED) ? 3 : 2);
    if (share < 1)
        (void)snprintf(m.basis, sizeof(m.basis),
                "%.4g W for the %u threads that this virtual machine has of a "
                "CPU of %.4g W",
                watts, host->cpu_threads, whole);
    else if (told)
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
