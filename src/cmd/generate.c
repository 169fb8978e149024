/* generate.c -- makes text with a language model, and tells what it took.
 *
 * The command starts its own program again, as a worker, and meters that like
 * any other program: so the inferences of a generation are captured, stored and
 * reported as all others are. */
#include "analyse/run_figures.h"
#include "base/alloc.h"
#include "base/json_member.h"
#include "base/json_read.h"
#include "cmd/cli/argv_copy.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "cmd/generate/generate_settings.h"
#include "cmd/generate/generate_worker.h"
#include "cmd/text/summary_text.h"
#include "cmd/text/term.h"
#include "export/json/summary_json.h"
#include "os/process/self.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const char *why)
{
    (void)fprintf(stderr, "ortmeter generate: %s\n", why);
    return EXIT_FAILED;
}

/* --- what the worker told
 * ------------------------------------------------------ */

/* It stands behind the line that was handed over. */
static void read_report(struct buf *out, FILE *from)
{
    char piece[16384];
    size_t len;
    int c;

    rewind(from);
    while ((c = getc(from)) != EOF && c != '\n')
        continue;
    while ((len = fread(piece, 1, sizeof(piece), from)) > 0)
        buf_add(out, piece, len);
}

/* Why there is no whole report; false: there is one. */
static bool explain(struct buf *why, struct str report, const struct run *run)
{
    if (json_is_sound(report))
        return json_member_text(why, report, "error");
    if (run->signal)
        buf_printf(why,
                "signal %d ended the process that ran the model, most likely "
                "within ONNX Runtime",
                run->signal);
    else
        buf_printf(why, "the process that ran the model ended with code %d",
                run->exit_code);
    return true;
}

/* --- the report
 * ------------------------------------------------------------------ */

static double number_in(struct str object, const char *key)
{
    double value = -1;

    (void)str_f64(&value, json_member(object, key));
    return value;
}

/* A line for each generation: how long the prompt was, and what it took. */
static void generation_lines(struct buf *out, struct str own)
{
    struct str rest = json_member(own, "generations"), one;

    buf_text(out, "\nprompt tokens      made   first token   each later one\n");
    while (json_next_element(&rest, &one) > 0) {
        struct str tokens = json_member(one, "tokens"), token;
        size_t made = 0;
        double later = number_in(one, "tpot_ms");

        while (json_next_element(&tokens, &token) > 0)
            made++;
        buf_printf(out, "%13.0f %9zu %10.2f ms",
                number_in(one, "prompt_tokens"), made,
                number_in(one, "ttft_ms"));
        if (later >= 0)
            buf_printf(out, " %13.2f ms", later);
        buf_char(out, '\n');
    }
}

/* "first token 1.20 ms + 35.1 us a token [34.8, 35.4]". */
static void scaling_line(struct buf *out, struct str scaling, const char *key,
        const char *label)
{
    struct str fit = json_member(scaling, key), each, end;
    double us[2] = { 0, 0 };

    if (!fit.len)
        return;
    each = json_member(fit, "each_token_interval");
    for (int i = 0; i < 2 && json_next_element(&each, &end) > 0; i++)
        if (str_f64(&us[i], end))
            return;
    buf_printf(out,
            "%-14s %.4g ms + %.4g us for each token before [%.4g, %.4g]\n",
            label, number_in(fit, "fixed"), 1e3 * number_in(fit, "each_token"),
            1e3 * us[0], 1e3 * us[1]);
}

/* "first token 1.20 ms [1.15, 1.25], stddev 0.03 ms, median 1.19 ms". */
static void statistics_line(struct buf *out, struct str one, const char *key,
        const char *label)
{
    struct str f = json_member(one, key), both, end;
    double ms[2] = { 0, 0 };

    if (!f.len)
        return;
    both = json_member(f, "mean_interval");
    for (int i = 0; i < 2 && json_next_element(&both, &end) > 0; i++)
        (void)str_f64(&ms[i], end);
    buf_printf(out,
            "%13.0f  %-14s %.4g ms [%.4g, %.4g]  median %.4g  stddev %.3g  "
            "in %.0f generations\n",
            number_in(one, "prompt_tokens"), label, number_in(f, "mean"), ms[0],
            ms[1], number_in(f, "median"), number_in(f, "stddev"),
            number_in(f, "count"));
}

static void statistics_lines(struct buf *out, struct str own)
{
    struct str rest = json_member(own, "statistics"), one;

    if (!rest.len)
        return;
    buf_text(out, "\nprompt tokens  mean, and where it lies with 95 %\n");
    while (json_next_element(&rest, &one) > 0) {
        statistics_line(out, one, "ttft_ms", "first token");
        statistics_line(out, one, "tpot_ms", "each later one");
    }
}

static void scaling_lines(struct buf *out, struct str own)
{
    struct str scaling = json_member(own, "scaling");

    if (!scaling.len)
        return;
    buf_char(out, '\n');
    scaling_line(out, scaling, "ttft_ms", "first token");
    scaling_line(out, scaling, "tpot_ms", "each later one");
}

static int report(const struct generate_settings *s, struct str own,
        struct store *store, int64_t run, struct error *e)
{
    struct summary summary;
    struct buf text = { 0 };
    int rc = summary_read(&summary, store, run, e);

