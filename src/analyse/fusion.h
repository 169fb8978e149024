/* fusion.h -- the nodes of a model's file against those that ran: what the
 * optimiser of ONNX Runtime fused, folded away and put in.
 *
 * ONNX Runtime does not say which nodes it fused.  But it names what it makes
 * after a node of the file, or after a value that such a node makes; and a
 * node of the file that did not run lies beside the one that took its work.
 * So the groups are worked out from names and edges. */
#pragma once

#include "analyse/summary.h"
#include "base/error.h"

#include <stddef.h>

struct fusion_group {
    const struct operator_sum *ran; /* belongs to the operators */
    char *members; /* nodes of the file, "type name", one a line */
    size_t count;  /* of members; 2 or more */
};

struct fusion {
    uint64_t file_nodes; /* of all graphs in the file */
    uint64_t ran;        /* operators that ran, each once */
    uint64_t kept;       /* of which are nodes of the file, as they are */
    uint64_t inserted;   /* of which nothing in the file is like */
    uint64_t fused;      /* nodes of the file in a group */
    uint64_t gone;       /* nodes of the file that did not run, and of which it
                            is not known what became: folded, or taken into an
                            operator of another name */
    struct fusion_group *groups; /* by their time, greatest first */
    size_t group_count;
};

/* Of one session, from its model's file.  -ENODATA: no operator is known. */
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
/* Tells which operators of a session read what which others made, as the file
 * has it; what was folded away between them is passed over. */
int fusion_edges(const struct operators *o, uint32_t session,
        const char *model_path,
        void (*each)(void *context, const struct operator_edge *x),
        void *context, struct error *e);
void fusion_release(struct fusion *f);
