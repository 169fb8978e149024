#include "sample/rings.h"

#include "base/alloc.h"
#include "base/ring.h"
#include "base/str.h"
#include "base/tick_line.h"
#include "os/child.h"
#include "os/clock.h"
#include "os/guard.h"
#include "os/path.h"
#include "os/ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NAME_MOST  64
#define ROOM_BYTES (UINT64_C(32) << 20)
#define PATH_MOST  512
/* New files are looked for that often, and when everything else is over. */
#define LOOK_EVERY_NS 20000000

struct owned {
    char name[NAME_MOST];
    struct ring_owner owner;
    char program[sizeof(((struct channel_header *)0)->program)];
    struct channel_header *header;
    size_t mapped;
    struct guard *guard;
    struct ring ring;
    struct watched *process; /* NULL: in another pid namespace */
    bool gone;
    bool damaged;
    bool in_ticks;
};

struct rings {
    struct rings_sink sink;
    char folder[PATH_MOST];
    struct owned **owned; /* one allocation each: they are pointed to */
    size_t count;
    size_t odd;
    size_t refused;
    uint64_t looked_ns;
    uint64_t pid_namespace;
    bool counts_ticks;
    struct tick_line line;
};

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

static void in_ns(const struct tick_line *l, uint64_t *time)
{
    *time = tick_line_ns(l, *time);
}

/* Ticks into what mono_ns() said then. */
static void tell_in_ns(const struct tick_line *l, struct record *r)
{
    switch (r->kind) {
    case RECORD_LIBRARY:
    case RECORD_STATIC_LIBRARY: in_ns(l, &r->library_found.time); break;
    case RECORD_SESSION:
    case RECORD_SESSION_END:
        in_ns(l, &r->session.start);
        in_ns(l, &r->session.end);
        break;
    case RECORD_RUN:
        in_ns(l, &r->run.start);
        in_ns(l, &r->run.end);
        break;
    case RECORD_OPERATOR_RUN:
        r->operator_run.kernel = tick_line_span_ns(l, r->operator_run.kernel);
        in_ns(l, &r->operator_run.start);
        break;
    case RECORD_SECTION:
        in_ns(l, &r->section.start);
        in_ns(l, &r->section.end);
        break;
    case RECORD_TOKEN: in_ns(l, &r->token.time); break;
    case RECORD_MARK:
    case RECORD_THREAD: in_ns(l, &r->mark.time); break;
    default: /* has none */ break;
    }
}

/* --- folders -------------------------------------------------------------- */

/* Memory if there is such a place with room for some processes, else where
 * temporary files go. */
static const char *base_folder(void)
{
    const char *temporary = getenv("TMPDIR");
    struct statvfs s;

    if (access("/dev/shm", W_OK | X_OK) == 0 && statvfs("/dev/shm", &s) == 0 &&
            (uint64_t)s.f_bavail * s.f_frsize >= ROOM_BYTES)
        return "/dev/shm";
    return temporary && *temporary == '/' ? temporary : "/tmp";
}

static void remove_folder(const char *path)
{
    struct folder f = { 0 };

    if (folder_read(&f, "%s", path) == 0)
        for (size_t i = 0; i < f.count; i++) {
            char file[PATH_MOST + 256];

            (void)snprintf(file, sizeof(file), "%s/%s", path, f.name[i]);
            (void)unlink(file);
        }
    folder_release(&f);
    (void)rmdir(path);
}

/* "<number>-...": the process that a file or folder belongs to. */
static uint32_t pid_in(const char *name)
{
    const char *end = strchr(name, '-');
    uint64_t pid = 0;

    if (!end || str_u64(&pid, (struct str){ name, (size_t)(end - name) }) ||
            pid > INT32_MAX)
        return 0;
    return (uint32_t)pid;
}

static bool any_alive(const char *path)
{
    struct folder f = { 0 };
    bool alive = false;

    (void)folder_read(&f, "%s", path);
    for (size_t i = 0; i < f.count && !alive; i++)
        alive = process_is_there(pid_in(f.name[i]));
    folder_release(&f);
    return alive;
}

