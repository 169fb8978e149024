#include "fleet/clickhouse.h"

#include "base/alloc.h"
#include "os/clock.h"
#include "os/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct clickhouse {
    struct address address;
    struct clickhouse_traits traits;
    struct http *http;
    struct http_reply reply;
    struct buf user, key; /* headers */
    uint64_t deadline_ns;
    const atomic_bool *cancel;
};

/* --- what its answers mean ------------------------------------------------ */

unsigned clickhouse_error_code(struct str text)
{
    uint64_t code = 0;

    for (; text.len > 6 && !str_starts(text, "Code: "); text.p++)
        text.len--;
    if (!str_starts(text, "Code: "))
        return 0;

    struct str digits = { text.p + 6, 0 };

    while (digits.len < text.len - 6 && digits.p[digits.len] >= '0' &&
            digits.p[digits.len] <= '9')
        digits.len++;
    return str_u64(&code, digits) || code > 99999 ? 0 : (unsigned)code;
}

unsigned clickhouse_version_number(struct str version)
{
    uint64_t major = 0, minor = 0;

    if (str_u64(&major, str_before(version, '.')) ||
            str_u64(&minor, str_before(str_after(version, '.'), '.')) ||
            major > 9999 || minor > 999)
        return 0;
    return (unsigned)(major * 1000 + minor);
}

/* What may be well later: too much to do, or a shard is away. */
static bool is_passing(unsigned code)
{
    static const unsigned passing[] = { 159, 202, 209, 210, 241, 242, 252, 279,
        319, 425, 999 };

    for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++)
        if (passing[i] == code)
            return true;
    return false;
}

/* What it says, on one line. */
static void first_line(char out[160], struct str text)
{
    size_t len = 0;

    for (size_t i = 0; i < text.len && text.p[i] != '\n' && len < 159; i++)
        out[len++] = text.p[i];
    out[len] = 0;
}

static int refused(const struct clickhouse *c, struct error *e)
{
    const struct address *a = &c->address;
    struct str text = buf_str(&c->reply.text);
    unsigned code = clickhouse_error_code(text);
    char said[160];

    first_line(said, text);
    if (c->reply.status == 401 || c->reply.status == 403 ||
            (code >= 192 && code <= 195) || code == 516)
        return fail(e, -EACCES,
                "the ClickHouse server at %s:%u does not let the user '%s' in: "
                "the password is wrong, or there is no such user",
                a->host, a->port, a->user);
    if (code == 81)
        return fail(e, -ENOENT,
                "the ClickHouse server at %s:%u has no database '%s': make it, "
                "with CREATE DATABASE, or name another",
                a->host, a->port, a->database);
    if (!code)
        return fail(e, -EPROTO,
                "what answers at %s:%u is no ClickHouse server (status %d)",
                a->host, a->port, c->reply.status);
    return fail(e,
            is_passing(code) ? -EAGAIN
            : code == 60     ? -ENOENT
                             : -EPROTO,
            "the ClickHouse server at %s:%u refuses: %s", a->host, a->port,
            said);
}

/* --- requests ------------------------------------------------------------- */

/* One parameter of the request's address. */
struct setting {
    const char *name;
    const char *value;
};

static void make_url(const struct clickhouse *c, struct buf *out,
        const char *sql, const struct setting *settings)
{
    const struct address *a = &c->address;

    buf_printf(out, "http%s://%s:%u/?database=", a->tls ? "s" : "", a->host,
            a->port);
    http_escape(out, a->database);
    for (const struct setting *s = settings; s && s->name; s++) {
        buf_printf(out, "&%s=", s->name);
        http_escape(out, s->value);
    }
    if (sql) {
        buf_text(out, "&query=");
        http_escape(out, sql);
    }
}

static int post(struct clickhouse *c, struct http_request r, struct error *e)
{
    const struct address *a = &c->address;
    const char *headers[] = { buf_cstr(&c->user),
        *a->password ? buf_cstr(&c->key) : NULL, NULL };
    struct error why = { 0 };

    r.headers = headers;
    r.cancel = c->cancel;
    if (c->deadline_ns) {
        uint64_t now = mono_ns();

        if (now >= c->deadline_ns)
            return fail(e, -EAGAIN, "the ClickHouse server at %s:%u is slow",
                    a->host, a->port);
        r.timeout_ms = (uint32_t)((c->deadline_ns - now) / 1000000 + 1);
    }

    int rc = http_post(c->http, &r, &c->reply, &why);

    if (rc == -ECANCELED && c->cancel && atomic_load(c->cancel))
        return fail(e, rc, "the ClickHouse server at %s:%u is slow", a->host,
                a->port);
    if (rc == -ECANCELED)
        return rc;
    if (rc)
        return fail(e, -EAGAIN,
                "the ClickHouse server at %s:%u is away: %.150s", a->host,
                a->port, why.text);
    return c->reply.status == 200 ? 0 : refused(c, e);
}

int clickhouse_run(struct clickhouse *c, const char *sql, struct buf *answer,
        struct error *e)
{
    /* Of all our statements, only making tables needs this. */
    const struct setting settings[] = {
        { "wait_end_of_query", "1" },
        { c->traits.low_cardinality_asked
                        ? "allow_experimental_low_cardinality_type"
                        : NULL,
                "1" },
        { 0 },
    };
    struct buf url = { 0 };

