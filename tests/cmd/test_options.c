#include "cmd/cli/options.h"

#include "base/compiler.h"
#include "test.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

struct values {
    bool json;
    const char *out;
    const char *ort;
    uint64_t count;
    double rate;
    int energy;
    struct option_texts tags;
};

#define ARGS_MAX 16
#define HELP     1000 /* in place of the number of words */

struct line {
    const char *args[ARGS_MAX]; /* behind the verb */
    const char *error;          /* NULL: it is good */
    int words;
};

static const struct line lines[] = {
    { { "--json" }, NULL, 0 },
    { { "--ort", "x.so", "a", "b" }, NULL, 2 },
    { { "a", "--ort=x.so", "b" }, NULL, 2 },
    { { "-", "-o", "-" }, NULL, 1 },
    { { "--", "--json", "-o" }, NULL, 2 },
    { { "--ort=--json" }, NULL, 0 },
    { { "--x" }, "unknown option --x", 0 },
    { { "--jso" }, "unknown option --jso", 0 },
    { { "--jsonx=1" }, "unknown option --jsonx", 0 },
    { { "-x" }, "unknown option -x", 0 },
    { { "---" }, "unknown option ---", 0 },
    { { "--json=yes" }, "--json takes no value", 0 },
    { { "--ort" }, "--ort needs a value", 0 },
    { { "--ort", "--json" }, "--ort needs a value", 0 },
    { { "-o" }, "-o needs a value", 0 },
    { { "--count", "12x" }, "--count '12x' is not a whole number", 0 },
    { { "--count=-1" }, "--count '-1' is not a whole number", 0 },
    { { "--count=" }, "--count '' is not a whole number", 0 },
    { { "--rate", "inf" }, "--rate 'inf' is not a number of 0 or more", 0 },
    { { "--rate=-1" }, "--rate '-1' is not a number of 0 or more", 0 },
    { { "--rate=0x10" }, "--rate '0x10' is not a number of 0 or more", 0 },
    { { "--rate=1e999" }, "--rate '1e999' is not a number of 0 or more", 0 },
    { { "--energy=on" }, "--energy 'on' is none of auto, model, off", 0 },
    { { "a", "b", "c" }, "unexpected argument 'c'", 0 },
    { { "--help" }, NULL, HELP },
    { { "a", "-h", "--nonsense" }, NULL, HELP },
    { { "--ort", "--help" }, "--ort needs a value", 0 },
    { { "--", "--help" }, NULL, 1 },
};

static const char *const energies[] = { "auto", "model", "off", NULL };

static const struct option table[] = {
    OPTION_FLAG("json", 0, struct values, json, "print JSON"),
    OPTION_TEXT(NULL, 'o', struct values, out, "FILE", "write to FILE"),
    OPTION_TEXT("ort", 0, struct values, ort, "PATH", "the library",
            .variable = "ORTMETER_ORT"),
    OPTION_NUMBER("count", 'n', struct values, count, "N", "so many"),
    OPTION_REAL("rate", 0, struct values, rate, "HZ", "how often",
            .rare = true),
    OPTION_CHOICE("energy", 0, struct values, energy, energies, "HOW",
            "a rather long explanation, which does not fit into one line of "
            "the help and so is wrapped"),
    OPTION_TEXTS("tag", 0, struct values, tags, "TEXT", NULL),
    OPTION_END,
};

/* Copies `args` to argv[1] onwards, behind the verb, and parses them.  Values
 * are good until the next call. */
static int parse(struct values *v, char **argv, const char *const *args,
        bool command, struct error *e)
{
    const struct options o = { table, command ? ARGS_MAX : 2, command };
    struct options_read read;
    static char text[ARGS_MAX][32];
    static char verb[] = "verb";
    int argc = 1;

    argv[0] = verb;
    for (; args[argc - 1]; argc++) {
        (void)snprintf(text[argc - 1], sizeof(text[0]), "%s", args[argc - 1]);
        argv[argc] = text[argc - 1];
    }
    argv[argc] = NULL;

    int rc = options_parse(&read, v, &o, argc, argv, e);

    return rc ? rc : read.help ? HELP : read.words;
}

static void check_lines(void)
{
    for (size_t i = 0; i < LEN(lines); i++) {
        struct values v = { 0 };
        struct error e = { 0 };
        char *argv[ARGS_MAX + 1];
        int words = parse(&v, argv, lines[i].args, false, &e);

        CHECK_INT(words, lines[i].error ? -EINVAL : lines[i].words);
        CHECK(strcmp(e.text, lines[i].error ? lines[i].error : "") == 0);
    }
}

static void check_values(void)
{
    const char *const args[] = { "one", "-oout", "-n", "7", "--rate", "2.5e1",
        "--energy", "off", "--tag=a", "--ort", "x", "--tag", "b", "--ort=y",
        "two", NULL };
    struct values v = { .count = 3 };
    char *argv[ARGS_MAX + 1];

    CHECK_INT(parse(&v, argv, args, false, NULL), 2);
    CHECK(strcmp(argv[1], "one") == 0 && strcmp(argv[2], "two") == 0);
    CHECK(v.out && strcmp(v.out, "out") == 0);
    CHECK(v.ort && strcmp(v.ort, "y") == 0); /* the last one counts */
    CHECK(!v.json);
    CHECK_INT(v.count, 7);
    CHECK(v.rate == 25);
    CHECK_INT(v.energy, 2);
    CHECK_INT(v.tags.count, 2);
    CHECK(strcmp(v.tags.item[0], "a") == 0 && strcmp(v.tags.item[1], "b") == 0);
}

/* What follows a command's first word is not ours, with `--` or without. */
static void check_command(void)
{
    const char *const plain[] = { "--json", "node", "--ort", "--", "x", NULL };
    const char *const marked[] = { "--", "node", "--json", "--", NULL };
    struct values v = { 0 };
    char *argv[ARGS_MAX + 1];

    CHECK_INT(parse(&v, argv, plain, true, NULL), 4);
    CHECK(v.json && !v.ort);
    CHECK(options_given(&v.json) && !options_given(&v.ort));
    CHECK(!options_given(NULL));
    CHECK(strcmp(argv[2], "--ort") == 0 && strcmp(argv[3], "--") == 0);
    v.json = false;
    CHECK_INT(parse(&v, argv, marked, true, NULL), 3);
    CHECK(!v.json && strcmp(argv[3], "--") == 0);
}

int main(void)
{
    check_lines();
    check_values();
    check_command();
    return test_result();
}
