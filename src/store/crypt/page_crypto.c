#include "store/crypt/page_crypto.h"

#include "base/alloc.h"
#include "os/secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES   32
#define NONCE_BYTES 12
#define TAG_BYTES   16
#define PLAIN_BYTES (PAGE_CRYPTO_PAGE - PAGE_CRYPTO_BYTES)

/* What makes guessing a passphrase dear: 32 MB and a tenth of a second each. */
#define SCRYPT_N   (1 << 15)
#define SCRYPT_R   8
#define SCRYPT_P   1
#define SCRYPT_MEM (UINT64_C(64) << 20)

/* What stands at the beginning of every database that is not sealed. */
static const uint8_t magic[PAGE_CRYPTO_SALT] = "SQLite format 3";

struct page_crypto {
    enum store_key_kind kind;
    uint8_t *secret;
    size_t secret_len;
    bool has_salt;
    uint8_t salt[PAGE_CRYPTO_SALT];
    uint8_t *key;        /* made from both; a secret, too */
    EVP_CIPHER *cipher;  /* looked up once */
    EVP_CIPHER_CTX *ctx; /* holds the key only while it works */
};

struct page_crypto *page_crypto_new(const struct store_key *key)
{
    struct page_crypto *s = alloc_zero(1, sizeof(*s));

    s->kind = key->kind;
    s->secret_len = key->len;
    s->secret = secret_new(key->len + 1);
    s->key = secret_new(KEY_BYTES);
    s->cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    s->ctx = EVP_CIPHER_CTX_new();
    if (s->secret)
        memcpy(s->secret, key->bytes, key->len);
    return s;
}

void page_crypto_forget_salt(struct page_crypto *s)
{
    if (s->key)
        OPENSSL_cleanse(s->key, KEY_BYTES);
    s->has_salt = false;
}

void page_crypto_free(struct page_crypto *s)
{
    if (!s)
        return;
    page_crypto_forget_salt(s);
    secret_free(s->secret, s->secret_len + 1);
    secret_free(s->key, KEY_BYTES);
    EVP_CIPHER_CTX_free(s->ctx);
    EVP_CIPHER_free(s->cipher);
    free(s);
}

bool page_crypto_has_salt(const struct page_crypto *s)
{
    return s->has_salt;
}

/* A passphrase can be guessed, and is made dear to guess; a key file holds 32
 * random bytes or more, and needs only to be mixed with the salt. */
static bool derive(const struct page_crypto *s, uint8_t key[KEY_BYTES])
{
    unsigned len = KEY_BYTES;

    if (s->kind == STORE_KEY_PASSPHRASE)
        return EVP_PBE_scrypt((const char *)s->secret, s->secret_len, s->salt,
                       PAGE_CRYPTO_SALT, SCRYPT_N, SCRYPT_R, SCRYPT_P,
                       SCRYPT_MEM, key, KEY_BYTES) == 1;
    return HMAC(EVP_sha256(), s->secret, (int)s->secret_len, s->salt,
                   PAGE_CRYPTO_SALT, key, &len) != NULL;
}

bool page_crypto_set_salt(struct page_crypto *s,
        const uint8_t salt[PAGE_CRYPTO_SALT])
{
    page_crypto_forget_salt(s);
    memcpy(s->salt, salt, PAGE_CRYPTO_SALT);
    s->has_salt =
            s->cipher && s->ctx && s->secret && s->key && derive(s, s->key);
    return s->has_salt;
}

bool page_crypto_make_salt(struct page_crypto *s)
{
    uint8_t salt[PAGE_CRYPTO_SALT];

    return RAND_bytes(salt, PAGE_CRYPTO_SALT) == 1 &&
           page_crypto_set_salt(s, salt);
}

/* --- pages ---------------------------------------------------------------- */

/* The first page keeps the salt in the open. */
static size_t open_bytes(struct page_crypto_place at)
{
    return at.file == 'd' && at.bytes == 0 ? PAGE_CRYPTO_SALT : 0;
}

