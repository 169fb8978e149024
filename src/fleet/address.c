#include "fleet/address.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PORT     8123
#define PORT_TLS 8443

static int refuse(struct error *e, const char *why)
{
    return fail(e, -EINVAL,
            "the store's address %s: it is written "
            "clickhouse://USER@HOST:8123/DATABASE",
            why);
}

static char *copy(struct str s)
{
    struct buf b = { 0 };

    buf_add(&b, s.p, s.len);
    return b.p ? b.p : alloc_text("");
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* NULL: a '%' without two digits behind it, or a character that no name has. */
static char *unescape(struct str s)
{
    struct buf b = { 0 };

    for (size_t i = 0; i < s.len; i++) {
        int c = (unsigned char)s.p[i];

        if (c == '%') {
            int high = s.len - i > 2 ? hex(s.p[i + 1]) : -1;
            int low = s.len - i > 2 ? hex(s.p[i + 2]) : -1;

            c = high < 0 || low < 0 ? 0 : high * 16 + low;
            i += 2;
        }
        if (c < 0x20 || c == 0x7f) {
            buf_release(&b);
            return NULL;
        }
        buf_char(&b, (char)c);
    }
    return b.p ? b.p : alloc_text("");
}

/* Names go into statements between backquotes. */
static bool is_name(struct str s, const char *more)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    (c >= '0' && c <= '9') || (c && strchr(more, c))))
            return false;
    }
    return s.len > 0 && s.len <= 128;
}

/* --- the parts ------------------------------------------------------------ */

/* What stands before the last '@': a password may hold another. */
static struct str take_user(struct str *authority)
{
    for (size_t i = authority->len; i > 0; i--)
        if (authority->p[i - 1] == '@') {
            struct str user = { authority->p, i - 1 };

            *authority = (struct str){ authority->p + i, authority->len - i };
            return user;
        }
    return (struct str){ "", 0 };
}

static int read_user(struct address *a, struct str user, const char *password,
        struct error *e)
{
    struct str secret = str_after(user, ':');

    user = str_before(user, ':');
    a->user = user.len ? unescape(user) : alloc_text("default");
    a->password = secret.len ? unescape(secret)
                             : alloc_text(password ? password : "");
    if (!a->user || !a->password)
        return refuse(e, "has a user or password that cannot be read");
    return 0;
}

static int read_host(struct address *a, struct str host, struct error *e)
{
    bool brackets = host.len && host.p[0] == '[';
    struct str port = str_after(host, ':');
    uint64_t number = a->tls ? PORT_TLS : PORT;

    if (brackets) {
        struct str inner = str_before(host, ']');

        port = str_after(host, ']');
        if (inner.len == host.len || (port.len && port.p[0] != ':'))
            return refuse(e, "has a host that cannot be read");
        port = str_after(port, ':');
        host = (struct str){ host.p, inner.len + 1 };
        inner = (struct str){ inner.p + 1, inner.len - 1 };
        if (!is_name(inner, ":."))
            return refuse(e, "has a host that cannot be read");
    } else {
        host = str_before(host, ':');
        if (!is_name(host, "-._"))
            return refuse(e, host.len ? "has a host that cannot be read"
                                      : "has no host");
    }
    if (port.len && (str_u64(&number, port) || !number || number > 65535))
        return refuse(e, "has a port that is none");
    a->host = copy(host);
    a->port = (uint32_t)number;
    return 0;
}

static int read_query(struct address *a, struct str query, struct error *e)
{
    if (!query.len)
        return 0;
    if (!str_starts(query, "cluster=") ||
            !is_name(str_after(query, '='), "_-."))
        return refuse(e, "has something behind '?' that is not cluster=NAME");
    a->cluster = copy(str_after(query, '='));
    return 0;
}

static int read_parts(struct address *a, struct str rest, const char *password,
        struct error *e)
{
    struct str authority = str_before(rest, '/');
    struct str path = str_after(rest, '/');
    struct str database = str_before(path, '?');
    int rc = read_user(a, take_user(&authority), password, e);

    if (!rc)
        rc = read_host(a, authority, e);
    if (!rc && !is_name(database, "_"))
        rc = refuse(e, database.len ? "has a database that cannot be read"
                                    : "has no database");
    if (!rc)
        rc = read_query(a, str_after(path, '?'), e);
    if (!rc)
        a->database = copy(database);
    return rc;
}

static void make_name(struct address *a)
{
    struct buf name = { 0 };

    buf_printf(&name, "clickhouse%s://%s:%u/%s", a->tls ? "s" : "", a->host,
            a->port, a->database);
    if (a->cluster)
        buf_printf(&name, "?cluster=%s", a->cluster);
    a->name = name.p;
}

int address_parse(struct address *out, struct str text, const char *password,
        struct error *e)
{
    struct address a = { .tls = str_starts(text, "clickhouses://") };
    size_t scheme = strlen("clickhouse://") + a.tls;

    *out = (struct address){ 0 };
    if (!a.tls && !str_starts(text, "clickhouse://"))
        return refuse(e, "does not begin with clickhouse://");

    int rc = read_parts(&a, (struct str){ text.p + scheme, text.len - scheme },
            password, e);

    if (rc) {
        address_release(&a);
        return rc;
    }
    make_name(&a);
    *out = a;
    return 0;
}

void address_copy(struct address *to, const struct address *from)
{
    *to = (struct address){
        .tls = from->tls,
        .user = alloc_text(from->user),
        .password = alloc_text(from->password),
        .host = alloc_text(from->host),
        .port = from->port,
        .database = alloc_text(from->database),
        .cluster = from->cluster ? alloc_text(from->cluster) : NULL,
        .name = alloc_text(from->name),
    };
}

void address_release(struct address *a)
{
    free(a->user);
    free(a->password);
    free(a->host);
    free(a->database);
    free(a->cluster);
    free(a->name);
    *a = (struct address){ 0 };
}
