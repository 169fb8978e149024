/* test_help.c -- what --help prints: of a made verb to the letter, of all verbs
 * what holds of each. */
#include "cmd/cli/help.h"

#include "test.h"

#include <string.h>

struct values {
    bool json;
    const char *out, *ort;
    uint64_t worker;
};

static const struct option table[] = {
    OPTION_TEXT("out", 'o', struct values, out, "FILE",
            "write to FILE, which is then as long as what was written to it "
            "is, and no longer"),
    OPTION_FLAG("json", 0, struct values, json, "JSON"),
    OPTION_TEXT("a-rather-long-option", 0, struct values, ort, "PATH",
            "the library", .variable = "ORTMETER_ORT", .rare = true),
    OPTION_NUMBER("worker", 0, struct values, worker, NULL, NULL),
    OPTION_END,
};

static const char expected[] =
        "Usage: ortmeter try [options] FILE\n"
        "\n"
        "Tries it.\n"
        "\n"
        "Options:\n"
        "  -o, --out FILE  write to FILE, which is then as long as what was "
        "written to\n"
        "                  it is, and no longer\n"
        "  --json          JSON\n"
        "  -h, --help      this text\n"
        "\n"
        "More options:\n"
        "  --a-rather-long-option PATH\n"
        "                  the library (else ORTMETER_ORT)\n"
        "\n"
        "Exit code: 0.\n"
        "\n"
        "Examples:\n"
        "  ortmeter try a\n"
        "  ortmeter try b\n";

static void check_made(void)
{
    const struct cmd c = {
        .name = "try",
        .usage = "[options] FILE",
        .text = "Tries it.\n",
        .options = table,
        .notes = "Exit code: 0.\n",
        .examples = "try a\ntry b\n",
    };
    struct buf text = { 0 };

    help_text(&text, &c);
    CHECK(strcmp(buf_cstr(&text), expected) == 0);
    buf_release(&text);
}

/* An option is named once, and nothing is wider than a terminal. */
static void check_verb(const struct cmd *c)
{
    struct buf text = { 0 };
    size_t bits = 0;

    help_text(&text, c);
    for (const char *line = buf_cstr(&text); *line;) {
        size_t len = strcspn(line, "\n");

        CHECK(len <= 80);
        line += len + (line[len] == '\n');
    }
    for (const struct option *a = c->options; a->kind != OPTION_IS_END; a++) {
        bits++;
        CHECK(a->at < c->settings_size);
        CHECK((a->choices != NULL) == (a->kind == OPTION_IS_CHOICE));
        for (const struct option *b = a + 1; b->kind != OPTION_IS_END; b++) {
            CHECK(!a->name || !b->name || strcmp(a->name, b->name) != 0);
            CHECK(!a->letter || a->letter != b->letter);
        }
    }
    CHECK(bits <= 64); /* options_parse() keeps one of each */
    CHECK(cmd_find(c->name) == c);
    buf_release(&text);
}

int main(void)
{
    check_made();
    for (const struct cmd *const *c = cmd_table; *c; c++)
        check_verb(*c);
    CHECK(!cmd_find("nonsense"));
    return test_result();
}
