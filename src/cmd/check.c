/* check.c -- is head slower than base?  Measured now, on this machine, in
 * pairs; for a build server, by its exit code. */
#include "base/alloc.h"
#include "cmd/check/check_measure.h"
#include "cmd/check/check_result.h"
#include "cmd/check/check_worker.h"
#include "cmd/cli/output.h"
#include "cmd/cli/percent.h"
#include "cmd/cmd.h"
#include "cmd/text/term.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process/self.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_COUNT      300
#define USUAL_DURATION_S 60
#define BUDGET_MAX       (1 << 20) /* bytes of a file of budgets */

const char *const check_side_names[2] = { "base", "head" };

/* --- what is compared ----------------------------------------------------- */

char *check_side_text(const struct check_settings *s, int side)
{
    struct buf text = { 0 };
    char *name;

    if (s->commands[side])
        return alloc_text(s->commands[side]);
    name = summary_model_name(s->models[side]);
    buf_text(&text, name);
    free(name);
    if (s->orts[side])
        buf_printf(&text, " with %s", s->orts[side]);
    if (s->levels[0] != s->levels[1])
        buf_printf(&text, " at level %s", bench_level_names[s->levels[side]]);
    if (s->side_threads[0] != s->side_threads[1])
        buf_printf(&text, " with threads: %llu",
                (unsigned long long)s->side_threads[side]);
    name = alloc_text(buf_cstr(&text));
    buf_release(&text);
    return name;
}

bool check_is_single(const struct check_settings *s)
{
    return s->side_threads[0] == 1 && s->side_threads[1] == 1;
}

static bool is_worker(int *side)
{
    const char *whose = getenv(CHECK_WORKER_VARIABLE);

    for (*side = 0; whose && *side < 2; ++*side)
        if (strcmp(whose, check_side_names[*side]) == 0)
            return true;
    return false;
}

/* --- operators ------------------------------------------------------------ */

/* The runs that were recorded, beside each other. */
static int compare_recorded(struct check_result *r, const char *const tags[2],
        struct error *e)
{
    const struct judgement_want want = { r->settings->least, true, NULL };
    struct store *store = NULL;
    struct run_rows rows[2] = { { 0 } };
    int rc = database_open_as(&store, &r->settings->metered.database,
            STORE_READ, e);

    for (int side = 0; side < 2 && !rc; side++)
        rc = store_each_named(store, tags[side], run_rows_add, &rows[side], e);
    if (!rc)
        rc = judgement_make(&r->judgement,
                &(struct judgement_runs){ store, rows[0].row, rows[0].count },
                &(struct judgement_runs){ store, rows[1].row, rows[1].count },
                &want, e);
    r->recorded = !rc;
    store_close(store);
    free(rows[0].row);
    free(rows[1].row);
    return rc;
}

static bool wants_operators(const struct check_result *r)
{
    for (size_t i = 0; i < r->kept_count; i++)
        if (r->kept[i].budget->operators)
            return true;
    return r->verdict == VERDICT_WORSE || r->verdict == VERDICT_BETTER;
}

/* What changed, where something did.  That it cannot be told is no failure of
 * the check. */
static void find_operators(struct check_result *r, const char *self,
        const char *const tags[2])
{
    struct error e = { 0 };
    int rc = 0;

    if (r->settings->no_operators || r->stopped || !wants_operators(r))
        return;
    if (!r->settings->commands[0])
        rc = check_record(r, self, tags, &e);
    if (!rc)
        rc = compare_recorded(r, tags, &e);
    if (rc)
        (void)fprintf(stderr, "ortmeter check: no operators: %s\n", e.text);
    else
        (void)check_judge(r);
}

/* --- results -------------------------------------------------------------- */

static int write_as(const char *path,
        void (*write)(struct buf *out, const struct check_result *r),
        const struct check_result *r, struct error *e)
{
    struct buf text = { 0 };

    if (!path)
        return 0;
    write(&text, r);

    int rc = output_write(path, buf_str(&text), e);

    buf_release(&text);
    return rc;
}

static int tell(const struct check_result *r, struct error *e)
{
    const struct check_settings *s = r->settings;
    struct buf text = { 0 };
    int rc = write_as(s->junit, check_junit, r, e);

    if (!rc)
        rc = write_as(s->markdown, check_markdown, r, e);
    if (!rc)
        rc = write_as(s->benchmark, check_benchmark, r, e);
    if (!rc)
        rc = write_as(s->bencher, check_bencher, r, e);
    if (rc || (s->quiet && !s->out && !s->json))
        return rc;
    if (s->json || s->out)
        check_json(&text, r);
    else
        check_text(&text, r, term_colours(stdout));
    rc = output_write(s->out, buf_str(&text), e);
    buf_release(&text);
    return rc;
}