/* What is sealed with a page beside its bytes; returns its length. */
#define PLACE_BYTES (2 + 8 + PAGE_CRYPTO_HEAD)

static int describe(uint8_t out[PLACE_BYTES],
        const struct page_crypto_place *at)
{
    uint8_t *p = out;

    if (!at->before)
        *p++ = 2; /* this way of sealing */
    *p++ = (uint8_t)at->file;
    for (int i = 0; i < 8; i++)
        *p++ = (uint8_t)(at->bytes >> (8 * i));
    if (at->file == 'w' && !at->before) {
        memcpy(p, at->head, PAGE_CRYPTO_HEAD);
        p += PAGE_CRYPTO_HEAD;
    }
    return (int)(p - out);
}

static bool close_page(struct page_crypto *s,
        const struct page_crypto_place *at, const uint8_t *plain,
        uint8_t *sealed)
{
    size_t from = open_bytes(*at);
    uint8_t *nonce = sealed + PLAIN_BYTES;
    uint8_t place[PLACE_BYTES];
    int place_len = describe(place, at), len = 0;

    memset(nonce, 0, PAGE_CRYPTO_BYTES);
    return RAND_bytes(nonce, NONCE_BYTES) == 1 &&
           EVP_EncryptInit_ex(s->ctx, s->cipher, NULL, s->key, nonce) == 1 &&
           EVP_EncryptUpdate(s->ctx, NULL, &len, place, place_len) == 1 &&
           EVP_EncryptUpdate(s->ctx, sealed + from, &len, plain + from,
                   (int)(PLAIN_BYTES - from)) == 1 &&
           EVP_EncryptFinal_ex(s->ctx, sealed + PLAIN_BYTES, &len) == 1 &&
           EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_GCM_GET_TAG, TAG_BYTES,
                   nonce + NONCE_BYTES) == 1;
}

bool page_crypto_close(struct page_crypto *s, struct page_crypto_place at,
        const uint8_t *plain, uint8_t *sealed)
{
    bool good = close_page(s, &at, plain, sealed);

    (void)EVP_CIPHER_CTX_reset(s->ctx); /* wipes the key */
    if (good && open_bytes(at))
        memcpy(sealed, s->salt, PAGE_CRYPTO_SALT);
    return good;
}

static bool open_page(struct page_crypto *s, const struct page_crypto_place *at,
        const uint8_t *sealed, uint8_t *plain)
{
    size_t from = open_bytes(*at);
    uint8_t end[PAGE_CRYPTO_BYTES], place[PLACE_BYTES];
    int place_len = describe(place, at), len = 0;

    memcpy(end, sealed + PLAIN_BYTES, PAGE_CRYPTO_BYTES);
    return EVP_DecryptInit_ex(s->ctx, s->cipher, NULL, s->key, end) == 1 &&
           EVP_DecryptUpdate(s->ctx, NULL, &len, place, place_len) == 1 &&
           EVP_DecryptUpdate(s->ctx, plain + from, &len, sealed + from,
                   (int)(PLAIN_BYTES - from)) == 1 &&
           EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_GCM_SET_TAG, TAG_BYTES,
                   end + NONCE_BYTES) == 1 &&
           EVP_DecryptFinal_ex(s->ctx, plain + PLAIN_BYTES, &len) == 1;
}

bool page_crypto_open(struct page_crypto *s, struct page_crypto_place at,
        const uint8_t *sealed, uint8_t *plain)
{
    bool good = open_page(s, &at, sealed, plain);

    (void)EVP_CIPHER_CTX_reset(s->ctx);
    if (!good)
        return false;
    if (open_bytes(at))
        memcpy(plain, magic, PAGE_CRYPTO_SALT);
    memset(plain + PLAIN_BYTES, 0, PAGE_CRYPTO_BYTES);
    return true;
}
