#include "cmd/bench/bench_settings.h"

#include "cmd/cli/output.h"
#include "os/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_COUNT      1000
#define USUAL_DURATION_S 5
#define BATCH_MAX        (1 << 20)
#define CONCURRENCY_MAX  1024
#define SESSIONS_MAX     256
#define THREADS_MAX      1024

/* "1,2,4,8" */
static int read_batches(struct bench_settings *s, const char *list,
        struct error *e)
{
    struct str rest = str_of(list);

    while (rest.len) {
        uint64_t n = 0;

        if (str_u64(&n, str_before(rest, ',')) || !n || n > BATCH_MAX)
            return fail(e, -EINVAL,
                    "--batch takes numbers from 1 to %d with commas between "
                    "them, not '%.64s'",
                    BATCH_MAX, list);
        if (s->batch_count == BENCH_BATCHES_MAX)
            return fail(e, -EINVAL, "--batch takes at most %d numbers",
                    BENCH_BATCHES_MAX);
        s->batches[s->batch_count++] = (uint32_t)n;
        rest = str_after(rest, ',');
    }
    return s->batch_count ? 0 : fail(e, -EINVAL, "--batch needs a number");
}

/* "NAME=N": the name may hold a '=' itself. */
int bench_read_dim(struct dim_given *d, const char *text, struct error *e)
{
    struct str all = str_of(text);
    struct str number = str_after_last(all, '=');
    uint64_t value = 0;

    if (str_u64(&value, number) || value > INT32_MAX ||
            number.len + 1 >= all.len)
        return fail(e, -EINVAL,
                "--dim takes NAME=N, a dimension's name and its size, not "
                "'%.64s'",
                text);
    d->name = (struct str){ all.p, all.len - number.len - 1 };
    d->value = (int64_t)value;
    return 0;
}

static int read_texts(struct bench_settings *s, const struct bench_texts *t,
        struct error *e)
{
    int rc = 0;

    s->warmup_auto = strcmp(t->warmup, "auto") == 0;
    if (!s->warmup_auto && str_u64(&s->warmup, str_of(t->warmup)))
        return fail(e, -EINVAL, "--warmup takes a number or auto, not '%.64s'",
                t->warmup);
    if (t->batch)
        rc = read_batches(s, t->batch, e);
    for (int i = 0; i < t->dims.count && !rc; i++)
        rc = bench_read_dim(&s->dims[s->dim_count++], t->dims.item[i], e);
    return rc;
}

static int in_range(const char *option, uint64_t value, uint64_t least,
        uint64_t most, struct error *e)
{
    if (value >= least && value <= most)
        return 0;
    return fail(e, -EINVAL, "%s takes %llu to %llu, not %llu", option,
            (unsigned long long)least, (unsigned long long)most,
            (unsigned long long)value);
}

static int check(const struct bench_settings *s, struct error *e)
{
    int rc = in_range("--concurrency", s->concurrency, 1, CONCURRENCY_MAX, e);

    if (!rc)
        rc = in_range("--sessions", s->sessions, 1, SESSIONS_MAX, e);
    if (!rc)
        rc = in_range("--threads", s->threads, 0, THREADS_MAX, e);
    if (!rc && !s->count)
        rc = fail(e, -EINVAL, "--count takes a number from 1");
    if (!rc && s->compare_levels && s->batch_count > 1)
        rc = fail(e, -EINVAL,
                "--compare-levels goes with one batch size, not with %zu",
                s->batch_count);
    if (!rc && s->qps > 0 && (s->compare_levels || s->batch_count > 1))
        rc = fail(e, -EINVAL,
                "--qps goes with one batch size, and not with "
                "--compare-levels");
    return rc ? rc : metered_check(&s->metered, e);
}

static void fill_in(struct bench_settings *s)
{
    bool count_given = s->count != BENCH_NOT_GIVEN;

    if (!count_given && s->duration_s <= 0) {
        s->count = USUAL_COUNT;
        s->duration_s = USUAL_DURATION_S;
    }
}

static int take_model(struct bench_settings *s, const char *model,
        struct error *e)
{
    if (!model)
        return fail(e, -EINVAL, "there is no model to run");
    if (strlen(model) >= sizeof(s->model))
        return fail(e, -EINVAL, "the model's path is too long");
    (void)snprintf(s->model, sizeof(s->model), "%s", model);
    return 0;
}

/* By the environment, so that the worker's command line is as it was typed, in
 * every list of processes. */
static uint64_t worker_file(void)
{
    const char *file = getenv(BENCH_WORKER_VARIABLE);

    return file && *file ? strtoull(file, NULL, 10) : BENCH_NOT_GIVEN;
}

const char *const bench_level_names[] = { "disabled", "basic", "extended",
    "all", NULL };

enum ort_level bench_level(int choice)
{
    static const enum ort_level levels[] = { ORT_LEVEL_OFF, ORT_LEVEL_BASIC,
        ORT_LEVEL_EXTENDED, ORT_LEVEL_ALL };

    return levels[choice];
}

const struct bench_settings bench_defaults = {
    .level = BENCH_LEVEL_ALL,
    .count = BENCH_NOT_GIVEN,
    .concurrency = 1,
    .sessions = 1,
    .worker = BENCH_NOT_GIVEN,
    .texts.warmup = "auto",
    .metered = METERED_SETTINGS,
};

