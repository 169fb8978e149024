#include "analyse/generation/pipeline.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct pipeline_part *to, const struct section *x)
{
    to->has_energy = x->has_energy && (to->has_energy || !to->count);
    to->energy_mj += x->has_energy ? x->energy_mj : 0;
    to->duration_ns += x->duration_ns;
    to->count++;
}

static void take(void *to, const struct section *x)
{
    struct pipeline *p = to;
    uint8_t phase = x->phase < PHASES ? x->phase : PHASE_OTHER;

    /* Room is doubled whenever the count is a power of 2. */
    if ((p->count & (p->count - 1)) == 0)
        p->sections = alloc_resize(p->sections,
                (p->count ? 2 * p->count : 1) * sizeof(*p->sections));
    p->sections[p->count] = (struct pipeline_section){
        .id = p->count + 1,
        .phase = phase,
        .name = alloc_text(x->name ? x->name : "(name lost)"),
        .start_ns = x->start_ns,
        .parent = x->parent,
    };
    add(&p->sections[p->count++].part, x);
    if (x->parent)
        return;
    add(&p->phases[phase], x);
    add(&p->total, x);
}

int pipeline_read(struct pipeline *out, struct store *s, int64_t run,
        struct error *e)
{
    *out = (struct pipeline){ 0 };

    int rc = store_each_section(s, run, take, out, e);

    if (!rc && !out->count)
        rc = fail(e, -ENOENT,
                "the run has no sections: the program tells them with "
                "ortmeter_section_begin()");
    if (rc)
        pipeline_release(out);
    return rc;
}

void section_kind(char out[SECTION_KIND_MAX], const char *name)
{
    static const char digits[] = "0123456789";
    size_t len = strcspn(name, digits);
    bool numbered = len && name[len - 1] == '_' && name[len] &&
                    !name[len + strspn(name + len, digits)];

    (void)snprintf(out, SECTION_KIND_MAX, "%.*s%s",
            len < 60 && numbered ? (int)len : SECTION_KIND_MAX - 1, name,
            len < 60 && numbered ? "<i>" : "");
}

void pipeline_release(struct pipeline *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->sections[i].name);
    free(p->sections);
    *p = (struct pipeline){ 0 };
}

bool pipeline_time_share(double *percent, const struct pipeline *p,
        const struct pipeline_part *part)
{
    if (!p->total.duration_ns)
        return false;
    *percent = 100 * (double)part->duration_ns / (double)p->total.duration_ns;
    return true;
}

bool pipeline_energy_share(double *percent, const struct pipeline *p,
        const struct pipeline_part *part)
{
    if (!part->has_energy || !p->total.has_energy || p->total.energy_mj <= 0)
        return false;
    *percent = 100 * part->energy_mj / p->total.energy_mj;
    return true;
}

bool pipeline_power(double *mw, const struct pipeline_part *part)
{
    if (!part->has_energy || !part->duration_ns)
        return false;
    *mw = part->energy_mj * 1e9 / (double)part->duration_ns;
    return true;
}
