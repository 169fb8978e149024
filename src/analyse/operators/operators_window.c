#include "analyse/operators/operators_window.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

struct reader {
    struct operators_window *out;
    const struct operators *all;
    uint64_t from_ns, to_ns;
    struct map ended;  /* inferences that did in it: session and phase */
    struct map places; /* of operators */
    uint64_t number;   /* the inference whose runs are coming */
    /* What lies in the operator that is still to come, by depth. */
    struct inner {
        double ns;
        uint32_t thread;
        bool any;
    } inner[DEPTH_MAX + 1];
};

static void take_inference(void *to, const struct inference *i)
{
    struct reader *r = to;
    uint64_t end_ns = i->start_ns + i->duration_ns;

    if (end_ns >= r->from_ns && end_ns < r->to_ns && !(i->flags & FLAG_FAILED))
        map_put(&r->ended, i->number,
                (uint64_t)i->session << 8 |
                        (i->phase < PHASES ? i->phase : PHASE_OTHER));
}

/* Inner ones come before the one that they are in. */
static double self_of(struct reader *r, const struct operator_run *x,
        double total)
{
    uint32_t depth = x->depth < DEPTH_MAX ? x->depth : DEPTH_MAX - 1;
    struct inner *in = &r->inner[depth + 1], *beside = &r->inner[depth];
    double self = total;

    if (in->any && in->thread == x->thread) {
        self = total > in->ns ? total - in->ns : 0;
        *in = (struct inner){ 0 };
    }
    if (beside->thread != x->thread)
        *beside = (struct inner){ .thread = x->thread };
    beside->ns += total;
    beside->any = true;
    return self;
}

static void add(struct operator_window_times *t, double total, double self)
{
    t->count++;
    t->total_ns += total;
    t->self_ns += self;
}

static void count(struct reader *r, uint32_t session, unsigned phase)
{
    const struct operator_table *t = operators_table(r->all, session);
    size_t place = t ? (size_t)(t - r->all->tables) : r->all->table_count;

    r->out->inferences[place][phase]++;
    r->out->inferences[place][PHASES]++;
}

static void take_run(void *to, const struct operator_run *x)
{
    struct reader *r = to;
    const uint64_t *ended = map_find(&r->ended, x->inference);
    const uint64_t *place = map_find(&r->places, x->operator_id);
    double total = (double)(x->kernel_known ? x->kernel_ns : x->raw_ns);

    if (!ended || !place || x->in_cycles)
        return;

    unsigned phase = *ended & 0xff;

    if (r->number != x->inference) {
        r->number = x->inference;
        memset(r->inner, 0, sizeof(r->inner));
        count(r, (uint32_t)(*ended >> 8), phase);
    }

    double self = self_of(r, x, total);

    add(&r->out->times[*place][phase], total, self);
    add(&r->out->times[*place][PHASES], total, self);
}

int operators_window_read(struct operators_window *out,
        const struct operators *all, struct store *s, int64_t run,
        uint64_t from_ns, uint64_t to_ns, struct error *e)
{
    struct reader r = { .out = out,
        .all = all,
        .from_ns = from_ns,
        .to_ns = to_ns };
    int rc;

    *out = (struct operators_window){
        .inferences = alloc_zero(all->table_count + 1,
                sizeof(*out->inferences)), /* the last: of none */
        .times = alloc_zero(all->count + 1, sizeof(*out->times)),
    };
    for (size_t i = 0; i < all->count; i++)
        map_put(&r.places, all->items[i].id, i);
    rc = store_each_inference_within(s, run, from_ns, to_ns, take_inference, &r,
            e);
    if (!rc)
        rc = store_each_operator_run(s, run, take_run, &r, e);
    map_release(&r.ended);
    map_release(&r.places);
    if (rc)
        operators_window_release(out);
    return rc;
}

void operators_window_release(struct operators_window *w)
{
    free(w->inferences);
    free(w->times);
    *w = (struct operators_window){ 0 };
}

static void apply_to(struct operator_times *t,
        const struct operator_window_times *w)
{
    free(t->spread);
    *t = (struct operator_times){
        .count = w->count,
        .total_ns = w->total_ns,
        .self_ns = w->self_ns,
    };
}

void operators_window_apply(const struct operators_window *w,
        struct operators *all)
{
    for (size_t k = 0; k < all->table_count; k++) {
        struct operator_table *t = &all->tables[k];

        for (int p = 0; p <= PHASES; p++) {
            t->sums[p] = (struct traced_sum){ .count = w->inferences[k][p] };
            t->self_ns[p] = 0;
        }
    }
    for (size_t i = 0; i < all->count; i++)
        for (int p = 0; p <= PHASES; p++) {
            struct operator_figures *o = &all->items[i];

            apply_to(&o->times[p], &w->times[i][p]);
            for (size_t k = 0; k < all->table_count; k++)
                if (all->tables[k].session == o->session)
                    all->tables[k].self_ns[p] += w->times[i][p].self_ns;
        }
}
