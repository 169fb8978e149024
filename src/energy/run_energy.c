#include "energy/run_energy.h"

#include "base/alloc.h"
#include "energy/input/input.h"
#include "energy/recorder.h"
#include "model/phase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODEL_PERIOD_NS 1000000000 /* how busy it is is kept so often */

/* --- into an account ------------------------------------------------------ */

/* Our part of the CPU time, second by second, where both are known. */
static size_t make_shares(struct cpu_share **out, const struct energy_input *g)
{
    size_t count = 0;

    *out = alloc_zero(g->second_cap + 1, sizeof(**out));
    for (size_t i = 0; i < g->second_cap && g->cores; i++) {
        const struct input_second *x = &g->seconds[i];
        double busy = x->host_busy * g->cores;

        if (!x->own_seen || !x->host_seen || !(busy > 0))
            continue;
        (*out)[count++] = (struct cpu_share){
            .start_ns = i * UINT64_C(1000000000),
            .end_ns = (i + 1) * UINT64_C(1000000000),
            .own = fmin(x->own_cores / busy, 1),
        };
    }
    return count;
}

/* A GPU that tells the watts of the CPU beside it sits in the same package, and
 * NPUs always do. */
static bool is_built_in(const struct energy_input *g,
        const struct input_subject *x)
{
    if (x->kind != SUBJECT_DEVICE)
        return false;
    if (zone_part_of(x->name) == ZONE_NPU)
        return true;
    for (size_t i = 0; i < g->subject_count; i++)
        if (g->subjects[i].parent == x->id &&
                strcmp(g->subjects[i].name, "cpu") == 0)
            return true;
    return false;
}

/* A model knows what it takes for idle. */
static const double *idle_of(const struct input_subject *x,
        const double *calibrated)
{
    if (x->model.high_factor > 0)
        return &x->model.idle_watts;
    return isnan(*calibrated) ? NULL : calibrated;
}

static size_t make_sensors(struct account_sensor *out,
        const struct energy_input *g, const double *idle)
{
    size_t count = 0;

    for (size_t i = 0; i < g->subject_count; i++) {
        const struct input_subject *x = &g->subjects[i];

        if (!x->joules.count && !x->watts.count)
            continue;
        out[count++] = (struct account_sensor){
            .zone = { .subject = x->id,
                    .parent = x->parent,
                    .part = strcmp(x->source, "battery") == 0
                                    ? ZONE_WHOLE
                                    : zone_part_of(x->name),
                    .name = x->name,
                    .source = x->source,
                    .built_in = is_built_in(g, x),
                    .has_joules = x->joules.count > 0 },
            .joules = x->joules.items,
            .joules_count = x->joules.count,
            .watts = x->watts.items,
            .watts_count = x->watts.count,
            .idle_watts = idle_of(x, &idle[i]),
            .method = x->method,
            .sensor.period_ns =
                    x->model.high_factor > 0 ? MODEL_PERIOD_NS : x->period_ns,
            .sensor.means = strcmp(x->source, ENERGY_SOURCE_METER) == 0,
            .low_factor = x->model.low_factor,
            .high_factor = x->model.high_factor,
            .basis = x->model.basis,
        };
    }
    return count;
}

/* By busy time, there are no rates. */
static int make_rates(double **out, const struct energy_input *g,
        const struct energy_key *key, struct error *e)
{
    *out = NULL;
    g->out->by_known = 1;
    if (!key || key->by == ENERGY_BY_BUSY)
        return 0;
    *out = alloc_zero(g->out->class_count + 1, sizeof(**out));
    return input_rates(*out, g, key, e);
}

static int build(struct energy_input *g, const double *idle,
        const struct energy_key *key, struct store *s, struct error *e)
{
    struct account_sensor *sensors =
            alloc_zero(g->subject_count + 2, sizeof(*sensors));
    struct cpu_share *shares = NULL;
    size_t share_count = make_shares(&shares, g);
    size_t count = make_sensors(sensors, g, idle);
    struct account_input in = {
        .sensors = sensors,
        .sensor_count = count,
        .spans = g->spans,
        .span_count = g->span_count,
        .splits = g->splits,
        .split_count = g->split_count,
        .class_count = g->out->class_count,
        .owner_count = (uint32_t)g->inference_count + 1,
        .shares = shares,
        .share_count = share_count,
        .end_ns = g->duration_ns ? g->duration_ns : g->last_ns,
    };

    double *rate = NULL;

    energy_account_plan(&in);

    int rc = input_place(g, sensors, count, s, e);

    if (!rc)
        rc = make_rates(&rate, g, key, e);
    in.rate = rate;
    if (!rc)
        energy_account_build(&g->out->account, &in);
    for (size_t i = 0; i < count; i++)
        free((void *)sensors[i].here);
    free(sensors);
    free(shares);
    free(rate);
    return rc;
}

/* The phase that most of a point's time was spent in; live_phase.h does the
 * same while it runs. */
static void tag_point(struct account_point *p, const struct energy_input *g,
        size_t *from)
{
    uint64_t ns[PHASES] = { 0 };

    /* Spans are by start, and none is looked at again that ended before. */
    while (*from < g->span_count && g->spans[*from].end_ns <= p->start_ns)
        ++*from;
    for (size_t i = *from;
            i < g->span_count && g->spans[i].start_ns < p->end_ns; i++) {
        const struct work_span *x = &g->spans[i];
        uint64_t start = x->start_ns > p->start_ns ? x->start_ns : p->start_ns;
        uint64_t end = x->end_ns < p->end_ns ? x->end_ns : p->end_ns;
        const struct energy_class *c = &g->out->classes[x->work_class];

        if (end > start && c->work != ENERGY_OPERATOR)
            ns[c->phase] += end - start;
    }
    p->phase = phase_of_most(ns);
}

