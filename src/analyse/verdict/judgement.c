#include "analyse/verdict/judgement.h"

#include "analyse/verdict/same_program.h"
#include "base/alloc.h"
#include "os/thread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_LOOKED_AT 1000 /* runs of the model, the newest first */

/* --- reading -------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct judged_input *x = a, *y = b;
    uint64_t p = x->summary.run.started_wall_ns;
    uint64_t q = y->summary.run.started_wall_ns;

    return p < q ? -1 : p > q;
}

static int read_side(struct judgement_side *out,
        const struct judgement_runs *runs, const char *model, struct error *e)
{
    size_t skipped = runs->count > JUDGEMENT_RUNS_MAX
                             ? runs->count - JUDGEMENT_RUNS_MAX
                             : 0;
    int rc = 0;

    out->inputs = alloc_zero(runs->count + 1, sizeof(*out->inputs));
    for (size_t i = skipped; i < runs->count && !rc; i++) {
        rc = judged_input_read(&out->inputs[out->count], runs->store,
                runs->rows[i], model, e);
        out->count += !rc;
    }
    qsort(out->inputs, out->count, sizeof(*out->inputs), by_start);
    return rc;
}

/* A side that is read in a thread of its own. */
struct side_reading {
    struct judgement_side *out;
    const struct judgement_runs *runs;
    const char *model;
    int rc;
    struct error e;
};

static void read_in_thread(void *to)
{
    struct side_reading *r = to;

    r->rc = read_side(r->out, r->runs, r->model, &r->e);
}

/* Reading is what takes the time: where the sides have a store each, both are
 * read at once. */
static int read_sides(struct judgement_side *out,
        const struct judgement_runs *before, const struct judgement_runs *after,
        const char *model, struct error *e)
{
    struct side_reading first = { .out = &out[0],
        .runs = before,
        .model = model };
    struct thread *thread = NULL;
    bool apart = before->store != after->store &&
                 thread_start(&thread, read_in_thread, &first) == 0;

    if (!apart)
        read_in_thread(&first);

    int rc = apart || !first.rc ? read_side(&out[1], after, model, e) : 0;

    thread_join(thread);
    return first.rc ? fail(e, first.rc, "%s", first.e.text) : rc;
}

static void release_side(struct judgement_side *side)
{
    for (size_t i = 0; i < side->count; i++)
        judged_input_release(&side->inputs[i]);
    free(side->inputs);
    free(side->runs);
    *side = (struct judgement_side){ 0 };
}

/* --- which inferences of each --------------------------------------------- */

struct extent {
    size_t from, count;
};

static void extend(struct extent *x, const struct judgement_side *side)
{
    for (size_t i = 0; i < side->count; i++)
        x->from = side->inputs[i].warmup > x->from ? side->inputs[i].warmup
                                                   : x->from;
}

static void shorten(struct extent *x, const struct judgement_side *side)
{
    for (size_t i = 0; i < side->count; i++) {
        size_t all = side->inputs[i].count;
        size_t rest = all > x->from ? all - x->from : 0;

        if (!side->inputs[i].summary.sweep.count)
            x->count = rest < x->count ? rest : x->count;
    }
}

static void measure(struct judgement_side *side, const struct extent *x)
{
    side->runs = alloc_zero(side->count + 1, sizeof(*side->runs));
    for (size_t i = 0; i < side->count; i++) {
        judged_input_measure(&side->inputs[i], x->from, x->count);
        side->runs[i] = side->inputs[i].run;
    }
}

/* The same inferences of all runs: the first hundreds are not like the later
 * thousands. */
static struct extent measure_both(struct judgement *j)
{
    struct extent x = { 0, SIZE_MAX };

    extend(&x, &j->side[0]);
    extend(&x, &j->side[1]);
    shorten(&x, &j->side[0]);
    shorten(&x, &j->side[1]);
    measure(&j->side[0], &x);
    measure(&j->side[1], &x);
    j->first = x.from;
    return x;
}

/* --- what the host did before --------------------------------------------- */

struct past {
    const struct judgement *judgement;
    const struct run *like; /* the run whose program it is */
    int64_t rows[2 * INTERVAL_HISTORY];
    size_t count;
};

static bool is_judged(const struct judgement *j, const char *id)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < j->side[side].count; i++)
            if (strcmp(j->side[side].inputs[i].summary.run.id, id) == 0)
                return true;
    return false;
}

