#include "cmd/text/energy_text.h"

#include "analyse/operators/energy_places.h"
#include "base/compiler.h"
#include "model/phase.h"

#include <math.h>
#include <stdio.h>

#define WIDTH 26 /* of a name in a list */

char *energy_amount(char out[16], double joules)
{
    static const struct {
        double size;
        const char *unit;
    } units[] = { { 1e6, "MJ" }, { 1e3, "kJ" }, { 1, "J" }, { 1e-3, "mJ" },
        { 1e-6, "µJ" }, { 1e-9, "nJ" } };

    if (!isfinite(joules)) {
        (void)snprintf(out, 16, "–");
        return out;
    }
    for (size_t i = 0; i < LEN(units); i++) {
        double value = joules / units[i].size;
        int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

        if (fabs(value) >= 0.9995 || i + 1 == LEN(units)) {
            (void)snprintf(out, 16, "%.*f %s", decimals, value, units[i].unit);
            break;
        }
    }
    return out;
}

static void amount(const struct page *p, double joules)
{
    char text[16];

    buf_text(p->out, energy_amount(text, joules));
}

static void line(const struct page *p, const char *name, double joules)
{
    char text[16];

    buf_text(p->out, "    ");
    term_left(p->out, name, WIDTH);
    term_right(p->out, energy_amount(text, joules), 10);
}

/* --- where there is nothing ----------------------------------------------- */

/* A line; `why`: and one for each source that might have been. */
static void no_source(const struct page *p, const struct run_energy *r,
        bool why)
{
    buf_text(p->out, "    no energy source");
    if (!why && r->reason_count) {
        buf_printf(p->out, "; why: ortmeter doctor (%zu were looked for)\n",
                r->reason_count);
        return;
    }
    buf_char(p->out, '\n');
    for (size_t i = 0; i < r->reason_count; i++) {
        buf_text(p->out, "                    ");
        term_left(p->out, r->reasons[i].what, 14);
        buf_char(p->out, ' ');
        term_text(p->out, r->reasons[i].why);
        buf_char(p->out, '\n');
    }
    if (!r->reason_count)
        buf_printf(p->out, "                    %s\n",
                r->sampled ? "no sensor told anything"
                           : "nothing was sampled in this run");
}

/* --- in a report ---------------------------------------------------------- */

static void total(const struct page *p, const struct run_energy *r,
        const struct energy_figures *f)
{
    const struct energy_account *a = &r->account;

    amount(p, f->total_j);
    buf_printf(p->out, " %s", reading_method_name(a->method));
    if (a->low_factor > 0) {
        buf_text(p->out, ", somewhere between ");
        amount(p, f->total_j * a->low_factor);
        buf_text(p->out, " and ");
        amount(p, f->total_j * a->high_factor);
    }
    buf_printf(p->out, "   mean %.3g W", a->mean_watts);
    if (a->point_count)
        buf_printf(p->out, ", peak %.3g W", a->peak_watts);
    if (a->covered_ns + 1000000 < a->end_ns - a->start_ns)
        buf_printf(p->out, "   covers %.1f %% of the time",
                100.0 * (double)a->covered_ns /
                        (double)(a->end_ns - a->start_ns));
    buf_char(p->out, '\n');
}

static void each(const struct page *p, const char *name,
        const struct energy_each *x)
{
    if (isnan(x->gross_j))
        return;
    buf_printf(p->out, "%s ", name);
    amount(p, x->gross_j);
    if (!isnan(x->net_j)) {
        buf_text(p->out, " (net ");
        amount(p, x->net_j);
        buf_char(p->out, ')');
    }
    buf_text(p->out, "   ");
}

void energy_lines(const struct page *p, const struct summary *s)
{
    const struct run_energy *r = &s->energy;

    if (!r->sampled)
        return;
    page_label(p, "energy");
    if (!r->account.counted) {
        no_source(p, r, false);
        return;
    }

    struct energy_counts n = summary_energy_counts(s);
    struct energy_figures f = energy_figures(r, &n, &s->prices);

    buf_text(p->out, "    ");
    total(p, r, &f);
    page_label(p, "");
    buf_text(p->out, "    ");
    each(p, "an inference", &f.inference);
    each(p, "a token", &f.token);
    buf_printf(p->out, "%s\n",
            reading_method_name(run_energy_phase(r, PHASES).method));
    if (!isnan(f.grams) || !isnan(f.cost)) {
        page_label(p, "");
        buf_text(p->out, "    ");
        if (!isnan(f.grams))
            buf_printf(p->out, "%.3g g CO2e in %s (%g g/kWh)   ", f.grams,
                    s->prices.grid->name, s->prices.grid->grams_per_kwh);
        if (!isnan(f.cost))
            buf_printf(p->out, "costs %.3g", f.cost);
        buf_char(p->out, '\n');
    }
}

