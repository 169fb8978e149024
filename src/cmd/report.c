/* report.c -- a recorded run in figures. */
#include "analyse/pipeline.h"
#include "analyse/summary.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/pipeline_text.h"
#include "cmd/source.h"
#include "cmd/summary_text.h"
#include "cmd/term.h"
#include "export/pipeline_json.h"
#include "export/summary_json.h"

#include <string.h>

static const char help[] =
        "Usage: ortmeter report [options] [RUN]\n"
        "\n"
        "Prints what a recorded run showed.  RUN is its id, the beginning of\n"
        "one, or 'last', which is also meant when it is left out.\n"
        "\n"
        "Options:\n"
        "  --pipeline        only where the time and energy of its sections\n"
        "                    went, by phase\n"
        "  --json            one JSON document instead of text\n"
        "  --db FILE         the database to read\n"
        "  --key-file FILE   the key of a database that is encrypted\n"
        "  --store URL       a server with the runs of many machines:\n"
        "                    clickhouse://USER@HOST:8123/DATABASE\n"
        "  -o FILE           write to FILE\n"
        "  -h, --help        this text\n"
        "\n"
        "Exit code: 0 good, 1 there is no such run or it cannot be read, 2\n"
        "wrong usage.\n"
        "\n"
        "Examples:\n"
        "  ortmeter report\n"
        "  ortmeter report 3f2a --json\n"
        "  ortmeter report last --json -o summary.json\n"
        "  ortmeter report --pipeline\n";

struct settings {
    bool json, help, pipeline;
    const char *out;
    struct source source;
};

static void take_id(void *to, const struct run *r)
{
    memcpy(to, r->id, sizeof(r->id));
}

static int report_pipeline(struct buf *text, const struct settings *s,
        struct store *store, int64_t row, struct error *e)
{
    char id[RUN_ID_LEN + 1] = "";
    struct pipeline p;
    int rc = store_read_run(store, row, take_id, id, e);

    if (!rc)
        rc = pipeline_read(&p, store, row, e);
    if (rc)
        return rc;
    if (s->json)
        pipeline_json(text, &p, id);
    else
        pipeline_text(text, &p, !s->out && term_colours(stdout));
    pipeline_release(&p);
    return 0;
}

static int report_summary(struct buf *text, const struct settings *s,
        struct store *store, int64_t row, struct error *e)
{
    struct summary summary;
    int rc = summary_read(&summary, store, row, e);

    if (rc)
        return rc;
    if (s->json)
        summary_json(text, &summary);
    else
        summary_text(text, &summary, !s->out && term_colours(stdout));
    summary_release(&summary);
    return 0;
}

static int report(const struct settings *s, const char *name, struct error *e)
{
    struct store *store = NULL;
    struct buf text = { 0 };
    int64_t row = 0;
    int rc = source_open_run(&store, &row, &s->source, name, e);

    if (!rc)
        rc = (s->pipeline ? report_pipeline : report_summary)(&text, s, store,
                row, e);
    store_close(store);
    if (!rc)
        rc = output_write(s->out, buf_str(&text), e);
    buf_release(&text);
    return rc;
}

static int run(int argc, char **argv)
{
    struct settings s = { 0 };
    struct error e = { "" };
    const struct option table[] = {
        { "json", 0, OPTION_FLAG, &s.json },
        { "pipeline", 0, OPTION_FLAG, &s.pipeline },
        SOURCE_OPTIONS(s.source),
        { NULL, 'o', OPTION_TEXT, &s.out },
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = { .table = table, .max_words = 1 };
    int words = options_parse(&options, argc, argv, &e);

    if (words < 0)
        return options_fail("report", &e);

    int rc = s.help ? output_write(NULL, str_of(help), &e)
                    : report(&s, words ? argv[1] : "last", &e);

    return options_end("report", rc, &e);
}

const struct cmd cmd_report = {
    .name = "report",
    .about = "a recorded run in figures",
    .help = help,
    .run = run,
};
