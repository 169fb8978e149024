/* texts.h -- the texts that the hook sends in pieces, put together again. */
#pragma once

#include "base/map.h"
#include "wire/record.h"

/* Starts zeroed. */
struct texts {
    struct map by_hash;
    size_t bytes; /* kept so far; there is a ceiling */
};

/* False: the piece fits nowhere. */
bool texts_take(struct texts *t, const struct record *piece);

/* NULL: the text is not there, or not yet whole. */
const char *texts_find(const struct texts *t, uint64_t hash);

void texts_release(struct texts *t);
