/* run.c -- starts a program under the meter. */
#include "analyse/run_figures.h"
#include "analyse/summary.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "cmd/metered.h"
#include "cmd/text/energy_prices.h"
#include "cmd/text/summary_text.h"
#include "cmd/text/term.h"
#include "export/json/summary_json.h"
#include "os/path.h"
#include "os/process/child.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct settings {
    bool json, quiet;
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
    struct findings found = { .count = 0 };
    int rc = summary_read(&summary, store, run, e);

    if (rc)
        return rc;
    if (!s->out && !s->json)
        rc = findings_read(&found, &summary, store, run, e);
    (void)run_figures_save(store, &summary, NULL); /* else `list` does it */
    summary.prices = s->prices;
    if (s->out || s->json)
        summary_json(&text, &summary);
    else
        summary_text_with(&text, &summary, &found, term_colours(stderr));
    if (s->out && !rc)
        rc = output_write(s->out, buf_str(&text), e);
    else if (!s->out)
        (void)output_show(stderr, buf_str(&text));
    buf_release(&text);
    findings_release(&found);
    summary_release(&summary);
    return rc;
}

static int exit_code(const struct metered_outcome *o, bool all_is_well)
{
    if (o->run.signal)
        return 128 + o->run.signal;
    if (o->run.exit_code || all_is_well)
        return o->run.exit_code;
    return EXIT_FAILED;
}

/* The program is what counts: it runs also where it cannot be recorded. */
static int run_alone(const struct settings *s, const struct metered *m,
        char *const *argv, const struct error *e)
{
    if (!m->outcome.program_is_well || s->metered.strict)
        return complain(e);
    (void)fprintf(stderr,
            "ortmeter run: %s; the program runs and nothing is recorded\n",
            e->text);
    (void)execvp(argv[0], argv);
    (void)fprintf(stderr, "ortmeter run: cannot start %s: %s\n", argv[0],
            strerror(errno));
    return EXIT_FAILED;
}

static int run_program(const struct settings *s, char *const *argv)
{
    struct error e = { 0 };
    struct metered metered;

    if (metered_run(&metered, &s->metered, argv, &e))
        return run_alone(s, &metered, argv, &e);

    const struct metered_outcome outcome = metered.outcome;
    bool well = !outcome.record_failed;

    if (outcome.record_failed)
        (void)fprintf(stderr,
                "ortmeter run: %s; of %llu inferences the first %llu are "
                "kept\n",
                outcome.why.text, (unsigned long long)outcome.inferences,
                (unsigned long long)outcome.kept);
    if ((!s->quiet || s->out) &&
            report(s, metered.store, outcome.run.row, &e)) {
        (void)complain(&e);
        well = false;
    }
    metered_close(&metered, "run");
    if (outcome.run.signal)
        end_by_signal(outcome.run.signal);
    return exit_code(&outcome, well);
}

/* Before the program runs for an hour. */
static int check_out(struct settings *s, struct error *e)
{
    const char *slash = s->out ? strrchr(s->out, '/') : NULL;
    int len = slash ? (int)(slash - s->out) : 0;

    s->metered.keeps_streams =
            (s->out && strcmp(s->out, "-") == 0) ||
            (s->metered.meter && strcmp(s->metered.meter, "-") == 0);
    if (len && path_readable("%.*s/.", len, s->out))
        return fail(e, -ENOENT, "cannot write %.128s: there is no folder %.*s",
                s->out, len < 100 ? len : 100, s->out);
    return 0;
}

static int check(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;
    int rc = energy_prices(&s->prices, &s->price_options, e);

    if (rc)
        return rc;
    if (!c->word_count)
        return fail(e, -EINVAL, "there is no program to run");
    return metered_check(&s->metered, e);
}

static const struct option options[] = {
    OPTION_TEXT(NULL, 'o', struct settings, out, "FILE",
            "write the summary to FILE as JSON, and print no report"),
    OPTION_FLAG("json", 0, struct settings, json,
            "the report as JSON, on stderr"),
    OPTION_FLAG("quiet", 'q', struct settings, quiet,
            "no report; the run is recorded all the same"),
    METERED_OPTIONS(struct settings, metered),
    OPTION_MAYBE("wait", 0, struct settings, metered.wait, "[S]",
            "wait for the processes that the program leaves behind, at most S "
            "seconds",
            .rare = true),
    OPTION_FLAG("strict", 0, struct settings, metered.strict,
            "do not run the program when it cannot be recorded", .rare = true),
    OPTION_TEXT("region", 0, struct settings, price_options.region, "NAME",
            "where the electricity comes from, for its carbon", .rare = true),
    OPTION_REAL("price", 0, struct settings, price_options.price, "P",
            "of a kWh", .rare = true),
    OPTION_END,
};

static int run(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;
    int rc = check_out(s, e);

    return rc ? rc : run_program(s, c->words);
}

const struct cmd cmd_run = {
    .name = "run",
    .about = "run a program and record every inference in it",
    .usage = "[options] [--] PROGRAM [arguments]",
    .text = "Runs the program, unchanged, and records every ONNX Runtime "
            "inference\n"
            "of it and of the programs that it starts.  Its input, output and "
            "exit\n"
            "code are its own; the report comes on stderr when it has ended.\n",
    .options = options,
    .notes = "Signals go to the program, and it ends us as it ends: by its "
             "exit code,\n"
             "or by the signal that ended it (128 + N in a shell).  1 when it "
             "could not\n"
             "be started, or when recording had to stop and it succeeded.  "
             "Where there\n"
             "is no place to record to it runs all the same, unless --strict.\n"
             "\n"
             "Environment:\n"
             "  ORTMETER_STORE_PASSWORD  of the server that --store "
             "names\n" PUSH_OPTIONS_NOTES,
    .examples =
            "run -- node app.js\n"
            "run --tag nightly -o summary.json -- ./detector --once\n"
            "run --db /tmp/try.db ./server\n"
            "run --otlp http://localhost:4318 -- ./server\n"
            "run --remote-write http://localhost:8428/api/v1/write ./server\n",
    .words_max = CMD_WORDS_ANY,
    .command = true,
    .settings_size = sizeof(struct settings),
    .check = check,
    .defaults = &(const struct settings){ .metered = METERED_SETTINGS },
    .run = run,
};
