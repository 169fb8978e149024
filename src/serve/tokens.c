#include "serve/tokens.h"

#include "base/alloc.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process/self.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX     "ortm_"
#define FILE_BYTES (1 << 20)

void token_hash(unsigned char out[TOKEN_HASH_LEN], struct str token)
{
    (void)SHA256((const unsigned char *)token.p, token.len, out);
}

int token_make(char out[TOKEN_LEN + 1], unsigned char hash[TOKEN_HASH_LEN],
        struct error *e)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                 "qrstuvwxyz0123456789-_";
    unsigned char bytes[33] = { 0 };
    char *to = out + sizeof(PREFIX) - 1;

    if (self_random(bytes, 32))
        return fail(e, -EIO, "the system gives no random numbers");
    memcpy(out, PREFIX, sizeof(PREFIX) - 1);
    for (size_t i = 0; i < 43; i++) {
        size_t bit = i * 6;
        unsigned two = (unsigned)bytes[bit / 8] << 8 | bytes[bit / 8 + 1];

        *to++ = digits[two >> (10 - bit % 8) & 63];
    }
    *to = 0;
    token_hash(hash, str_of(out));
    OPENSSL_cleanse(bytes, sizeof(bytes));
    return 0;
}

bool token_is_shaped(struct str token)
{
    if (token.len != TOKEN_LEN || !str_starts(token, PREFIX))
        return false;
    for (size_t i = sizeof(PREFIX) - 1; i < token.len; i++) {
        char c = token.p[i];

        if (!(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z') &&
                c != '-' && c != '_')
            return false;
    }
    return true;
}

/* --- the file ------------------------------------------------------------- */

static int read_hash(unsigned char out[TOKEN_HASH_LEN], struct str hex)
{
    if (hex.len != (size_t)2 * TOKEN_HASH_LEN)
        return -EINVAL;
    for (size_t i = 0; i < hex.len; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *at = strchr(digits, hex.p[i]);

        if (!at || !hex.p[i])
            return -EINVAL;
        out[i / 2] = (unsigned char)(out[i / 2] << 4 | (at - digits));
    }
    return 0;
}

static int read_line(struct token_entry *out, struct str line)
{
    struct str name = str_word(&line);

    if (!name.len || name.len > TOKEN_NAME_MAX)
        return -EINVAL;
    memcpy(out->name, name.p, name.len);
    if (role_find(&out->role, str_word(&line)) || out->role == ROLE_NONE ||
            read_hash(out->hash, str_word(&line)) ||
            str_u64(&out->made_s, str_word(&line)) ||
            str_u64(&out->ends_s, str_word(&line)) || str_word(&line).len)
        return -EINVAL;
    return 0;
}

int token_list_read(struct token_list *out, struct str text, struct error *e)
{
    struct str line;
    size_t number = 0;

    *out = (struct token_list){
        .items = alloc_zero(TOKENS_MAX, sizeof(*out->items)),
    };
    while (str_line(&line, &text)) {
        number++;
        if (!str_trim(line).len)
            continue;
        if (out->count == TOKENS_MAX ||
                read_line(&out->items[out->count], line)) {
            token_list_release(out);
            return fail(e, -EINVAL, "its line %zu is no token", number);
        }
        out->count++;
    }
    return 0;
}

void token_list_write(struct buf *out, const struct token_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct token_entry *t = &l->items[i];

        buf_printf(out, "%s %s ", t->name, role_name(t->role));
        for (size_t k = 0; k < TOKEN_HASH_LEN; k++)
            buf_printf(out, "%02x", t->hash[k]);
        buf_printf(out, " %llu %llu\n", (unsigned long long)t->made_s,
                (unsigned long long)t->ends_s);
    }
}

void token_list_release(struct token_list *l)
{
    free(l->items);
    *l = (struct token_list){ 0 };
}

int token_file_read(struct token_list *out, const char *path, struct error *e)
{
    char *text = alloc_zero(1, FILE_BYTES);
    const char *why = NULL;
    struct error bad;
    int rc = 0, len = file_read_owned(text, FILE_BYTES, path, &why);

    *out = (struct token_list){ 0 };
    if (len == -ENOENT)
        rc = 0;
    else if (len < 0)
        rc = fail(e, len, "cannot read the tokens in %.128s: %s", path,
                why ? why : strerror(-len));
    else if (token_list_read(out, (struct str){ text, (size_t)len }, &bad))
        rc = fail(e, -EINVAL, "%.128s holds no tokens: %s", path, bad.text);
    free(text);
    return rc;
}

int token_file_write(const struct token_list *l, const char *path,
        struct error *e)
{
    struct buf text = { 0 }, part = { 0 };
    bool before = self_private_files(true);

    buf_printf(&part, "%s.part", path);
    token_list_write(&text, l);

    FILE *file = file_new_stream(buf_cstr(&part));
    int rc = file ? 0 : -errno;

    if (!rc && fwrite(buf_cstr(&text), 1, text.len, file) != text.len)
        rc = -EIO;
    if (file && fclose(file) && !rc)
        rc = -EIO;
    if (!rc)
        rc = file_replace(buf_cstr(&part), path);
    (void)self_private_files(before);
    if (rc)
        (void)fail(e, rc, "cannot write the tokens to %.128s: %s", path,
                strerror(-rc));
    buf_release(&part);
    buf_release(&text);
    return rc;
}

const struct token_entry *token_list_find(const struct token_list *l,
        struct str token, uint64_t now_s)
{
    const struct token_entry *found = NULL;
    unsigned char hash[TOKEN_HASH_LEN];

    token_hash(hash, token);
    for (size_t i = 0; i < l->count; i++)
        if (CRYPTO_memcmp(l->items[i].hash, hash, sizeof(hash)) == 0)
            found = &l->items[i];
    return found && (!found->ends_s || found->ends_s > now_s) ? found : NULL;
}
