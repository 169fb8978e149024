/* subscription.h -- what one client of /ws/metrics asked for, and what it was
 * told of it.  For socket.c. */
#pragma once

#include "serve/live/live.h"

#define SUBSCRIPTION_RUNS 64

enum {
    SEND_SYSTEM = 1,
    SEND_INFERENCES = 2,
    SEND_OPERATIONS = 4,
    SEND_EVENTS = 8
};

/* What a client was told of a series last. */
struct told {
    bool known;
    uint32_t pass;
    double value;
    uint64_t count;
    struct hist *hist; /* of a histogram with buckets; or NULL */
};

/* A run that it follows. */
struct told_run {
    char id[RUN_ID_LEN + 1];
    struct live_cursor cursor; /* behind what was sent */
    bool stored;  /* named in `after` or `runs`: also when it has ended */
    bool over;    /* it has ended, and is not followed */
    bool drained; /* likewise, and all was sent */
    bool started, ended, silent;
};

struct subscription {
    char id[65];
    struct buf metrics; /* patterns, a line each */
    unsigned events;
    bool live;    /* all live runs */
    bool buckets; /* histograms as buckets */
    double wanted_hz, hz;
    uint64_t seq;
    bool began; /* the snapshot was sent */
    uint64_t sent_ns, tick;
    struct told *told; /* by series */
    size_t told_count;
    uint32_t pass;
    uint64_t system_hash;
    struct told_run runs[SUBSCRIPTION_RUNS];
    size_t run_count, turn;
    /* How it keeps up. */
    uint64_t window_ns;
    unsigned ticks, merged;
    uint64_t clean_ns;
    bool tell_rate; /* the rate changed */
    bool restored;
};

/* Reads the message that asks for it.  NULL, or what is wrong; `code` says
 * which kind. */
const char *subscription_read(struct subscription *s, struct str message,
        struct live *l, const char **code);
void subscription_release(struct subscription *s);

/* Adds the next message that is due.  False: none is. */
bool subscription_next(struct subscription *s, struct live *l, struct buf *out,
        uint64_t now_ns);

/* A tick found the last message unsent, or not. */
void subscription_tick(struct subscription *s, bool choked, uint64_t now_ns);
