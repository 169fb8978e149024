#include "etw/activity.h"

#include "base/alloc.h"
#include "base/map.h"
#include "etw/bytes.h"
#include "etw/decode.h"

#include <stdlib.h>
#include <string.h>

#define PROCESSORS_MAX 2048

/* Windows' own: a thread that waits, and one that could go on. */
#define STATE_READY   1
#define STATE_WAITING 5

struct processor {
    bool known;
    uint32_t tid;
    int64_t since; /* of the clock */
};

struct etw_activity {
    const struct etw_info *info;
    struct etw_process *processes;
    size_t process_count, process_cap;
    struct etw_thread *threads;
    size_t thread_count, thread_cap;
    struct map by_pid, by_tid; /* to places */
    struct processor *processors;
    struct etw_machine machine;
    unsigned has;
    uint32_t sample_interval; /* 100 ns */
    uint64_t tick_ns;         /* of the clock; 0: no whole number */
};

struct etw_activity *etw_activity_new(const struct etw_info *info)
{
    struct etw_activity *a = alloc_zero(1, sizeof(*a));

    a->info = info;
    if (info->frequency && 1000000000 % info->frequency == 0)
        a->tick_ns = 1000000000 / info->frequency;
    a->processors = alloc_zero(PROCESSORS_MAX, sizeof(*a->processors));
    a->sample_interval = 10000; /* unless the trace says otherwise */
    a->machine.processors = info->processors;
    a->machine.mhz = info->cpu_mhz;
    return a;
}

/* --- who is who ------------------------------------------------------------
 */

static size_t add_process(struct etw_activity *a, uint32_t pid)
{
    if (a->process_count == a->process_cap) {
        a->process_cap = a->process_cap ? 2 * a->process_cap : 64;
        a->processes = alloc_resize(a->processes,
                a->process_cap * sizeof(*a->processes));
    }
    a->processes[a->process_count] = (struct etw_process){ .pid = pid };
    map_put(&a->by_pid, pid, a->process_count);
    return a->process_count++;
}

size_t etw_activity_find(struct etw_activity *a, uint32_t pid)
{
    const uint64_t *at = map_find(&a->by_pid, pid);

    return at ? (size_t)*at : add_process(a, pid);
}

static struct etw_process *process_of(struct etw_activity *a, uint32_t pid)
{
    if (pid == ETW_NO_ID)
        return NULL;

    size_t at = etw_activity_find(a, pid); /* which may move them */

    return &a->processes[at];
}

static size_t add_thread(struct etw_activity *a, uint32_t tid)
{
    if (a->thread_count == a->thread_cap) {
        a->thread_cap = a->thread_cap ? 2 * a->thread_cap : 256;
        a->threads =
                alloc_resize(a->threads, a->thread_cap * sizeof(*a->threads));
    }
    a->threads[a->thread_count] = (struct etw_thread){ .tid = tid,
        .process = ETW_NOBODY,
        .ready_since = INT64_MIN,
        .state = UINT8_MAX };
    map_put(&a->by_tid, tid, a->thread_count);
    return a->thread_count++;
}

static struct etw_thread *thread_of(struct etw_activity *a, uint32_t tid)
{
    const uint64_t *known = map_find(&a->by_tid, tid);
    size_t at = known ? (size_t)*known : add_thread(a, tid);

    return &a->threads[at];
}

/* NULL: nobody knows whose thread it is. */
static struct etw_process *owner(struct etw_activity *a, uint32_t tid)
{
    const uint64_t *at = tid == ETW_NO_ID ? NULL : map_find(&a->by_tid, tid);

    if (!at || a->threads[*at].process == ETW_NOBODY)
        return NULL;
    return &a->processes[a->threads[*at].process];
}

/* Who caused what has no thread in it: who runs on that processor. */
static struct etw_process *running(struct etw_activity *a,
        const struct etw_record *r)
{
    const struct processor *c = &a->processors[r->processor % PROCESSORS_MAX];

    if (r->tid != ETW_NO_ID)
        return owner(a, r->tid);
    return c->known ? owner(a, c->tid) : NULL;
}

/* --- CPU time --------------------------------------------------------------
 */

static uint64_t span_ns(const struct etw_activity *a, int64_t from, int64_t to)
{
    uint64_t ticks = (uint64_t)to - (uint64_t)from;

    if (to <= from)
        return 0;
    /* Most clocks tick in whole nanoseconds: no division, at every switch. */
    if (a->tick_ns && ticks < UINT64_MAX / 4 / a->tick_ns)
        return ticks * a->tick_ns;
    return (uint64_t)(etw_trace_ns(a->info, to) - etw_trace_ns(a->info, from));
}