static int read_budgets(struct check_result *r, struct error *e)
{
    const char *file = r->settings->budget_file;
    char *text;
    int n, rc;

    if (!file)
        return 0;
    text = alloc_zero(1, BUDGET_MAX);
    n = file_read(text, BUDGET_MAX, "%s", file);
    rc = n < 0 ? fail(e, n, "cannot read %.200s: %s", file, strerror(-n))
               : budgets_read(&r->budgets, (struct str){ text, (size_t)n },
                         file, e);
    free(text);
    return rc;
}

static int check_it(struct check_result *r, const char *self,
        const struct cmd_call *c, struct error *e)
{
    char ids[RUN_ID_LEN + 1], names[2][32];
    const char *tags[2] = { names[0], names[1] };
    int rc = store_make_id(ids, e);

    for (int side = 0; side < 2; side++)
        (void)snprintf(names[side], sizeof(names[side]), "check-%.8s-%s", ids,
                check_side_names[side]);
    if (!rc)
        rc = check_measure(r, self, c->argv, tags, e);
    if (rc)
        return rc;
    find_operators(r, self, tags);
    rc = tell(r, e);
    return rc ? rc : check_exit_code(r);
}

static int run(const struct cmd_call *c, struct error *e)
{
    const struct check_settings *s = c->settings;
    struct check_result *r;
    char self[PATH_MAX];
    int side, rc;

    if (is_worker(&side))
        return check_worker(s, side);
    rc = self_path(self, sizeof(self));
    if (rc)
        return fail(e, rc, "cannot find out where ortmeter itself lies");
    r = alloc_zero(1, sizeof(*r));
    r->settings = s;
    for (side = 0; side < 2; side++)
        r->names[side] = check_side_text(s, side);
    rc = read_budgets(r, e);
    if (!rc)
        rc = check_it(r, self, c, e);
    check_result_release(r);
    free(r);
    return rc;
}

/* --- the command ---------------------------------------------------------- */

static int take_models(struct check_settings *s, const struct cmd_call *c,
        struct error *e)
{
    if (!s->commands[0] != !s->commands[1])
        return fail(e, -EINVAL, "--base and --head go together");
    if (s->commands[0] && c->word_count)
        return fail(e, -EINVAL, "give commands, or models, not both");
    if (s->commands[0])
        return 0;
    if (!c->word_count)
        return fail(e, -EINVAL,
                "there is nothing to check: give one or two models, or --base "
                "and --head");
    s->models[0] = c->words[0];
    s->models[1] = c->words[c->word_count > 1];
    for (int i = 0; i < 2; i++) {
        int rc = path_readable("%s", s->models[i]);

        if (rc)
            return fail(e, -EINVAL, "cannot read %.200s: %s", s->models[i],
                    strerror(-rc));
    }
    return 0;
}

static int check(const struct cmd_call *c, struct error *e)
{
    struct check_settings *s = c->settings;
    int rc = take_models(s, c, e);

    for (int i = 0; i < s->dim_texts.count && !rc; i++)
        rc = bench_read_dim(&s->dims[i], s->dim_texts.item[i], e);
    if (!rc && s->least_text)
        rc = percent_read(&s->least, s->least_text, "--least", e);
    if (!rc && !(s->duration_s > 0))
        rc = fail(e, -EINVAL, "--duration takes seconds, more than 0");
    if (!rc && (s->count < 20 || s->count > 1000000))
        rc = fail(e, -EINVAL, "--count takes 20 to 1000000");
    for (int i = 0; i < 2; i++) {
        if (s->side_threads[i] == CHECK_AS_BOTH)
            s->side_threads[i] = s->threads;
        if (!rc && s->side_threads[i] > 1024)
            rc = fail(e, -EINVAL, "threads are 0 to 1024");
    }
    return rc;
}

static const struct check_settings defaults = {
    .levels = { BENCH_LEVEL_ALL, BENCH_LEVEL_ALL },
    .threads = 1,
    .side_threads = { CHECK_AS_BOTH, CHECK_AS_BOTH },
    .count = USUAL_COUNT,
    .duration_s = USUAL_DURATION_S,
    .metered = METERED_SETTINGS,
};

