/* run.c -- starts a program under the meter. */
#include "analyse/history.h"
#include "analyse/summary.h"
#include "cmd/cmd.h"
#include "cmd/energy_prices.h"
#include "cmd/metered.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/summary_text.h"
#include "cmd/term.h"
#include "export/summary_json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

static const char help[] =
        "Usage: ortmeter run [options] [--] PROGRAM [arguments]\n"
        "\n"
        "Runs the program, unchanged, and records every ONNX Runtime "
        "inference\n"
        "of it and of the programs that it starts.  Its input, output and "
        "exit\n"
        "code are its own; the report comes on stderr when it has ended.\n"
        "\n"
        "Options:\n"
        "  -o FILE         write the summary to FILE as JSON, and no report\n"
        "  --json          the report as JSON, on stderr\n"
        "  --quiet         no report; the run is recorded all the same\n"
        "  --db FILE       the database to record into\n"
        "  --key-file FILE the key that the database is encrypted with\n"
        "  --store URL     send the run to a server of many machines, too:\n"
        "                  clickhouse://USER@HOST:8123/DATABASE\n"
        "  --tag TEXT      a tag to find the run by; may be repeated\n"
        "  --buffer N      records that a process may be ahead of us: a power\n"
        "                  of 2, 64 bytes each; if not given 65536, with\n"
        "                  operators 262144\n"
        "  --ops WHICH     record the operators of: off, no inference "
        "(default);\n"
        "                  all; a number N, one in N; auto, as many as cost\n"
        "                  less than 1 % of the time (ONNX Runtime 1.25 or "
        "later)\n"
        "  --rate HZ       how often to sample CPU, memory and I/O of the "
        "program;\n"
        "                  100 if not given, 0: not at all\n"
        "  --energy HOW    joules: auto, what sensors say (default); model, "
        "an\n"
        "                  estimate where no sensor measures the CPU; off\n"
        "  --meter FROM    an external meter's lines 'seconds watts': a "
        "file,\n"
        "                  a pipe, or tcp:HOST:PORT\n"
        "  --meter-offset S\n"
        "                  seconds to add to the meter's times, instead of\n"
        "                  finding them from the load\n"
        "  --region NAME   where the electricity comes from, for its carbon\n"
        "  --price P       of a kWh\n"
        "  --idle-watts W, --full-watts W, --tdp W\n"
        "                  what is known of the CPU, for the "
        "model\n" PUSH_OPTIONS_HELP "  -h, --help      this text\n"
        "\n"
        "Exit code: the program's; 128 + N when signal N ended it; 1 when it\n"
        "could not be started, or when recording had to stop and it "
        "succeeded.\n"
        "\n"
        "Environment:\n"
        "  ORTMETER_DB     the database, when --db is not given\n"
        "  ORTMETER_STORE  the server, when --store is not given; its "
        "password\n"
        "                  may be in "
        "ORTMETER_STORE_PASSWORD\n" PUSH_OPTIONS_ENVIRONMENT "\n"
        "Examples:\n"
        "  ortmeter run -- node app.js\n"
        "  ortmeter run --tag nightly -o summary.json -- ./detector --once\n"
        "  ortmeter run --db /tmp/try.db ./server\n"
        "  ortmeter run --otlp http://localhost:4318 -- ./server\n"
        "  ortmeter run --remote-write http://localhost:8428/api/v1/write "
        "./server\n";

struct settings {
    bool json, quiet, help;
    const char *out;
    struct metered_settings metered;
    struct energy_price_options price_options;
    struct energy_prices prices;
};

static int complain(const struct error *e)
{
    (void)fprintf(stderr, "ortmeter run: %s\n", e->text);
    return EXIT_FAILED;
}

/* To a file as JSON, or to stderr. */
static int report(const struct settings *s, struct store *store, int64_t run,
        struct error *e)
{
    struct summary summary;
    struct buf text = { 0 };
    int rc = summary_read(&summary, store, run, e);

