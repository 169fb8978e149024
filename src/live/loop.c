#include "live/loop.h"

#include "base/alloc.h"
#include "collect/collector.h"
#include "live/controls.h"
#include "os/clock.h"
#include "os/process/pause.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loop {
    struct subscriber to;
    struct sampling *sampling;
    struct board *board; /* or NULL */
    struct loop_feed feeds[LOOP_FEEDS_MAX];
    size_t feed_count;
    uint64_t start_ns;
    uint64_t tick_ns; /* when was read last */
    bool shares_thread;
    size_t on_board;   /* so many of the readings that are held */
    uint32_t subjects; /* that were told */
    uint32_t unended;  /* the first of them that goes on */
    size_t renamed;    /* names that were told again */
    bool *ended;
    size_t ended_cap;
    size_t changes; /* of rates, that were told */
    bool paused;
};

int loop_open(struct loop **out, const struct loop_plan *plan, struct error *e)
{
    struct loop *l = alloc_zero(1, sizeof(*l));
    int rc = sampling_open(&l->sampling, plan->sampling, e);

    if (rc) {
        free(l);
        return rc;
    }
    l->to = *plan->to;
    l->start_ns = plan->start_ns;
    l->shares_thread = plan->shares_thread;
    if (plan->keeps_board)
        l->board = board_new(sampling_subjects(l->sampling));
    sleep_sharply();
    *out = l;
    return 0;
}

void loop_close(struct loop *l)
{
    if (!l)
        return;
    board_free(l->board);
    sampling_close(l->sampling);
    free(l->ended);
    free(l);
}

void loop_add_feed(struct loop *l, const struct loop_feed *feed)
{
    assert(l->feed_count < LOOP_FEEDS_MAX);
    l->feeds[l->feed_count++] = *feed;
}

struct sampling *loop_sampling(struct loop *l)
{
    return l->sampling;
}

uint64_t loop_next_ns(const struct loop *l)
{
    return l && !l->paused ? sampling_next_ns(l->sampling) : UINT64_MAX;
}

void loop_wait(const struct loop *l, uint64_t latest_ns)
{
    uint64_t next_ns = loop_next_ns(l);

    (void)sleep_until(next_ns < latest_ns ? next_ns : latest_ns);
}

static uint64_t since_start(const struct loop *l, uint64_t then_ns)
{
    return then_ns > l->start_ns ? then_ns - l->start_ns : 0;
}

/* --- subjects ------------------------------------------------------------- */

static void tell_subject(const struct loop *l, uint32_t number)
{
    struct subject_entry x = {
        .id = number,
        .subject = *subjects_get(sampling_subjects(l->sampling), number),
    };

    x.subject.start_ns = since_start(l, x.subject.start_ns);
    l->to.subject(l->to.context, &x);
}

static void tell_new_subjects(struct loop *l)
{
    const struct subjects *s = sampling_subjects(l->sampling);

    for (; l->renamed < subjects_renamed_count(s); l->renamed++)
        if (subjects_renamed_at(s, l->renamed) < l->subjects)
            tell_subject(l, subjects_renamed_at(s, l->renamed));
    for (; l->subjects < subjects_count(s); l->subjects++)
        tell_subject(l, l->subjects);
    if (l->ended_cap < l->subjects) {
        size_t cap = 2 * (size_t)l->subjects;

        l->ended = alloc_resize(l->ended, cap * sizeof(*l->ended));
        for (size_t i = l->ended_cap; i < cap; i++)
            l->ended[i] = false;
        l->ended_cap = cap;
    }
}

static void tell_ended_subjects(struct loop *l)
{
    const struct subjects *s = sampling_subjects(l->sampling);

    for (uint32_t i = l->unended; i < l->subjects; i++) {
        uint64_t ended_ns = subjects_ended_ns(s, i);

        if (!ended_ns || l->ended[i])
            continue;
        l->ended[i] = true;
        l->to.subject_end(l->to.context,
                &(struct subject_entry){ .id = i,
                        .end_ns = since_start(l, ended_ns) });
    }
    while (l->unended < l->subjects && l->ended[l->unended])
        l->unended++;
}

/* --- readings ------------------------------------------------------------- */

void loop_take(struct loop *l, const struct reading *x)
{
    struct reading shifted = *x;

    if (x->time_ns < l->start_ns)
        return; /* before the run: none of its business */
    shifted.time_ns = since_start(l, x->time_ns);
    tell_new_subjects(l);
    l->to.readings(l->to.context, &(struct reading_list){ &shifted, 1 });
}

struct board *loop_board(struct loop *l)
{
    struct batch news = sampling_held(l->sampling);
    size_t held = news.count;

    news.items += l->on_board;
    news.count -= l->on_board;
    board_take(l->board, &news);
    l->on_board = held;
    return l->board;
}

