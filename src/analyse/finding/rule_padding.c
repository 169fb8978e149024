/* rule_padding.c -- samples that are computed and thrown away: the program told
 * how much of each batch is padding. */
#include "analyse/finding/findings.h"

#define SHARE_LEAST 0.05
enum { COUNT_LEAST = 30 };

int rule_padding(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    double padding = 0, samples = 0, wasted_ns = 0;
    size_t told = 0;

    (void)e;
    for (size_t i = 0; i < c->count; i++) {
        const struct inference *x = &c->inferences[i];

        if (!x->has_context || !x->batch_size || x->padding > x->batch_size)
            continue;
        told++;
        padding += x->padding;
        samples += x->batch_size;
        wasted_ns += (double)x->duration_ns * x->padding / x->batch_size;
    }
    if (told < COUNT_LEAST || padding < SHARE_LEAST * samples)
        return 0;

    struct finding *x = findings_add(f, "padding", FINDING_LOOK);

    x->gain_ns = wasted_ns / (double)told;
    buf_printf(&x->text, "%.0f %% of the samples in batches are padding",
            100 * padding / samples);
    buf_text(&x->detail, "put inputs of like length into one batch, or make "
                         "batches as large as there are samples");
    finding_evidence(x, "padding", padding, "samples");
    finding_evidence(x, "samples", samples, "samples");
    finding_evidence(x, "inferences", (double)told, "inferences");
    return 0;
}
