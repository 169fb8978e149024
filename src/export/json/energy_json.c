#include "export/json/energy_json.h"

#include "model/phase.h"

#include <math.h>

static void joules(struct json *j, const char *key, uint64_t uj)
{
    json_fixed(j, key, (double)uj / 1e6, 6);
}

/* NaN is left out with its key. */
static void real(struct json *j, const char *key, double value)
{
    json_real(j, key, value);
}

static void reasons(struct json *j, const struct run_energy *r)
{
    json_array(j, "reasons");
    for (size_t i = 0; i < r->reason_count; i++) {
        json_object(j, NULL);
        json_text(j, "source", r->reasons[i].what);
        json_text(j, "reason", r->reasons[i].why);
        json_end(j);
    }
    if (!r->reason_count && !r->sampled) {
        json_object(j, NULL);
        json_text(j, "source", "all");
        json_text(j, "reason", "nothing was sampled in this run");
        json_end(j);
    }
    json_end(j);
}

static void bounds(struct json *j, const struct energy_account *a)
{
    double total_j = (double)a->attribution.total_uj / 1e6;

    if (!(a->low_factor > 0))
        return;
    json_object(j, "bounds");
    json_fixed(j, "low_j", total_j * a->low_factor, 6);
    json_fixed(j, "high_j", total_j * a->high_factor, 6);
    json_text(j, "basis", a->basis);
    json_end(j);
}

/* They add up to the total. */
static void lines(struct json *j, const struct run_energy *r)
{
    const struct attribution *a = &r->account.attribution;
    struct attribution_lines l = attribution_lines(a);

    json_object(j, "account");
    joules(j, "total_j", l.total_uj);
    if (a->idle_known)
        joules(j, "idle_j", l.idle_uj);
    if (a->other_known)
        joules(j, "other_processes_j", l.other_uj);
    joules(j, "unattributed_j", l.unattributed_uj);
    joules(j, "attributed_j", l.attributed_uj);
    json_bool(j, "adds_up", attribution_adds_up(a));
    json_text(j, "shared_by", energy_by_names[r->by]);
    if (r->by != ENERGY_BY_BUSY)
        json_fixed(j, "shared_by_known", r->by_known, 4);
    json_end(j);
}

static void each(struct json *j, const char *key, const struct energy_each *x,
        enum reading_method method)
{
    if (isnan(x->gross_j))
        return;
    json_object(j, key);
    real(j, "gross_j", x->gross_j);
    real(j, "net_j", x->net_j);
    json_text(j, "method", reading_method_name(method));
    json_end(j);
}

static void sum(struct json *j, const char *key, const struct energy_sum *x,
        const struct run_energy *r)
{
    if (!x->count && !x->gross_uj)
        return;
    json_object(j, key);
    if (x->count)
        json_u64(j, "count", x->count);
    joules(j, "gross_j", x->gross_uj);
    if (r->account.attribution.idle_known)
        joules(j, "net_j", x->net_uj);
    json_text(j, "method", reading_method_name(x->method));
    json_end(j);
}

static void breakdown(struct json *j, const struct run_energy *r)
{
    static const char *const works[ENERGY_WORKS] = {
        [ENERGY_OUTSIDE] = "outside",
        [ENERGY_LOAD] = "loading",
        [ENERGY_SECTION] = "sections",
        [ENERGY_INFERENCE] = "inferences_without_operators",
        [ENERGY_OPERATOR] = "operators",
    };

    json_object(j, "phases");
    for (unsigned i = 0; i < PHASES; i++) {
        struct energy_sum x = run_energy_phase(r, i);

        sum(j, phase_name((enum phase)i), &x, r);
    }
    json_end(j);
    json_object(j, "work");
    for (int i = 0; i < ENERGY_WORKS; i++) {
        struct energy_sum x = run_energy_work(r, (enum energy_work)i);

        sum(j, works[i], &x, r);
    }
    json_end(j);
    json_object(j, "components");
    for (int i = 0; i < ZONE_PARTS; i++)
        if (r->account.part_uj[i])
            joules(j, zone_part_name((enum zone_part)i), r->account.part_uj[i]);
    json_end(j);
}

static void sensor(struct json *j, const struct account_zone *z)
{
    json_object(j, NULL);
    json_text(j, "name", z->zone.name);
    json_text(j, "source", z->zone.source);
    json_text(j, "component", zone_part_name(z->zone.part));
    json_text(j, "role", zone_role_name(z->zone.role));
    json_text(j, "method", reading_method_name(z->method));
    if (z->window.covered_ns) {
        json_fixed(j, "energy_j", z->window.joules, 6);
        json_fixed(j, "mean_w", z->mean_watts, 3);
    }
    json_fixed(j, "covered_s", (double)z->window.covered_ns / 1e9, 6);
    json_fixed(j, "invalid_s", (double)z->window.faulty_ns / 1e9, 6);
    json_fixed(j, "missing_s", (double)z->window.missing_ns / 1e9, 6);
    json_u64(j, "updates", z->window.updates);
    json_text(j, "alone", z->window.sufficient ? "sufficient" : "insufficient");
    if (z->period_ns) {
        json_fixed(j, "update_period_s", (double)z->period_ns / 1e9, 6);
        json_bool(j, "update_period_observed", z->period_resolved);
    }
    if (z->idle_known)
        json_fixed(j, "idle_w", z->idle_watts, 3);
    json_end(j);
}

