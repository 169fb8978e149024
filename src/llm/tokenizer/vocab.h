/* vocab.h -- tokens by their text, and texts by their token.  Starts zeroed. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>

#define TOKEN_NONE UINT32_MAX
/* Ids are below it: more tokens than any tokenizer has. */
#define TOKEN_MAX (UINT32_C(1) << 21)

struct vocab {
    struct buf texts;
    struct vocab_entry {
        size_t at;
        uint32_t len;
        uint32_t id;
    } * entries; /* a table with open addressing; id TOKEN_NONE: free */
    size_t cap, count;
    struct vocab_text {
        size_t at;
        uint32_t len;
        bool known;
    } * by_id;
    uint32_t size, room; /* the highest id and one; what by_id has */
};

/* Adds a token; another one of the same text gets the new id, and the first
 * text of an id stays.  `id` is below TOKEN_MAX. */
void vocab_add(struct vocab *v, struct str text, uint32_t id);

/* TOKEN_NONE: there is no such token. */
uint32_t vocab_find(const struct vocab *v, struct str text);

/* False: there is no such id. */
bool vocab_text(const struct vocab *v, uint32_t id, struct str *out);

void vocab_release(struct vocab *v);

/* A number for a text; the same for the same. */
uint64_t text_hash(struct str text);
