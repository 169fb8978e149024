/* Alternatives are tried in the order of the expression, each as far as it
 * goes; the letters in comments are those of the expressions in known[]. */
#include "llm/tokenizer/scan.h"

#include "base/compiler.h"
#include "llm/unicode/unicode.h"

static bool is_newline(uint32_t c)
{
    return c == '\r' || c == '\n';
}

/* [^\s\p{L}\p{N}] */
static bool is_other(uint32_t c)
{
    return !unicode_is_space(c) && !unicode_is_letter(c) &&
           !unicode_is_number(c);
}

/* [\p{L}\p{M}] */
static bool is_letter_or_mark(uint32_t c)
{
    return unicode_is_letter(c) || unicode_is_mark(c);
}

/* [\p{P}\p{S}] */
static bool is_sign(uint32_t c)
{
    return unicode_is_punctuation(c) || unicode_is_symbol(c);
}

static bool is_newline_or_slash(uint32_t c)
{
    return is_newline(c) || c == '/';
}

/* Where a run of at most `most` such characters that begins at `at` ends. */
static size_t run_of(struct str text, size_t at, bool (*is)(uint32_t),
        size_t most)
{
    for (size_t next = at; at < text.len && most; at = next, most--)
        if (!is(unicode_next(text, &next)))
            break;
    return at;
}

static size_t all_of(struct str text, size_t at, bool (*is)(uint32_t))
{
    return run_of(text, at, is, SIZE_MAX);
}

/* An optional space and at least one such character; 0: there is none. */
static size_t spaced(struct str text, size_t at, bool (*is)(uint32_t))
{
    size_t from = at + (text.p[at] == ' ');
    size_t end = all_of(text, from, is);

    return end > from ? end : 0;
}

/* \s+(?!\S)|\s+: a blank before a word is left to the word. */
static size_t blanks(struct str text, size_t at)
{
    size_t end = all_of(text, at, unicode_is_space);

    if (end == at)
        return 0;

    size_t last = unicode_before(text, end);

    return end < text.len && last > at ? last : end;
}

/* \s*[\r\n]+ */
static size_t lines(struct str text, size_t at)
{
    size_t end = all_of(text, at, unicode_is_space);

    while (end > at && !is_newline((unsigned char)text.p[end - 1]))
        end--;
    return end > at ? end : 0;
}

/* 's|'t|'re|'ve|'m|'ll|'d, the long s counting as one where case does not. */
static size_t contraction(struct str text, size_t at, bool any_case)
{
    size_t left = text.len - at;
    const char *p = text.p + at;
    char fold = any_case ? 0x20 : 0;

    if (left < 2 || p[0] != '\'')
        return 0;

    char a = (char)(p[1] | fold), b = (char)(left > 2 ? p[2] | fold : 0);

    if (a == 's' || a == 't' || a == 'm' || a == 'd')
        return at + 2;
    if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') ||
            (a == 'l' && b == 'l'))
        return at + 3;
    if (any_case && left > 2 && p[1] == '\xc5' && p[2] == '\xbf')
        return at + 3;
    return 0;
}

/* [^\r\n\p{L}\p{N}]?\p{L}+ */
static size_t led_letters(struct str text, size_t at)
{
    size_t from = at;
    uint32_t first = unicode_next(text, &from);

    if (unicode_is_letter(first))
        return all_of(text, from, unicode_is_letter);
    if (is_newline(first) || unicode_is_number(first))
        return 0;

    size_t end = all_of(text, from, unicode_is_letter);

    return end > from ? end : 0;
}

static size_t length(size_t at, size_t end)
{
    return end ? end - at : 0;
}

size_t scan_gpt2(struct str text, size_t at)
{
    size_t end = contraction(text, at, false);

    if (!end)
        end = spaced(text, at, unicode_is_letter);
    if (!end)
        end = spaced(text, at, unicode_is_number);
    if (!end)
        end = spaced(text, at, is_other);
    if (!end)
        end = blanks(text, at);
    return length(at, end);
}

/* The end that most expressions share: numbers, signs, lines, blanks. */
static size_t tail(struct str text, size_t at, size_t digits,
        bool (*is_trailing)(uint32_t))
{
    size_t end = run_of(text, at, unicode_is_number, digits);

    if (end > at)
        return end;
    end = spaced(text, at, is_other);
    if (end)
        return all_of(text, end, is_trailing);
    end = lines(text, at);
    return end ? end : blanks(text, at);
}

static size_t gpt4(struct str text, size_t at, size_t digits)
{
    size_t end = contraction(text, at, true);

    if (!end)
        end = led_letters(text, at);
    if (!end)
        end = tail(text, at, digits, is_newline);
    return length(at, end);
}

static size_t scan_llama3(struct str text, size_t at)
{
    return gpt4(text, at, 3);
}

static size_t scan_qwen2(struct str text, size_t at)
{
    return gpt4(text, at, 1);
}

/* [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] */
static bool is_upper(uint32_t c)
{
    return unicode_class(c) <= UNICODE_ME && unicode_class(c) != UNICODE_LL;
}

