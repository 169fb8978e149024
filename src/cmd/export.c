/* export.c -- a recorded run, in the formats of others. */
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/progress.h"
#include "cmd/cli/source.h"
#include "cmd/cmd.h"
#include "cmd/export_folder.h"
#include "export/formats.h"
#include "export/table/table.h"
#include "os/clock.h"
#include "os/process/self.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* In a file of a format that holds one table, unless another is named. */
#define MAIN_TABLE "inferences"

static const char *const codecs[] = { "zstd", "gzip", "none", NULL };

struct settings {
    bool gzip, quiet;
    const char *format, *out, *table, *shape;
    int codec; /* of codecs */
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
    if (s->codec && !f->has_pages)
        return fail(e, -EINVAL, "%s has no pages: leave --codec out", f->name);
    return 0;
}

static int check(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;
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
    if ((s->gzip || f->binary) && !s->out && self_is_terminal(stdout))
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
                                         : (enum export_codec)s->codec,
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

static const struct option options[] = {
    OPTION_TEXT("format", 'f', struct settings, format, "FORMAT", "the format"),
    OPTION_FLAG("gzip", 'z', struct settings, gzip,
            "compressed; of parquet: the pages in the file"),
    OPTION_TEXT("out", 'o', struct settings, out, "PATH",
            "write to a file instead of stdout; into a folder (one that is "
            "there, or a PATH with / at its end): one file for each table"),
    OPTION_TEXT("table", 0, struct settings, table, "NAME",
            "that table only: csv, jsonl, parquet; a parquet file holds one, "
            "inferences if none is named"),
    OPTION_TEXT("shape", 0, struct settings, shape, "NAME",
            "another content of the format, as above"),
    OPTION_CHOICE("codec", 0, struct settings, codec, codecs, "NAME",
            "how the pages of parquet are packed: zstd (the default), gzip or "
            "none"),
    OPTION_FLAG("quiet", 0, struct settings, quiet, "no progress on stderr"),
    SOURCE_OPTIONS(struct settings, source),
    OPTION_END,
};

static void more(struct buf *out)
{
    export_formats_text(out);
    buf_text(out, "\nTables:\n");
    tables_text(out);
}

static int run(const struct cmd_call *c, struct error *e)
{
    return export(c->settings, c->word_count ? c->words[0] : "last", e);
}

const struct cmd cmd_export = {
    .name = "export",
    .about = "a recorded run in the formats of others",
    .usage = "-f FORMAT [options] [RUN]",
    .text = "Writes a recorded run for other tools.  RUN is its id, the "
            "beginning\n"
            "of one, or 'last', which is also meant when it is left out.\n"
            "\n"
            "Formats:\n",
    .more = more,
    .options = options,
    .notes = "Exit code: 0 good, 1 there is no such run or it cannot be "
             "written, 2\n"
             "wrong usage.\n",
    .examples = "export -f chrome -o trace.json\n"
                "export 3f2a -f json -z -o run.json.gz\n"
                "export -f csv --table inferences\n"
                "export -f parquet -o tables/\n"
                "export -f html -o run.html\n",
    .words_max = 1,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
