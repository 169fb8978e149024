/* run_metrics_collect.c -- what was counted, with its labels. */
#include "base/json_member.h"
#include "export/metrics/run_metrics_state.h"

#include "base/compiler.h"

static void collect_host(const struct run_metrics *f, struct figure_list *out)
{
    static const struct {
        const char *label, *key;
    } texts[] = {
        { "host", "hostname" },
        { "os", "os_name" },
        { "os_version", "os_version" },
        { "kernel", "kernel" },
        { "architecture", "architecture" },
        { "virtualisation", "virtualisation" },
    };
    struct str host = str_of(f->host);
    struct figure *x = figure_add(out, METRIC_host_info, 1);
    struct buf text = { 0 };

    for (size_t i = 0; i < LEN(texts); i++) {
        buf_clear(&text);
        if (json_member_text(&text, host, texts[i].key))
            figure_label(x, texts[i].label, buf_cstr(&text));
    }
    buf_clear(&text);
    if (json_member_text(&text, json_member(host, "cpu"), "model"))
        figure_label(x, "cpu", buf_cstr(&text));
    buf_release(&text);
}

void run_metrics_collect_meter(const struct run_metrics *f,
        struct figure_list *out)
{
    struct figure *x = figure_add(out, METRIC_run_info, 1);

    figure_label(x, "command", f->about.command);
    figure_label(x, "version", f->about.version);
    figure_label_u64(x, "started_ns", f->about.started_wall_ns);
    if (f->host)
        collect_host(f, out);
    if (f->meter_cpu_ns)
        (void)figure_add(out, METRIC_collector_cpu_seconds_total,
                (double)f->meter_cpu_ns / 1e9);
    if (f->meter_rss_bytes)
        (void)figure_add(out, METRIC_collector_resident_bytes,
                (double)f->meter_rss_bytes);
}

static void collect_run(const struct run_metrics *f, struct figure_list *out)
{
    uint64_t lost = 0;

    run_metrics_collect_meter(f, out);
    for (size_t i = 0; i < f->process_count; i++)
        lost += f->processes[i].lost;
    (void)figure_add(out, METRIC_lost_events_total, (double)lost);
    if (f->tokens)
        (void)figure_add(out, METRIC_tokens_total, (double)f->tokens);
}

static void collect_process(const struct counted_process *p,
        struct figure_list *out)
{
    if (!p->hook_ns)
        return;

    struct figure *x = figure_add(out, METRIC_hook_overhead_seconds,
            (double)p->hook_ns / 1e9);

    figure_label_u64(x, "process", p->id);
    figure_label_u64(x, "pid", p->pid);
    figure_label(x, "program", p->program);
}

static void collect_library(const struct counted_library *l,
        struct figure_list *out)
{
    struct figure *x = figure_add(out, METRIC_onnxruntime_info, 1);

    figure_label_u64(x, "process", l->process);
    figure_label_u64(x, "library", l->id);
    figure_label(x, "path", l->path);
    figure_label(x, "version", l->version);
    figure_label(x, "language", l->language);
}

static void of_session(struct figure *f, const struct counted_session *x)
{
    figure_label_u64(f, "session", x->id);
    figure_label(f, "model", x->model);
}

static void collect_info(const struct counted_session *x,
        struct figure_list *out)
{
    struct figure *f = figure_add(out, METRIC_session_info, 1);

    of_session(f, x);
    figure_label(f, "path", x->path);
    figure_label(f, "providers", x->providers);
    if (!x->seen_late)
        figure_label(f, "first_load", x->first_load ? "true" : "false");
    if (x->load_ns && !x->seen_late && !x->failed)
        of_session(figure_add(out, METRIC_session_load_seconds,
                           (double)x->load_ns / 1e9),
                x);
}

static void collect_session(const struct counted_session *x,
        struct figure_list *out)
{
    collect_info(x, out);
    if (x->failed)
        return;
    of_session(figure_add(out, METRIC_inferences_total, (double)x->inferences),
            x);
    of_session(
            figure_add(out, METRIC_failed_inferences_total, (double)x->errors),
            x);
    for (int i = 0; i < METRIC_IDS; i++)
        if (x->hist[i])
            of_session(figure_add_buckets(out, (enum metric_id)i, x->hist[i]),
                    x);
}

void run_metrics_collect(const struct run_metrics *f, struct figure_list *out)
{
    collect_run(f, out);
    for (size_t i = 0; i < f->process_count; i++)
        collect_process(&f->processes[i], out);
    for (size_t i = 0; i < f->library_count; i++)
        collect_library(&f->libraries[i], out);
    for (size_t i = 0; i < f->session_count; i++)
        collect_session(&f->sessions[i], out);
    figure_list_sort(out);
}
