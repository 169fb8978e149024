/* events_linux.c -- see perf_event_open(2).
 *
 * For each CPU one ring: the kernel wants it so for events that new threads
 * inherit.  All events of all threads on that CPU are led into it. */
#include "sample/perf/events.h"

#include "base/alloc.h"
#include "base/map.h"
#include "os/file.h"
#include "os/path.h"
#include "sample/perf/perf_open_linux.h"
#include "sample/perf/perf_record.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* What an ordinary user may have, by default. */
enum { RING_PAGES = 128, THREADS_MAX = 64, FORMAT_CAP = 8192 };

/* Always told by who asks; that a request goes to the device is often told by
 * a thread of the kernel's instead, when the device is busy. */
#define BLOCK        "/sys/kernel/tracing/events/block/block_bio_queue"
#define SECTOR_BYTES 512

struct cpu_ring {
    int fd;
    struct perf_event_mmap_page *page;
    char *data;
    size_t cap; /* a power of 2 */
};

struct events {
    struct cpu_ring *rings;
    size_t cpus, next; /* whose turn it is */
    int *fds;
    size_t count, cap;
    struct map kinds; /* from an event's id to its kind */
    struct trace_field sectors;
    uint64_t lost;
    char *linear; /* records that wrap around the end of a ring */
};

struct wish {
    uint32_t type;
    uint64_t config;
    enum event_kind kind;
};

static int open_event(const struct wish *w, pid_t tid, int cpu)
{
    struct perf_event_attr attr = {
        .type = w->type,
        .config = w->config,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
                       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU,
        .sample_id_all = 1,
        .inherit = 1,
        .inherit_thread = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .exclude_kernel = w->type != PERF_TYPE_TRACEPOINT,
        .exclude_hv = 1,
    };

    if (w->kind == EVENT_SWITCHED_IN)
        attr.context_switch = 1;
    else
        attr.sample_period = 1;
    if (w->kind == EVENT_STORAGE_ASKED)
        attr.sample_type |= PERF_SAMPLE_RAW;

    return perf_open(NULL, &attr, tid, cpu);
}

static int open_ring(struct cpu_ring *r, int fd)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, (RING_PAGES + 1) * page, PROT_READ | PROT_WRITE,
            MAP_SHARED, fd, 0);

    if (memory == MAP_FAILED)
        return -errno;
    r->fd = fd;
    r->page = memory;
    r->data = (char *)memory + page;
    r->cap = RING_PAGES * page;
    return 0;
}

static int add_event(struct events *s, const struct wish *w, pid_t tid,
        size_t cpu)
{
    struct cpu_ring *r = &s->rings[cpu];
    int fd = open_event(w, tid, (int)cpu);
    uint64_t id;
    int rc = 0;

    if (fd == -ESRCH || fd == -ENXIO) /* it ended; the CPU is off */
        return 0;
    if (fd < 0)
        return fd;
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->fds = alloc_resize(s->fds, s->cap * sizeof(*s->fds));
    }
    s->fds[s->count++] = fd;
    if (!r->page)
        rc = open_ring(r, fd);
    else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) != 0)
        rc = -errno;
    if (!rc && ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0)
        rc = -errno;
    if (!rc)
        map_put(&s->kinds, id, w->kind);
    return rc;
}

static int add_wish(struct events *s, uint64_t pid, const struct wish *w)
{
    struct folder threads;
    uint64_t tid;
    int rc = folder_read(&threads, "/proc/%llu/task", (unsigned long long)pid);

    if (rc)
        return rc == -ENOENT ? -ESRCH : rc;
    if (threads.count > THREADS_MAX)
        rc = -E2BIG;
    for (size_t i = 0; !rc && i < threads.count; i++)
        for (size_t cpu = 0; !rc && cpu < s->cpus; cpu++)
            if (str_u64(&tid, str_of(threads.name[i])) == 0)
                rc = add_event(s, w, (pid_t)tid, cpu);
    folder_release(&threads);
    return rc;
}

static int add_storage(struct events *s, const char *root, uint64_t pid)
{
    struct wish w = { .type = PERF_TYPE_TRACEPOINT,
        .kind = EVENT_STORAGE_ASKED };
    char format[FORMAT_CAP];
    int rc = file_u64(&w.config, "%s" BLOCK "/id", root);
    int len =
            rc ? rc
               : file_read(format, sizeof(format), "%s" BLOCK "/format", root);

    if (len < 0)
        return len;
    rc = trace_field_find(&s->sectors, (struct str){ format, (size_t)len },
            "nr_sector");
    return rc ? rc : add_wish(s, pid, &w);
}

static int refuse(struct error *e, const char *what, uint64_t pid, int rc)
{
    const char *why = strerror(-rc);

    if (rc == -E2BIG)
        why = "it has more than 64 threads already";
    if (rc == -ENOENT)
        why = "the kernel does not offer them; is tracefs mounted?";
    return fail(e, rc == -EPERM ? -EACCES : rc, "%s of process %llu: %s", what,
            (unsigned long long)pid, why);
}

