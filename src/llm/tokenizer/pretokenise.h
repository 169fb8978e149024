/* pretokenise.h -- cuts a text into the words that a tokenizer's model gets. */
#pragma once

#include "llm/tokenizer/pattern.h"

/* What becomes of what was found between the rest. */
enum cut_behaviour {
    CUT_ISOLATED,
    CUT_REMOVED,
    CUT_CONTIGUOUS,
    CUT_WITH_PREVIOUS,
    CUT_WITH_NEXT,
};

enum metaspace_scheme {
    METASPACE_ALWAYS,
    METASPACE_FIRST, /* only where the whole text begins */
    METASPACE_NEVER,
};

struct cut {
    struct pattern pattern;
    bool none; /* nothing is cut: only what follows is done */
    enum cut_behaviour behaviour;
    bool invert;
    /* Before the cutting. */
    bool add_space; /* unless the piece begins with one */
    bool metaspace; /* blanks become `replacement` */
    enum metaspace_scheme scheme;
    struct str replacement; /* in `replacement_text` */
    char replacement_text[8];
};

struct pretokeniser {
    struct cut *cut;
    size_t count;
    struct buf *spare; /* one for each cut */
    bool byte_level;   /* words are bytes, in the alphabet of bytes.h */
};

/* Reads a "pre_tokenizer" of a tokenizer's file; null cuts nothing. */
int pretokeniser_read(struct pretokeniser *out, struct str value,
        struct error *e);
void pretokeniser_release(struct pretokeniser *p);

/* Calls `take` for each word.  `first`: the whole text begins with this piece.
 * Words lie in `text` or in `p`, until the next call. */
void pretokenise(const struct pretokeniser *p, struct str text, bool first,
        void (*take)(void *context, struct str word), void *context);
