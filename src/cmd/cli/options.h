/* options.h -- the options of a verb as a table: parsing, help, the manual and
 * shell completions all come from it.
 *
 *     struct settings { bool json; const char *out; };
 *
 *     static const struct option options[] = {
 *         OPTION_FLAG("json", 0, struct settings, json, "print JSON"),
 *         OPTION_TEXT("out", 'o', struct settings, out, "FILE", "write to it"),
 *         OPTION_END,
 *     };
 *
 * On the command line an option is `--name`, `--name VALUE`, `--name=VALUE`,
 * `-n`, `-n VALUE` or `-nVALUE`; given twice, the last one counts.  A value
 * that itself begins with `--` needs the form with `=`, so that a forgotten
 * value is an error and does not swallow the next option.  Whatever is no
 * option is a word: a run's name, a file, `-` by itself.  `--` ends the
 * options; all that follows are words.  `-h` and `--help` belong to every
 * verb and stand in no table. */
#pragma once

#include "base/error.h"
#include "cmd/cli/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_IS_END,
    OPTION_IS_FLAG,   /* bool: there, or not */
    OPTION_IS_TEXT,   /* const char *: points into argv */
    OPTION_IS_TEXTS,  /* struct option_texts: may be given several times */
    OPTION_IS_NUMBER, /* uint64_t: decimal digits only */
    OPTION_IS_REAL,   /* double: finite and not negative, like 0.5 or 1e3 */
    OPTION_IS_CHOICE, /* int: the index of a word in a list */
    OPTION_IS_MAYBE,  /* struct option_maybe: perhaps with a number */
};

#define OPTION_TEXTS_MAX 32

struct option_texts {
    const char *item[OPTION_TEXTS_MAX];
    int count;
};

struct option_maybe {
    bool given;
    double number; /* finite and not negative; untouched if not given */
};

struct option {
    const char *name; /* without the dashes; NULL: it has only a letter */
    char letter;      /* for the short form; 0: there is none */
    bool rare;        /* its help stands below that of the others */
    enum option_kind kind;
    size_t at;         /* where its value lies in the settings */
    const char *value; /* what stands for it in the help; NULL: a flag */
    const char *help;  /* NULL: not for people */
    const char *const *choices; /* of a choice; ends with NULL */
    const char
            *variable; /* for all verbs, before files: ORTMETER_DB; or NULL */
};

/* Rows of a table.  That the member has the type of the kind is checked when
 * they are compiled.  More fields may follow: `.rare = true`. */
#define OPTION_AT(settings, member, type)                                 \
    (offsetof(settings, member) + 0 * sizeof(struct {                     \
        _Static_assert(                                                   \
                _Generic(((settings *)0)->member, type : 1, default : 0), \
                "an option's value has its kind's type");                 \
        char unused;                                                      \
    }))
#define OPTION_ROW(kind_, type, name_, letter_, settings, member, value_, ...) \
    {                                                                          \
        .name = (name_), .letter = (letter_), .kind = (kind_),                 \
        .at = OPTION_AT(settings, member, type), .value = (value_),            \
        .help = __VA_ARGS__                                                    \
    }
#define OPTION_FLAG(name, letter, settings, member, ...)                   \
    OPTION_ROW(OPTION_IS_FLAG, bool, name, letter, settings, member, NULL, \
            __VA_ARGS__)
#define OPTION_TEXT(name, letter, settings, member, value, ...)              \
    OPTION_ROW(OPTION_IS_TEXT, const char *, name, letter, settings, member, \
            value, __VA_ARGS__)
#define OPTION_TEXTS(name, letter, settings, member, value, ...)             \
    OPTION_ROW(OPTION_IS_TEXTS, struct option_texts, name, letter, settings, \
            member, value, __VA_ARGS__)
#define OPTION_NUMBER(name, letter, settings, member, value, ...)          \
    OPTION_ROW(OPTION_IS_NUMBER, uint64_t, name, letter, settings, member, \
            value, __VA_ARGS__)
#define OPTION_REAL(name, letter, settings, member, value, ...)               \
    OPTION_ROW(OPTION_IS_REAL, double, name, letter, settings, member, value, \
            __VA_ARGS__)
#define OPTION_CHOICE(name, letter, settings, member, list, value, ...)      \
    OPTION_ROW(OPTION_IS_CHOICE, int, name, letter, settings, member, value, \
            __VA_ARGS__, .choices = (list))
#define OPTION_MAYBE(name, letter, settings, member, value, ...)             \
    OPTION_ROW(OPTION_IS_MAYBE, struct option_maybe, name, letter, settings, \
            member, value, __VA_ARGS__)
#define OPTION_END \
    {              \
        0          \
    }

/* What a command line has to fit. */
struct options {
    const struct option *table; /* ends with OPTION_END */
    int words_max;              /* more are an error */
    /* The first word ends the options: it begins somebody else's command line,
     * whose options are not ours. */
    bool command;
};

/* What was read. */
struct options_read {
    int words; /* argv[1] to argv[words]; NULL follows */
    bool help; /* -h or --help stood there: nothing else was checked */
};

/* Options that are not given come from their variable, ORTMETER_RUN_RATE for
 * `run --rate`, or from these files.  They are borrowed, for good; NULL: none.
 */
void options_use(const struct config *config);
const struct config *options_files(void);

/* argv[0] is the verb, argv[argc] is NULL.  Reads argv[1] onwards, sets the
 * values in `settings`, leaves alone what is not given, and moves the words to
 * argv[1] onwards, in their order.  -EINVAL with a sentence that names the
 * option; values before it may then be set. */
int options_parse(struct options_read *out, void *settings,
        const struct options *o, int argc, char **argv, struct error *e);

/* Whether the option with that value, which lies in the settings, stood on the
 * command line that was read last, and did not come from a variable or a
 * file. */
bool options_given(const void *value);
