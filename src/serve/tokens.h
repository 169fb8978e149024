/* tokens.h -- who may do what: tokens, of which only hashes are kept.
 *
 * A token is "ortm_" and 43 characters of base64url: 32 random bytes, so a
 * plain SHA-256 of it cannot be turned back.  The file has a line for each:
 * name, role, hash, when it was made and when it ends (seconds since 1970; 0:
 * never).  It belongs to its owner alone, and is read anew when it changed. */
#pragma once

#include "base/error.h"
#include "serve/route.h"

#include <time.h>

#define TOKEN_LEN      48
#define TOKEN_NAME_MAX 63
#define TOKENS_MAX     1000
#define TOKEN_HASH_LEN 32

struct token_entry {
    char name[TOKEN_NAME_MAX + 1];
    enum role role;
    unsigned char hash[TOKEN_HASH_LEN];
    uint64_t made_s, ends_s;
};

struct token_list {
    struct token_entry *items;
    size_t count;
};

/* A new one, and its hash. */
int token_make(char out[TOKEN_LEN + 1], unsigned char hash[TOKEN_HASH_LEN],
        struct error *e);
void token_hash(unsigned char out[TOKEN_HASH_LEN], struct str token);

/* Whether it can be one at all. */
bool token_is_shaped(struct str token);

/* Reads the lines of a file.  -EINVAL with the number of a line that is
 * none. */
int token_list_read(struct token_list *out, struct str text, struct error *e);
void token_list_write(struct buf *out, const struct token_list *l);
void token_list_release(struct token_list *l);

/* The file; one that is not there holds none.  -EPERM: others may write it. */
int token_file_read(struct token_list *out, const char *path, struct error *e);
int token_file_write(const struct token_list *l, const char *path,
        struct error *e);

/* The entry of a token that holds at that moment; NULL: there is none.  All
 * are compared, each in constant time. */
const struct token_entry *token_list_find(const struct token_list *l,
        struct str token, uint64_t now_s);
