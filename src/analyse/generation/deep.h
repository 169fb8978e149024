/* deep.h -- within the components of a layer: which step took how long, and
 * what left it; written as deep_operation_metrics and as the activation_*
 * columns of layers and components.
 *
 * Times are those of the graph that made the text.  Where operators were fused
 * there, `generate --depth deep` ran the same tokens again without fusions:
 * those rows have `graph` DEEP_UNFUSED, and times of their own.  What left a
 * layer or component is what its last operator put out.
 *
 * Of attention's weights the rows of "softmax" tell, head by head.  The row of
 * the projection that an activation reads has the share of what it reads that
 * is below 0; that of "normalization" (or of the fused operator) the variance
 * before over the variance behind. */
#pragma once

#include "analyse/operators/operators.h"
#include "model/depth.h"

/* The mark behind the inference of a token's number in the other graph. */
#define DEEP_MARK    "deep token "
#define DEEP_UNFUSED "unfused graph"

struct deep;

/* Reads the values that there are. */
int deep_read(struct deep **out, const struct operators *o, struct store *s,
        int64_t run, struct error *e);
void deep_free(struct deep *d); /* NULL is welcome */
/* Whether there is anything to tell. */
bool deep_is_wanted(const struct deep *d);

/* A time that an operator ran, or several of them. */
struct deep_piece {
    uint32_t operator_id;
    uint64_t ns, count;
    double joules; /* NAN: not known */
};

/* Those of the inference that made a token, in their order; `unfused`: of the
 * other graph. */
void deep_add(struct deep *d, uint64_t token, uint64_t inference, bool unfused,
        const struct deep_piece *pieces, size_t count);
/* Adds, as of token 0, all runs of the operators; `joules` of one, or NULL. */
void deep_add_all(struct deep *d,
        double (*joules)(const void *context, uint32_t operator_id),
        const void *context);
/* After the last one: from now on it is only asked. */
void deep_finish(struct deep *d);

/* What left a component of a layer, or with ARCH_NONE the layer. */
struct depth_values deep_values_of(const struct deep *d, uint64_t token,
        int layer, enum arch_component component);

/* Adds the rows of a token's layer.  `ids` are its components' rows, 0: none;
 * `method` is how energy is had.  Returns the last id. */
uint32_t deep_write(const struct deep *d, struct store *s, uint64_t token,
        int layer, const uint32_t ids[ARCH_COMPONENTS], uint32_t id,
        uint8_t method);
