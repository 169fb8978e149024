#include "live/history.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "live/history_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define RAW_BLOCKS \
    (HISTORY_RAW / (BLOCK_BYTES / (unsigned)sizeof(struct raw)) + 2)

/* A series is given a place in the list for so many blocks that there are. */
#define BLOCKS_PER_SERIES 4
#define LEAST_BLOCKS      8
/* Of the map: its cap is a power of 2, at most 3/4 full, and twice in memory
 * while it grows. */
#define MAP_BYTES (8 * sizeof(struct map_entry))

#define NS_PER_S UINT64_C(1000000000)

/* --- opening -------------------------------------------------------------- */

struct history *history_new(size_t bytes)
{
    struct history *h = alloc_zero(1, sizeof(*h));
    size_t each = sizeof(struct block) + sizeof(struct block_note) +
                  (sizeof(struct kept_series) + MAP_BYTES) / BLOCKS_PER_SERIES;
    size_t count = bytes > sizeof(*h) ? (bytes - sizeof(*h)) / each : 0;

    /* Two lanes of one series, and one block to spare, is the least. */
    if (count < LEAST_BLOCKS)
        count = LEAST_BLOCKS;
    if (count >= NO_BLOCK)
        count = NO_BLOCK - 1;
    h->block_count = (uint32_t)count;
    h->series_cap = (uint32_t)(count / BLOCKS_PER_SERIES);
    h->bytes = sizeof(*h) + count * each;
    /* What was never needed is never touched, not even to be zeroed. */
    h->block = alloc_resize(NULL, count * sizeof(*h->block));
    h->note = alloc_resize(NULL, count * sizeof(*h->note));
    h->series = alloc_resize(NULL, h->series_cap * sizeof(*h->series));
    h->oldest = h->newest = NO_BLOCK;
    h->stalest = h->freshest = NO_SERIES;
    h->free_block = NO_BLOCK;
    return h;
}

void history_free(struct history *h)
{
    if (!h)
        return;
    map_release(&h->by_key);
    free(h->series);
    free(h->note);
    free(h->block);
    free(h);
}

size_t history_bytes(const struct history *h)
{
    return h->bytes;
}

uint64_t history_late(const struct history *h)
{
    return h->late;
}

uint64_t history_forgotten(const struct history *h)
{
    return h->forgotten;
}

/* --- blocks --------------------------------------------------------------- */

/* Out of its lane, whose first it is, and out of the queue. */
static void unhook(struct history *h, uint32_t b)
{
    struct block_note *n = &h->note[b];
    struct lane *lane = &h->series[n->series].lane[n->lane];

    assert(lane->first == b);
    lane->first = n->next;
    if (lane->last == b)
        lane->last = NO_BLOCK;
    lane->blocks--;
    *(n->older == NO_BLOCK ? &h->oldest : &h->note[n->older].newer) = n->newer;
    *(n->newer == NO_BLOCK ? &h->newest : &h->note[n->newer].older) = n->older;
}

static void give_back(struct history *h, uint32_t b)
{
    unhook(h, b);
    h->note[b].older = h->free_block;
    h->free_block = b;
}

/* A new last block for a lane. */
static uint32_t take_block(struct history *h, uint32_t series, uint16_t which)
{
    struct lane *lane = &h->series[series].lane[which];
    uint32_t b = h->free_block;

    if (b != NO_BLOCK) {
        h->free_block = h->note[b].older;
    } else if (h->used_blocks < h->block_count) {
        b = h->used_blocks++;
    } else {
        b = h->oldest;
        unhook(h, b);
    }
    h->note[b] = (struct block_note){
        .next = NO_BLOCK,
        .older = h->newest,
        .newer = NO_BLOCK,
        .series = series,
        .lane = which,
    };
    *(h->newest == NO_BLOCK ? &h->oldest : &h->note[h->newest].newer) = b;
    h->newest = b;
    *(lane->last == NO_BLOCK ? &lane->first : &h->note[lane->last].next) = b;
    lane->last = b;
    lane->blocks++;
    return b;
}

/* --- series --------------------------------------------------------------- */

static uint64_t key_of(uint32_t subject, unsigned metric)
{
    return (uint64_t)subject << 16 | metric;
}

const struct kept_series *history_series(const struct history *h,
        uint32_t subject, enum metric_id metric)
{
    const uint64_t *at = map_find(&h->by_key, key_of(subject, metric));

    return at ? &h->series[*at] : NULL;
}

