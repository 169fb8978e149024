#include "analyse/sweep.h"

double sweep_unit_ns(const struct sweep *s, const struct sweep_point *p,
        double ns)
{
    return s->levels || !p->batch ? ns : ns / p->batch;
}

double sweep_samples_per_s(const struct sweep_point *p)
{
    double done = (double)p->done * (p->batch ? p->batch : 1);

    return p->wall_ns > 0 ? done * 1e9 / p->wall_ns : 0;
}

bool sweep_overlaps(const struct sweep *s, size_t point)
{
    if (!point || point >= s->count)
        return false;

    const struct sweep_point *a = &s->points[point - 1], *b = &s->points[point];

    return sweep_unit_ns(s, a, a->low_ns) <= sweep_unit_ns(s, b, b->high_ns) &&
           sweep_unit_ns(s, b, b->low_ns) <= sweep_unit_ns(s, a, a->high_ns);
}

const struct sweep_point *sweep_find(const struct sweep *s,
        const struct sweep_point *like)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->points[i].batch == like->batch &&
                s->points[i].level == like->level)
            return &s->points[i];
    return NULL;
}

const char *sweep_level_name(int level)
{
    switch (level) {
    case 0: return "disabled";
    case 1: return "basic";
    case 2: return "extended";
    case 99: return "all";
    default: return "?";
    }
}
