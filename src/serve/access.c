#include "serve/access.h"

#include "base/alloc.h"
#include "os/clock.h"
#include "os/path.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEERS         1024 /* of whom is known how much they asked */
#define WRONG_MAX     10   /* tokens a minute */
#define MINUTE_NS     UINT64_C(60000000000)
#define LOOK_AGAIN_NS UINT64_C(1000000000) /* at the file of tokens */
#define BEARER        "Bearer "
#define PROTOCOL      "ortmeter.token."

/* An address or a token, and what it may still ask. */
struct peer {
    uint64_t key;
    double left; /* requests */
    uint64_t asked_ns;
    unsigned wrong; /* tokens, since */
    uint64_t wrong_ns;
    uint64_t locked_ns; /* until then */
};

struct access {
    struct access_plan plan;
    char owner[TOKEN_LEN + 1];
    unsigned char owner_hash[TOKEN_HASH_LEN];
    struct token_list tokens;
    uint64_t looked_ns;
    struct peer *peers;
};

int access_new(struct access **out, const struct access_plan *p,
        struct error *e)
{
    struct access *a = alloc_zero(1, sizeof(*a));
    int rc = token_make(a->owner, a->owner_hash, e);

    a->plan = *p;
    a->peers = alloc_zero(PEERS, sizeof(*a->peers));
    if (!rc && p->token_file)
        rc = token_file_read(&a->tokens, p->token_file, e);
    if (rc) {
        access_free(a);
        return rc;
    }
    a->looked_ns = mono_ns();
    *out = a;
    return 0;
}

void access_free(struct access *a)
{
    if (!a)
        return;
    OPENSSL_cleanse(a->owner, sizeof(a->owner));
    token_list_release(&a->tokens);
    free(a->peers);
    free(a);
}

const char *access_owner_token(const struct access *a)
{
    return a->owner;
}

/* --- Host and Origin ------------------------------------------------------ */

static bool is_ours(const struct access *a, struct str name)
{
    static const char *const usual[] = { "localhost", "127.0.0.1", "[::1]" };

    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
        if (str_is(name, usual[i]))
            return true;
    for (size_t i = 0; i < a->plan.host_count; i++)
        if (str_is(name, a->plan.hosts[i]))
            return true;
    if (name.len > 2 && name.p[0] == '[')
        name = (struct str){ name.p + 1, name.len - 2 };
    return str_is(name, a->plan.bind);
}

/* "name:port", where the port may be missing if it is the usual one. */
static bool is_us(const struct access *a, struct str host)
{
    const char *colon = NULL;
    uint64_t port = a->plan.tls ? 443 : 80;

    for (size_t i = host.len; i-- && host.p[i] != ']';)
        if (host.p[i] == ':') {
            colon = host.p + i;
            break;
        }
    if (colon) {
        size_t head = (size_t)(colon - host.p);

        if (str_u64(&port, (struct str){ colon + 1, host.len - head - 1 }))
            return false;
        host.len = head;
    }
    return port == a->plan.port && is_ours(a, host);
}

int access_host(const struct access *a, struct str host)
{
    if (!host.p || !host.len)
        return 400;
    return is_us(a, host) ? 0 : 421;
}

bool access_is_foreign(const struct access *a, struct str origin)
{
    for (size_t i = 0; i < a->plan.origin_count; i++)
        if (origin.p && str_is(origin, a->plan.origins[i]))
            return true;
    return false;
}

bool access_origin(const struct access *a, struct str origin)
{
    const char *scheme = a->plan.tls ? "https://" : "http://";
    size_t len = strlen(scheme);

    if (!origin.p || access_is_foreign(a, origin))
        return true;
    return str_starts(origin, scheme) &&
           is_us(a, (struct str){ origin.p + len, origin.len - len });
}

/* --- tokens --------------------------------------------------------------- */

static void look_again(struct access *a, uint64_t now_ns)
{
    struct token_list now;

    if (!a->plan.token_file || now_ns - a->looked_ns < LOOK_AGAIN_NS)
        return;
    a->looked_ns = now_ns;
    if (token_file_read(&now, a->plan.token_file, NULL))
        return; /* what held, holds on */
    token_list_release(&a->tokens);
    a->tokens = now;
}

