#include "cmd/bench/bench_scaling.h"

#include "analyse/trade_off.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

double bench_row_per_s(const struct bench_row *row)
{
    return row->wall_ns
                   ? (double)row->service.count * 1e9 / (double)row->wall_ns
                   : 0;
}

double bench_row_samples_per_s(const struct bench_row *row)
{
    return bench_row_per_s(row) * (row->batch ? row->batch : 1);
}

uint64_t bench_row_memory_bytes(const struct bench_row *row)
{
    return row->arena_known ? row->arena.max_in_use_bytes : row->peak_rss_bytes;
}

const char *bench_level_name(enum ort_level level)
{
    switch (level) {
    case ORT_LEVEL_OFF: return "disabled";
    case ORT_LEVEL_BASIC: return "basic";
    case ORT_LEVEL_EXTENDED: return "extended";
    case ORT_LEVEL_ALL: return "all";
    }
    return "?";
}

/* What a bound of latency is about is the slow ones: of few, the slowest. */
static double slow_ns(const struct spread_figures *f)
{
    return isnan(f->p99) ? f->max : f->p99;
}

static void weigh_up(struct bench_scaling *out, const struct bench_report *r,
        const struct bench_energy *energy, double bound_ns)
{
    struct trade_off all[BENCH_BATCHES_MAX];

    for (size_t i = 0; i < r->row_count; i++)
        all[i] = (struct trade_off){
            .latency_ns = slow_ns(&r->rows[i].service),
            .per_s = bench_row_samples_per_s(&r->rows[i]),
            .joules = energy[i].inference_j / energy[i].samples,
        };
    trade_off_best(out->best, all, r->row_count);
    out->within = bound_ns > 0 ? trade_off_within(all, r->row_count, bound_ns)
                               : r->row_count;
    out->thrifty = trade_off_thrifty(all, r->row_count);
}

bool bench_scaling(struct bench_scaling *out, const struct bench_report *r,
        const struct bench_energy *energy, double bound_ns)
{
    struct line_point *times = alloc_zero(r->row_count + 1, sizeof(*times));
    struct line_point *memory = alloc_zero(r->row_count + 1, sizeof(*memory));
    size_t with_memory = 0;

    *out = (struct bench_scaling){ 0 };
    for (size_t i = 0; i < r->row_count; i++) {
        const struct bench_row *row = &r->rows[i];
        uint64_t bytes = bench_row_memory_bytes(row);

        times[i] = (struct line_point){ row->batch, row->service.median };
        if (bytes)
            memory[with_memory++] =
                    (struct line_point){ row->batch, (double)bytes };
        if (bench_row_samples_per_s(row) >
                bench_row_samples_per_s(&r->rows[out->fastest]))
            out->fastest = i;
    }
    /* What gets cheaper as it gets more is noise. */
    out->time_known = line_fit(&out->time_ns, times, r->row_count) &&
                      out->time_ns.each > 0;
    out->memory_known = with_memory == r->row_count &&
                        line_fit(&out->memory_bytes, memory, with_memory) &&
                        out->memory_bytes.each > 0;
    weigh_up(out, r, energy, bound_ns);
    free(times);
    free(memory);
    return r->row_count > 1 && r->rows[0].batch != r->rows[1].batch;
}
