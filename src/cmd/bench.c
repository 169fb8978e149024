/* bench.c -- runs a model under the meter, with inputs made for it.
 *
 * The command starts its own program again, as a worker, and meters that like
 * any other program: so the inferences of a benchmark are captured, stored and
 * reported as all others are. */
#include "analyse/history.h"
#include "analyse/measured.h"
#include "base/alloc.h"
#include "cmd/bench_json.h"
#include "cmd/bench_report.h"
#include "cmd/bench_settings.h"
#include "cmd/bench_text.h"
#include "cmd/bench_worker.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/term.h"
#include "os/self.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
        "Usage: ortmeter bench [options] MODEL\n"
        "\n"
        "Runs a model with inputs made for it, and tells how fast it is.  "
        "MODEL is\n"
        "an .onnx file, or a folder with one in it.  Dimensions that it "
        "leaves open\n"
        "are given by --dim or guessed from their names; the report says "
        "which.\n"
        "Every inference is recorded, as by `ortmeter run`.\n"
        "\n"
        "Options:\n"
        "  --count N         measure N inferences ...\n"
        "  --duration S      ... or for S seconds, whichever is first; 1000 "
        "and 5\n"
        "                    if neither is given\n"
        "  --warmup N        inferences before that, which do not count; "
        "auto, if\n"
        "                    not given: until their times have settled\n"
        "  --dim NAME=N      the size of an open dimension; may be repeated.  "
        "One\n"
        "                    without a name is called INPUT:AXIS\n"
        "  --batch LIST      batch sizes to compare, as in 1,2,4,8\n"
        "  --compare-levels  compare ONNX Runtime's levels of graph "
        "optimisation\n"
        "  --concurrency N   threads that run each session at once; 1 if not "
        "given\n"
        "  --sessions N      sessions of the model, side by side; 1 if not "
        "given\n"
        "  --threads N       threads within an operator; ONNX Runtime's own "
        "choice\n"
        "                    if not given\n"
        "  --qps N           begin N inferences a second, whether or not those "
        "before\n"
        "                    have ended, and count latency from when each "
        "should have\n"
        "                    begun\n"
        "  --provider NAME   execution provider to ask for, like CUDA or "
        "XNNPACK\n"
        "  --ort PATH        the ONNX Runtime library to use\n"
        "  --rate HZ         how often to sample CPU, memory and I/O: 100 if "
        "not\n"
        "                    given, 0: not at all\n"
        "  --ops WHICH       record operators: off (default), all, N, auto; "
        "see run\n"
        "  --energy HOW      auto (default): what sensors measure; model: an "
        "estimate\n"
        "                    for the CPU; off\n"
        "  --idle-watts W, --full-watts W\n"
        "                    of this machine's CPU, for --energy model\n"
        "  --meter FROM      an external power meter; see run\n"
        "  --json            one JSON document instead of text\n"
        "  -o FILE           write that document to FILE, and print no "
        "report\n"
        "  --quiet           no report and no progress bar\n"
        "  --db FILE         the database to record into\n"
        "  --key-file FILE   the key that the database is encrypted with\n"
        "  --store URL       send the run to a server of many machines, too:\n"
        "                    clickhouse://USER@HOST:8123/DATABASE\n"
        "  --tag TEXT        a tag to find the run by; may be repeated\n"
        "  -h, --help        this text\n"
        "\n"
        "Exit code: 0 good, 1 the model could not be loaded or run, 2 wrong "
        "usage.\n"
        "\n"
        "Environment:\n"
        "  ORTMETER_ORT      the ONNX Runtime library, when --ort is not "
        "given\n"
        "  ORTMETER_DB       the database, when --db is not given\n"
        "\n"
        "Examples:\n"
        "  ortmeter bench model.onnx\n"
        "  ortmeter bench model.onnx --count 500 --threads 1 --json\n"
        "  ortmeter bench bert.onnx --dim sequence_length=128 --batch "
        "1,2,4,8,16\n"
        "  ortmeter bench model.onnx --qps 50 --duration 30 --concurrency 4\n"
        "  ortmeter bench model.onnx --compare-levels\n"
        "  ortmeter bench model.onnx --batch 1,2,4 --energy model\n";

static int complain(const char *why)
{
    (void)fprintf(stderr, "ortmeter bench: %s\n", why);
    return EXIT_FAILED;
}

/* --- the worker's side of it ------------------------------------------------
 */

/* Our own command line again, with the file that it is to report to. */
static char **worker_argv(const char *self, const char *worker, int argc,
        char *const *argv)
{
    char **all = alloc_zero((size_t)argc + 3, sizeof(*all));

    all[0] = alloc_text(self);
    all[1] = alloc_text(argv[0]);
    all[2] = alloc_text(worker);
    for (int i = 1; i < argc; i++)
        all[i + 2] = alloc_text(argv[i]);
    return all;
}

