#include "cmd/cli/help.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS  79
#define LEFT_MAX 24 /* a longer option has a line of its own */

void help_option(char out[HELP_OPTION_MAX], const struct option *o)
{
    char letter[8] = "";

    if (o->letter)
        (void)snprintf(letter, sizeof(letter), "-%c%s", o->letter,
                o->name ? ", " : "");
    (void)snprintf(out, HELP_OPTION_MAX, "%s%s%s%s%s", letter,
            o->name ? "--" : "", o->name ? o->name : "", o->value ? " " : "",
            o->value ? o->value : "");
}

/* The left column of a table: as wide as its widest entry, within limits. */
static size_t left_width(const struct option *table)
{
    size_t width = strlen("-h, --help");

    for (const struct option *o = table; o->kind != OPTION_IS_END; o++) {
        char left[HELP_OPTION_MAX];

        help_option(left, o);
        if (o->help && strlen(left) > width && strlen(left) <= LEFT_MAX)
            width = strlen(left);
    }
    return width;
}

/* Words from `column` on, in lines of COLUMNS; the first line has begun. */
static void wrap(struct buf *out, const char *text, size_t column)
{
    size_t at = column;

    while (*text) {
        size_t len = strcspn(text, " ");

        if (at > column && at + 1 + len > COLUMNS) {
            buf_printf(out, "\n%*s", (int)column, "");
            at = column;
        }
        buf_printf(out, "%s%.*s", at > column ? " " : "", (int)len, text);
        at += len + (at > column);
        text += len;
        text += strspn(text, " ");
    }
    buf_text(out, "\n");
}

static void row(struct buf *out, const char *left, const char *help,
        size_t width)
{
    buf_printf(out, "  %-*s", (int)width, left);
    if (strlen(left) > width)
        buf_printf(out, "\n  %*s", (int)width, "");
    buf_text(out, "  ");
    wrap(out, help, width + 4);
}

static void rows(struct buf *out, const struct option *table, bool rare)
{
    size_t width = left_width(table);

    for (const struct option *o = table; o->kind != OPTION_IS_END; o++) {
        char left[HELP_OPTION_MAX];
        struct buf help = { 0 };

        if (!o->help || o->rare != rare)
            continue;
        help_option(left, o);
        buf_text(&help, o->help);
        if (o->variable)
            buf_printf(&help, " (else %s)", o->variable);
        row(out, left, buf_cstr(&help), width);
        buf_release(&help);
    }
    if (!rare)
        row(out, "-h, --help", "this text", width);
}

static bool has_rare(const struct option *table)
{
    for (const struct option *o = table; o->kind != OPTION_IS_END; o++)
        if (o->rare && o->help)
            return true;
    return false;
}

static void examples(struct buf *out, const char *lines)
{
    buf_text(out, "\nExamples:\n");
    while (*lines) {
        size_t len = strcspn(lines, "\n");

        buf_printf(out, "  ortmeter %.*s\n", (int)len, lines);
        lines += len + (lines[len] == '\n');
    }
}

void help_text(struct buf *out, const struct cmd *c)
{
    buf_printf(out, "Usage: ortmeter %s %s\n\n%s", c->name, c->usage, c->text);
    if (c->more)
        c->more(out);
    buf_text(out, "\nOptions:\n");
    rows(out, c->options, false);
    if (has_rare(c->options)) {
        buf_text(out, "\nMore options:\n");
        rows(out, c->options, true);
    }
    if (c->notes)
        buf_printf(out, "\n%s", c->notes);
    examples(out, c->examples);
}
