#include "cmd/text/sources_json.h"

#include "base/compiler.h"

#include <errno.h>
#include <string.h>

static const char *state_of(const struct sampling_source *x)
{
    switch (x->rc) {
    case 0: return "read";
    case -ENODEV: return "absent";
    case -EACCES:
    case -EPERM: return "denied";
    case -ECANCELED: return "off";
    default: return "failed";
    }
}

static void add_sampler(struct json *j, const struct sampling_source *x,
        uint64_t now_ns)
{
    double effective_hz = sampling_effective_hz(x);

    json_object(j, NULL);
    json_text(j, "name", x->sampler->name);
    json_text(j, "about", x->sampler->about);
    json_text(j, "state", state_of(x));
    if (x->rc) {
        json_text(j, "reason", x->why.text);
        json_end(j);
        return;
    }
    json_fixed(j, "wanted_hz", x->wanted_hz, 3);
    json_fixed(j, "hz", x->hz, 3);
    if (effective_hz > 0)
        json_fixed(j, "effective_hz", effective_hz, 3);
    json_u64(j, "reads", x->reads);
    json_u64(j, "missed", x->missed);
    if (x->reads) {
        json_fixed(j, "age_ms", (double)(now_ns - x->last_ns) / 1e6, 3);
        json_fixed(j, "cost_us_per_read", sampling_read_us(x), 3);
    }
    json_end(j);
}

void sources_json_samplers(struct json *j, const struct sampling *s,
        uint64_t now_ns)
{
    json_array(j, "samplers");
    for (size_t i = 0; i < sampling_source_count(s); i++)
        add_sampler(j, sampling_source_at(s, i), now_ns);
    json_end(j);
}

/* Of twenty processes that lack the same for the same reason, the first one
 * speaks for all. */
static bool said_before(const struct subjects *s, size_t i)
{
    const struct absence_note *n = subjects_missing_at(s, i);
    enum subject_kind kind = subjects_get(s, n->subject)->kind;

    for (size_t k = 0; k < i; k++) {
        const struct absence_note *o = subjects_missing_at(s, k);

        if (o->metric == n->metric && strcmp(o->reason, n->reason) == 0 &&
                subjects_get(s, o->subject)->kind == kind)
            return true;
    }
    return false;
}

static void add_absence(struct json *j, const struct subjects *s,
        const struct absence_note *n)
{
    const struct subject *x = subjects_get(s, n->subject);

    json_object(j, NULL);
    json_text(j, "metric", metric_table[n->metric].name);
    json_text(j, "of", subject_kind_name(x->kind));
    if (x->name && (x->kind == SUBJECT_DEVICE || x->kind == SUBJECT_ZONE))
        json_text(j, "name", x->name);
    json_text(j, "reason", n->reason);
    json_end(j);
}

void sources_json_absences(struct json *j, struct sampling *s)
{
    const struct subjects *subjects = sampling_subjects(s);

    for (size_t i = 0; i < subjects_missing_count(subjects); i++)
        if (!said_before(subjects, i))
            add_absence(j, subjects, subjects_missing_at(subjects, i));
    for (size_t i = 0; i < sampling_source_count(s); i++) {
        const struct sampling_source *x = sampling_source_at(s, i);

        if (!x->rc)
            continue;
        json_object(j, NULL);
        json_text(j, "sampler", x->sampler->name);
        json_text(j, "gives", x->sampler->about);
        json_text(j, "reason", x->why.text);
        json_end(j);
    }
}

void sources_json_missing(struct json *j, struct sampling *s)
{
    json_array(j, "missing");
    sources_json_absences(j, s);
    json_end(j);
}

void sources_json_changes(struct json *j, const struct sampling *s,
        size_t first, uint64_t mono_to_wall_ns)
{
    size_t count = sampling_change_count(s);

    if (count <= first || first >= SAMPLING_CHANGES_MAX)
        return;
    json_array(j, "rate_changes");
    for (size_t i = first; i < count && i < SAMPLING_CHANGES_MAX; i++) {
        const struct rate_change *c = sampling_change_at(s, i);
        char reason[128];

        rate_change_reason(reason, sizeof(reason), c);
        json_object(j, NULL);
        json_u64(j, "timestamp_ns", c->time_ns + mono_to_wall_ns);
        json_fixed(j, "from_share", c->from_scale, 4);
        json_fixed(j, "share", c->scale, 4);
        json_text(j, "reason", reason);
        json_end(j);
    }
    json_end(j);
}
