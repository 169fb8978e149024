#include "base/command/proc_cmdline.h"

#include "base/alloc.h"
#include "base/command/command_text.h"
#include "base/command/secrets.h"
#include "base/compiler.h"

#include <stdlib.h>
#include <string.h>

#define MASK "***"

/* What the arguments before tell of this one. */
enum expected { NOTHING, SECRET, USER_AND_PASSWORD };

struct reader {
    struct buf *out;
    bool joined_password; /* "-pP" is one: mysql and its kin */
    enum expected next;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static void add_plain(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        bool control = (unsigned char)s.p[i] < ' ';

        buf_add(out, control ? "?" : &s.p[i], 1);
    }
}

static struct str part(struct str s, size_t from, size_t to)
{
    return (struct str){ s.p + from, to - from };
}

/* The length of "//user:" at `at`, if a password and '@' follow; `end` is set
 * to the place of the '@'.  A password may hold another one. */
static size_t user_before(struct str s, size_t at, size_t *end)
{
    size_t colon = 0, last = 0;

    if (at + 2 >= s.len || s.p[at] != '/' || s.p[at + 1] != '/')
        return 0;
    for (size_t i = at + 2; i < s.len; i++) {
        if (s.p[i] == '/' || is_blank(s.p[i]))
            break;
        if (s.p[i] == ':' && !colon)
            colon = i;
        if (s.p[i] == '@' && colon)
            last = i;
    }
    *end = last;
    return last ? colon + 1 - at : 0;
}

/* Past what stands between a name and its value: quotes, ':', '=', and blanks
 * unless the name is a plain word.  `at` itself: nothing does. */
static size_t past_separator(struct str s, size_t at, bool option)
{
    size_t i = at;
    bool found = false;

    while (i < s.len && (s.p[i] == '"' || s.p[i] == '\''))
        i++;
    while (i < s.len && (is_blank(s.p[i]) || s.p[i] == ':' || s.p[i] == '=')) {
        found |= option || !is_blank(s.p[i]);
        i++;
    }
    while (found && i < s.len && (s.p[i] == '"' || s.p[i] == '\''))
        i++;
    return found ? i : at;
}

static size_t end_of_value(struct str s, size_t at)
{
    while (at < s.len && !is_blank(s.p[at]) && !strchr("&;,\"'}", s.p[at]))
        at++;
    return at;
}

/* "Bearer T", "Basic T": the first word only says what the second is. */
static size_t past_scheme(struct str s, size_t at)
{
    static const char *const schemes[] = { "Bearer ", "bearer ", "Basic ",
        "basic ", "Token ", "token " };
    struct str rest = part(s, at, s.len);

    for (size_t i = 0; i < LEN(schemes); i++)
        if (str_starts(rest, schemes[i]))
            return at + strlen(schemes[i]);
    return at;
}

/* A name at `at` that ends at `end`: adds it, and its value masked if it is
 * secret.  Returns where to go on. */
static size_t add_named(struct reader *r, struct str s, size_t at, size_t end)
{
    struct str name = part(s, at, end);
    bool scheme = str_is(name, "Bearer") || str_is(name, "bearer");
    size_t value = past_separator(s, end, s.p[at] == '-' || scheme);
    size_t stop = value > end ? end_of_value(s, value) : value;

    /* An argument of its own, "--password=X": X is all the rest of it. */
    if (at == 0 && end < s.len && s.p[end] == '=' &&
            secrets_named(name, part(s, end + 1, s.len))) {
        add_plain(r->out, part(s, at, end + 1));
        buf_text(r->out, MASK);
        return s.len;
    }
    if (value > end && secrets_named(name, part(s, value, stop))) {
        size_t secret = past_scheme(s, value);

        add_plain(r->out, part(s, at, secret));
        buf_text(r->out, MASK);
        return end_of_value(s, secret);
    }
    if (secrets_shaped(name))
        buf_text(r->out, MASK);
    else
        add_plain(r->out, name);
    return end;
}