/* The idle thread of each processor is number 0: nobody's time. */
static void charge(struct etw_activity *a, uint32_t tid, uint64_t ns)
{
    struct etw_thread *t = thread_of(a, tid);

    t->cpu_ns += ns;
    if (t->process != ETW_NOBODY)
        a->processes[t->process].cpu_ns += ns;
}

static void leave_processor(struct etw_activity *a, uint32_t tid, uint8_t state,
        int64_t time)
{
    struct etw_thread *t = thread_of(a, tid);

    t->state = state;
    t->ready_since = state == STATE_READY ? time : INT64_MIN;
    if (t->process == ETW_NOBODY)
        return;
    if (state == STATE_READY)
        a->processes[t->process].preemptions++;
    else
        a->processes[t->process].waits++;
}

/* The hottest event of all: read in place.  layouts.c describes the bytes. */
static void take_switch(struct etw_activity *a, const struct etw_record *r)
{
    if (r->len < 16)
        return;

    uint32_t to = get_u32(r->data), from = get_u32(r->data + 4);
    struct processor *c = &a->processors[r->processor % PROCESSORS_MAX];

    a->has |= ETW_HAS_SWITCHES;
    if (from) {
        if (c->known && c->tid == from)
            charge(a, from, span_ns(a, c->since, r->time));
        leave_processor(a, from, r->data[14], r->time);
    }
    if (to) {
        struct etw_thread *t = thread_of(a, to);

        if (t->ready_since != INT64_MIN)
            t->ready_ns += span_ns(a, t->ready_since, r->time);
        t->ready_since = INT64_MIN;
        t->state = 2;
    }
    *c = (struct processor){ true, to, r->time };
}

void etw_activity_settle(struct etw_activity *a, int64_t time)
{
    for (size_t i = 0; i < PROCESSORS_MAX; i++) {
        struct processor *c = &a->processors[i];

        if (!c->known || !c->tid || c->since >= time)
            continue;
        charge(a, c->tid, span_ns(a, c->since, time));
        c->since = time;
    }
}

static void take_ready(struct etw_activity *a, const struct etw_record *r)
{
    if (r->len >= 4)
        thread_of(a, get_u32(r->data))->ready_since = r->time;
}

/* The upper half of the addresses is the kernel's. */
static bool is_kernel(uint64_t ip, size_t pointer_bytes)
{
    return pointer_bytes == 8 ? ip >> 63 : ip >= 0x80000000;
}

static void take_sample(struct etw_activity *a, const struct etw_record *r)
{
    size_t pointer = r->pointer_bytes;

    if (r->len < pointer + 8)
        return;

    uint64_t ip = pointer == 8 ? get_u64(r->data) : get_u32(r->data);
    uint32_t tid = get_u32(r->data + pointer);
    unsigned flags = r->data[pointer + 6];

    a->has |= ETW_HAS_SAMPLES;
    if (!tid && !(flags & 3))
        return; /* idle, and in no interrupt */

    struct etw_process *p = owner(a, tid);

    if (tid)
        thread_of(a, tid)->samples++;
    if (p) {
        p->samples++;
        p->kernel_samples += is_kernel(ip, pointer);
    }
}

/* --- lives -----------------------------------------------------------------
 */

static void set_text(struct buf *to, const struct etw_decoded *d,
        const char *name)
{
    const struct etw_value *v = etw_value(d, name);

    if (!v || !v->len)
        return;
    buf_clear(to);
    etw_value_text(to, v);
}

static void take_process(struct etw_activity *a, const struct etw_record *r,
        const struct etw_decoded *d)
{
    uint32_t pid = (uint32_t)etw_number(d, "ProcessID", ETW_NO_ID);
    struct etw_process *p;

    if (pid == ETW_NO_ID || r->opcode == 39) /* long gone */
        return;
    a->has |= ETW_HAS_PROCESSES;
    /* A pid is used again. */
    if (r->opcode == 1 && map_find(&a->by_pid, pid) &&
            a->processes[*map_find(&a->by_pid, pid)].ended)
        (void)add_process(a, pid);
    p = process_of(a, pid);
    p->named = true;
    p->parent = (uint32_t)etw_number(d, "ParentID", 0);
    set_text(&p->name, d, "ImageFileName");
    set_text(&p->command, d, "CommandLine");
    if (r->opcode == 1) {
        p->started = true;
        p->start_ns = etw_trace_ns(a->info, r->time);
    } else if (r->opcode == 2) {
        p->ended = true;
        p->end_ns = etw_trace_ns(a->info, r->time);
        p->exit_status = (int32_t)etw_number(d, "ExitStatus", 0);
    }
}

