#include "export/metrics/readings.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

static uint64_t key_of(const struct reading *x)
{
    return (uint64_t)x->metric << 32 | x->subject;
}

void readings_take(struct readings *r, const struct reading *x)
{
    uint64_t key = key_of(x);
    const uint64_t *found = map_find(&r->at, key);

    if (found) {
        r->last[*found] = *x;
        return;
    }
    if (r->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 64;
        r->last = alloc_resize(r->last, r->cap * sizeof(*r->last));
    }
    map_put(&r->at, key, r->count);
    r->last[r->count++] = *x;
}

void readings_forget(struct readings *r, uint32_t subject)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->count; i++) {
        uint64_t key = key_of(&r->last[i]);

        if (r->last[i].subject == subject) {
            map_remove(&r->at, key);
            continue;
        }
        if (kept != i) {
            r->last[kept] = r->last[i];
            map_put(&r->at, key, kept);
        }
        kept++;
    }
    r->count = kept;
}

void readings_release(struct readings *r)
{
    free(r->last);
    map_release(&r->at);
    *r = (struct readings){ 0 };
}

void readings_collect(const struct readings *r, const struct subject_book *b,
        struct figure_list *out)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct reading *x = &r->last[i];
        enum metric_kind kind = metric_table[x->metric].kind;

        if (!isfinite(x->value) ||
                (kind != METRIC_GAUGE && kind != METRIC_COUNTER))
            continue;

        struct figure *f = figure_add(out, (enum metric_id)x->metric, x->value);

        f->sampled = true;
        f->method = (enum reading_method)x->method;
        subject_label(f, b, x->subject);
    }
}

static void take(void *to, const struct reading *x)
{
    readings_take(to, x);
}

int readings_read(struct figure_list *out, struct store *s, int64_t run,
        struct error *e)
{
    struct subject_book book = { 0 };
    struct readings readings = { 0 };
    int rc = subject_book_read(&book, s, run, e);

    if (!rc)
        rc = store_each_reading(s, run, take, &readings, e);
    if (!rc)
        readings_collect(&readings, &book, out);
    readings_release(&readings);
    subject_book_release(&book);
    return rc;
}