static void unlink_series(struct history *h, uint32_t i)
{
    struct kept_series *s = &h->series[i];

    *(s->older == NO_SERIES ? &h->stalest : &h->series[s->older].newer) =
            s->newer;
    *(s->newer == NO_SERIES ? &h->freshest : &h->series[s->newer].older) =
            s->older;
}

static void link_freshest(struct history *h, uint32_t i)
{
    h->series[i].older = h->freshest;
    h->series[i].newer = NO_SERIES;
    *(h->freshest == NO_SERIES ? &h->stalest : &h->series[h->freshest].newer) =
            i;
    h->freshest = i;
}

static void forget(struct history *h, uint32_t i)
{
    for (size_t k = 0; k < LANES; k++)
        while (h->series[i].lane[k].first != NO_BLOCK)
            give_back(h, h->series[i].lane[k].first);
    map_remove(&h->by_key, h->series[i].key);
    unlink_series(h, i);
    h->forgotten++;
}

static uint32_t new_series(struct history *h, uint64_t key)
{
    uint32_t i = h->series_count;

    if (i < h->series_cap) {
        h->series_count++;
    } else {
        i = h->stalest;
        forget(h, i);
    }
    h->series[i] = (struct kept_series){
        .key = key,
        .lane = { { NO_BLOCK, NO_BLOCK, 0 }, { NO_BLOCK, NO_BLOCK, 0 } },
    };
    map_put(&h->by_key, key, i);
    link_freshest(h, i);
    return i;
}

/* --- adding --------------------------------------------------------------- */

static void add_raw(struct history *h, uint32_t i, const struct reading *r)
{
    struct lane *lane = &h->series[i].lane[LANE_RAW];
    uint32_t b = lane->last;

    if (b == NO_BLOCK || h->note[b].count == LEN(h->block[b].raw)) {
        if (lane->blocks == RAW_BLOCKS)
            give_back(h, lane->first);
        b = take_block(h, i, LANE_RAW);
    }
    h->block[b].raw[h->note[b].count++] = (struct raw){ r->time_ns, r->value };
}

static uint64_t last_second(const struct history *h, uint32_t b)
{
    const struct block_note *n = &h->note[b];

    return n->base_s + h->block[b].second[n->count - 1].offset;
}

/* The second is over: it becomes a rollup. */
static void add_second(struct history *h, uint32_t i)
{
    struct lane *lane = &h->series[i].lane[LANE_SECONDS];
    struct current c = h->series[i].current;

    while (lane->first != NO_BLOCK &&
            last_second(h, lane->first) + HISTORY_SECONDS < c.second)
        give_back(h, lane->first);

    uint32_t b = lane->last;

    if (b == NO_BLOCK || h->note[b].count == LEN(h->block[b].second) ||
            c.second - h->note[b].base_s > UINT16_MAX) {
        b = take_block(h, i, LANE_SECONDS);
        h->note[b].base_s = c.second;
    }
    h->block[b].second[h->note[b].count++] = (struct second){
        .offset = (uint16_t)(c.second - h->note[b].base_s),
        .count = (uint16_t)(c.count < UINT16_MAX ? c.count : UINT16_MAX),
        .min = (float)c.min,
        .mean = (float)c.mean,
        .max = (float)c.max,
        .squares = (float)c.squares,
    };
}

static void add_to_current(struct current *c, double value)
{
    double off = value - c->mean;

    c->count++;
    c->mean += off / c->count;
    c->squares += off * (value - c->mean);
    if (c->count == 1 || value < c->min)
        c->min = value;
    if (c->count == 1 || value > c->max)
        c->max = value;
}

void history_add(struct history *h, const struct reading *r)
{
    uint64_t key = key_of(r->subject, r->metric);
    uint64_t *at = map_find(&h->by_key, key);
    uint32_t i = at ? (uint32_t)*at : new_series(h, key);
    struct kept_series *s = &h->series[i];
    uint64_t second = r->time_ns / NS_PER_S;

    if (r->time_ns < s->last_ns) {
        h->late++;
        return;
    }
    if (h->freshest != i) {
        unlink_series(h, i);
        link_freshest(h, i);
    }
    if (s->current.count && s->current.second != second) {
        add_second(h, i);
        s->current = (struct current){ 0 };
    }
    s->current.second = second;
    s->last_ns = r->time_ns;
    add_to_current(&s->current, r->value);
    add_raw(h, i, r);
}

static void take_readings(void *to, const struct reading_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        history_add(to, &list->items[i]);
}

struct subscriber history_subscriber(struct history *h)
{
    return (struct subscriber){ .context = h, .readings = take_readings };
}
