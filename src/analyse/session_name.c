#include "analyse/session_name.h"

#include <inttypes.h>
#include <stdlib.h>
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
    bool levels = false;

    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *y = &s->sessions[i];

        if (y == x || !same_model(x, y))
            continue;
        alike = true;
        processes |= y->process != x->process;
        threads &= y->thread != x->thread;
        levels |= session_level(y) != session_level(x);
    }
    if (!alike)
        return;
    buf_printf(out, "session %" PRIu32, x->id);
    if (levels && session_level(x) != SWEEP_NO_LEVEL)
        buf_printf(out, ", level %s", sweep_level_name(session_level(x)));
    if (processes)
        add_process(out, s, x->process);
    else if (threads)
        add_thread(out, s, x);
}

void session_model(struct buf *out, const struct summary_session *x)
{
    char *name = summary_model_name(x->model ? x->model : "(from memory)");

    buf_text(out, name);
    free(name);
}

void session_full_name(struct buf *out, const struct summary *s,
        const struct summary_session *x)
{
    struct buf which = { 0 };

    session_model(out, x);
    session_name(&which, s, x);
    if (which.len)
        buf_printf(out, ", %s", buf_cstr(&which));
    buf_release(&which);
}

int session_level(const struct summary_session *x)
{
    static const char key[] = "\"graph_optimization_level\":";
    const char *at = x->options ? strstr(x->options, key) : NULL;

    return at ? (int)strtol(at + strlen(key), NULL, 10) : SWEEP_NO_LEVEL;
}

/* --- tables of operators -------------------------------------------------- */

static const struct summary_session *first_of(const struct summary *s,
        const struct operator_table *t)
{
    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].id == t->session)
            return &s->sessions[i];
    return NULL;
}

static bool shares(const struct summary *s, const struct summary_session *x,
        const struct operator_table *t)
{
    return x->inferences && operators_table(&s->operators, x->id) == t;
}

static void add_sessions(struct buf *out, const struct summary *s,
        const struct operator_table *t)
{
    size_t count = 0;

    for (size_t i = 0; i < s->session_count; i++)
        count += shares(s, &s->sessions[i], t);
    buf_text(out, count == 1 ? ", session" : ", sessions");
    for (size_t i = 0; i < s->session_count; i++)
        if (shares(s, &s->sessions[i], t))
            buf_printf(out, " %" PRIu32, s->sessions[i].id);
}

void session_table_name(struct buf *out, const struct summary *s,
        const struct operator_table *t)
{
    const struct summary_session *x = first_of(s, t);
    bool alike = false, levels = false;

    if (s->operators.table_count < 2 || !x)
        return;
    for (size_t i = 0; i < s->operators.table_count; i++) {
        const struct operator_table *other = &s->operators.tables[i];
        const struct summary_session *y = first_of(s, other);

        if (other == t || !y || !same_model(x, y))
            continue;
        alike = true;
        levels |= session_level(x) != session_level(y);
    }
    session_model(out, x);
    if (alike)
        add_sessions(out, s, t);
    if (levels && session_level(x) != SWEEP_NO_LEVEL)
        buf_printf(out, ", level %s", sweep_level_name(session_level(x)));
}

struct range session_table_batches(const struct summary *s,
        const struct operator_table *t)
{
    struct range all = { 0 };

    for (size_t i = 0; i < s->session_count; i++) {
        const struct range *x = &s->sessions[i].batch;

        if (!shares(s, &s->sessions[i], t) || !x->count)
            continue;
        all.min = !all.count || x->min < all.min ? x->min : all.min;
        all.max = x->max > all.max ? x->max : all.max;
        all.sum += x->sum;
        all.count += x->count;
    }
    return all;
}
