/* completion.c -- what a shell needs to complete our command lines. */
#include "base/compiler.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

static bool takes_path(const struct option *o)
{
    return o->value &&
           (strcmp(o->value, "FILE") == 0 || strcmp(o->value, "PATH") == 0);
}

/* In single quotes, for any shell. */
static void quoted(struct buf *out, const char *text)
{
    buf_text(out, "'");
    for (; *text; text++)
        if (*text == '\'')
            buf_text(out, "'\\''");
        else
            buf_add(out, text, 1);
    buf_text(out, "'");
}

/* --- bash ----------------------------------------------------------------- */

static void bash_verbs(struct buf *out)
{
    for (const struct cmd *const *c = cmd_table; *c; c++)
        buf_printf(out, "%s%s", c == cmd_table ? "" : " ", (*c)->name);
}

static void bash_options(struct buf *out, const struct cmd *c)
{
    buf_printf(out, "    %s) options='--help", c->name);
    for (const struct option *o = c->options; o->kind != OPTION_IS_END; o++)
        if (o->help && o->name)
            buf_printf(out, " --%s", o->name);
        else if (o->help)
            buf_printf(out, " -%c", o->letter);
    buf_text(out, "' ;;\n");
}

/* The words that an option takes: `run --energy` is auto, model or off. */
static void bash_choices(struct buf *out, const struct cmd *c)
{
    for (const struct option *o = c->options; o->kind != OPTION_IS_END; o++) {
        if (!o->help || !o->choices)
            continue;
        buf_printf(out, "    %s:--%s) words='", c->name, o->name);
        for (const char *const *w = o->choices; *w; w++)
            buf_printf(out, "%s%s", w == o->choices ? "" : " ", *w);
        buf_text(out, "' ;;\n");
    }
}

