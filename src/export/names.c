#include "export/names.h"

#include "analyse/summary.h"
#include "base/alloc.h"
#include "model/phase.h"
#include "store/replay.h"

#include <stdlib.h>

/* Linux's pids are below 2^22. */
#define OWN_PIDS 0x40000000u

static char *copy(const char *text)
{
    return text ? alloc_text(text) : NULL;
}

static const char *text_at(const struct map *m, uint64_t key)
{
    const uint64_t *found = map_find(m, key);

    return found ? (const char *)(uintptr_t)*found : NULL;
}

/* --- reading -------------------------------------------------------------- */

static void take_process(void *to, const struct process *p)
{
    struct names *n = to;
    uint64_t pid = p->pid;

    if (!pid || map_find(&n->used_pids, pid))
        pid = OWN_PIDS + p->id;
    map_put(&n->used_pids, pid, p->id);
    map_put(&n->pids, p->id, pid);
    if (p->program)
        map_put(&n->programs, p->id, (uintptr_t)alloc_text(p->program));
}

static uint64_t thread_key(uint32_t process, uint32_t thread)
{
    return (uint64_t)process << 32 | thread;
}

/* The last name is the one it keeps. */
static void take_thread(void *to, const struct note *x)
{
    struct names *n = to;
    uint64_t key = thread_key(x->process, x->thread);
    uint64_t *known = map_find(&n->threads, key);

    if (!x->text)
        return;
    if (known)
        free((char *)(uintptr_t)*known);
    map_put(&n->threads, key, (uintptr_t)alloc_text(x->text));
}

static void take_session(void *to, const struct session *x)
{
    struct names *n = to;
    struct named_session *s = alloc_zero(1, sizeof(*s));

    s->model = copy(x->model);
    s->read_ns = x->read_ns;
    map_put(&n->sessions, x->id, (uintptr_t)s);
}

static void take_operator(void *to, const struct operator* o)
{
    struct names *n = to;

    while (n->operator_count < o->id) {
        n->operators = alloc_resize(n->operators,
                (n->operator_count + 1) * sizeof(*n->operators));
        n->operators[n->operator_count++] = (struct operator){ 0 };
    }

    struct operator* x = & n->operators[o->id - 1];

    *x = *o;
    x->name = alloc_text(o->name ? o->name : "");
    x->op_type = alloc_text(o->op_type ? o->op_type : "");
    x->provider = copy(o->provider);
    x->inputs = copy(o->inputs);
    x->outputs = copy(o->outputs);
}

struct subscriber names_subscriber(struct names *n)
{
    return (struct subscriber){ .context = n,
        .process = take_process,
        .thread = take_thread,
        .session = take_session,
        .found_operator = take_operator };
}

int names_read(struct names *n, struct store *s, int64_t run, struct error *e)
{
    const struct subscriber to = names_subscriber(n);

    return store_replay_to(s, run, &to, e);
}

/* --- asking --------------------------------------------------------------- */

uint64_t names_pid(const struct names *n, uint32_t process)
{
    const uint64_t *pid = map_find(&n->pids, process);

    return pid ? *pid : OWN_PIDS + process;
}

const char *names_program(const struct names *n, uint32_t process)
{
    return text_at(&n->programs, process);
}

const char *names_thread(const struct names *n, uint32_t process,
        uint32_t thread)
{
    return text_at(&n->threads, thread_key(process, thread));
}

const struct named_session *names_session(const struct names *n, uint32_t id)
{
    const uint64_t *found = map_find(&n->sessions, id);

    return found ? (const struct named_session *)(uintptr_t)*found : NULL;
}

const char *names_model(const struct names *n, uint32_t session)
{
    const struct named_session *s = names_session(n, session);

    return s ? s->model : NULL;
}

void names_inference(struct buf *out, const struct names *n,
        const struct span *s)
{
    const char *path = names_model(n, s->id);
    char *model = path ? summary_model_name(path) : NULL;

    buf_text(out, model ? model : "model_run");
    if (s->phase != PHASE_OTHER)
        buf_printf(out, ", %s", phase_name(s->phase));
    free(model);
}

const struct operator* names_operator(const struct names *n, uint32_t id)
{
    if (!id || id > n->operator_count || !n->operators[id - 1].name)
        return NULL;
    return &n->operators[id - 1];
}

void names_add_lane(struct buf *out, const struct names *n,
        const struct span *s, uint32_t lane)
{
    const char *name = names_thread(n, s->process, s->thread);

    if (name)
        buf_text(out, name);
    else
        buf_printf(out, "thread %u", s->thread);
    if (lane)
        buf_printf(out, " (%u)", lane + 1);
}

void names_add_process(struct buf *out, const struct names *n,
        const struct process *p)
{
    const char *program = names_program(n, p->id);

    if (program)
        buf_text(out, program);
    else
        buf_printf(out, "process %u", p->pid);
}

/* --- the end -------------------------------------------------------------- */

static void release_texts(struct map *m)
{
    for (size_t i = 0; i < m->cap; i++)
        if (m->entries[i].used)
            free((char *)(uintptr_t)m->entries[i].value);
    map_release(m);
}

static void release_sessions(struct map *m)
{
    for (size_t i = 0; i < m->cap; i++)
        if (m->entries[i].used)
            free(((struct named_session *)(uintptr_t)m->entries[i].value)
                            ->model);
    release_texts(m);
}

void names_release(struct names *n)
{
    for (size_t i = 0; i < n->operator_count; i++) {
        free((char *)n->operators[i].name);
        free((char *)n->operators[i].op_type);
        free((char *)n->operators[i].provider);
        free((char *)n->operators[i].inputs);
        free((char *)n->operators[i].outputs);
    }
    free(n->operators);
    release_texts(&n->programs);
    release_texts(&n->threads);
    release_sessions(&n->sessions);
    map_release(&n->pids);
    map_release(&n->used_pids);
    *n = (struct names){ 0 };
}
