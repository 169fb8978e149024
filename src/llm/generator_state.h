/* generator_state.h -- what generator.c and generator_loop.c share. */
#pragma once

#include "llm/generator.h"

struct generator {
    struct model_folder folder;
    char *path;
    struct engine *engine;
    struct tokenizer *tokenizer; /* NULL: there is none */
    struct network encoder, decoder, with_past;
    struct network_given *given; /* a copy; their bytes are the caller's */
    size_t given_count;
};

/* The network of later steps. */
const struct network *generator_later(const struct generator *g);
