#include "analyse/operators/placement.h"

#include <stdlib.h>
#include <string.h>

static const char cpu[] = "CPUExecutionProvider";

static struct placement_provider *provider(struct placement *p,
        const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->providers[i].name, name) == 0)
            return &p->providers[i];
    if (p->count == PLACEMENT_PROVIDERS)
        return NULL;
    p->providers[p->count].name = name;
    return &p->providers[p->count++];
}

static int by_time(const void *a, const void *b)
{
    double x = ((const struct placement_provider *)a)->kernels_ns;
    double y = ((const struct placement_provider *)b)->kernels_ns;

    return x < y ? 1 : x > y ? -1 : 0;
}

static bool is_copy(const struct operator_figures *o)
{
    return o->op_type && strncmp(o->op_type, "Memcpy", 6) == 0;
}

/* Something other than the CPU comes first in ["A","B"]. */
static bool wants_another(const char *asked)
{
    const char *first = asked ? strchr(asked, '"') : NULL;

    return first && strncmp(first + 1, cpu, strlen(cpu)) != 0;
}

bool placement_find(struct placement *out, const struct operators *o,
        uint32_t session, const char *asked)
{
    *out = (struct placement){ 0 };
    for (size_t i = 0; i < o->count; i++) {
        const struct operator_figures *x = &o->items[i];

        if (x->session != session || x->contains || !x->provider ||
                !x->times[PHASES].count)
            continue;

        struct placement_provider *p = provider(out, x->provider);

        if (!p)
            continue;
        p->operators++;
        p->kernels_ns += x->times[PHASES].self_ns;
        out->kernels_ns += x->times[PHASES].self_ns;
        if (is_copy(x))
            out->copies_ns += x->times[PHASES].self_ns;
        if (wants_another(asked) && strcmp(x->provider, cpu) == 0) {
            out->fell_back = true;
            out->fallback_operators++;
            out->fallback_ns += x->times[PHASES].self_ns;
        }
    }
    qsort(out->providers, out->count, sizeof(out->providers[0]), by_time);
    return out->count;
}
