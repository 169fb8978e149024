/* bpe.h -- byte-pair encoding: characters of a word that are joined pair by
 * pair, the pair that was learned first before all others, the leftmost first
 * among equals.
 *
 * Encoding is for one thread at a time: it keeps its scratch memory. */
#pragma once

#include "base/error.h"
#include "base/map.h"
#include "llm/ids.h"
#include "llm/tokenizer/vocab.h"

#include <stdbool.h>

struct bpe {
    const struct vocab *vocab; /* borrowed */
    struct map merges; /* left id << 32 | right id: rank << 32 | new id */
    struct buf prefix; /* before what is not the first character of a word */
    struct buf suffix; /* behind the last */
    uint32_t unknown;  /* TOKEN_NONE: such characters vanish */
    bool fuse_unknown; /* several in a row are one */
    bool byte_fallback, ignore_merges;
    bool byte_level;       /* words are bytes: see bytes.h */
    uint32_t byte_id[256]; /* of the byte's character, or of <0xHH> */
    bool has_all_bytes;    /* <0x00> to <0xFF> are there */

    struct bpe_symbol {
        uint32_t id;
        int32_t previous, next; /* -1: none */
    } * symbol;
    size_t symbol_count, symbol_cap;
    struct bpe_pair {
        uint64_t order; /* rank << 32 | place */
        uint32_t id;
    } * heap;
    size_t heap_count, heap_cap;
    struct buf spare;
};

/* Reads the "model" of a tokenizer's file; `vocab` has its tokens already. */
int bpe_read(struct bpe *b, const struct vocab *vocab, struct str model,
        bool byte_level, struct error *e);
void bpe_release(struct bpe *b);

/* Adds the tokens of a word. */
void bpe_encode(struct bpe *b, struct str word, struct ids *out);

/* Whether no token has `mark` behind another character: then a text may be cut
 * before each mark that follows another character, and nothing changes. */
bool bpe_may_cut(const struct bpe *b, struct str mark);
