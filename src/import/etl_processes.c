/* etl_processes.c -- the processes of a trace and their counters. */
#include "import/etl_processes.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "import/import.h"
#include "import/windows_command.h"

#include <stdlib.h>
#include <string.h>

#define TICK_NS         INT64_C(100000000)
#define LATER_TICK_NS   INT64_C(1000000000) /* after a minute */
#define SUBJECT_MACHINE 0

/* The counters of a process, as they were read last. */
enum {
    CPU,
    USER,
    SYSTEM,
    SOFT,
    HARD,
    WAITS,
    PREEMPTIONS,
    READ,
    WRITTEN,
    READS,
    WRITES,
    DISK_READ,
    DISK_WRITTEN,
    THREADS,
    WORKING_SET,
    PEAK,
    PRIVATE,
    VIRTUAL,
    CORES,
    FIGURES
};

static const struct {
    uint16_t metric;
    unsigned needs; /* enum etw_kind_of_event; 0: the process's own figures */
} figures[FIGURES] = {
    [CPU] = { METRIC_process_cpu_seconds_total,
            ETW_HAS_SWITCHES | ETW_HAS_SAMPLES },
    [USER] = { METRIC_process_user_cpu_seconds_total, ETW_HAS_SAMPLES },
    [SYSTEM] = { METRIC_process_system_cpu_seconds_total, ETW_HAS_SAMPLES },
    [SOFT] = { METRIC_process_minor_faults_total, ETW_HAS_SOFT_FAULTS },
    [HARD] = { METRIC_process_major_faults_total, ETW_HAS_HARD_FAULTS },
    [WAITS] = { METRIC_process_voluntary_switches_total, ETW_HAS_SWITCHES },
    [PREEMPTIONS] = { METRIC_process_involuntary_switches_total,
            ETW_HAS_SWITCHES },
    [READ] = { METRIC_process_read_bytes_total, ETW_HAS_FILE_IO },
    [WRITTEN] = { METRIC_process_written_bytes_total, ETW_HAS_FILE_IO },
    [READS] = { METRIC_process_read_calls_total, ETW_HAS_FILE_IO },
    [WRITES] = { METRIC_process_write_calls_total, ETW_HAS_FILE_IO },
    [DISK_READ] = { METRIC_process_storage_read_bytes_total, ETW_HAS_DISK_IO },
    [DISK_WRITTEN] = { METRIC_process_storage_written_bytes_total,
            ETW_HAS_DISK_IO },
    [THREADS] = { METRIC_process_threads, 0 },
    [WORKING_SET] = { METRIC_process_resident_bytes, 0 },
    [PEAK] = { METRIC_process_peak_resident_bytes, 0 },
    [PRIVATE] = { METRIC_process_private_bytes, 0 },
    [VIRTUAL] = { METRIC_process_virtual_bytes, 0 },
    [CORES] = { METRIC_process_cpu_cores, ETW_HAS_SWITCHES | ETW_HAS_SAMPLES },
};

struct known {
    bool added, ended;
    double last[FIGURES];
    struct rollup second[FIGURES]; /* the one that goes on */
};

struct etl_processes {
    struct store *store;
    const struct etw_info *info;
    struct etw_activity *activity;
    const struct map *concerned;
    struct known *known; /* by place in the activity */
    size_t known_cap;
    int64_t next_tick_ns, last_tick_ns;
};

struct etl_processes *etl_processes_new(struct store *s,
        const struct etw_info *info, const struct map *concerned)
{
    struct etl_processes *x = alloc_zero(1, sizeof(*x));

    x->store = s;
    x->info = info;
    x->activity = etw_activity_new(info);
    x->concerned = concerned;
    x->next_tick_ns = TICK_NS;
    return x;
}

static uint64_t run_ns(int64_t ns)
{
    return ns > 0 ? (uint64_t)ns : 0;
}

/* --- processes -------------------------------------------------------------
 */

static struct known *known_at(struct etl_processes *x, size_t at)
{
    if (at >= x->known_cap) {
        size_t cap = 2 * at + 64;

        x->known = alloc_resize(x->known, cap * sizeof(*x->known));
        memset(x->known + x->known_cap, 0,
                (cap - x->known_cap) * sizeof(*x->known));
        x->known_cap = cap;
    }
    return &x->known[at];
}

/* A process and its subject; its name may have come after its first event, so
 * this waits until somebody needs it or the trace ends. */
