/* drm_linux.c -- how each process uses GPUs and NPUs, by the files that it has
 * open on them (drm_fdinfo.h), and by AMD's kfd for programs of ROCm, whose
 * work the former does not show.
 *
 * A process may hold a device open several times, and each of these clients
 * by several files: clients are counted once, and added up for each engine of
 * a device.  The metric is the busiest engine's share. */
#include "sample/device/device_samplers.h"

#include "base/alloc.h"
#include "base/str.h"
#include "os/file.h"
#include "os/kernel_text.h"
#include "os/path.h"
#include "sample/device/drm_fdinfo.h"
#include "sample/process/targets.h"
#include "sample/sysfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USES    1024 /* of an engine by a process, at once */
#define CLIENTS 64   /* of one process */
#define ENGINES 64   /* that one process uses */
#define TOLD    256

/* An engine's work for one process. */
struct use {
    uint32_t process;
    char pci[24], engine[24];
    unsigned capacity;
    bool in_cycles;
    uint64_t busy;  /* ns or cycles, so far */
    uint64_t total; /* cycles that passed */
    uint64_t time_ns;
};

struct state {
    const char *root;
    struct subjects *subjects;
    struct targets *targets;
    struct use *last; /* USES */
    size_t last_count;
    uint32_t told[TOLD]; /* processes of whom it was said what is missing */
    size_t told_count;
};

/* What one look at a process gave. */
struct look {
    struct drm_fdinfo client[CLIENTS];
    size_t client_count;
    struct use use[ENGINES];
    size_t use_count;
};

/* --- clients -------------------------------------------------------------- */

static bool is_device(const char *name)
{
    return str_starts(str_of(name), "renderD") ||
           str_starts(str_of(name), "card") ||
           str_starts(str_of(name), "accel");
}

static bool is_known(const struct look *l, const struct drm_fdinfo *f)
{
    for (size_t i = 0; i < l->client_count; i++)
        if (f->has_client && l->client[i].has_client &&
                l->client[i].client == f->client &&
                strcmp(l->client[i].pci, f->pci) == 0)
            return true;
    return false;
}

static void look_at_file(const struct state *s, struct look *l, uint64_t pid,
        const char *fd)
{
    char name[64], text[8192];
    struct drm_fdinfo f;

    if (l->client_count == CLIENTS ||
            path_link_name(name, sizeof(name), "%s/proc/%" PRIu64 "/fd/%s",
                    s->root, pid, fd) ||
            !is_device(name))
        return;

    int len = file_read(text, sizeof(text), "%s/proc/%" PRIu64 "/fdinfo/%s",
            s->root, pid, fd);

    if (len > 0 &&
            drm_fdinfo_parse(&f, (struct str){ text, (size_t)len }) == 0 &&
            !is_known(l, &f))
        l->client[l->client_count++] = f;
}

static void say_refused(struct state *s, uint32_t process)
{
    for (size_t i = 0; i < s->told_count; i++)
        if (s->told[i] == process)
            return;
    if (s->told_count == TOLD)
        return;
    s->told[s->told_count++] = process;
    subjects_missing(s->subjects, METRIC_process_device_utilization_ratio,
            process,
            "we may not see which files this process has open: run "
            "as its user, or as root");
}

/* --- engines -------------------------------------------------------------- */

static void add_engine(struct look *l, const struct drm_fdinfo *f,
        const struct drm_engine *e)
{
    size_t i = 0;

    if (!e->has_ns && !(e->has_cycles && e->has_total))
        return;
    while (i < l->use_count && (strcmp(l->use[i].pci, f->pci) != 0 ||
                                       strcmp(l->use[i].engine, e->name) != 0))
        i++;
    if (i == ENGINES)
        return;

    struct use *u = &l->use[i];

    if (i == l->use_count) {
        l->use_count++;
        *u = (struct use){ .capacity = e->capacity, .in_cycles = !e->has_ns };
        text_copy(u->pci, sizeof(u->pci), str_of(f->pci));
        text_copy(u->engine, sizeof(u->engine), str_of(e->name));
    }
    u->busy += e->has_ns ? e->ns : e->cycles;
    u->total = e->total > u->total ? e->total : u->total;
}

static struct use *last_of(struct state *s, const struct use *u)
{
    for (size_t i = 0; i < s->last_count; i++)
        if (s->last[i].process == u->process &&
                strcmp(s->last[i].pci, u->pci) == 0 &&
                strcmp(s->last[i].engine, u->engine) == 0)
            return &s->last[i];
    if (s->last_count == USES)
        return NULL;
    s->last[s->last_count] = *u;
    s->last[s->last_count].time_ns = 0;
    return &s->last[s->last_count++];
}

/* The share since the last look; below 0: it cannot be told yet.  A driver's
 * figure may step back for a while, and a client may go: the larger one is
 * kept until it is reached again. */
