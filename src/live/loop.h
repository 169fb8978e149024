/* loop.h -- the one loop: reads the samplers when they are due, empties the
 * rings of a program, and tells subscribers (model/subscriber.h).
 *
 *     loop_open(&l, &plan, &e);
 *     loop_run(l, collector, NULL);  a program, from its start to its end
 *
 *     while (...)                    or, where no program is metered:
 *         loop_wait(l, latest_ns), loop_step(l);
 *
 * For one thread, which is the one whose CPU time is measured. */
#pragma once

#include "base/error.h"
#include "live/board.h"
#include "model/subscriber.h"
#include "sample/sampling.h"

struct collector;
struct controls;
struct loop;

struct loop_plan {
    const struct sampling_plan *sampling;
    /* Is told of subjects, readings, changes of rates as marks, and what is
     * missing; has all functions. */
    const struct subscriber *to;
    uint64_t start_ns; /* of mono_ns(): what times count from */
    bool keeps_board;  /* for loop_board() */
    /* The thread has other work, whose cost is not counted as sampling's. */
    bool shares_thread;
};

int loop_open(struct loop **out, const struct loop_plan *plan, struct error *e);
void loop_close(struct loop *l);

/* Another source of readings, which comes to be looked at after the samplers,
 * and, if it has `finish`, at the end. */
struct loop_feed {
    void *context;
    void (*poll)(void *context);
    void (*finish)(void *context);
};

#define LOOP_FEEDS_MAX 4

void loop_add_feed(struct loop *l, const struct loop_feed *feed);

/* Takes a reading from elsewhere; its time is of mono_ns(). */
void loop_take(struct loop *l, const struct reading *x);

struct sampling *loop_sampling(struct loop *l);

/* When something is due, of mono_ns().  NULL: never. */
uint64_t loop_next_ns(const struct loop *l);

/* Sleeps until something is due, that moment has come, or a signal. */
void loop_wait(const struct loop *l, uint64_t latest_ns);

/* Reads what is due.  False: nothing was.  Readings are told some ticks
 * together, ten times a second; loop_tell() tells them now. */
bool loop_step(struct loop *l);
void loop_tell(struct loop *l);

/* When was read last, of mono_ns(). */
uint64_t loop_tick_ns(const struct loop *l);

/* The newest of everything, brought up to date. */
struct board *loop_board(struct loop *l);

/* Reads everything once more, best while a program has ended and was not waited
 * for; loop_finish() also tells what was missing, as nothing more comes. */
void loop_read_all(struct loop *l);
void loop_finish(struct loop *l);

/* A program that was started, to its end, with samplers or without (NULL), and
 * obedient to wishes or not (NULL). */
void loop_run(struct loop *l, struct collector *c, struct controls *k);
