/* export.c -- a recorded run, in the formats of others. */
#include "cmd/cmd.h"
#include "cmd/export_folder.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/source.h"
#include "export/formats.h"
#include "export/table.h"
#include "os/clock.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* In a file of a format that holds one table, unless another is named. */
#define MAIN_TABLE "inferences"

static const char help[] =
        "Usage: ortmeter export -f FORMAT [options] [RUN]\n"
        "\n"
        "Writes a recorded run for other tools.  RUN is its id, the beginning\n"
        "of one, or 'last', which is also meant when it is left out.\n"
        "\n"
        "Formats:\n";

static const char help_options[] =
        "\n"
        "Options:\n"
        "  -f, --format FORMAT   the format\n"
        "  -o, --out PATH        write to a file instead of stdout; into a\n"
        "                        folder (one that is there, or a PATH with / "
        "at\n"
        "                        its end): one file for each table\n"
        "  -z, --gzip            compressed; of parquet: the pages in the "
        "file\n"
        "  --table NAME          that table only: csv, jsonl, parquet; a "
        "parquet\n"
        "                        file holds one, inferences if none is "
        "named\n"
        "  --shape NAME          another content of the format, as above\n"
        "  --codec NAME          how the pages of parquet are packed: zstd\n"
        "                        (the default), gzip or none\n"
        "  --quiet               no progress on stderr\n"
        "  --db FILE             the database to read\n"
        "  --key-file FILE       the key of a database that is encrypted\n"
        "  --store URL           a server with the runs of many machines:\n"
        "                        clickhouse://USER@HOST:8123/DATABASE\n"
        "  -h, --help            this text\n"
        "\n"
        "Exit code: 0 good, 1 there is no such run or it cannot be written, 2\n"
        "wrong usage.\n"
        "\n"
        "Examples:\n"
        "  ortmeter export -f chrome -o trace.json\n"
        "  ortmeter export 3f2a -f json -z -o run.json.gz\n"
        "  ortmeter export -f csv --table inferences\n"
        "  ortmeter export -f parquet -o tables/\n"
        "  ortmeter export -f html -o run.html\n";

static const char *const codecs[] = { "zstd", "gzip", "none", NULL };

struct settings {
    bool gzip, quiet, help;
    const char *format, *out, *table, *shape;
    struct option_choice codec;
    struct source source;
};

/* --- what is asked for ---------------------------------------------------- */

static const struct export_shape *find_shape(const struct export_format *f,
        const char *name)
{
    for (const struct export_shape *x = f->shapes; x && x->name; x++)
        if (strcmp(x->name, name) == 0)
            return x;
    return NULL;
}

static int check_format(const struct settings *s, struct error *e)
{
    struct buf names = { 0 };
    int rc = 0;

    for (const struct export_format *const *f = export_formats; *f; f++)
        buf_printf(&names, "%s%s", names.len ? ", " : "", (*f)->name);
    if (!s->format)
        rc = fail(e, -EINVAL, "there is no format: give -f and one of %s",
                buf_cstr(&names));
    else if (!export_format_find(s->format))
        rc = fail(e, -EINVAL, "there is no format '%.32s'; there are %s",
                s->format, buf_cstr(&names));
    buf_release(&names);
    return rc;
}

static int check_parts(const struct settings *s, const struct export_format *f,
        struct error *e)
{
    if (s->table && !f->write_table)
        return fail(e, -EINVAL, "%s has no tables: leave --table out", f->name);
    if (s->table && !table_find(s->table))
        return fail(e, -EINVAL, "there is no table '%.64s'", s->table);
    if (s->shape && !find_shape(f, s->shape))
        return fail(e, -EINVAL, "%s has no shape '%.64s'", f->name, s->shape);
    if (s->table && s->shape)
        return fail(e, -EINVAL, "a shape is of a whole run, not of a table");
    if (s->codec.index && !f->has_pages)
        return fail(e, -EINVAL, "%s has no pages: leave --codec out", f->name);
    return 0;
}

