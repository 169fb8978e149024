#include "cmd/text/deep_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS_MAX  64
#define LAYERS_MAX 256

struct step {
    char name[48];  /* "attention softmax" */
    uint64_t ns[2]; /* in the run's own graph, and in the other */
};

struct attention {
    double entropy, largest, sparsity; /* in the mean of its heads */
    uint32_t layer;
};

struct deep_sums {
    struct step steps[STEPS_MAX];
    size_t step_count;
    struct attention layers[LAYERS_MAX];
    size_t layer_count;
    bool other; /* graph: there is one */
    bool whole; /* attention is one operator */
};

static struct step *step_of(struct deep_sums *d, const char *name)
{
    size_t i = 0;

    while (i < d->step_count && strcmp(d->steps[i].name, name) != 0)
        i++;
    if (i == STEPS_MAX)
        return NULL;
    if (i == d->step_count) {
        (void)snprintf(d->steps[i].name, sizeof(d->steps[i].name), "%s", name);
        d->step_count++;
    }
    return &d->steps[i];
}

/* Of all tokens together: those have rows of their own. */
static void take(void *to, const struct deep_operation_metric *x)
{
    struct deep_sums *d = to;
    char name[48];
    struct step *s;

    if (x->place.in_token || !x->operation_type || !x->operation_name)
        return;
    (void)snprintf(name, sizeof(name), "%s %s", x->operation_type,
            x->operation_name);
    s = step_of(d, name);
    if (s)
        s->ns[x->graph != NULL] += x->duration_ns;
    d->other |= x->graph != NULL;
    d->whole |= strcmp(name, "attention fused") == 0;
    if (!isnan(x->attention_entropy) && x->place.in_layer &&
            d->layer_count < LAYERS_MAX)
        d->layers[d->layer_count++] = (struct attention){
            x->attention_entropy,
            x->max_attention_weight,
            x->attention_sparsity,
            x->place.layer_index,
        };
}

static void step_lines(struct buf *out, const struct deep_sums *d)
{
    uint64_t sum[2] = { 0, 0 };

    buf_printf(out, "\ninside the layers %33s%s\n", "as it ran",
            d->other ? "   unfused graph" : "");
    for (size_t i = 0; i <= d->step_count; i++) {
        bool last = i == d->step_count;
        const uint64_t *ns = last ? sum : d->steps[i].ns;

        buf_printf(out, "  %-38s", last ? "together" : d->steps[i].name);
        for (int k = 0; k < (d->other ? 2 : 1); k++) {
            if (ns[k])
                buf_printf(out, " %*.3f ms", k ? 12 : 7, (double)ns[k] / 1e6);
            else
                buf_printf(out, " %*s   ", k ? 12 : 7, "-");
            if (!last)
                sum[k] += ns[k];
        }
        buf_char(out, '\n');
    }
}

static void attention_lines(struct buf *out, const struct deep_sums *d)
{
    if (d->whole && !d->layer_count)
        buf_text(out,
                "attention is one operator in this model: its scores, mask and "
                "weights cannot be seen\n");
    if (!d->layer_count)
        return;
    buf_text(out, "\nattention     entropy   largest weight   weights below "
                  "0.01\n");
    for (size_t i = 0; i < d->layer_count; i++) {
        const struct attention *a = &d->layers[i];

        buf_printf(out, "  layer %-3u %6.3f nats %13.3f %15.1f %%\n", a->layer,
                a->entropy, a->largest, 1e2 * a->sparsity);
    }
}

int deep_text(struct buf *out, struct store *s, int64_t run, struct error *e)
{
    struct deep_sums d = { 0 };
    int rc = store_each_deep_operation(s, run, take, &d, e);

    if (rc || !d.step_count)
        return rc;
    step_lines(out, &d);
    attention_lines(out, &d);
    return 0;
}
