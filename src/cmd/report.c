/* report.c -- a recorded run in figures. */
#include "analyse/generation/pipeline.h"
#include "analyse/summary.h"
#include "analyse/verdict/against_baseline.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/source.h"
#include "cmd/cmd.h"
#include "cmd/text/deep_text.h"
#include "cmd/text/judgement_text.h"
#include "cmd/text/pipeline_text.h"
#include "cmd/text/summary_text.h"
#include "cmd/text/term.h"
#include "export/json/judgement_json.h"
#include "export/json/pipeline_json.h"
#include "export/json/summary_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct settings {
    bool json, pipeline;
    const char *phase; /* a name; NULL: all */
    const char *out;
    struct source source;
};

static void take_id(void *to, const struct run *r)
{
    memcpy(to, r->id, sizeof(r->id));
}

static int report_pipeline(struct buf *text, const struct settings *s,
        struct store *store, int64_t row, struct error *e)
{
    char id[RUN_ID_LEN + 1] = "";
    struct pipeline p;
    int rc = store_read_run(store, row, take_id, id, e);

    if (!rc)
        rc = pipeline_read(&p, store, row, e);
    if (rc)
        return rc;
    if (s->json)
        pipeline_json(text, &p, id);
    else
        pipeline_text(text, &p, !s->out && term_colours(stdout));
    pipeline_release(&p);
    return 0;
}

/* --- against a baseline --------------------------------------------------- */

static void baseline_text(struct buf *text, const struct against_baseline *a,
        bool colours)
{
    const struct page p = { text, colours };

    buf_text(text, "\nagainst the baseline ");
    term_text(text, a->name);
    buf_char(text, '\n');
    judgement_head_text(&p, &a->judgement);
    judgement_figures_text(&p, a->judgement.figures, JUDGED_FIGURES);
}

static void baseline_json(struct buf *out, const struct against_baseline *a)
{
    struct json j = json_into(out);

    json_object(&j, NULL);
    json_text(&j, "name", a->name);
    judgement_json_members(&j, &a->judgement);
    json_end(&j);
}

/* --- the summary ---------------------------------------------------------- */

static void summary_with(struct buf *text, const struct settings *s,
        const struct summary *summary, const struct findings *f,
        const struct against_baseline *a)
{
    bool colours = !s->out && term_colours(stdout);
    struct buf own = { 0 };

    if (s->json && a->name) {
        baseline_json(&own, a);
        summary_json_with(text, summary, "baseline", buf_str(&own));
    } else if (s->json) {
        summary_json(text, summary);
    } else {
        summary_text_with(text, summary, f, colours);
        if (a->name)
            baseline_text(text, a, colours);
    }
    buf_release(&own);
}

static int report_summary(struct buf *text, const struct settings *s,
        struct store *store, int64_t row, struct error *e)
{
    struct summary summary;
    struct against_baseline against;
    struct findings found = { .count = 0 };
    int rc = summary_read(&summary, store, row, e);

    if (rc)
        return rc;
    if (s->phase)
        summary.shown_phase =
                strcmp(s->phase, "decode") == 0 ? PHASE_DECODE : PHASE_PREFILL;
    rc = against_baseline_read(&against, store, &summary.run, e);
    if (!rc && !s->json)
        rc = findings_read(&found, &summary, store, row, e);
    if (!rc)
        summary_with(text, s, &summary, &found, &against);
    if (!rc && !s->json)
        rc = deep_text(text, store, row, e);
    findings_release(&found);
    against_baseline_release(&against);
    summary_release(&summary);
    return rc;
}

static int report(const struct settings *s, const char *name, struct error *e)
{
    struct store *store = NULL;
    struct buf text = { 0 };
    int64_t row = 0;
    int rc = source_open_run(&store, &row, &s->source, name, e);

    if (!rc)
        rc = (s->pipeline ? report_pipeline : report_summary)(&text, s, store,
                row, e);
    store_close(store);
    if (!rc)
        rc = output_write(s->out, buf_str(&text), e);
    buf_release(&text);
    return rc;
}

static const struct option options[] = {
    JSON_OPTION(struct settings),
    OPTION_FLAG("pipeline", 0, struct settings, pipeline,
            "only where the time and energy of its sections went, by phase"),
    OPTION_TEXT("phase", 0, struct settings, phase, "PHASE",
            "operators of prefill or decode only"),
    SOURCE_OPTIONS(struct settings, source),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int check(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;

    if (s->phase && strcmp(s->phase, "prefill") != 0 &&
            strcmp(s->phase, "decode") != 0)
        return fail(e, -EINVAL, "--phase is prefill or decode, not %s",
                s->phase);
    return 0;
}

static int run(const struct cmd_call *c, struct error *e)
{
    return report(c->settings, c->word_count ? c->words[0] : "last", e);
}

const struct cmd cmd_report = {
    .name = "report",
    .about = "a recorded run in figures",
    .usage = "[options] [RUN]",
    .text = "Prints what a recorded run showed.  RUN is its id, the beginning "
            "of\n"
            "one, or 'last', which is also meant when it is left out.  Where "
            "there is a\n"
            "baseline of the same command on this host (see baseline), it says "
            "whether\n"
            "the run got slower.\n",
    .options = options,
    .notes = "Exit code: 0 good, 1 there is no such run or it cannot be read, "
             "2\n"
             "wrong usage.\n",
    .examples = "report\n"
                "report 3f2a --json\n"
                "report last --json -o summary.json\n"
                "report --pipeline\n"
                "report --phase decode\n",
    .words_max = 1,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