static double share_of(struct state *s, const struct use *u)
{
    struct use *last = last_of(s, u);
    double share = -1;

    if (!last)
        return -1;
    if (last->time_ns && u->busy < last->busy)
        return 0;

    double passed = u->in_cycles ? (double)(u->total - last->total)
                                 : (double)(u->time_ns - last->time_ns);

    if (last->time_ns && u->total >= last->total && passed > 0)
        share = (double)(u->busy - last->busy) / (passed * u->capacity);
    *last = *u;
    return share;
}

/* --- a process ------------------------------------------------------------ */

/* Memory that ROCm has; false: the process is none of kfd's. */
static bool kfd_bytes(const struct state *s, uint64_t pid, uint64_t *out)
{
    struct folder files;
    uint64_t bytes;
    bool there = false;

    *out = 0;
    (void)folder_read(&files, "%s/sys/class/kfd/kfd/proc/%" PRIu64, s->root,
            pid);
    for (size_t i = 0; i < files.count; i++)
        if (str_starts(str_of(files.name[i]), "vram_") &&
                sysfs_u64(&bytes, "%s/sys/class/kfd/kfd/proc/%" PRIu64 "/%s",
                        s->root, pid, files.name[i]) == 0) {
            *out += bytes;
            there = true;
        }
    folder_release(&files);
    return there;
}

/* A device with memory of its own is asked for that; others use the
 * machine's. */
static void tell_memory(const struct state *s, const struct look *l,
        const struct target *t, struct batch *out)
{
    uint64_t sum = 0, kfd;
    bool told = false;

    for (size_t i = 0; i < l->client_count; i++) {
        const struct drm_fdinfo *f = &l->client[i];

        told |= f->has_device_bytes || f->has_system_bytes;
        sum += f->has_device_bytes ? f->device_bytes : f->system_bytes;
    }
    if (kfd_bytes(s, t->pid, &kfd)) {
        told = true;
        sum = kfd > sum ? kfd : sum; /* some of it is told by both */
    }
    if (told)
        batch_add(out, METRIC_process_device_memory_bytes, t->subject,
                (double)sum);
}

static void tell_use(struct state *s, struct look *l, const struct target *t,
        struct batch *out)
{
    double most = -1;

    for (size_t i = 0; i < l->client_count; i++)
        for (size_t e = 0; e < l->client[i].engine_count; e++)
            add_engine(l, &l->client[i], &l->client[i].engine[e]);
    for (size_t i = 0; i < l->use_count; i++) {
        l->use[i].process = t->subject;
        l->use[i].time_ns = out->time_ns;

        double share = share_of(s, &l->use[i]);

        most = share > most ? share : most;
    }
    if (most >= 0)
        batch_add(out, METRIC_process_device_utilization_ratio, t->subject,
                most);
}

static void look_at(struct state *s, const struct target *t, struct batch *out)
{
    struct look l = { .client_count = 0 };
    struct folder fds;

    int rc = folder_read(&fds, "%s/proc/%" PRIu64 "/fd", s->root, t->pid);

    for (size_t i = 0; i < fds.count; i++)
        look_at_file(s, &l, t->pid, fds.name[i]);
    folder_release(&fds);
    if (rc == -EACCES || rc == -EPERM)
        say_refused(s, t->subject);
    tell_memory(s, &l, t, out);
    tell_use(s, &l, t, out);
}

/* --- the sampler ---------------------------------------------------------- */

static bool has_nodes(const char *root)
{
    static const char *const classes[] = { "drm", "accel" };
    bool there = false;

    for (size_t c = 0; c < LEN(classes); c++) {
        struct folder names;

        (void)folder_read(&names, "%s/sys/class/%s", root, classes[c]);
        for (size_t i = 0; i < names.count; i++)
            there |= is_device(names.name[i]);
        folder_release(&names);
    }
    return there;
}

static int open_drm(void *state, const struct sample_context *c,
        struct error *e)
{
    struct state *s = state;

    if (!has_nodes(c->root))
        return fail(e, -ENODEV,
                "there is no GPU or NPU with a driver of the "
                "kernel's, which tell it for each process");
    if (!c->targets)
        return fail(e, -ENODEV, "no process is looked at");
    s->root = c->root;
    s->subjects = c->subjects;
    s->targets = c->targets;
    s->last = alloc_zero(USES, sizeof(*s->last));
    return 0;
}

/* Of processes that are gone. */
static void forget(struct state *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->last_count; i++)
        if (!subjects_ended_ns(s->subjects, s->last[i].process))
            s->last[kept++] = s->last[i];
    s->last_count = kept;
}

static void read_drm(void *state, struct batch *out)
{
    struct state *s = state;

    forget(s);
    for (size_t i = 0; i < targets_count(s->targets); i++) {
        const struct target *t = targets_at(s->targets, i);

        if (!t->ended)
            look_at(s, t, out);
    }
}

static void close_drm(void *state)
{
    struct state *s = state;

    free(s->last);
}

/* Every open file of every process is looked at. */
const struct sampler sampler_drm = {
    .name = "drm",
    .about = "GPU and NPU use and memory of each process",
    .state_size = sizeof(struct state),
    .default_hz = 1,
    .most_hz = 10,
    .open = open_drm,
    .read = read_drm,
    .close = close_drm,
};