/* --- the full account ----------------------------------------------------- */

static void share(const struct page *p, double part, double whole)
{
    if (whole > 0)
        buf_printf(p->out, "  %5.1f %%", 100 * part / whole);
}

static void account_lines(const struct page *p, const struct attribution *a)
{
    struct attribution_lines l = attribution_lines(a);
    const struct {
        const char *name;
        uint64_t uj;
        bool known;
        const char *why;
    } rows[] = {
        { "idle machine", l.idle_uj, a->idle_known,
                "not calibrated: see ortmeter calibrate" },
        { "other processes", l.other_uj, a->other_known,
                "the CPU time of others is not known" },
        { "in no known work", l.unattributed_uj, true, "" },
        { "inferences and loading", l.attributed_uj, true, "" },
        { "total", l.total_uj, true, "" },
    };

    buf_text(p->out, "  whose it was\n");
    for (size_t i = 0; i < LEN(rows); i++) {
        if (rows[i].known) {
            line(p, rows[i].name, (double)rows[i].uj / 1e6);
            share(p, (double)rows[i].uj, (double)l.total_uj);
        } else {
            buf_text(p->out, "    ");
            term_left(p->out, rows[i].name, WIDTH);
            buf_printf(p->out, "    %s", rows[i].why);
        }
        buf_char(p->out, '\n');
    }
    buf_printf(p->out, "    %s\n",
            attribution_adds_up(a) ? "adds up to the microjoule"
                                   : "DOES NOT ADD UP");
}

static void sum_line(const struct page *p, const char *name,
        const struct energy_sum *x, const struct run_energy *r)
{
    char text[16];

    if (!x->gross_uj)
        return;
    line(p, name, (double)x->gross_uj / 1e6);
    share(p, (double)x->gross_uj, (double)r->account.attribution.total_uj);
    if (r->account.attribution.idle_known)
        buf_printf(p->out, "  net %s",
                energy_amount(text, (double)x->net_uj / 1e6));
    if (x->count)
        buf_printf(p->out, "  %s each",
                energy_amount(text,
                        (double)x->gross_uj / 1e6 / (double)x->count));
    buf_printf(p->out, "  %s\n", reading_method_name(x->method));
}

static void phases(const struct page *p, const struct run_energy *r)
{
    struct energy_sum loading = run_energy_work(r, ENERGY_LOAD);
    struct energy_sum sections = run_energy_work(r, ENERGY_SECTION);

    buf_text(p->out, "  while it was drawn\n");
    sum_line(p, "loading models", &loading, r);
    for (unsigned i = 0; i < PHASES; i++) {
        struct energy_sum x = run_energy_phase(r, i);
        char name[40];

        (void)snprintf(name, sizeof(name), "inferences, %s",
                phase_name((enum phase)i));
        sum_line(p, name, &x, r);
    }
    sum_line(p, "sections", &sections, r);
}

static void components(const struct page *p, const struct energy_account *a)
{
    buf_text(p->out, "  by what\n");
    for (int i = 0; i < ZONE_PARTS; i++) {
        if (!a->part_uj[i])
            continue;
        line(p, zone_part_name((enum zone_part)i), (double)a->part_uj[i] / 1e6);
        share(p, (double)a->part_uj[i], (double)a->attribution.total_uj);
        buf_char(p->out, '\n');
    }
}

static void operators(const struct page *p, const struct summary *s)
{
    size_t shown = 0;

    for (size_t i = 0; i < s->operators.count && shown < PAGE_LINES; i++) {
        const struct operator_figures *o = &s->operators.items[i];
        struct energy_sum x = run_energy_operator(&s->energy, o->id);

        if (!x.count || o->contains)
            continue;
        if (!shown++)
            buf_text(p->out,
                    "  operators, by their part of the traced inferences\n");
        sum_line(p, o->name ? o->name : "?", &x, &s->energy);
    }
}

