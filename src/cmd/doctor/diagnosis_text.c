#include "cmd/doctor/diagnosis.h"

#include "base/compiler.h"
#include "cmd/cli/database.h"
#include "cmd/text/term.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH 16

struct page {
    struct buf *out;
    bool colours;
};

static void heading(const struct page *p, const char *text)
{
    if (p->out->len)
        buf_char(p->out, '\n');
    buf_printf(p->out, "%s%s%s\n", term_style(p->colours, TERM_BOLD), text,
            term_style(p->colours, TERM_PLAIN));
}

/* A line of a section; nothing at all where the text is absent. */
static void line(const struct page *p, const char *label, const char *text)
{
    if (!text[0])
        return;
    buf_text(p->out, "  ");
    term_left(p->out, label, LABEL_WIDTH);
    buf_text(p->out, text);
    buf_char(p->out, '\n');
}

/* The same for a part that can be there or not. */
static void marked(const struct page *p, bool there, const char *label,
        const char *text)
{
    size_t width = strlen(label);

    buf_printf(p->out, "%s%s%s ",
            term_style(p->colours, there ? TERM_GREEN : TERM_DIM),
            there ? "✓" : "–", term_style(p->colours, TERM_PLAIN));
    term_left(p->out, label, width < LABEL_WIDTH ? LABEL_WIDTH : width + 2);
    buf_text(p->out, text);
    buf_char(p->out, '\n');
}

static void below(const struct page *p, const char *arrow, const char *text)
{
    if (!text[0])
        return;
    buf_text(p->out, "  ");
    term_left(p->out, "", LABEL_WIDTH);
    buf_printf(p->out, "%s%s%s%s\n", term_style(p->colours, TERM_DIM), arrow,
            text, term_style(p->colours, TERM_PLAIN));
}

/* Adds to a list, with what divides it from the part before. */
static void part(struct buf *list, const char *divider, const char *text)
{
    if (text[0] && list->len)
        buf_text(list, divider);
    buf_text(list, text);
}

static void count(struct buf *list, unsigned number, const char *one)
{
    if (number)
        buf_printf(list, "%s%u %s%s", list->len ? ", " : "", number, one,
                number == 1 ? "" : "s");
}

/* Caches are sized in powers of 2, and named so: "L1d 64 KiB". */
static void add_cache(struct buf *list, const struct host_cache *c)
{
    uint64_t kib = c->total_bytes >> 10;
    bool mib = kib % 1024 == 0;
    const char *type = "";

    if (strcmp(c->type, "Data") == 0)
        type = "d";
    else if (strcmp(c->type, "Instruction") == 0)
        type = "i";
    buf_printf(list, "%sL%u%s %" PRIu64 " %s", list->len ? ", " : "", c->level,
            type, mib ? kib >> 10 : kib, mib ? "MiB" : "KiB");
}

static void cpu_lines(const struct page *p, const struct host_info *h)
{
    struct buf text = { 0 };

    buf_text(&text, h->cpu_model);
    count(&text, h->cpu_sockets, "socket");
    count(&text, h->cpu_cores, "core");
    count(&text, h->cpu_threads, "thread");
    if (h->cpu_max_mhz)
        buf_printf(&text, ", up to %.2f GHz", (double)h->cpu_max_mhz / 1000);
    line(p, "CPU", buf_cstr(&text));
    buf_clear(&text);
    for (unsigned i = 0; i < h->cache_count; i++)
        add_cache(&text, &h->cache[i]);
    line(p, "Caches, in all", buf_cstr(&text));
    buf_release(&text);
}

