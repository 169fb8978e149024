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

/* A section by its names. */
struct named {
    uint8_t phase;
    char outer[SECTION_KIND_MAX]; /* that it is in; "": in none */
    char name[SECTION_KIND_MAX];
    struct pipeline_part part;
};

/* Those within a section come behind it. */
static int compare(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->outer[0] ? x->outer : x->name,
            y->outer[0] ? y->outer : y->name);

    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    if (!order && !x->outer[0] != !y->outer[0])
        return x->outer[0] ? 1 : -1;
    return order ? order : strcmp(x->name, y->name);
}

static struct named *list_names(const struct pipeline *p)
{
    struct named *names = alloc_zero(p->count + 1, sizeof(*names));

    for (size_t i = 0; i < p->count; i++) {
        const struct pipeline_section *x = &p->sections[i];

        names[i].phase = x->phase;
        names[i].part = x->part;
        section_kind(names[i].name, x->name);
        if (x->parent && x->parent <= p->count)
            section_kind(names[i].outer, p->sections[x->parent - 1].name);
    }
    qsort(names, p->count, sizeof(*names), compare);
    return names;
}

void pipeline_text(struct buf *out, const struct pipeline *p, bool colours)
{
    struct named *names = list_names(p);

    buf_printf(out, "%s%-32s%10s%12s   share%s\n",
            term_style(colours, TERM_DIM), "phase and section", "count", "time",
            term_style(colours, TERM_PLAIN));
    for (size_t i = 0; i < p->count;) {
        const struct named *first = &names[i];
        struct pipeline_part sum = { 0 };
        struct buf name = { 0 };

        if (!i || names[i - 1].phase != first->phase) {
            buf_text(out, term_style(colours, TERM_BOLD));
            line(out, p, phase_name((enum phase)first->phase),
                    &p->phases[first->phase]);
            buf_text(out, term_style(colours, TERM_PLAIN));
        }
        for (; i < p->count && compare(&names[i], first) == 0; i++)
            add(&sum, &names[i].part);
        buf_printf(&name, "%s%s", first->outer[0] ? "    " : "  ", first->name);
        line(out, p, buf_cstr(&name), &sum);
        buf_release(&name);
    }
    line(out, p, "all", &p->total);
    free(names);
}
