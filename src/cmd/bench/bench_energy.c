#include "cmd/bench/bench_energy.h"

#include "analyse/verdict/limit_to_bench.h"
#include "base/alloc.h"
#include "cmd/bench/bench_scaling.h"
#include "cmd/text/energy_text.h"
#include "cmd/text/term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH  12
#define COLUMN_WIDTH 13

/* --- reading -------------------------------------------------------------- */

struct reader {
    const struct bench_report *report;
    const struct run_energy *energy;
    size_t sections; /* that were found */
    struct sum {
        double gross_j, net_j;
        uint64_t count, length_ns;
        bool unknown; /* of some of it */
    } * sums;         /* of each row */
};

/* All inferences that began in a stretch of time, together. */
static void add(struct sum *to, const struct run_energy *r, uint64_t start_ns,
        uint64_t end_ns)
{
    for (uint64_t i = 1; i <= r->inference_count; i++) {
        const struct run_inference *x = &r->inferences[i];
        double net = 0;

        if (x->start_ns < start_ns || x->start_ns > end_ns)
            continue;
        to->gross_j += run_energy_inference(r, i, &net);
        to->net_j += net;
        to->length_ns += x->end_ns - x->start_ns;
        to->count++;
    }
    to->unknown |=
            isnan(energy_account_between(&r->account, start_ns, end_ns)) != 0;
}

static void finish(struct bench_energy *out, const struct run_energy *r,
        const struct sum *x)
{
    if (!x->count || x->unknown)
        return;
    out->inference_j = x->gross_j / (double)x->count;
    if (r->account.attribution.idle_known)
        out->net_j = x->net_j / (double)x->count;
    out->method = energy_account_method(&r->account, x->length_ns / x->count);
}

/* The worker has a section for each row, in their order, in each round. */
static void take_section(void *to, const struct section *x)
{
    struct reader *r = to;

    if (!x->name || strcmp(x->name, MEASURED_SECTION) != 0)
        return;
    add(&r->sums[r->sections++ % r->report->row_count], r->energy, x->start_ns,
            x->start_ns + x->duration_ns);
}

int bench_energy_read(struct bench_energy *out, const struct bench_report *r,
        const struct summary *s, struct store *store, struct error *e)
{
    struct reader reader = { .report = r, .energy = &s->energy };

    for (size_t i = 0; i < r->row_count; i++)
        out[i] = (struct bench_energy){
            .inference_j = NAN,
            .net_j = NAN,
            .samples = r->rows[i].batch ? r->rows[i].batch : 1,
        };
    if (!s->energy.account.counted || !r->row_count)
        return 0;
    reader.sums = alloc_zero(r->row_count, sizeof(*reader.sums));

    int rc = store_each_section(store, s->run.row, take_section, &reader, e);

    for (size_t i = 0; i < r->row_count && !rc; i++)
        finish(&out[i], &s->energy, &reader.sums[i]);
    free(reader.sums);
    return rc;
}

/* --- telling -------------------------------------------------------------- */

void bench_energy_json(struct json *j, const struct bench_energy *x,
        const struct summary *s)
{
    const struct energy_account *a = &s->energy.account;

    if (isnan(x->inference_j))
        return;
    json_object(j, "energy");
    json_real(j, "per_inference_j", x->inference_j);
    json_real(j, "per_sample_j", x->inference_j / x->samples);
    json_real(j, "samples_per_j", x->samples / x->inference_j);
    json_real(j, "net_per_inference_j", x->net_j);
    json_real(j, "net_per_sample_j", x->net_j / x->samples);
    json_text(j, "method", reading_method_name(x->method));
    if (a->low_factor > 0) {
        json_real(j, "low_factor", a->low_factor);
        json_real(j, "high_factor", a->high_factor);
    }
    json_end(j);
}

static void cell(struct buf *out, double joules)
{
    char text[16];

    term_right(out, energy_amount(text, joules), COLUMN_WIDTH);
}

static void rate(struct buf *out, double samples_per_j)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%.4g", samples_per_j);
    term_right(out, isnan(samples_per_j) ? "–" : text, COLUMN_WIDTH);
}

/* What tells a row from the others: its level, or its batch. */
static const char *name_of(char out[16], const struct bench_report *r, size_t i)
{
    if (r->rows[0].level != r->rows[r->row_count - 1].level)
        return bench_level_name(r->rows[i].level);
    (void)snprintf(out, 16, "batch %u", r->rows[i].batch);
    return out;
}

static void table(struct buf *out, const struct bench_energy *rows,
        const struct bench_report *r)
{
    static const char *const names[] = { "", "an inference", "a sample",
        "net a sample", "samples/J" };
    size_t best = 0;
    char name[16];

    for (size_t i = 0; i < LEN(names); i++)
        term_right(out, names[i], COLUMN_WIDTH);
    buf_char(out, '\n');
    for (size_t i = 0; i < r->row_count; i++) {
        const struct bench_energy *x = &rows[i];

        term_right(out, name_of(name, r, i), COLUMN_WIDTH);
        cell(out, x->inference_j);
        cell(out, x->inference_j / x->samples);
        cell(out, x->net_j / x->samples);
        rate(out, x->samples / x->inference_j);
        buf_printf(out, "  %s\n",
                isnan(x->inference_j) ? "" : reading_method_name(x->method));
        if (!(x->inference_j / x->samples >=
                    rows[best].inference_j / rows[best].samples))
            best = i;
    }
    buf_printf(out, "  thriftiest  %s\n", name_of(name, r, best));
}

static void line(struct buf *out, const struct bench_energy *x)
{
    char text[16];

    buf_printf(out, "%s an inference", energy_amount(text, x->inference_j));
    if (x->samples > 1)
        buf_printf(out, ", %s a sample",
                energy_amount(text, x->inference_j / x->samples));
    if (!isnan(x->net_j))
        buf_printf(out, " (net %s)", energy_amount(text, x->net_j));
    buf_printf(out, ", %.4g samples/J   %s\n", x->samples / x->inference_j,
            reading_method_name(x->method));
}

void bench_energy_text(struct buf *out, const struct bench_energy *rows,
        const struct bench_report *r, const struct summary *s, bool asked)
{
    const struct energy_account *a = &s->energy.account;
    bool known = false;

    for (size_t i = 0; i < r->row_count; i++)
        known |= !isnan(rows[i].inference_j);
    if (!known && !asked)
        return;
    if (known && r->row_count > 1)
        buf_text(out, "\n  energy\n");
    else
        buf_printf(out, "\n  %-*s", LABEL_WIDTH, "energy");
    if (!known) {
        buf_text(out, a->counted ? "no sensor told of what was measured\n"
                                 : "no energy source: ortmeter doctor says "
                                   "why\n");
        return;
    }
    if (r->row_count == 1)
        line(out, &rows[0]);
    else
        table(out, rows, r);
    if (a->low_factor > 0)
        buf_printf(out,
                "  an estimate, somewhere between %.2g and %.2g times this\n",
                a->low_factor, a->high_factor);
}
