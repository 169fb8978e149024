/* alarm.h -- alerts of the commands that follow a program: --alert, --webhook.
 *
 * What is raised goes to stderr, into the database where there is one, to a
 * webhook where one is named, and into the exit code. */
#pragma once

#include "cmd/cli/options.h"
#include "model/subscriber.h"

struct alarm_settings {
    struct option_texts rules; /* live/alert_rule.h */
    const char *webhook;       /* where to, or NULL */
};

/* Rows of a verb's table of options, for a member that is one of those. */
#define ALARM_OPTIONS(settings, member)                                       \
    OPTION_TEXTS("alert", 0, settings, member.rules, "RULE",                  \
            "say so when a figure crosses a threshold: 'rss_bytes > 2GB for " \
            "10s'; may be repeated; see docs/alerts.md",                      \
            .rare = true),                                                    \
            OPTION_TEXT("webhook", 0, settings, member.webhook, "URL",        \
                    "send alerts there, too, as JSON by HTTP POST",           \
                    .rare = true)

/* What the command looks at. */
struct alarm_sight {
    bool inferences, samples;
};

/* Whether the rules make sense: -EINVAL with a sentence that quotes one. */
int alarm_check(const struct alarm_settings *s, struct alarm_sight sight,
        struct error *e);

struct alarm;

struct alarm_plan {
    const struct alarm_settings *settings;
    const char *run_id;          /* or NULL */
    uint64_t zero_wall_ns;       /* what the times of events count from */
    const struct subscriber *to; /* is told of alerts, and tells us */
    struct buf *lines;           /* gets each as a line of JSON, too; or NULL */
};

/* NULL where there are no rules.  What the plan points to lives as long. */
int alarm_open(struct alarm **out, const struct alarm_plan *plan,
        struct error *e);
/* NULL is welcome, as below. */
void alarm_free(struct alarm *a);

/* Gets events, and at `end` waits some seconds for the webhook: what did not
 * get there is said in the notes.  Of NULL, one that listens to nothing. */
struct subscriber alarm_subscriber(struct alarm *a);

/* How many were raised. */
uint32_t alarm_count(const struct alarm *a);