static int check(const struct settings *s, struct error *e)
{
    int rc = check_format(s, e);

    if (rc)
        return rc;

    const struct export_format *f = export_format_find(s->format);
    bool folder = export_is_folder(f, s->out);

    rc = check_parts(s, f, e);
    if (rc)
        return rc;
    if (folder && !f->write_table)
        return fail(e, -EINVAL, "%s is one file, and '%.128s' is a folder",
                f->name, s->out);
    if ((s->gzip || f->binary) && !s->out && isatty(STDOUT_FILENO))
        return fail(e, -EINVAL,
                "a terminal cannot show what is packed: give -o FILE");
    return 0;
}

/* --- writing it ----------------------------------------------------------- */

static void watch(void *progress, uint64_t bytes)
{
    progress_bytes(progress, mono_ns(), bytes);
}

static int write_file(const struct settings *s, const struct export_format *f,
        const struct export_to *to, struct error *e)
{
    const char *table = s->table || f->write ? s->table : MAIN_TABLE;
    struct sink *sink = NULL;
    int rc = sink_open(&sink, s->out, to->gzip, e);

    if (rc)
        return rc;
    sink_watch(sink, to->watch, to->context);
    if (table)
        rc = f->write_table(sink, table_find(table), to->store, to->run,
                to->codec, e);
    else if (s->shape)
        rc = find_shape(f, s->shape)->write(sink, to->store, to->run, e);
    else
        rc = f->write(sink, to->store, to->run, e);

    int closed = sink_close(sink, !rc, rc ? NULL : e);

    return rc ? rc : closed;
}

static int export(const struct settings *s, const char *name, struct error *e)
{
    const struct export_format *f = export_format_find(s->format);
    struct progress progress;
    struct export_to to = {
        .codec = s->gzip && f->has_pages ? EXPORT_GZIP
                                         : (enum export_codec)s->codec.index,
        .gzip = s->gzip && !f->has_pages,
        .watch = watch,
        .context = &progress,
    };
    int rc = source_open_run(&to.store, &to.run, &s->source, name, e);

    progress_open(&progress, s->quiet || !s->out);
    progress_begin(&progress, f->name);
    if (!rc)
        rc = export_is_folder(f, s->out)
                     ? export_folder(f, &to, s->out, s->table, e)
                     : write_file(s, f, &to, e);
    progress_close(&progress);
    store_close(to.store);
    return rc;
}

/* --- the command ---------------------------------------------------------- */

static int print_help(struct error *e)
{
    struct buf text = { 0 };

    buf_text(&text, help);
    export_formats_text(&text);
    buf_text(&text, "\nTables:\n");
    tables_text(&text);
    buf_text(&text, help_options);

    int rc = output_write(NULL, buf_str(&text), e);

    buf_release(&text);
    return rc;
}

static int run(int argc, char **argv)
{
    struct settings s = { .codec = { .all = codecs } };
    struct error e = { "" };
    const struct option table[] = {
        { "format", 'f', OPTION_TEXT, &s.format },
        { "gzip", 'z', OPTION_FLAG, &s.gzip },
        { "out", 'o', OPTION_TEXT, &s.out },
        { "table", 0, OPTION_TEXT, &s.table },
        { "shape", 0, OPTION_TEXT, &s.shape },
        { "codec", 0, OPTION_CHOICE, &s.codec },
        { "quiet", 0, OPTION_FLAG, &s.quiet },
        SOURCE_OPTIONS(s.source),
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = { .table = table, .max_words = 1 };
    int words = options_parse(&options, argc, argv, &e);

    if (words < 0 || (!s.help && check(&s, &e)))
        return options_fail("export", &e);

    int rc = s.help ? print_help(&e) : export(&s, words ? argv[1] : "last", &e);

    return options_end("export", rc, &e);
}

const struct cmd cmd_export = {
    .name = "export",
    .about = "a recorded run in the formats of others",
    .help = help,
    .run = run,
};