static void add_masked(struct reader *r, struct str s)
{
    size_t i = 0;

    while (i < s.len) {
        size_t end = i, at_sign = 0, user;

        while (end < s.len && is_name(s.p[end]))
            end++;
        user = user_before(s, i, &at_sign);
        if (end > i) {
            i = add_named(r, s, i, end);
        } else if (user) {
            add_plain(r->out, part(s, i, i + user));
            buf_text(r->out, MASK);
            i = at_sign;
        } else {
            add_plain(r->out, part(s, i, i + 1));
            i++;
        }
    }
}

static void add_user(struct reader *r, struct str s)
{
    struct str user = str_before(s, ':');

    add_plain(r->out, user);
    if (user.len < s.len)
        buf_text(r->out, ":" MASK);
}

static enum expected expects(struct str s)
{
    bool option = s.len > 1 && s.p[0] == '-';

    /* Words of one argument that somebody took apart: a header's. */
    if (str_is(s, "Bearer") || str_is(s, "bearer"))
        return SECRET;
    if (s.len > 1 && s.p[s.len - 1] == ':' &&
            secrets_name(part(s, 0, s.len - 1)))
        return SECRET;

    if (str_is(s, "-u") || str_is(s, "--user") || str_is(s, "--proxy-user"))
        return USER_AND_PASSWORD;
    if (!option || memchr(s.p, '=', s.len) || memchr(s.p, ' ', s.len))
        return NOTHING;
    return secrets_name(s) ? SECRET : NOTHING;
}

/* One argument, and what it tells of the next. */
static void add_content(struct reader *r, struct str s)
{
    enum expected is = r->next;

    r->next = expects(s);
    if (is == SECRET && !str_starts(s, "--") && !r->next) {
        buf_text(r->out, MASK);
    } else if (is == USER_AND_PASSWORD) {
        add_user(r, s);
    } else if (r->joined_password && s.len > 2 && str_starts(s, "-p")) {
        buf_text(r->out, "-p" MASK);
        r->next = NOTHING;
    } else {
        add_masked(r, s);
    }
}

static void add_argument(struct reader *r, struct str s)
{
    bool quotes = !s.len;

    for (size_t i = 0; i < s.len; i++)
        quotes |= is_blank(s.p[i]);
    if (quotes)
        buf_char(r->out, '\'');
    add_content(r, s);
    if (quotes)
        buf_char(r->out, '\'');
}

static bool joins_password(struct str program)
{
    struct str slash = str_after_last(program, '/');
    struct str name = slash.len ? slash : program;

    return str_starts(name, "mysql") || str_starts(name, "mariadb") ||
           str_starts(name, "sshpass");
}

void proc_cmdline_text(struct buf *out, struct str bytes)
{
    struct reader r = { .out = out };
    bool first = true;

    while (bytes.len) {
        struct str arg = str_before(bytes, 0);

        bytes = str_after(bytes, 0);
        if (!first)
            buf_char(out, ' ');
        add_argument(&r, arg);
        if (first)
            r.joined_password = joins_password(arg);
        first = false;
    }
}

char *proc_cmdline_masked(const char *line)
{
    struct buf out = { 0 };
    struct reader r = { .out = &out };
    struct str rest = str_of(line), word;
    bool first = true;

    for (; (word = str_word(&rest)).len; first = false) {
        if (!first)
            buf_char(&out, ' ');
        add_content(&r, word);
        if (first)
            r.joined_password = joins_password(word);
    }

    char *text = alloc_text(buf_cstr(&out));

    buf_release(&out);
    return text;
}

void proc_cmdline_argv(struct buf *out, char *const *argv)
{
    struct buf one = { 0 };
    struct reader r = { .out = &one };
    size_t count = 0;

    while (argv[count])
        count++;

    char **shown = alloc_zero(count + 1, sizeof(*shown));

    for (size_t i = 0; i < count; i++) {
        buf_clear(&one);
        add_content(&r, str_of(argv[i]));
        shown[i] = alloc_text(buf_cstr(&one));
        if (!i)
            r.joined_password = joins_password(str_of(argv[0]));
    }
    command_text(out, shown);
    for (size_t i = 0; i < count; i++)
        free(shown[i]);
    free(shown);
    buf_release(&one);
}
