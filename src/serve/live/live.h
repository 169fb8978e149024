/* live.h -- runs that are being recorded, followed through the database.
 *
 * A thread looks into it some times a second and keeps what is new: sessions,
 * inferences, readings, sections, tokens.  The database is the one truth: what
 * a client gets live it gets again by the same number from the store, also
 * after a restart of the server.
 *
 * What is kept is read between live_lock() and live_unlock(), by any thread. */
#pragma once

#include "base/error.h"
#include "base/hist.h"
#include "base/json.h"
#include "model/metric.h"
#include "store/store.h"

#define LIVE_EVENTS 4096 /* inferences of a run that are kept as text */
#define LIVE_RUNS   64

struct live;

/* A series that was ever seen; numbers are given once. */
struct live_series {
    const struct metric *metric;
    char run_id[RUN_ID_LEN + 1];
    char *labels; /* a JSON object */
    char *method; /* NULL: measured */
};

/* Its value now. */
struct live_value {
    uint32_t series;
    double value;            /* but of a histogram: */
    const struct hist *hist; /* in ns; or NULL */
    uint64_t count;          /* of one without */
    double sum;
    bool is_histogram;
};

struct live_event {
    uint64_t number;
    char *json;
};

/* How far somebody has read in what comes of a run; each is the last that he
 * has. */
struct live_cursor {
    uint64_t inference, operation; /* numbers in the run */
    uint64_t mark, marks;          /* its row in the store, and its number */
    uint64_t session;              /* the last one's id */
    uint64_t lost;                 /* records of all processes so far */
    uint64_t alerts;               /* raised and over so far, together */
};

struct live_run {
    int64_t row;
    char id[RUN_ID_LEN + 1];
    bool ended;
    bool silent;       /* its collector has not been heard for a second */
    uint64_t heard_ns; /* wall: when it was */
    struct live_cursor newest;
    struct buf text;     /* its row, a JSON object */
    struct buf system;   /* the newest system metric; empty: none */
    struct buf currents; /* the newest event of each session, with commas */
    struct live_event events[LIVE_EVENTS]; /* by number modulo LIVE_EVENTS */
};

/* A message of /ws/profiling. */
struct live_message {
    uint64_t number;
    const char *type;
    char run_id[RUN_ID_LEN + 1];
    char *json;
};

#define LIVE_MESSAGES 4096

struct live_view {
    uint64_t tick; /* grows with every look that found something */
    struct live_run *runs[LIVE_RUNS];
    size_t run_count;
    struct live_series *series; /* from 1: series[s - 1] */
    size_t series_count;
    struct live_value *values;
    size_t value_count;
    struct live_message messages[LIVE_MESSAGES]; /* by number modulo */
    uint64_t last_message;
};

int live_start(struct live **out,
        int (*open_store)(void *context, struct store **out,
                enum store_mode mode, struct error *e),
        void *context, void (*changed)(void *to), void *to, struct error *e);
void live_stop(struct live *l);

/* Any thread: tells /ws/profiling; the run's id may be "". */
void live_say_error(struct live *l, const char *run_id, const char *code,
        const char *message);

const struct live_view *live_lock(struct live *l);
void live_unlock(struct live *l);

/* How many clients listen: without any, it looks less often. */
void live_listeners(struct live *l, int more);

/* Each adds what comes next in a run, with commas, up to so many, and moves the
 * cursor behind it; for the service thread.  Returns how many there were.
 * Inferences that are kept come from memory; the rest, and all of runs that are
 * not followed, from the store.  Operations are those of inferences up to the
 * cursor's.  Of events none is left out, but one that grew is told again. */
typedef size_t live_reading(struct live *l, const char *run_id,
        struct live_cursor *at, size_t most, struct buf *out);
live_reading live_inferences, live_operations, live_happenings;

/* The cursor behind all that belongs to inferences up to that one; events have
 * no such place, so that all come. */
struct live_cursor live_cursor_at(struct live *l, const char *run_id,
        uint64_t inference);

/* Whether a run is not followed, and has ended; adds its row, unless NULL. */
bool live_ended_run(struct live *l, const char *run_id, struct buf *out);
/* Under the lock: the run if it is followed, else NULL. */
const struct live_run *live_run_of(const struct live_view *v,
        const char *run_id);

/* Adds the newest figures of the runs that are followed, as Prometheus reads
 * them: without a look into the store, however long they have been going. */
void live_prometheus(struct live *l, struct buf *out);

/* Whether there is such a run in the store, by a name of the contract. */
bool live_finds(struct live *l, const char *name, char id[RUN_ID_LEN + 1]);
