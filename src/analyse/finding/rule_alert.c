/* rule_alert.c -- alerts that were raised while the run went on. */
#include "analyse/finding/findings.h"
#include "live/alert_rule.h"
#include "model/label.h"

#include <string.h>

/* Raised by one rule. */
struct raised {
    char rule[128];
    struct alert worst;
    size_t count;
    bool open;
};

#define RULES_MAX 32

struct alert_reader {
    struct raised items[RULES_MAX];
    size_t count;
};

static bool is_worse(const struct alert *a, const struct alert *b)
{
    return a->value < a->threshold ? a->value < b->value : a->value > b->value;
}

static void take_alert(void *to, const struct alert *x)
{
    struct alert_reader *r = to;
    size_t i = 0;

    if (!x->rule || x->metric == METRIC_IDS)
        return;
    while (i < r->count && strncmp(r->items[i].rule, x->rule,
                                   sizeof(r->items[i].rule) - 1) != 0)
        i++;
    if (i == RULES_MAX)
        return;

    struct raised *y = &r->items[i];

    if (i == r->count) {
        r->count++;
        *y = (struct raised){ .worst = *x };
        memcpy(y->rule, x->rule, strnlen(x->rule, sizeof(y->rule) - 1));
    }
    y->count++;
    y->open |= !x->end_ns;
    if (is_worse(x, &y->worst))
        y->worst = *x;
}

static enum finding_severity severity_of(const char *rule)
{
    struct alert_rule r;

    if (alert_rule_read(&r, rule, NULL))
        return FINDING_LOOK;
    for (int i = FINDING_NOTE; i < FINDING_TROUBLE; i++)
        if (strcmp(r.severity,
                    finding_severity_name((enum finding_severity)i)) == 0)
            return (enum finding_severity)i;
    return FINDING_TROUBLE;
}

static void tell(struct findings *f, const struct raised *y)
{
    struct finding *x = findings_add(f, "alert", severity_of(y->rule));

    buf_printf(&x->text, "alert: %s: ", y->rule);
    label_add_value(&x->text, y->worst.metric, y->worst.value);
    if (y->count > 1)
        buf_printf(&x->text, ", %zu times", y->count);
    if (y->open)
        buf_text(&x->text, ", to the end");
    finding_evidence(x, "raised", (double)y->count, "times");
    finding_evidence(x, "value", y->worst.value,
            metric_table[y->worst.metric].unit);
    finding_evidence(x, "threshold", y->worst.threshold,
            metric_table[y->worst.metric].unit);
}

int rule_alert(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    struct alert_reader r = { .count = 0 };
    int rc = store_each_alert(c->store, c->run, take_alert, &r, e);

    for (size_t i = 0; i < r.count && !rc; i++)
        tell(f, &r.items[i]);
    return rc;
}
