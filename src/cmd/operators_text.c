#include "cmd/operators_text.h"

#include "analyse/fusion.h"
#include "analyse/placement.h"

#include <math.h>
#include <stdio.h>

static void operator_line(const struct page *p, const struct operator_sum *o,
        double all_ns)
{
    char share[16];

    (void)snprintf(share, sizeof(share), "%.1f %%",
            all_ns > 0 ? 100 * o->self_ns / all_ns : 0);
    buf_text(p->out, "    ");
    term_right(p->out, share, 7);
    page_duration_column(p, o->self_ns / (double)o->count);
    buf_text(p->out, "  ");
    term_left(p->out, o->op_type ? o->op_type : "?", 16);
    buf_printf(p->out, " %s\n", o->name ? o->name : "");
}

static void operator_account(const struct page *p,
        const struct operator_account *a)
{
    double rest =
            a->plain_median_ns - a->typical_kernels_ns - a->typical_flow_ns;

    page_label(p, "time");
    buf_text(p->out, "    operators ");
    if (a->plain_inferences) {
        page_duration(p, a->typical_kernels_ns);
        if (a->typical_flow_ns > 0) {
            buf_text(p->out, " + control flow ");
            page_duration(p, a->typical_flow_ns);
        }
        buf_text(p->out, rest >= 0        ? " + runtime "
                         : a->overlapping ? " - side by side "
                                          : " - slowed by looking at least ");
        page_duration(p, fabs(rest));
        buf_text(p->out, " = ");
        page_duration(p, a->plain_median_ns);
        buf_text(p->out, " an inference");
    } else {
        page_duration(p, a->kernels_ns / (double)a->inferences);
    }
    buf_printf(p->out, "  (%s, from %llu looked into)\n",
            operator_method_name(a->method), (unsigned long long)a->inferences);
}

/* What was meant for another provider and ran on the CPU; what became of the
 * nodes of the model's file. */
static void placed(const struct page *p, const struct summary *s,
        const struct summary_session *x)
{
    struct placement where;
    struct fusion f;

    if (!placement_find(&where, &s->operators, x->id, x->providers))
        return;
    if (where.fell_back) {
        page_label(p, "fallback");
        page_style(p, TERM_YELLOW);
        buf_printf(p->out,
                "    %llu operators ran on the CPU that another provider was "
                "asked for first: %.1f %% of the time\n",
                (unsigned long long)where.fallback_operators,
                100 * where.fallback_ns / where.kernels_ns);
        page_style(p, TERM_PLAIN);
    }
    if (x->model && !fusion_of_session(&f, s, x, NULL)) {
        page_label(p, "nodes");
        buf_printf(p->out,
                "    %llu in the file; %llu ran: %llu as they are, %zu fused "
                "from %llu, %llu put in\n",
                (unsigned long long)f.file_nodes, (unsigned long long)f.ran,
                (unsigned long long)f.kept, f.group_count,
                (unsigned long long)f.fused, (unsigned long long)f.inserted);
        fusion_release(&f);
    }
}

void operators_text(const struct page *p, const struct summary *s)
{
    const struct operators *o = &s->operators;
    double all_ns = 0;
    size_t shown = 0;

    if (!o->count)
        return;
    buf_char(p->out, '\n');
    for (size_t i = 0; i < o->account_count; i++)
        if (o->accounts[i].inferences)
            operator_account(p, &o->accounts[i]);
    for (size_t i = 0; i < o->count; i++)
        all_ns += o->items[i].self_ns;
    for (size_t i = 0; i < o->count && shown < PAGE_LINES; i++) {
        if (o->items[i].self_ns <= 0)
            continue;
        page_label(p, shown++ ? "" : "operators");
        operator_line(p, &o->items[i], all_ns);
    }
    if (o->count > shown) {
        page_label(p, "");
        buf_printf(p->out, "    of %zu; all with --json\n", o->count);
    }
    for (size_t i = 0; i < s->session_count; i++)
        placed(p, s, &s->sessions[i]);
}
