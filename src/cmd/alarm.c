#include "cmd/alarm.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/map.h"
#include "cmd/text/term.h"
#include "live/alerts.h"
#include "model/label.h"
#include "push/url.h"
#include "push/webhook.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct named {
    enum subject_kind kind;
    uint64_t number;
    char *name; /* or NULL */
};

struct alarm {
    struct alarm_plan plan;
    struct alert_rule rules[OPTION_TEXTS_MAX];
    struct alerts *alerts;
    struct subscriber look; /* of the alerts */
    struct sender *webhook; /* or NULL */
    struct map places;      /* of subjects in the list */
    struct named *subjects;
    size_t count, cap;
};

int alarm_check(const struct alarm_settings *s, struct alarm_sight sight,
        struct error *e)
{
    struct alert_rule r;
    int rc = 0;

    if (s->webhook && !s->rules.count)
        return fail(e, -EINVAL, "--webhook is nothing without --alert");
    if (s->webhook)
        rc = url_check("--webhook", s->webhook, e);
    for (int i = 0; i < s->rules.count && !rc; i++) {
        rc = alert_rule_read(&r, s->rules.item[i], e);
        if (rc)
            break;
        if (alert_rule_is_of_inferences(&r) && !sight.inferences)
            rc = fail(e, -EINVAL,
                    "alert '%.80s': inferences are seen by run, bench and "
                    "generate only",
                    r.text);
        if (!alert_rule_is_of_inferences(&r) && !sight.samples)
            rc = fail(e, -EINVAL,
                    "alert '%.80s': with --rate 0 nothing is read", r.text);
    }
    return rc;
}

int alarm_open(struct alarm **out, const struct alarm_plan *plan,
        struct error *e)
{
    const struct alarm_settings *s = plan->settings;
    struct alarm *a;
    int rc = 0;

    *out = NULL;
    if (!s->rules.count)
        return 0;
    a = alloc_zero(1, sizeof(*a));
    a->plan = *plan;
    for (int i = 0; i < s->rules.count && !rc; i++)
        rc = alert_rule_read(&a->rules[i], s->rules.item[i], e);
    if (!rc && s->webhook)
        rc = webhook_start(&a->webhook, s->webhook, e);
    if (rc) {
        free(a);
        return rc;
    }
    a->alerts = alerts_new(a->rules, (size_t)s->rules.count, plan->to);
    a->look = alerts_subscriber(a->alerts);
    *out = a;
    return 0;
}

void alarm_free(struct alarm *a)
{
    struct sender_outcome unheard;

    if (!a)
        return;
    if (a->webhook)
        sender_stop(a->webhook, &unheard);
    alerts_free(a->alerts);
    for (size_t i = 0; i < a->count; i++)
        free(a->subjects[i].name);
    free(a->subjects);
    map_release(&a->places);
    free(a);
}

uint32_t alarm_count(const struct alarm *a)
{
    return a ? alerts_count(a->alerts) : 0;
}

/* --- subjects ------------------------------------------------------------- */

static void take_subject(void *to, const struct subject_entry *x)
{
    struct alarm *a = to;
    const uint64_t *place = map_find(&a->places, x->id);

    a->look.subject(a->look.context, x);
    if (place) {
        free(a->subjects[*place].name);
    } else if (a->count == a->cap) {
        a->cap = a->cap ? 2 * a->cap : 16;
        a->subjects = alloc_resize(a->subjects, a->cap * sizeof(*a->subjects));
    }

    size_t at = place ? *place : a->count;

    if (!place) {
        map_put(&a->places, x->id, at);
        a->count++;
    }
    a->subjects[at] = (struct named){
        .kind = x->subject.kind,
        .number = x->subject.number,
        .name = x->subject.name ? alloc_text(x->subject.name) : NULL,
    };
}

static const struct named *subject_of(const struct alarm *a, uint32_t id)
{
    static const struct named host = { .kind = SUBJECT_HOST };
    const uint64_t *place = map_find(&a->places, id);

    return place ? &a->subjects[*place] : &host;
}

