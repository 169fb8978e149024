/* shape_system.c -- what was read of the machine, as TEZ-158 has it: an object
 * for each moment.
 *
 * Readings follow each other in the store; what was read within some
 * milliseconds is one moment.  Of several devices of a kind the busiest is
 * shown, of processes the sum. */
#include "base/map.h"
#include "base/str.h"
#include "export/shape_list.h"
#include "export/shapes.h"

#include <string.h>

#define MOMENT_NS 5000000

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

struct system {
    struct shape_list list;
    uint64_t started_wall_ns;
    struct map kinds; /* of subjects: 'g' a GPU, 'n' an NPU */
    bool any;
    uint64_t time_ns;
    double value[FIGURES];
    bool known[FIGURES];
};

static void take_run(void *to, const struct run *r)
{
    ((struct system *)to)->started_wall_ns = r->started_wall_ns;
}

static void take_subject(void *to, const struct subject_entry *x)
{
    struct system *m = to;
    const char *name = x->subject.name ? x->subject.name : "";

    if (x->subject.kind != SUBJECT_DEVICE)
        return;
    map_put(&m->kinds, x->id,
            strncmp(name, "npu", 3) == 0 ? (uint64_t)'n' : (uint64_t)'g');
}

static void put(struct json *j, const struct system *m, enum figure f,
        const char *key)
{
    if (m->known[f])
        json_real(j, key, m->value[f]);
}

static void finish(struct system *m)
{
    struct json *j = &m->list.json;

    if (!m->any)
        return;
    if (m->known[MEMORY_TOTAL] && m->known[MEMORY_AVAILABLE] &&
            m->value[MEMORY_TOTAL] > 0) {
        m->known[MEMORY_PERCENT] = true;
        m->value[MEMORY_PERCENT] =
                100 * (1 - m->value[MEMORY_AVAILABLE] / m->value[MEMORY_TOTAL]);
    }
    json_object(j, NULL);
    json_u64(j, "timestamp_ns", m->started_wall_ns + m->time_ns);
    put(j, m, CPU_PERCENT, "cpu_percent");
    put(j, m, MEMORY_PERCENT, "memory_percent");
    put(j, m, GPU_PERCENT, "gpu_percent");
    put(j, m, NPU_PERCENT, "npu_percent");
    put(j, m, GPU_MEMORY_MB, "gpu_memory_mb");
    put(j, m, PROCESS_MEMORY_MB, "process_memory_mb");
    json_end(j);
    shape_list_flush(&m->list);
    m->any = false;
    memset(m->known, 0, sizeof(m->known));
}

static void note(struct system *m, enum figure f, double value)
{
    m->value[f] = value;
    m->known[f] = true;
}

static void note_most(struct system *m, enum figure f, double value)
{
    note(m, f, m->known[f] && m->value[f] > value ? m->value[f] : value);
}

/* By name: a source that this build does not have yet has no number. */
static void take_reading(void *to, const struct reading *r)
{
    struct system *m = to;
    struct str name = str_of(metric_table[r->metric].name);
    const uint64_t *kind = map_find(&m->kinds, r->subject);
    bool npu = kind && *kind == 'n';

    if (m->any && r->time_ns - m->time_ns >= MOMENT_NS)
        finish(m);
    if (!m->any)
        m->time_ns = r->time_ns;
    m->any = true;
    if (str_is(name, "host_busy_ratio"))
        note(m, CPU_PERCENT, 100 * r->value);
    else if (str_is(name, "host_memory_bytes"))
        note(m, MEMORY_TOTAL, r->value);
    else if (str_is(name, "host_memory_available_bytes"))
        note(m, MEMORY_AVAILABLE, r->value);
    else if (str_is(name, "device_utilization_ratio"))
        note_most(m, npu ? NPU_PERCENT : GPU_PERCENT, 100 * r->value);
    else if (str_is(name, "device_memory_used_bytes") && !npu)
        note_most(m, GPU_MEMORY_MB, r->value / 1e6);
    else if (str_is(name, "process_resident_bytes"))
        note(m, PROCESS_MEMORY_MB,
                r->value / 1e6 + (m->known[PROCESS_MEMORY_MB]
                                                 ? m->value[PROCESS_MEMORY_MB]
                                                 : 0));
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
    map_release(&m.kinds);
    return rc;
}
