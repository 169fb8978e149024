#include "serve/live/event_json.h"

#include "export/json/shapes.h"
#include "live/alert_rule.h"
#include "model/phase.h"

#include <stdio.h>

static void head(struct json *j, const struct event_of *r, const char *kind,
        uint64_t number, uint64_t time_ns)
{
    json_object(j, NULL);
    shape_id(j, "id", r->run_id, kind, number);
    json_text(j, "run_id", r->run_id);
    json_u64(j, "timestamp_ns", r->start_wall_ns + time_ns);
    json_text(j, "kind", kind);
}

void event_mark_json(struct json *j, const struct event_of *r, uint64_t number,
        const struct note *n)
{
    head(j, r, "mark", number, n->time_ns);
    if (n->text)
        json_text(j, "text", n->text);
    json_end(j);
}

void event_load_json(struct json *j, const struct event_of *r,
        const struct session *s)
{
    head(j, r, "load", s->id, s->start_ns);
    json_fixed(j, "duration_ms", (double)s->duration_ns / 1e6, 6);
    json_u64(j, "session", s->id);
    if (s->model)
        json_text(j, "text", s->model);
    json_end(j);
}

uint64_t event_lost(const struct process *p)
{
    return p->lost + p->untimed + p->torn;
}

void event_lost_json(struct json *j, const struct event_of *r,
        const struct process *p)
{
    char text[96];

    (void)snprintf(text, sizeof(text), "%llu records of process %u were lost",
            (unsigned long long)event_lost(p), p->pid);
    head(j, r, "lost", p->id, p->start_ns);
    json_text(j, "text", text);
    json_end(j);
}

void event_alert_json(struct json *j, const struct event_of *r,
        const struct alert *a, bool going)
{
    struct alert_rule rule;

    head(j, r, "alert", a->number, a->time_ns);
    if (a->end_ns > a->time_ns)
        json_fixed(j, "duration_ms", (double)(a->end_ns - a->time_ns) / 1e6, 6);
    if (going && !a->end_ns)
        json_bool(j, "going", true);
    json_text(j, "text", a->rule);
    json_text(j, "rule", a->rule);
    if (alert_rule_read(&rule, a->rule, NULL) == 0)
        json_text(j, "severity", rule.severity);
    if (a->metric != METRIC_IDS)
        json_text(j, "metric", metric_table[a->metric].name);
    json_real(j, "value", a->value);
    json_real(j, "threshold", a->threshold);
    json_end(j);
}

void event_slow_json(struct json *j, const struct event_of *r,
        const struct findings *f, size_t i)
{
    const struct finding_slow *x = &f->slow.items[i];

    head(j, r, "slow", x->number, x->start_ns);
    json_fixed(j, "duration_ms", (double)x->duration_ns / 1e6, 6);
    json_u64(j, "session", x->session);
    json_u64(j, "inference", x->number);
    json_text(j, "phase", phase_name((enum phase)x->phase));
    json_fixed(j, "expected_ms", x->expected_ns / 1e6, 6);
    json_array(j, "causes");
    for (size_t k = 0; k < f->slow.cause_count; k++)
        if (x->causes & 1u << k) {
            json_object(j, NULL);
            json_text(j, "cause", f->slow.causes[k].name);
            json_fixed(j, "effect_ms", f->slow.causes[k].found.effect_ns / 1e6,
                    6);
            json_end(j);
        }
    json_end(j);
    json_end(j);
}

void event_sum_alerts(void *sum, const struct alert *a)
{
    *(uint64_t *)sum += a->end_ns ? 2 : 1;
}
