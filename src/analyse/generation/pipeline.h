/* pipeline.h -- where the time and the energy of a run's sections went, by
 * phase. */
#pragma once

#include "base/error.h"
#include "model/phase.h"
#include "model/run.h"
#include "store/store.h"

struct pipeline_part {
    uint64_t count; /* of sections */
    uint64_t duration_ns;
    double energy_mj;
    bool has_energy; /* of all of them */
};

struct pipeline_section {
    uint64_t id; /* from 1, in the order of coming */
    uint8_t phase;
    char *name;
    uint64_t start_ns;
    uint64_t parent;           /* the id of the one that it is in; 0: in none */
    struct pipeline_part part; /* its own; `count` is 1 */
};

/* A section within another is part of that one's time: phases and the whole are
 * the sums of those that are in none. */
struct pipeline {
    struct pipeline_section *sections;
    size_t count;
    struct pipeline_part phases[PHASES];
    struct pipeline_part total;
};

/* -ENOENT: the program told no sections. */
int pipeline_read(struct pipeline *out, struct store *s, int64_t run,
        struct error *e);
void pipeline_release(struct pipeline *p);

#define SECTION_KIND_MAX 64

/* Of what kind a section is, for sums: "token_17" is a "token_<i>", others are
 * what they are called. */
void section_kind(char out[SECTION_KIND_MAX], const char *name);

/* What share of the whole a part has, in percent.  False: that is not known,
 * or there is no whole. */
bool pipeline_time_share(double *percent, const struct pipeline *p,
        const struct pipeline_part *part);
bool pipeline_energy_share(double *percent, const struct pipeline *p,
        const struct pipeline_part *part);
/* Mean power, in milliwatts. */
bool pipeline_power(double *mw, const struct pipeline_part *part);