int events_open(struct events **out, const char *root, uint64_t pid,
        unsigned wanted, struct error *e)
{
    static const struct wish switches = { PERF_TYPE_SOFTWARE,
        PERF_COUNT_SW_DUMMY, EVENT_SWITCHED_IN };
    static const struct wish faults = { PERF_TYPE_SOFTWARE,
        PERF_COUNT_SW_PAGE_FAULTS, EVENT_PAGE_FAULT };
    struct events *s = alloc_zero(1, sizeof(*s));
    const char *what = "context switches";
    int rc = 0;

    s->cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
    s->rings = alloc_zero(s->cpus, sizeof(*s->rings));
    s->linear = alloc_zero(1, UINT16_MAX + 1);
    if (wanted & EVENTS_SWITCHES)
        rc = add_wish(s, pid, &switches);
    if (!rc && wanted & EVENTS_FAULTS) {
        what = "page faults";
        rc = add_wish(s, pid, &faults);
    }
    if (!rc && wanted & EVENTS_STORAGE) {
        what = "requests to storage";
        rc = add_storage(s, root, pid);
    }
    if (rc) {
        events_close(s);
        return refuse(e, what, pid, rc);
    }
    *out = s;
    return 0;
}

void events_close(struct events *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->cpus; i++)
        if (s->rings[i].page)
            (void)munmap(s->rings[i].page,
                    s->rings[i].cap + (size_t)sysconf(_SC_PAGESIZE));
    for (size_t i = 0; i < s->count; i++)
        (void)close(s->fds[i]);
    free(s->fds);
    free(s->rings);
    free(s->linear);
    map_release(&s->kinds);
    free(s);
}

/* The bytes from `tail` on, at most one record's worth when they wrap. */
static struct str bytes_at(struct events *s, const struct cpu_ring *r,
        uint64_t tail, uint64_t head)
{
    size_t at = (size_t)(tail & (r->cap - 1));
    size_t len = (size_t)(head - tail);
    size_t straight = r->cap - at;

    if (len <= straight)
        return (struct str){ r->data + at, len };
    if (straight > UINT16_MAX)
        return (struct str){ r->data + at, straight };
    if (len > UINT16_MAX)
        len = UINT16_MAX;
    memcpy(s->linear, r->data + at, straight < len ? straight : len);
    if (len > straight)
        memcpy(s->linear + straight, r->data, len - straight);
    return (struct str){ s->linear, len };
}

/* False: it is no event for the caller. */
static bool make_event(struct events *s, const struct perf_record *r,
        struct event *out)
{
    const uint64_t *kind = map_find(&s->kinds, r->id);

    s->lost += r->kind == PERF_RECORDED_LOSS ? r->lost : 0;
    *out = (struct event){ .time_ns = r->time_ns,
        .pid = r->pid,
        .tid = r->tid,
        .cpu = r->cpu,
        .value = r->address };
    if (r->kind == PERF_RECORDED_SWITCH) {
        out->value = 0;
        out->kind = !r->out        ? EVENT_SWITCHED_IN
                    : r->preempted ? EVENT_PREEMPTED
                                   : EVENT_WAITED;
        return true;
    }
    if (r->kind != PERF_RECORDED_SAMPLE || !kind)
        return false;
    out->kind = (enum event_kind) * kind;
    if (out->kind != EVENT_STORAGE_ASKED)
        return true;

    bool known = trace_field_get(&out->value, r->raw, s->sectors);

    out->value *= SECTOR_BYTES;
    return known;
}

static size_t read_ring(struct events *s, struct cpu_ring *r, struct event *out,
        size_t cap)
{
    uint64_t tail = r->page->data_tail;
    /* Acquire: what lies before the head was written before it. */
    uint64_t head = atomic_load_explicit(
            (_Atomic uint64_t *)&r->page->data_head, memory_order_acquire);
    size_t count = 0;
    bool more = true;

    while (more && count < cap && tail != head) {
        struct str bytes = bytes_at(s, r, tail, head), rest = bytes;
        struct perf_record record;

        more = false;
        while (count < cap && perf_record_next(&record, &rest)) {
            count += make_event(s, &record, &out[count]);
            more = true;
        }
        tail += bytes.len - rest.len;
    }
    /* Release: we have read before the kernel may write again. */
    atomic_store_explicit((_Atomic uint64_t *)&r->page->data_tail, tail,
            memory_order_release);
    return count;
}

size_t events_read(struct events *s, struct event *out, size_t cap)
{
    size_t count = 0;

    for (size_t i = 0; i < s->cpus && count < cap; i++) {
        struct cpu_ring *r = &s->rings[s->next++ % s->cpus];

        if (r->page)
            count += read_ring(s, r, out + count, cap - count);
    }
    return count;
}

uint64_t events_lost(const struct events *s)
{
    return s->lost;
}

const char *event_kind_name(enum event_kind kind)
{
    static const char *const names[EVENT_KINDS] = {
        [EVENT_SWITCHED_IN] = "switched_in",
        [EVENT_WAITED] = "waited",
        [EVENT_PREEMPTED] = "preempted",
        [EVENT_PAGE_FAULT] = "page_fault",
        [EVENT_STORAGE_ASKED] = "storage_asked",
    };

    return names[kind];
}