    make_url(c, &url, NULL, settings);

    int rc = post(c,
            (struct http_request){ .url = buf_cstr(&url), .body = str_of(sql) },
            e);

    buf_release(&url);
    if (!rc && answer)
        buf_add(answer, c->reply.text.p, c->reply.text.len);
    return rc;
}

int clickhouse_insert(struct clickhouse *c, const char *sql, struct str rows,
        struct error *e)
{
    const struct setting settings[] = {
        /* Not before the shards have it. */
        { c->address.cluster             ? "insert_distributed_sync"
                : c->traits.async_insert ? "async_insert"
                                         : NULL,
                c->address.cluster ? "1" : "0" },
        { c->address.cluster && c->traits.async_insert ? "async_insert" : NULL,
                "0" },
        { 0 },
    };
    struct buf url = { 0 };

    make_url(c, &url, sql, settings);

    int rc = post(c,
            (struct http_request){ .url = buf_cstr(&url), .body = rows }, e);

    buf_release(&url);
    return rc;
}

struct taking {
    int (*take)(void *context, struct str piece, struct error *e);
    void *context;
    struct error *e;
    int rc;
};

static int pass_on(void *to, struct str piece)
{
    struct taking *t = to;

    t->rc = t->take(t->context, piece, t->e);
    return t->rc;
}

int clickhouse_select(struct clickhouse *c, const char *sql,
        int (*take)(void *context, struct str piece, struct error *e),
        void *context, struct error *e)
{
    /* Else it may fail in the middle, behind a status of 200. */
    static const struct setting settings[] = { { "wait_end_of_query", "1" },
        { 0 } };
    struct taking taking = { .take = take, .context = context, .e = e };
    struct buf url = { 0 };

    make_url(c, &url, NULL, settings);

    int rc = post(c,
            (struct http_request){ .url = buf_cstr(&url),
                    .body = str_of(sql),
                    .take = pass_on,
                    .context = &taking },
            e);

    buf_release(&url);
    return rc == -ECANCELED ? taking.rc : rc;
}

/* --- opening -------------------------------------------------------------- */

/* The version, and those settings of interest that it knows, one a line. */
static const char traits_sql[] =
        "SELECT version() UNION ALL SELECT name FROM system.settings"
        " WHERE name IN ('allow_experimental_low_cardinality_type',"
        " 'async_insert') UNION ALL SELECT name"
        " FROM system.data_type_families WHERE name = 'LowCardinality'";

static int read_traits(struct clickhouse *c, struct error *e)
{
    struct clickhouse_traits *t = &c->traits;
    struct buf answer = { 0 };
    int rc = clickhouse_run(c, traits_sql, &answer, e);
    struct str rest = buf_str(&answer), line;

    while (!rc && str_line(&line, &rest)) {
        unsigned version = clickhouse_version_number(line);

        if (str_is(line, "LowCardinality"))
            t->low_cardinality = true;
        else if (str_is(line, "allow_experimental_low_cardinality_type"))
            t->low_cardinality_asked = true;
        else if (str_is(line, "async_insert"))
            t->async_insert = true;
        else if (version) {
            (void)snprintf(t->version, sizeof(t->version), "%.*s",
                    (int)(line.len < 31 ? line.len : 31), line.p);
            t->codecs = version >= 19011;
            t->ttl = version >= 19006;
        }
    }
    if (!rc && !*t->version)
        rc = fail(e, -EPROTO, "what answers at %s:%u is no ClickHouse server",
                c->address.host, c->address.port);
    buf_release(&answer);
    return rc;
}

int clickhouse_open(struct clickhouse **out, const struct address *a,
        struct error *e)
{
    return clickhouse_open_until(out, a, NULL, e);
}

int clickhouse_open_until(struct clickhouse **out, const struct address *a,
        const atomic_bool *cancel, struct error *e)
{
    struct clickhouse *c = alloc_zero(1, sizeof(*c));
    int rc = http_open(&c->http, e);

    c->cancel = cancel;

    address_copy(&c->address, a);
    buf_printf(&c->user, "X-ClickHouse-User: %s", a->user);
    buf_printf(&c->key, "X-ClickHouse-Key: %s", a->password);
    if (!rc)
        rc = read_traits(c, e);
    if (rc) {
        clickhouse_close(c);
        return rc;
    }
    *out = c;
    return 0;
}

void clickhouse_close(struct clickhouse *c)
{
    if (!c)
        return;
    http_close(c->http);
    buf_release(&c->reply.text);
    buf_release(&c->user);
    buf_release(&c->key);
    address_release(&c->address);
    free(c);
}

const struct clickhouse_traits *clickhouse_traits(const struct clickhouse *c)
{
    return &c->traits;
}

const struct address *clickhouse_address(const struct clickhouse *c)
{
    return &c->address;
}

void clickhouse_deadline(struct clickhouse *c, uint64_t mono_moment_ns)
{
    c->deadline_ns = mono_moment_ns;
}

void clickhouse_quote(struct buf *sql, struct str text)
{
    buf_char(sql, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] == '\'' || text.p[i] == '\\')
            buf_char(sql, '\\');
        buf_char(sql, text.p[i]);
    }
    buf_char(sql, '\'');
}
