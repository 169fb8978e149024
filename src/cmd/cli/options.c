#include "cmd/cli/options.h"

#include "base/compiler.h"
#include "base/str.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where we are in the command line. */
struct reader {
    int argc;
    char **argv;
    char *settings;
    int at;         /* the next argument to read */
    int words;      /* argv[1] to argv[words] are the words found so far */
    uint64_t given; /* a bit for each option of the table */
};

/* An option as it stands on the command line. */
struct given {
    const struct option *option;
    void *into;        /* where its value goes */
    char name[64];     /* with its dashes, as the person wrote it */
    const char *value; /* behind `=`, or behind the letter; NULL: none */
};

static bool is_last(const struct option *option)
{
    return option->kind == OPTION_IS_END;
}

static const struct option *find_long(const struct option *table,
        struct str name)
{
    for (; !is_last(table); table++)
        if (table->name && strlen(table->name) == name.len &&
                memcmp(table->name, name.p, name.len) == 0)
            return table;
    return NULL;
}

static const struct option *find_short(const struct option *table, char letter)
{
    for (; !is_last(table); table++)
        if (table->letter == letter)
            return table;
    return NULL;
}

static struct given look_up(const struct option *table, const char *arg)
{
    struct given g = { 0 };

    if (arg[1] == '-') {
        size_t len = strcspn(arg, "=");

        g.option = find_long(table, (struct str){ arg + 2, len - 2 });
        g.value = arg[len] ? arg + len + 1 : NULL;
        (void)snprintf(g.name, sizeof(g.name), "%.*s", (int)len, arg);
    } else {
        g.option = find_short(table, arg[1]);
        g.value = arg[2] ? arg + 2 : NULL;
        (void)snprintf(g.name, sizeof(g.name), "%.2s", arg);
    }
    return g;
}

static bool is_real(const char *text, double *out)
{
    return str_f64(out, str_of(text)) == 0 && *out >= 0;
}

static int set_real(double *out, const struct given *g, const char *text,
        struct error *e)
{
    double value;

    if (!is_real(text, &value))
        return fail(e, -EINVAL, "%s '%s' is not a number of 0 or more", g->name,
                text);
    *out = value;
    return 0;
}

static int set_choice(const struct given *g, const char *value, struct error *e)
{
    const char *const *choices = g->option->choices;
    char all[128] = "";
    size_t len = 0;

    for (int i = 0; choices[i]; i++) {
        if (strcmp(choices[i], value) == 0) {
            *(int *)g->into = i;
            return 0;
        }

        int n = snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "",
                choices[i]);

        if (n > 0 && (size_t)n < sizeof(all) - len)
            len += (size_t)n;
    }
    return fail(e, -EINVAL, "%s '%s' is none of %s", g->name, value, all);
}

static int add_text(const struct given *g, const char *value, struct error *e)
{
    struct option_texts *texts = g->into;

    if (texts->count == OPTION_TEXTS_MAX)
        return fail(e, -EINVAL, "%s is given more than %d times", g->name,
                OPTION_TEXTS_MAX);
    texts->item[texts->count++] = value;
    return 0;
}

static int set_value(const struct given *g, const char *value, struct error *e)
{
    void *into = g->into;

    switch (g->option->kind) {
    case OPTION_IS_END: break;
    case OPTION_IS_FLAG: *(bool *)into = true; return 0;
    case OPTION_IS_TEXT: *(const char **)into = value; return 0;
    case OPTION_IS_TEXTS: return add_text(g, value, e);
    case OPTION_IS_CHOICE: return set_choice(g, value, e);
    case OPTION_IS_NUMBER:
        if (str_u64(into, str_of(value)))
            return fail(e, -EINVAL, "%s '%s' is not a whole number", g->name,
                    value);
        return 0;
    case OPTION_IS_MAYBE:
        ((struct option_maybe *)into)->given = true;
        return value ? set_real(&((struct option_maybe *)into)->number, g,
                               value, e)
                     : 0;
    case OPTION_IS_REAL: return set_real(into, g, value, e);
    }
    return -EINVAL;
}

static int take_option(const struct options *o, struct reader *r,
        struct error *e)
{
    struct given g = look_up(o->table, r->argv[r->at++]);

    if (!g.option)
        return fail(e, -EINVAL, "unknown option %s", g.name);
    g.into = r->settings + g.option->at;
    r->given |= UINT64_C(1) << (g.option - o->table);
    if (g.option->kind == OPTION_IS_FLAG) {
        if (g.value)
            return fail(e, -EINVAL, "%s takes no value", g.name);
        return set_value(&g, NULL, e);
    }
    if (g.option->kind == OPTION_IS_MAYBE) {
        double number;

        if (!g.value && r->at < r->argc && is_real(r->argv[r->at], &number))
            g.value = r->argv[r->at++];
        return set_value(&g, g.value, e);
    }
    if (!g.value && r->at < r->argc && strncmp(r->argv[r->at], "--", 2) != 0)
        g.value = r->argv[r->at++];
    if (!g.value)
        return fail(e, -EINVAL, "%s needs a value", g.name);
    return set_value(&g, g.value, e);
}

static int take_word(const struct options *o, struct reader *r, struct error *e)
{
    char *word = r->argv[r->at++];

    if (r->words == o->words_max)
        return fail(e, -EINVAL, "unexpected argument '%s'", word);
    r->argv[++r->words] = word;
    return 0;
}

/* --- what is not given ---------------------------------------------------- */

static const struct config *files;

void options_use(const struct config *config)
{
    files = config;
}

const struct config *options_files(void)
{
    return files;
}