static void clear_away_dead(const char *base, const char *prefix)
{
    struct folder f = { 0 };

    (void)folder_read(&f, "%s", base);
    for (size_t i = 0; i < f.count; i++) {
        char path[PATH_MOST];
        struct stat s;

        if (strncmp(f.name[i], prefix, strlen(prefix)) != 0)
            continue;

        /* Without a number it is somebody's folder, but no meter's. */
        uint32_t meter = pid_in(f.name[i] + strlen(prefix));

        (void)snprintf(path, sizeof(path), "%s/%s", base, f.name[i]);
        if (meter && !process_is_there(meter) && lstat(path, &s) == 0 &&
                S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !any_alive(path))
            remove_folder(path);
    }
    folder_release(&f);
}

int rings_open(struct rings **out, const struct rings_sink *sink,
        struct error *e)
{
    const char *base = base_folder();
    char prefix[NAME_MOST];
    struct rings *r = alloc_zero(1, sizeof(*r));

    r->sink = *sink;
    r->pid_namespace = own_pid_namespace();
    (void)snprintf(prefix, sizeof(prefix), "ortmeter-%u-", geteuid());
    clear_away_dead(base, prefix);
    (void)snprintf(r->folder, sizeof(r->folder), "%s/%s%u-XXXXXX", base, prefix,
            own_pid());
    if (!mkdtemp(r->folder)) {
        int rc = fail(e, -errno, "cannot make the folder %s: %s", r->folder,
                strerror(errno));

        free(r);
        return rc;
    }
    r->counts_ticks = ticks_are_steady();
    look_at_clocks(r);
    *out = r;
    return 0;
}

const char *rings_folder(const struct rings *r)
{
    return r->folder;
}

/* --- one ring ------------------------------------------------------------- */

static void unmap_ring(struct owned *o)
{
    guard_close(o->guard);
    (void)munmap(o->header, o->mapped);
    o->header = NULL;
}

static bool map_ring(struct owned *o, const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat s;

    if (fd < 0)
        return false;
    o->header = MAP_FAILED;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) &&
            s.st_size > CHANNEL_RING_AT) {
        o->mapped = (size_t)s.st_size;
        o->header = mmap(NULL, o->mapped, PROT_READ | PROT_WRITE, MAP_SHARED,
                fd, 0);
    }
    (void)close(fd);
    if (o->header == MAP_FAILED)
        return false;
    o->guard = guard_open(o->header, o->mapped);
    if (o->header->magic == CHANNEL_MAGIC &&
            o->header->version == CHANNEL_VERSION &&
            ring_attach(&o->ring, (char *)o->header + CHANNEL_RING_AT,
                    o->mapped - CHANNEL_RING_AT, sizeof(struct record)) == 0)
        return true;
    unmap_ring(o);
    return false;
}

static uint32_t number_of(const struct rings *r, uint32_t pid,
        uint64_t start_ns)
{
    for (size_t i = 0; pid && i < r->count; i++)
        if (r->owned[i]->owner.pid == pid &&
                r->owned[i]->owner.start_ns == start_ns)
            return r->owned[i]->owner.number;
    return 0;
}

static void describe(struct rings *r, struct owned *o)
{
    const struct channel_header *h = o->header;

    memcpy(o->program, h->program, sizeof(o->program) - 1);
    o->in_ticks = h->in_ticks && r->counts_ticks;
    o->owner = (struct ring_owner){
        .number = (uint32_t)r->count + 1,
        .pid = h->pid,
        .parent = number_of(r, h->parent_pid, h->parent_start_ns),
        .start_ns = h->start_ns,
        .program = o->program,
    };
}

static bool is_known(const struct rings *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->owned[i]->name, name) == 0)
            return true;
    return false;
}

static void add_ring(struct rings *r, const char *name)
{
    size_t len = strlen(name);
    char path[PATH_MOST + NAME_MOST];

    (void)snprintf(path, sizeof(path), "%s/%s", r->folder, name);
    if (len > 8 && strcmp(name + len - 8, ".refused") == 0) {
        r->refused += unlink(path) == 0;
        return;
    }
    if (len < 5 || len >= NAME_MOST || strcmp(name + len - 5, ".ring") != 0 ||
            is_known(r, name))
        return;

    struct owned *o = alloc_zero(1, sizeof(*o));

    memcpy(o->name, name, len);
    if (!map_ring(o, path)) {
        r->odd += unlink(path) == 0; /* so it is counted once */
        free(o);
        return;
    }
    describe(r, o);
    if (o->header->pid_namespace == r->pid_namespace)
        o->process = watch_process(o->owner.pid);
    r->owned = alloc_resize(r->owned, (r->count + 1) * sizeof(struct owned *));
    r->owned[r->count++] = o;
    r->sink.came(r->sink.context, &o->owner);
}

