/* arch_name.h -- a name cut into its words, between the files of arch. */
#pragma once

#include "onnx/arch.h"

#define NAME_WORDS_MAX 24

struct name_words {
    struct str word[NAME_WORDS_MAX]; /* what stands between / . : and blanks */
    int count;
};

struct name_words name_words(struct str name);

/* Whether it has the word, or two behind each other. */
bool name_has(const struct name_words *w, const char *word);
bool name_has_pair(const struct name_words *w, const char *first,
        const char *second);

/* The layer that the words tell; -1: none. */
int name_layer(const struct name_words *w);

/* Whether an operator is attention as a whole, a normalisation, an activation,
 * or a product of matrices. */
bool op_is_attention(struct str op_type);
bool op_is_norm(struct str op_type);
bool op_is_activation(struct str op_type);
bool op_is_matmul(struct str op_type);
