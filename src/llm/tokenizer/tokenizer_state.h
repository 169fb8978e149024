/* tokenizer_state.h -- what tokenizer.h's functions share; for nobody else. */
#pragma once

#include "llm/tokenizer/added.h"
#include "llm/tokenizer/bpe.h"
#include "llm/tokenizer/decode.h"
#include "llm/tokenizer/normalise.h"
#include "llm/tokenizer/pretokenise.h"
#include "llm/tokenizer/tokenizer.h"
#include "llm/tokenizer/unigram.h"
#include "llm/tokenizer/wordpiece.h"

enum tokenizer_model {
    TOKENIZER_BPE,
    TOKENIZER_UNIGRAM,
    TOKENIZER_WORDPIECE,
};

/* Words that were encoded before: each has one place. */
#define CACHE_PLACES ((size_t)1 << 16)
#define CACHE_WORD   255 /* longer words come only once */
#define CACHE_BYTES  ((size_t)8 << 20)

struct word_cache {
    struct cached_word {
        uint32_t at; /* in `texts`; the ids in `ids` */
        uint32_t ids;
        uint16_t len; /* 0: free */
        uint16_t count;
    } * place; /* NULL until the first word */
    struct buf texts;
    struct ids ids;
};

struct tokenizer {
    struct vocab vocab; /* of the model */
    struct vocab added_texts;
    struct added added;
    bool *special; /* by id, of added tokens */
    uint32_t special_count;
    struct normalisers normalisers;
    struct pretokeniser pretokeniser;
    enum tokenizer_model model;
    struct bpe bpe;
    struct unigram unigram;
    struct wordpiece wordpiece;
    struct str
            cut_mark; /* whole texts are cut before it; empty: they are not */
    struct ids prefix, suffix;
    struct decoders decoders;

    struct word_cache cache;
    struct buf sound, normal, spare;
    struct token_texts pieces, spare_pieces;
};