/* A parent's ring is older than its child's, so in the order of their ages. */
static int by_age(const void *a, const void *b)
{
    const char *x = strchr(*(char *const *)a, '-');
    const char *y = strchr(*(char *const *)b, '-');

    size_t x_len = x ? strlen(x) : 0, y_len = y ? strlen(y) : 0;

    if (x_len != y_len)
        return x_len < y_len ? -1 : 1;
    return x_len ? strcmp(x, y) : 0;
}

void rings_look(struct rings *r)
{
    struct folder f = { 0 };

    r->looked_ns = mono_ns();
    if (folder_read(&f, "%s", r->folder) == 0) {
        qsort(f.name, f.count, sizeof(*f.name), by_age);
        for (size_t i = 0; i < f.count; i++)
            if (f.name[i][0] != '.')
                add_ring(r, f.name[i]);
    }
    folder_release(&f);
}

/* No more than the ring holds at a time: others wait too. */
static void empty(struct rings *r, struct owned *o)
{
    struct record record;

    for (uint32_t i = 0; i < o->ring.count && !o->damaged; i++) {
        int rc = ring_pop(&o->ring, &record);

        if (rc < 0 || guard_hurt(o->guard))
            o->damaged = true;
        else if (rc == 0)
            return;
        else {
            if (o->in_ticks)
                tell_in_ns(&r->line, &record);
            r->sink.record(r->sink.context, o->owner.number, &record);
        }
    }
}

/* What a process that is gone left behind, with the holes in it. */
static void empty_for_good(struct rings *r, struct owned *o)
{
    uint32_t steps = o->ring.count;

    do
        empty(r, o);
    while (!o->damaged && steps-- && ring_skip(&o->ring) && ++o->owner.torn);
}

static void let_go(struct rings *r, struct owned *o)
{
    char path[PATH_MOST + NAME_MOST];

    o->owner.lost = ring_dropped(&o->ring) + o->damaged;
    o->owner.untimed = atomic_load(&o->header->untimed);
    o->owner.hook_ns = o->header->hook_ns;
    o->gone = true;
    r->sink.gone(r->sink.context, &o->owner);
    unmap_ring(o);
    watched_free(o->process);
    o->process = NULL;
    (void)snprintf(path, sizeof(path), "%s/%s", r->folder, o->name);
    (void)unlink(path);
}

/* --- all of them ---------------------------------------------------------- */

double rings_poll(struct rings *r)
{
    double fullest = 0;

    look_at_clocks(r);
    if (mono_ns() - r->looked_ns >= LOOK_EVERY_NS)
        rings_look(r);
    for (size_t i = 0; i < r->count; i++) {
        struct owned *o = r->owned[i];

        if (o->gone)
            continue;

        /* Asked before emptying: what it wrote until then is all there is. */
        bool over = (o->process && watched_is_gone(o->process)) || o->damaged;
        double full = (double)ring_waiting(&o->ring) / o->ring.count;

        fullest = full > fullest ? full : fullest;
        if (!over) {
            empty(r, o);
            continue;
        }
        empty_for_good(r, o);
        let_go(r, o);
    }
    return fullest > 1 ? 1 : fullest;
}

size_t rings_alive(const struct rings *r)
{
    size_t alive = 0;

    for (size_t i = 0; i < r->count; i++)
        alive += !r->owned[i]->gone && r->owned[i]->process;
    return alive;
}

size_t rings_refused(const struct rings *r)
{
    return r->refused;
}

size_t rings_odd(const struct rings *r)
{
    return r->odd;
}

void rings_close(struct rings *r)
{
    if (!r)
        return;
    rings_look(r);
    (void)rings_poll(r);
    for (size_t i = 0; i < r->count; i++) {
        struct owned *o = r->owned[i];

        if (!o->gone) {
            /* Of one in another namespace we cannot know better. */
            (o->process ? empty : empty_for_good)(r, o);
            let_go(r, o);
        }
        free(r->owned[i]);
    }
    remove_folder(r->folder);
    free(r->owned);
    free(r);
}
