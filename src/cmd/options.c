#include "cmd/options.h"

#include "base/compiler.h"
#include "base/str.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where we are in the command line. */
struct reader {
    int argc;
    char **argv;
    int at;         /* the next argument to read */
    int words;      /* argv[1] to argv[words] are the words found so far */
    uint64_t given; /* a bit for each option of the table */
};

/* An option as it stands on the command line. */
struct given {
    const struct option *option;
    char name[64];     /* with its dashes, as the person wrote it */
    const char *value; /* behind `=`, or behind the letter; NULL: none */
};

static bool is_last(const struct option *option)
{
    return !option->name && !option->letter;
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

static int set_real(double *out, const char *text)
{
    double value;
    int rc = str_f64(&value, str_of(text));

    if (rc || value < 0)
        return -EINVAL;
    *out = value;
    return 0;
}

static int set_choice(const struct given *g, const char *value, struct error *e)
{
    struct option_choice *choice = g->option->value;
    char all[128] = "";
    size_t len = 0;

    for (int i = 0; choice->all[i]; i++) {
        if (strcmp(choice->all[i], value) == 0) {
            choice->index = i;
            return 0;
        }

        int n = snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "",
                choice->all[i]);

        if (n > 0 && (size_t)n < sizeof(all) - len)
            len += (size_t)n;
    }
    return fail(e, -EINVAL, "%s '%s' is none of %s", g->name, value, all);
}

static int add_text(const struct given *g, const char *value, struct error *e)
{
    struct option_texts *texts = g->option->value;

    if (texts->count == OPTION_TEXTS_MAX)
        return fail(e, -EINVAL, "%s is given more than %d times", g->name,
                OPTION_TEXTS_MAX);
    texts->item[texts->count++] = value;
    return 0;
}

static int set_value(const struct given *g, const char *value, struct error *e)
{
    void *into = g->option->value;

    switch (g->option->kind) {
    case OPTION_FLAG: *(bool *)into = true; return 0;
    case OPTION_TEXT: *(const char **)into = value; return 0;
    case OPTION_TEXTS: return add_text(g, value, e);
    case OPTION_CHOICE: return set_choice(g, value, e);
    case OPTION_NUMBER:
        if (str_u64(into, str_of(value)))
            return fail(e, -EINVAL, "%s '%s' is not a whole number", g->name,
                    value);
        return 0;
    case OPTION_REAL:
        if (set_real(into, value))
            return fail(e, -EINVAL, "%s '%s' is not a number of 0 or more",
                    g->name, value);
        return 0;
    }
    return -EINVAL;
}

static int take_option(const struct options *o, struct reader *r,
        struct error *e)
{
    struct given g = look_up(o->table, r->argv[r->at++]);

    if (!g.option)
        return fail(e, -EINVAL, "unknown option %s", g.name);
    r->given |= UINT64_C(1) << (g.option - o->table);
    if (g.option->kind == OPTION_FLAG) {
        if (g.value)
            return fail(e, -EINVAL, "%s takes no value", g.name);
        return set_value(&g, NULL, e);
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

    if (r->words == o->max_words)
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
    *(bool *)g->option->value = strcmp(value, "true") == 0;
    return 0;
}

static int set_named(const struct given *g, const char *value, struct error *e)
{
    return g->option->kind == OPTION_FLAG ? set_flag(g, value, e)
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
static int from_files(const struct option *option, const char *verb,
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
    for (size_t i = 0; best && i < config_count(files) && !rc; i++) {
        const struct config_entry *x = config_at(files, i);
        struct given g = { .option = option };

        if (!concerns(x, verb, option->name) ||
                strcmp(x->file, best->file) != 0 ||
                strcmp(x->verb, best->verb) != 0)
            continue;
        (void)snprintf(g.name, sizeof(g.name), "%s", option->name);

        struct error why = { "" };

        if (set_named(&g, x->value, &why))
            rc = fail(e, -EINVAL, "%s, line %llu: %s", x->file,
                    (unsigned long long)x->line, why.text);
    }
    return rc;
}

/* Those look at a variable that is for all verbs, and comes before files. */
static bool has_own_variable(const char *option)
{
    static const char *const own[][2] = { { "db", "ORTMETER_DB" },
        { "ort", "ORTMETER_ORT" }, { "store", "ORTMETER_STORE" },
        { "key-file", "ORTMETER_KEY_FILE" } };

    for (size_t i = 0; i < LEN(own); i++) {
        const char *value = getenv(own[i][1]);

        if (strcmp(own[i][0], option) == 0)
            return value && value[0];
    }
    return false;
}

static int fill_in(const struct options *o, const char *verb, uint64_t given,
        struct error *e)
{
    for (const struct option *x = o->table; !is_last(x); x++) {
        struct given g = { .option = x };
        int rc = 0;

        if (!x->name || strcmp(x->name, "help") == 0 ||
                given & UINT64_C(1) << (x - o->table))
            continue;

        const char *value = variable_of(verb, x->name, g.name);

        if (value)
            rc = set_named(&g, value, e);
        else if (!has_own_variable(x->name))
            rc = from_files(x, verb, e);
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
static uint64_t last_given;

bool options_given(const void *value)
{
    for (const struct option *x = last_table; x && !is_last(x); x++)
        if (x->value == value)
            return last_given & UINT64_C(1) << (x - last_table);
    return false;
}

int options_parse(const struct options *o, int argc, char **argv,
        struct error *e)
{
    struct reader r = { .argc = argc, .argv = argv, .at = 1 };
    bool ended = false;

    while (r.at < argc) {
        const char *arg = argv[r.at];
        int rc;

        if (!ended && strcmp(arg, "--") == 0) {
            ended = true;
            r.at++;
            continue;
        }
        if (!ended && arg[0] == '-' && arg[1]) {
            rc = take_option(o, &r, e);
        } else {
            rc = take_word(o, &r, e);
            ended = ended || o->command;
        }
        if (rc)
            return rc;
    }

    last_table = o->table;
    last_given = r.given;

    int rc = check_files(o, argv[0], e);

    if (!rc)
        rc = fill_in(o, argv[0], r.given, e);
    return rc ? rc : r.words;
}

int options_end(const char *verb, int rc, const struct error *e)
{
    if (!rc)
        return EXIT_GOOD;
    (void)fprintf(stderr, "ortmeter %s: %s\n", verb, e->text);
    return EXIT_FAILED;
}

int options_fail(const char *verb, const struct error *e)
{
    (void)fprintf(stderr, "ortmeter %s: %s; see 'ortmeter %s --help'\n", verb,
            e->text, verb);
    return EXIT_USAGE;
}