static void take_past(void *to, const struct run_line *l)
{
    struct past *p = to;

    if (p->count < (size_t)2 * INTERVAL_HISTORY &&
            l->run->status == RUN_COMPLETE && !l->run->exit_code &&
            same_program(l->run, p->like) &&
            !is_judged(p->judgement, l->run->id))
        p->rows[p->count++] = l->run->row;
}

/* Other runs of the program on this host, the newest of them. */
static int read_history(struct judgement *j, struct store *s,
        const struct extent *x, struct error *e)
{
    const struct judged_input *like = &j->side[1].inputs[0];
    struct past past = { .judgement = j, .like = &like->summary.run };
    struct run_filter f = { .limit = HISTORY_LOOKED_AT };
    int rc = store_list_runs(s, &f, take_past, &past, e);

    if (rc || past.count < INTERVAL_HISTORY)
        return rc;

    j->history.inputs = alloc_zero(past.count, sizeof(*j->history.inputs));
    for (size_t i = 0; i < past.count && !rc; i++) {
        rc = judged_input_read(&j->history.inputs[j->history.count], s,
                past.rows[i], *like->model ? like->model : NULL, e);
        j->history.count += !rc;
        rc = rc == -ENOENT ? 0 : rc; /* it ran another model */
    }
    if (!rc)
        measure(&j->history, x);
    return rc;
}

/* --- what is not alike ---------------------------------------------------- */

/* Of the runs that know it. */
static double mean_condition(const struct judgement_side *side,
        enum condition c)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < side->count; i++) {
        double x = side->inputs[i].conditions[c];

        sum += isnan(x) ? 0 : x;
        count += !isnan(x);
    }
    return count ? sum / (double)count : NAN;
}

static bool are_other_work(const struct difference *d)
{
    return d[DIFFERENCE_HOST].there || differences_other_work(d);
}

/* Runs of one side are of one host, one model and one batch. */
static bool is_mixture(const struct judgement_side *side)
{
    bool found = false;

    for (size_t i = 1; i < side->count && !found; i++) {
        struct difference d[DIFFERENCES] = { { 0 } };

        differences_find(d, &side->inputs[0].summary, &side->inputs[i].summary);
        found = are_other_work(d);
        differences_release(d);
    }
    return found;
}

static bool has_sweep(const struct judgement_side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->inputs[i].summary.sweep.count)
            return true;
    return false;
}

/* Why it will not be judged; false: it will. */
static bool is_refused(struct judgement *j, bool anyway)
{
    const struct difference *d = j->differences;
    struct buf *why = &j->because;

    if (has_sweep(&j->side[0]) || has_sweep(&j->side[1])) {
        buf_text(why, "a run of several batch sizes or levels is several "
                      "things: compare runs of one");
        return true;
    }
    if (anyway)
        return false;
    if (d[DIFFERENCE_HOST].there)
        buf_text(why, "the runs are of different hosts");
    else if (d[DIFFERENCE_MODELS].there)
        buf_text(why, "the runs are of different models");
    else if (differences_other_work(d))
        buf_text(why, "an inference is not the same work in both");
    else if (is_mixture(&j->side[0]) || is_mixture(&j->side[1]))
        buf_text(why, "the runs of one side are not alike among themselves");
    if (why->len)
        buf_text(why, "; --anyway judges them all the same");
    return why->len > 0;
}

/* --- operators and percentiles -------------------------------------------- */

static const char *list_operators(struct operator_times_of *out,
        const struct judgement_side *side, enum operator_method method)
{
    for (size_t i = 0; i < side->count; i++) {
        out[i] = side->inputs[i].operators;
        if (side->inputs[i].summary.sweep.count)
            return "those of a sweep are of all its points together";
        if (out[i].whole_ns <= 0)
            return "not all runs have traced inferences: see --ops";
        if (side->inputs[i].summary.operators.method != method)
            return "those of some runs were timed, those of others are a "
                   "profile's";
    }
    return NULL;
}

static void compare_operators(struct judgement *j)
{
    struct operator_times_of *times[2];

    for (int side = 0; side < 2; side++) {
        const char *why;

        times[side] = alloc_zero(j->side[side].count + 1, sizeof(**times));
        why = list_operators(times[side], &j->side[side],
                j->side[0].inputs[0].summary.operators.method);
        j->no_operators = j->no_operators ? j->no_operators : why;
    }
    if (!j->no_operators)
        operator_changes_find(&j->operators, times[0], j->side[0].count,
                times[1], j->side[1].count);
    free(times[0]);
    free(times[1]);
}

