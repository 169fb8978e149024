/* etw_stats.c -- what the processes of a trace did, and ONNX Runtime's
 * inferences. */
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/cli/output.h"
#include "cmd/etw/etw_views.h"
#include "etw/activity.h"
#include "etw/ort.h"
#include "export/json/summary_json.h"
#include "import/windows_command.h"

#include <inttypes.h>
#include <stdlib.h>

struct latency {
    uint64_t count, total_ns, min_ns, max_ns;
};

struct stats {
    struct etw_activity *activity;
    struct etw_ort *ort;
    struct latency *latency; /* by place of the process */
    size_t latency_cap;
    int64_t last_ns;
};

static void take_inference(void *context, const struct etw_ort_inference *x)
{
    struct stats *s = context;
    size_t at = etw_activity_find(s->activity, x->pid);

    if (at >= s->latency_cap) {
        size_t cap = 2 * at + 16;

        s->latency = alloc_resize(s->latency, cap * sizeof(*s->latency));
        for (size_t i = s->latency_cap; i < cap; i++)
            s->latency[i] = (struct latency){ .min_ns = UINT64_MAX };
        s->latency_cap = cap;
    }

    struct latency *l = &s->latency[at];

    l->count++;
    l->total_ns += x->duration_ns;
    l->min_ns = x->duration_ns < l->min_ns ? x->duration_ns : l->min_ns;
    l->max_ns = x->duration_ns > l->max_ns ? x->duration_ns : l->max_ns;
}

static const struct latency *latency_of(const struct stats *s, size_t at)
{
    return at < s->latency_cap && s->latency[at].count ? &s->latency[at] : NULL;
}

/* The busiest first. */
struct order {
    uint64_t cpu_ns;
    size_t at;
};