const struct option bench_options[] = {
    OPTION_NUMBER("count", 0, struct bench_settings, count, "N",
            "measure N inferences ..."),
    OPTION_REAL("duration", 0, struct bench_settings, duration_s, "S",
            "... or for S seconds, whichever is first; 1000 and 5 if neither "
            "is given"),
    OPTION_TEXT("warmup", 0, struct bench_settings, texts.warmup, "N",
            "inferences before that, which do not count; auto, if not given: "
            "until their times have settled"),
    OPTION_TEXT("batch", 0, struct bench_settings, texts.batch, "LIST",
            "batch sizes to compare, as in 1,2,4,8"),
    OPTION_REAL("bound", 0, struct bench_settings, bound_ms, "MS",
            "of those, name the one with most samples a second whose p99 is "
            "within MS milliseconds",
            .rare = true),
    OPTION_FLAG("compare-levels", 0, struct bench_settings, compare_levels,
            "compare ONNX Runtime's levels of graph optimisation",
            .rare = true),
    OPTION_CHOICE("level", 0, struct bench_settings, level, bench_level_names,
            "LEVEL", "ONNX Runtime's graph optimisation; all if not given",
            .rare = true),
    OPTION_NUMBER("concurrency", 0, struct bench_settings, concurrency, "N",
            "threads that run each session at once; 1 if not given",
            .rare = true),
    OPTION_NUMBER("sessions", 0, struct bench_settings, sessions, "N",
            "sessions of the model, side by side; 1 if not given",
            .rare = true),
    OPTION_NUMBER("threads", 0, struct bench_settings, threads, "N",
            "threads within an operator; ONNX Runtime's own choice if not "
            "given"),
    OPTION_REAL("qps", 0, struct bench_settings, qps, "N",
            "begin N inferences a second, whether or not those before have "
            "ended, and count latency from when each should have begun",
            .rare = true),
    OPTION_TEXTS("dim", 0, struct bench_settings, texts.dims, "NAME=N",
            "the size of an open dimension; may be repeated.  One without a "
            "name is called INPUT:AXIS"),
    OPTION_TEXT("provider", 0, struct bench_settings, provider, "NAME",
            "execution provider to ask for, like CUDA or XNNPACK",
            .rare = true),
    OPTION_TEXT("ort", 0, struct bench_settings, ort, "PATH",
            "the ONNX Runtime library to use", .variable = "ORTMETER_ORT",
            .rare = true),
    JSON_OPTION(struct bench_settings),
    OPTION_TEXT(NULL, 'o', struct bench_settings, out, "FILE",
            "write that document to FILE, and print no report"),
    OPTION_FLAG("quiet", 'q', struct bench_settings, quiet,
            "no report and no progress bar"),
    METERED_OPTIONS(struct bench_settings, metered),
    OPTION_END,
};

int bench_settings_read(struct bench_settings *s, const char *model,
        struct error *e)
{
    int rc = take_model(s, model, e);

    if (!rc)
        rc = read_texts(s, &s->texts, e);
    if (!rc)
        rc = check(s, e);
    if (rc)
        return rc;
    fill_in(s);
    s->energy_asked = options_given(&s->metered.energy);
    s->ops_asked = options_given(&s->metered.ops) &&
                   strcmp(s->metered.ops, "off") != 0;
    s->worker = worker_file();
    return 0;
}

/* --- the model's file -------------------------------------------------------
 */

static bool is_model(const char *name)
{
    static const char *const endings[] = { ".onnx", ".ort" };
    size_t len = strlen(name);

    for (size_t i = 0; i < LEN(endings); i++) {
        size_t ending = strlen(endings[i]);

        if (len > ending && strcmp(name + len - ending, endings[i]) == 0)
            return true;
    }
    return false;
}

/* -ENOENT: there is none; -ENOTUNIQ: there are several. */
static int only_model(const char **out, const struct folder *f)
{
    size_t found = 0;

    for (size_t i = 0; i < f->count; i++)
        if (is_model(f->name[i])) {
            *out = f->name[i];
            found++;
        }
    return found == 1 ? 0 : found ? -ENOTUNIQ : -ENOENT;
}

int bench_settings_find_model(struct bench_settings *s, struct error *e)
{
    int rc = path_readable("%s", s->model);
    struct folder names;
    const char *name = NULL;

    if (rc)
        return fail(e, rc, "cannot read %.200s: %s", s->model, strerror(-rc));
    if (folder_read(&names, "%s", s->model))
        return 0; /* no folder, so a file */
    rc = only_model(&name, &names);
    if (rc) {
        (void)fail(e, rc, "the folder %.160s has %s: name one", s->model,
                rc == -ENOENT ? "no model" : "several models");
    } else {
        size_t len = strlen(s->model);
        int n = snprintf(s->model + len, sizeof(s->model) - len, "/%s", name);

        if (n < 0 || (size_t)n >= sizeof(s->model) - len)
            rc = fail(e, -ENAMETOOLONG, "the model's path is too long");
    }
    folder_release(&names);
    return rc;
}
