/* series.h -- one sensor's energy over time: from readings to intervals, each
 * of which can be trusted or says why not.
 *
 * A counter of joules is read more often than it moves, or less often.  Where
 * it is read more often, the moment at which it moved is known to lie between
 * two reads, and the interval ends there and not at the read.  Between two
 * such moments the energy is taken to flow evenly.
 *
 * One bad reading makes one or two bad intervals; the rest stands. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A window with fewer updates says nothing about itself alone. */
#define SERIES_UPDATES_LEAST 5

enum series_fault {
    SERIES_GOOD,
    SERIES_BACK,    /* the counter went back, and not because it was full */
    SERIES_GARBAGE, /* no number, below zero, or more than can be */
    SERIES_GAP,     /* nothing was read for so long that it cannot be known */
    SERIES_STOPPED, /* it was read, and did not move for far too long */
    SERIES_FAULTS
};

/* "good", "went back", ... */
const char *series_fault_name(enum series_fault fault);

struct series_reading {
    uint64_t time_ns;
    double value; /* joules so far, or watts */
};

/* What is known of a sensor; zeroed: nothing. */
struct series_sensor {
    double wrap_joules; /* it starts again at 0 after this; 0: it never does */
    double most_watts;  /* more is garbage; 0: 10 kW */
    uint64_t period_ns; /* between two updates, where it was observed; 0: to be
                         * found out from the readings */
    bool means; /* its watts are means, each of the time around its reading */
};

struct series_interval {
    uint64_t start_ns, end_ns;
    /* The moment may be off by half of this: the update was seen only at the
     * next read. */
    uint32_t start_slack_ns, end_slack_ns;
    double joules; /* 0 with a fault */
    uint8_t fault; /* enum series_fault */
};

struct series {
    struct series_interval *intervals; /* one after the other, in time */
    size_t count;
    size_t faults[SERIES_FAULTS]; /* intervals with each of them */
    uint64_t period_ns;           /* between two updates, in the middle; */
    bool period_resolved;         /* seen to be so.  Else it is at most that */
};

/* Readings are in the order of their time.  The counter form takes joules
 * since some moment, the power form takes watts, which are taken to change
 * evenly from one reading to the next; or, where they are means, to hold from
 * halfway to the reading before until halfway to the one behind.
 * series_release() in any case. */
void series_from_counter(struct series *out, const struct series_reading *r,
        size_t count, const struct series_sensor *sensor);
void series_from_power(struct series *out, const struct series_reading *r,
        size_t count, const struct series_sensor *sensor);
void series_release(struct series *s);

/* How long a counter rests between two updates: the median of what was seen
 * where it was read at least twice in between.  Then `resolved` is set; else
 * the answer is the median between two reads that differ, an upper bound.  0:
 * it did not move twice. */
uint64_t series_period(const struct series_reading *r, size_t count,
        bool *resolved);

/* What a series says about a stretch of time. */
struct series_window {
    double joules; /* in the part that is covered */
    uint64_t covered_ns;
    uint64_t faulty_ns;  /* in faulty intervals */
    uint64_t missing_ns; /* before, after: no reading at all */
    uint64_t updates;    /* of the sensor, within */
    bool sufficient;     /* enough of them, and covered: it is measured */
};

/* The first and last interval are stretched by at most one period, because the
 * last update before an end is always a little before it. */
struct series_window series_between(const struct series *s, uint64_t start_ns,
        uint64_t end_ns);

/* The same, cut to a stretch of time: intervals lie within it, and the first
 * and last are stretched towards its ends as above. */
void series_clip(struct series *out, const struct series *s, uint64_t start_ns,
        uint64_t end_ns);
