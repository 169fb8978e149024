#include "collect/rings.h"

#include "base/alloc.h"
#include "base/proc_cmdline.h"
#include "collect/record_time.h"
#include "collect/rings_state.h"
#include "collect/unhooked.h"
#include "os/child.h"
#include "os/clock.h"
#include "os/guard.h"
#include "os/ticks.h"
#include "wire/ring.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES (RING_FOLDER_PATH + NAME_BYTES)

/* New files are looked for that often, and who died among the writers of a
 * ring; strangers are looked at that often. */
#define LOOK_EVERY_NS     10000000
#define SWEEP_EVERY_NS    100000000
#define UNHOOKED_EVERY_NS 1000000000

/* Whoever uses ONNX Runtime from its start has said so by then. */
#define NEW_NS UINT64_C(1000000000)

/* A record that somebody began and did not finish is passed over, when one of
 * the ring's writers died, and that long after. */
#define HOLE_NS 1000000000

/* A ring is as large as what came in a second, where there is room; it is young
 * when it may fill faster than is known yet. */
#define GROW_FULL   0.125
#define GROW_FACTOR 4
#define ROOM_SHARE  4 /* of what is free, a new ring takes at most one part */
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

/* --- processes ------------------------------------------------------------ */

static struct process *add_process(struct rings *r,
        const struct ring_owner *owner, const char *program,
        struct process *parent)
{
    struct process *p = alloc_zero(1, sizeof(*p));

    p->owner = *owner;
    p->program = proc_cmdline_masked(program);
    p->owner.program = p->program;
    p->parent = parent;
    r->processes = alloc_resize(r->processes,
            (r->process_count + 1) * sizeof(struct process *));
    r->processes[r->process_count++] = p;
    return p;
}

static struct process *find_process(const struct rings *r, uint32_t pid,
        uint64_t start_ns)
{
    for (size_t i = r->process_count; pid && i-- > 0;)
        if (r->processes[i]->owner.pid == pid &&
                r->processes[i]->owner.start_ns == start_ns)
            return r->processes[i];
    return NULL;
}

static void hear(struct rings *r, struct process *p)
{
    if (p->owner.number)
        return;
    p->owner.number = ++r->heard;
    p->owner.parent = p->parent ? p->parent->owner.number : 0;
    r->sink.came(r->sink.context, &p->owner);
}

static bool is_dead(struct process *p)
{
    if (!p->dead && p->watched && watched_is_gone(p->watched)) {
        p->dead = true;
        watched_free(p->watched);
        p->watched = NULL;
    }
    return p->dead;
}

static void tell_gone(struct rings *r, struct process *p)
{
    if (p->told_gone || p->rings)
        return;
    p->told_gone = true;
    watched_free(p->watched);
    p->watched = NULL;
    if (p->owner.number)
        r->sink.gone(r->sink.context, &p->owner);
}

/* The writer that a record names. */
static struct process *writer_of(struct rings *r, struct source *s,
        uint32_t number)
{
    struct ring_owner o = { .start_ns = mono_ns() };
    struct process *parent = s->owner;

    if (!number)
        return s->owner;
    if (number <= CHANNEL_WRITERS && s->writer[number - 1])
        return s->writer[number - 1];
    if (number <= CHANNEL_WRITERS) {
        const struct channel_writer *w = &s->header->writers[number - 1];

        o.pid = atomic_load(&w->pid);
        o.start_ns = w->start_ns;
        if (w->parent && w->parent <= CHANNEL_WRITERS && w->parent != number &&
                s->writer[w->parent - 1])
            parent = s->writer[w->parent - 1];
    }
    if (!o.pid) {
        if (!s->unknown)
            s->unknown = add_process(r, &o, s->owner->program, s->owner);
        return s->unknown;
    }

    struct process *p = find_process(r, o.pid, o.start_ns);

    if (!p) {
        p = add_process(r, &o, s->owner->program, parent);
        if (s->header->pid_namespace == r->pid_namespace &&
                o.pid != CHANNEL_ELSEWHERE)
            p->watched = watch_process(o.pid);
    }
    s->writer[number - 1] = p;
    return p;
}