struct str access_token_of(const struct request *r)
{
    struct str rest = r->protocols;

    if (r->authorization.p && str_starts(r->authorization, BEARER))
        return str_trim((struct str){ r->authorization.p + sizeof(BEARER) - 1,
                r->authorization.len - (sizeof(BEARER) - 1) });
    if (r->authorization.p)
        return r->authorization; /* of another kind: wrong in any case */
    while (r->upgrade && rest.len) {
        struct str word = str_trim(str_before(rest, ','));

        if (str_starts(word, PROTOCOL))
            return (struct str){ word.p + sizeof(PROTOCOL) - 1,
                word.len - (sizeof(PROTOCOL) - 1) };
        rest = str_after(rest, ',');
    }
    return (struct str){ 0 };
}

static uint64_t key_of(const char *kind, const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *kind; kind++)
        hash = (hash ^ (unsigned char)*kind) * UINT64_C(1099511628211);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash | 1;
}

/* Its entry; one that is as good as new makes room. */
static struct peer *peer_of(struct access *a, uint64_t key, uint64_t now_ns)
{
    struct peer *oldest = NULL;

    for (size_t i = 0; i < 8; i++) {
        struct peer *p = &a->peers[(key + i) % PEERS];

        if (p->key == key)
            return p;
        if (!oldest || p->asked_ns < oldest->asked_ns)
            oldest = p;
    }
    *oldest = (struct peer){
        .key = key,
        .left = 2 * a->plan.requests_per_s,
        .asked_ns = now_ns,
    };
    return oldest;
}

static bool find(struct access *a, struct access_who *out, struct str token)
{
    unsigned char hash[TOKEN_HASH_LEN];
    const struct token_entry *t =
            token_list_find(&a->tokens, token, wall_ns() / 1000000000);

    token_hash(hash, token);
    if (CRYPTO_memcmp(hash, a->owner_hash, sizeof(hash)) == 0) {
        *out = (struct access_who){ .role = ROLE_ADMIN, .name = "owner" };
        return true;
    }
    if (!t)
        return false;
    *out = (struct access_who){ .role = t->role, .ends_s = t->ends_s };
    memcpy(out->name, t->name, sizeof(out->name));
    return true;
}

int access_who(struct access *a, struct access_who *out,
        const struct request *r, uint64_t now_ns)
{
    struct str token = access_token_of(r);
    struct peer *p = peer_of(a, key_of("wrong", r->peer), now_ns);

    *out = (struct access_who){ 0 };
    if (!token.p && a->plan.loopback && !a->plan.require_token) {
        out->role = ROLE_VIEWER;
        return 0;
    }
    if (!token.p)
        return 401;
    look_again(a, now_ns);
    if (p->locked_ns > now_ns)
        return 429;
    if (token_is_shaped(token) && find(a, out, token))
        return 0;
    p->asked_ns = now_ns;
    if (now_ns - p->wrong_ns > MINUTE_NS) {
        p->wrong_ns = now_ns;
        p->wrong = 0;
    }
    if (++p->wrong > WRONG_MAX) {
        p->locked_ns = now_ns + MINUTE_NS;
        return 429;
    }
    return 401;
}

bool access_is_over(struct access *a, const struct access_who *w)
{
    if (!w->name[0] || strcmp(w->name, "owner") == 0)
        return false;
    look_again(a, mono_ns());
    for (size_t i = 0; i < a->tokens.count; i++)
        if (strcmp(a->tokens.items[i].name, w->name) == 0)
            return w->ends_s && w->ends_s <= wall_ns() / 1000000000;
    return true;
}

bool access_rate(struct access *a, const struct access_who *w, const char *peer,
        uint64_t now_ns)
{
    struct peer *p;
    double rate = a->plan.requests_per_s;

    if (!(rate > 0))
        return true;
    p = peer_of(a, w->name[0] ? key_of("token", w->name) : key_of("", peer),
            now_ns);
    p->left += (double)(now_ns - p->asked_ns) / 1e9 * rate;
    if (p->left > 2 * rate)
        p->left = 2 * rate;
    p->asked_ns = now_ns;
    if (p->left < 1)
        return false;
    p->left -= 1;
    return true;
}