static void places(const struct page *p, const struct summary *s)
{
    struct energy_places x;

    energy_places_find(&x, s);
    if (x.any)
        buf_text(p->out, "  layers and components\n");
    for (size_t i = 0; i < x.layer_count && i < PAGE_LINES; i++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "layer %zu", i);
        sum_line(p, name, &x.layers[i], &s->energy);
    }
    for (int i = 0; i < ARCH_COMPONENTS; i++)
        sum_line(p, arch_component_name((enum arch_component)i),
                &x.components[i], &s->energy);
    energy_places_release(&x);
}

static void sensors(const struct page *p, const struct energy_account *a)
{
    buf_text(p->out, "  sensors\n");
    for (size_t i = 0; i < a->zone_count; i++) {
        const struct account_zone *z = &a->zones[i];

        line(p, z->zone.name, z->window.covered_ns ? z->window.joules : NAN);
        buf_printf(p->out, "  %s, %s, %s", z->zone.source,
                zone_role_name(z->zone.role), reading_method_name(z->method));
        if (z->period_ns)
            buf_printf(p->out, ", moves %s %.3g ms",
                    z->period_resolved ? "every" : "at least every",
                    (double)z->period_ns / 1e6);
        if (z->window.faulty_ns)
            buf_printf(p->out, ", invalid for %.3g s",
                    (double)z->window.faulty_ns / 1e9);
        if (z->window.missing_ns)
            buf_printf(p->out, ", silent for %.3g s",
                    (double)z->window.missing_ns / 1e9);
        if (z->idle_known)
            buf_printf(p->out, ", idle %.3g W", z->idle_watts);
        buf_char(p->out, '\n');
    }
}

static void rates(const struct page *p, const struct energy_figures *f)
{
    if (!isnan(f->inferences_per_watt))
        buf_printf(p->out, "  %.3g inferences a second for each watt",
                f->inferences_per_watt);
    if (!isnan(f->flops_per_watt))
        buf_printf(p->out, ", %.3g GFLOPS for each watt",
                f->flops_per_watt / 1e9);
    if (!isnan(f->delay_product_js))
        buf_printf(p->out, ", energy-delay product %.3g Js",
                f->delay_product_js);
    buf_char(p->out, '\n');
}

static void held_back(const struct page *p, const struct throttling *t)
{
    for (size_t i = 0; i < t->count && i < PAGE_LINES; i++) {
        if (!i)
            buf_text(p->out, "  held back\n");
        buf_printf(p->out, "    from %.1f s to %.1f s, by the %s",
                (double)t->items[i].start_ns / 1e9,
                (double)t->items[i].end_ns / 1e9,
                throttle_sign_name(t->items[i].sign));
        if (t->items[i].depth > 0)
            buf_printf(p->out, ", %.0f %%", 100 * t->items[i].depth);
        buf_char(p->out, '\n');
    }
}

void energy_text(struct buf *out, const struct summary *s, double flops,
        bool colours)
{
    const struct page page = { out, colours };
    const struct page *p = &page;
    const struct run_energy *r = &s->energy;

    buf_printf(out, "energy of run %.8s\n", s->run.id);
    if (!r->account.counted) {
        no_source(p, r, true);
        held_back(p, &r->throttling);
        return;
    }

    struct energy_counts n = summary_energy_counts(s);

    n.flops = flops;

    struct energy_figures f = energy_figures(r, &n, &s->prices);

    energy_lines(p, s);
    if (r->account.low_factor > 0)
        buf_printf(out, "  modelled from %s\n", r->account.basis);
    rates(p, &f);
    account_lines(p, &r->account.attribution);
    if (r->by != ENERGY_BY_BUSY)
        buf_printf(out,
                "    work shares by %s, known of %.1f %% of its time; the rest "
                "by busy time\n",
                energy_by_names[r->by], 100 * r->by_known);
    phases(p, r);
    components(p, &r->account);
    operators(p, s);
    places(p, s);
    sensors(p, &r->account);
    held_back(p, &r->throttling);
    for (size_t i = 0; i < r->reason_count; i++)
        buf_printf(out, "    %s: %s\n", r->reasons[i].what, r->reasons[i].why);
    if (s->prices.grid && s->prices.grid->year)
        buf_printf(out, "  carbon intensity of %s in %d: %s\n",
                s->prices.grid->name, s->prices.grid->year,
                s->prices.grid->source);
}
