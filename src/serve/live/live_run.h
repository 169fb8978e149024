/* live_run.h -- one run that is followed.  For live.c. */
#pragma once

#include "export/metrics/readings.h"
#include "export/metrics/run_metrics.h"
#include "serve/live/live.h"
#include "serve/live/live_power.h"

/* What is known of a session's inferences of one phase. */
struct live_session {
    uint32_t id;
    uint8_t phase;
    char *model;
    struct hist *latency;
    uint64_t last_ns; /* the duration before */
    double steps;     /* sum of distances */
    char *newest;     /* event, as JSON */
};

struct following {
    struct live_run *shown;
    struct run run; /* its texts are not kept */
    struct run_metrics *figures;
    struct subject_book book;
    struct readings readings;
    struct live_power power;
    struct live_session *sessions;
    size_t session_count;
    uint64_t inferences, readings_seen, sections, tokens;
    size_t known_sessions, known_processes, known_libraries, known_subjects;
    uint64_t changed_ns; /* mono: when something was new, or was heard of its
                            collector; later by what we did not look */
    uint64_t looked_ns;  /* mono: when was looked at it last */
    uint64_t row_ns;     /* mono: when its row was made */
    uint64_t ended_ns;
};

/* Reads what is new.  Returns how much. */
size_t following_read(struct following *f, struct store *s,
        void (*tell)(void *to, const char *type, const char *run, char *json),
        void *to);
/* It has ended: tells what is known now. */
void following_end(struct following *f, struct store *s,
        void (*tell)(void *to, const char *type, const char *run, char *json),
        void *to);
struct following *following_new(const struct run *r);
void following_free(struct following *f);
/* Makes the texts of its row and its newest figures anew. */
void following_show(struct following *f, struct store *s);