    if (rc)
        return rc;
    (void)run_figures_save(store, &summary, NULL); /* else `list` does it */
    if (s->json || s->out) {
        summary_json_with(&text, &summary, "generate", own);
        rc = output_write(s->out, buf_str(&text), e);
    } else if (!s->quiet) {
        generation_lines(&text, own);
        statistics_lines(&text, own);
        scaling_lines(&text, own);
        buf_char(&text, '\n');
        summary_text(&text, &summary, term_colours(stderr));
        (void)output_show(stderr, buf_str(&text));
    }
    buf_release(&text);
    summary_release(&summary);
    return rc;
}

/* --- the worker
 * ------------------------------------------------------------------- */

/* Our command line without what somebody wrote. */
static char **discreet_argv(const char *self, char *const *argv)
{
    char **discreet = argv_copy(self, argv);
    bool next = false;

    for (char **a = discreet; *a; a++) {
        bool hidden = next;

        hidden = generate_is_private(*a, &next) || hidden;
        if (hidden) {
            free(*a);
            *a = alloc_text("(not stored)");
            next = false;
        }
    }
    return discreet;
}

static int hand_over(const struct generate_settings *s, FILE *to)
{
    struct buf handed = { 0 };

    generate_hand_over(&handed, s);
    buf_char(&handed, '\n');
    (void)fwrite(handed.p, 1, handed.len, to);
    buf_release(&handed);
    return fflush(to);
}

static int generate(const struct generate_settings *s, char *const *argv,
        char *const *shown, FILE *to)
{
    struct metered_settings settings = s->metered;
    struct buf own = { 0 }, why = { 0 };
    struct metered metered;
    struct error e = { 0 };
    int code = EXIT_GOOD;

    settings.shown = shown;
    settings.keeps_streams = true;
    settings.may_stop = true;
    if (metered_run(&metered, &settings, argv, &e))
        return complain(e.text);
    if (metered.outcome.record_failed)
        code = complain(metered.outcome.why.text);
    read_report(&own, to);
    if (explain(&why, buf_str(&own), &metered.outcome.run))
        code = complain(buf_cstr(&why));
    else if (report(s, buf_str(&own), metered.store, metered.outcome.run.row,
                     &e))
        code = complain(e.text);
    if (code == EXIT_GOOD && metered.outcome.alerts)
        code = EXIT_WORSE;
    buf_release(&own);
    buf_release(&why);
    metered_close(&metered, "generate");
    return code;
}

static int start(const struct generate_settings *s, char *const *argv)
{
    char self[PATH_MAX];
    char worker[32];
    int rc = self_path(self, sizeof(self));
    FILE *to = tmpfile();

    if (rc || !to || hand_over(s, to)) {
        if (to)
            (void)fclose(to);
        return complain(rc ? "cannot find out where ortmeter itself lies"
                           : "cannot make a temporary file");
    }
    (void)snprintf(worker, sizeof(worker), "%d", fileno(to));
    (void)setenv(GENERATE_WORKER_VARIABLE, worker, 1);

    char **again = discreet_argv(self, argv);
    char **shown = s->store_prompts ? argv_copy("ortmeter", argv)
                                    : discreet_argv("ortmeter", argv);
    int code = generate(s, again, shown, to);

    argv_free(again);
    argv_free(shown);
    (void)fclose(to);
    return code;
}

static int check(const struct cmd_call *c, struct error *e)
{
    return generate_settings_read(c->settings, c->words[0], e);
}

static int run(const struct cmd_call *c, struct error *e)
{
    const struct generate_settings *s = c->settings;

    return s->worker != GENERATE_NOT_GIVEN ? generate_worker(s, e)
                                           : start(s, c->argv);
}

const struct cmd cmd_generate = {
    .name = "generate",
    .about = "make text with a language model and tell what it takes",
    .usage = "[options] DIR",
    .text = "Makes text with the language model in a folder, and tells what it "
            "takes: the\n"
            "time to the first token and for each one after it.  The text goes "
            "to stdout as\n"
            "it comes, the account to stderr.  DIR is as Optimum or "
            "onnxruntime-genai write\n"
            "it: model.onnx, or a decoder with or without an encoder, and "
            "tokenizer.json.\n"
            "Every inference is recorded, as by `ortmeter run`; prompt, tokens "
            "and text are\n"
            "not, but with --store-prompts.\n",
    .options = generate_options,
    .notes = "Exit code: 0 good, 1 the model could not be loaded or run, 2 "
             "wrong usage,\n"
             "3 an alert was raised.\n",
    .examples = "generate phi3 --prompt 'Once upon a time'\n"
                "generate llama3 --chat --prompt 'Who are you?' --max-tokens "
                "64\n"
                "generate gpt2 --tokens 15496,11 --greedy --json\n"
                "generate qwen2 --prompt Hello --context 16,64,256 --repeat 5\n"
                "generate whisper --input input_features=clip.npy\n",
    .words_max = 1,
    .settings_size = sizeof(struct generate_settings),
    .defaults = &generate_defaults,
    .check = check,
    .run = run,
};
