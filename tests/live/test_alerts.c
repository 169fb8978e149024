/* test_alerts.c -- rules in words, and when alerts are raised and over. */
#include "live/alerts.h"

#include "base/buf.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define S UINT64_C(1000000000)

/* --- rules ---------------------------------------------------------------- */

static void check_rule(int line, const char *text, enum metric_id metric,
        double threshold, double until, double for_s, const char *severity)
{
    struct alert_rule r;
    struct error e = { 0 };

    test_failures += alert_rule_read(&r, text, &e) != 0;
    if (e.text[0])
        (void)fprintf(stderr, "line %d: %s\n", line, e.text);
    CHECK(r.metric == metric);
    CHECK(fabs(r.threshold - threshold) < 1e-9 * fabs(threshold) + 1e-15);
    CHECK(fabs(r.until - until) < 1e-9 * fabs(until) + 1e-15);
    CHECK(r.for_ns == (uint64_t)(for_s * 1e9));
    CHECK(strcmp(r.severity, severity) == 0);
}

static void refused(const char *text, const char *why)
{
    struct alert_rule r;
    struct error e = { 0 };

    CHECK(alert_rule_read(&r, text, &e) == -22);
    if (!strstr(e.text, why)) {
        test_failures++;
        (void)fprintf(stderr, "'%s': %s\n", text, e.text);
    }
}

static void test_rules(void)
{
    check_rule(__LINE__, "rss_bytes > 2GB for 10s",
            METRIC_process_resident_bytes, 2e9, 2e9, 10, "look");
    check_rule(__LINE__, "process_resident_bytes > 2.5kB until 2kB note",
            METRIC_process_resident_bytes, 2500, 2000, 0, "note");
    check_rule(__LINE__, " host_memory_available_bytes  < 1e8 for 1min trouble",
            METRIC_host_memory_available_bytes, 1e8, 1e8, 60, "trouble");
    /* As watch shows it, and as the table has it. */
    check_rule(__LINE__, "cpu_percent > 150", METRIC_process_cpu_cores, 1.5,
            1.5, 0, "look");
    check_rule(__LINE__, "process_cpu_cores > 1.5", METRIC_process_cpu_cores,
            1.5, 1.5, 0, "look");
    check_rule(__LINE__, "host_busy_ratio > 90% until 0.8",
            METRIC_host_busy_ratio, 0.9, 0.8, 0, "look");
    check_rule(__LINE__, "inference_duration_seconds > 20ms",
            METRIC_inference_duration_seconds, 0.02, 0.02, 0, "look");
    refused("", "there is no metric ''");
    refused("speed > 1", "there is no metric 'speed'");
    refused("tokens_per_second < 5", "not read while");
    refused("rss_bytes 5", "comes > or <");
    refused("rss_bytes > many", "comes a number");
    refused("rss_bytes > 5 GB", "not known");
    refused("rss_bytes > 5ms", "a unit of this metric");
    refused("rss_bytes > 5 for", "needs a time");
    refused("rss_bytes > 5 for 25h", "at most 24 h");
    refused("rss_bytes > 5 until 6", "wrong side");
    refused("rss_bytes < 5 until 4", "wrong side");
    refused("rss_bytes > 5 note for 1s", "last word");
}

/* --- alerts --------------------------------------------------------------- */

static struct buf told;

static void on_alert(void *context, const struct alert *x)
{
    CHECK(context == &told && x->metric == METRIC_process_resident_bytes);
    buf_printf(&told, "%u of %u at %.1f: %g\n", x->number, x->subject,
            (double)x->time_ns / 1e9, x->value);
}

static void on_end(void *context, const struct alert *x)
{
    CHECK(context == &told && x->time_ns == 0);
    buf_printf(&told, "%u over at %.1f%s\n", x->number, (double)x->end_ns / 1e9,
            isnan(x->value) ? ", gone" : "");
}

static const struct subscriber sink = {
    .context = &told,
    .alert = on_alert,
    .alert_end = on_end,
};

