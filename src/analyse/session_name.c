#include "analyse/session_name.h"

#include <inttypes.h>
#include <string.h>

static bool same_model(const struct summary_session *a,
        const struct summary_session *b)
{
    return a->model && b->model ? strcmp(a->model, b->model) == 0
                                : !a->model && !b->model;
}

static void add_process(struct buf *out, const struct summary *s, uint32_t id)
{
    for (size_t i = 0; i < s->process_count; i++)
        if (s->processes[i].id == id)
            buf_printf(out, ", process %" PRIu32, s->processes[i].pid);
}

static void add_thread(struct buf *out, const struct summary *s,
        const struct summary_session *x)
{
    const char *name = NULL; /* the last one is the one it keeps */

    for (size_t i = 0; i < s->thread_count; i++)
        if (s->threads[i].process == x->process &&
                s->threads[i].thread == x->thread && s->threads[i].text)
            name = s->threads[i].text;
    buf_printf(out, ", thread %" PRIu32, x->thread);
    if (name)
        buf_printf(out, " (%s)", name);
}

void session_name(struct buf *out, const struct summary *s,
        const struct summary_session *x)
{
    bool alike = false, processes = false, threads = x->thread != 0;

    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *y = &s->sessions[i];

        if (y == x || !same_model(x, y))
            continue;
        alike = true;
        processes |= y->process != x->process;
        threads &= y->thread != x->thread;
    }
    if (!alike)
        return;
    buf_printf(out, "session %" PRIu32, x->id);
    if (processes)
        add_process(out, s, x->process);
    else if (threads)
        add_thread(out, s, x);
}
