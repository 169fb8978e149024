/* serving.h -- the server as verbs start it: `serve`, `run --serve`,
 * `bench --serve`. */
#pragma once

#include "cmd/cli/database.h"
#include "cmd/cli/options.h"
#include "serve/server.h"

/* As the options have it. */
struct serving_settings {
    bool on;       /* --serve, of verbs that do something else */
    uint64_t port; /* 0: 8000, or the next that is free */
    const char *bind, *tls_cert, *tls_key;
    bool require_token;
    double rate_limit;
    struct option_texts hosts, origins;
    /* Of `serve` alone: */
    struct option_texts model_roots;
    bool store_prompts; /* of what is generated */
    bool opens;         /* a browser */
    bool self_signed;   /* TLS, by a certificate of our own making */
    struct option_texts embedders;
    /* Of `demo` alone: a file without a key that is served in place of the
     * database; NULL: none. */
    const char *recording;
};

/* Rows of a verb's table of options, for a member that is one of those. */
#define SERVING_OPTIONS(settings, member)                                    \
    OPTION_NUMBER("port", 0, settings, member.port, "N",                     \
            "where to serve; if not given 8000, or the next that is free"),  \
            OPTION_TEXT("bind", 0, settings, member.bind, "ADDRESS",         \
                    "the address to serve at; 127.0.0.1 if not given, any "  \
                    "other than loopback needs TLS and a token",             \
                    .rare = true),                                           \
            OPTION_TEXT("tls-cert", 0, settings, member.tls_cert, "FILE",    \
                    "the server's certificate, with its chain, as PEM",      \
                    .rare = true),                                           \
            OPTION_TEXT("tls-key", 0, settings, member.tls_key, "FILE",      \
                    "its private key, as PEM", .rare = true),                \
            OPTION_FLAG("require-token", 0, settings, member.require_token,  \
                    "nobody comes in without a token, on loopback neither",  \
                    .rare = true),                                           \
            OPTION_TEXTS("host", 0, settings, member.hosts, "NAME",          \
                    "another name of this server; may be repeated",          \
                    .rare = true),                                           \
            OPTION_TEXTS("allow-origin", 0, settings, member.origins, "URL", \
                    "pages from there may ask, too; may be repeated",        \
                    .rare = true),                                           \
            OPTION_REAL("rate-limit", 0, settings, member.rate_limit, "N",   \
                    "requests a second of each token or address; off "       \
                    "loopback 100 if not given",                             \
                    .rare = true)

struct serving;

/* Starts the server and tells its address on stderr.
 * The settings and the database's live as long; so does `fleet`, a store of
 * many machines that is served instead, or NULL. */
int serving_start(struct serving **out, const struct serving_settings *x,
        const struct database *d, const struct address *fleet, struct error *e);
/* A run that was recorded here has ended: those who listen are told. */
void serving_settle(struct serving *s);
/* NULL is welcome, as above. */
void serving_stop(struct serving *s);

/* The folder for tokens and the audit log, made if need be: $XDG_STATE_HOME or
 * ~/.local/state, and ortmeter in it. */
int serving_folder(char *out, size_t cap, struct error *e);
