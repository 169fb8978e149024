/* export.c -- a recorded run, in the formats of others. */
#include "cmd/cmd.h"
#include "cmd/database.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "export/formats.h"

#include <errno.h>
#include <unistd.h>

static const char help[] =
        "Usage: ortmeter export -f FORMAT [options] [RUN]\n"
        "\n"
        "Writes a recorded run for other tools.  RUN is its id, the beginning\n"
        "of one, or 'last', which is also meant when it is left out.\n"
        "\n"
        "Formats:\n"
        "  chrome   a timeline, for Perfetto (ui.perfetto.dev) and\n"
        "           chrome://tracing: JSON\n"
        "\n"
        "Options:\n"
        "  -f, --format FORMAT   the format\n"
        "  -o, --out FILE        write to FILE instead of stdout\n"
        "  -z, --gzip            compressed\n"
        "  --db FILE             the database to read\n"
        "  -h, --help            this text\n"
        "\n"
        "Exit code: 0 good, 1 there is no such run or it cannot be written, 2\n"
        "wrong usage.\n"
        "\n"
        "Examples:\n"
        "  ortmeter export -f chrome -o trace.json\n"
        "  ortmeter export 3f2a -f chrome -z -o trace.json.gz\n";

struct settings {
    bool gzip, help;
    const char *format, *out, *db;
};

static int export(const struct settings *s, const struct export_format *format,
        const char *name, struct error *e)
{
    struct store *store = NULL;
    struct sink *sink = NULL;
    int64_t row = 0;
    int rc = database_open(&store, s->db, STORE_READ, e);

    if (!rc)
        rc = store_find_run(store, name, &row, e);
    if (!rc)
        rc = sink_open(&sink, s->out, s->gzip, e);
    if (!rc) {
        rc = format->write(sink, store, row, e);

        int closed = sink_close(sink, !rc, rc ? NULL : e);

        rc = rc ? rc : closed;
    }
    store_close(store);
    return rc;
}

static int check(const struct settings *s, struct error *e)
{
    if (!s->format)
        return fail(e, -EINVAL, "there is no format: give -f chrome");
    if (!export_format_find(s->format))
        return fail(e, -EINVAL, "there is no format '%.64s'", s->format);
    if (s->gzip && !s->out && isatty(STDOUT_FILENO))
        return fail(e, -EINVAL,
                "a terminal cannot show what is compressed: give -o FILE");
    return 0;
}

static int run(int argc, char **argv)
{
    struct settings s = { 0 };
    struct error e = { "" };
    const struct option table[] = {
        { "format", 'f', OPTION_TEXT, &s.format },
        { "gzip", 'z', OPTION_FLAG, &s.gzip },
        { "out", 'o', OPTION_TEXT, &s.out },
        { "db", 0, OPTION_TEXT, &s.db },
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = { .table = table, .max_words = 1 };
    int words = options_parse(&options, argc, argv, &e);

    if (words < 0 || (!s.help && check(&s, &e)))
        return options_fail("export", &e);

    int rc = s.help ? output_write(NULL, str_of(help), &e)
                    : export(&s, export_format_find(s.format),
                              words ? argv[1] : "last", &e);

    if (rc) {
        (void)fprintf(stderr, "ortmeter export: %s\n", e.text);
        return EXIT_FAILED;
    }
    return EXIT_GOOD;
}

const struct cmd cmd_export = {
    .name = "export",
    .about = "a recorded run in the formats of others",
    .help = help,
    .run = run,
};