static void take_counters(struct etw_activity *a, const struct etw_decoded *d)
{
    struct etw_process *p =
            process_of(a, (uint32_t)etw_number(d, "ProcessID", ETW_NO_ID));
    uint64_t working = etw_number(d, "WorkingSetSize", 0);

    if (!p || d->count < 5)
        return;
    p->has_memory = true;
    p->peak_working_set_bytes = etw_number(d, "PeakWorkingSetSize", 0);
    /* Of a process that ended only the peaks are left. */
    if (!working)
        return;
    p->working_set_bytes = working;
    p->virtual_bytes = etw_number(d, "VirtualSize", 0);
    p->private_bytes = etw_number(d, "PrivatePageCount", 0);
    p->handles = (uint32_t)etw_number(d, "HandleCount", 0);
}

static void take_thread(struct etw_activity *a, const struct etw_record *r,
        const struct etw_decoded *d)
{
    uint32_t pid = (uint32_t)etw_number(d, "ProcessID", ETW_NO_ID);
    uint32_t tid = (uint32_t)etw_number(d, "ThreadID", ETW_NO_ID);

    if (pid == ETW_NO_ID || tid == ETW_NO_ID || !tid)
        return;

    size_t process = etw_activity_find(a, pid);
    struct etw_process *p = &a->processes[process];
    struct etw_thread *t = thread_of(a, tid);

    if (r->opcode == 1 && t->ended) {
        size_t at = add_thread(a, tid);

        t = &a->threads[at];
    }

    bool is_new = t->process != process && r->opcode != 72;

    t->process = process;
    set_text(&t->name, d, "ThreadName");
    if (is_new)
        p->threads++;
    if (r->opcode == 1) {
        t->started = true;
        t->start_ns = etw_trace_ns(a->info, r->time);
    } else if (r->opcode == 2 && !t->ended) {
        t->ended = true;
        t->end_ns = etw_trace_ns(a->info, r->time);
        p->threads -= p->threads > 0;
    }
    if (p->threads > p->threads_max)
        p->threads_max = p->threads;
}

static void take_image(struct etw_activity *a, const struct etw_record *r,
        const struct etw_decoded *d)
{
    struct etw_process *p =
            process_of(a, (uint32_t)etw_number(d, "ProcessID", ETW_NO_ID));

    if (p && (r->opcode == 10 || r->opcode == 3))
        p->images++;
}

/* --- faults and transfers --------------------------------------------------
 */

static void take_memory(struct etw_activity *a, const struct etw_record *r,
        const struct etw_decoded *d)
{
    struct etw_process *p;

    if (r->opcode == 32) {
        a->has |= ETW_HAS_HARD_FAULTS;
        p = owner(a, (uint32_t)etw_number(d, "ThreadID", ETW_NO_ID));
        if (p) {
            p->hard_faults++;
            p->hard_fault_bytes += etw_number(d, "ByteCount", 0);
        }
    } else if (r->opcode >= 10 && r->opcode <= 13) {
        a->has |= ETW_HAS_SOFT_FAULTS;
        p = running(a, r);
        if (p)
            p->soft_faults++;
    } else if (r->opcode == 98 || r->opcode == 99) {
        p = process_of(a, (uint32_t)etw_number(d, "ProcessID", ETW_NO_ID));
        if (p && r->opcode == 98)
            p->allocated_bytes += etw_number(d, "Length", 0);
        else if (p)
            p->freed_bytes += etw_number(d, "Length", 0);
    }
}

static void take_disk(struct etw_activity *a, const struct etw_record *r,
        const struct etw_decoded *d)
{
    struct etw_process *p =
            owner(a, (uint32_t)etw_number(d, "IssuingThreadID", ETW_NO_ID));

    a->has |= ETW_HAS_DISK_IO;
    if (p && r->opcode == 10)
        p->disk_read_bytes += etw_number(d, "TransferSize", 0);
    else if (p && r->opcode == 11)
        p->disk_written_bytes += etw_number(d, "TransferSize", 0);
}

static void take_file(struct etw_activity *a, const struct etw_record *r,
        const struct etw_decoded *d)
{
    if (r->opcode != 67 && r->opcode != 68)
        return;

    struct etw_process *p =
            owner(a, (uint32_t)etw_number(d, "ThreadID", ETW_NO_ID));
    uint64_t bytes = etw_number(d, "IoSize", 0);

    a->has |= ETW_HAS_FILE_IO;
    if (!p)
        return;
    if (r->opcode == 67) {
        p->reads++;
        p->read_bytes += bytes;
    } else {
        p->writes++;
        p->written_bytes += bytes;
    }
}

static void take_network(struct etw_activity *a, const struct etw_record *r,
        const struct etw_decoded *d)
{
    struct etw_process *p =
            process_of(a, (uint32_t)etw_number(d, "PID", ETW_NO_ID));

    a->has |= ETW_HAS_NETWORK;
    if (p && (r->opcode == 10 || r->opcode == 26))
        p->sent_bytes += etw_number(d, "size", 0);
    else if (p && (r->opcode == 11 || r->opcode == 27))
        p->received_bytes += etw_number(d, "size", 0);
}