static void tell(const struct subscriber *to, uint32_t subject, double at_s,
        double value)
{
    to->readings(to->context,
            &(struct reading_list){
                    &(struct reading){
                            .subject = subject,
                            .metric = METRIC_process_resident_bytes,
                            .time_ns = (uint64_t)(at_s * 1e9),
                            .value = value,
                    },
                    1 });
}

static void check_told(int line, const char *want)
{
    if (strcmp(buf_cstr(&told), want) != 0) {
        test_failures++;
        (void)fprintf(stderr, "line %d: told\n%snot\n%s", line, buf_cstr(&told),
                want);
    }
    buf_clear(&told);
}
#define TOLD(want) check_told(__LINE__, want)

/* Once when it begins, once when it is over, whatever swings between. */
static void test_hysteresis(void)
{
    struct alert_rule rule;
    struct error e;

    CHECK(!alert_rule_read(&rule, "rss_bytes > 100 for 2s until 80", &e));

    struct alerts *a = alerts_new(&rule, 1, &sink);
    struct subscriber to = alerts_subscriber(a);

    tell(&to, 7, 0, 120);
    tell(&to, 7, 1, 120);
    tell(&to, 7, 1.5, 90); /* a break: it begins anew */
    tell(&to, 7, 2.5, 130);
    tell(&to, 7, 4, 140);
    TOLD("");
    tell(&to, 7, 4.5, 150);
    TOLD("1 of 7 at 4.5: 150\n");
    tell(&to, 7, 5, 90); /* below the threshold, and not yet over */
    tell(&to, 7, 6, 170);
    tell(&to, 7, 9, 170);
    TOLD("");
    tell(&to, 7, 10, 80);
    TOLD("1 over at 10.0\n");
    tell(&to, 7, 11, 60);
    TOLD("");
    CHECK(alerts_count(a) == 1);
    alerts_free(a);
}

/* Each subject by itself; with its end an alert is over. */
static void test_subjects(void)
{
    struct alert_rule rule;
    struct error e;

    CHECK(!alert_rule_read(&rule, "rss_bytes > 100", &e));

    struct alerts *a = alerts_new(&rule, 1, &sink);
    struct subscriber to = alerts_subscriber(a);

    tell(&to, 1, 1, 200);
    tell(&to, 2, 1, 50);
    tell(&to, 2, 2, 300);
    tell(&to, 1, 2, 200);
    TOLD("1 of 1 at 1.0: 200\n2 of 2 at 2.0: 300\n");
    to.subject_end(to.context,
            &(struct subject_entry){ .id = 1, .end_ns = 3 * S });
    to.subject_end(to.context,
            &(struct subject_entry){ .id = 1, .end_ns = 4 * S });
    TOLD("1 over at 3.0, gone\n");
    CHECK(alerts_count(a) == 2);
    alerts_free(a);
}

static uint32_t slow_told, slow_subject, slow_over;

static void on_slow(void *context, const struct alert *x)
{
    (void)context;
    slow_told++;
    slow_subject = x->subject;
}

static void on_slow_end(void *context, const struct alert *x)
{
    (void)context;
    (void)x;
    slow_over++;
}

static void test_inferences(void)
{
    static const struct subscriber slow = { .alert = on_slow,
        .alert_end = on_slow_end };
    struct alert_rule rule;
    struct error e;

    CHECK(!alert_rule_read(&rule, "inference_duration_seconds > 1s", &e));

    struct alerts *a = alerts_new(&rule, 1, &slow);
    struct subscriber to = alerts_subscriber(a);
    struct subject_entry session = { .id = 9,
        .subject = { .kind = SUBJECT_SESSION, .number = 4 } };
    static const uint64_t durations[] = { S / 2, 2 * S, 2 * S, S / 2 };

    to.subject(to.context, &session);
    for (size_t i = 0; i < 4; i++)
        to.inference(to.context, &(struct inference){ .session = 4,
                                         .start_ns = 5 * S * i,
                                         .duration_ns = durations[i] });
    CHECK(slow_told == 1 && slow_subject == 9 && slow_over == 1);
    alerts_free(a);
}

int main(void)
{
    test_rules();
    test_hysteresis();
    test_subjects();
    test_inferences();
    buf_release(&told);
    return test_result();
}
