/* page_crypto.h -- pages that only the key opens: AES-256-GCM through OpenSSL,
 * so that what was changed by somebody else is noticed, too.
 *
 * A page keeps its size: its last PAGE_CRYPTO_BYTES are not the database's but
 * ours, for the nonce and the tag.  The key that seals is made from the owner's
 * key and the file's salt, which takes the place of the first 16 bytes of the
 * file, where SQLite says that it is a database. */
#pragma once

#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

#define PAGE_CRYPTO_PAGE  4096
#define PAGE_CRYPTO_BYTES 32
#define PAGE_CRYPTO_SALT  16

struct page_crypto;

/* Copies the key. */
struct page_crypto *page_crypto_new(const struct store_key *key);
void page_crypto_free(struct page_crypto *s); /* and wipes it */

/* Until the salt is known, nothing is opened.  A new one is made for a new
 * file.  False: OpenSSL will not, for want of memory. */
bool page_crypto_has_salt(const struct page_crypto *s);
bool page_crypto_set_salt(struct page_crypto *s,
        const uint8_t salt[PAGE_CRYPTO_SALT]);
bool page_crypto_make_salt(struct page_crypto *s);
/* When another one is to be used. */
void page_crypto_forget_salt(struct page_crypto *s);

/* Where a page is: part of what is sealed, so that no page opens in another's
 * place.  Of a page in the log, what SQLite keeps before it is, too: which page
 * it is, the log's salt, and how large the database is after a commit. */
#define PAGE_CRYPTO_HEAD 16

struct page_crypto_place {
    char file;      /* 'd': the database, 'w': its log */
    uint64_t bytes; /* from the file's start */
    uint8_t head[PAGE_CRYPTO_HEAD];
    bool before; /* as the version before sealed: without the head */
};

/* Both work from one buffer of PAGE_CRYPTO_PAGE into another or into itself.
 * False: it was sealed with another key, for another place, or was changed. */
bool page_crypto_close(struct page_crypto *s, struct page_crypto_place at,
        const uint8_t *plain, uint8_t *sealed);
bool page_crypto_open(struct page_crypto *s, struct page_crypto_place at,
        const uint8_t *sealed, uint8_t *plain);