static void bash(struct buf *out)
{
    buf_text(out, "# bash completion of ortmeter; made by "
                  "'ortmeter completion bash'.\n"
                  "_ortmeter() {\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} options= words=\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                  "        COMPREPLY=($(compgen -W '");
    bash_verbs(out);
    buf_text(out, " --help --version' -- \"$word\"))\n"
                  "        return\n"
                  "    fi\n"
                  "    case ${COMP_WORDS[1]}:${COMP_WORDS[COMP_CWORD - 1]} "
                  "in\n");
    for (const struct cmd *const *c = cmd_table; *c; c++)
        bash_choices(out, *c);
    buf_text(out, "    esac\n"
                  "    if [ -n \"$words\" ]; then\n"
                  "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                  "        return\n"
                  "    fi\n"
                  "    case ${COMP_WORDS[1]} in\n");
    for (const struct cmd *const *c = cmd_table; *c; c++)
        bash_options(out, *c);
    buf_text(out, "    esac\n"
                  "    if [[ $word == -* ]]; then\n"
                  "        COMPREPLY=($(compgen -W \"$options\" -- "
                  "\"$word\"))\n"
                  "    else\n"
                  "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
                  "    fi\n"
                  "}\n"
                  "complete -o filenames -F _ortmeter ortmeter\n");
}

/* --- zsh ------------------------------------------------------------------ */

/* In a description, [ ] and : would end it. */
static void zsh_spec(struct buf *out, const struct option *o,
        const char *dashes, const char *name)
{
    struct buf spec = { 0 };

    buf_printf(&spec, "%s%s[", dashes, name);
    for (const char *h = o->help; *h; h++)
        buf_printf(&spec, strchr("[]:", *h) ? "\\%c" : "%c", *h);
    buf_text(&spec, "]");
    if (o->value)
        buf_printf(&spec, ":%s:", o->value[0] == '[' ? "value" : o->value);
    if (o->choices) {
        buf_text(&spec, "(");
        for (const char *const *w = o->choices; *w; w++)
            buf_printf(&spec, "%s%s", w == o->choices ? "" : " ", *w);
        buf_text(&spec, ")");
    } else if (takes_path(o)) {
        buf_text(&spec, "_files");
    }
    buf_text(out, " \\\n            ");
    quoted(out, buf_cstr(&spec));
    buf_release(&spec);
}

static void zsh_verb(struct buf *out, const struct cmd *c)
{
    buf_printf(out, "        %s)\n        _arguments '--help[this text]'",
            c->name);
    for (const struct option *o = c->options; o->kind != OPTION_IS_END; o++) {
        char letter[] = { o->letter, 0 };

        if (o->help && o->name)
            zsh_spec(out, o, "--", o->name);
        if (o->help && o->letter)
            zsh_spec(out, o, "-", letter);
    }
    buf_text(out, " \\\n            '*:word:_files'\n        ;;\n");
}

static void zsh(struct buf *out)
{
    buf_text(out, "#compdef ortmeter\n"
                  "# zsh completion of ortmeter; made by "
                  "'ortmeter completion zsh'.\n"
                  "_ortmeter() {\n"
                  "    local -a verbs=(\n");
    for (const struct cmd *const *c = cmd_table; *c; c++) {
        struct buf line = { 0 };

        buf_printf(&line, "%s:%s", (*c)->name, (*c)->about);
        buf_text(out, "        ");
        quoted(out, buf_cstr(&line));
        buf_text(out, "\n");
        buf_release(&line);
    }
    buf_text(out, "    )\n"
                  "    if ((CURRENT == 2)); then\n"
                  "        _describe verb verbs\n"
                  "        return\n"
                  "    fi\n"
                  "    local verb=$words[2]\n"
                  "    shift words\n"
                  "    ((CURRENT--))\n"
                  "    case $verb in\n");
    for (const struct cmd *const *c = cmd_table; *c; c++)
        zsh_verb(out, *c);
    buf_text(out, "    esac\n"
                  "}\n"
                  "if [ \"$funcstack[1]\" = _ortmeter ]; then\n"
                  "    _ortmeter \"$@\"\n"
                  "else\n"
                  "    compdef _ortmeter ortmeter\n"
                  "fi\n");
}

/* --- fish ----------------------------------------------------------------- */

static void fish_option(struct buf *out, const struct cmd *c,
        const struct option *o)
{
    buf_printf(out, "complete -c ortmeter -n '__fish_seen_subcommand_from %s'",
            c->name);
    if (o->name)
        buf_printf(out, " -l %s", o->name);
    if (o->letter)
        buf_printf(out, " -s %c", o->letter);
    if (o->value && o->kind != OPTION_IS_MAYBE)
        buf_text(out, takes_path(o) ? " -r" : " -x");
    if (o->choices) {
        buf_text(out, " -a '");
        for (const char *const *w = o->choices; *w; w++)
            buf_printf(out, "%s%s", w == o->choices ? "" : " ", *w);
        buf_text(out, "'");
    }
    buf_text(out, " -d ");
    quoted(out, o->help);
    buf_text(out, "\n");
}

static void fish(struct buf *out)
{
    buf_text(out, "# fish completion of ortmeter; made by "
                  "'ortmeter completion fish'.\n");
    for (const struct cmd *const *c = cmd_table; *c; c++) {
        buf_printf(out,
                "complete -c ortmeter -n __fish_use_subcommand -f -a %s -d ",
                (*c)->name);
        quoted(out, (*c)->about);
        buf_text(out, "\n");
        for (const struct option *o = (*c)->options; o->kind != OPTION_IS_END;
                o++)
            if (o->help)
                fish_option(out, *c, o);
    }
}

/* --- the verb ------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*write)(struct buf *out);
} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

struct settings {
    const char *out;
};

static const struct option options[] = {
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int check(const struct cmd_call *c, struct error *e)
{
    for (size_t i = 0; i < LEN(shells) && c->word_count; i++)
        if (strcmp(c->words[0], shells[i].name) == 0)
            return 0;
    return fail(e, -EINVAL, "the shell is bash, zsh or fish");
}

static int run(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;
    struct buf text = { 0 };

    for (size_t i = 0; i < LEN(shells); i++)
        if (strcmp(c->words[0], shells[i].name) == 0)
            shells[i].write(&text);

    int rc = output_write(s->out, buf_str(&text), e);

    buf_release(&text);
    return rc;
}

const struct cmd cmd_completion = {
    .name = "completion",
    .about = "a script that lets a shell complete these verbs and options",
    .usage = "[options] bash|zsh|fish",
    .text = "Prints what a shell needs to complete ortmeter's verbs, options "
            "and\n"
            "their values.  'make install' puts it where shells look.\n",
    .options = options,
    .notes = "Exit code: 0 good, 1 it cannot be written, 2 wrong usage.\n",
    .examples = "completion bash >> ~/.bash_completion\n"
                "completion zsh -o ~/.zfunc/_ortmeter\n"
                "completion fish -o ~/.config/fish/completions/ortmeter.fish\n",
    .words_max = 1,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