static void sensors(struct json *j, const struct energy_account *a)
{
    json_array(j, "sensors");
    for (size_t i = 0; i < a->zone_count; i++)
        sensor(j, &a->zones[i]);
    json_end(j);
    json_array(j, "power");
    for (size_t i = 0; i < a->point_count; i++) {
        json_object(j, NULL);
        json_fixed(j, "time_s", (double)a->points[i].start_ns / 1e9, 6);
        json_fixed(j, "watts", a->points[i].watts, 3);
        json_text(j, "phase", phase_name(a->points[i].phase));
        json_end(j);
    }
    json_end(j);
}

/* How its clock was put on ours. */
static void meter(struct json *j, const struct run_energy *r)
{
    if (!r->meter_seen)
        return;
    json_object(j, "meter");
    json_text(j, "clock",
            r->meter_set       ? "set by hand"
            : r->meter_aligned ? "aligned by load"
                               : "as it is");
    if (r->meter_aligned)
        json_fixed(j, "offset_s", (double)r->meter_offset_ns / 1e9, 6);
    json_end(j);
}

static void throttling(struct json *j, const struct throttling *t)
{
    if (!t->count)
        return;
    json_object(j, "throttling");
    json_fixed(j, "seconds", (double)throttling_ns(t) / 1e9, 6);
    json_array(j, "intervals");
    for (size_t i = 0; i < t->count; i++) {
        json_object(j, NULL);
        json_fixed(j, "start_s", (double)t->items[i].start_ns / 1e9, 6);
        json_fixed(j, "end_s", (double)t->items[i].end_ns / 1e9, 6);
        json_text(j, "sign", throttle_sign_name(t->items[i].sign));
        if (t->items[i].depth > 0)
            json_fixed(j, "depth", t->items[i].depth, 4);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void prices_json(struct json *j, const struct energy_figures *f,
        const struct energy_prices *p)
{
    if (p->price_per_kwh > 0) {
        json_object(j, "cost");
        real(j, "amount", f->cost);
        real(j, "price_per_kwh", p->price_per_kwh);
        json_end(j);
    }
    if (!p->grid)
        return;
    json_object(j, "carbon");
    real(j, "grams_co2e", f->grams);
    real(j, "grams_per_kwh", p->grid->grams_per_kwh);
    json_text(j, "region", p->grid->name);
    if (p->grid->year)
        json_int(j, "year", p->grid->year);
    json_text(j, "source", p->grid->source);
    if (p->pue > 1)
        real(j, "pue", p->pue);
    real(j,
            f->sci.complete ? "sci_grams_per_inference"
                            : "operational_grams_per_inference",
            f->sci.grams_per_unit);
    json_end(j);
}

void energy_json(struct json *j, const char *key, const struct run_energy *r,
        const struct energy_counts *n, const struct energy_prices *p, bool all)
{
    const struct energy_account *a = &r->account;

    json_object(j, key);
    if (!a->counted) {
        json_text(j, "status", "no energy source");
        reasons(j, r);
        throttling(j, &r->throttling);
        json_end(j);
        return;
    }

    struct energy_figures f = energy_figures(r, n, p);
    enum reading_method single = run_energy_phase(r, PHASES).method;

    json_text(j, "status", reading_method_name(a->method));
    json_fixed(j, "total_j", f.total_j, 6);
    real(j, "net_j", f.net_j);
    bounds(j, a);
    json_fixed(j, "duration_s", (double)(a->end_ns - a->start_ns) / 1e9, 6);
    json_fixed(j, "covered_s", (double)a->covered_ns / 1e9, 6);
    json_fixed(j, "mean_w", a->mean_watts, 3);
    if (a->point_count) {
        json_fixed(j, "peak_w", a->peak_watts, 3);
        json_fixed(j, "last_w", a->last_watts, 3);
    }
    lines(j, r);
    real(j, "idle_share", f.idle_share);
    each(j, "per_inference", &f.inference, single);
    each(j, "per_sample", &f.sample, single);
    each(j, "per_token", &f.token, single);
    real(j, "inferences_per_s_per_w", f.inferences_per_watt);
    real(j, "flops_per_w", f.flops_per_watt);
    real(j, "energy_delay_product_js", f.delay_product_js);
    breakdown(j, r);
    prices_json(j, &f, p);
    throttling(j, &r->throttling);
    meter(j, r);
    if (all)
        sensors(j, a);
    if (r->reason_count)
        reasons(j, r);
    json_end(j);
}
