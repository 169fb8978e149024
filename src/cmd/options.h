/* options.h -- a command's options as a table, for all commands alike.
 *
 *     struct { bool json, help; const char *out; } o = { 0 };
 *     const struct option table[] = {
 *         { "json", 0, OPTION_FLAG, &o.json },
 *         { "out", 'o', OPTION_TEXT, &o.out },
 *         { "help", 'h', OPTION_FLAG, &o.help },
 *         { 0 },
 *     };
 *     const struct options options = { .table = table, .max_words = 1 };
 *     int words = options_parse(&options, argc, argv, &e);
 *
 *     if (words < 0)
 *         return options_fail("report", &e);
 *     return options_end("report", report(&o, &e), &e);
 *
 * On the command line an option is `--name`, `--name VALUE`, `--name=VALUE`,
 * `-n`, `-n VALUE` or `-nVALUE`; given twice, the last one counts.  A value
 * that itself begins with `--` needs the form with `=`, so that a forgotten
 * value is an error and does not swallow the next option.  Whatever is no
 * option is a word: a run's name, a file, `-` by itself.  `--` ends the
 * options; all that follows are words. */
#pragma once

#include "base/error.h"
#include "cmd/config.h"

#include <stdbool.h>

enum option_kind {
    OPTION_FLAG,   /* bool: there, or not */
    OPTION_TEXT,   /* const char *: points into argv */
    OPTION_TEXTS,  /* struct option_texts: may be given several times */
    OPTION_NUMBER, /* uint64_t: decimal digits only */
    OPTION_REAL,   /* double: finite and not negative, like 0.5 or 1e3 */
    OPTION_CHOICE, /* struct option_choice: one word of a list */
};

#define OPTION_TEXTS_MAX 32

struct option_texts {
    const char *item[OPTION_TEXTS_MAX];
    int count;
};

struct option_choice {
    const char *const *all; /* ends with NULL */
    int index;              /* in `all` */
};

struct option {
    const char *name; /* without the dashes; NULL: it has only a letter */
    char letter;      /* for the short form; 0: there is none */
    enum option_kind kind;
    void *value; /* points to what the kind says; untouched if not given */
};

struct options {
    const struct option *table; /* ends with an entry of neither name nor
                                   letter */
    int max_words;              /* more are an error */
    /* The first word ends the options: it begins somebody else's command line,
     * whose options are not ours. */
    bool command;
};

/* Options that are not given come from their variable, ORTMETER_RUN_RATE for
 * `run --rate`, or from these files.  They are borrowed, for good; NULL: none.
 */
void options_use(const struct config *config);
const struct config *options_files(void);

/* argv[0] is the verb.  Reads argv[1] onwards, sets the values, and moves the
 * words to argv[1] onwards, in their order.  Returns how many words there are,
 * or -EINVAL with a sentence that names the option; values before it may then
 * be set. */
int options_parse(const struct options *o, int argc, char **argv,
        struct error *e);

/* Whether the option with that value stood on the command line that was read
 * last, and did not come from a variable or a file. */
bool options_given(const void *value);

/* Prints why a command line was refused, and where to read how it is done, to
 * stderr.  Returns EXIT_USAGE. */
int options_fail(const char *verb, const struct error *e);

/* What a verb ends with: EXIT_GOOD; or, after its sentence on stderr,
 * EXIT_FAILED if `rc` is not 0. */
int options_end(const char *verb, int rc, const struct error *e);
