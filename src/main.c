/* main.c -- from the command line to a command. */
#include "cmd/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *to)
{
    (void)fputs("ortmeter " ORTMETER_VERSION
                " -- one meter for ONNX Runtime inference\n"
                "\n"
                "Usage: ortmeter VERB [options]\n"
                "\n",
            to);
    for (const struct cmd *const *c = cmd_table; *c; c++)
        (void)fprintf(to, "  %-10s %s\n", (*c)->name, (*c)->about);
    (void)fputs("\n"
                "'ortmeter VERB --help' tells more of each.\n"
                "\n"
                "Examples:\n"
                "  ortmeter run -- node app.js\n"
                "  ortmeter report last\n"
                "  ortmeter doctor\n",
            to);
}

int main(int argc, char **argv)
{
    static char help[] = "--help";
    const char *verb = argc > 1 ? argv[1] : help;

    /* `help run` is `run --help`. */
    if (argc == 3 && strcmp(verb, "help") == 0) {
        verb = argv[1] = argv[2];
        argv[2] = help;
    }
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0 ||
            strcmp(verb, "help") == 0) {
        usage(argc > 1 ? stdout : stderr);
        return argc > 1 ? EXIT_GOOD : EXIT_USAGE;
    }
    if (strcmp(verb, "--version") == 0) {
        (void)puts("ortmeter " ORTMETER_VERSION);
        return EXIT_GOOD;
    }

    const struct cmd *cmd = cmd_find(verb);

    if (!cmd) {
        (void)fprintf(stderr,
                "ortmeter: there is no verb '%s'; see 'ortmeter --help'\n",
                verb);
        return EXIT_USAGE;
    }

    struct config *files = NULL;
    struct error e = { 0 };

    if (config_read(&files, &e)) {
        (void)fprintf(stderr, "ortmeter: %s\n", e.text);
        return EXIT_FAILED;
    }
    for (size_t i = 0; config_skipped(files, i); i++)
        (void)fprintf(stderr, "ortmeter: %s\n", config_skipped(files, i));
    options_use(files);

    int rc = cmd_main(cmd, argc - 1, argv + 1);

    config_free(files);
    return rc;
}
