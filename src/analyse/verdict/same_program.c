#include "analyse/verdict/same_program.h"

#include "analyse/verdict/difference.h"
#include "base/compiler.h"
#include "base/str.h"

/* The next word of a command, quotes and all; empty at its end. */
static struct str next_word(struct str *rest)
{
    struct str s = str_trim(*rest);
    size_t n = 0;
    bool quoted = false;

    for (; n < s.len && (quoted || s.p[n] != ' '); n++)
        quoted ^= s.p[n] == '\'';
    *rest = (struct str){ s.p + n, s.len - n };
    return (struct str){ s.p, n };
}

static bool is_own(struct str command)
{
    struct str program = next_word(&command), verb = next_word(&command);
    struct str name = str_after_last(program, '/');

    return str_is(name.len ? name : program, "ortmeter") &&
           (str_is(verb, "bench") || str_is(verb, "generate"));
}

/* The next word that says what is done, and not where it goes. */
static struct str next_counted(struct str *rest, bool own)
{
    static const struct {
        const char *option;
        bool has_value;
    } aside[] = {
        { "--tag", true },
        { "--db", true },
        { "-o", true },
        { "--json", false },
        { "--quiet", false },
        { "-q", false },
    };
    struct str word = next_word(rest);
    size_t i = 0;

    while (own && i < LEN(aside)) {
        if (!str_is(word, aside[i].option)) {
            i++;
            continue;
        }
        if (aside[i].has_value)
            (void)next_word(rest);
        word = next_word(rest);
        i = 0; /* which may be any of them again */
    }
    return word;
}

static bool same_command(struct str a, struct str b)
{
    bool own = is_own(a) && is_own(b);
    struct str x, y;

    do {
        x = next_counted(&a, own);
        y = next_counted(&b, own);
        if (!str_eq(x, y))
            return false;
    } while (x.len);
    return true;
}

bool same_program(const struct run *a, const struct run *b)
{
    return a->command && b->command &&
           same_command(str_of(a->command), str_of(b->command)) &&
           difference_same_host(a->host, b->host);
}
