/* normalise.h -- what a tokenizer does to a text before it is cut up. */
#pragma once

#include "llm/tokenizer/charsmap.h"
#include "llm/tokenizer/pattern.h"
#include "llm/unicode/normal_form.h"

enum normaliser_kind {
    NORMALISER_FORM,
    NORMALISER_LOWER,
    NORMALISER_STRIP,
    NORMALISER_STRIP_ACCENTS, /* all marks, or with `only_mn` those alone */
    NORMALISER_REPLACE,
    NORMALISER_PREPEND,
    NORMALISER_CHARSMAP,
    NORMALISER_CLEAN,   /* BERT's: no controls, one kind of blank */
    NORMALISER_CHINESE, /* BERT's: blanks around its characters */
    NORMALISER_BYTES,   /* a character for each byte */
};

struct normaliser {
    enum normaliser_kind kind;
    enum normal_form form;
    bool left, right; /* STRIP: which ends */
    bool only_mn;
    struct pattern pattern; /* REPLACE */
    struct buf content;     /* REPLACE, PREPEND */
    struct charsmap *map;
};

struct normalisers {
    struct normaliser *item;
    size_t count;
};

/* Reads a "normalizer" of a tokenizer's file; null has none.  -ENOTSUP: one
 * that is not understood, by its name; -EINVAL: damaged. */
int normalisers_read(struct normalisers *n, struct str value, struct error *e);
void normalisers_release(struct normalisers *n);

/* Replaces `out` by the text as it becomes; `spare` is for the way there. */
void normalise(const struct normalisers *n, struct buf *out, struct buf *spare,
        struct str text);