static int busiest(const void *a, const void *b)
{
    const struct order *x = a, *y = b;

    if (x->cpu_ns != y->cpu_ns)
        return x->cpu_ns > y->cpu_ns ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static struct order *order_of(const struct stats *s)
{
    size_t count = etw_activity_processes(s->activity);
    struct order *o = alloc_zero(count + 1, sizeof(*o));
    bool measured;

    for (size_t i = 0; i < count; i++)
        o[i] = (struct order){ etw_process_cpu_ns(s->activity,
                                       etw_activity_process(s->activity, i),
                                       &measured),
            i };
    qsort(o, count, sizeof(*o), busiest);
    return o;
}

/* --- JSON ------------------------------------------------------------------
 */

static void cpu_json(struct json *j, const struct stats *s,
        const struct etw_process *p)
{
    unsigned has = etw_activity_has(s->activity);
    bool measured;
    uint64_t ns = etw_process_cpu_ns(s->activity, p, &measured);

    if (!(has & (ETW_HAS_SWITCHES | ETW_HAS_SAMPLES)))
        return;
    json_object(j, "cpu");
    json_u64(j, "ns", ns);
    json_text(j, "method", measured ? "measured" : "apportioned");
    if (s->last_ns > 0)
        json_fixed(j, "cores", (double)ns / (double)s->last_ns, 6);
    if (has & ETW_HAS_SAMPLES) {
        json_u64(j, "samples", p->samples);
        json_u64(j, "kernel_samples", p->kernel_samples);
    }
    if (has & ETW_HAS_SWITCHES) {
        json_u64(j, "waits", p->waits);
        json_u64(j, "preemptions", p->preemptions);
    }
    json_end(j);
}

static void memory_json(struct json *j, const struct etw_process *p)
{
    if (!p->has_memory)
        return;
    json_object(j, "memory");
    if (p->working_set_bytes) {
        json_u64(j, "working_set_bytes", p->working_set_bytes);
        json_u64(j, "private_bytes", p->private_bytes);
        json_u64(j, "virtual_bytes", p->virtual_bytes);
        json_u64(j, "handles", p->handles);
    }
    json_u64(j, "peak_working_set_bytes", p->peak_working_set_bytes);
    json_end(j);
}

static void io_json(struct json *j, unsigned has, const struct etw_process *p)
{
    if (has & ETW_HAS_SOFT_FAULTS)
        json_u64(j, "soft_faults", p->soft_faults);
    if (has & ETW_HAS_HARD_FAULTS)
        json_u64(j, "hard_faults", p->hard_faults);
    if (has & ETW_HAS_FILE_IO) {
        json_u64(j, "reads", p->reads);
        json_u64(j, "read_bytes", p->read_bytes);
        json_u64(j, "writes", p->writes);
        json_u64(j, "written_bytes", p->written_bytes);
    }
    if (has & ETW_HAS_DISK_IO) {
        json_u64(j, "disk_read_bytes", p->disk_read_bytes);
        json_u64(j, "disk_written_bytes", p->disk_written_bytes);
    }
    if (has & ETW_HAS_NETWORK) {
        json_u64(j, "sent_bytes", p->sent_bytes);
        json_u64(j, "received_bytes", p->received_bytes);
    }
}

static void latency_json(struct json *j, const struct latency *l)
{
    if (!l)
        return;
    json_object(j, "inferences");
    json_u64(j, "count", l->count);
    json_fixed(j, "mean_us", (double)l->total_ns / (double)l->count / 1e3, 3);
    json_fixed(j, "min_us", (double)l->min_ns / 1e3, 3);
    json_fixed(j, "max_us", (double)l->max_ns / 1e3, 3);
    json_end(j);
}

static void process_json(struct json *j, const struct stats *s, size_t at)
{
    const struct etw_process *p = etw_activity_process(s->activity, at);
    struct buf command = { 0 };

    json_object(j, NULL);
    json_u64(j, "pid", p->pid);
    if (p->named) {
        json_u64(j, "parent_pid", p->parent);
        json_str(j, "name", buf_str(&p->name));
    }
    if (p->command.len) {
        windows_command_text(&command, buf_str(&p->command));
        json_str(j, "command", buf_str(&command));
    }
    if (p->started)
        json_int(j, "start_ns", p->start_ns);
    if (p->ended) {
        json_int(j, "end_ns", p->end_ns);
        json_int(j, "exit_status", p->exit_status);
    }
    if (p->threads_max)
        json_u64(j, "threads_max", p->threads_max);
    if (p->images)
        json_u64(j, "images", p->images);
    cpu_json(j, s, p);
    memory_json(j, p);
    io_json(j, etw_activity_has(s->activity), p);
    latency_json(j, latency_of(s, at));
    json_end(j);
    buf_release(&command);
}

static void print_json(struct buf *out, const struct stats *s,
        const struct etw_trace *t, const char *path)
{
    const struct etw_ort_tally *y = etw_ort_tally(s->ort);
    struct order *order = order_of(s);
    struct json j = json_into(out);

    json_object(&j, NULL);
    json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_text(&j, "file", path);
    json_u64(&j, "records", etw_trace_tally(t)->records);
    json_int(&j, "duration_ns", s->last_ns);
    json_object(&j, "onnxruntime");
    json_u64(&j, "events", y->events);
    json_u64(&j, "sessions", y->sessions);
    json_u64(&j, "inferences", y->inferences);
    json_u64(&j, "unpaired_starts", y->unpaired_starts);
    json_u64(&j, "unpaired_stops", y->unpaired_stops);
    json_u64(&j, "qnn_events", y->qnn_events);
    json_u64(&j, "messages", y->messages);
    json_end(&j);
    json_array(&j, "processes");
    for (size_t i = 0; i < etw_activity_processes(s->activity); i++)
        process_json(&j, s, order[i].at);
    json_end(&j);
    json_end(&j);
    buf_char(out, '\n');
    free(order);
}

/* --- text ------------------------------------------------------------------
 */

static void process_line(struct buf *out, const struct stats *s, size_t at)
{
    const struct etw_process *p = etw_activity_process(s->activity, at);
    const struct latency *l = latency_of(s, at);
    bool measured;
    uint64_t ns = etw_process_cpu_ns(s->activity, p, &measured);

    buf_printf(out, "%8" PRIu32 " %11.3f %8" PRIu32 " %9" PRIu64, p->pid,
            (double)ns / 1e6, p->threads_max, p->hard_faults);
    if (l)
        buf_printf(out, " %9" PRIu64 " %10.1f", l->count,
                (double)l->total_ns / (double)l->count / 1e3);
    else
        buf_printf(out, " %9s %10s", "-", "-");
    buf_printf(out, "  %s\n", p->name.len ? buf_cstr(&p->name) : "?");
}

static void print_text(struct buf *out, const struct stats *s,
        const struct etw_trace *t)
{
    const struct etw_ort_tally *y = etw_ort_tally(s->ort);
    unsigned has = etw_activity_has(s->activity);
    struct order *order = order_of(s);

    buf_printf(out,
            "%" PRIu64 " records, %.3f s; CPU time %s\n"
            "ONNX Runtime: %" PRIu64 " events, %" PRIu64 " sessions, %" PRIu64
            " inferences, %" PRIu64 " without an end, %" PRIu64
            " without a beginning\n\n"
            "     pid      cpu ms  threads    faults    infer.    mean us  "
            "name\n",
            etw_trace_tally(t)->records, (double)s->last_ns / 1e9,
            has & ETW_HAS_SWITCHES  ? "measured by context switches"
            : has & ETW_HAS_SAMPLES ? "apportioned by the profiler's samples"
                                    : "is not in the trace",
            y->events, y->sessions, y->inferences, y->unpaired_starts,
            y->unpaired_stops);
    for (size_t i = 0; i < etw_activity_processes(s->activity); i++)
        process_line(out, s, order[i].at);
    free(order);
}

int etw_show_stats(const struct etw_settings *settings, struct etw_trace *t,
        const char *path, struct error *e)
{
    const struct etw_info *info = etw_trace_info(t);
    struct stats s = { .activity = etw_activity_new(info) };
    const struct etw_record *r;
    struct buf out = { 0 }, missing = { 0 };
    int64_t last = info->first_time;

    s.ort = etw_ort_new(info, &(struct etw_ort_sink){ .context = &s,
                                      .inference = take_inference });
    while ((r = etw_trace_next(t))) {
        last = r->time;
        if (settings->filter.providers.count || settings->filter.events.count ||
                settings->filter.has_pid || settings->filter.from_s > 0 ||
                settings->filter.to_s > 0)
            if (!etw_filter_passes(&settings->filter, r, info))
                continue;
        etw_activity_take(s.activity, r);
        etw_ort_take(s.ort, r);
    }
    etw_activity_settle(s.activity, last);
    etw_ort_end(s.ort);
    s.last_ns = etw_trace_ns(info, last);
    if (settings->json)
        print_json(&out, &s, t, path);
    else {
        print_text(&out, &s, t);
        etw_trace_missing(&missing, t);
        if (missing.len)
            buf_printf(&out, "\n%s\n", buf_cstr(&missing));
    }

    int rc = output_write(settings->out, buf_str(&out), e);

    buf_release(&out);
    buf_release(&missing);
    free(s.latency);
    etw_ort_free(s.ort);
    etw_activity_free(s.activity);
    return rc;
}
