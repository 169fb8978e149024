#include "sample/power/powermetrics.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "os/kernel_text.h"
#include "sample/power/powermetrics_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 8192 /* no line that we want is longer */

enum document { BETWEEN, PLIST, TEXT, DAMAGED };

struct powermetrics {
    void (*sink)(void *context, const struct powermetrics_sample *s);
    void *context;
    enum document document;
    bool begun;      /* the text has told a sample's beginning */
    struct buf line; /* of the text, so far */
    struct plist *plist;
    uint64_t damaged;
    struct powermetrics_sample sample;
};

/* --- the sample ----------------------------------------------------------- */

void powermetrics_clear(struct powermetrics_sample *s)
{
    *s = (struct powermetrics_sample){
        .elapsed_seconds = NAN,
        .cpu_joules = NAN,
        .gpu_joules = NAN,
        .gpu_own_joules = NAN,
        .ane_joules = NAN,
        .cpu_watts = NAN,
        .gpu_watts = NAN,
        .ane_watts = NAN,
        .combined_watts = NAN,
        .dram_watts = NAN,
        .package_watts = NAN,
        .gpu_hertz = NAN,
        .gpu_busy_ratio = NAN,
        .cpu_die_celsius = NAN,
        .battery_charge_ratio = NAN,
        .task = s->task,
    };
}

struct powermetrics_cluster *powermetrics_cluster(struct powermetrics_sample *s,
        struct str name)
{
    struct powermetrics_cluster *c = s->cluster;

    for (size_t i = 0; i < s->cluster_count; i++)
        if (name.len && str_is(name, c[i].name))
            return &c[i];
    if (s->cluster_count == POWERMETRICS_CLUSTERS)
        return NULL;
    c = &s->cluster[s->cluster_count++];
    *c = (struct powermetrics_cluster){
        .hertz = NAN,
        .busy_ratio = NAN,
        .watts = NAN,
    };
    text_copy(c->name, sizeof(c->name), name);
    return c;
}

struct powermetrics_cpu *powermetrics_cpu(struct powermetrics_sample *s)
{
    if (s->cpu_count == POWERMETRICS_CPUS)
        return NULL;

    struct powermetrics_cpu *c = &s->cpu[s->cpu_count++];

    *c = (struct powermetrics_cpu){ NAN, NAN, NAN };
    return c;
}

struct powermetrics_task *powermetrics_task(struct powermetrics_sample *s)
{
    if (s->task_count == POWERMETRICS_TASKS)
        return NULL;

    struct powermetrics_task *t = &s->task[s->task_count++];

    *t = (struct powermetrics_task){
        .pid = NAN,
        .cpu_ms_per_s = NAN,
        .gpu_ms_per_s = NAN,
        .energy_impact = NAN,
    };
    return t;
}

/* --- the stream ----------------------------------------------------------- */

struct powermetrics *powermetrics_new(
        void (*sink)(void *context, const struct powermetrics_sample *s),
        void *context)
{
    struct powermetrics *p = alloc_zero(1, sizeof(*p));

    p->sink = sink;
    p->context = context;
    p->sample.task = alloc_zero(POWERMETRICS_TASKS, sizeof(*p->sample.task));
    powermetrics_clear(&p->sample);
    p->plist = plist_new(&p->sample);
    return p;
}

void powermetrics_free(struct powermetrics *p)
{
    if (!p)
        return;
    plist_free(p->plist);
    buf_release(&p->line);
    free(p->sample.task);
    free(p);
}

/* The machine's model stands before the first sample only. */
static void hand_over(struct powermetrics *p)
{
    char model[sizeof(p->sample.model)];

    p->sink(p->context, &p->sample);
    memcpy(model, p->sample.model, sizeof(model));
    powermetrics_clear(&p->sample);
    memcpy(p->sample.model, model, sizeof(model));
    p->begun = false;
}

static void take_line(struct powermetrics *p)
{
    struct str line = buf_str(&p->line);

    if (powermetrics_text_begins(line)) {
        if (p->begun)
            hand_over(p);
        p->begun = true;
    }
    powermetrics_text_line(&p->sample, line);
    buf_clear(&p->line);
}

static void take_text(struct powermetrics *p, struct str part)
{
    for (size_t i = 0; i < part.len; i++) {
        if (part.p[i] == '\n')
            take_line(p);
        else if (p->line.len < LINE_BYTES)
            buf_char(&p->line, part.p[i]);
    }
}

static void take(struct powermetrics *p, struct str part)
{
    if (p->document == BETWEEN) {
        struct str rest = part;
        struct str first = str_word(&rest);

        if (!first.len)
            return;
        p->document = first.p[0] == '<' ? PLIST : TEXT;
        part = (struct str){ first.p, part.len - (size_t)(first.p - part.p) };
    }
    if (p->document == TEXT)
        take_text(p, part);
    else if (p->document == PLIST && !plist_feed(p->plist, part.p, part.len))
        p->document = DAMAGED;
}

static void end_document(struct powermetrics *p)
{
    enum document was = p->document;

    p->document = BETWEEN;
    if (was == TEXT) {
        take_line(p);
        if (p->begun)
            hand_over(p);
        return;
    }
    if (was == BETWEEN)
        return;
    if (plist_end(p->plist) && was == PLIST)
        hand_over(p);
    else
        p->damaged++;
    powermetrics_clear(&p->sample);
}

void powermetrics_feed(struct powermetrics *p, const char *bytes, size_t len)
{
    while (len) {
        const char *zero = memchr(bytes, 0, len);
        size_t part = zero ? (size_t)(zero - bytes) : len;

        take(p, (struct str){ bytes, part });
        if (zero)
            end_document(p);
        bytes += part + (zero != NULL);
        len -= part + (zero != NULL);
    }
}

void powermetrics_end(struct powermetrics *p)
{
    end_document(p);
}

uint64_t powermetrics_damaged(const struct powermetrics *p)
{
    return p->damaged;
}
