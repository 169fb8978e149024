/* op_sums.c -- what is summed up of traced inferences, and whose timeline is
 * kept as a whole. */
#include "base/alloc.h"
#include "collect/kernels_state.h"

#include <stdlib.h>

/* Timelines of a table take at most so many rows, but for the first. */
#define ROWS_MAX (1 << 18)
/* Where all are wanted, what a few thousand tokens of a decoder are. */
#define ROWS_MAX_WANTED (1 << 20)
/* From so many inferences on it is known which ones are slow. */
#define SLOW_FROM  128
#define SLOW_EVERY 64 /* inferences, until it is found out again */

/* --- operators ------------------------------------------------------------ */

/* Memory for one more value, unless all have too much by now. */
static void add_spread(struct kernels *k, struct op_sum *s, uint64_t self_ns)
{
    uint16_t used = s->spread.used;

    if (s->no_spread)
        return;
    if (k->spread_bytes > SPREAD_BYTES) {
        s->no_spread = true;
        k->spread_bytes -= used * sizeof(*s->spread.bucket);
        hist_part_release(&s->spread);
        return;
    }
    hist_part_add(&s->spread, self_ns);
    k->spread_bytes +=
            (size_t)(s->spread.used - used) * sizeof(*s->spread.bucket);
}

static void add_run(struct kernels *k, struct op *o, uint8_t phase,
        const struct kernel_run *r)
{
    struct op_sum *s = o->sums[phase];

    if (!s)
        s = o->sums[phase] = alloc_zero(1, sizeof(*s));
    if (!s->count || r->self_ns < s->min_ns)
        s->min_ns = r->self_ns;
    if (r->self_ns > s->max_ns)
        s->max_ns = r->self_ns;
    s->count++;
    s->total_ns += r->end_ns - r->start_ns;
    s->self_ns += r->self_ns;
    s->squares += (double)r->self_ns * (double)r->self_ns;
    s->changed = true;
    add_spread(k, s, r->self_ns);
}

/* False: nobody read its shapes. */
static bool count_shape(struct op *o, const struct shape_set *set,
        uint32_t place, uint8_t phase)
{
    uint32_t shape = set && place < set->count ? set->shape[place] : 0;

    if (!shape)
        return false;
    o->shapes[shape - 1].counts[phase]++;
    o->shapes[shape - 1].changed = true;
    return true;
}

/* --- inferences ----------------------------------------------------------- */

static void add_account(struct traced_sum *s, const struct account *a)
{
    s->count++;
    if (a->beside) {
        s->beside++;
        s->beside_run_ns += a->run_ns;
        s->busy_ns += a->busy_ns;
        return;
    }
    s->run_ns += a->run_ns;
    s->before_ns += a->before_ns;
    s->kernels_ns += a->kernels_ns;
    s->flow_ns += a->flow_ns;
    s->between_ns += a->between_ns;
    s->after_ns += a->after_ns;
}

static bool is_power_of_2(uint64_t n)
{
    return n && !(n & (n - 1));
}

/* The first ones, then ever more rarely; and likewise of those that took longer
 * than 99 of 100, and whichever took longest so far. */
static bool is_worth_keeping(struct op_account *a, uint64_t run_ns)
{
    uint64_t count = a->sum.count;
    bool keep = count <= 4 || is_power_of_2(count);

    if (a->slow_ns && run_ns > a->slow_ns) {
        keep |= is_power_of_2(++a->slow) || run_ns > a->slowest_ns;
        if (run_ns > a->slowest_ns)
            a->slowest_ns = run_ns;
    }
    hist_part_add(&a->durations, run_ns);
    if (count >= SLOW_FROM && count % SLOW_EVERY == 0)
        a->slow_ns = hist_part_quantile(&a->durations, 0.99);
    return keep;
}