/* [\p{Ll}\p{Lm}\p{Lo}\p{M}] */
static bool is_lower(uint32_t c)
{
    enum unicode_class kind = unicode_class(c);

    return kind == UNICODE_LL || (kind >= UNICODE_LM && kind <= UNICODE_ME);
}

/* U*L+, where a character may be of both: the first run gives back until the
 * second has one. */
static size_t upper_lower(struct str text, size_t from)
{
    size_t middle = all_of(text, from, is_upper);
    size_t end = all_of(text, middle, is_lower);

    if (end > middle)
        return end;
    while (middle > from) {
        size_t before = unicode_before(text, middle), at = before;

        if (is_lower(unicode_next(text, &at)))
            return middle;
        middle = before;
    }
    return 0;
}

/* U+L* */
static size_t uppers_lower(struct str text, size_t from)
{
    size_t middle = all_of(text, from, is_upper);

    return middle > from ? all_of(text, middle, is_lower) : 0;
}

/* A word in one case or the other, with one character before it that is no
 * letter, number or newline: each alternative with it, then without. */
static size_t cased_word(struct str text, size_t at)
{
    size_t after = at, end = 0;
    uint32_t first = unicode_next(text, &after);
    bool led = !is_newline(first) && !unicode_is_letter(first) &&
               !unicode_is_number(first);

    if (led)
        end = upper_lower(text, after);
    if (!end)
        end = upper_lower(text, at);
    if (!end && led)
        end = uppers_lower(text, after);
    if (!end)
        end = uppers_lower(text, at);
    return end;
}

static size_t scan_gpt4o(struct str text, size_t at)
{
    size_t end = cased_word(text, at);

    if (end) {
        size_t more = end < text.len ? contraction(text, end, true) : 0;

        return length(at, more ? more : end);
    }
    return length(at, tail(text, at, 3, is_newline_or_slash));
}

static size_t scan_nemo(struct str text, size_t at)
{
    size_t end = cased_word(text, at);

    return length(at, end ? end : tail(text, at, 1, is_newline_or_slash));
}

/* --- DeepSeek V3: three in a row ------------------------------------------ */

static size_t scan_numbers(struct str text, size_t at)
{
    return run_of(text, at, unicode_is_number, 3) - at;
}

static bool is_east_asian(uint32_t c)
{
    return (c >= 0x4e00 && c <= 0x9fa5) || (c >= 0x3040 && c <= 0x30ff);
}

static size_t scan_east_asian(struct str text, size_t at)
{
    return all_of(text, at, is_east_asian) - at;
}

static bool is_ascii_letter(uint32_t c)
{
    return c < 0x80 && unicode_is_letter(c);
}

static bool is_ascii_sign(uint32_t c)
{
    return c > ' ' && c < 0x7f && !unicode_is_letter(c) &&
           !unicode_is_number(c);
}

/* [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+: a mark before may be either. */
static size_t led_letters_or_marks(struct str text, size_t at)
{
    size_t after = at;
    uint32_t first = unicode_next(text, &after);
    bool led =
            !is_newline(first) && !unicode_is_letter(first) && !is_sign(first);

    if (led) {
        size_t end = all_of(text, after, is_letter_or_mark);

        if (end > after)
            return end;
    }

    size_t end = all_of(text, at, is_letter_or_mark);

    return end > at ? end : 0;
}

static size_t scan_deepseek(struct str text, size_t at)
{
    size_t end = 0;

    if (is_ascii_sign((unsigned char)text.p[at])) {
        end = all_of(text, at + 1, is_ascii_letter);
        if (end == at + 1)
            end = 0;
    }
    if (!end)
        end = led_letters_or_marks(text, at);
    if (!end) {
        end = spaced(text, at, is_sign);
        if (end)
            end = all_of(text, end, is_newline);
    }
    if (!end)
        end = lines(text, at);
    if (!end)
        end = blanks(text, at);
    return length(at, end);
}

#define CASED                                                     \
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*" \
    "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
#define UPPER                                                     \
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+" \
    "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*"
#define SHORT "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define LINES "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

static const struct {
    const char *expression;
    scan_fn *scan;
} known[] = {
    { "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+"
      "|\\s+(?!\\S)|\\s+",
            scan_gpt2 },
    { SHORT "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}"
            "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*" LINES,
            scan_llama3 },
    { SHORT "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}"
            "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*" LINES,
            scan_qwen2 },
    { CASED SHORT "?|" UPPER SHORT "?|\\p{N}{1,3}"
                  "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*" LINES,
            scan_gpt4o },
    { CASED "|" UPPER "|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*" LINES,
            scan_nemo },
    { "\\p{N}{1,3}", scan_numbers },
    { "[\xe4\xb8\x80-\xe9\xbe\xa5\xe3\x81\x80-\xe3\x82\x9f\xe3\x82\xa0-"
      "\xe3\x83\xbf]+",
            scan_east_asian },
    { "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
      "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
      "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
            scan_deepseek },
};

scan_fn *scan_for(struct str expression)
{
    for (size_t i = 0; i < LEN(known); i++)
        if (str_is(expression, known[i].expression))
            return known[i].scan;
    return NULL;
}
