/* fusion.h -- the nodes of a model's file against those that ran: what the
 * optimiser of ONNX Runtime fused, folded away, removed and put in.
 *
 * ONNX Runtime does not say what it did.  But what it makes is named after a
 * node of the file or after a value that such a node makes, and reads and puts
 * out values of the file; so what lies between these values, and did not run
 * itself, is what it stands for.
 *
 * Both sums are right: every node of the file is one of six things, and every
 * operator that ran one of three.  An operator that ran often, in a Loop, is
 * one. */
#pragma once

#include "analyse/summary.h"
#include "base/error.h"

#include <stddef.h>

struct fusion_group {
    const struct operator_figures *ran; /* belongs to the operators */
    char *members; /* nodes of the file, "type name", one a line */
    size_t count;  /* of members; 1: it was replaced by another type */
};

struct fusion {
    /* Nodes of all graphs in the file: the sum of the next six. */
    uint64_t file_nodes;
    uint64_t kept;       /* ran as they are, */
    uint64_t duplicated; /* or in several copies */
    uint64_t fused;      /* are part of an operator of another kind */
    uint64_t folded;     /* depend on constants only: computed at loading */
    uint64_t removed;    /* did nothing, or nobody needed it */
    uint64_t not_taken;  /* are in a branch that was not taken */
    /* Operators that ran: the sum of the next three. */
    uint64_t ran;
    uint64_t from_file;
    uint64_t made; /* by fusion: the groups */
    uint64_t inserted;
    struct fusion_group *groups; /* by their time, greatest first */
    size_t group_count;
};

/* Of one session's table, from its model's file.  -ENODATA: no operator is
 * known. */
int fusion_find(struct fusion *out, const struct operators *o, uint32_t session,
        const char *model_path, struct error *e);
/* The same of a session of a summary, whose model's path may be relative to
 * where the program ran. */
int fusion_of_session(struct fusion *out, const struct summary *s,
        const struct summary_session *x, struct error *e);
/* Where the model's file of a session lies, as seen from here; the session has
 * one. */
int fusion_model_path(char *path, size_t cap, const struct summary *s,
        const struct summary_session *x, struct error *e);
void fusion_release(struct fusion *f);
