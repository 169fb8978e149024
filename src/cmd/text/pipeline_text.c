#include "cmd/text/pipeline_text.h"

#include "base/alloc.h"
#include "cmd/text/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void line(struct buf *out, const struct pipeline *p, const char *name,
        const struct pipeline_part *part)
{
    char text[32];
    double value;

    term_left(out, name, 32);
    term_right(out, term_count(text, part->count), 10);
    term_right(out, term_duration(text, (double)part->duration_ns), 12);
    if (pipeline_time_share(&value, p, part))
        buf_printf(out, "  %5.1f %%", value);
    if (part->has_energy)
        buf_printf(out, "  %10.4g mJ", part->energy_mj);
    if (pipeline_energy_share(&value, p, part))
        buf_printf(out, "  %5.1f %%", value);
    if (pipeline_power(&value, part))
        buf_printf(out, "  %8.4g W", value / 1e3);
    buf_char(out, '\n');
}

static void add(struct pipeline_part *to, const struct pipeline_part *x)
{
    to->has_energy = x->has_energy && (to->has_energy || !to->count);
    to->energy_mj += x->energy_mj;
    to->duration_ns += x->duration_ns;
    to->count += x->count;
}

/* By phase and name. */
static int compare(const void *a, const void *b)
{
    const struct pipeline_section *x = a, *y = b;

    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    return strcmp(x->name, y->name);
}

void pipeline_text(struct buf *out, const struct pipeline *p, bool colours)
{
    struct pipeline_section *sorted = alloc_zero(p->count, sizeof(*sorted));

    memcpy(sorted, p->sections, p->count * sizeof(*sorted));
    qsort(sorted, p->count, sizeof(*sorted), compare);
    buf_printf(out, "%s%-32s%10s%12s   share%s\n",
            term_style(colours, TERM_DIM), "phase and section", "count", "time",
            term_style(colours, TERM_PLAIN));
    for (size_t i = 0; i < p->count;) {
        const struct pipeline_section *first = &sorted[i];
        struct pipeline_part sum = { 0 };
        struct buf name = { 0 };

        if (!i || sorted[i - 1].phase != first->phase) {
            buf_text(out, term_style(colours, TERM_BOLD));
            line(out, p, phase_name((enum phase)first->phase),
                    &p->phases[first->phase]);
            buf_text(out, term_style(colours, TERM_PLAIN));
        }
        for (; i < p->count && compare(&sorted[i], first) == 0; i++)
            add(&sum, &sorted[i].part);
        buf_printf(&name, "  %s", first->name);
        line(out, p, buf_cstr(&name), &sum);
        buf_release(&name);
    }
    line(out, p, "all", &p->total);
    free(sorted);
}
