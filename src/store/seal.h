/* seal.h -- pages that only the key opens: AES-256-GCM through OpenSSL, so that
 * what was changed by somebody else is noticed, too.
 *
 * A page keeps its size: its last SEAL_BYTES are not the database's but ours,
 * for the nonce and the tag.  The key that seals is made from the owner's key
 * and the file's salt, which takes the place of the first 16 bytes of the
 * file, where SQLite says that it is a database. */
#pragma once

#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

#define SEAL_PAGE  4096
#define SEAL_BYTES 32
#define SEAL_SALT  16

struct seal;

/* Copies the key. */
struct seal *seal_new(const struct store_key *key);
void seal_free(struct seal *s); /* and wipes it */

/* Until the salt is known, nothing is opened.  A new one is made for a new
 * file.  False: OpenSSL will not, for want of memory. */
bool seal_has_salt(const struct seal *s);
bool seal_set_salt(struct seal *s, const uint8_t salt[SEAL_SALT]);
bool seal_make_salt(struct seal *s);
/* When another one is to be used. */
void seal_forget_salt(struct seal *s);

/* Where a page is: part of what is sealed, so that no page opens in another's
 * place.  Of a page in the log, what SQLite keeps before it is, too: which page
 * it is, the log's salt, and how large the database is after a commit. */
#define SEAL_HEAD 16

struct seal_place {
    char file;      /* 'd': the database, 'w': its log */
    uint64_t bytes; /* from the file's start */
    uint8_t head[SEAL_HEAD];
    bool before; /* as the version before sealed: without the head */
};

/* Both work from one buffer of SEAL_PAGE into another or into itself.  False:
 * it was sealed with another key, for another place, or was changed. */
bool seal_close(struct seal *s, struct seal_place at, const uint8_t *plain,
        uint8_t *sealed);
bool seal_open(struct seal *s, struct seal_place at, const uint8_t *sealed,
        uint8_t *plain);