/* --- one ring ------------------------------------------------------------- */

static void unmap(struct source *s)
{
    guard_close(s->guard);
    (void)munmap(s->header, s->mapped);
    s->header = NULL;
}

static bool map(struct source *s, const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;

    if (fd < 0)
        return false;
    s->header = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
            st.st_size > CHANNEL_RING_AT) {
        s->mapped = (size_t)st.st_size;
        s->header = mmap(NULL, s->mapped, PROT_READ | PROT_WRITE, MAP_SHARED,
                fd, 0);
    }
    (void)close(fd);
    if (s->header == MAP_FAILED)
        return false;
    s->guard = guard_open(s->header, s->mapped);
    if (s->header->magic == CHANNEL_MAGIC &&
            s->header->version == CHANNEL_VERSION &&
            ring_attach(&s->ring, (char *)s->header + CHANNEL_RING_AT,
                    s->mapped - CHANNEL_RING_AT, sizeof(struct record)) == 0)
        return true;
    unmap(s);
    return false;
}

static struct source *written_before(const struct rings *r,
        const struct process *p)
{
    for (size_t i = r->count; i-- > 0;) {
        struct source *s = r->sources[i];

        if (s->owner == p)
            return s;
        for (size_t w = 0; w < CHANNEL_WRITERS; w++)
            if (s->writer[w] == p)
                return s;
    }
    return NULL;
}

