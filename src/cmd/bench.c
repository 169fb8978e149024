/* bench.c -- runs a model under the meter, with inputs made for it.
 *
 * The command starts its own program again, as a worker, and meters that like
 * any other program: so the inferences of a benchmark are captured, stored and
 * reported as all others are. */
#include "analyse/run_figures.h"
#include "analyse/verdict/limit_to_bench.h"
#include "base/alloc.h"
#include "cmd/bench/bench_json.h"
#include "cmd/bench/bench_report.h"
#include "cmd/bench/bench_settings.h"
#include "cmd/bench/bench_text.h"
#include "cmd/bench/bench_worker.h"
#include "cmd/cli/argv_copy.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "cmd/text/term.h"
#include "os/process/self.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const char *why)
{
    (void)fprintf(stderr, "ortmeter bench: %s\n", why);
    return EXIT_FAILED;
}

/* --- the worker's side of it ------------------------------------------------
 */

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

/* Where the meter saw none of it, the points are as the worker timed them. */
static void own_sweep(struct sweep *out, const struct bench_report *r)
{
    if (r->row_count < 2 || out->count == r->row_count)
        return;
    free(out->points);
    *out = (struct sweep){
        .points = alloc_zero(r->row_count, sizeof(*out->points)),
        .count = r->row_count,
        .levels = r->rows[0].level != r->rows[r->row_count - 1].level,
    };
    for (size_t i = 0; i < r->row_count; i++)
        out->points[i] = (struct sweep_point){
            .batch = r->rows[i].batch,
            .level = (int)r->rows[i].level,
            .latency = r->rows[i].service,
            .done = r->rows[i].service.count,
            .rounds = 1,
            .wall_ns = (double)r->rows[i].wall_ns,
        };
}

static int report(const struct bench_settings *s, const struct bench_report *r,
        struct store *store, int64_t run, struct error *e)
{
    struct summary summary;
    struct buf text = { 0 };
    int rc = summary_read(&summary, store, run, e);

    if (rc)
        return rc;

    struct bench_energy *energy = alloc_zero(r->row_count, sizeof(*energy));

    rc = limit_to_bench(&summary, store, run, e);
    if (!rc)
        rc = bench_energy_read(energy, r, &summary, store, e);
    (void)run_figures_save(store, &summary, NULL); /* else `list` does it */
    /* Of an open loop, only the worker knows when each should have begun. */
    if (r->rows[0].response.count && r->row_count == 1)
        summary.latency = r->rows[0].response;
    own_sweep(&summary.sweep, r);
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
static int bench(const struct bench_settings *s, char *const *argv,
        char *const *shown, FILE *to)
{
    struct bench_report r = { 0 };
    struct metered_settings settings = s->metered;
    struct metered metered;
    struct error e = { 0 };
    int code = EXIT_GOOD;

    settings.shown = shown;
    settings.keeps_streams = true;
    if (metered_run(&metered, &settings, argv, &e))
        return complain(e.text);
    if (metered.outcome.record_failed)
        code = complain(metered.outcome.why.text);
    if (read_report(&r, to, &e))
        code = complain(e.text);
    explain_death(&r, &metered.outcome.run);
    if (r.row_count && (!s->quiet || s->out) &&
            report(s, &r, metered.store, metered.outcome.run.row, &e))
        code = complain(e.text);
    if (code == EXIT_GOOD && metered.outcome.alerts)
        code = EXIT_WORSE;
    if (r.error)
        code = complain(r.error);
    bench_report_release(&r);
    metered_close(&metered, "bench");
    return code;
}

static int start(const struct bench_settings *s, char *const *argv)
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
    (void)snprintf(worker, sizeof(worker), "%d", fileno(to));
    (void)setenv(BENCH_WORKER_VARIABLE, worker, 1);

    char **again = argv_copy(self, argv);
    char **shown = argv_copy("ortmeter", argv);
    int code = bench(s, again, shown, to);

    argv_free(again);
    argv_free(shown);
    (void)fclose(to);
    return code;
}

static int check(const struct cmd_call *c, struct error *e)
{
    return bench_settings_read(c->settings, c->words[0], e);
}

static int run(const struct cmd_call *c, struct error *e)
{
    struct bench_settings *s = c->settings;
    int rc = bench_settings_find_model(s, e);

    if (rc)
        return rc;
    return s->worker != BENCH_NOT_GIVEN ? bench_worker(s, e)
                                        : start(s, c->argv);
}

const struct cmd cmd_bench = {
    .name = "bench",
    .about = "run a model with made-up inputs and tell how fast it is",
    .usage = "[options] MODEL",
    .text = "Runs a model with inputs made for it, and tells how fast it is.  "
            "MODEL is\n"
            "an .onnx file, or a folder with one in it.  Dimensions that it "
            "leaves open\n"
            "are given by --dim or guessed from their names; the report says "
            "which.\n"
            "Every inference is recorded, as by `ortmeter run`.\n",
    .options = bench_options,
    .notes = "Exit code: 0 good, 1 the model could not be loaded or run, 2 "
             "wrong usage,\n"
             "3 an alert was raised.\n",
    .examples = "bench model.onnx\n"
                "bench model.onnx --count 500 --threads 1 --json\n"
                "bench bert.onnx --dim sequence_length=128 --batch 1,2,4,8,16\n"
                "bench model.onnx --qps 50 --duration 30 --concurrency 4\n"
                "bench model.onnx --compare-levels\n"
                "bench model.onnx --batch 1,2,4 --energy model\n",
    .words_max = 1,
    .settings_size = sizeof(struct bench_settings),
    .defaults = &bench_defaults,
    .check = check,
    .run = run,
};