/* The value of ORTMETER_WATCH_MAX_OVERHEAD for `watch --max-overhead`; NULL:
 * not set. */
static const char *variable_of(const char *verb, const char *option,
        char name[64])
{
    size_t n = (size_t)snprintf(name, 64, "ORTMETER_%s_%s", verb, option);

    for (size_t i = 0; i < n && i < 64; i++) {
        if (name[i] >= 'a' && name[i] <= 'z')
            name[i] = (char)(name[i] - 'a' + 'A');
        if (name[i] == '-')
            name[i] = '_';
    }

    const char *value = getenv(name);

    return value && value[0] ? value : NULL;
}

static int set_flag(const struct given *g, const char *value, struct error *e)
{
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
        return fail(e, -EINVAL, "%s '%s' is neither true nor false", g->name,
                value);
    *(bool *)g->into = strcmp(value, "true") == 0;
    return 0;
}

static int set_named(const struct given *g, const char *value, struct error *e)
{
    return g->option->kind == OPTION_IS_FLAG ? set_flag(g, value, e)
                                             : set_value(g, value, e);
}

static bool concerns(const struct config_entry *x, const char *verb,
        const char *option)
{
    return strcmp(x->key, option) == 0 &&
           (!x->verb[0] || strcmp(x->verb, verb) == 0);
}

/* Of all entries the ones of the last file count, and among those the verb's
 * own before those for all. */
static int from_files(const struct option *option, void *into, const char *verb,
        struct error *e)
{
    const struct config_entry *best = NULL;
    int rc = 0;

    for (size_t i = 0; files && i < config_count(files); i++) {
        const struct config_entry *x = config_at(files, i);

        if (concerns(x, verb, option->name) &&
                (!best || strcmp(best->file, x->file) != 0 || x->verb[0]))
            best = x;
    }
    if (best && best->project && !config_is_harmless(best->key))
        return fail(e, -EPERM,
                "%s, line %llu: a project's file may not set '%s', which could "
                "do harm; put it into your own, "
                "~/.config/ortmeter/ortmeter.toml",
                best->file, (unsigned long long)best->line, best->key);
    for (size_t i = 0; best && i < config_count(files) && !rc; i++) {
        const struct config_entry *x = config_at(files, i);
        struct given g = { .option = option, .into = into };

        if (!concerns(x, verb, option->name) ||
                strcmp(x->file, best->file) != 0 ||
                strcmp(x->verb, best->verb) != 0)
            continue;
        (void)snprintf(g.name, sizeof(g.name), "%s", option->name);

        struct error why = { 0 };

        if (set_named(&g, x->value, &why))
            rc = fail(e, -EINVAL, "%s, line %llu: %s", x->file,
                    (unsigned long long)x->line, why.text);
    }
    return rc;
}

static bool has_own_variable(const struct option *option)
{
    const char *value = option->variable ? getenv(option->variable) : NULL;

    return value && value[0];
}

static int fill_in(const struct options *o, const struct reader *r,
        const char *verb, struct error *e)
{
    for (const struct option *x = o->table; !is_last(x); x++) {
        struct given g = { .option = x, .into = r->settings + x->at };
        int rc = 0;

        if (!x->name || r->given & UINT64_C(1) << (x - o->table))
            continue;

        const char *value = variable_of(verb, x->name, g.name);

        if (value)
            rc = set_named(&g, value, e);
        else if (!has_own_variable(x))
            rc = from_files(x, g.into, verb, e);
        if (rc)
            return rc;
    }
    return 0;
}

/* A verb's own table in a file holds nothing but its options. */
static int check_files(const struct options *o, const char *verb,
        struct error *e)
{
    for (size_t i = 0; files && i < config_count(files); i++) {
        const struct config_entry *x = config_at(files, i);

        if (strcmp(x->verb, verb) == 0 && !find_long(o->table, str_of(x->key)))
            return fail(e, -EINVAL, "%s, line %llu: '%s' has no option '%s'",
                    x->file, (unsigned long long)x->line, verb, x->key);
    }
    return 0;
}

/* Of the command line that was read last. */
static const struct option *last_table;
static const char *last_settings;
static uint64_t last_given;

bool options_given(const void *value)
{
    for (const struct option *x = last_table; x && !is_last(x); x++)
        if (last_settings + x->at == value)
            return last_given & UINT64_C(1) << (x - last_table);
    return false;
}

static bool is_help(const char *arg)
{
    return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

/* Returns 1 when help is asked for. */
static int read_line(struct reader *r, const struct options *o, struct error *e)
{
    bool ended = false;

    while (r->at < r->argc) {
        const char *arg = r->argv[r->at];
        int rc;

        if (!ended && strcmp(arg, "--") == 0) {
            ended = true;
            r->at++;
            continue;
        }
        if (!ended && is_help(arg))
            return 1;
        if (!ended && arg[0] == '-' && arg[1]) {
            rc = take_option(o, r, e);
        } else {
            rc = take_word(o, r, e);
            ended = ended || o->command;
        }
        if (rc)
            return rc;
    }
    return 0;
}

int options_parse(struct options_read *out, void *settings,
        const struct options *o, int argc, char **argv, struct error *e)
{
    struct reader r = { .argc = argc,
        .argv = argv,
        .settings = settings,
        .at = 1 };
    int rc = read_line(&r, o, e);

    *out = (struct options_read){ .words = r.words, .help = rc > 0 };
    if (rc)
        return rc > 0 ? 0 : rc;
    argv[r.words + 1] = NULL;
    last_table = o->table;
    last_settings = settings;
    last_given = r.given;
    rc = check_files(o, argv[0], e);
    return rc ? rc : fill_in(o, &r, argv[0], e);
}
