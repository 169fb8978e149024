/* sampling.h -- reads all samplers, each when its time has come.
 *
 * Every sampler has a rate of its own, and is read at ticks of the fastest one
 * (sample/schedule.h).  What reading costs is measured, and rates go down when
 * it is more than the budget allows, all in the same proportion.
 *
 *     while (...) {
 *         sleep_until(sampling_next_ns(s));
 *         const struct batch *b = sampling_step(s, mono_ns());
 *         ...
 *     }
 *
 * Nothing is allocated between two steps but for processes that just appeared.
 * For one thread, which is the one whose CPU time is measured. */
#pragma once

#include "base/error.h"
#include "sample/process/targets.h"
#include "sample/sampler.h"
#include "sample/spending.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLING_SOURCES_MAX 48
#define SAMPLING_CHANGES_MAX SPENDING_CHANGES_MAX

struct sampling;

/* A rate for one sampler by its name. */
struct sampling_rate {
    const char *name;
    double hz;
};

struct sampling_plan {
    const struct sampler *const *table; /* NULL: sampler_table */
    const char *root;                   /* NULL: this machine */
    const struct target_plan *targets;  /* NULL: no process is looked at */
    bool costly;                        /* as in struct sample_context */
    /* Of the samplers that are usually read 100 times a second, as far as each
     * has something new to tell so often; the others are read at most as often
     * as usual.  0: all as usual. */
    double hz;
    const struct sampling_rate *rates; /* of some of them; a rate of 0: off */
    size_t rate_count;
    double budget;            /* a share of one core; 0: no limit */
    uint64_t (*cpu_ns)(void); /* what is spent; NULL: this thread's CPU time */
};

/* A sampler, and how it fares. */
struct sampling_source {
    const struct sampler *sampler;
    int rc;           /* of its open(); 0: it is read */
    struct error why; /* if not */
    double wanted_hz; /* 0: it was switched off */
    double hz;        /* in force now */
    uint64_t reads;
    uint64_t missed;  /* deadlines that passed by */
    uint64_t last_ns; /* of mono_ns(): when it was last read; 0: never */
    uint64_t first_ns;
    uint64_t timed_reads, timed_ns; /* the CPU time of some of its reads */
};

/* -EINVAL: a rate for a sampler that does not exist, or one out of range.
 * -ESRCH: a process that does not exist.  Sources that are not there are no
 * failure: sampling_source_at() tells. */
int sampling_open(struct sampling **out, const struct sampling_plan *plan,
        struct error *e);
void sampling_close(struct sampling *s);

/* When the next sampler is due, of mono_ns(). */
uint64_t sampling_next_ns(const struct sampling *s);

/* Reads what is due at `now_ns`.  The batch is valid until the next step. */
const struct batch *sampling_step(struct sampling *s, uint64_t now_ns);

/* Reads everything that is not switched off, due or not: the last look at
 * processes that end. */
const struct batch *sampling_read_all(struct sampling *s, uint64_t now_ns);

/* Holds the readings of the last step behind those that are held already, until
 * they are dropped.  What keeps readings is spread over much memory, which has
 * left the caches between two ticks: to hand on ten ticks together costs little
 * more than one. */
void sampling_hold(struct sampling *s);
struct batch sampling_held(const struct sampling *s);
void sampling_drop(struct sampling *s);

/* Another rate, as `hz` of the plan; samplers with a rate of their own keep
 * it. */
void sampling_change_rate(struct sampling *s, double hz);
/* Nothing was due for a while, and is again from now on. */
void sampling_resume(struct sampling *s);

struct subjects *sampling_subjects(struct sampling *s);
/* NULL: no process is looked at. */
struct targets *sampling_targets(struct sampling *s);

size_t sampling_source_count(const struct sampling *s);
const struct sampling_source *sampling_source_at(const struct sampling *s,
        size_t i);
/* The CPU time of a read, in the mean; 0: it was never read. */
double sampling_read_us(const struct sampling_source *x);
/* Reads in a second, from its first to its last; 0: not enough of them yet. */
double sampling_effective_hz(const struct sampling_source *x);

/* Changes of the rates since the beginning; the first SAMPLING_CHANGES_MAX are
 * kept. */
size_t sampling_change_count(const struct sampling *s);
const struct rate_change *sampling_change_at(const struct sampling *s,
        size_t i);
/* At how much of the wished rates we read now. */
double sampling_scale(const struct sampling *s);

/* Whether the CPU time was measured at the last step, as it is at ten steps a
 * second or more.  Who has something to do now and then does it after such a
 * step, so that what it costs is known. */
bool sampling_is_metered(const struct sampling *s);

/* What the thread did since the last step, or the last call of one of these,
 * was somebody else's work and is no cost of sampling; or, after a step that
 * was measured, it was ours.  Without either, all is ours. */
void sampling_forgive(struct sampling *s);
void sampling_charge(struct sampling *s);
