/* cmd.h -- a command: what `ortmeter VERB` does, and the table of all. */
#pragma once

#include <stdio.h>

/* What ortmeter exits with. */
enum {
    EXIT_GOOD = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_WORSE = 3,     /* a regression, a budget or an alert */
    EXIT_UNDECIDED = 4, /* cannot tell */
};

struct cmd {
    const char *name;
    const char *about; /* one line for `ortmeter --help` */
    const char *help;  /* the whole of `ortmeter VERB --help` */
    /* argv[0] is the verb.  Returns what to exit with. */
    int (*run)(int argc, char **argv);
};

/* Ends with NULL; in the order of `ortmeter --help`. */
extern const struct cmd *const cmd_table[];

extern const struct cmd cmd_run, cmd_bench, cmd_report, cmd_list, cmd_import,
        cmd_export, cmd_inspect, cmd_doctor;
extern const struct cmd cmd_watch, cmd_top;
extern const struct cmd cmd_energy, cmd_calibrate;
extern const struct cmd cmd_tag, cmd_delete, cmd_prune, cmd_vacuum;
extern const struct cmd cmd_compare, cmd_ship;