static void describe(struct rings *r, struct source *s)
{
    const struct channel_header *h = s->header;
    char program[sizeof(h->program)];
    struct ring_owner o = { .pid = h->pid, .start_ns = h->start_ns };
    struct process *p = find_process(r, o.pid, o.start_ns);

    memcpy(program, h->program, sizeof(program) - 1);
    program[sizeof(program) - 1] = 0;
    if (!p) {
        p = add_process(r, &o, program,
                find_process(r, h->parent_pid, h->parent_start_ns));
        if (h->pid_namespace == r->pid_namespace)
            p->watched = watch_process(o.pid);
    }
    s->owner = p;
    s->before = written_before(r, p);
    p->rings++;
    if (!s->before)
        unhooked_arrived(r->unhooked, o.pid, o.start_ns);
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
    char path[PATH_BYTES];

    if (len < 5 || len >= NAME_BYTES || strcmp(name + len - 5, ".ring") != 0 ||
            is_known(r, name))
        return;

    struct source *s = alloc_zero(1, sizeof(*s));

    (void)snprintf(path, sizeof(path), "%s/%s", r->folder, name);
    memcpy(s->name, name, len);
    if (!map(s, path)) {
        r->odd += unlink(path) == 0; /* so it is counted once */
        free(s);
        return;
    }
    describe(r, s);
    r->sources =
            alloc_resize(r->sources, (r->count + 1) * sizeof(struct source *));
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

static void hand_over(struct rings *r, struct source *s, struct record *record)
{
    struct process *p = writer_of(r, s, ring_writer(record->stamp));

    if (record->kind == RECORD_EXEC) {
        unhooked_expect(r->unhooked, record);
        return;
    }
    if (!s->first_ns)
        s->first_ns = mono_ns();
    s->taken++;
    hear(r, p);

    bool in_ticks = s->header->in_ticks && r->counts_ticks;

    if (in_ticks)
        record_in_ns(&r->line, record);
    r->sink.record(r->sink.context, p->owner.number, record,
            in_ticks ? &r->line : NULL);
}

/* At most that many: others wait too. */
static void take(struct rings *r, struct source *s, uint64_t most)
{
    struct record record;

    s->stuck = false;
    s->damaged |= guard_hurt(s->guard);
    for (uint64_t i = 0; i < most && !s->damaged; i++) {
        int rc = ring_pop(&s->ring, &record);

        if (rc < 0 || guard_hurt(s->guard)) {
            s->damaged = true;
        } else if (rc == 0) {
            s->stuck = true;
            return;
        } else {
            hand_over(r, s, &record);
        }
    }
}

/* What those left behind who are gone, with the holes in it. */
static void take_for_good(struct rings *r, struct source *s)
{
    uint32_t steps = s->ring.count;

    do
        take(r, s, s->ring.count);
    while (!s->damaged && steps-- && ring_skip(&s->ring) &&
            ++s->owner->owner.torn);
}

/* One of its writers may have died in the middle of a record, and the others go
 * on: then it is passed over in time. */
static void mind_holes(struct source *s, uint64_t now_ns)
{
    if (!s->stuck || !s->lost_writer) {
        s->hole_ns = 0;
    } else if (!s->hole_ns) {
        s->hole_ns = now_ns;
    } else if (now_ns - s->hole_ns > HOLE_NS && ring_skip(&s->ring)) {
        s->owner->owner.torn++;
        s->hole_ns = 0;
    }
}

static void close_source(struct rings *r, struct source *s)
{
    char path[PATH_BYTES];
    struct ring_owner *o = &s->owner->owner;

    o->lost += ring_dropped(&s->ring) + s->damaged;
    o->untimed += atomic_load(&s->header->untimed);
    o->cramped += atomic_load(&s->header->cramped);
    r->unnoted += atomic_load(&s->header->unnoted);
    if (s->header->hook_ns)
        o->hook_ns = s->header->hook_ns;
    if (o->lost || o->untimed)
        hear(r, s->owner);
    (void)snprintf(path, sizeof(path), "%s/%s", r->folder, s->name);
    unmap(s);
    (void)unlink(path);
    s->over = true;
    s->owner->rings--;
    tell_gone(r, s->owner);
    for (size_t w = 0; w < CHANNEL_WRITERS; w++)
        if (s->writer[w])
            tell_gone(r, s->writer[w]);
    if (s->unknown)
        tell_gone(r, s->unknown);
    for (size_t i = 0; i < r->count; i++)
        if (r->sources[i]->before == s)
            r->sources[i]->before = s->before;
}

/* --- who writes to it ----------------------------------------------------- */

/* Frees the places of those who are gone.  True: some are still there, or may
 * be. */
static bool sweep(struct rings *r, struct source *s)
{
    bool any = s->unknown != NULL;

    for (uint32_t w = 0; w < CHANNEL_WRITERS && !guard_hurt(s->guard); w++) {
        _Atomic uint32_t *pid = &s->header->writers[w].pid;

        if (!atomic_load(pid))
            continue;
        if (atomic_load(pid) == UINT32_MAX) {
            any = true; /* it is being taken */
            continue;
        }

        struct process *p = writer_of(r, s, w + 1);

        if (!is_dead(p)) {
            any = true;
            continue;
        }
        s->lost_writer = true;
        if (s->stuck || ring_waiting(&s->ring))
            continue; /* some of that may be its own */
        s->writer[w] = NULL;
        atomic_store(pid, 0);
        tell_gone(r, p);
    }
    return any;
}

/* Whether nobody will write to it any more. */
static bool is_over(struct rings *r, struct source *s)
{
    if (s->damaged)
        return true;
    if (!is_dead(s->owner))
        return false;
    s->lost_writer = true;
    for (uint32_t w = 0; w < CHANNEL_WRITERS && !guard_hurt(s->guard); w++) {
        uint32_t pid = atomic_load(&s->header->writers[w].pid);

        if (pid && (pid == UINT32_MAX || !is_dead(writer_of(r, s, w + 1))))
            return false;
    }
    return !s->unknown;
}

/* May each of those who write to it make files?  One that confined itself may
 * die of it. */
static bool is_free(const struct rings *r, const struct source *s)
{
    if (s->header->pid_namespace != r->pid_namespace || s->unknown ||
            process_is_confined(s->owner->owner.pid))
        return false;
    for (uint32_t w = 0; w < CHANNEL_WRITERS; w++)
        if (s->writer[w] && !s->writer[w]->dead &&
                process_is_confined(s->writer[w]->owner.pid))
            return false;
    return true;
}

/* The leave is for now: whoever confines itself later does not find it. */
static void mind_room(struct rings *r, struct source *s, double full,
        uint64_t passed_ns)
{
    uint32_t count = s->ring.count, wanted = count;
    uint64_t dropped = ring_dropped(&s->ring);
    double a_second =
            passed_ns ? 1e9 * (double)s->taken / (double)passed_ns : 0;

    if (atomic_load(&s->header->grow_to))
        atomic_store(&s->header->grow_to, 0);
    if (full > GROW_FULL || dropped > s->dropped_before)
        wanted *= GROW_FACTOR;
    s->dropped_before = dropped;
    while (s->taken && wanted < a_second && wanted < r->most)
        wanted *= 2;
    if (wanted > r->most)
        wanted = r->most;
    while (wanted > count &&
            ring_bytes(sizeof(struct record), wanted) >
                    ring_folder_free_bytes(r->folder) / ROOM_SHARE)
        wanted /= 2;
    if (wanted > count && !is_dead(s->owner) && is_free(r, s))
        atomic_store(&s->header->grow_to, wanted);
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
        struct source *s = r->sources[i];
        double full = (double)s->waiting / s->ring.count;

        fullest = full > fullest ? full : fullest;
        if (s->first_ns && now_ns - s->first_ns < YOUNG_NS && fullest < 0.25)
            fullest = 0.25;
        s->taken = 0;
        if (!s->before || !s->before->stuck)
            take(r, s, s->waiting);
        mind_holes(s, now_ns);
        if (!s->damaged)
            mind_room(r, s, full, passed_ns);
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
        if (r->processes[i]->watched && !is_dead(r->processes[i]))
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
        over[i] = is_over(r, r->sources[i]);
    fullest = take_all(r, now_ns);
    for (size_t i = 0; i < r->count; i++)
        if (over[i] || r->sources[i]->damaged) {
            take_for_good(r, r->sources[i]);
            close_source(r, r->sources[i]);
        } else if (now_ns - r->swept_ns >= SWEEP_EVERY_NS) {
            (void)sweep(r, r->sources[i]);
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

static bool is_alive(struct process *p)
{
    return p->owner.number && !p->told_gone && p->watched && !is_dead(p);
}

size_t rings_alive(const struct rings *r)
{
    size_t alive = 0;

    for (size_t i = 0; i < r->process_count; i++)
        alive += is_alive(r->processes[i]);
    return alive;
}

void rings_each_alive(const struct rings *r,
        void (*each)(void *context, const struct ring_owner *o), void *context)
{
    for (size_t i = 0; i < r->process_count; i++)
        if (is_alive(r->processes[i]))
            each(context, &r->processes[i]->owner);
}

/* A child of fork() has become another program, which has a ring of its own. */
static bool is_replaced(const struct rings *r, const struct process *p)
{
    for (size_t i = 0; i < r->process_count; i++)
        if (r->processes[i]->owner.pid == p->owner.pid &&
                r->processes[i]->owner.start_ns > p->owner.start_ns)
            return true;
    return false;
}

/* With a ring, or with a place in its parent's, and silent so far. */
static bool is_new(const struct rings *r, struct process *p, uint64_t now_ns)
{
    return !p->owner.number && p->watched &&
           now_ns < p->owner.start_ns + NEW_NS && !is_dead(p) &&
           !is_replaced(r, p);
}

size_t rings_arriving(const struct rings *r)
{
    uint64_t now_ns = mono_ns();
    size_t n = unhooked_arriving(r->unhooked, now_ns);

    for (size_t i = 0; i < r->process_count; i++)
        n += is_new(r, r->processes[i], now_ns);
    return n;
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
        struct source *s = r->sources[i];

        /* Of one in another namespace we cannot know better. */
        if (s->owner->watched)
            take(r, s, s->ring.count);
        else
            take_for_good(r, s);
        close_source(r, s);
    }
    forget_sources(r);
    remove_folder(r);
    for (size_t i = 0; i < r->process_count; i++) {
        tell_gone(r, r->processes[i]);
        free(r->processes[i]->program);
        free(r->processes[i]);
    }
    unhooked_free(r->unhooked);
    free(r->processes);
    free(r->sources);
    free(r);
}
