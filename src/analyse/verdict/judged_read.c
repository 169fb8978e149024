#include "analyse/verdict/judged_read.h"

#include "analyse/measured.h"
#include "base/alloc.h"
#include "base/compiler.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const char *text)
{
    return text ? text : "";
}

/* --- which inferences ----------------------------------------------------- */

static double time_of(const struct summary *s, const char *model)
{
    double ns = 0;

    for (size_t i = 0; i < s->session_count; i++)
        if (strcmp(text_of(s->sessions[i].model), model) == 0)
            ns += s->sessions[i].total_ns;
    return ns;
}

static const char *choose_model(const struct summary *s, const char *part)
{
    const char *best = NULL;

    for (size_t i = 0; i < s->session_count; i++) {
        const char *model = text_of(s->sessions[i].model);

        if (!s->sessions[i].inferences || (part && !strstr(model, part)))
            continue;
        if (!best || time_of(s, model) > time_of(s, best))
            best = model;
    }
    return best;
}

/* Durations, each with the phase of its inference. */
struct phased {
    double *ns;
    uint8_t *phase;
    size_t count, cap;
};

static void phased_add(struct phased *p, uint64_t ns, uint8_t phase)
{
    if (p->count == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 1024;
        p->ns = alloc_resize(p->ns, p->cap * sizeof(*p->ns));
        p->phase = alloc_resize(p->phase, p->cap);
    }
    p->phase[p->count] = phase;
    p->ns[p->count++] = (double)ns;
}

/* Leaves only those of one phase. */
static void phased_keep(struct phased *p, unsigned phase)
{
    size_t kept = 0;

    for (size_t i = 0; i < p->count; i++)
        if (p->phase[i] == phase)
            p->ns[kept++] = p->ns[i];
    p->count = kept;
}

static void phased_release(struct phased *p)
{
    free(p->ns);
    free(p->phase);
}

struct run_reader {
    struct judged_input *in;
    struct counting *counting;
    struct measured measured;
    struct phased all, traced; /* that count; and all that were traced */
    double phase_ns[PHASES];
};

static bool is_of_model(const struct judged_input *in, uint32_t session)
{
    const struct summary *s = &in->summary;

    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].id == session)
            return strcmp(text_of(s->sessions[i].model), in->model) == 0;
    return false;
}

static void take_inference(void *to, const struct inference *i)
{
    struct run_reader *r = to;
    uint8_t phase = i->phase < PHASES ? i->phase : PHASE_OTHER;

    if (i->flags & FLAG_FAILED || !is_of_model(r->in, i->session))
        return;
    if (inference_is_traced(i) && !(i->flags & FLAG_STATS))
        phased_add(&r->traced, i->duration_ns, phase);
    if (!measured_has(&r->measured, i) ||
            counting_of(r->counting, i) == LEFT_OUT)
        return;
    phased_add(&r->all, i->duration_ns, phase);
    r->phase_ns[phase] += (double)i->duration_ns;
}

/* Only those of the phase that took most of the time. */
static void keep_phase(struct run_reader *r)
{
    struct judged_input *in = r->in;

    in->phase = 0;
    for (unsigned i = 1; i < PHASES; i++)
        if (r->phase_ns[i] > r->phase_ns[in->phase])
            in->phase = i;
    phased_keep(&r->all, in->phase);
    phased_keep(&r->traced, in->phase);
    in->count = r->all.count;
    in->ns = alloc_zero(in->count + 1, sizeof(*in->ns));
    for (size_t i = 0; i < in->count; i++)
        in->ns[i] = (uint64_t)r->all.ns[i];
}

/* --- operators ------------------------------------------------------------ */

/* The mean of those whose spread nobody kept. */
static double typical_ns(const struct operator_times *t)
{
    return isnan(t->median_ns) ? t->self_ns / (double)t->count : t->median_ns;
}

/* Medians, which the slow ones do not move: of every operator's runs, times how
 * often it runs in an inference, and of the inferences. */
