#include "live/alerts.h"

#include "base/alloc.h"
#include "base/map.h"

#include <math.h>
#include <stdlib.h>

/* A rule and a subject, or a session, that it looked at. */
struct watched {
    const struct alert_rule *rule;
    uint32_t subject;
    bool holds;
    uint64_t since_ns; /* holds, without a break */
    uint32_t number;   /* of the alert that goes on; 0: none does */
};

struct alerts {
    const struct alert_rule *rules;
    size_t rule_count;
    const struct subscriber *to;
    struct watched *items;
    size_t count, cap;
    struct map places;   /* of key_of() */
    struct map sessions; /* to their subjects */
    uint32_t told;
};

struct alerts *alerts_new(const struct alert_rule *rules, size_t count,
        const struct subscriber *to)
{
    struct alerts *a = alloc_zero(1, sizeof(*a));

    a->rules = rules;
    a->rule_count = count;
    a->to = to;
    return a;
}

void alerts_free(struct alerts *a)
{
    if (!a)
        return;
    map_release(&a->places);
    map_release(&a->sessions);
    free(a->items);
    free(a);
}

uint32_t alerts_count(const struct alerts *a)
{
    return a->told;
}

/* `id` is a subject's, or of a rule of inferences a session's. */
static struct watched *find(struct alerts *a, size_t rule, uint32_t id)
{
    uint64_t key = (uint64_t)rule << 32 | id;
    const uint64_t *place = map_find(&a->places, key);

    if (place)
        return &a->items[*place];
    if (a->count == a->cap) {
        a->cap = a->cap ? 2 * a->cap : 16;
        a->items = alloc_resize(a->items, a->cap * sizeof(*a->items));
    }
    map_put(&a->places, key, a->count);
    a->items[a->count] = (struct watched){ .rule = &a->rules[rule] };
    return &a->items[a->count++];
}

/* --- telling -------------------------------------------------------------- */

static void begin(struct alerts *a, struct watched *w, uint64_t time_ns,
        double value)
{
    w->number = ++a->told;
    a->to->alert(a->to->context, &(struct alert){
                                         .number = w->number,
                                         .time_ns = time_ns,
                                         .rule = w->rule->text,
                                         .subject = w->subject,
                                         .metric = w->rule->metric,
                                         .value = value,
                                         .threshold = w->rule->threshold,
                                 });
}

static void end(struct alerts *a, struct watched *w, uint64_t time_ns,
        double value)
{
    a->to->alert_end(a->to->context, &(struct alert){
                                             .number = w->number,
                                             .end_ns = time_ns,
                                             .rule = w->rule->text,
                                             .subject = w->subject,
                                             .metric = w->rule->metric,
                                             .value = value,
                                             .threshold = w->rule->threshold,
                                     });
    w->number = 0;
    w->holds = false;
}

static bool is_beyond(const struct alert_rule *r, double limit, double value)
{
    return r->below ? value < limit : value > limit;
}

static void look(struct alerts *a, struct watched *w, uint64_t time_ns,
        double value)
{
    const struct alert_rule *r = w->rule;

    if (w->number) {
        if (!is_beyond(r, r->until, value))
            end(a, w, time_ns, value);
        return;
    }
    if (!is_beyond(r, r->threshold, value)) {
        w->holds = false;
        return;
    }
    if (!w->holds)
        w->since_ns = time_ns;
    w->holds = true;
    if (time_ns >= w->since_ns && time_ns - w->since_ns >= r->for_ns)
        begin(a, w, time_ns, value);
}

/* --- what it gets --------------------------------------------------------- */

static void take_readings(void *to, const struct reading_list *list)
{
    struct alerts *a = to;

    for (size_t i = 0; i < list->count; i++)
        for (size_t r = 0; r < a->rule_count; r++) {
            const struct reading *x = &list->items[i];

            if (a->rules[r].metric != (enum metric_id)x->metric)
                continue;

            struct watched *w = find(a, r, x->subject);

            w->subject = x->subject;
            look(a, w, x->time_ns, x->value);
        }
}

static void take_inference(void *to, const struct inference *x)
{
    struct alerts *a = to;

    for (size_t r = 0; r < a->rule_count; r++) {
        if (!alert_rule_is_of_inferences(&a->rules[r]))
            continue;

        struct watched *w = find(a, r, x->session);
        const uint64_t *subject = map_find(&a->sessions, x->session);

        w->subject = subject ? (uint32_t)*subject : 0;
        look(a, w, x->start_ns + x->duration_ns, (double)x->duration_ns / 1e9);
    }
}

static void take_subject(void *to, const struct subject_entry *x)
{
    struct alerts *a = to;

    if (x->subject.kind == SUBJECT_SESSION)
        map_put(&a->sessions, x->subject.number, x->id);
}

static void end_subject(void *to, const struct subject_entry *x)
{
    struct alerts *a = to;

    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].number && a->items[i].subject == x->id)
            end(a, &a->items[i], x->end_ns, NAN);
}

struct subscriber alerts_subscriber(struct alerts *a)
{
    return (struct subscriber){
        .context = a,
        .readings = take_readings,
        .inference = take_inference,
        .subject = take_subject,
        .subject_end = end_subject,
    };
}
