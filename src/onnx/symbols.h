/* symbols.h -- each text once: from a name to a small number and back.
 *
 * Starts zeroed.  A symbol is valid as long as the table; two texts are equal
 * when their symbols are, and when the texts handed out lie at one address. */
#pragma once

#include "base/str.h"
#include "onnx/arena.h"

#include <stdint.h>

#define SYMBOL_EMPTY 0u /* of the empty text */

struct symbols {
    struct str *texts; /* by symbol */
    uint32_t count;
    uint32_t cap;
    uint32_t *slots; /* a hash table of symbols; 0: free */
    uint32_t slots_cap;
    struct arena arena;
};

/* The text's symbol; it is added if it is new. */
uint32_t symbol_add(struct symbols *s, struct str text);

/* The same, but SYMBOL_EMPTY for a text that is not there. */
uint32_t symbol_find(const struct symbols *s, struct str text);

/* The table's own copy, with a zero byte behind it. */
struct str symbol_text(const struct symbols *s, uint32_t symbol);

void symbols_release(struct symbols *s);
