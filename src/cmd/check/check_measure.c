#include "cmd/check/check_measure.h"

#include "base/alloc.h"
#include "cmd/check/check_worker.h"
#include "cmd/cli/argv_copy.h"
#include "cmd/cli/progress.h"
#include "os/clock.h"
#include "os/process/child.h"
#include "os/process/interrupt.h"
#include "os/process/self.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN         15 /* inferences */
#define TURN_FEW     5  /* the same, where they take long */
#define TURN_DROPPED 2  /* first ones of a turn: the hand-over costs them */
#define COUNT_LEAST  20 /* of a run */
#define PAIRS_WANTED 10 /* that the time should be enough for */

struct measuring {
    struct check_result *result;
    const struct check_settings *settings;
    char **argv; /* of a worker */
    const char *const *tags;
    struct progress progress;
    uint64_t start_ns;
};

static double seconds_since(uint64_t start_ns)
{
    return (double)(mono_ns() - start_ns) / 1e9;
}

/* --- models --------------------------------------------------------------- */

struct side {
    struct partner *partner;
    uint64_t typical_ns;
    uint64_t *ns;
    size_t count;
};

static int start_side(struct side *out, const struct measuring *m, int side,
        struct error *e)
{
    struct check_hello hello = { 0 };
    int rc = partner_start(&out->partner, m->argv, CHECK_WORKER_VARIABLE,
            check_side_names[side], e);

    if (rc)
        return rc;
    if (partner_read(out->partner, &hello, sizeof(hello)))
        return fail(e, -EPIPE,
                "the process that runs %s died, most likely within ONNX "
                "Runtime",
                m->settings->models[side]);
    if (!hello.typical_ns)
        return fail(e, -EIO, "%s: %.180s", m->settings->models[side],
                hello.why);
    out->typical_ns = hello.typical_ns;
    return 0;
}

/* Some inferences; the first of them are not kept. */
static int take_turn(struct side *s, uint64_t count, uint64_t dropped,
        struct error *e)
{
    struct check_question q = { count };
    uint64_t *ns = alloc_zero(count + 1, sizeof(*ns));
    int rc = partner_write(s->partner, &q, sizeof(q));

    if (!rc)
        rc = partner_read(s->partner, ns, count * sizeof(*ns));
    for (uint64_t i = 0; i < count && !rc; i++) {
        if (!ns[i])
            rc = -EIO;
        else if (i >= dropped)
            s->ns[s->count++] = ns[i];
    }
    free(ns);
    return rc ? fail(e, rc, "an inference failed, which went well before") : 0;
}

/* As many as asked for, but so few that there is time for several pairs. */
static uint64_t count_for(const struct measuring *m, uint64_t typical_ns)
{
    double time_ns = m->settings->duration_s * 1e9 / PAIRS_WANTED / 2;
    double most = time_ns / (double)typical_ns;
    uint64_t count = m->settings->count;

    if ((double)count > most)
        count = most > COUNT_LEAST ? (uint64_t)most : COUNT_LEAST;
    return count;
}

/* Base, head, head, base, ... until both have enough. */
static int run_in_turns(struct side *sides, uint64_t count, int first,
        struct error *e)
{
    uint64_t turn = count >= (uint64_t)4 * TURN ? TURN : TURN_FEW;
    int rc = 0;

    for (size_t k = 0;
            !rc && (sides[0].count < count || sides[1].count < count); k++) {
        int side = (int)((k + 1) / 2 % 2) ^ first;

        rc = take_turn(&sides[side], turn, TURN_DROPPED, e);
    }
    return rc;
}

static void end_side(struct side *s, struct judged_run *out, uint64_t count)
{
    uint64_t peak = 0;

    if (s->partner)
        partner_end(s->partner, &peak);
    if (out) {
        judged_run_measure(out, s->ns, s->count < count ? s->count : count);
        if (peak)
            out->value[JUDGED_MEMORY] = (double)peak;
    }
    free(s->ns);
}

static void make_room(struct side *s, uint64_t count)
{
    s->ns = alloc_zero(count + (uint64_t)2 * TURN, sizeof(*s->ns));
}

/* Both live, and take turns on one processor. */
static int pair_alive(struct measuring *m, struct judged_run *out[2], int first,
        struct error *e)
{
    struct side sides[2] = { { 0 } };
    uint64_t count = 0;
    int rc = start_side(&sides[first], m, first, e);

