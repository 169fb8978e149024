#include "export/json/pipeline_json.h"

#include "base/alloc.h"
#include "base/json.h"
#include "export/json/summary_json.h"

#include <stdlib.h>

/* The names of EP-031: those of a whole begin with "total_". */
static void members(struct json *j, const struct pipeline *p,
        const struct pipeline_part *part, bool whole)
{
    double value;

    json_fixed(j, whole ? "total_duration_ms" : "duration_ms",
            (double)part->duration_ns / 1e6, 6);
    if (part->has_energy)
        json_real(j, whole ? "total_energy_mj" : "energy_mj", part->energy_mj);
    if (pipeline_power(&value, part))
        json_real(j, "avg_power_mw", value);
    if (pipeline_time_share(&value, p, part))
        json_fixed(j, "duration_percentage", value, 4);
    if (pipeline_energy_share(&value, p, part))
        json_fixed(j, "energy_percentage", value, 4);
}

/* Which sections lie in which: the first in each, and the next beside it, by
 * their ids; 0: none. */
struct pipeline_children {
    size_t *first, *next;
};

static struct pipeline_children find_children(const struct pipeline *p)
{
    struct pipeline_children c = {
        .first = alloc_zero(p->count + 1, sizeof(size_t)),
        .next = alloc_zero(p->count + 1, sizeof(size_t)),
    };

    for (size_t i = p->count; i; i--) { /* so they are in order */
        uint64_t parent = p->sections[i - 1].parent;

        if (!parent || parent > p->count)
            continue;
        c.next[i] = c.first[parent];
        c.first[parent] = i;
    }
    return c;
}

static void section_members(struct json *j, const struct pipeline *p,
        const struct pipeline_section *x)
{
    json_u64(j, "id", x->id);
    json_text(j, "phase", phase_name((enum phase)x->phase));
    json_text(j, "section_name", x->name);
    json_fixed(j, "start_time_ms", (double)x->start_ns / 1e6, 6);
    json_fixed(j, "end_time_ms",
            (double)(x->start_ns + x->part.duration_ns) / 1e6, 6);
    members(j, p, &x->part, false);
}

/* What lies deeper is not shown: a file may say anything. */
#define SECTIONS_DEEP 16

static void section(struct json *j, const struct pipeline *p,
        const struct pipeline_children *c, size_t id, int depth)
{
    json_object(j, NULL);
    section_members(j, p, &p->sections[id - 1]);
    if (c->first[id] && depth < SECTIONS_DEEP) {
        json_array(j, "sections");
        for (size_t i = c->first[id]; i; i = c->next[i])
            section(j, p, c, i, depth + 1);
        json_end(j);
    }
    json_end(j);
}

static void phase(struct json *j, const struct pipeline *p,
        const struct pipeline_children *c, uint8_t which)
{
    json_object(j, NULL);
    json_text(j, "phase", phase_name((enum phase)which));
    json_u64(j, "section_count", p->phases[which].count);
    members(j, p, &p->phases[which], true);
    json_array(j, "sections");
    for (size_t i = 0; i < p->count; i++)
        if (p->sections[i].phase == which && !p->sections[i].parent)
            section(j, p, c, i + 1, 0);
    json_end(j);
    json_end(j);
}

void pipeline_json(struct buf *out, const struct pipeline *p, const char *id)
{
    struct json j = json_into(out);
    struct pipeline_children c = find_children(p);

    json_object(&j, NULL);
    json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_text(&j, "run_id", id);
    json_fixed(&j, "total_duration_ms", (double)p->total.duration_ns / 1e6, 6);
    if (p->total.has_energy)
        json_real(&j, "total_energy_mj", p->total.energy_mj);
    json_array(&j, "phases");
    for (int i = 0; i < PHASES; i++)
        if (p->phases[i].count)
            phase(&j, p, &c, (uint8_t)i);
    json_end(&j);
    json_end(&j);
    buf_char(out, '\n');
    free(c.first);
    free(c.next);
}
