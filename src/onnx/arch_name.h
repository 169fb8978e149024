/* arch_name.h -- a name cut into its words, between the files of arch. */
#pragma once

#include "onnx/arch.h"

#define WORDS_MAX 24

struct words {
    struct str word[WORDS_MAX]; /* what stands between / . : and blanks */
    int count;
};

struct words words_of(struct str name);

/* Whether it has the word, or two behind each other. */
bool words_have(const struct words *w, const char *word);
bool words_have_pair(const struct words *w, const char *first,
        const char *second);

/* The layer that the words tell; -1: none. */
int words_layer(const struct words *w);

/* Whether an operator is attention as a whole, a normalisation, an activation,
 * or a product of matrices. */
bool op_is_attention(struct str op_type);
bool op_is_norm(struct str op_type);
bool op_is_activation(struct str op_type);
bool op_is_matmul(struct str op_type);
