/* shape_system.c -- what was read of the machine, as TEZ-158 has it: an object
 * for each moment.
 *
 * Readings follow each other in the store; what was read within some
 * milliseconds is one moment.  Sources are read at rates of their own, and what
 * stays the same is stored once a second: so a moment tells the newest of each
 * figure, as long as it is not too old. */
#include "base/alloc.h"
#include "base/map.h"
#include "export/json/shape_list.h"
#include "export/json/shapes.h"

#include <stdlib.h>
#include <string.h>

#define MOMENT_NS 5000000
#define OLD_NS    5000000000
#define MB        1048576.0 /* as seeds/002 has it */

/* The newest of a figure of a subject. */
struct newest {
    enum shape_figure figure;
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

    if (shape_is_npu(&x->subject))
        map_put(&m->npus, x->id, 1);
    if (x->end_ns)
        map_put(&m->ends, x->id, x->end_ns);
}

/* --- a moment ------------------------------------------------------------- */

bool shape_is_npu(const struct subject *x)
{
    return x->kind == SUBJECT_DEVICE && x->name &&
           strncmp(x->name, "npu", 3) == 0;
}

bool shape_figure_of(enum metric_id metric, bool npu, enum shape_figure *figure,
        double *scale)
{
    static const struct {
        enum metric_id metric;
        enum shape_figure figure;
        double scale;
    } known[] = {
        { METRIC_host_busy_ratio, SHAPE_CPU_PERCENT, 100 },
        { METRIC_host_memory_bytes, SHAPE_MEMORY_TOTAL, 1 },
        { METRIC_host_memory_available_bytes, SHAPE_MEMORY_AVAILABLE, 1 },
        { METRIC_device_utilization_ratio, SHAPE_GPU_PERCENT, 100 },
        { METRIC_device_memory_used_bytes, SHAPE_GPU_MEMORY_MB, 1 / MB },
        { METRIC_process_resident_bytes, SHAPE_PROCESS_MEMORY_MB, 1 / MB },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].metric != metric)
            continue;
        *figure = known[i].figure;
        *scale = known[i].scale;
        if (npu && *figure == SHAPE_GPU_PERCENT)
            *figure = SHAPE_NPU_PERCENT;
        return !npu || *figure != SHAPE_GPU_MEMORY_MB;
    }
    return false;
}

void shape_moment_add(struct shape_moment *m, enum shape_figure f, double value)
{
    if (f == SHAPE_PROCESS_MEMORY_MB)
        m->value[f] += value; /* it began as 0 */
    else if (!m->known[f] || value > m->value[f])
        m->value[f] = value;
    m->known[f] = true;
}

void shape_moment_json(struct json *j, uint64_t timestamp_ns,
        const struct shape_moment *m)
{
    static const char *const names[SHAPE_TOLD] = {
        [SHAPE_CPU_PERCENT] = "cpu_percent",
        [SHAPE_MEMORY_PERCENT] = "memory_percent",
        [SHAPE_GPU_PERCENT] = "gpu_percent",
        [SHAPE_NPU_PERCENT] = "npu_percent",
        [SHAPE_GPU_MEMORY_MB] = "gpu_memory_mb",
        [SHAPE_PROCESS_MEMORY_MB] = "process_memory_mb",
    };
    struct shape_moment all = *m;
    double total = m->value[SHAPE_MEMORY_TOTAL];

    if (m->known[SHAPE_MEMORY_TOTAL] && m->known[SHAPE_MEMORY_AVAILABLE] &&
            total > 0)
        shape_moment_add(&all, SHAPE_MEMORY_PERCENT,
                100 * (1 - m->value[SHAPE_MEMORY_AVAILABLE] / total));
    json_object(j, NULL);
    json_u64(j, "timestamp_ns", timestamp_ns);
    for (int i = 0; i < SHAPE_TOLD; i++)
        if (all.known[i])
            json_real(j, names[i], all.value[i]);
    json_end(j);
}

static struct shape_moment gather(const struct system *m)
{
    struct shape_moment all = { 0 };

    for (size_t i = 0; i < m->count; i++) {
        const struct newest *n = &m->newest[i];

        if (m->time_ns < n->time_ns + OLD_NS &&
                (!n->end_ns || n->end_ns > m->time_ns))
            shape_moment_add(&all, n->figure, n->value);
    }
    return all;
}

static void finish(struct system *m)
{
    if (!m->any)
        return;

    struct shape_moment all = gather(m);

    shape_moment_json(&m->list.json, m->started_wall_ns + m->time_ns, &all);
    shape_list_flush(&m->list);
    m->any = false;
}

/* --- readings ------------------------------------------------------------- */

static void note(struct system *m, const struct reading *r, enum shape_figure f,
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
    enum shape_figure figure;
    double scale;

    if (shape_figure_of((enum metric_id)r->metric, npu, &figure, &scale))
        note(m, r, figure, r->value * scale);
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