    if (rc)
        return rc;
    (void)history_keep(store, &summary, NULL); /* else `list` does it */
    summary.prices = s->prices;
    if (s->out || s->json)
        summary_json(&text, &summary);
    else
        summary_text(&text, &summary, term_colours(stderr));
    if (s->out)
        rc = output_write(s->out, buf_str(&text), e);
    else
        (void)fwrite(text.p, 1, text.len, stderr);
    buf_release(&text);
    summary_release(&summary);
    return rc;
}

static int exit_code(const struct session_outcome *o, bool all_is_well)
{
    if (o->run.signal)
        return 128 + o->run.signal;
    if (o->run.exit_code || all_is_well)
        return o->run.exit_code;
    return EXIT_FAILED;
}

static int run_program(const struct settings *s, char *const *argv)
{
    struct error e = { "" };
    struct metered metered;

    if (metered_run(&metered, &s->metered, argv, &e))
        return complain(&e);

    const struct session_outcome outcome = metered.outcome;
    bool well = !outcome.record_failed;

    if (outcome.record_failed)
        (void)complain(&outcome.why);
    if ((!s->quiet || s->out) &&
            report(s, metered.store, outcome.run.row, &e)) {
        (void)complain(&e);
        well = false;
    }
    metered_close(&metered, "run");
    return exit_code(&outcome, well);
}

static int check(struct settings *s, int words, struct error *e)
{
    int rc = energy_prices(&s->prices, &s->price_options, e);

    if (rc)
        return rc;
    if (!words)
        return fail(e, -EINVAL, "there is no program to run");
    return metered_check(&s->metered, e);
}

static int run(int argc, char **argv)
{
    struct settings s = {
        .metered = { .ops = "off",
                .hz = METERED_HZ,
                .energy.all = energy_mode_names,
                .push = PUSH_SETTINGS },
    };
    struct error e = { "" };
    const struct option table[] = {
        { "json", 0, OPTION_FLAG, &s.json },
        { "quiet", 'q', OPTION_FLAG, &s.quiet },
        { NULL, 'o', OPTION_TEXT, &s.out },
        { "db", 0, OPTION_TEXT, &s.metered.db },
        { "key-file", 0, OPTION_TEXT, &s.metered.key_file },
        { "store", 0, OPTION_TEXT, &s.metered.store },
        { "tag", 0, OPTION_TEXTS, &s.metered.tags },
        { "buffer", 0, OPTION_NUMBER, &s.metered.buffer },
        { "ops", 0, OPTION_TEXT, &s.metered.ops },
        { "rate", 0, OPTION_REAL, &s.metered.hz },
        { "energy", 0, OPTION_CHOICE, &s.metered.energy },
        { "region", 0, OPTION_TEXT, &s.price_options.region },
        { "price", 0, OPTION_REAL, &s.price_options.price },
        { "meter", 0, OPTION_TEXT, &s.metered.meter },
        { "meter-offset", 0, OPTION_TEXT, &s.metered.meter_offset },
        { "idle-watts", 0, OPTION_REAL, &s.metered.watts.idle_watts },
        { "full-watts", 0, OPTION_REAL, &s.metered.watts.full_watts },
        { "tdp", 0, OPTION_REAL, &s.metered.watts.tdp_watts },
        PUSH_OPTIONS(s.metered.push),
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = {
        .table = table,
        .max_words = INT_MAX,
        .command = true,
    };
    int words = options_parse(&options, argc, argv, &e);

    if (words < 0)
        return options_fail("run", &e);
    if (s.help)
        return output_write(NULL, str_of(help), &e) ? complain(&e) : EXIT_GOOD;
    if (check(&s, words, &e))
        return options_fail("run", &e);
    argv[words + 1] = NULL;
    return run_program(&s, argv + 1);
}

const struct cmd cmd_run = {
    .name = "run",
    .about = "run a program and record every inference in it",
    .help = help,
    .run = run,
};
