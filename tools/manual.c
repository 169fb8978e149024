/* manual.c -- the manual page: its own text from a file, where a line
 * "@SYNOPSIS@" or "@VERBS@" stands for what the verbs' tables tell.
 *
 *     manual docs/ortmeter.1.in > ortmeter.1
 */
#include "cmd/cli/help.h"
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

/* Text as roff has it: no hyphen that is a minus, no line that is a request. */
static void escaped(const char *text, size_t len)
{
    if (len && strchr(".'", text[0]))
        (void)fputs("\\&", stdout);
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\\')
            (void)fputs("\\e", stdout);
        else if (text[i] == '-')
            (void)fputs("\\-", stdout);
        else
            (void)putchar(text[i]);
}

/* Paragraphs; lines that are set in stay as they are. */
static void prose(const char *text)
{
    bool as_it_is = false;

    while (*text) {
        size_t len = strcspn(text, "\n");
        bool set_in = text[0] == ' ';

        if (set_in != as_it_is)
            (void)puts(set_in ? ".nf" : ".fi");
        as_it_is = set_in;
        if (len) {
            escaped(text, len);
            (void)putchar('\n');
        } else {
            (void)puts(".PP");
        }
        text += len + (text[len] == '\n');
    }
    if (as_it_is)
        (void)puts(".fi");
}

static void option(const struct option *o)
{
    char left[HELP_OPTION_MAX];

    help_option(left, o);
    (void)fputs(".TP\n.B ", stdout);
    escaped(left, strlen(left));
    (void)putchar('\n');
    escaped(o->help, strlen(o->help));
    if (o->variable)
        (void)printf(" (else\n.BR %s )", o->variable);
    (void)putchar('\n');
}

static void verb(const struct cmd *c)
{
    struct buf more = { 0 };

    (void)printf(".SS %s\n.B ortmeter %s\n", c->name, c->name);
    escaped(c->usage, strlen(c->usage));
    (void)puts("\n.PP");
    prose(c->text);
    if (c->more) {
        c->more(&more);
        prose(buf_cstr(&more));
    }
    for (const struct option *o = c->options; o->kind != OPTION_IS_END; o++)
        if (o->help)
            option(o);
    if (c->notes) {
        (void)puts(".PP");
        prose(c->notes);
    }
    buf_release(&more);
}

static void synopsis(const struct cmd *c)
{
    (void)printf(".B ortmeter %s\n", c->name);
    escaped(c->usage, strlen(c->usage));
    (void)puts("\n.br");
}

int main(int argc, char **argv)
{
    char line[1024];
    FILE *from = argc == 2 ? fopen(argv[1], "r") : NULL;

    if (!from) {
        (void)fputs("usage: manual FILE\n", stderr);
        return EXIT_USAGE;
    }
    while (fgets(line, sizeof(line), from)) {
        void (*each)(const struct cmd *) = NULL;

        if (strcmp(line, "@SYNOPSIS@\n") == 0)
            each = synopsis;
        else if (strcmp(line, "@VERBS@\n") == 0)
            each = verb;
        else
            (void)fputs(line, stdout);
        for (const struct cmd *const *c = cmd_table; each && *c; c++)
            each(*c);
    }
    (void)fclose(from);
    return EXIT_GOOD;
}
