/* model.h -- the models we test with, and the table of their files.
 *
 * They are made, not committed: same program, same bytes. */
#pragma once

#include "base/buf.h"

struct model_file {
    const char *path;                /* below the folder they are written to */
    void (*write)(struct buf *file); /* adds the whole file */
};

/* Ends with one that has no path. */
extern const struct model_file model_files[];

/* A convolutional net: `input` [1,3,64,64] to `probabilities` [1,10]. */
void convnet_write(struct buf *file);

/* Three dense layers: `x` [batch,64] to `y` [batch,10]. */
void mlp_write(struct buf *file);

/* CHAIN_NODES operators in a row that no optimiser folds or fuses: `x`
 * [batch,8] to `y` [batch,8].  They undo each other: y is x but for rounding.
 */
#define CHAIN_NODES 10000
void chain_write(struct buf *file);

/* A branch in a loop, and a scan with a branch in it: `x` [5,4] to `y` [4]. */
void flow_write(struct buf *file);

/* Five operators of which the middle one, /middle/Sqrt, makes NaN of whatever
 * comes in: `x` [batch,64] to `y` [batch,64]. */
void broken_write(struct buf *file);

/* A decoder-only language model with a key-value cache, of Llama's shape, and
 * the three files that say so to Hugging Face's and Microsoft's libraries. */
void decoder_write(struct buf *file);
void decoder_config_write(struct buf *file);
void decoder_generation_config_write(struct buf *file);
void decoder_genai_config_write(struct buf *file);
