/* call.c -- from a request to the values that a handler asks for: strictly. */
#include "base/alloc.h"
#include "base/utf8.h"
#include "serve/route.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const role_names[ROLES] = { "none", "viewer", "operator",
    "admin" };

const char *role_name(enum role role)
{
    return role_names[role];
}

int role_find(enum role *out, struct str name)
{
    for (int i = 0; i < ROLES; i++)
        if (str_is(name, role_names[i])) {
            *out = (enum role)i;
            return 0;
        }
    return -EINVAL;
}

/* --- answers -------------------------------------------------------------- */

void answer_release(struct answer *a)
{
    buf_release(&a->body);
    buf_release(&a->headers);
    *a = (struct answer){ 0 };
}

static const char *title_of(int status)
{
    static const struct {
        int status;
        const char *title;
    } titles[] = {
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 409, "Conflict" },
        { 413, "Content Too Large" },
        { 414, "URI Too Long" },
        { 415, "Unsupported Media Type" },
        { 421, "Misdirected Request" },
        { 426, "Upgrade Required" },
        { 429, "Too Many Requests" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 503, "Service Unavailable" },
    };

    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        if (titles[i].status == status)
            return titles[i].title;
    return "Error";
}

void answer_problem(struct answer *a, int status, const char *code,
        const char *parameter, const char *fmt, ...)
{
    struct json j;
    char detail[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(detail, sizeof(detail), fmt, args);
    va_end(args);
    buf_clear(&a->body);
    a->status = status;
    a->type = "application/problem+json";
    a->gzipped = a->cacheable = false;
    j = json_line_into(&a->body);
    json_object(&j, NULL);
    json_text(&j, "title", title_of(status));
    json_int(&j, "status", status);
    json_text(&j, "code", code);
    json_text(&j, "detail", detail);
    if (parameter)
        json_text(&j, "parameter", parameter);
    json_end(&j);
}

/* --- which route ---------------------------------------------------------- */

/* A path may hold one {name}, which stands for a part without slashes. */
static bool path_fits(const char *pattern, struct str path, struct str *id)
{
    const char *open = strchr(pattern, '{');
    size_t head = open ? (size_t)(open - pattern) : strlen(pattern);

    if (!open)
        return str_is(path, pattern);

    const char *tail = strchr(open, '}') + 1;
    size_t tail_len = strlen(tail);

    if (path.len <= head + tail_len || memcmp(path.p, pattern, head) != 0 ||
            memcmp(path.p + path.len - tail_len, tail, tail_len) != 0)
        return false;
    *id = (struct str){ path.p + head, path.len - head - tail_len };
    return !memchr(id->p, '/', id->len);
}

const struct route *route_find(const struct request *r, struct str *id,
        struct buf *allow)
{
    struct str found = { 0 };

    buf_clear(allow);
    for (const struct route *x = routes; x->path; x++) {
        bool get = strcmp(x->method, "GET") == 0;

        if (!path_fits(x->path, r->path, &found))
            continue;
        *id = found;
        if (str_is(r->method, x->method) || (get && str_is(r->method, "HEAD")))
            return x;
        buf_printf(allow, "%s%s%s", allow->len ? ", " : "", x->method,
                get ? ", HEAD" : "");
    }
    return NULL;
}

/* --- parameters ----------------------------------------------------------- */

static size_t place_of(const struct call *c, const char *name)
{
    const struct param *p = c->route->params;

    for (size_t i = 0; p && p[i].name; i++)
        if (strcmp(p[i].name, name) == 0)
            return i;
    assert(false); /* it is not in the route's table */
    return 0;
}

const char *query_text(const struct call *c, const char *name)
{
    return c->text[place_of(c, name)];
}

bool query_given(const struct call *c, const char *name)
{
    return query_text(c, name) != NULL;
}

int64_t query_number(const struct call *c, const char *name, int64_t usual)
{
    size_t i = place_of(c, name);

    return c->text[i] ? c->number[i] : usual;
}

double query_real(const struct call *c, const char *name, double usual)
{
    size_t i = place_of(c, name);

    return c->text[i] ? c->real[i] : usual;
}

const struct moment *query_moment(const struct call *c, const char *name)
{
    size_t i = place_of(c, name);

    return c->text[i] ? &c->moment[i] : NULL;
}

static bool has_word(const char *list, char between, struct str word)
{
    struct str rest = str_of(list);

    while (rest.len) {
        if (str_eq(str_before(rest, between), word))
            return true;
        rest = str_after(rest, between);
    }
    return false;
}

bool query_lists(const struct call *c, const char *name, const char *word)
{
    const char *list = query_text(c, name);

    return !list || has_word(list, ',', str_of(word));
}

/* Plain text in UTF-8: no control characters. */
static bool is_text(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return false;
    return utf8_is_sound(s);
}

static int bad(struct answer *a, const struct param *p, const char *what)
{
    answer_problem(a, 400, "bad_parameter", p->name, "%s must be %s", p->name,
            what);
    return -EINVAL;
}

static int read_number(struct call *c, struct answer *a, const struct param *p,
        size_t i, struct str s)
{
    char range[96];
    bool good = p->kind == PARAM_INT ? str_i64(&c->number[i], s) == 0
                                     : str_f64(&c->real[i], s) == 0;
    double value = p->kind == PARAM_INT ? (double)c->number[i] : c->real[i];

    if (good && value >= p->least && value <= p->most)
        return 0;
    (void)snprintf(range, sizeof(range), "%s%.15g to %.15g",
            p->kind == PARAM_INT ? "" : "a number, ", p->least, p->most);
    return bad(a, p, range);
}

/* Digits of an id, or "last". */
static bool is_run(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!strchr("0123456789abcdefABCDEF-", s.p[i]))
            return str_is(s, "last");
    return s.len >= 4 && s.len <= RUN_ID_LEN;
}

