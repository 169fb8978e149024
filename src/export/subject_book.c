#include "export/subject_book.h"

#include "analyse/summary.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

static char *copy(const char *text)
{
    return text ? alloc_text(text) : NULL;
}

static void release(struct subject *x)
{
    free((char *)x->name);
    free((char *)x->detail);
    free((char *)x->source);
    free(x);
}

static struct subject *find(const struct subject_book *b, uint32_t id)
{
    const uint64_t *found = map_find(&b->subjects, id);

    return found ? (struct subject *)(uintptr_t)*found : NULL;
}

const struct subject *subject_book_find(const struct subject_book *b,
        uint32_t id)
{
    return find(b, id);
}

void subject_book_add(struct subject_book *b, uint32_t id,
        const struct subject *x)
{
    struct subject *known = find(b, id);
    struct subject *mine = alloc_zero(1, sizeof(*mine));

    if (known)
        release(known);
    *mine = *x;
    mine->name = copy(x->name);
    mine->detail = copy(x->detail);
    mine->source = copy(x->source);
    map_put(&b->subjects, id, (uintptr_t)mine);
}

static void take_subject(void *to, const struct subject_entry *x)
{
    subject_book_add(to, x->id, &x->subject);
}

struct subscriber subject_book_subscriber(struct subject_book *b)
{
    return (struct subscriber){ .context = b, .subject = take_subject };
}

int subject_book_read(struct subject_book *b, struct store *s, int64_t run,
        struct error *e)
{
    return store_each_subject(s, run, take_subject, b, e);
}

void subject_book_release(struct subject_book *b)
{
    for (size_t i = 0; i < b->subjects.cap; i++)
        if (b->subjects.entries[i].used)
            release((struct subject *)(uintptr_t)b->subjects.entries[i].value);
    map_release(&b->subjects);
}

/* As what is counted of sessions has it (run_metrics_collect.c). */
static void label_session(struct figure *f, const struct subject *x)
{
    char *model = x->name ? summary_model_name(x->name) : NULL;

    figure_label_u64(f, "session", x->number);
    figure_label(f, "model", model);
    free(model);
}

void subject_label(struct figure *f, const struct subject_book *b, uint32_t id)
{
    const struct subject *x = find(b, id);
    const struct subject *parent = x && x->parent ? find(b, x->parent) : NULL;

    if (!x)
        return;
    switch (x->kind) {
    case SUBJECT_HOST: return;
    case SUBJECT_CORE: figure_label_u64(f, "cpu", x->number); return;
    case SUBJECT_DEVICE: figure_label(f, "device", x->name); return;
    case SUBJECT_ZONE:
        figure_label(f, "zone", x->name);
        figure_label(f, "sensor", x->source);
        break;
    case SUBJECT_PROCESS:
        figure_label_u64(f, "pid", x->number);
        figure_label(f, "program", x->name);
        return;
    case SUBJECT_THREAD:
        figure_label_u64(f, "tid", x->number);
        figure_label(f, "thread", x->name);
        break;
    case SUBJECT_SESSION: label_session(f, x); return;
    case SUBJECT_KINDS: return;
    }
    if (parent && parent->kind != x->kind)
        subject_label(f, b, x->parent);
}

void subject_add_series(struct buf *out, const struct subject_book *b,
        enum metric_id metric, uint32_t id)
{
    const struct subject *x = find(b, id);

    buf_text(out, metric_table[metric].name);
    if (!x || x->kind == SUBJECT_HOST)
        return;
    buf_printf(out, " %s %" PRIu64, subject_kind_name(x->kind), x->number);
    if (x->name)
        buf_printf(out, " %s", x->name);
}
