#include "serve/certificate.h"

#include "base/buf.h"
#include "os/file.h"
#include "os/process/self.h"

#include <errno.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DAY_S  86400L
#define YEAR_S (365 * DAY_S)

bool certificate_fits(const char *cert, const char *key)
{
    SSL_CTX *c = SSL_CTX_new(TLS_server_method());
    bool good = c && SSL_CTX_use_certificate_chain_file(c, cert) == 1 &&
                SSL_CTX_use_PrivateKey_file(c, key, SSL_FILETYPE_PEM) == 1 &&
                SSL_CTX_check_private_key(c) == 1;

    SSL_CTX_free(c);
    return good;
}

static X509 *read_certificate(const char *path)
{
    FILE *f = fopen(path, "re");
    X509 *x = f ? PEM_read_X509(f, NULL, NULL, NULL) : NULL;

    if (f)
        (void)fclose(f);
    return x;
}

void certificate_fingerprint(char out[CERTIFICATE_PRINT_LEN], const char *cert)
{
    X509 *x = read_certificate(cert);
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    out[0] = 0;
    if (x && X509_digest(x, EVP_sha256(), hash, &len) == 1 && len == 32)
        for (unsigned i = 0; i < len; i++)
            (void)snprintf(out + (size_t)3 * i, 4, "%02X%s", hash[i],
                    i + 1 < len ? ":" : "");
    X509_free(x);
}

/* Its last day is more than a month away. */
static bool still_holds(const char *cert, const char *key)
{
    X509 *x = certificate_fits(cert, key) ? read_certificate(cert) : NULL;
    time_t then = time(NULL) + 30 * DAY_S;
    bool holds = x && X509_cmp_time(X509_get0_notAfter(x), &then) > 0;

    X509_free(x);
    return holds;
}

static bool is_address(const char *name)
{
    return strchr(name, ':') || !name[strspn(name, "0123456789.")];
}

/* "DNS:localhost,IP:127.0.0.1" */
static bool add_names(X509 *x, const char *const *names, size_t count)
{
    struct buf text = { 0 };
    X509V3_CTX context;
    X509_EXTENSION *e;
    bool good;

    for (size_t i = 0; i < count; i++)
        buf_printf(&text, "%s%s:%s", i ? "," : "",
                is_address(names[i]) ? "IP" : "DNS", names[i]);
    X509V3_set_ctx(&context, x, x, NULL, NULL, 0);
    e = X509V3_EXT_conf_nid(NULL, &context, NID_subject_alt_name,
            buf_cstr(&text));
    good = e && X509_add_ext(x, e, -1) == 1;
    X509_EXTENSION_free(e);
    buf_release(&text);
    return good;
}

static bool fill(X509 *x, EVP_PKEY *key, const char *const *names, size_t count)
{
    uint64_t serial = 0;
    X509_NAME *name = X509_get_subject_name(x);

    return self_random(&serial, sizeof(serial)) == 0 &&
           X509_set_version(x, 2) == 1 &&
           ASN1_INTEGER_set_uint64(X509_get_serialNumber(x), serial >> 1) ==
                   1 &&
           X509_gmtime_adj(X509_getm_notBefore(x), -DAY_S) &&
           X509_gmtime_adj(X509_getm_notAfter(x), YEAR_S) &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                   (const unsigned char *)"ortmeter", -1, -1, 0) == 1 &&
           X509_set_issuer_name(x, name) == 1 && X509_set_pubkey(x, key) == 1 &&
           add_names(x, names, count) && X509_sign(x, key, EVP_sha256()) > 0;
}

/* Each is written whole before it has its name. */
static bool write_file(const char *path, X509 *x, EVP_PKEY *key)
{
    struct buf hidden = { 0 };
    bool before = self_private_files(true), good;
    FILE *f;

    buf_printf(&hidden, "%s.part", path);
    f = file_new_stream(buf_cstr(&hidden));
    (void)self_private_files(before);
    good = f && (key ? PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL)
                     : PEM_write_X509(f, x)) == 1;
    if (f && fclose(f))
        good = false;
    good = good && file_replace(buf_cstr(&hidden), path) == 0;
    buf_release(&hidden);
    return good;
}

int certificate_make(const char *cert, const char *key,
        const char *const *names, size_t count, struct error *e)
{
    EVP_PKEY *pair;
    X509 *x;
    bool good;

    if (still_holds(cert, key))
        return 0;
    pair = EVP_EC_gen("P-256");
    x = X509_new();
    good = pair && x && fill(x, pair, names, count) &&
           write_file(key, NULL, pair) && write_file(cert, x, NULL);
    X509_free(x);
    EVP_PKEY_free(pair);
    return good ? 0
                : fail(e, -EIO, "cannot make a certificate in %.200s", cert);
}