    if (!rc)
        rc = start_side(&sides[!first], m, !first, e);
    if (!rc) {
        uint64_t slower = sides[0].typical_ns > sides[1].typical_ns
                                  ? sides[0].typical_ns
                                  : sides[1].typical_ns;

        count = count_for(m, slower);
        make_room(&sides[0], 2 * count);
        make_room(&sides[1], 2 * count);
        rc = run_in_turns(sides, count, first, e);
    }
    end_side(&sides[0], rc ? NULL : out[0], count);
    end_side(&sides[1], rc ? NULL : out[1], count);
    return rc;
}

/* One after the other. */
static int pair_apart(struct measuring *m, struct judged_run *out[2], int first,
        struct error *e)
{
    int rc = 0;

    for (int k = 0; k < 2 && !rc; k++) {
        int which = k ? !first : first;
        struct side side = { 0 };
        uint64_t count = 0;

        rc = start_side(&side, m, which, e);
        if (!rc) {
            count = count_for(m, side.typical_ns);
            make_room(&side, count);
            rc = take_turn(&side, count, 0, e);
        }
        end_side(&side, rc ? NULL : out[which], count);
    }
    return rc;
}

/* --- commands ------------------------------------------------------------- */

static int run_command(struct measuring *m, int side, struct judged_input *out,
        struct error *e)
{
    char sh[] = "sh", dash_c[] = "-c";
    char *command = alloc_text(m->settings->commands[side]);
    char *argv[] = { sh, dash_c, command, NULL };
    struct metered_settings metered = m->settings->metered;
    struct metered run;

    metered.output = "/dev/null";
    if (metered.tags.count < OPTION_TEXTS_MAX)
        metered.tags.item[metered.tags.count++] = m->tags[side];

    int rc = metered_run(&run, &metered, argv, e);

    free(command);
    if (rc)
        return rc;
    if (run.outcome.run.signal || run.outcome.run.exit_code)
        rc = fail(e, -EIO, "%s ended with %s %d: %.150s",
                check_side_names[side],
                run.outcome.run.signal ? "signal" : "exit code",
                run.outcome.run.signal ? run.outcome.run.signal
                                       : run.outcome.run.exit_code,
                m->settings->commands[side]);
    if (!rc)
        rc = judged_input_read(out, run.store, run.outcome.run.row, NULL, e);
    metered_close(&run, "check");
    if (!rc && !out->count) {
        judged_input_release(out);
        rc = fail(e, -ENODATA, "%s ran no inferences: %.150s",
                check_side_names[side], m->settings->commands[side]);
    }
    return rc;
}

static int pair_commands(struct measuring *m, struct judged_run *out[2],
        int first, struct error *e)
{
    struct judged_input in[2] = { { .count = 0 } };
    int rc = run_command(m, first, &in[first], e);

    if (!rc)
        rc = run_command(m, !first, &in[!first], e);
    if (!rc) {
        size_t from = in[0].warmup > in[1].warmup ? in[0].warmup : in[1].warmup;
        size_t least = in[0].count < in[1].count ? in[0].count : in[1].count;

        for (int side = 0; side < 2; side++) {
            judged_input_measure(&in[side], from,
                    least > from ? least - from : 0);
            *out[side] = in[side].run;
        }
    }
    judged_input_release(&in[0]);
    judged_input_release(&in[1]);
    return rc;
}

/* --- until it is decided -------------------------------------------------- */

static int one_pair(struct measuring *m, struct error *e)
{
    struct check_result *r = m->result;
    struct judged_run *out[2] = { &r->runs[0][r->pairs],
        &r->runs[1][r->pairs] };
    unsigned char dice = 0;
    int rc = self_random(&dice, sizeof(dice));
    int first = dice & 1;

    if (rc)
        return fail(e, rc, "the system has no random numbers");
    rc = m->settings->commands[0]       ? pair_commands(m, out, first, e)
         : check_is_single(m->settings) ? pair_alive(m, out, first, e)
                                        : pair_apart(m, out, first, e);
    if (!rc)
        r->pairs++;
    return rc;
}

/* One more takes about as long as those before. */
static bool has_time(const struct measuring *m)
{
    double each = m->result->pairs ? seconds_since(m->start_ns) /
                                             (double)m->result->pairs
                                   : 0;

    return seconds_since(m->start_ns) + each <= m->settings->duration_s;
}