static void machine(const struct page *p, const struct host_info *h)
{
    struct buf text = { 0 };
    char size[16];

    heading(p, "Machine");
    line(p, "Name", h->hostname);
    part(&text, "", h->vendor);
    part(&text, " ", h->product);
    line(p, "Model", buf_cstr(&text));
    line(p, "Virtual machine", h->virtualisation);
    buf_clear(&text);
    part(&text, "", h->os_name);
    part(&text, " ", h->os_version);
    part(&text, ", Linux ", h->kernel);
    part(&text, ", ", h->architecture);
    line(p, "System", buf_cstr(&text));
    cpu_lines(p, h);
    buf_clear(&text);
    if (h->memory_total_bytes)
        buf_text(&text, term_bytes(size, (double)h->memory_total_bytes));
    if (h->memory_available_known)
        buf_printf(&text, "%s%s available", text.len ? ", " : "",
                term_bytes(size, (double)h->memory_available_bytes));
    line(p, "Memory", buf_cstr(&text));
    buf_release(&text);
}

static void accelerators(const struct page *p, const struct host_info *h)
{
    heading(p, "Accelerators");
    if (!h->accelerator_count)
        buf_text(p->out, "  none found\n");
    for (unsigned i = 0; i < h->accelerator_count; i++) {
        const struct host_accelerator *a = &h->accelerator[i];
        struct buf text = { 0 };

        part(&text, "", a->vendor);
        part(&text, " ", a->name);
        part(&text, ", ", a->pci_id);
        part(&text, ", driver ", a->driver[0] ? a->driver : "none");
        part(&text, " ", a->driver_version);
        part(&text, ", ", a->node);
        line(p, host_accelerator_kind(a), buf_cstr(&text));
        buf_release(&text);
    }
}

static void runtime(const struct page *p, const struct diagnosis *d)
{
    struct buf providers = { 0 };

    heading(p, "ONNX Runtime");
    if (!d->runtime) {
        marked(p, false, "none", d->no_runtime.text);
        return;
    }
    marked(p, true, d->runtime->version, d->runtime->path);
    line(p, "Came from", d->runtime->came_from);
    for (int i = 0; i < d->runtime->provider_count; i++)
        part(&providers, ", ", d->runtime->providers[i]);
    line(p, "Providers", buf_cstr(&providers));
    if (d->runtime->build_info)
        line(p, "Build", d->runtime->build_info);
    buf_release(&providers);
}

/* What `run -- python` sees. */
static void pythons(const struct page *p, const struct diagnosis *d)
{
    struct buf text = { 0 };

    if (!d->python_count)
        return;
    heading(p, "Python");
    for (size_t i = 0; i < d->python_count; i++) {
        const struct python_found *x = &d->python[i];

        buf_clear(&text);
        buf_printf(&text, "%s %s in %s: %s", x->package, x->version, x->program,
                pythons_captured(x));
        marked(p, true, x->python, buf_cstr(&text));
    }
    buf_release(&text);
}

/* --- what can be measured ------------------------------------------------- */

static const struct source_status *find(const struct diagnosis *d,
        const char *name)
{
    for (size_t i = 0; i < d->source_count; i++)
        if (strcmp(d->source[i].name, name) == 0)
            return &d->source[i];
    return NULL;
}

/* An answer that is a source's: its figures, or why there are none. */
static void answer(const struct page *p, const struct diagnosis *d,
        const char *label, const char *name, const char *text)
{
    const struct source_status *s = find(d, name);
    bool there = s && s->state == SOURCE_AVAILABLE;

    if (s)
        marked(p, there, label, there ? text : s->why.text);
}

static void energy_answer(const struct page *p, const struct diagnosis *d)
{
    struct buf from = { 0 };

    for (size_t i = 0; i < d->source_count; i++)
        if (d->source[i].measures_power)
            part(&from, ", ", d->source[i].name);
    if (from.len)
        marked(p, true, "energy", buf_cstr(&from));
    else
        marked(p, false, "energy",
                "no sensor; an estimate: --energy model --tdp WATTS");
    buf_release(&from);
}

/* Energy is what most lack, and what a remedy most often helps with. */
static const struct source_status *most_worth(const struct diagnosis *d)
{
    static const char *const order[] = { "hook", "rapl-powercap", "rapl-perf",
        "nvml", "perf-hardware", "perf-software" };

    for (size_t i = 0; i < LEN(order); i++) {
        const struct source_status *s = find(d, order[i]);

        if (s && s->state != SOURCE_AVAILABLE && s->why.remedy[0])
            return s;
    }
    return NULL;
}

