/* findings.c -- /api/findings: what stands out in a run. */
#include "analyse/finding/findings.h"
#include "export/json/findings_json.h"
#include "serve/answer/run_about.h"

static void write_missing(struct json *j, const struct findings *f)
{
    json_array(j, "missing");
    if (!f->slow.known) {
        json_object(j, NULL);
        json_text(j, "member", "slow");
        json_text(j, "reason",
                "there are too few inferences of one kind to say which of them "
                "were slow");
        json_end(j);
    }
    json_end(j);
}

void answer_findings(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct run_about r;
    struct summary s;
    struct findings f;
    struct error e;

    if (run_of_query(c, a, &r))
        return;
    if (summary_read(&s, c->store, r.row, &e)) {
        answer_failed(a, &e);
        return;
    }
    if (findings_read(&f, &s, c->store, r.row, &e)) {
        answer_failed(a, &e);
    } else {
        json_object(&j, NULL);
        findings_json_members(&j, &f);
        write_missing(&j, &f);
        json_end(&j);
        findings_release(&f);
    }
    summary_release(&s);
}
