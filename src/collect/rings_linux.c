/* rings_linux.c -- all rings of a folder: found, emptied in an order that keeps
 * what a process wrote in its order, and cleared away. */
#include "base/alloc.h"
#include "collect/rings_state.h"
#include "os/clock.h"
#include "os/ticks.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* New files are looked for that often, and who died among the writers of a
 * ring; strangers are looked at that often. */
#define LOOK_EVERY_NS     10000000
#define SWEEP_EVERY_NS    100000000
#define UNHOOKED_EVERY_NS 1000000000

/* A ring is young when it may fill faster than is known yet. */
#define YOUNG_NS    200000000
#define RECORDS_MAX (1 << 16)

/* --- the clock ------------------------------------------------------------ */

static void look_at_clocks(struct rings *r)
{
    uint64_t ticks, ns;

    if (r->counts_ticks && ticks_and_ns(&ticks, &ns))
        tick_line_add(&r->line, ticks, ns);
}

uint32_t rings_ticks_per_us(struct rings *r)
{
    look_at_clocks(r);

    double ns_per_tick = tick_line_ns_per_tick(&r->line);

    return ns_per_tick > 0 ? (uint32_t)(1000 / ns_per_tick) : 0;
}

/* --- all of them ---------------------------------------------------------- */

int rings_open(struct rings **out, const char *folder,
        const struct rings_sink *sink, struct error *e)
{
    struct rings *r = alloc_zero(1, sizeof(*r));
    int rc = ring_folder_make(r->folder, folder, e);

    if (rc) {
        free(r);
        return rc;
    }
    r->sink = *sink;
    r->dir = ring_folder_open(r->folder);
    (void)ring_folder_hold(r->dir); /* refused: it stays as safe as its pid */
    r->most = RECORDS_MAX;
    r->pid_namespace = own_pid_namespace();
    r->unhooked = unhooked_new();
    r->counts_ticks = ticks_are_steady();
    r->polled_ns = mono_ns();
    look_at_clocks(r);
    *out = r;
    return 0;
}

const char *rings_folder(const struct rings *r)
{
    return r->folder;
}

int rings_preload(struct rings *r, const char **out, const char *hook,
        struct error *e)
{
    *out = r->preload;
    return ring_folder_link(r->folder, hook, r->preload, e);
}

int rings_set(struct rings *r, const char *name, const char *value,
        struct error *e)
{
    return ring_folder_set(r->folder, name, value, e);
}

void rings_allow(struct rings *r, uint32_t records)
{
    r->most = records;
}

static bool is_known(const struct rings *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->sources[i]->name, name) == 0)
            return true;
    return false;
}

static void add_source(struct rings *r, const char *name)
{
    size_t len = strlen(name);
    struct ring_source *s;

    if (len < 5 || len >= RING_NAME_BYTES ||
            strcmp(name + len - 5, ".ring") != 0 || is_known(r, name))
        return;
    s = ring_source_open(r, name);
    if (!s)
        return;
    r->sources = alloc_resize(r->sources,
            (r->count + 1) * sizeof(struct ring_source *));
    r->sources[r->count++] = s;
    (void)rings_steer(r, s);
}

void rings_look(struct rings *r)
{
    struct folder f = { 0 };

    r->looked_ns = mono_ns();
    ring_folder_list(&f, r->folder);
    for (size_t i = 0; i < f.count; i++)
        if (f.name[i][0] != '.')
            add_source(r, f.name[i]);
    folder_release(&f);
}

/* The heads of the younger are read before those of the older, and the older
 * emptied before the younger: so what a process wrote before it moved on is
 * never behind what it wrote after. */
static double take_all(struct rings *r, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns - r->polled_ns;
    double fullest = 0;

    for (size_t i = r->count; i-- > 0;)
        r->sources[i]->waiting = ring_waiting(&r->sources[i]->ring);
    for (size_t i = 0; i < r->count; i++) {
        struct ring_source *s = r->sources[i];
        double full = (double)s->waiting / s->ring.count;

        fullest = full > fullest ? full : fullest;
        if (s->first_ns && now_ns - s->first_ns < YOUNG_NS && fullest < 0.25)
            fullest = 0.25;
        s->taken = 0;
        if (!s->before || !s->before->stuck)
            ring_source_take(r, s, s->waiting);
        ring_source_mind_holes(s, now_ns);
        if (!s->damaged)
            ring_source_mind_room(r, s, full, passed_ns);
    }
    r->polled_ns = now_ns;
    return fullest > 1 ? 1 : fullest;
}

static void forget_sources(struct rings *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->count; i++)
        if (r->sources[i]->over)
            free(r->sources[i]);
        else
            r->sources[kept++] = r->sources[i];
    r->count = kept;
}

