#include "cmd/text/findings_text.h"

#include <math.h>
#include <string.h>

static void line(const struct page *p, const struct finding *x)
{
    static const enum term_style styles[] = {
        [FINDING_NOTE] = TERM_DIM,
        [FINDING_LOOK] = TERM_YELLOW,
        [FINDING_TROUBLE] = TERM_RED,
    };

    page_style(p, styles[x->severity]);
    buf_printf(p->out, "%-*s", PAGE_COLUMN, finding_severity_name(x->severity));
    page_style(p, TERM_PLAIN);
    term_text(p->out, buf_cstr(&x->text));
    if (!isnan(x->gain_ns)) {
        buf_text(p->out, "; without it ");
        page_duration(p, x->gain_ns);
        buf_text(p->out, " less an inference");
    }
    buf_char(p->out, '\n');
}

void findings_text_short(const struct page *p, const struct findings *f)
{
    size_t shown = 0;

    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].severity != FINDING_NOTE) {
            line(p, &f->items[i]);
            shown++;
        }
    if (shown)
        buf_text(p->out, "          (ortmeter advise says more)\n");
}

static void evidence(const struct page *p, const struct finding *x)
{
    if (!x->evidence_count)
        return;
    page_style(p, TERM_DIM);
    buf_printf(p->out, "%*s", PAGE_COLUMN, "");
    for (size_t i = 0; i < x->evidence_count; i++)
        buf_printf(p->out, "%s%s %.4g %s", i ? ", " : "", x->evidence[i].name,
                x->evidence[i].value, x->evidence[i].unit);
    buf_char(p->out, '\n');
    page_style(p, TERM_PLAIN);
}

static void causes(const struct page *p, const struct findings *f)
{
    for (size_t i = 0; i < f->slow.cause_count; i++) {
        const struct cause_found *c = &f->slow.causes[i].found;

        buf_printf(p->out,
                "%*s%-16s in %zu slow ones and %.0f %% of those around, "
                "%.0f %% of the time lost\n",
                PAGE_COLUMN, "", f->slow.causes[i].name, c->slow,
                100 * c->others, 100 * c->share);
    }
}

void findings_text(const struct page *p, const struct findings *f)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct finding *x = &f->items[i];

        line(p, x);
        if (x->detail.len) {
            buf_printf(p->out, "%*s", PAGE_COLUMN, "");
            term_text(p->out, buf_cstr(&x->detail));
            buf_char(p->out, '\n');
        }
        evidence(p, x);
        if (strcmp(x->rule, "slow") == 0)
            causes(p, f);
    }
    if (!f->count)
        buf_text(p->out, "nothing stands out\n");
}
