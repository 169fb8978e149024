#include "serve/live/live_power.h"

#include <string.h>

/* --- what is told --------------------------------------------------------- */

static struct power_sensor *sensor_of(struct live_power *p, uint32_t subject)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->sensors[i].subject == subject)
            return &p->sensors[i];
    if (p->count == LIVE_POWER_SENSORS) {
        p->too_many = true;
        return NULL;
    }
    p->sensors[p->count] = (struct power_sensor){ .subject = subject };
    return &p->sensors[p->count++];
}

static void set_watts(struct power_sensor *s, double watts,
        const struct reading *r)
{
    s->known = true;
    s->watts = watts;
    s->time_ns = r->time_ns;
    s->method = r->method;
}

/* Since the last one that is a tenth of a second ago.  A counter that never
 * moved counts nothing: those of some virtual machines do not. */
static void count_joules(struct power_sensor *s, const struct reading *r)
{
    bool first = !s->counts;

    s->counts = true;
    if (first)
        s->first_ns = r->time_ns;
    if (!first && r->time_ns - s->joules_ns < LIVE_POWER_STEP_NS)
        return;
    if (!first && (s->known ? r->value >= s->joules : r->value > s->joules))
        set_watts(s,
                (r->value - s->joules) * 1e9 /
                        (double)(r->time_ns - s->joules_ns),
                r);
    s->joules = r->value;
    s->joules_ns = r->time_ns;
}

void live_power_take(struct live_power *p, const struct reading *r)
{
    struct power_sensor *s;

    if (!metric_is_energy((enum metric_id)r->metric) ||
            !(s = sensor_of(p, r->subject)))
        return;
    if (r->time_ns > p->newest_ns)
        p->newest_ns = r->time_ns;
    if (!metric_is_power((enum metric_id)r->metric))
        count_joules(s, r);
    else if (!s->counts)
        set_watts(s, r->value, r);
}

/* --- the sum -------------------------------------------------------------- */

/* A GPU that tells the watts of the CPU beside it sits in the same package, and
 * NPUs always do. */
static bool is_built_in(const struct live_power *p,
        const struct subject_book *b, uint32_t id, const struct subject *x)
{
    if (x->kind != SUBJECT_DEVICE)
        return false;
    if (zone_part_of(x->name) == ZONE_NPU)
        return true;
    for (size_t i = 0; i < p->count; i++) {
        const struct subject *other =
                subject_book_find(b, p->sensors[i].subject);

        if (other && other->parent == id && other->name &&
                strcmp(other->name, "cpu") == 0)
            return true;
    }
    return false;
}

/* Those that were heard of lately, and tell something.  Returns how many; `of`
 * are their sensors.
 */
static size_t plan(const struct live_power *p, const struct subject_book *b,
        struct energy_zone *zones, const struct power_sensor **of)
{
    size_t count = 0;

    for (size_t i = 0; i < p->count; i++) {
        const struct power_sensor *s = &p->sensors[i];
        const struct subject *x = subject_book_find(b, s->subject);
        uint64_t heard = s->counts ? s->joules_ns : s->time_ns;

        if (!x || heard + LIVE_POWER_STALE_NS < p->newest_ns ||
                (!s->known && s->first_ns + LIVE_POWER_WAIT_NS < p->newest_ns))
            continue;
        of[count] = s;
        zones[count++] = (struct energy_zone){
            .subject = s->subject,
            .parent = x->parent,
            .part = x->source && strcmp(x->source, "battery") == 0
                            ? ZONE_WHOLE
                            : zone_part_of(x->name),
            .name = x->name,
            .source = x->source,
            .built_in = is_built_in(p, b, s->subject, x),
            .has_joules = s->counts,
        };
    }
    zones_plan(zones, count);
    return count;
}

static void write_sample(struct json *j, const double mw[ZONE_PARTS],
        const bool known[ZONE_PARTS], uint8_t method)
{
    static const char *const names[ZONE_PARTS] = {
        [ZONE_CPU] = "cpu_power_mw",
        [ZONE_GPU] = "gpu_power_mw",
        [ZONE_NPU] = "ane_power_mw",
        [ZONE_DRAM] = "dram_power_mw",
    };
    double total = 0;

    for (size_t i = 0; i < ZONE_PARTS; i++) {
        total += mw[i];
        if (names[i] && known[i])
            json_real(j, names[i], mw[i]);
    }
    json_real(j, "total_power_mw", total);
    json_text(j, "method", reading_method_name((enum reading_method)method));
}

bool live_power_next(struct live_power *p, const struct subject_book *b,
        struct json *j, uint64_t *time_ns)
{
    struct energy_zone zones[LIVE_POWER_SENSORS];
    const struct power_sensor *of[LIVE_POWER_SENSORS];
    double mw[ZONE_PARTS] = { 0 };
    bool known[ZONE_PARTS] = { false };
    uint8_t method = READING_MEASURED; /* the weakest of those summed */
    uint64_t newest = 0;
    size_t count;

    if (p->too_many ||
            (p->told_ns && p->newest_ns < p->told_ns + LIVE_POWER_STEP_NS))
        return false;
    count = plan(p, b, zones, of);
    for (size_t i = 0; i < count; i++) {
        if (zones[i].role != ZONE_COUNTED)
            continue;
        if (!of[i]->known)
            return false;
        known[zones[i].part] = true;
        mw[zones[i].part] += of[i]->watts * 1e3;
        if (of[i]->method > method)
            method = of[i]->method;
        if (of[i]->time_ns > newest)
            newest = of[i]->time_ns;
    }
    if (newest <= p->told_ns)
        return false;
    p->told_ns = *time_ns = newest;
    json_u64(j, "time_ns", newest);
    write_sample(j, mw, known, method);
    return true;
}
