#include "live/board.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#define FIGURES 8 /* that a row starts with room for */

struct row {
    struct board_row open; /* what others see */
    struct board_figure *figure;
    size_t cap;
    uint16_t at[METRIC_IDS]; /* the figure's number + 1; 0: none yet */
};

struct board {
    const struct subjects *subjects;
    struct row *row;
    size_t count, cap;
    struct map by_subject; /* to an index */
};

struct board *board_new(const struct subjects *subjects)
{
    struct board *b = alloc_zero(1, sizeof(*b));

    b->subjects = subjects;
    return b;
}

void board_free(struct board *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->count; i++)
        free(b->row[i].figure);
    free(b->row);
    map_release(&b->by_subject);
    free(b);
}

static struct row *row_of(struct board *b, uint32_t subject)
{
    const uint64_t *at = map_find(&b->by_subject, subject);

    if (at)
        return &b->row[*at];
    if (b->count == b->cap) {
        b->cap = b->cap ? 2 * b->cap : 64;
        b->row = alloc_resize(b->row, b->cap * sizeof(*b->row));
    }

    struct row *r = &b->row[b->count];

    memset(r, 0, sizeof(*r));
    r->open.subject = subject;
    r->open.kind = subjects_get(b->subjects, subject)->kind;
    map_put(&b->by_subject, subject, b->count++);
    return r;
}

static struct board_figure *figure_of(struct row *r, uint16_t metric)
{
    if (r->at[metric])
        return &r->figure[r->at[metric] - 1];
    if (r->open.count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : FIGURES;
        r->figure = alloc_resize(r->figure, r->cap * sizeof(*r->figure));
        r->open.figure = r->figure;
    }
    r->at[metric] = (uint16_t)(++r->open.count);
    return &r->figure[r->open.count - 1];
}

void board_take(struct board *b, const struct batch *batch)
{
    struct row *r = NULL;

    /* Readings of one subject mostly come together. */
    for (size_t i = 0; i < batch->count; i++) {
        const struct reading *x = &batch->items[i];

        if (!r || r->open.subject != x->subject)
            r = row_of(b, x->subject);
        *figure_of(r, x->metric) = (struct board_figure){
            .metric = x->metric,
            .method = x->method,
            .value = x->value,
            .time_ns = x->time_ns,
        };
    }
}

void board_sweep(struct board *b)
{
    size_t kept = 0;

    for (size_t i = 0; i < b->count; i++) {
        uint32_t subject = b->row[i].open.subject;

        if (subjects_ended_ns(b->subjects, subject)) {
            map_remove(&b->by_subject, subject);
            free(b->row[i].figure);
            continue;
        }
        if (kept != i) {
            b->row[kept] = b->row[i];
            map_put(&b->by_subject, subject, kept);
        }
        kept++;
    }
    b->count = kept;
}

size_t board_count(const struct board *b)
{
    return b->count;
}

const struct board_row *board_at(const struct board *b, size_t i)
{
    return &b->row[i].open;
}

const struct board_row *board_find(const struct board *b, uint32_t subject)
{
    const uint64_t *at = map_find(&b->by_subject, subject);

    return at ? &b->row[*at].open : NULL;
}

const struct board_figure *board_figure(const struct board *b, uint32_t subject,
        enum metric_id metric)
{
    const uint64_t *at = map_find(&b->by_subject, subject);
    const struct row *r = at ? &b->row[*at] : NULL;

    return r && r->at[metric] ? &r->figure[r->at[metric] - 1] : NULL;
}