static void free_argv(char **argv)
{
    for (char **a = argv; *a; a++)
        free(*a);
    free(argv);
}

static int read_report(struct bench_report *out, FILE *from, struct error *e)
{
    struct buf bytes = { 0 };
    char piece[4096];
    size_t len;

    rewind(from);
    while ((len = fread(piece, 1, sizeof(piece), from)) > 0)
        buf_add(&bytes, piece, len);

    int rc = bench_report_parse(out, buf_str(&bytes));

    buf_release(&bytes);
    return rc ? fail(e, rc, "the worker's report makes no sense") : 0;
}

/* A worker that could not say why it ended. */
static void explain_death(struct bench_report *r, const struct run *run)
{
    struct buf why = { 0 };

    if (r->error || (!run->signal && !run->exit_code))
        return;
    if (run->signal)
        buf_printf(&why,
                "signal %d ended the process that ran the model, most likely "
                "within ONNX Runtime",
                run->signal);
    else
        buf_printf(&why, "the process that ran the model ended with code %d",
                run->exit_code);
    r->error = alloc_text(buf_cstr(&why));
    buf_release(&why);
}

/* --- the report -------------------------------------------------------------
 */

static int report(const struct bench_settings *s, const struct bench_report *r,
        struct store *store, int64_t run, struct error *e)
{
    struct summary summary;
    struct buf text = { 0 };
    int rc = summary_read(&summary, store, run, e);

    if (rc)
        return rc;

    struct bench_energy *energy = alloc_zero(r->row_count, sizeof(*energy));

    rc = measured_focus(&summary, store, run, e);
    if (!rc)
        rc = bench_energy_read(energy, r, &summary, store, e);
    (void)history_keep(store, &summary, NULL); /* else `list` does it */
    /* Of an open loop, only the worker knows when each should have begun. */
    if (r->rows[0].response.count)
        summary.latency = r->rows[0].response;
    if (!rc && (s->json || s->out))
        bench_json(&text, s, r, &summary, energy);
    else if (!rc)
        bench_text(&text, s, r, &summary, energy, term_colours(stdout));
    if (!rc)
        rc = output_write(s->out, buf_str(&text), e);
    free(energy);
    buf_release(&text);
    summary_release(&summary);
    return rc;
}

/* Runs the worker under the meter; `to` is where it reports to. */
static int bench(const struct bench_settings *s, char *const *argv, FILE *to)
{
    struct bench_report r = { 0 };
    struct metered metered;
    struct error e = { "" };
    int code = EXIT_GOOD;

    if (metered_run(&metered, &s->metered, argv, &e))
        return complain(e.text);
    if (metered.outcome.record_failed)
        code = complain(metered.outcome.why.text);
    if (read_report(&r, to, &e))
        code = complain(e.text);
    explain_death(&r, &metered.outcome.run);
    if (r.row_count && (!s->quiet || s->out) &&
            report(s, &r, metered.store, metered.outcome.run.row, &e))
        code = complain(e.text);
    if (r.error)
        code = complain(r.error);
    bench_report_release(&r);
    metered_close(&metered, "bench");
    return code;
}

static int start(const struct bench_settings *s, int argc, char *const *argv)
{
    char self[PATH_MAX];
    char worker[32];
    int rc = self_path(self, sizeof(self));
    FILE *to = tmpfile();

    if (rc || !to) {
        if (to)
            (void)fclose(to);
        return complain(rc ? "cannot find out where ortmeter itself lies"
                           : "cannot make a temporary file");
    }
    (void)snprintf(worker, sizeof(worker), "--worker=%d", fileno(to));

    char **again = worker_argv(self, worker, argc, argv);
    int code = bench(s, again, to);

    free_argv(again);
    (void)fclose(to);
    return code;
}

static int run(int argc, char **argv)
{
    struct bench_settings *s = alloc_zero(1, sizeof(*s));
    char **given = alloc_zero((size_t)argc + 1, sizeof(*given));
    struct error e = { "" };
    int code;

    /* Reading the options moves them about. */
    memcpy(given, argv, (size_t)argc * sizeof(*given));
    if (bench_settings_parse(s, argc, argv, &e))
        code = options_fail("bench", &e);
    else if (s->help)
        code = output_write(NULL, str_of(help), &e) ? complain(e.text)
                                                    : EXIT_GOOD;
    else if (bench_settings_find_model(s, &e))
        code = complain(e.text);
    else
        code = s->worker != BENCH_NOT_GIVEN ? bench_worker(s)
                                            : start(s, argc, given);
    free(given);
    free(s);
    return code;
}

const struct cmd cmd_bench = {
    .name = "bench",
    .about = "run a model with made-up inputs and tell how fast it is",
    .help = help,
    .run = run,
};