static void look_for_strangers(struct rings *r)
{
    unhooked_look(r->unhooked);
    for (size_t i = 0; i < r->process_count; i++)
        if (r->processes[i]->watched && !ring_process_is_dead(r->processes[i]))
            unhooked_search(r->unhooked, r->processes[i]->owner.pid);
}

double rings_poll(struct rings *r)
{
    uint64_t now_ns = mono_ns();
    bool *over;
    double fullest;

    look_at_clocks(r);
    if (now_ns - r->looked_ns >= LOOK_EVERY_NS)
        rings_look(r);
    over = alloc_zero(r->count + 1, sizeof(*over));

    /* Asked before emptying: what they wrote until then is all there is. */
    for (size_t i = 0; i < r->count; i++)
        over[i] = ring_source_is_over(r, r->sources[i]);
    fullest = take_all(r, now_ns);
    for (size_t i = 0; i < r->count; i++)
        if (over[i] || r->sources[i]->damaged) {
            ring_source_take_for_good(r, r->sources[i]);
            ring_source_close(r, r->sources[i]);
        } else if (now_ns - r->swept_ns >= SWEEP_EVERY_NS) {
            ring_source_sweep(r, r->sources[i]);
        }
    free(over);
    forget_sources(r);
    if (now_ns - r->swept_ns >= SWEEP_EVERY_NS)
        r->swept_ns = now_ns;
    if (now_ns - r->unhooked_ns >= UNHOOKED_EVERY_NS) {
        r->unhooked_ns = now_ns;
        look_for_strangers(r);
    }
    return fullest;
}

struct refusing {
    struct unhooked *unhooked;
    void (*each)(void *context, const struct ring_unhooked *s);
    void *context;
};

static void tell_refusal(void *to, const struct channel_refusal *x)
{
    const struct refusing *f = to;

    unhooked_arrived(f->unhooked, x->pid, UINT64_MAX); /* it is known better */
    f->each(f->context, &(struct ring_unhooked){
                                .pid = x->pid,
                                .program = x->program,
                                .why = x->why,
                                .uid = x->uid,
                        });
}

void rings_expect(struct rings *r, uint32_t pid, const char *program,
        uint64_t time_ns)
{
    struct record exec = {
        .kind = RECORD_EXEC,
        .exec = { .time_ns = time_ns, .pid = pid },
    };
    size_t len = strlen(program);

    (void)snprintf(exec.exec.program, sizeof(exec.exec.program), "%s",
            program + (len < RECORD_TEXT_BYTES ? 0
                                               : len - RECORD_TEXT_BYTES + 1));
    unhooked_expect(r->unhooked, &exec);
}

void rings_each_unhooked(struct rings *r,
        void (*each)(void *context, const struct ring_unhooked *s),
        void *context)
{
    struct refusing f = { r->unhooked, each, context };

    ring_folder_refusals(r->folder, tell_refusal, &f);
    look_for_strangers(r);
    unhooked_each(r->unhooked, each, context);
}

size_t rings_unnoted(const struct rings *r)
{
    size_t n = r->unnoted;

    for (size_t i = 0; i < r->count; i++)
        n += atomic_load(&r->sources[i]->header->unnoted);
    return n;
}

size_t rings_malformed(const struct rings *r)
{
    return r->odd;
}

/* Those who are still there have the folder in their environment. */
static void remove_folder(struct rings *r)
{
    uint32_t *alive = alloc_zero(r->process_count + 1, sizeof(*alive));
    size_t count = 0;

    for (size_t i = 0; i < r->process_count; i++)
        if (process_is_there(r->processes[i]->owner.pid) &&
                !r->processes[i]->dead)
            alive[count++] = r->processes[i]->owner.pid;
    ring_folder_remove(r->folder, alive, *r->preload ? count : 0);
    free(alive);
}

void rings_close(struct rings *r)
{
    if (!r)
        return;
    rings_look(r);
    (void)rings_poll(r);
    for (size_t i = 0; i < r->count; i++) {
        struct ring_source *s = r->sources[i];

        /* Of one in another namespace we cannot know better. */
        if (s->owner->watched)
            ring_source_take(r, s, s->ring.count);
        else
            ring_source_take_for_good(r, s);
        ring_source_close(r, s);
    }
    forget_sources(r);
    remove_folder(r);
    for (size_t i = 0; i < r->process_count; i++) {
        ring_process_tell_gone(r, r->processes[i]);
        free(r->processes[i]->program);
        free(r->processes[i]);
    }
    unhooked_free(r->unhooked);
    if (r->dir >= 0)
        (void)close(r->dir);
    free(r->processes);
    free(r->sources);
    free(r);
}
