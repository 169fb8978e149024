#include "base/command/secrets.h"

#include "base/compiler.h"

#include <string.h>

enum { RANDOM_LEN = 16, NAME_LEN = 64 };

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool is_letter(char c)
{
    return lower(c) >= 'a' && lower(c) <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* `word` is in small letters; '-' and '_' in the name do not count. */
static bool ends_with(struct str name, const char *word)
{
    size_t left = strlen(word);

    for (size_t i = name.len; i-- > 0 && left;) {
        if (name.p[i] == '-' || name.p[i] == '_')
            continue;
        if (lower(name.p[i]) != word[left - 1])
            return false;
        left--;
    }
    return left == 0;
}

static bool contains(struct str name, const char *word)
{
    for (size_t len = 1; len <= name.len; len++)
        if (ends_with((struct str){ name.p, len }, word))
            return true;
    return false;
}

bool secrets_name(struct str name)
{
    static const char *const anywhere[] = { "password", "passwd", "passphrase",
        "secret", "credential", "authorization", "apikey", "accesskey",
        "privatekey", "authkey" };
    /* Not "--max-tokens" and "--tokenizer", which are no secrets here. */
    static const char *const at_end[] = { "token", "auth", "pass", "cookie",
        "bearer", "signature" };

    /* No name is longer, and somebody may want to keep us busy. */
    if (name.len > NAME_LEN)
        name = (struct str){ name.p + name.len - NAME_LEN, NAME_LEN };
    for (size_t i = 0; i < LEN(anywhere); i++)
        if (contains(name, anywhere[i]))
            return true;
    for (size_t i = 0; i < LEN(at_end); i++)
        if (ends_with(name, at_end[i]))
            return true;
    return false;
}

/* Long, of letters and digits both, and not the path of a file. */
static bool looks_random(struct str value)
{
    bool letter = false, digit = false;

    if (value.len < RANDOM_LEN || value.p[0] == '/' || value.p[0] == '.')
        return false;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.p[i];

        if (!is_letter(c) && !is_digit(c) && !is_one_of(c, "+/=_-"))
            return false;
        letter |= is_letter(c);
        digit |= is_digit(c);
    }
    return letter && digit;
}

bool secrets_named(struct str name, struct str value)
{
    struct str end = name;

    if (end.len > NAME_LEN)
        end = (struct str){ name.p + name.len - NAME_LEN, NAME_LEN };

    /* Folders and files of keys are named like this, too. */
    bool maybe = ends_with(end, "key") || ends_with(end, "keys") ||
                 ends_with(end, "sig") || ends_with(end, "tokens");

    if (!value.len)
        return false;
    if (ends_with(end, "pwd"))
        return !memchr(value.p, '/', value.len);
    return secrets_name(name) || (maybe && looks_random(value));
}

bool secrets_shaped(struct str word)
{
    static const char *const beginnings[] = { "sk-", "sk_live_", "ghp_", "gho_",
        "ghs_", "github_pat_", "glpat-", "hf_", "xoxb-", "xoxp-", "xoxa-",
        "AKIA", "ASIA", "AIza", "eyJ", "npm_", "pypi-" };

    for (size_t i = 0; i < LEN(beginnings); i++) {
        size_t len = strlen(beginnings[i]);

        if (!str_starts(word, beginnings[i]) || word.len < len + RANDOM_LEN)
            continue;
        for (len = 0; len < word.len; len++)
            if (!is_letter(word.p[len]) && !is_digit(word.p[len]) &&
                    !is_one_of(word.p[len], "._-+/="))
                break;
        if (len == word.len)
            return true;
    }
    return false;
}
