/* ring_source_linux.c -- one ring: its file is mapped under guard, its records
 * are handed over, it is given room, and in the end it is taken away. */
#include "base/alloc.h"
#include "collect/record_time.h"
#include "collect/rings_state.h"
#include "os/clock.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A record that somebody began and did not finish is passed over, when one of
 * the ring's writers died, and that long after. */
#define HOLE_NS 1000000000

/* A ring is as large as what came in a second, where there is room. */
#define GROW_FULL   0.125
#define GROW_FACTOR 4
#define ROOM_SHARE  4 /* of what is free, a new ring takes at most one part */

/* The writer that a record names. */
static struct ring_process *writer_of(struct rings *r, struct ring_source *s,
        uint32_t number)
{
    struct ring_owner o = { .start_ns = mono_ns() };
    struct ring_process *parent = s->owner;

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
            s->unknown = ring_process_add(r, &o, s->owner->program, s->owner);
        return s->unknown;
    }

    struct ring_process *p = ring_process_find(r, o.pid, o.start_ns);

    if (!p) {
        p = ring_process_add(r, &o, s->owner->program, parent);
        if (s->header->pid_namespace == r->pid_namespace &&
                o.pid != CHANNEL_ELSEWHERE)
            p->watched = watch_process(o.pid);
    }
    s->writer[number - 1] = p;
    return p;
}

/* --- opening -------------------------------------------------------------- */

static void unmap(struct ring_source *s)
{
    guard_close(s->guard);
    (void)munmap(s->header, s->mapped);
    s->header = NULL;
}

static bool map(struct ring_source *s, int dir)
{
    int fd = openat(dir, s->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
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

static struct ring_source *written_before(const struct rings *r,
        const struct ring_process *p)
{
    for (size_t i = r->count; i-- > 0;) {
        struct ring_source *s = r->sources[i];

        if (s->owner == p)
            return s;
        for (size_t w = 0; w < CHANNEL_WRITERS; w++)
            if (s->writer[w] == p)
                return s;
    }
    return NULL;
}

static void describe(struct rings *r, struct ring_source *s)
{
    const struct channel_header *h = s->header;
    char program[sizeof(h->program)];
    struct ring_owner o = { .pid = h->pid, .start_ns = h->start_ns };
    struct ring_process *p = ring_process_find(r, o.pid, o.start_ns);

    memcpy(program, h->program, sizeof(program) - 1);
    program[sizeof(program) - 1] = 0;
    if (!p) {
        p = ring_process_add(r, &o, program,
                ring_process_find(r, h->parent_pid, h->parent_start_ns));
        if (h->pid_namespace == r->pid_namespace)
            p->watched = watch_process(o.pid);
    }
    s->owner = p;
    s->before = written_before(r, p);
    p->rings++;
    if (!s->before)
        unhooked_arrived(r->unhooked, o.pid, o.start_ns);
}

struct ring_source *ring_source_open(struct rings *r, const char *name)
{
    struct ring_source *s = alloc_zero(1, sizeof(*s));

    (void)snprintf(s->name, sizeof(s->name), "%s", name);
    if (!map(s, r->dir)) {
        r->odd += unlinkat(r->dir, name, 0) == 0; /* so it is counted once */
        free(s);
        return NULL;
    }
    describe(r, s);
    return s;
}

/* --- taking --------------------------------------------------------------- */

static void hand_over(struct rings *r, struct ring_source *s,
        struct record *record)
{
    struct ring_process *p = writer_of(r, s, ring_writer(record->stamp));

    if (record->kind == RECORD_EXEC) {
        unhooked_expect(r->unhooked, record);
        return;
    }
    if (!s->first_ns)
        s->first_ns = mono_ns();
    s->taken++;
    ring_process_hear(r, p);

    bool in_ticks = s->header->in_ticks && r->counts_ticks;

    if (in_ticks)
        record_in_ns(&r->line, record);
    r->sink.record(r->sink.context, p->owner.number, record,
            in_ticks ? &r->line : NULL);
}

void ring_source_take(struct rings *r, struct ring_source *s, uint64_t most)
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

void ring_source_take_for_good(struct rings *r, struct ring_source *s)
{
    uint32_t steps = s->ring.count;

    do
        ring_source_take(r, s, s->ring.count);
    while (!s->damaged && steps-- && ring_skip(&s->ring) &&
            ++s->owner->owner.torn);
}

void ring_source_mind_holes(struct ring_source *s, uint64_t now_ns)
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

void ring_source_close(struct rings *r, struct ring_source *s)
{
    struct ring_owner *o = &s->owner->owner;

    o->lost += ring_dropped(&s->ring) + s->damaged;
    o->untimed += atomic_load(&s->header->untimed);
    o->cramped += atomic_load(&s->header->cramped);
    r->unnoted += atomic_load(&s->header->unnoted);
    if (s->header->hook_ns)
        o->hook_ns = s->header->hook_ns;
    if (o->lost || o->untimed)
        ring_process_hear(r, s->owner);
    unmap(s);
    (void)unlinkat(r->dir, s->name, 0);
    s->over = true;
    s->owner->rings--;
    ring_process_tell_gone(r, s->owner);
    for (size_t w = 0; w < CHANNEL_WRITERS; w++)
        if (s->writer[w])
            ring_process_tell_gone(r, s->writer[w]);
    if (s->unknown)
        ring_process_tell_gone(r, s->unknown);
    for (size_t i = 0; i < r->count; i++)
        if (r->sources[i]->before == s)
            r->sources[i]->before = s->before;
}

/* --- who writes to it, and how much room they need ------------------------ */

void ring_source_sweep(struct rings *r, struct ring_source *s)
{
    for (uint32_t w = 0; w < CHANNEL_WRITERS && !guard_hurt(s->guard); w++) {
        _Atomic uint32_t *pid = &s->header->writers[w].pid;

        /* Nobody's, or it is being taken. */
        if (!atomic_load(pid) || atomic_load(pid) == UINT32_MAX)
            continue;

        struct ring_process *p = writer_of(r, s, w + 1);

        if (!ring_process_is_dead(p))
            continue;
        s->lost_writer = true;
        if (s->stuck || ring_waiting(&s->ring))
            continue; /* some of that may be its own */
        s->writer[w] = NULL;
        atomic_store(pid, 0);
        ring_process_tell_gone(r, p);
    }
}

bool ring_source_is_over(struct rings *r, struct ring_source *s)
{
    if (s->damaged)
        return true;
    if (!ring_process_is_dead(s->owner))
        return false;
    s->lost_writer = true;
    for (uint32_t w = 0; w < CHANNEL_WRITERS && !guard_hurt(s->guard); w++) {
        uint32_t pid = atomic_load(&s->header->writers[w].pid);

        if (pid && (pid == UINT32_MAX ||
                           !ring_process_is_dead(writer_of(r, s, w + 1))))
            return false;
    }
    return !s->unknown;
}

/* May each of those who write to it make files?  One that confined itself may
 * die of it. */
static bool is_free(const struct rings *r, const struct ring_source *s)
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

void ring_source_mind_room(struct rings *r, struct ring_source *s, double full,
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
    if (wanted > count && !ring_process_is_dead(s->owner) && is_free(r, s))
        atomic_store(&s->header->grow_to, wanted);
}
