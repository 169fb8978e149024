/* shape_system.c -- what was read of the machine, as TEZ-158 has it: an object
 * for each moment.
 *
 * Readings follow each other in the store; what was read within some
 * milliseconds is one moment.  Sources are read at rates of their own, and what
 * stays the same is stored once a second: so a moment tells the newest of each
 * figure, as long as it is not too old.  Of several devices of a kind the
 * busiest is shown, of processes the sum. */
#include "base/alloc.h"
#include "base/map.h"
#include "export/json/shape_list.h"
#include "export/json/shapes.h"

#include <stdlib.h>
#include <string.h>

#define MOMENT_NS 5000000
#define OLD_NS    5000000000

enum figure {
    CPU_PERCENT,
    MEMORY_PERCENT,
    GPU_PERCENT,
    NPU_PERCENT,
    GPU_MEMORY_MB,
    PROCESS_MEMORY_MB,
    MEMORY_TOTAL,
    MEMORY_AVAILABLE,
    FIGURES
};

/* The newest of a figure of a subject. */
struct newest {
    enum figure figure;
    double value;
    uint64_t time_ns;
    uint64_t end_ns; /* when the subject ended; 0: it did not */
};

struct system {
    struct shape_list list;
    uint64_t started_wall_ns;
    struct map npus; /* of subjects; the others are GPUs */
    struct map ends; /* of subjects, in ns */
    bool any;
    uint64_t time_ns; /* of the moment */
    struct newest *newest;
    size_t count;
    struct map at; /* figure and subject to `newest` */
};

static void take_run(void *to, const struct run *r)
{
    ((struct system *)to)->started_wall_ns = r->started_wall_ns;
}

static void take_subject(void *to, const struct subject_entry *x)
{
    struct system *m = to;
    const char *name = x->subject.name ? x->subject.name : "";

    if (x->subject.kind == SUBJECT_DEVICE && strncmp(name, "npu", 3) == 0)
        map_put(&m->npus, x->id, 1);
    if (x->end_ns)
        map_put(&m->ends, x->id, x->end_ns);
}

/* --- a moment ------------------------------------------------------------- */

struct moment {
    double value[FIGURES];
    bool known[FIGURES];
};

static void add(struct moment *to, enum figure f, double value)
{
    if (f == PROCESS_MEMORY_MB)
        to->value[f] += value; /* it began as 0 */
    else if (!to->known[f] || value > to->value[f])
        to->value[f] = value;
    to->known[f] = true;
}

static struct moment gather(const struct system *m)
{
    struct moment all = { 0 };

    for (size_t i = 0; i < m->count; i++) {
        const struct newest *n = &m->newest[i];

        if (m->time_ns < n->time_ns + OLD_NS &&
                (!n->end_ns || n->end_ns > m->time_ns))
            add(&all, n->figure, n->value);
    }
    if (all.known[MEMORY_TOTAL] && all.known[MEMORY_AVAILABLE] &&
            all.value[MEMORY_TOTAL] > 0)
        add(&all, MEMORY_PERCENT,
                100 * (1 - all.value[MEMORY_AVAILABLE] /
                                      all.value[MEMORY_TOTAL]));
    return all;
}

static void finish(struct system *m)
{
    static const char *const names[] = {
        [CPU_PERCENT] = "cpu_percent",
        [MEMORY_PERCENT] = "memory_percent",
        [GPU_PERCENT] = "gpu_percent",
        [NPU_PERCENT] = "npu_percent",
        [GPU_MEMORY_MB] = "gpu_memory_mb",
        [PROCESS_MEMORY_MB] = "process_memory_mb",
    };
    struct json *j = &m->list.json;

    if (!m->any)
        return;

    struct moment all = gather(m);

    json_object(j, NULL);
    json_u64(j, "timestamp_ns", m->started_wall_ns + m->time_ns);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (all.known[i])
            json_real(j, names[i], all.value[i]);
    json_end(j);
    shape_list_flush(&m->list);
    m->any = false;
}

/* --- readings ------------------------------------------------------------- */

static void note(struct system *m, const struct reading *r, enum figure f,
        double value)
{
    uint64_t key = (uint64_t)f << 32 | r->subject;
    const uint64_t *found = map_find(&m->at, key);
    const uint64_t *end_ns = map_find(&m->ends, r->subject);

    if (m->any && r->time_ns >= m->time_ns + MOMENT_NS)
        finish(m);
    if (!m->any)
        m->time_ns = r->time_ns;
    m->any = true;
    if (!found) {
        if (!(m->count & (m->count - 1)))
            m->newest = alloc_resize(m->newest,
                    (m->count ? 2 * m->count : 1) * sizeof(*m->newest));
        map_put(&m->at, key, m->count);
        found = map_find(&m->at, key);
        m->count++;
    }
    m->newest[*found] = (struct newest){
        .figure = f,
        .value = value,
        .time_ns = r->time_ns,
        .end_ns = end_ns ? *end_ns : 0,
    };
}

static void take_reading(void *to, const struct reading *r)
{
    struct system *m = to;
    bool npu = map_find(&m->npus, r->subject) != NULL;

    switch ((enum metric_id)r->metric) {
    case METRIC_host_busy_ratio: note(m, r, CPU_PERCENT, 100 * r->value); break;
    case METRIC_host_memory_bytes: note(m, r, MEMORY_TOTAL, r->value); break;
    case METRIC_host_memory_available_bytes:
        note(m, r, MEMORY_AVAILABLE, r->value);
        break;
    case METRIC_device_utilization_ratio:
        note(m, r, npu ? NPU_PERCENT : GPU_PERCENT, 100 * r->value);
        break;
    case METRIC_device_memory_used_bytes:
        if (!npu)
            note(m, r, GPU_MEMORY_MB, r->value / 1e6);
        break;
    case METRIC_process_resident_bytes:
        note(m, r, PROCESS_MEMORY_MB, r->value / 1e6);
        break;
    default: break;
    }
}

int shape_system(struct sink *to, struct store *s, int64_t run, struct error *e)
{
    struct system m = { 0 };
    int rc = store_read_run(s, run, take_run, &m, e);

    if (!rc)
        rc = store_each_subject(s, run, take_subject, &m, e);
    shape_list_begin(&m.list, to);
    if (!rc)
        rc = store_each_reading(s, run, take_reading, &m, e);
    finish(&m);
    shape_list_end(&m.list);
    map_release(&m.npus);
    map_release(&m.ends);
    map_release(&m.at);
    free(m.newest);
    return rc;
}
