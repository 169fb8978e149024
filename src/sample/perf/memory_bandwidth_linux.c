/* memory_bandwidth_linux.c -- bytes between memory and CPU, which Intel's
 * memory controllers count: "uncore_imc" and "uncore_imc_free_running_0" in
 * clients, "uncore_imc_0" and on in servers.  For root or
 * kernel.perf_event_paranoid <= 0.  See perf_event_open(2) and
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-events. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "os/file.h"
#include "os/kernel_text.h"
#include "os/path.h"
#include "sample/perf/perf_count.h"
#include "sample/perf/perf_open_linux.h"
#include "sample/sampler_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices"

enum { READS, WRITES, DIRECTIONS, TEXT_CAP = 256, CHANNELS_MAX = 256 };

static const enum metric_id metrics[DIRECTIONS] = {
    [READS] = METRIC_host_memory_read_bytes_total,
    [WRITES] = METRIC_host_memory_written_bytes_total,
};

/* A client's name for it, and a server's. */
static const char *const events[DIRECTIONS][2] = {
    [READS] = { "data_reads", "cas_count_read" },
    [WRITES] = { "data_writes", "cas_count_write" },
};

struct channel {
    int fd;
    int direction;
    double bytes; /* that one count stands for */
};

struct bandwidth_state {
    struct channel *channels;
    size_t count;
};

static struct str read_text(char text[TEXT_CAP], const char *root,
        const char *device, const char *name)
{
    int len = file_read(text, TEXT_CAP, "%s" DEVICES "/%s/%s", root, device,
            name);

    return str_trim((struct str){ text, len > 0 ? (size_t)len : 0 });
}

/* Counts are in units of "scale" MiB. */
static bool read_scale(double *bytes, const char *root, const char *device,
        const char *event)
{
    char text[TEXT_CAP], name[TEXT_CAP];

    (void)snprintf(name, sizeof(name), "events/%s.unit", event);
    if (!str_is(read_text(text, root, device, name), "MiB"))
        return false;
    (void)snprintf(name, sizeof(name), "events/%s.scale", event);
    if (str_f64(bytes, read_text(text, root, device, name)))
        return false;
    *bytes *= 1048576;
    return true;
}

static int open_counter(const struct sample_context *c, uint32_t type,
        uint64_t config, int cpu)
{
    struct perf_event_attr attr = {
        .type = type,
        .config = config,
        .read_format =
                PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };

    return perf_open(c, &attr, -1, cpu);
}

/* One event of one controller, on the CPU of each socket that reads it.  0 or
 * the kernel's reason. */
static int open_event(struct bandwidth_state *s, const struct sample_context *c,
        const char *device, int direction, const char *event)
{
    const char *root = c->root;
    char text[TEXT_CAP], name[TEXT_CAP], mask[TEXT_CAP];
    uint64_t type, config, first, last;
    double bytes;

    (void)snprintf(name, sizeof(name), "events/%s", event);
    if (perf_terms_parse(&config, read_text(text, root, device, name)) ||
            !read_scale(&bytes, root, device, event) ||
            file_u64(&type, "%s" DEVICES "/%s/type", root, device))
        return -ENOENT;

    struct str cpus = read_text(mask, root, device, "cpumask");

    while (text_cpu_range(&cpus, &first, &last)) {
        int fd = s->count < CHANNELS_MAX
                         ? open_counter(c, (uint32_t)type, config, (int)first)
                         : -ENOSPC;

        if (fd < 0)
            return fd;
        s->channels[s->count++] = (struct channel){ fd, direction, bytes };
    }
    return 0;
}

static int open_device(struct bandwidth_state *s,
        const struct sample_context *c, const char *device)
{
    int worst = -ENOENT;

    for (int d = 0; d < DIRECTIONS; d++)
        for (size_t i = 0; i < 2; i++) {
            int rc = open_event(s, c, device, d, events[d][i]);

            worst = rc == -ENOENT ? worst : rc;
        }
    return worst;
}

static int bandwidth_open(void *state, const struct sample_context *c,
        struct error *e)
{
    struct bandwidth_state *s = state;
    struct folder devices;
    int rc = -ENOENT;

    s->channels = alloc_zero(CHANNELS_MAX, sizeof(*s->channels));
    (void)folder_read(&devices, "%s" DEVICES, c->root);
    for (size_t i = 0; i < devices.count; i++)
        if (str_starts(str_of(devices.name[i]), "uncore_imc")) {
            int here = open_device(s, c, devices.name[i]);

            rc = here == -ENOENT ? rc : here;
        }
    folder_release(&devices);
    if (s->count && !rc)
        return 0;

    struct error why;

    rc = rc == -ENOENT
                 ? fail(&why, -ENODEV,
                           "the machine's memory controllers do not count")
                 : perf_refused(&why, c, rc, 0);
    for (int d = 0; d < DIRECTIONS; d++)
        subjects_missing(c->subjects, metrics[d], 0, "%s", why.text);
    if (e)
        *e = why;
    return rc;
}

static void bandwidth_read(void *state, struct batch *out)
{
    const struct bandwidth_state *s = state;
    double bytes[DIRECTIONS] = { 0 };
    bool there[DIRECTIONS] = { false };

    for (size_t i = 0; i < s->count; i++) {
        const struct channel *c = &s->channels[i];
        struct perf_count count;
        double whole;

        if (read(c->fd, &count, sizeof(count)) != sizeof(count) ||
                !perf_count_whole(&whole, &count))
            continue;
        bytes[c->direction] += whole * c->bytes;
        there[c->direction] = true;
    }
    for (int d = 0; d < DIRECTIONS; d++)
        if (there[d])
            batch_add(out, metrics[d], 0, bytes[d]);
}

static void bandwidth_close(void *state)
{
    struct bandwidth_state *s = state;

    for (size_t i = 0; i < s->count; i++)
        (void)close(s->channels[i].fd);
    free(s->channels);
}

const struct sampler sampler_memory_bandwidth = {
    .name = "memory-bandwidth",
    .about = "bytes that the memory controllers read and wrote",
    .state_size = sizeof(struct bandwidth_state),
    .default_hz = 4,
    .most_hz = 1000,
    .open = bandwidth_open,
    .read = bandwidth_read,
    .close = bandwidth_close,
};
