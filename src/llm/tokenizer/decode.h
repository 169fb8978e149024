/* decode.h -- from the texts of tokens back to a text. */
#pragma once

#include "llm/tokenizer/pattern.h"
#include "llm/tokenizer/vocab.h"

enum decoder_kind {
    DECODER_BYTE_LEVEL,
    DECODER_REPLACE,
    DECODER_BYTE_FALLBACK,
    DECODER_FUSE,
    DECODER_STRIP,
    DECODER_METASPACE,
    DECODER_WORDPIECE,
    DECODER_BPE,
};

struct decoder {
    enum decoder_kind kind;
    struct pattern pattern; /* REPLACE */
    struct buf content;     /* REPLACE; STRIP's; the mark, prefix or suffix */
    int64_t start, stop;    /* STRIP: how many at each end */
    bool keep_first;        /* METASPACE: the first mark is a blank, too */
    bool cleanup;           /* WORDPIECE: no blank before a full stop ... */
};

struct decoders {
    struct decoder *item;
    size_t count;
    bool spaced; /* there is no decoder: tokens lie between blanks */
};

/* Texts in a row: each ends where the next begins.  Starts zeroed. */
struct token_texts {
    struct buf text;
    size_t *end;
    size_t count, cap;
};

void token_texts_add(struct token_texts *p, struct str text);
void token_texts_clear(struct token_texts *p);
void token_texts_release(struct token_texts *p);
struct str token_texts_at(const struct token_texts *p, size_t i);

/* Reads a "decoder" of a tokenizer's file; null joins with blanks. */
int decoders_read(struct decoders *d, struct str value, struct error *e);
void decoders_release(struct decoders *d);

/* Adds the text of the tokens; `tokens` and `spare` are used up. */
void decode_texts(const struct decoders *d, struct token_texts *tokens,
        struct token_texts *spare, struct buf *out);
