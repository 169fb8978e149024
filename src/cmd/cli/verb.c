/* verb.c -- from a command line to what a verb does, for all verbs alike. */
#include "base/alloc.h"
#include "cmd/cli/help.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const struct cmd *c, const struct error *e)
{
    (void)fprintf(stderr, "ortmeter %s: %s\n", c->name, e->text);
    return EXIT_FAILED;
}

static int refuse(const struct cmd *c, const struct error *e)
{
    (void)fprintf(stderr, "ortmeter %s: %s; see 'ortmeter %s --help'\n",
            c->name, e->text, c->name);
    return EXIT_USAGE;
}

static int print_help(const struct cmd *c, struct error *e)
{
    struct buf text = { 0 };

    help_text(&text, c);

    int rc = output_write(NULL, buf_str(&text), e);

    buf_release(&text);
    return rc;
}

static int call(const struct cmd *c, struct cmd_call *call, int argc,
        char **argv)
{
    const struct options options = { .table = c->options,
        .words_max = c->words_max,
        .command = c->command };
    struct options_read read;
    struct error e = { 0 };
    int rc;

    if (options_parse(&read, call->settings, &options, argc, argv, &e))
        return refuse(c, &e);
    call->words = argv + 1;
    call->word_count = read.words;
    if (read.help)
        rc = print_help(c, &e);
    else if (c->check && c->check(call, &e))
        return refuse(c, &e);
    else
        rc = c->run(call, &e);
    if (rc == EXIT_USAGE && e.text[0])
        return refuse(c, &e);
    return rc < 0 ? complain(c, &e) : rc;
}

int cmd_main(const struct cmd *c, int argc, char **argv)
{
    struct cmd_call the_call = {
        .settings = alloc_zero(1, c->settings_size ? c->settings_size : 1),
    };
    char **given = alloc_zero((size_t)argc + 1, sizeof(*given));

    /* Reading the options moves them about. */
    memcpy(given, argv, (size_t)argc * sizeof(*given));
    the_call.argv = given;
    if (c->defaults)
        memcpy(the_call.settings, c->defaults, c->settings_size);

    int code = call(c, &the_call, argc, argv);

    free(given);
    free(the_call.settings);
    return code;
}

const struct cmd *cmd_find(const char *name)
{
    for (const struct cmd *const *c = cmd_table; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}
