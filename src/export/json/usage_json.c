#include "export/json/usage_json.h"

static void total(struct json *j, const char *key, struct usage_total t)
{
    if (t.known)
        json_u64(j, key, (uint64_t)t.value);
}

static void bytes(struct json *j, const char *key, double value)
{
    json_u64(j, key, (uint64_t)(value + 0.5));
}

static void memory(struct json *j, const struct summary *s)
{
    const struct usage *u = &s->usage;

    if (!s->run.peak_rss_bytes && !u->rss_bytes.count && !u->minor_faults.known)
        return;
    json_object(j, "memory");
    if (s->run.ended && s->run.peak_rss_bytes)
        json_u64(j, "peak_rss_bytes", s->run.peak_rss_bytes);
    if (u->rss_bytes.count) {
        bytes(j, "rss_mean_bytes", u->rss_bytes.mean);
        bytes(j, "rss_min_bytes", u->rss_bytes.min);
        bytes(j, "rss_max_bytes", u->rss_bytes.max);
        bytes(j, "rss_first_bytes", u->rss_bytes.first);
        bytes(j, "rss_last_bytes", u->rss_bytes.last);
        bytes(j, "process_rss_max_bytes", u->most_rss_bytes);
    }
    total(j, "minor_faults", u->minor_faults);
    total(j, "major_faults", u->major_faults);
    json_end(j);
}

static void cpu(struct json *j, const struct summary *s)
{
    const struct usage *u = &s->usage;
    double mean;

    if (!s->run.ended && !u->cpu_cores.count)
        return;
    json_object(j, "cpu");
    if (s->run.ended) {
        json_fixed(j, "user_s", (double)s->run.user_cpu_ns / 1e9, 6);
        json_fixed(j, "system_s", (double)s->run.system_cpu_ns / 1e9, 6);
    }
    if (usage_mean_cores(&mean, u, &s->run))
        json_fixed(j, "mean_percent", 100 * mean, 2);
    if (u->cpu_cores.count) {
        json_fixed(j, "max_percent", 100 * usage_most_cores(u, &s->run), 2);
        json_fixed(j, "process_peak_percent", 100 * u->most_cpu_cores, 2);
        json_u64(j, "seconds_sampled", u->cpu_cores.count);
    }
    if (u->host_busy.count) {
        json_fixed(j, "host_busy_percent", 100 * u->host_busy.mean, 2);
        json_fixed(j, "host_busy_min_percent", 100 * u->host_busy.min, 2);
        json_fixed(j, "host_busy_max_percent", 100 * u->host_busy.max, 2);
    }
    if (u->threads.count)
        json_u64(j, "threads_max", (uint64_t)(u->threads.max + 0.5));
    total(j, "voluntary_switches", u->voluntary_switches);
    total(j, "involuntary_switches", u->involuntary_switches);
    json_end(j);
}

static void io(struct json *j, const struct summary *s)
{
    const struct usage *u = &s->usage;

    if (!u->read_bytes.known && !u->written_bytes.known)
        return;
    json_object(j, "io");
    total(j, "read_bytes", u->read_bytes);
    total(j, "written_bytes", u->written_bytes);
    total(j, "read_calls", u->read_calls);
    total(j, "write_calls", u->write_calls);
    total(j, "storage_read_bytes", u->storage_read_bytes);
    total(j, "storage_written_bytes", u->storage_written_bytes);
    json_end(j);
}

void usage_json(struct json *j, const struct summary *s)
{
    memory(j, s);
    cpu(j, s);
    io(j, s);
}
