/* run_energy.h -- the energy of a run, from what the store has of it. */
#pragma once

#include "base/error.h"
#include "energy/account.h"
#include "energy/share_key.h"
#include "energy/throttle.h"
#include "store/store.h"
#include "wire/record.h"

/* What a class of work is. */
enum energy_work {
    ENERGY_OUTSIDE, /* class 0: our program outside of all that we know */
    ENERGY_LOAD,    /* a session is made */
    ENERGY_SECTION, /* a section that the program told, without what is in it */
    ENERGY_INFERENCE, /* an inference, without its operators */
    ENERGY_OPERATOR,
    ENERGY_WORKS
};

struct energy_class {
    enum energy_work work;
    enum phase phase;
    uint32_t session;
    uint32_t operator_id;
    uint64_t count; /* spans */
};

/* Some classes together: their energy, and how it was had. */
struct energy_sum {
    uint64_t count;    /* spans of it: inferences, runs of an operator */
    uint64_t gross_uj; /* all that was drawn in its time */
    uint64_t net_uj;   /* without idle and other processes */
    double busy_s;
    double error_j; /* of net_uj, standard error; 0: not told */
    enum reading_method method;
};

struct run_inference {
    uint64_t start_ns, end_ns;
    uint32_t past; /* tokens before */
    bool past_known;
    uint32_t tokens; /* in the batch, at a time; 0: it failed */
    enum phase phase;
};

/* A metric that could not be had, and why. */
struct energy_reason {
    char *what;
    char *why;
};

struct run_energy {
    struct energy_account account;
    struct energy_class *classes;
    uint32_t class_count;
    uint64_t inference_count;
    struct run_inference *inferences; /* 1, 2, ... */
    bool wanted;                      /* it was not switched off */
    bool sampled;                     /* something was, in this run */
    struct energy_reason *reasons;
    size_t reason_count;
    struct throttling throttling; /* whether or not energy is known */
    bool meter_seen;              /* an external meter was read, */
    bool meter_set;               /* and its clock set by hand; else, */
    bool meter_aligned;           /* its clock was found to be apart by this: */
    int64_t meter_offset_ns;
    uint64_t calibrated_wall_ns; /* when idle was measured; 0: never */
    enum energy_by by;           /* what it was shared by, */
    double by_known; /* and of which part of the time at work that is known:
                      * of the rest, busy time counts */
    double inference_flops; /* shared by FLOPs: of an inference, in the mean;
                             * NAN where of some they cannot be told.  Else
                             * 0 */
};

int run_energy_read(struct run_energy *out, struct store *s, int64_t run,
        struct error *e);
/* The same for who only wants joules: where nothing told of power, the
 * inferences are not gone through, and throttling is not looked for. */
int run_energy_read_joules(struct run_energy *out, struct store *s, int64_t run,
        struct error *e);
/* The same, shared by another key.  -ENODATA: that is not known of this run,
 * and why. */
int run_energy_read_by(struct run_energy *out, struct store *s, int64_t run,
        const struct energy_key *key, struct error *e);
/* The same as the first for a run whose end is not in the store yet, but in
 * `run`. */
int run_energy_read_ended(struct run_energy *out, struct store *s,
        const struct run *run, struct error *e);
void run_energy_release(struct run_energy *r);

/* Inferences of a phase, with their operators; PHASES: of all phases. */
struct energy_sum run_energy_phase(const struct run_energy *r, unsigned phase);
/* All runs of an operator: those in inferences that were not traced, too, by
 * the part that it has of the traced ones. */
struct energy_sum run_energy_operator(const struct run_energy *r, uint32_t id);
/* A kind of work. */
struct energy_sum run_energy_work(const struct run_energy *r,
        enum energy_work work);
/* One inference by its number, from 1: joules, gross and net. */
double run_energy_inference(const struct run_energy *r, uint64_t number,
        double *net_j);
/* Joules, gross, of all inferences that ended after `from_ns` and not after
 * `to_ns`: of a token, when the next begins. */
double run_energy_between(const struct run_energy *r, uint64_t from_ns,
        uint64_t to_ns);