static void find_shift(struct judgement *j, size_t at)
{
    struct judgement_shift *out = &j->shifts[at];
    double *values[2];
    struct interval i;

    for (int side = 0; side < 2; side++) {
        values[side] = alloc_zero(j->side[side].count + 1, sizeof(double));
        for (size_t n = 0; n < j->side[side].count; n++)
            values[side][n] = j->side[side].runs[n].shift_ns[at];
    }
    *out = (struct judgement_shift){ judged_shifts[at], NAN, NAN, NAN };
    out->change_ns = interval_median(values[1], j->side[1].count) -
                     interval_median(values[0], j->side[0].count);
    if (interval_ranks(&i, values[0], j->side[0].count, values[1],
                j->side[1].count,
                j->in_turns ? INTERVAL_MIXED : INTERVAL_APART)) {
        out->change_ns = i.middle;
        out->low_ns = i.low;
        out->high_ns = i.high;
    }
    free(values[0]);
    free(values[1]);
}

/* --- the judgement -------------------------------------------------------- */

static void advise(struct judgement *j)
{
    const struct judged_change *c = &j->figures[JUDGED_P10];
    size_t before = j->side[0].count, after = j->side[1].count;

    if (!c->because || isnan(c->before) || isnan(c->after))
        return;
    if (before < JUDGING_ADVISED || after < JUDGING_ADVISED)
        buf_printf(&j->advice,
                "%d runs of each, made in turns: ortmeter check does that",
                JUDGING_ADVISED);
    else
        buf_text(&j->advice, "more runs of each, made in turns on a quieter "
                             "machine");
}

static void judge_all(struct judgement *j, const struct judgement_want *want)
{
    struct judged_side sides[3] = {
        { j->side[0].runs, j->side[0].count },
        { j->side[1].runs, j->side[1].count },
        { j->history.runs, j->history.count },
    };
    bool refused = is_refused(j, want->anyway);

    for (int i = 0; i < JUDGED_FIGURES; i++) {
        judge_change(&j->figures[i], (enum judged_figure)i, &sides[0],
                &sides[1], &sides[2], want->least);
        if (refused)
            j->figures[i].verdict = VERDICT_REFUSED;
    }
    j->verdict = j->figures[JUDGED_P10].verdict;
    if (!refused && j->figures[JUDGED_P10].because) {
        buf_text(&j->because, j->figures[JUDGED_P10].because);
        advise(j);
    }
}

static bool is_few(const struct judgement *j)
{
    return j->side[0].count < JUDGING_APART || j->side[1].count < JUDGING_APART;
}

static void compare_rest(struct judgement *j)
{
    differences_find(j->differences, &j->side[0].inputs[0].summary,
            &j->side[1].inputs[0].summary);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < CONDITIONS; i++)
            j->conditions[side][i] =
                    mean_condition(&j->side[side], (enum condition)i);
    j->in_turns = judged_in_turns(
            &(struct judged_side){ j->side[0].runs, j->side[0].count },
            &(struct judged_side){ j->side[1].runs, j->side[1].count });
    for (size_t i = 0; i < JUDGED_SHIFTS; i++)
        find_shift(j, i);
    compare_operators(j);
}

int judgement_make(struct judgement *out, const struct judgement_runs *before,
        const struct judgement_runs *after, const struct judgement_want *want,
        struct error *e)
{
    *out = (struct judgement){ .least = judged_least(JUDGED_P10, want->least) };

    int rc = read_sides(out->side, before, after, want->model, e);

    if (!rc) {
        struct extent x = measure_both(out);

        if (is_few(out))
            rc = read_history(out, after->store, &x, e);
    }
    if (rc) {
        judgement_release(out);
        return rc;
    }
    compare_rest(out);
    judge_all(out, want);
    return 0;
}

void judgement_release(struct judgement *j)
{
    release_side(&j->side[0]);
    release_side(&j->side[1]);
    release_side(&j->history);
    differences_release(j->differences);
    operator_changes_release(&j->operators);
    buf_release(&j->because);
    buf_release(&j->advice);
    *j = (struct judgement){ 0 };
}
