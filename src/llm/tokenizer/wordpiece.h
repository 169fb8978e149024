/* wordpiece.h -- a word as its longest beginning that is a token, then the
 * longest of what is left, and so on: BERT's. */
#pragma once

#include "base/error.h"
#include "llm/ids.h"
#include "llm/tokenizer/vocab.h"

struct wordpiece {
    const struct vocab *vocab; /* borrowed */
    struct buf prefix;         /* of tokens that go on with a word */
    uint32_t unknown;
    uint64_t most_characters; /* of a word; a longer one is unknown */
    struct buf spare;
};

int wordpiece_read(struct wordpiece *w, const struct vocab *vocab,
        struct str model, struct error *e);
void wordpiece_release(struct wordpiece *w);

/* Adds the tokens of a word. */
void wordpiece_encode(struct wordpiece *w, struct str word, struct ids *out);
