#include "store/seal.h"

#include "base/alloc.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES   32
#define NONCE_BYTES 12
#define TAG_BYTES   16
#define PLAIN_BYTES (SEAL_PAGE - SEAL_BYTES)

/* What makes guessing a passphrase dear: 32 MB and a tenth of a second each. */
#define SCRYPT_N   (1 << 15)
#define SCRYPT_R   8
#define SCRYPT_P   1
#define SCRYPT_MEM (UINT64_C(64) << 20)

/* What stands at the beginning of every database that is not sealed. */
static const uint8_t magic[SEAL_SALT] = "SQLite format 3";

struct seal {
    enum store_key_kind kind;
    uint8_t *secret;
    size_t secret_len;
    bool has_salt;
    uint8_t salt[SEAL_SALT];
    EVP_CIPHER_CTX *closing, *opening; /* with the key in them */
};

struct seal *seal_new(const struct store_key *key)
{
    struct seal *s = alloc_zero(1, sizeof(*s));

    s->kind = key->kind;
    s->secret_len = key->len;
    s->secret = alloc_zero(key->len + 1, 1);
    memcpy(s->secret, key->bytes, key->len);
    return s;
}

void seal_forget_salt(struct seal *s)
{
    EVP_CIPHER_CTX_free(s->closing);
    EVP_CIPHER_CTX_free(s->opening);
    s->closing = s->opening = NULL;
    s->has_salt = false;
}

void seal_free(struct seal *s)
{
    if (!s)
        return;
    seal_forget_salt(s);
    OPENSSL_cleanse(s->secret, s->secret_len);
    free(s->secret);
    free(s);
}

bool seal_has_salt(const struct seal *s)
{
    return s->has_salt;
}

/* A passphrase can be guessed, and is made dear to guess; a key file holds 32
 * random bytes or more, and needs only to be mixed with the salt. */
static bool derive(const struct seal *s, uint8_t key[KEY_BYTES])
{
    unsigned len = KEY_BYTES;

    if (s->kind == STORE_KEY_PASSPHRASE)
        return EVP_PBE_scrypt((const char *)s->secret, s->secret_len, s->salt,
                       SEAL_SALT, SCRYPT_N, SCRYPT_R, SCRYPT_P, SCRYPT_MEM, key,
                       KEY_BYTES) == 1;
    return HMAC(EVP_sha256(), s->secret, (int)s->secret_len, s->salt, SEAL_SALT,
                   key, &len) != NULL;
}

bool seal_set_salt(struct seal *s, const uint8_t salt[SEAL_SALT])
{
    uint8_t key[KEY_BYTES];

    seal_forget_salt(s);
    memcpy(s->salt, salt, SEAL_SALT);
    s->closing = EVP_CIPHER_CTX_new();
    s->opening = EVP_CIPHER_CTX_new();
    s->has_salt = s->closing && s->opening && derive(s, key) &&
                  EVP_EncryptInit_ex(s->closing, EVP_aes_256_gcm(), NULL, key,
                          NULL) == 1 &&
                  EVP_DecryptInit_ex(s->opening, EVP_aes_256_gcm(), NULL, key,
                          NULL) == 1;
    OPENSSL_cleanse(key, sizeof(key));
    return s->has_salt;
}

bool seal_make_salt(struct seal *s)
{
    uint8_t salt[SEAL_SALT];

    return RAND_bytes(salt, SEAL_SALT) == 1 && seal_set_salt(s, salt);
}

/* --- pages ---------------------------------------------------------------- */

/* The first page keeps the salt in the open. */
static size_t open_bytes(struct seal_place at)
{
    return at.file == 'd' && at.bytes == 0 ? SEAL_SALT : 0;
}

static void describe(uint8_t out[9], struct seal_place at)
{
    out[0] = (uint8_t)at.file;
    for (int i = 0; i < 8; i++)
        out[1 + i] = (uint8_t)(at.bytes >> (8 * i));
}

bool seal_close(struct seal *s, struct seal_place at, const uint8_t *plain,
        uint8_t *sealed)
{
    size_t from = open_bytes(at);
    uint8_t *nonce = sealed + PLAIN_BYTES;
    uint8_t *tag = nonce + NONCE_BYTES;
    uint8_t place[9];
    int len = 0;

    describe(place, at);
    memset(nonce, 0, SEAL_BYTES);
    if (RAND_bytes(nonce, NONCE_BYTES) != 1 ||
            EVP_EncryptInit_ex(s->closing, NULL, NULL, NULL, nonce) != 1 ||
            EVP_EncryptUpdate(s->closing, NULL, &len, place, sizeof(place)) !=
                    1 ||
            EVP_EncryptUpdate(s->closing, sealed + from, &len, plain + from,
                    (int)(PLAIN_BYTES - from)) != 1 ||
            EVP_EncryptFinal_ex(s->closing, sealed + PLAIN_BYTES, &len) != 1 ||
            EVP_CIPHER_CTX_ctrl(s->closing, EVP_CTRL_GCM_GET_TAG, TAG_BYTES,
                    tag) != 1)
        return false;
    if (from)
        memcpy(sealed, s->salt, SEAL_SALT);
    return true;
}

bool seal_open(struct seal *s, struct seal_place at, const uint8_t *sealed,
        uint8_t *plain)
{
    size_t from = open_bytes(at);
    uint8_t end[SEAL_BYTES], place[9];
    int len = 0;

    describe(place, at);
    memcpy(end, sealed + PLAIN_BYTES, SEAL_BYTES);
    if (EVP_DecryptInit_ex(s->opening, NULL, NULL, NULL, end) != 1 ||
            EVP_DecryptUpdate(s->opening, NULL, &len, place, sizeof(place)) !=
                    1 ||
            EVP_DecryptUpdate(s->opening, plain + from, &len, sealed + from,
                    (int)(PLAIN_BYTES - from)) != 1 ||
            EVP_CIPHER_CTX_ctrl(s->opening, EVP_CTRL_GCM_SET_TAG, TAG_BYTES,
                    end + NONCE_BYTES) != 1 ||
            EVP_DecryptFinal_ex(s->opening, plain + PLAIN_BYTES, &len) != 1)
        return false;
    if (from)
        memcpy(plain, magic, SEAL_SALT);
    memset(plain + PLAIN_BYTES, 0, SEAL_BYTES);
    return true;
}
