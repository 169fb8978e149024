#include "cmd/cli/output.h"

#include "base/buf.h"
#include "base/compiler.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* stdio need not set errno, so it is cleared first and may stay clear. */
static int why(void)
{
    return errno ? -errno : -EIO;
}

static int write_all(FILE *f, struct str text)
{
    errno = 0;
    if (fwrite(text.p, 1, text.len, f) != text.len || fflush(f) != 0)
        return why();
    return 0;
}

/* Our own colours: a number or two, and 'm'.  0: it is something else. */
static size_t colour_len(struct str s)
{
    size_t n = 2;

    if (s.len < 3 || s.p[0] != '\033' || s.p[1] != '[')
        return 0;
    while (n < s.len && n < 6 && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    return n < s.len && s.p[n] == 'm' ? n + 1 : 0;
}

/* Where the locale is C, or POSIX, by name: a terminal that says nothing of it
 * mostly knows UTF-8. */
static bool ascii_only(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < LEN(names); i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            return strcmp(value, "C") == 0 || strcmp(value, "POSIX") == 0;
    }
    return false;
}

/* What we print ourselves beyond ASCII. */
static const struct {
    const char *from, *to;
} plain[] = {
    { "µ", "u" },
    { "×", "x" },
    { "–", "-" },
    { "…", "..." },
    { "→", "->" },
    { "°", " deg " },
    { "✓", "+" },
    { "█", "#" },
    { "░", "." },
};

static void add_ascii(struct buf *out, struct str s)
{
    while (s.len) {
        size_t n = 0, len = 1;

        while (n < LEN(plain) &&
                (s.len < strlen(plain[n].from) ||
                        memcmp(s.p, plain[n].from, strlen(plain[n].from)) != 0))
            n++;
        if (n < LEN(plain)) {
            buf_text(out, plain[n].to);
            len = strlen(plain[n].from);
        } else {
            buf_char(out, *s.p);
        }
        s.p += len;
        s.len -= len;
    }
}

/* Text of others is in what we print: names, paths, notes.  The one place
 * through which it gets to a terminal lets no other control characters pass. */
static void add_harmless(struct buf *out, struct str s)
{
    while (s.len) {
        unsigned char c = (unsigned char)*s.p;
        unsigned char after = s.len > 1 ? (unsigned char)s.p[1] : 0;
        bool bad = (c < ' ' && c != '\n' && c != '\t') || c == 0x7f ||
                   (c == 0xc2 && after >= 0x80 && after < 0xa0);
        size_t len = colour_len(s);

        if (bad && !len)
            buf_char(out, '?');
        else
            buf_add(out, s.p, len ? len : 1);
        len = len ? len : bad && c == 0xc2 ? 2 : 1;
        s.p += len;
        s.len -= len;
    }
}

/* JSON is in UTF-8, whatever the locale. */
int output_show(FILE *to, struct str text)
{
    struct buf shown = { 0 }, ascii = { 0 };
    bool in_ascii = ascii_only() && text.len && *text.p != '{';

    add_harmless(&shown, text);
    if (in_ascii)
        add_ascii(&ascii, buf_str(&shown));

    int rc = write_all(to, buf_str(in_ascii ? &ascii : &shown));

    buf_release(&shown);
    buf_release(&ascii);
    return rc;
}

static int write_file(const char *path, struct str text)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return -errno;

    int rc = write_all(f, text);

    errno = 0;
    /* A full disk may show only now. */
    if (fclose(f) != 0 && !rc)
        rc = why();
    return rc;
}

int output_write(const char *path, struct str text, struct error *e)
{
    bool to_file = path && strcmp(path, "-") != 0;
    int rc = to_file ? write_file(path, text) : output_show(stdout, text);

    if (rc)
        return fail(e, rc, "cannot write %.128s: %s",
                to_file ? path : "the output", strerror(-rc));
    return 0;
}
