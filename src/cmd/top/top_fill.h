/* top_fill.h -- from what was sampled and recorded to what `top` shows. */
#pragma once

#include "cmd/top/top_draw.h"
#include "cmd/watch/watching.h"
#include "model/subscriber.h"
#include "store/store.h"

/* The machine, its devices and the processes.  `m->process` is made or grown
 * as needed; the caller frees it. */
void top_fill(struct top_model *m, const struct watching *w, uint64_t now_ns);

/* What our own collector told of late; starts zeroed. */
#define TOP_RECENT 2000

struct top_session {
    uint32_t id;
    char name[48];
};

struct top_live {
    struct run run; /* without texts */
    bool closed;
    struct top_session session[TOP_MODELS];
    size_t sessions;
    struct inference recent[TOP_RECENT];
    uint64_t inferences; /* ever; the newest of them are in `recent` */
    uint64_t lost;       /* events that did not get here */
};

struct subscriber top_live_subscriber(struct top_live *l);

/* The models of our own run, and what their inferences took of late. */
void top_fill_live(struct top_model *m, const struct top_live *l,
        uint64_t now_mono_ns);

/* The models of the newest run, if it is being recorded, and what their
 * inferences took of late; or why there are none.  `store` is NULL where there
 * is no database, and `why` says so. */
void top_fill_runs(struct top_model *m, struct store *store,
        const struct error *why, uint64_t now_mono_ns);