static void take_operators(struct judged_input *in, const struct phased *traced)
{
    const struct operators *o = &in->summary.operators;
    const struct operator_table *t = NULL;

    for (size_t i = 0; i < in->summary.session_count && !t; i++)
        if (is_of_model(in, in->summary.sessions[i].id))
            t = operators_table(o, in->summary.sessions[i].id);
    if (!t || !t->sums[in->phase].count || !traced->count)
        return;

    double inferences = (double)t->sums[in->phase].count;

    in->operators.items =
            alloc_zero(o->count + 1, sizeof(*in->operators.items));
    in->operators.whole_ns = interval_median(traced->ns, traced->count);
    for (size_t i = 0; i < o->count; i++) {
        const struct operator_figures *f = &o->items[i];
        const struct operator_times *times = &f->times[in->phase];

        if (f->session != t->session || !times->count)
            continue;
        in->operators.items[in->operators.count++] = (struct operator_time){
            .name = text_of(f->name),
            .op_type = text_of(f->op_type),
            .provider = text_of(f->provider),
            .ns = typical_ns(times) * (double)times->count / inferences,
        };
    }
}

/* --- the whole ------------------------------------------------------------ */

static int read_inferences(struct judged_input *in, struct store *s,
        int64_t row, struct error *e)
{
    struct run_reader r = { .in = in };
    int rc = counting_read(&r.counting, s, row, e);

    if (!rc)
        rc = measured_read(&r.measured, s, row, e);
    if (!rc)
        rc = store_each_inference(s, row, take_inference, &r, e);
    if (!rc) {
        keep_phase(&r);
        take_operators(in, &r.traced);
    }
    in->marked = r.measured.count > 0;
    in->warmup = in->marked ? 0 : judged_run_warmup(in->ns, in->count);
    counting_free(r.counting);
    measured_release(&r.measured);
    phased_release(&r.all);
    phased_release(&r.traced);
    return rc;
}

int judged_input_read(struct judged_input *out, struct store *s, int64_t row,
        const char *model, struct error *e)
{
    *out = (struct judged_input){ .count = 0 };

    /* They are gone through six times. */
    int rc = store_hold_inferences(s, row, e);

    if (!rc)
        rc = summary_read_to_compare(&out->summary, s, row, e);
    if (rc) {
        store_drop_inferences(s);
        return rc;
    }
    out->model = choose_model(&out->summary, model);
    if (!out->model && model)
        rc = fail(e, -ENOENT, "run %.8s has no inferences of '%.100s'",
                out->summary.run.id, model);
    out->model = text_of(out->model);
    if (!rc && !out->summary.sweep.count) /* which is of several things */
        rc = read_inferences(out, s, row, e);
    if (!rc)
        rc = conditions_read(out->conditions, &out->summary.usage, s, row, e);
    store_drop_inferences(s);
    if (rc)
        judged_input_release(out);
    return rc;
}

void judged_input_release(struct judged_input *in)
{
    summary_release(&in->summary);
    free(in->ns);
    free(in->operators.items);
    *in = (struct judged_input){ .count = 0 };
}

/* --- figures -------------------------------------------------------------- */

/* What is known of the run as a whole. */
static void whole_figures(double *value, const struct summary *s)
{
    double seconds = (double)(s->last_end_ns - s->first_start_ns) / 1e9;
    double done = (double)(s->inferences - s->failed);
    struct energy_counts counts = summary_energy_counts(s);

    if (seconds > 0 && done >= (double)judged_kinds[JUDGED_RATE].least_in_run &&
            !s->sweep.count)
        value[JUDGED_RATE] = done / seconds;
    if (s->tokens.ttft.count)
        value[JUDGED_TTFT] = s->tokens.ttft_ns;
    if (s->tokens.gaps.count)
        value[JUDGED_TPOT] = s->tokens.tpot_ns;
    if (s->run.peak_rss_bytes)
        value[JUDGED_MEMORY] = (double)s->run.peak_rss_bytes;
    if (s->usage.early_rss_bytes > 0)
        value[JUDGED_GROWTH] =
                s->usage.late_rss_bytes / s->usage.early_rss_bytes;
    if (!s->energy.account.counted || !counts.inferences || s->sweep.count)
        return;

    struct energy_figures f = energy_figures(&s->energy, &counts, &s->prices);

    value[JUDGED_JOULES] = f.inference.gross_j;
    if (s->tokens.count)
        value[JUDGED_TOKEN_JOULES] = f.token.gross_j;
}

void judged_input_measure(struct judged_input *in, size_t from, size_t count)
{
    size_t first = from < in->count ? from : in->count;
    size_t used = in->count - first < count ? in->count - first : count;

    judged_run_measure(&in->run, in->ns + first, used);
    whole_figures(in->run.value, &in->summary);
    in->run.started_ns = in->summary.run.started_wall_ns;
    in->run.memory_ns = in->conditions[CONDITION_MEMORY];
}