static void take_config(struct etw_activity *a, const struct etw_record *r,
        const struct etw_decoded *d)
{
    if (r->opcode != 10)
        return;
    set_text(&a->machine.name, d, "ComputerName");
    a->machine.mhz = (uint32_t)etw_number(d, "MHz", a->machine.mhz);
    a->machine.processors = (uint32_t)etw_number(d, "NumberOfProcessors",
            a->machine.processors);
    a->machine.memory_bytes = etw_number(d, "MemSize", 0) << 20;
}

/* --- all of them -----------------------------------------------------------
 */

/* Fewer than one in a thousand of a trace's records, or cheap to pass over. */
static void take_decoded(struct etw_activity *a, const struct etw_record *r,
        enum etw_class class)
{
    struct etw_decoded d;

    if (!etw_decode(&d, r))
        return;
    switch (class) {
    case ETW_CLASS_PROCESS:
        if (r->opcode == 10)
            take_image(a, r, &d);
        else if (r->opcode == 32 || r->opcode == 33)
            take_counters(a, &d);
        else if (r->opcode != 11)
            take_process(a, r, &d);
        break;
    case ETW_CLASS_THREAD: take_thread(a, r, &d); break;
    case ETW_CLASS_IMAGE: take_image(a, r, &d); break;
    case ETW_CLASS_MEMORY: take_memory(a, r, &d); break;
    case ETW_CLASS_DISK_IO: take_disk(a, r, &d); break;
    case ETW_CLASS_FILE_IO: take_file(a, r, &d); break;
    case ETW_CLASS_TCP_IP:
    case ETW_CLASS_UDP_IP: take_network(a, r, &d); break;
    case ETW_CLASS_SYSTEM_CONFIG: take_config(a, r, &d); break;
    case ETW_CLASS_PERF_INFO:
        if (r->opcode == 73 && !etw_number(&d, "SampleSource", 1) &&
                etw_number(&d, "NewInterval", 0))
            a->sample_interval = (uint32_t)etw_number(&d, "NewInterval", 0);
        break;
    default: break;
    }
}

void etw_activity_take(struct etw_activity *a, const struct etw_record *r)
{
    if (r->kind != ETW_KERNEL && r->kind != ETW_CLASSIC)
        return;

    enum etw_class class = etw_class_of(r);

    if (class == ETW_CLASS_THREAD && r->opcode == 36)
        take_switch(a, r);
    else if (class == ETW_CLASS_THREAD && r->opcode == 50)
        take_ready(a, r);
    else if (class == ETW_CLASS_PERF_INFO && r->opcode == 46)
        take_sample(a, r);
    else if (class == ETW_CLASS_STACK_WALK)
        a->has |= ETW_HAS_STACKS;
    else
        take_decoded(a, r, class);
}

/* --- what was found --------------------------------------------------------
 */

unsigned etw_activity_has(const struct etw_activity *a)
{
    return a->has;
}

uint64_t etw_activity_sample_ns(const struct etw_activity *a)
{
    return (uint64_t)a->sample_interval * 100;
}

size_t etw_activity_processes(const struct etw_activity *a)
{
    return a->process_count;
}

const struct etw_process *etw_activity_process(const struct etw_activity *a,
        size_t at)
{
    return &a->processes[at];
}

size_t etw_activity_threads(const struct etw_activity *a)
{
    return a->thread_count;
}

const struct etw_thread *etw_activity_thread(const struct etw_activity *a,
        size_t at)
{
    return &a->threads[at];
}

const struct etw_machine *etw_activity_machine(const struct etw_activity *a)
{
    return &a->machine;
}

uint32_t etw_activity_owner(const struct etw_activity *a, uint32_t tid)
{
    const uint64_t *at = map_find(&a->by_tid, tid);

    if (!at || a->threads[*at].process == ETW_NOBODY)
        return ETW_NO_ID;
    return a->processes[a->threads[*at].process].pid;
}

uint64_t etw_process_cpu_ns(const struct etw_activity *a,
        const struct etw_process *p, bool *measured)
{
    *measured = a->has & ETW_HAS_SWITCHES;
    return *measured ? p->cpu_ns : p->samples * etw_activity_sample_ns(a);
}

void etw_activity_free(struct etw_activity *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->process_count; i++) {
        buf_release(&a->processes[i].name);
        buf_release(&a->processes[i].command);
    }
    for (size_t i = 0; i < a->thread_count; i++)
        buf_release(&a->threads[i].name);
    buf_release(&a->machine.name);
    map_release(&a->by_pid);
    map_release(&a->by_tid);
    free(a->processes);
    free(a->threads);
    free(a->processors);
    free(a);
}
