/* cmd.h -- a command: what `ortmeter VERB` does, and the table of all.
 *
 * A verb is one file with a `const struct cmd` in it and one line in table.c.
 * cmd_main() reads its options, prints its help and makes an exit code of what
 * it returns; the manual and the shells' completions come from the same
 * table. */
#pragma once

#include "base/buf.h"
#include "cmd/cli/options.h"

/* What ortmeter exits with. */
enum {
    EXIT_GOOD = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_WORSE = 3,     /* a regression, a budget or an alert */
    EXIT_UNDECIDED = 4, /* cannot tell */
};

#define CMD_WORDS_ANY INT32_MAX

/* What the command line said. */
struct cmd_call {
    void *settings; /* the verb's own */
    char **words;   /* what is no option; ends with NULL */
    int word_count;
    char *const *argv; /* all as it was given, from the verb; ends with NULL */
};

struct cmd {
    const char *name;
    const char *about; /* one line for `ortmeter --help` */
    const char *usage; /* behind the name: "[options] [RUN]" */
    const char *text;  /* what it does, in full lines */
    /* More of that, which only the program knows; NULL: nothing. */
    void (*more)(struct buf *out);
    const struct option *options; /* ends with OPTION_END */
    const char *notes;            /* behind them, in full lines; or NULL */
    const char *examples;         /* a line each, without "ortmeter" */

    int words_max;
    bool command; /* the words are somebody else's command line */
    size_t settings_size;
    const void *defaults; /* of the settings; NULL: all zero */
    /* Whether the options make sense together: else wrong usage, with a
     * sentence.  NULL: always. */
    int (*check)(const struct cmd_call *c, struct error *e);
    /* Returns what to exit with; negative: EXIT_FAILED, with a sentence.  So
     * is EXIT_USAGE, when only the work itself shows that usage is wrong. */
    int (*run)(const struct cmd_call *c, struct error *e);
};

/* argv[0] is the verb, argv[argc] is NULL.  Returns what to exit with. */
int cmd_main(const struct cmd *c, int argc, char **argv);

/* NULL: there is none of that name. */
const struct cmd *cmd_find(const char *name);

/* Ends with NULL; in the order of `ortmeter --help`. */
extern const struct cmd *const cmd_table[];

extern const struct cmd cmd_run, cmd_bench, cmd_generate, cmd_report, cmd_list,
        cmd_import, cmd_export, cmd_inspect, cmd_doctor;
extern const struct cmd cmd_collect, cmd_watch, cmd_top;
extern const struct cmd cmd_energy, cmd_calibrate;
extern const struct cmd cmd_tag, cmd_delete, cmd_prune, cmd_vacuum;
extern const struct cmd cmd_advise, cmd_compare, cmd_check, cmd_baseline;
extern const struct cmd cmd_ship, cmd_etw;
extern const struct cmd cmd_demo, cmd_serve, cmd_token;
extern const struct cmd cmd_completion;
