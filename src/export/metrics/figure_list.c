#include "export/metrics/figure_list.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct figure *figure_add(struct figure_list *l, enum metric_id metric,
        double value)
{
    if (l->count == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 64;
        l->items = alloc_resize(l->items, l->cap * sizeof(*l->items));
    }

    struct figure *f = &l->items[l->count++];

    *f = (struct figure){
        .metric = metric,
        .method = READING_MEASURED,
        .value = value,
        .order = l->count,
    };
    return f;
}

struct figure *figure_add_buckets(struct figure_list *l, enum metric_id metric,
        const struct buckets *b)
{
    struct figure *f = figure_add(l, metric, 0);

    f->buckets = b;
    return f;
}

void figure_label(struct figure *f, const char *name, const char *value)
{
    size_t i = f->label_count;

    if (!value || !*value)
        return;
    assert(f->label_count < FIGURE_LABELS_MAX);
    while (i && strcmp(f->label[i - 1].name, name) > 0) {
        f->label[i] = f->label[i - 1];
        i--;
    }
    assert(!i || strcmp(f->label[i - 1].name, name) != 0);

    struct buf sound = { 0 };

    utf8_add(&sound, str_of(value));
    f->label[i] = (struct figure_label){ name, alloc_text(buf_cstr(&sound)) };
    buf_release(&sound);
    f->label_count++;
}

void figure_label_u64(struct figure *f, const char *name, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRIu64, value);
    figure_label(f, name, text);
}

static int by_labels(const struct figure *a, const struct figure *b)
{
    for (size_t i = 0; i < a->label_count && i < b->label_count; i++) {
        int order = strcmp(a->label[i].name, b->label[i].name);

        if (!order)
            order = strcmp(a->label[i].value, b->label[i].value);
        if (order)
            return order;
    }
    return (a->label_count > b->label_count) -
           (a->label_count < b->label_count);
}

static int by_metric(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;

    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;

    int order = by_labels(a, b);

    return order ? order : a->order < b->order ? -1 : 1;
}

static void release(struct figure *f)
{
    for (size_t i = 0; i < f->label_count; i++)
        free(f->label[i].value);
}

bool figure_same_series(const struct figure *a, const struct figure *b)
{
    return a->metric == b->metric && !by_labels(a, b);
}

static bool same(const struct figure *a, const struct figure *b)
{
    return figure_same_series(a, b) && a->time_ns == b->time_ns;
}

void figure_list_sort(struct figure_list *l)
{
    size_t kept = 0;

    if (l->count)
        qsort(l->items, l->count, sizeof(*l->items), by_metric);
    for (size_t i = 0; i < l->count; i++) {
        if (i + 1 < l->count && same(&l->items[i], &l->items[i + 1]))
            release(&l->items[i]);
        else
            l->items[kept++] = l->items[i];
    }
    l->count = kept;
}

void figure_list_release(struct figure_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        release(&l->items[i]);
    free(l->items);
    *l = (struct figure_list){ 0 };
}
