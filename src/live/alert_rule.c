#include "live/alert_rule.h"

#include "base/compiler.h"
#include "model/label.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define FOR_MOST_S 86400

static const char *const severities[] = { "note", "look", "trouble" };

/* What may stand behind a number of a metric with that unit. */
static const struct {
    const char *unit, *suffix;
    double factor;
} suffixes[] = {
    { "bytes", "B", 1 },
    { "bytes", "kB", 1e3 },
    { "bytes", "MB", 1e6 },
    { "bytes", "GB", 1e9 },
    { "bytes", "TB", 1e12 },
    { "seconds", "us", 1e-6 },
    { "seconds", "ms", 1e-3 },
    { "seconds", "s", 1 },
    { "seconds", "min", 60 },
    { "seconds", "h", 3600 },
    { "hertz", "Hz", 1 },
    { "hertz", "kHz", 1e3 },
    { "hertz", "MHz", 1e6 },
    { "hertz", "GHz", 1e9 },
    { "ratio", "%", 0.01 },
    { "percent", "%", 1 },
    { "watts", "W", 1 },
    { "joules", "J", 1 },
};

/* "2GB" in bytes.  -EINVAL: it is no such number. */
static int read_number(double *out, struct str word, const char *unit)
{
    size_t digits = word.len;

    while (digits && !(word.p[digits - 1] >= '0' && word.p[digits - 1] <= '9'))
        digits--;

    struct str suffix = { word.p + digits, word.len - digits };

    if (str_f64(out, (struct str){ word.p, digits }))
        return -EINVAL;
    if (!suffix.len)
        return 0;
    for (size_t i = 0; i < LEN(suffixes); i++)
        if (strcmp(suffixes[i].unit, unit) == 0 &&
                str_is(suffix, suffixes[i].suffix)) {
            *out *= suffixes[i].factor;
            return isfinite(*out) ? 0 : -EINVAL;
        }
    return -EINVAL;
}

/* --- the metric ----------------------------------------------------------- */

bool alert_rule_is_of_inferences(const struct alert_rule *r)
{
    return r->metric == METRIC_inference_duration_seconds;
}

/* What is read while a run goes on. */
static bool is_live(enum metric_id metric)
{
    const struct metric *m = &metric_table[metric];

    if (metric == METRIC_inference_duration_seconds)
        return true;
    if (m->kind != METRIC_GAUGE && m->kind != METRIC_COUNTER)
        return false;
    switch (m->scope) {
    case METRIC_HOST:
    case METRIC_PROCESS:
    case METRIC_DEVICE:
    case METRIC_ZONE:
    case METRIC_CORE:
    case METRIC_THREAD: return true;
    case METRIC_SESSION:
        return metric == METRIC_inferences_in_flight ||
               metric == METRIC_session_busy_seconds_total;
    case METRIC_INFERENCE:
    case METRIC_PHASE:
    case METRIC_TOKEN:
    case METRIC_OPERATOR:
    case METRIC_RUN:
    case METRIC_SERVER:
    case METRIC_SCOPES: break;
    }
    return false;
}

static int read_metric(struct alert_rule *r, struct str *rest,
        const char **unit, struct error *e)
{
    struct str name = str_word(rest);
    bool by_label;

    r->metric = metric_called(name, &by_label);
    if (r->metric == METRIC_IDS)
        return fail(e, -EINVAL,
                "alert '%.80s': there is no metric '%.*s'; docs/metrics.md has "
                "them",
                r->text, name.len < 64 ? (int)name.len : 64,
                name.len ? name.p : "");
    if (!is_live(r->metric))
        return fail(e, -EINVAL,
                "alert '%.80s': %s is not read while a program runs", r->text,
                metric_table[r->metric].name);
    *unit = by_label && metric_shown(r->metric, 1) != 1
                    ? "percent"
                    : metric_table[r->metric].unit;
    return 0;
}

/* --- the whole ------------------------------------------------------------ */

static int spoilt(const struct alert_rule *r, const char *what, struct error *e)
{
    return fail(e, -EINVAL,
            "alert '%.80s': %s; it is METRIC > NUMBER [for TIME] [until "
            "NUMBER] [note|look|trouble], such as 'rss_bytes > 2GB for 10s'",
            r->text, what);
}

static bool read_severity(struct alert_rule *r, struct str word)
{
    for (size_t i = 0; i < LEN(severities); i++)
        if (str_is(word, severities[i])) {
            r->severity = severities[i];
            return true;
        }
    return false;
}

static int read_rest(struct alert_rule *r, struct str rest, const char *unit,
        struct error *e)
{
    for (struct str word = str_word(&rest); word.len; word = str_word(&rest)) {
        double seconds;

        if (read_severity(r, word)) {
            if (str_word(&rest).len)
                return spoilt(r, "the severity is not its last word", e);
        } else if (str_is(word, "for")) {
            if (read_number(&seconds, str_word(&rest), "seconds") ||
                    seconds < 0 || seconds > FOR_MOST_S)
                return spoilt(r, "'for' needs a time of at most 24 h", e);
            r->for_ns = (uint64_t)(seconds * 1e9);
        } else if (str_is(word, "until")) {
            if (read_number(&r->until, str_word(&rest), unit))
                return spoilt(r, "'until' needs a number of this metric", e);
        } else {
            return spoilt(r, "one of its words is not known", e);
        }
    }
    if (r->below ? r->until < r->threshold : r->until > r->threshold)
        return spoilt(r, "'until' is on the wrong side of the threshold", e);
    return 0;
}

int alert_rule_read(struct alert_rule *out, const char *text, struct error *e)
{
    struct alert_rule r = { .text = text, .severity = "look" };
    struct str rest = str_of(text);
    const char *unit = "";
    int rc = read_metric(&r, &rest, &unit, e);

    if (rc)
        return rc;

    struct str sign = str_word(&rest);

    r.below = str_is(sign, "<");
    if (!r.below && !str_is(sign, ">"))
        return spoilt(&r, "behind the metric comes > or <", e);
    if (read_number(&r.threshold, str_word(&rest), unit))
        return spoilt(&r,
                "behind that comes a number, with a unit of this "
                "metric or without",
                e);
    r.until = r.threshold;
    rc = read_rest(&r, rest, unit, e);
    if (rc)
        return rc;
    if (strcmp(unit, "percent") == 0) {
        r.threshold /= metric_shown(r.metric, 1);
        r.until /= metric_shown(r.metric, 1);
    }
    *out = r;
    return 0;
}
