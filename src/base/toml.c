#include "base/toml.h"

#include "base/buf.h"

#include <errno.h>
#include <string.h>

struct reader {
    struct str rest;
    uint64_t line;
    struct str table;
    struct buf text; /* of the value, unescaped */
    void (*each)(void *context, const struct toml_value *v);
    void *context;
    struct error *e;
};

static int refuse(const struct reader *r, const char *why)
{
    return fail(r->e, -EINVAL, "line %llu: %s", (unsigned long long)r->line,
            why);
}

static bool at(const struct reader *r, char c)
{
    return r->rest.len && r->rest.p[0] == c;
}

static void step(struct reader *r, size_t n)
{
    r->rest.p += n;
    r->rest.len -= n;
}

static void skip_blanks(struct reader *r)
{
    while (at(r, ' ') || at(r, '\t'))
        step(r, 1);
}

/* To the next line's beginning; a comment may stand before it. */
static int end_line(struct reader *r)
{
    skip_blanks(r);
    if (at(r, '#'))
        while (r->rest.len && !at(r, '\n'))
            step(r, 1);
    if (at(r, '\r'))
        step(r, 1);
    if (r->rest.len && !at(r, '\n'))
        return refuse(r, "there is more on it than one setting");
    if (r->rest.len)
        step(r, 1);
    r->line++;
    return 0;
}

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* A name of letters, digits, '_' and '-', for a table also with dots. */
static struct str bare(struct reader *r, bool dots)
{
    size_t n = 0;

    while (n < r->rest.len &&
            (is_bare(r->rest.p[n]) || (dots && r->rest.p[n] == '.')))
        n++;

    struct str name = { r->rest.p, n };

    step(r, n);
    return name;
}

static int unescape(struct reader *r)
{
    static const char from[] = "\"\\bfnrt", to[] = "\"\\\b\f\n\r\t";
    const char *found =
            r->rest.len && r->rest.p[0] ? strchr(from, r->rest.p[0]) : NULL;

    if (!found)
        return refuse(r, "a backslash is followed by none of \" \\ b f n r t");
    buf_char(&r->text, to[found - from]);
    step(r, 1);
    return 0;
}

/* Between two quotes, which escape nothing when they are single. */
static int quoted(struct reader *r, char quote)
{
    step(r, 1);
    while (r->rest.len && !at(r, quote)) {
        char c = r->rest.p[0];

        if (c == '\n' || c == 0)
            break;
        step(r, 1);
        if (c == '\\' && quote == '"') {
            int rc = unescape(r);

            if (rc)
                return rc;
        } else {
            buf_char(&r->text, c);
        }
    }
    if (!at(r, quote))
        return refuse(r, "a text does not end on it");
    step(r, 1);
    return 0;
}

static bool is_plain(struct str s)
{
    double number;

    return str_is(s, "true") || str_is(s, "false") || !str_f64(&number, s);
}

static int one_value(struct reader *r, struct str key)
{
    int rc = 0;

    buf_clear(&r->text);
    if (at(r, '"') || at(r, '\'')) {
        rc = quoted(r, r->rest.p[0]);
    } else {
        size_t n = 0;

        while (n < r->rest.len && !strchr(" \t\r\n,]#", r->rest.p[n]))
            n++;
        buf_add(&r->text, r->rest.p, n);
        if (!is_plain(buf_str(&r->text)))
            rc = refuse(r,
                    "a value is neither a text in quotes, a number, true "
                    "nor false");
        step(r, n);
    }
    if (!rc)
        r->each(r->context, &(struct toml_value){ r->table, key,
                                    buf_str(&r->text), r->line });
    return rc;
}

/* Blanks, line ends and comments within an array. */
static void skip_lines(struct reader *r)
{
    for (;;) {
        skip_blanks(r);
        if (at(r, '#'))
            while (r->rest.len && !at(r, '\n'))
                step(r, 1);
        if (!at(r, '\n') && !at(r, '\r'))
            return;
        r->line += at(r, '\n');
        step(r, 1);
    }
}

static int array(struct reader *r, struct str key)
{
    step(r, 1);
    for (;;) {
        skip_lines(r);
        if (at(r, ']'))
            break;

        int rc = one_value(r, key);

        if (rc)
            return rc;
        skip_lines(r);
        if (at(r, ','))
            step(r, 1);
        else if (!at(r, ']'))
            return refuse(r, "an array goes on without a comma");
    }
    step(r, 1);
    return 0;
}

static int setting(struct reader *r)
{
    struct str key = bare(r, false);

    skip_blanks(r);
    if (!key.len || !at(r, '='))
        return refuse(r, "it is neither `key = value` nor `[table]`");
    step(r, 1);
    skip_blanks(r);

    int rc = at(r, '[') ? array(r, key) : one_value(r, key);

    return rc ? rc : end_line(r);
}

static int table(struct reader *r)
{
    step(r, 1);
    skip_blanks(r);

    struct str name = bare(r, true);

    skip_blanks(r);
    if (!name.len || !at(r, ']'))
        return refuse(r, "a table's name in brackets is not right");
    step(r, 1);
    r->table = name;
    return end_line(r);
}

int toml_read(struct str text,
        void (*each)(void *context, const struct toml_value *v), void *context,
        struct error *e)
{
    struct reader r = { .rest = text,
        .line = 1,
        .table = { "", 0 },
        .each = each,
        .context = context,
        .e = e };
    int rc = 0;

    while (!rc && r.rest.len) {
        skip_blanks(&r);
        if (!r.rest.len || at(&r, '#') || at(&r, '\n') || at(&r, '\r'))
            rc = end_line(&r);
        else
            rc = at(&r, '[') ? table(&r) : setting(&r);
    }
    buf_release(&r.text);
    return rc;
}
