/* added.h -- tokens that are found in a text as they are, before a tokenizer's
 * model sees the rest.  Starts zeroed. */
#pragma once

#include "llm/tokenizer/vocab.h"

struct added_token {
    uint32_t id;
    bool special;        /* left out of a text that is to be read */
    bool single_word;    /* not within a word */
    bool lstrip, rstrip; /* swallows the blanks on that side */
    bool normalised;     /* looked for after normalising */
};

/* A tree of bytes; a node's children are a list of siblings. */
struct added_tree {
    struct added_node {
        uint32_t child, sibling; /* 0: none */
        uint32_t token;          /* index and one; 0: no token ends here */
        unsigned char byte;
    } * node;
    size_t count, cap;
    uint32_t first[256]; /* the roots: the node of a first byte */
};

struct added {
    struct added_token *token;
    size_t count;
    struct added_tree raw, normalised;
};

/* `text` is what is looked for: normalised where `token` says so. */
void added_add(struct added *a, const struct added_token *token,
        struct str text);
void added_release(struct added *a);

/* Cuts the text: calls `take` for each part between tokens, with NULL, and for
 * each token.  `from` is where the part begins. */
void added_cut(const struct added *a, bool normalised, struct str text,
        void (*take)(void *context, struct str part, size_t from,
                const struct added_token *token),
        void *context);
