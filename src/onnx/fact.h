/* fact.h -- what is known of a value before anything runs: its type, its shape,
 * and, of a few numbers that shapes are made from, the numbers themselves.
 *
 * A rank or a size that is not known is FACT_UNKNOWN, and a number that is not
 * known is NaN, which arithmetic passes on by itself. */
#pragma once

#include "onnx/graph.h"

#include <stdbool.h>
#include <stdint.h>

#define FACT_UNKNOWN  (-1)
#define FACT_RANK_MAX 8  /* of a higher rank nothing is known */
#define FACT_DATA_MAX 64 /* more numbers than that make no shape */

struct fact {
    int type;    /* enum onnx_type; ONNX_UNKNOWN */
    int rank;    /* FACT_UNKNOWN: then there are no sizes either */
    bool weight; /* comes from the file: an initializer, a constant */
    int64_t dims[FACT_RANK_MAX];
    const double *data; /* NULL: not known; else as many as elements */
};

/* Nothing is known. */
struct fact fact_nothing(void);

/* A tensor of this type and rank, of sizes that are not known. */
struct fact fact_rank(int type, int rank);

/* What a file says; `fact_of_value` leaves named sizes open. */
struct fact fact_of_tensor(const struct onnx_tensor *t);
struct fact fact_of_value(const struct onnx_value *v);

/* How many elements.  False: a size is not known, or the product does not fit;
 * `out` is then untouched. */
bool fact_elements(uint64_t *out, const struct fact *f);

/* How many bytes; false as above, or when the type has no size. */
bool fact_bytes(uint64_t *out, const struct fact *f);

/* Elements of the dimensions `from` to before `to`, as above. */
bool fact_product(uint64_t *out, const struct fact *f, int from, int to);

/* An axis counted from the front; a negative one counts from behind.  Returns
 * FACT_UNKNOWN when there is no such axis. */
int fact_axis(int64_t axis, int rank);

/* Whether all sizes are known. */
bool fact_is_whole(const struct fact *f);

/* Sets `f` to the shape that two have after broadcasting; keeps type. */
void fact_broadcast(struct fact *f, const struct fact *a, const struct fact *b);

/* Fills what `f` leaves open from `other`, which says the same of another
 * source. */
void fact_complete(struct fact *f, const struct fact *other);

/* Opens what the two do not agree about: either may be the case. */
void fact_either(struct fact *f, const struct fact *other);

/* The numbers of a value, if they are known and not more than FACT_DATA_MAX:
 * returns how many, or FACT_UNKNOWN. */
int fact_count(const struct fact *f);

/* A known number as a whole one, within +-2^53.  False: it is NaN. */
bool fact_int(int64_t *out, double number);