/* --- telling -------------------------------------------------------------- */

static const char *severity_of(const struct alarm *a, const struct alert *x)
{
    for (int i = 0; i < a->plan.settings->rules.count; i++)
        if (a->rules[i].text == x->rule)
            return a->rules[i].severity;
    return "look";
}

static void write_json(struct buf *out, const struct alarm *a,
        const struct alert *x, const char *event, uint64_t time_ns)
{
    const struct named *of = subject_of(a, x->subject);
    struct json j = json_line_into(out);

    json_object(&j, NULL);
    json_u64(&j, "timestamp_ns", a->plan.zero_wall_ns + time_ns);
    json_text(&j, "event", event);
    if (a->plan.run_id)
        json_text(&j, "run_id", a->plan.run_id);
    json_u64(&j, "number", x->number);
    json_text(&j, "rule", x->rule);
    json_text(&j, "severity", severity_of(a, x));
    json_text(&j, "metric", metric_table[x->metric].name);
    json_real(&j, "value", x->value);
    json_real(&j, "threshold", x->threshold);
    json_object(&j, "subject");
    json_text(&j, "kind", subject_kind_name(of->kind));
    if (of->kind != SUBJECT_HOST)
        json_u64(&j, "number", of->number);
    if (of->name)
        json_text(&j, "name", of->name);
    json_end(&j);
    json_end(&j);
}

static void write_text(struct buf *out, const struct alarm *a,
        const struct alert *x, const char *what)
{
    const struct named *of = subject_of(a, x->subject);

    buf_printf(out, "ortmeter: %s: ", what);
    term_text(out, x->rule);
    if (of->kind != SUBJECT_HOST) {
        buf_printf(out, ", %s %llu", subject_kind_name(of->kind),
                (unsigned long long)of->number);
        if (of->name) {
            buf_text(out, " (");
            term_text(out, of->name);
            buf_char(out, ')');
        }
    }
    if (isfinite(x->value)) {
        buf_text(out, ": ");
        label_add_value(out, x->metric, x->value);
    }
    buf_char(out, '\n');
}

static void tell(struct alarm *a, const struct alert *x, const char *event,
        const char *what, uint64_t time_ns)
{
    struct buf text = { 0 };

    write_text(&text, a, x, what);
    (void)fwrite(text.p, 1, text.len, stderr);
    buf_clear(&text);
    write_json(&text, a, x, event, time_ns);
    if (a->plan.lines) {
        buf_add(a->plan.lines, text.p, text.len);
        buf_char(a->plan.lines, '\n');
    }
    if (a->webhook)
        sender_put(a->webhook, &text, 1);
    buf_release(&text);
}

static void take_alert(void *to, const struct alert *x)
{
    tell(to, x, "alert", "alert", x->time_ns);
}

static void end_alert(void *to, const struct alert *x)
{
    tell(to, x, "alert_end", "alert over", x->end_ns);
}

/* --- passing on ----------------------------------------------------------- */

static void take_readings(void *to, const struct reading_list *x)
{
    struct alarm *a = to;

    a->look.readings(a->look.context, x);
}

static void take_inference(void *to, const struct inference *x)
{
    struct alarm *a = to;

    a->look.inference(a->look.context, x);
}

static void end_subject(void *to, const struct subject_entry *x)
{
    struct alarm *a = to;

    a->look.subject_end(a->look.context, x);
}

static void end(void *to, const struct run_end *x)
{
    struct alarm *a = to;
    struct sender_outcome o;

    if (!a->webhook)
        return;
    sender_stop(a->webhook, &o);
    a->webhook = NULL;
    if (x->note)
        sender_tell(x->note, a->plan.settings->webhook, "alerts", &o);
}

struct subscriber alarm_subscriber(struct alarm *a)
{
    if (!a)
        return (struct subscriber){ 0 };
    return (struct subscriber){
        .context = a,
        .readings = take_readings,
        .inference = take_inference,
        .subject = take_subject,
        .subject_end = end_subject,
        .alert = take_alert,
        .alert_end = end_alert,
        .end = end,
    };
}