void loop_tell(struct loop *l)
{
    struct batch held = sampling_held(l->sampling);

    if (l->board)
        (void)loop_board(l);
    tell_new_subjects(l);
    if (held.count)
        l->to.readings(l->to.context,
                &(struct reading_list){ held.items, held.count });
    sampling_drop(l->sampling);
    l->on_board = 0;
    tell_ended_subjects(l);
}

/* A change of the rates is a mark in the run. */
static void tell_changes(struct loop *l)
{
    for (; l->changes < sampling_change_count(l->sampling) &&
            l->changes < SAMPLING_CHANGES_MAX;
            l->changes++) {
        const struct rate_change *c =
                sampling_change_at(l->sampling, l->changes);
        char reason[128], text[200];

        rate_change_reason(reason, sizeof(reason), c);
        (void)snprintf(text, sizeof(text),
                "ortmeter samples at %.3g %% of its rates: %s", 100 * c->scale,
                reason);
        l->to.mark(l->to.context,
                &(struct note){ .time_ns = since_start(l, c->time_ns),
                        .text = text });
    }
}

uint64_t loop_tick_ns(const struct loop *l)
{
    return l->tick_ns;
}

/* What a step read. */
static void hold(struct loop *l, const struct batch *b)
{
    l->tick_ns = b->time_ns;
    for (size_t i = 0; l->start_ns && i < b->count; i++)
        b->items[i].time_ns = since_start(l, b->items[i].time_ns);
    sampling_hold(l->sampling);
}

bool loop_step(struct loop *l)
{
    uint64_t now_ns = mono_ns();

    if (now_ns < loop_next_ns(l))
        return false;
    if (l->shares_thread)
        sampling_forgive(l->sampling);
    hold(l, sampling_step(l->sampling, now_ns));
    if (sampling_is_metered(l->sampling))
        loop_tell(l);
    if (l->shares_thread)
        sampling_charge(l->sampling);
    tell_changes(l);
    for (size_t i = 0; i < l->feed_count; i++)
        l->feeds[i].poll(l->feeds[i].context);
    return true;
}

void loop_read_all(struct loop *l)
{
    hold(l, sampling_read_all(l->sampling, mono_ns()));
    loop_tell(l);
}

void loop_finish(struct loop *l)
{
    const struct subjects *s = sampling_subjects(l->sampling);

    loop_read_all(l);
    for (size_t i = 0; i < l->feed_count; i++)
        if (l->feeds[i].finish)
            l->feeds[i].finish(l->feeds[i].context);
    for (size_t i = 0; i < subjects_missing_count(s); i++)
        l->to.missing(l->to.context, subjects_missing_at(s, i));
}

/* --- a program ------------------------------------------------------------ */

static void set_paused(struct loop *l, struct collector *c, bool paused)
{
    collector_pause(c, paused);
    if (l) {
        loop_tell(l);
        l->paused = paused;
    }
    if (l && !paused)
        sampling_resume(l->sampling);
    collector_mark(c, paused ? "ortmeter: recording is paused"
                             : "ortmeter: recording goes on after a pause");
}

static void set_ops(struct collector *c, const char *ops)
{
    size_t left = collector_trace(c, ops);
    char text[160];

    (void)snprintf(text, sizeof(text), "ortmeter: operators are traced: %s",
            ops);
    if (left)
        (void)snprintf(text, sizeof(text),
                "ortmeter: operators are traced: %s, but not of %zu processes "
                "that are confined",
                ops, left);
    collector_mark(c, text);
}

/* Every change is a mark in the run. */
static void obey(struct loop *l, struct collector *c, struct controls *k)
{
    struct control_wish w;
    struct control now;
    char text[80];

    if (!controls_take(k, &w, &now))
        return;
    if (w.has_paused && w.paused != now.paused)
        set_paused(l, c, now.paused = w.paused);
    if (l && w.rate_hz > 0) {
        sampling_change_rate(l->sampling, now.rate_hz = w.rate_hz);
        (void)snprintf(text, sizeof(text), "ortmeter: sampled at %g Hz",
                w.rate_hz);
        collector_mark(c, text);
    }
    if (w.ops[0]) {
        memcpy(now.ops, w.ops, sizeof(now.ops));
        set_ops(c, now.ops);
    }
    if (w.stop)
        collector_stop(c);
    controls_done(k, &now);
}

void loop_run(struct loop *l, struct collector *c, struct controls *k)
{
    for (;;) {
        uint64_t rings_ns = collector_next_ns(c), read_ns = loop_next_ns(l);

        if (collector_ends_by(c, rings_ns < read_ns ? rings_ns : read_ns))
            break;
        if (k)
            obey(l, c, k);
        collector_step(c);
        if (l)
            (void)loop_step(l);
    }
    if (l)
        loop_finish(l);
    collector_finish(c);
}
