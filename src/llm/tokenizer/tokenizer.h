/* tokenizer.h -- from text to tokens and back, as a tokenizer.json says.
 *
 * Reads what Hugging Face's tokenizers writes and gives the same tokens as it
 * does: byte-pair encoding on bytes or characters, Unigram, WordPiece, with
 * their normalisers, pre-tokenisers, added tokens, templates and decoders.
 * What is not understood is refused by its name.
 *
 * One thread at a time: words that were seen before are remembered. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "llm/ids.h"

#include <stdbool.h>

struct tokenizer;

/* From the whole text of a tokenizer.json.  -EINVAL: it is damaged; -ENOTSUP:
 * something in it is not known.  The error begins with "its ..." or alike: the
 * caller names the file. */
int tokenizer_read(struct tokenizer **out, struct str json, struct error *e);
void tokenizer_free(struct tokenizer *t); /* NULL is welcome */

/* Adds the tokens of a text, which may be any bytes.  `special`: with those
 * that the template puts around it. */
void tokenizer_encode(struct tokenizer *t, struct str text, bool special,
        struct ids *out);

/* Adds the text of tokens.  `skip_special`: without special ones.  Ids that are
 * no token are left out. */
void tokenizer_decode(struct tokenizer *t, const uint32_t *id, size_t count,
        bool skip_special, struct buf *out);

/* The id of a token's exact text; false: there is none. */
bool tokenizer_id(const struct tokenizer *t, struct str text, uint32_t *out);

/* The highest id and one. */
uint32_t tokenizer_size(const struct tokenizer *t);

/* What the template puts before a text; ids, borrowed. */
const struct ids *tokenizer_prefix(const struct tokenizer *t);

/* Text that comes token by token: what is whole is handed out, half a character
 * waits for its other half.  Starts zeroed. */
struct token_stream {
    struct ids ids;
    struct buf prefix;
    size_t prefix_count;
};

/* Adds what the next token makes readable; perhaps nothing. */
void token_stream_add(struct token_stream *s, struct tokenizer *t,
        bool skip_special, uint32_t id, struct buf *out);
void token_stream_release(struct token_stream *s);