void op_keep_timeline(struct kernels *k, struct op_table *t,
        const struct kernels_run *run, size_t count)
{
    uint64_t most = k->keeps_timelines ? ROWS_MAX_WANTED : ROWS_MAX;

    if (t->rows_kept && t->rows_kept + count > most)
        return;
    t->rows_kept += count;
    for (size_t i = 0; i < count; i++) {
        const struct kernel_run *r = &k->runs[i];

        k->sink.ran_operator(k->sink.context,
                &(struct operator_run){
                        .inference = run->number,
                        .operator_id = t->ops[r->operator_place].row.id,
                        .thread = r->thread,
                        .depth = r->depth,
                        .start_ns = r->start_ns > run->origin_ns
                                            ? r->start_ns - run->origin_ns
                                            : 0,
                        .raw_unknown = true,
                        .kernel_ns = r->end_ns - r->start_ns,
                        .kernel_known = true,
                });
    }
}

void op_sums_add(struct kernels *k, struct op_table *t,
        const struct kernels_run *run, const struct account *account,
        const struct record *traced, const struct shape_set *shapes,
        size_t count)
{
    struct op_account *a = &t->accounts[run->phase];
    bool shapes_known = true;

    add_account(&a->sum, account);
    a->sum.operator_runs += count;
    a->sum.cost_ns += traced->traced.cost;
    a->changed = t->changed = true;
    for (size_t i = 0; i < count; i++) {
        uint32_t place = k->runs[i].operator_place;

        add_run(k, &t->ops[place], run->phase, &k->runs[i]);
        shapes_known &= count_shape(&t->ops[place], shapes, place, run->phase);
    }
    a->sum.shapeless += !shapes_known;
    if (is_worth_keeping(a, account->run_ns) || k->keeps_timelines)
        op_keep_timeline(k, t, run, count);
}

void op_sums_lose(struct kernels *k, const struct kernels_run *run,
        uint64_t doubtful)
{
    struct op_table *t = op_table_find(k, run->session);
    uint64_t key = (uint64_t)run->session << 8 | run->phase;
    uint64_t *lost = map_find(&k->lost, key);

    if (!t && run->identity)
        t = op_table_of(k, run, 0);
    if (!t) { /* who its equals are is not known yet */
        map_put(&k->lost, key, lost ? *lost + 1 : 1);
        return;
    }
    t->accounts[run->phase].sum.lost++;
    t->accounts[run->phase].sum.doubtful += doubtful;
    t->accounts[run->phase].changed = t->changed = true;
}

/* --- telling of them ------------------------------------------------------ */

static void tell_operator_sums(struct kernels *k, const struct op *o)
{
    for (unsigned phase = 0; phase < PHASES; phase++) {
        struct op_sum *s = o->sums[phase];

        if (!s || !s->changed)
            continue;
        s->changed = false;
        buf_clear(&k->text);
        if (!s->no_spread)
            hist_part_write(&s->spread, &k->text);
        k->sink.operator_sum(k->sink.context,
                &(struct operator_sum){
                        .operator_id = o->row.id,
                        .phase = (uint8_t)phase,
                        .count = s->count,
                        .total_ns = s->total_ns,
                        .self_ns = s->self_ns,
                        .min_ns = s->min_ns,
                        .max_ns = s->max_ns,
                        .squares = s->squares,
                        .spread = s->no_spread ? NULL : buf_cstr(&k->text),
                });
    }
}

void op_sums_tell(struct kernels *k, struct op_table *t)
{
    if (!t->changed)
        return;
    t->changed = false;
    for (unsigned phase = 0; phase < PHASES; phase++) {
        struct op_account *a = &t->accounts[phase];

        if (!a->changed)
            continue;
        a->changed = false;
        a->sum.session = t->session;
        a->sum.phase = (uint8_t)phase;
        k->sink.traced_sum(k->sink.context, &a->sum);
    }
    for (uint32_t i = 0; i < t->count; i++) {
        tell_operator_sums(k, &t->ops[i]);
        op_shapes_tell(k, &t->ops[i]);
    }
}