static int read_list(struct answer *a, const struct param *p, struct str s)
{
    size_t count = 0;

    for (struct str rest = s;; rest = str_after(rest, ',')) {
        struct str word = str_before(rest, ',');

        if (!word.len || (p->words && !has_word(p->words, '|', word)))
            return bad(a, p,
                    p->words ? p->words : "words with commas between them");
        if (++count > (size_t)p->most)
            return bad(a, p, "shorter: it has too many words");
        if (word.len == rest.len)
            return 0;
    }
}

static int read_value(struct call *c, struct answer *a, size_t i, struct str s)
{
    const struct param *p = &c->route->params[i];

    switch (p->kind) {
    case PARAM_INT:
    case PARAM_REAL: return read_number(c, a, p, i, s);
    case PARAM_CHOICE:
        return has_word(p->words, '|', s) ? 0 : bad(a, p, p->words);
    case PARAM_LIST: return read_list(a, p, s);
    case PARAM_TIME:
        return moment_read(&c->moment[i], s) == 0
                       ? 0
                       : bad(a, p,
                                 "a time: RFC 3339, nanoseconds since 1970, "
                                 "-15m, or 1.5s since the run's start");
    case PARAM_RUN:
        return is_run(s) ? 0
                         : bad(a, p,
                                   "an id, 4 characters or more of one, or "
                                   "last");
    case PARAM_TEXT: break;
    }
    return (double)s.len <= p->most ? 0 : bad(a, p, "shorter");
}

static int take(struct call *c, struct answer *a, const struct query *q)
{
    const struct param *p = c->route->params;
    size_t i = 0;

    while (p && p[i].name && !str_is(q->name, p[i].name))
        i++;
    if (!p || !p[i].name) {
        struct buf name = { 0 };

        buf_add(&name, q->name.p, q->name.len < 64 ? q->name.len : 64);
        answer_problem(a, 400, "bad_parameter", buf_cstr(&name),
                "there is no such parameter here");
        buf_release(&name);
        return -EINVAL;
    }
    if (c->text[i])
        return bad(a, &p[i], "given once");
    if (!q->value.len)
        return bad(a, &p[i], "something: it is empty");
    if (!is_text(q->value))
        return bad(a, &p[i], "UTF-8 without control characters");

    struct buf text = { 0 };

    buf_add(&text, q->value.p, q->value.len);
    c->text[i] = text.p;
    return read_value(c, a, i, q->value);
}

int query_read(struct call *c, struct answer *a)
{
    const struct request *r = c->request;
    const struct param *p = c->route->params;

    if (c->route->flags & ROUTE_PAGE)
        return 0;
    if (r->query_count > REQUEST_QUERY_MAX) {
        answer_problem(a, 400, "bad_request", NULL,
                "there are more than %d parameters", REQUEST_QUERY_MAX);
        return -EINVAL;
    }
    for (size_t i = 0; i < r->query_count; i++)
        if (take(c, a, &r->query[i]))
            return -EINVAL;
    for (size_t i = 0; p && p[i].name; i++)
        if (p[i].required && !c->text[i])
            return bad(a, &p[i], "given");
    return 0;
}

void query_release(struct call *c)
{
    for (size_t i = 0; i < ROUTE_PARAMS_MAX; i++)
        free(c->text[i]);
    memset(c->text, 0, sizeof(c->text));
}