static void add_process(struct etl_processes *x, size_t at)
{
    const struct etw_process *p = etw_activity_process(x->activity, at);
    struct known *k = known_at(x, at);
    struct buf command = { 0 }, name = { 0 };
    uint64_t start = p->started ? run_ns(p->start_ns) : 0;

    if (k->added)
        return;
    k->added = true;
    if (p->command.len)
        windows_command_text(&command, buf_str(&p->command));
    import_text(&name, buf_str(&p->name));
    store_add_process(x->store,
            &(struct process){
                    .id = (uint32_t)at + 1,
                    .pid = p->pid,
                    .start_ns = start,
                    .program = name.len ? buf_cstr(&name) : NULL,
            });
    store_add_subject(x->store, (uint32_t)at + 1,
            &(struct subject){
                    .kind = SUBJECT_PROCESS,
                    .number = p->pid,
                    .start_ns = start,
                    .name = name.len ? buf_cstr(&name) : "?",
                    .detail = command.len ? buf_cstr(&command) : NULL,
                    .source = "etw",
            });
    buf_release(&command);
    buf_release(&name);
}

uint32_t etl_process_of(struct etl_processes *x, uint32_t pid)
{
    size_t at = etw_activity_find(x->activity, pid);

    add_process(x, at);
    return (uint32_t)at + 1;
}

/* --- readings --------------------------------------------------------------
 */

static void fill_figures(const struct etl_processes *x,
        const struct etw_process *p, const struct known *k, uint64_t now_ns,
        double out[FIGURES], bool *measured)
{
    double seconds = (double)(now_ns - run_ns(x->last_tick_ns)) / 1e9;
    double cpu = (double)etw_process_cpu_ns(x->activity, p, measured) / 1e9;
    double kernel =
            p->samples ? (double)p->kernel_samples / (double)p->samples : 0;

    out[CPU] = cpu;
    out[USER] = cpu * (1 - kernel);
    out[SYSTEM] = cpu * kernel;
    out[SOFT] = (double)p->soft_faults;
    out[HARD] = (double)p->hard_faults;
    out[WAITS] = (double)p->waits;
    out[PREEMPTIONS] = (double)p->preemptions;
    out[READ] = (double)p->read_bytes;
    out[WRITTEN] = (double)p->written_bytes;
    out[READS] = (double)p->reads;
    out[WRITES] = (double)p->writes;
    out[DISK_READ] = (double)p->disk_read_bytes;
    out[DISK_WRITTEN] = (double)p->disk_written_bytes;
    out[THREADS] = (double)p->threads;
    out[WORKING_SET] = (double)p->working_set_bytes;
    out[PEAK] = (double)p->peak_working_set_bytes;
    out[PRIVATE] = (double)p->private_bytes;
    out[VIRTUAL] = (double)p->virtual_bytes;
    out[CORES] = seconds > 0 ? (cpu - k->last[CPU]) / seconds : k->last[CORES];
}

static bool is_concerned(const struct etl_processes *x,
        const struct etw_process *p)
{
    return !x->concerned->count || map_find(x->concerned, p->pid);
}

static void end_second(struct etl_processes *x, struct rollup *r)
{
    if (r->count)
        store_add_rollup(x->store, r);
    r->count = 0;
}

/* Adds a value to its second; one that is over is stored. */
static void roll_up(struct etl_processes *x, struct rollup *r, uint32_t subject,
        uint16_t metric, uint64_t now_ns, double value)
{
    uint64_t second = now_ns / 1000000000;

    if (r->count && r->second != second)
        end_second(x, r);
    if (!r->count)
        *r = (struct rollup){ second, subject, metric, 0, value, 0, value };
    r->count++;
    r->min = value < r->min ? value : r->min;
    r->max = value > r->max ? value : r->max;
    r->mean += (value - r->mean) / (double)r->count;
}

/* What apportions is said of each figure: CPU time by samples, and its halves
 * always. */
static uint8_t method_of(int figure, bool measured)
{
    if (figure == USER || figure == SYSTEM ||
            ((figure == CPU || figure == CORES) && !measured))
        return READING_APPORTIONED;
    return READING_MEASURED;
}

/* A figure that the trace tells of.  Those of a process's own are known once
 * they are not 0. */
static bool is_known(const struct etl_processes *x, int figure, double value)
{
    unsigned needs = figures[figure].needs;

    return needs ? needs & etw_activity_has(x->activity) : value != 0;
}

static void read_figure(struct etl_processes *x, size_t at, int figure,
        uint64_t now_ns, double value, uint8_t method)
{
    struct known *k = known_at(x, at);

    if (value == k->last[figure])
        return;
    k->last[figure] = value;
    add_process(x, at);
    store_add_reading(x->store, &(struct reading){
                                        .time_ns = now_ns,
                                        .value = value,
                                        .subject = (uint32_t)at + 1,
                                        .metric = figures[figure].metric,
                                        .method = method,
                                });
}

