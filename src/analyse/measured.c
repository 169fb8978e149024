#include "analyse/measured.h"

#include "analyse/verdict/limit_to_bench.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void take_section(void *to, const struct section *x)
{
    struct measured *m = to;

    if (!x->name || strcmp(x->name, MEASURED_SECTION) != 0)
        return;
    m->windows = alloc_resize(m->windows, (m->count + 1) * sizeof(*m->windows));
    m->windows[m->count++] = (struct measured_window){ x->process, x->start_ns,
        x->start_ns + x->duration_ns };
}

int measured_read(struct measured *out, struct store *s, int64_t run,
        struct error *e)
{
    *out = (struct measured){ 0 };
    return store_each_section(s, run, take_section, out, e);
}

bool measured_has(const struct measured *m, const struct inference *i)
{
    for (size_t n = 0; n < m->count; n++) {
        const struct measured_window *w = &m->windows[n];

        if (w->process == i->process && i->start_ns >= w->start_ns &&
                i->start_ns <= w->end_ns)
            return true;
    }
    return !m->count;
}

void measured_release(struct measured *m)
{
    free(m->windows);
    *m = (struct measured){ 0 };
}