static int measure(struct measuring *m, struct error *e)
{
    struct check_result *r = m->result;
    bool decided = check_judge(r); /* of nothing: that nothing is known */
    int rc = 0;

    while (!rc && !decided && !interrupt_came() &&
            r->pairs < VERDICT_PAIRS_MAX && (r->pairs < 1 || has_time(m))) {
        rc = one_pair(m, e);
        if (rc)
            break; /* maybe because its processes were asked to end, too */
        decided = check_judge(r);
        progress_show(&m->progress, mono_ns(),
                fmin(1, seconds_since(m->start_ns) / m->settings->duration_s));
    }
    r->stopped = interrupt_came();
    r->seconds = seconds_since(m->start_ns);
    return r->stopped ? 0 : rc;
}

int check_measure(struct check_result *r, const char *self, char *const *argv,
        const char *tags[2], struct error *e)
{
    struct measuring m = {
        .result = r,
        .settings = r->settings,
        .argv = argv_copy(self, argv),
        .tags = tags,
        .start_ns = mono_ns(),
    };

    interrupt_catch();
    r->way = r->settings->commands[0] ? "whole runs, in turns"
             : check_is_single(r->settings)
                     ? "two live processes on one processor, in turns"
                     : "fresh processes, one after the other, in turns";
    progress_open(&m.progress, r->settings->quiet);
    progress_begin(&m.progress, "checking");
    progress_show(&m.progress, mono_ns(), 0);

    int rc = measure(&m, e);

    progress_close(&m.progress);
    argv_free(m.argv);
    return rc;
}

/* --- operators ------------------------------------------------------------ */

#define RECORDED_INFERENCES "100"

static size_t add(char **argv, size_t n, const char *option, const char *value)
{
    argv[n++] = alloc_text(option);
    if (value)
        argv[n++] = alloc_text(value);
    return n;
}

/* `ortmeter bench` with every operator traced. */
static char **bench_argv(const struct check_settings *s, const char *self,
        int side, const char *tag)
{
    char **argv = alloc_zero(40 + 2 * OPTION_TEXTS_MAX, sizeof(*argv));
    char threads[24], batch[24], duration[32];
    size_t n = add(argv, 0, self, NULL);

    (void)snprintf(threads, sizeof(threads), "%llu",
            (unsigned long long)s->side_threads[side]);
    (void)snprintf(batch, sizeof(batch), "%llu", (unsigned long long)s->batch);
    (void)snprintf(duration, sizeof(duration), "%.3f", s->duration_s / 12);
    n = add(argv, n, "bench", NULL);
    n = add(argv, n, s->models[side], NULL);
    n = add(argv, n, "--count", RECORDED_INFERENCES);
    n = add(argv, n, "--duration", duration);
    n = add(argv, n, "--threads", threads);
    n = add(argv, n, "--level", bench_level_names[s->levels[side]]);
    n = add(argv, n, "--ops", "all");
    n = add(argv, n, "--energy", "off");
    n = add(argv, n, "--tag", tag);
    if (s->batch)
        n = add(argv, n, "--batch", batch);
    if (s->provider)
        n = add(argv, n, "--provider", s->provider);
    if (s->orts[side])
        n = add(argv, n, "--ort", s->orts[side]);
    if (s->metered.database.path)
        n = add(argv, n, "--db", s->metered.database.path);
    if (s->metered.database.key_file)
        n = add(argv, n, "--key-file", s->metered.database.key_file);
    for (int i = 0; i < s->dim_texts.count; i++)
        n = add(argv, n, "--dim", s->dim_texts.item[i]);
    (void)add(argv, n, "--quiet", NULL);
    return argv;
}

static int run_bench(char *const *argv, struct error *e)
{
    struct child *child = NULL;
    struct child_end end = { 0 };
    const struct child_plan plan = { .argv = argv, .stdout_to_stderr = true };
    int rc = child_start(&child, &plan, e);

    if (rc)
        return rc;
    while (!child_wait(child, 1000, &end))
        ;
    child_close(child);
    return end.exit_code || end.signal
                   ? fail(e, -EIO, "the operators could not be recorded")
                   : 0;
}

int check_record(struct check_result *r, const char *self,
        const char *const tags[2], struct error *e)
{
    int rc = 0;

    for (int i = 0; i < 2 * OPERATOR_CHANGES_RUNS && !rc && !interrupt_came();
            i++) {
        int side = (i + 1) / 2 % 2;
        char **argv = bench_argv(r->settings, self, side, tags[side]);

        rc = run_bench(argv, e);
        argv_free(argv);
    }
    return rc                 ? rc
           : interrupt_came() ? fail(e, -EINTR, "it was asked to end")
                              : 0;
}