static void read_process(struct etl_processes *x, size_t at, uint64_t now_ns)
{
    const struct etw_process *p = etw_activity_process(x->activity, at);
    struct known *k = known_at(x, at);
    double now[FIGURES];
    bool measured;

    if (k->ended)
        return;
    fill_figures(x, p, k, now_ns, now, &measured);
    for (int i = 0; i < FIGURES; i++) {
        if (!is_known(x, i, now[i]))
            continue;
        read_figure(x, at, i, now_ns, now[i], method_of(i, measured));
        if (is_concerned(x, p))
            roll_up(x, &k->second[i], (uint32_t)at + 1, figures[i].metric,
                    now_ns, now[i]);
    }
    if (p->ended && k->added) {
        k->ended = true;
        store_end_subject(x->store, (uint32_t)at + 1, run_ns(p->end_ns));
    }
}

static void end_seconds(struct etl_processes *x)
{
    for (size_t at = 0; at < x->known_cap; at++)
        for (int i = 0; i < FIGURES; i++)
            end_second(x, &x->known[at].second[i]);
}

static void tick(struct etl_processes *x, int64_t time, int64_t now_ns)
{
    etw_activity_settle(x->activity, time);
    for (size_t i = 0; i < etw_activity_processes(x->activity); i++)
        read_process(x, i, run_ns(now_ns));
    x->last_tick_ns = now_ns;
    x->next_tick_ns =
            now_ns + (now_ns < INT64_C(60000000000) ? TICK_NS : LATER_TICK_NS);
    (void)store_flush(x->store, NULL);
}

static void add_threads(struct etl_processes *x)
{
    for (size_t i = 0; i < etw_activity_threads(x->activity); i++) {
        const struct etw_thread *t = etw_activity_thread(x->activity, i);
        struct buf name = { 0 };

        if (t->process == ETW_NOBODY || !t->name.len ||
                !import_text(&name, buf_str(&t->name)))
            continue;
        add_process(x, t->process);
        store_add_thread(x->store,
                &(struct note){ .process = (uint32_t)t->process + 1,
                        .thread = t->tid,
                        .text = buf_cstr(&name),
                        .time_ns = run_ns(t->start_ns) });
        buf_release(&name);
    }
}

/* Nothing is read of it; absences are told of it. */
static void add_machine(struct etl_processes *x)
{
    const struct buf *name = &etw_activity_machine(x->activity)->name;

    store_add_subject(x->store, SUBJECT_MACHINE,
            &(struct subject){ .kind = SUBJECT_HOST,
                    .name = name->len ? buf_cstr(name) : "Windows",
                    .source = "etw" });
}

static void add_absences(struct etl_processes *x)
{
    static const struct {
        unsigned bit;
        uint16_t metric;
        const char *reason;
    } absences[] = {
        { ETW_HAS_SOFT_FAULTS, METRIC_process_minor_faults_total,
                "the trace has no soft page faults: record with PAGE_FAULTS" },
        { ETW_HAS_HARD_FAULTS, METRIC_process_major_faults_total,
                "the trace has no hard faults: record with HARD_FAULTS" },
        { ETW_HAS_SWITCHES, METRIC_process_voluntary_switches_total,
                "the trace has no context switches: record with CSWITCH" },
        { ETW_HAS_FILE_IO, METRIC_process_read_bytes_total,
                "the trace has no file I/O: record with FILE_IO" },
        { ETW_HAS_DISK_IO, METRIC_process_storage_read_bytes_total,
                "the trace has no disk I/O: record with DISK_IO" },
        { ETW_HAS_SWITCHES | ETW_HAS_SAMPLES, METRIC_process_cpu_seconds_total,
                "the trace has neither context switches nor samples" },
    };
    unsigned has = etw_activity_has(x->activity);

    for (size_t i = 0; i < LEN(absences); i++)
        if (!(has & absences[i].bit))
            store_add_absence(x->store,
                    &(struct absence_note){ .metric = absences[i].metric,
                            .subject = SUBJECT_MACHINE,
                            .reason = absences[i].reason });
}

/* --- the trace -------------------------------------------------------------
 */

void etl_processes_take(struct etl_processes *x, const struct etw_record *r)
{
    int64_t now = etw_trace_ns(x->info, r->time);

    if (now >= x->next_tick_ns)
        tick(x, r->time, now);
    etw_activity_take(x->activity, r);
}

void etl_processes_end(struct etl_processes *x, int64_t last)
{
    tick(x, last, etw_trace_ns(x->info, last));
    end_seconds(x);
    for (size_t i = 0; i < etw_activity_processes(x->activity); i++)
        add_process(x, i);
    add_machine(x);
    add_threads(x);
    add_absences(x);
}

const struct etw_activity *etl_processes_activity(const struct etl_processes *x)
{
    return x->activity;
}

void etl_processes_free(struct etl_processes *x)
{
    if (!x)
        return;
    etw_activity_free(x->activity);
    free(x->known);
    free(x);
}
