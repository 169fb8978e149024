#include "sample/source.h"

#include "base/compiler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *source_state_name(enum source_state state)
{
    static const char *const names[] = {
        [SOURCE_AVAILABLE] = "available",
        [SOURCE_ABSENT] = "absent",
        [SOURCE_DENIED] = "denied",
    };

    return names[state];
}

static enum source_state state_of(int rc)
{
    if (!rc)
        return SOURCE_AVAILABLE;
    return rc == -EACCES || rc == -EPERM ? SOURCE_DENIED : SOURCE_ABSENT;
}

/* The devices and zones that a sampler found: "package-0, package-0/core". */
static void list_subjects(char *out, size_t cap, const struct subjects *s,
        const char *sampler)
{
    size_t len = 0;

    for (size_t i = 1; i < subjects_count(s); i++) {
        const struct subject *x = subjects_get(s, (uint32_t)i);

        bool is_found = x->kind == SUBJECT_DEVICE || x->kind == SUBJECT_ZONE;

        if (!is_found || !x->source || strcmp(x->source, sampler) != 0)
            continue;

        int n = snprintf(out + len, cap - len, "%s%s", len ? ", " : "",
                x->name);

        if (n < 0 || (size_t)n >= cap - len) {
            out[len] = 0;
            return;
        }
        len += (size_t)n;
    }
}

static bool is_power(enum metric_id metric)
{
    const struct metric *m = &metric_table[metric];

    return strcmp(m->unit, "joules") == 0 || strstr(m->name, "_power_watts");
}

static bool gave_power(const struct subjects *s, const struct batch *first,
        const char *sampler)
{
    for (size_t i = 0; first && i < first->count; i++) {
        const struct reading *r = &first->items[i];
        const char *from = subjects_get(s, r->subject)->source;

        if (is_power(r->metric) && from && strcmp(from, sampler) == 0)
            return true;
    }
    return false;
}

static struct source_status of_sampler(struct sampling *s,
        const struct sampling_source *x, const struct batch *first)
{
    const struct subjects *subjects = sampling_subjects(s);
    struct source_status out = {
        .name = x->sampler->name,
        .gives = x->sampler->about,
        .state = state_of(x->rc),
        .why = x->why,
    };

    if (x->rc)
        return out;
    out.hz = x->wanted_hz;
    out.most_hz = x->sampler->most_hz;
    out.measures_power = gave_power(subjects, first, out.name);
    list_subjects(out.detail, sizeof(out.detail), subjects, out.name);
    return out;
}

size_t source_list(struct source_status out[SOURCES_MAX],
        const struct source_context *context, struct sampling *s,
        const struct batch *first)
{
    size_t count = 0;

    for (const struct source_probe *p = source_probes; p->name; p++) {
        struct source_status *x = &out[count++];

        *x = (struct source_status){ .name = p->name, .gives = p->gives };
        x->state = state_of(
                p->look(x->detail, sizeof(x->detail), context, &x->why));
    }
    for (size_t i = 0; s && i < sampling_source_count(s) && count < SOURCES_MAX;
            i++)
        out[count++] = of_sampler(s, sampling_source_at(s, i), first);
    return count;
}