static void measurable(const struct page *p, const struct diagnosis *d)
{
    const struct source_status *more = most_worth(d);

    heading(p, "This machine can measure");
    answer(p, d, "time", "hook", "every inference of a program");
    answer(p, d, "operators", "hook",
            "of programs with ONNX Runtime 1.15 or later");
    answer(p, d, "CPU", "process", "of each process and thread");
    answer(p, d, "memory", "process", "of each process, and the arena's");
    energy_answer(p, d);
    if (more)
        buf_printf(p->out, "  To get more (%s): %s\n", more->name,
                more->why.remedy);
}

/* --- every source --------------------------------------------------------- */

static void available(const struct page *p, const struct source_status *s)
{
    struct buf text = { 0 };

    buf_text(&text, s->gives);
    if (s->hz > 0)
        buf_printf(&text, ", %g Hz (at most %g)", s->hz, s->most_hz);
    marked(p, true, s->name, buf_cstr(&text));
    below(p, "", s->detail);
    buf_release(&text);
}

/* Metrics that a source there is does not have; each reason once. */
static void missing(const struct page *p, const struct diagnosis *d)
{
    const struct subjects *s = sampling_subjects(d->sampling);

    for (size_t i = 0; i < subjects_missing_count(s); i++) {
        const struct absence_note *n = subjects_missing_at(s, i);
        bool said = false;

        for (size_t k = 0; k < i && !said; k++)
            said = strcmp(subjects_missing_at(s, k)->reason, n->reason) == 0;
        for (size_t k = 0; k < d->source_count && !said; k++)
            said = strcmp(d->source[k].why.text, n->reason) == 0;
        if (!said)
            marked(p, false, metric_table[n->metric].name, n->reason);
    }
}

static void sources(const struct page *p, const struct diagnosis *d)
{
    heading(p, "Sources");
    for (size_t i = 0; i < d->source_count; i++)
        if (d->source[i].state == SOURCE_AVAILABLE)
            available(p, &d->source[i]);
    for (size_t i = 0; i < d->source_count; i++) {
        const struct source_status *s = &d->source[i];

        if (s->state == SOURCE_AVAILABLE)
            continue;
        marked(p, false, s->name, s->why.text);
        below(p, "→ ", s->why.remedy);
    }
    if (d->sampling)
        missing(p, d);
    else
        marked(p, false, "samplers", d->no_sampling.text);
}

static void configuration(const struct page *p, const struct diagnosis *d)
{
    struct buf text = { 0 };

    heading(p, "Configuration");
    if (d->database)
        buf_printf(&text, "%s (%s)", d->database, d->database_came_from);
    else
        buf_text(&text, "no place for it: set HOME, or ORTMETER_DB");
    line(p, "Database", buf_cstr(&text));
    buf_clear(&text);
    buf_printf(&text, "%s; key: %s", STORE_ENCRYPTION, database_key_origin());
    line(p, "Encryption", buf_cstr(&text));
    for (const char *const *v = diagnosis_variables; *v; v++) {
        const char *value = getenv(*v);

        line(p, *v, value ? value : "");
    }
    for (size_t i = 0; d->files && i < config_count(d->files); i++) {
        const struct config_entry *x = config_at(d->files, i);

        buf_clear(&text);
        buf_printf(&text, "%s%s%s = %s (%s, line %llu)", x->verb,
                x->verb[0] ? "." : "", x->key, x->value, x->file,
                (unsigned long long)x->line);
        line(p, i ? "" : "Files", buf_cstr(&text));
    }
    buf_release(&text);
}

void diagnosis_text(struct buf *out, const struct diagnosis *d, bool colours)
{
    struct page p = { out, colours };

    measurable(&p, d);
    machine(&p, &d->host);
    accelerators(&p, &d->host);
    runtime(&p, d);
    pythons(&p, d);
    sources(&p, d);
    configuration(&p, d);
}