static const struct option options[] = {
    OPTION_TEXT("base", 0, struct check_settings, commands[0], "CMD",
            "the command to compare with, for the shell"),
    OPTION_TEXT("head", 0, struct check_settings, commands[1], "CMD",
            "the command that may have got slower"),
    OPTION_TEXT("base-ort", 0, struct check_settings, orts[0], "PATH",
            "the ONNX Runtime library of base"),
    OPTION_TEXT("head-ort", 0, struct check_settings, orts[1], "PATH",
            "the ONNX Runtime library of head"),
    OPTION_CHOICE("base-level", 0, struct check_settings, levels[0],
            bench_level_names, "LEVEL",
            "graph optimisation of base; all if not given", .rare = true),
    OPTION_CHOICE("head-level", 0, struct check_settings, levels[1],
            bench_level_names, "LEVEL", "the same of head", .rare = true),
    OPTION_REAL("duration", 0, struct check_settings, duration_s, "S",
            "seconds that it may take; 60 if not given.  It ends as soon as it "
            "is decided"),
    OPTION_TEXT("least", 0, struct check_settings, least_text, "PCT",
            "the smallest change that matters; 2% if not given"),
    OPTION_TEXT("budget", 0, struct check_settings, budget_file, "FILE",
            "limits that head has to keep, in TOML"),
    OPTION_NUMBER("count", 0, struct check_settings, count, "N",
            "inferences of a model in each run, if there is time; 300 if not "
            "given",
            .rare = true),
    OPTION_NUMBER("threads", 0, struct check_settings, threads, "N",
            "threads within an operator; 1 if not given, which finds the "
            "smallest changes"),
    OPTION_NUMBER("base-threads", 0, struct check_settings, side_threads[0],
            "N", "the same of base alone; 0: as ONNX Runtime thinks",
            .rare = true),
    OPTION_NUMBER("head-threads", 0, struct check_settings, side_threads[1],
            "N", "the same of head alone", .rare = true),
    OPTION_NUMBER("batch", 0, struct check_settings, batch, "N",
            "samples in an inference", .rare = true),
    OPTION_TEXTS("dim", 0, struct check_settings, dim_texts, "NAME=N",
            "the size of an open dimension; may be repeated", .rare = true),
    OPTION_TEXT("provider", 0, struct check_settings, provider, "NAME",
            "execution provider to ask for", .rare = true),
    OPTION_FLAG("no-operators", 0, struct check_settings, no_operators,
            "do not record which operators changed", .rare = true),
    JSON_OPTION(struct check_settings),
    OPTION_TEXT(NULL, 'o', struct check_settings, out, "FILE",
            "write that document to FILE, and print no report"),
    OPTION_TEXT("junit", 0, struct check_settings, junit, "FILE",
            "write the result as tests, for a build server"),
    OPTION_TEXT("markdown", 0, struct check_settings, markdown, "FILE",
            "write it for a pull request or a step's summary"),
    OPTION_TEXT("benchmark", 0, struct check_settings, benchmark, "FILE",
            "write head's values for github-action-benchmark "
            "(customSmallerIsBetter)",
            .rare = true),
    OPTION_TEXT("bencher", 0, struct check_settings, bencher, "FILE",
            "write head's values for Bencher (BMF)", .rare = true),
    OPTION_FLAG("quiet", 'q', struct check_settings, quiet,
            "no report and no progress bar"),
    DATABASE_OPTIONS(struct check_settings, metered.database),
    OPTION_END,
};

const struct cmd cmd_check = {
    .name = "check",
    .about = "is head slower than base?  measured now, in pairs",
    .usage = "[options] BASE.onnx [HEAD.onnx]",
    .text = "Measures base and head on this machine, in turns, until it is "
            "decided\n"
            "whether head is better, worse or the same, or the time is over.  "
            "Base and\n"
            "head are two models; one model with two ONNX Runtimes or two "
            "levels of\n"
            "optimisation; or two commands, whose runs are recorded.\n"
            "\n"
            "Models with one thread run in two live processes on one "
            "processor.  The\n"
            "chance of a wrong verdict is spent over all looks, so ending "
            "early costs\n"
            "nothing.  Where something changed, the operators that did are "
            "named.\n",
    .options = options,
    .notes = "Exit code: 0 not worse, and all budgets are kept; 1 it could not "
             "be\n"
             "measured; 2 wrong usage; 3 worse, or over a budget; 4 cannot "
             "decide.\n",
    .examples = "check old.onnx new.onnx\n"
                "check model.onnx --head-ort ./libonnxruntime.so.1.23.0\n"
                "check --base './app-main' --head './app' --duration 120\n"
                "check old.onnx new.onnx --budget budgets.toml --junit "
                "check.xml\n",
    .words_max = 2,
    .settings_size = sizeof(struct check_settings),
    .defaults = &defaults,
    .check = check,
    .run = run,
};
