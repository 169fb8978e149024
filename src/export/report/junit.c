/* junit.c -- a run as the result of tests, for a build server: what went well
 * and what did not, and the figures as properties.
 *
 * https://github.com/testmoapp/junitxml has the format as it is in use. */
#include "analyse/summary.h"
#include "export/formats.h"
#include "export/report/xml_text.h"

#include <inttypes.h>
#include <stdlib.h>

struct suite {
    struct buf cases;
    unsigned tests, failures;
    const char *name;
};

static void test_case(struct suite *s, const char *name, double seconds,
        const char *failure)
{
    s->tests++;
    buf_text(&s->cases, "    <testcase classname=\"ortmeter\" name=\"");
    xml_text(&s->cases, name);
    buf_printf(&s->cases, "\" time=\"%.9f\"", seconds);
    if (!failure) {
        buf_text(&s->cases, "/>\n");
        return;
    }
    s->failures++;
    buf_text(&s->cases, ">\n      <failure message=\"");
    xml_text(&s->cases, failure);
    buf_text(&s->cases, "\"/>\n    </testcase>\n");
}

static void property(struct buf *out, const char *name, double value)
{
    buf_printf(out, "      <property name=\"%s\" value=\"%.9g\"/>\n", name,
            value);
}

static void properties(struct buf *out, const struct summary *s)
{
    buf_text(out, "    <properties>\n      <property name=\"run\" value=\"");
    xml_text(out, s->run.id);
    buf_text(out, "\"/>\n      <property name=\"command\" value=\"");
    xml_text(out, s->run.command ? s->run.command : "");
    buf_text(out, "\"/>\n");
    property(out, "inferences", (double)s->inferences);
    if (s->latency.count) {
        property(out, "latency_mean_us", s->latency.mean / 1e3);
        property(out, "latency_p50_us", s->latency.p50 / 1e3);
    }
    if (s->latency.count >= SPREAD_PERCENTILES_LEAST) {
        property(out, "latency_p95_us", s->latency.p95 / 1e3);
        property(out, "latency_p99_us", s->latency.p99 / 1e3);
    }
    if (s->tokens.ttft.count)
        property(out, "ttft_ms", s->tokens.ttft_ns / 1e6);
    buf_text(out, "    </properties>\n");
}

static void program_case(struct suite *t, const struct summary *s)
{
    struct buf why = { 0 };
    double seconds = (double)s->run.duration_ns / 1e9;

    if (s->run.status == RUN_INTERRUPTED)
        buf_text(&why, "the meter died before the program's end");
    else if (s->run.status == RUN_FAILED)
        buf_printf(&why, "recording stopped: %s",
                s->run.note ? s->run.note : "");
    else if (s->run.signal)
        buf_printf(&why, "it was ended by signal %d", s->run.signal);
    else if (s->run.exit_code)
        buf_printf(&why, "it exited with %d", s->run.exit_code);
    test_case(t, "the program ends well", seconds,
            why.len ? buf_cstr(&why) : NULL);
    buf_release(&why);
}

static void session_case(struct suite *t, const struct summary_session *x)
{
    struct buf name = { 0 }, why = { 0 };
    char *model = x->model ? summary_model_name(x->model) : NULL;

    buf_printf(&name, "session %u: %s", x->id, model ? model : "a model");
    free(model);
    if (x->error)
        buf_printf(&why, "it could not be made: %s", x->error);
    else if (x->failed)
        buf_printf(&why, "%" PRIu64 " of %" PRIu64 " inferences failed",
                x->failed, x->inferences);
    test_case(t, buf_cstr(&name), x->latency.count ? x->latency.mean / 1e9 : 0,
            why.len ? buf_cstr(&why) : NULL);
    buf_release(&name);
    buf_release(&why);
}

static void lost_case(struct suite *t, const struct summary *s)
{
    struct buf why = { 0 };

    if (s->lost)
        buf_printf(&why, "%" PRIu64 " events were lost", s->lost);
    test_case(t, "every event was recorded", 0,
            why.len ? buf_cstr(&why) : NULL);
    buf_release(&why);
}

static int write(struct sink *to, struct store *s, int64_t run, struct error *e)
{
    struct summary summary;
    struct suite t = { 0 };
    struct buf out = { 0 };
    int rc = summary_read(&summary, s, run, e);

    if (rc)
        return rc;
    program_case(&t, &summary);
    for (size_t i = 0; i < summary.session_count; i++)
        session_case(&t, &summary.sessions[i]);
    lost_case(&t, &summary);
    buf_printf(&out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites tests=\"%u\" failures=\"%u\">\n"
            "  <testsuite name=\"ortmeter %.8s\" tests=\"%u\" failures=\"%u\" "
            "errors=\"0\" skipped=\"0\" time=\"%.9f\">\n",
            t.tests, t.failures, summary.run.id, t.tests, t.failures,
            (double)summary.run.duration_ns / 1e9);
    properties(&out, &summary);
    buf_add(&out, t.cases.p, t.cases.len);
    buf_text(&out, "  </testsuite>\n</testsuites>\n");
    sink_write(to, buf_str(&out));
    buf_release(&out);
    buf_release(&t.cases);
    summary_release(&summary);
    return 0;
}

const struct export_format export_junit = {
    .name = "junit",
    .about = "the run as tests, for a build server: XML",
    .ending = ".xml",
    .write = write,
};