static void tag_points(struct energy_input *g)
{
    size_t from = 0;

    for (size_t i = 0; i < g->out->account.point_count; i++)
        tag_point(&g->out->account.points[i], g, &from);
}

/* What was gathered, into an account. */
static int account(struct energy_input *g, struct store *s,
        const struct energy_key *key, struct error *e)
{
    double *idle = alloc_zero(g->subject_count + 1, sizeof(*idle));
    int rc = input_idle(idle, g, s, e);

    if (!rc) {
        input_model(g);
        input_meter(g);
        throttle_watch_finish(g->throttle, &g->out->throttling);
        rc = build(g, idle, key, s, e);
    }
    if (!rc)
        tag_points(g);
    free(idle);
    return rc;
}

static int read_into(struct energy_input *g, struct store *s,
        const struct energy_key *key, struct error *e)
{
    struct run_energy *out = g->out;

    *out = (struct run_energy){ 0 };

    int rc = input_read(g, s, g->run, e);

    if (!rc && (!g->only_joules || input_has_power(g)))
        rc = account(g, s, key, e);
    input_release(g);
    if (rc)
        run_energy_release(out);
    return rc;
}

int run_energy_read(struct run_energy *out, struct store *s, int64_t run,
        struct error *e)
{
    struct energy_input g = { .out = out, .run = run };

    return read_into(&g, s, NULL, e);
}

int run_energy_read_joules(struct run_energy *out, struct store *s, int64_t run,
        struct error *e)
{
    struct energy_input g = { .out = out, .run = run, .only_joules = true };

    return read_into(&g, s, NULL, e);
}

int run_energy_read_by(struct run_energy *out, struct store *s, int64_t run,
        const struct energy_key *key, struct error *e)
{
    struct energy_input g = { .out = out, .run = run };

    return read_into(&g, s, key, e);
}

int run_energy_read_ended(struct run_energy *out, struct store *s,
        const struct run *run, struct error *e)
{
    struct energy_input g = { .out = out,
        .run = run->row,
        .duration_ns = run->duration_ns };

    return read_into(&g, s, NULL, e);
}

void run_energy_release(struct run_energy *r)
{
    for (size_t i = 0; i < r->reason_count; i++) {
        free(r->reasons[i].what);
        free(r->reasons[i].why);
    }
    free(r->reasons);
    free(r->classes);
    free(r->inferences);
    throttling_release(&r->throttling);
    energy_account_release(&r->account);
    *r = (struct run_energy){ 0 };
}

/* --- asking --------------------------------------------------------------- */

static void add(struct energy_sum *sum, const struct run_energy *r, uint32_t i)
{
    const struct class_energy *c = &r->account.attribution.classes[i];

    sum->gross_uj += c->own_uj + c->idle_uj + c->other_uj;
    sum->net_uj += c->own_uj;
    sum->busy_s += c->busy_s;
    sum->error_j = hypot(sum->error_j, c->error_j);
}

/* Judged by how long one of them takes. */
static struct energy_sum judged(struct energy_sum sum,
        const struct run_energy *r)
{
    double each_ns = sum.count ? sum.busy_s * 1e9 / (double)sum.count : 0;

    sum.method = energy_account_method(&r->account, (uint64_t)each_ns);
    return sum;
}

struct energy_sum run_energy_phase(const struct run_energy *r, unsigned phase)
{
    struct energy_sum sum = { 0 };

    for (uint32_t i = 1; i < r->class_count && r->account.counted; i++) {
        const struct energy_class *c = &r->classes[i];

        if ((c->work != ENERGY_INFERENCE && c->work != ENERGY_OPERATOR) ||
                (phase != PHASES && c->phase != phase))
            continue;
        add(&sum, r, i);
        if (c->work == ENERGY_INFERENCE)
            sum.count += c->count;
    }
    return judged(sum, r);
}

struct energy_sum run_energy_operator(const struct run_energy *r, uint32_t id)
{
    struct energy_sum sum = { 0 };

    for (uint32_t i = 1; i < r->class_count && r->account.counted; i++) {
        const struct energy_class *c = &r->classes[i];

        if (c->work != ENERGY_OPERATOR || c->operator_id != id)
            continue;
        add(&sum, r, i);
        sum.count += c->count;
    }
    return judged(sum, r);
}

struct energy_sum run_energy_work(const struct run_energy *r,
        enum energy_work work)
{
    struct energy_sum sum = { 0 };

    for (uint32_t i = 0; i < r->class_count && r->account.counted; i++) {
        if (r->classes[i].work != work)
            continue;
        add(&sum, r, i);
        sum.count += r->classes[i].count;
    }
    return judged(sum, r);
}

double run_energy_inference(const struct run_energy *r, uint64_t number,
        double *net_j)
{
    const struct attribution *a = &r->account.attribution;

    if (number >= a->owner_count) {
        *net_j = 0;
        return 0;
    }
    *net_j = a->owner_own_j[number];
    return a->owner_all_j[number];
}

double run_energy_between(const struct run_energy *r, uint64_t from_ns,
        uint64_t to_ns)
{
    double sum = 0, net = 0;

    for (uint64_t i = 1; i <= r->inference_count; i++)
        if (r->inferences[i].end_ns > from_ns &&
                r->inferences[i].end_ns <= to_ns)
            sum += run_energy_inference(r, i, &net);
    return sum;
}
