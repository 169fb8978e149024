/* advise.c -- what stands out in a recorded run, and what would make it
 * faster. */
#include "analyse/finding/findings.h"
#include "analyse/summary.h"
#include "cmd/advise/advise_try.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/source.h"
#include "cmd/cmd.h"
#include "cmd/text/findings_text.h"
#include "cmd/text/term.h"
#include "export/json/findings_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct settings {
    bool json, tries;
    const char *out;
    struct source source;
};

/* --- what was tried ------------------------------------------------------- */

static void trials_json(struct json *j, const struct trials *t)
{
    json_array(j, "tried");
    for (size_t i = 0; i < t->count; i++) {
        const struct tried *x = &t->items[i];

        json_object(j, NULL);
        json_text(j, "what", x->what);
        json_text(j, "from", x->from);
        json_text(j, "to", x->to);
        json_text(j, "verdict", x->verdict);
        json_real(j, "before_us", x->before_us);
        json_real(j, "change", x->change);
        if (isfinite(x->low) && isfinite(x->high)) {
            json_array(j, "interval");
            json_real(j, NULL, x->low);
            json_real(j, NULL, x->high);
            json_end(j);
        }
        json_end(j);
    }
    json_end(j);
}

static void trials_text(const struct page *p, const struct trials *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct tried *x = &t->items[i];

        buf_printf(p->out, "%-*s%s %s instead of %s: ", PAGE_COLUMN, "tried",
                x->what, x->to, x->from);
        if (strcmp(x->verdict, "better") == 0)
            buf_text(p->out, "a gain, ");
        else if (strcmp(x->verdict, "cannot_tell") == 0)
            buf_text(p->out, "cannot tell, ");
        else
            buf_text(p->out, "no gain, ");
        buf_printf(p->out, "%+.1f %% time of an inference", 100 * x->change);
        if (isfinite(x->low) && isfinite(x->high))
            buf_printf(p->out, " (%+.1f to %+.1f %%)", 100 * x->low,
                    100 * x->high);
        buf_char(p->out, '\n');
    }
    if (!t->count)
        buf_printf(p->out, "%-*snothing: the options are the usual ones\n",
                PAGE_COLUMN, "tried");
}

/* --- all of it ------------------------------------------------------------ */

static void write_findings(struct buf *text, const struct settings *s,
        const struct summary *summary, const struct findings *f,
        const struct trials *t)
{
    if (s->json) {
        struct json j = json_into(text);

        json_object(&j, NULL);
        json_text(&j, "run_id", summary->run.id);
        findings_json_members(&j, f);
        if (s->tries)
            trials_json(&j, t);
        json_end(&j);
        buf_char(text, '\n');
        return;
    }

    const struct page p = { text, !s->out && term_colours(stdout) };

    findings_text(&p, f);
    if (s->tries)
        trials_text(&p, t);
}

static int advise(struct buf *text, const struct settings *s,
        struct store *store, int64_t row, struct error *e)
{
    struct summary summary;
    struct findings f;
    struct trials t = { .count = 0 };
    int rc = summary_read(&summary, store, row, e);

    if (rc)
        return rc;
    rc = findings_read(&f, &summary, store, row, e);
    if (!rc && s->tries)
        rc = advise_try(&t, &summary, e);
    if (!rc)
        write_findings(text, s, &summary, &f, &t);
    findings_release(&f);
    summary_release(&summary);
    return rc;
}

static const struct option options[] = {
    OPTION_FLAG("try", 0, struct settings, tries,
            "measure what other session options do for its model, by pairs as "
            "'check' does; up to half a minute each"),
    JSON_OPTION(struct settings),
    SOURCE_OPTIONS(struct settings, source),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int run(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;
    struct store *store = NULL;
    struct buf text = { 0 };
    int64_t row = 0;
    int rc = source_open_run(&store, &row, &s->source,
            c->word_count ? c->words[0] : "last", e);

    if (!rc)
        rc = advise(&text, s, store, row, e);
    store_close(store);
    if (!rc)
        rc = output_write(s->out, buf_str(&text), e);
    buf_release(&text);
    return rc;
}

const struct cmd cmd_advise = {
    .name = "advise",
    .about = "what stands out in a run, and what would make it faster",
    .usage = "[options] [RUN]",
    .text = "Says what stands out in a recorded run, with the evidence, and "
            "what would\n"
            "make it faster: memory that grows without end, results that are "
            "no\n"
            "numbers, inferences that were slow and what they have in common, "
            "a pace\n"
            "that changed, several speeds, work on weights alone, values "
            "quantised for\n"
            "nothing, optimisation switched off, operators not fused or not "
            "on the\n"
            "device, too many or too few threads, spinning, padding, new "
            "shapes,\n"
            "batches, waiting for Python's GIL.  RUN is its id, the beginning "
            "of one, or\n"
            "'last', which is also meant when it is left out.\n",
    .options = options,
    .notes = "What cannot be told from what was recorded is not said.\n"
             "\n"
             "Exit code: 0 good, 1 there is no such run or it cannot be read, "
             "2\n"
             "wrong usage.\n",
    .examples = "advise\n"
                "advise 3f2a\n"
                "advise last --try\n"
                "advise last --json\n",
    .words_max = 1,
    .settings_size = sizeof(struct settings),
    .run = run,
};
