/* activations.c -- what outputs held, in an inference that was looked at. */
#include "base/buf.h"
#include "collect/kernels_state.h"

#include <math.h>

struct head_lists {
    struct buf entropy, largest, sparsity;
    uint32_t count; /* heads that are in them */
};

static void add_number(struct buf *list, double number)
{
    buf_printf(list, "%s%.9g", list->len ? "," : "[", number);
}

/* Of a kernel's output; they come in order. */
static void add_heads(struct head_lists *l, const struct record *r)
{
    if (r->heads.first != l->count)
        return;
    for (unsigned i = 0; i < r->flags && i < HEADS_EACH; i++) {
        const struct record_head *h = &r->heads.head[i];

        if (!isfinite(h->entropy) || !isfinite(h->largest) ||
                !isfinite(h->sparsity))
            return;
        add_number(&l->entropy, (double)h->entropy);
        add_number(&l->largest, (double)h->largest);
        add_number(&l->sparsity, (double)h->sparsity);
        l->count++;
    }
}

static void end_list(struct buf *list)
{
    buf_char(list, ']');
}

/* False: there are none, or not all. */
static bool find_heads(struct head_lists *l, const struct pending *trace,
        const struct record *stats)
{
    uint32_t heads = 0;

    for (size_t i = 0; i < trace->other_count; i++) {
        const struct record *r = &trace->others[i];

        if (r->kind != RECORD_HEADS || r->heads.kernel != stats->stats.kernel ||
                r->heads.index != stats->stats.index)
            continue;
        heads = r->heads.heads;
        add_heads(l, r);
    }
    if (!heads || l->count != heads)
        return false;
    end_list(&l->entropy);
    end_list(&l->largest);
    end_list(&l->sparsity);
    return true;
}

static void tell(struct kernels *k, const struct kernels_run *run,
        uint32_t operator_id, const struct record *r,
        const struct pending *trace, bool any_heads)
{
    bool any = r->stats.read > (uint64_t)r->stats.nans + r->stats.infinities;
    struct head_lists heads = { 0 };
    struct activation x = {
        .inference = run->number,
        .operator_id = operator_id,
        .output = r->stats.index,
        .type = r->stats.type,
        .elements = r->stats.elements,
        .read = r->stats.read,
        .nans = r->stats.nans,
        .infinities = r->stats.infinities,
        .near_zero = r->stats.near_zero,
        .mean_abs = any ? (double)r->stats.mean_abs : NAN,
        .std_dev = any ? (double)r->stats.std_dev : NAN,
        .max_abs = any ? (double)r->stats.max_abs : NAN,
        .cost_ns = r->stats.cost,
        .negative = r->stats.negative,
        .negative_known = true,
    };

    if (any_heads && find_heads(&heads, trace, r)) {
        x.entropy_per_head = buf_cstr(&heads.entropy);
        x.largest_per_head = buf_cstr(&heads.largest);
        x.sparsity_per_head = buf_cstr(&heads.sparsity);
    }
    k->sink.activation(k->sink.context, &x);
    buf_release(&heads.entropy);
    buf_release(&heads.largest);
    buf_release(&heads.sparsity);
}

void kernels_tell_activations(struct kernels *k, struct process_kernels *p,
        const struct op_table *t, const struct kernels_run *run,
        const struct pending *trace)
{
    uint64_t with_heads = 0; /* the kernel that had some last */

    for (size_t i = 0; i < trace->other_count; i++) {
        const struct record *r = &trace->others[i];

        if (r->kind == RECORD_HEADS)
            with_heads = r->heads.kernel;
        if (r->kind != RECORD_STATS)
            continue;

        const struct kernel *x = kernels_find(p, r->stats.kernel);

        if (x && x->table == t)
            tell(k, run, t->ops[x->place].row.id, r, trace,
                    with_heads == r->stats.kernel);
    }
}
