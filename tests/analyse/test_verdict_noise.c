/* How often a verdict is wrong, and how often a real difference is found: drawn
 * from runs that are known to be alike, or known to differ.  Counts are
 * printed; an argument is how many to draw of each, 200 if there is none. */
#include "analyse/verdict/judging.h"

#include "base/compiler.h"
#include "noise.h"
#include "test.h"

#include <string.h>

#define FIRST 30  /* inferences before are the warm-up */
#define USED  300 /* of a run, where there are several runs a side */
#define SIDE  12  /* runs */
#define PAST  INTERVAL_HISTORY

static size_t draws = 200;

/* The same runs by 300 inferences, and by all that there are. */
struct sample {
    size_t runs;
    struct judged_run some[NOISE_RUNS], all[NOISE_RUNS];
};

static void look_at(struct sample *out, const struct noise *n)
{
    out->runs = n->runs;
    for (size_t i = 0; i < n->runs; i++) {
        judged_run_measure(&out->some[i], n->ns[i] + FIRST, USED);
        judged_run_measure(&out->all[i], n->ns[i] + FIRST,
                NOISE_INFERENCES - FIRST);
    }
}

/* A random order of the runs. */
static void shuffle(size_t *order, size_t count, struct dice *d)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t k = dice_below(d, i), kept = order[k];

        order[k] = order[i - 1];
        order[i - 1] = kept;
    }
}

struct counts {
    size_t of[VERDICTS];
};

static void print(const char *name, const char *what, const struct counts *c)
{
    (void)printf("%-18s %-22s worse %4zu  better %4zu  same %4zu  cannot tell "
                 "%4zu  of %zu\n",
            name, what, c->of[VERDICT_WORSE], c->of[VERDICT_BETTER],
            c->of[VERDICT_SAME], c->of[VERDICT_CANNOT_TELL], draws);
}

/* --- sets of runs --------------------------------------------------------- */

static void make_slower(struct judged_run *r, double by)
{
    r->value[JUDGED_P10] *= 1 + by;
}

/* Twelve runs each in turns, from one sample or from two; the second is slower
 * by that much. */
static struct counts draw_sets(const struct sample *a, const struct sample *b,
        double slower, uint64_t seed)
{
    static const struct judged_side none;
    struct dice d = { seed };
    struct counts c = { { 0 } };

    for (size_t n = 0; n < draws; n++) {
        size_t order[NOISE_RUNS], other[NOISE_RUNS];
        struct judged_run before[SIDE], after[SIDE];
        struct judged_change change;

        shuffle(order, a->runs, &d);
        shuffle(other, b->runs, &d);
        for (size_t k = 0; k < SIDE; k++) {
            before[k] = a->some[order[k]];
            after[k] = b->some[a == b ? order[SIDE + k] : other[k]];
            make_slower(&after[k], slower);
            before[k].started_ns = 2 * k;
            after[k].started_ns = 2 * k + 1;
        }
        judge_change(&change, JUDGED_P10, &(struct judged_side){ before, SIDE },
                &(struct judged_side){ after, SIDE }, &none, 0);
        c.of[change.verdict]++;
    }
    return c;
}

/* --- two single runs ------------------------------------------------------ */

static struct counts draw_single(const struct sample *s, uint64_t seed)
{
    struct dice d = { seed };
    struct counts c = { { 0 } };

    for (size_t n = 0; n < draws; n++) {
        struct judged_run drawn[PAST + 2];
        struct judged_change change;

        for (size_t k = 0; k < PAST + 2; k++)
            drawn[k] = s->all[dice_below(&d, s->runs)];
        judge_change(&change, JUDGED_P10, &(struct judged_side){ drawn, 1 },
                &(struct judged_side){ drawn + 1, 1 },
                &(struct judged_side){ drawn + 2, PAST }, 0);
        c.of[change.verdict]++;
    }
    return c;
}

/* --- pairs, with early stopping ------------------------------------------- */

/* Runs in turn until it is decided: two runs of the sample are a pair. */
static struct counts draw_pairs(const struct sample *s, double slower,
        uint64_t seed, double *pairs)
{
    struct dice d = { seed };
    struct counts c = { { 0 } };

    *pairs = 0;
    for (size_t n = 0; n < draws; n++) {
        double differences[VERDICT_PAIRS_MAX];
        enum verdict v = VERDICT_CANNOT_TELL;
        size_t k = 0;

        while (k < VERDICT_PAIRS_MAX && v == VERDICT_CANNOT_TELL) {
            size_t a = dice_below(&d, s->runs);
            size_t b = (a + 1 + dice_below(&d, s->runs - 1)) % s->runs;

            differences[k++] = log(s->some[b].value[JUDGED_P10] /
                                       s->some[a].value[JUDGED_P10]) +
                               log1p(slower);
            v = verdict_of_pairs(NULL, differences, k, VERDICT_LEAST);
        }
        c.of[v]++;
        *pairs += (double)k / (double)draws;
    }
    return c;
}

/* --- what has to hold ----------------------------------------------------- */

/* Of so many draws, at most that share; one more is no proof of more. */
static bool at_most(size_t count, double share)
{
    return (double)count <= share * (double)draws;
}

static void try_sets(const char *name, const struct sample *s, bool one_thread)
{
    struct counts c = draw_sets(s, s, 0, 11);

    print(name, "12 runs, alike", &c);
    CHECK(at_most(c.of[VERDICT_WORSE], .01));
    CHECK(at_most(c.of[VERDICT_BETTER], .01));
    c = draw_sets(s, s, .05, 12);
    print(name, "12 runs, +5 %", &c);
    CHECK(!one_thread || c.of[VERDICT_WORSE] >= draws * 95 / 100);
    c = draw_sets(s, s, .01, 13);
    print(name, "12 runs, +1 %", &c);
    CHECK(at_most(c.of[VERDICT_BETTER], .001));
}

static void try_single(const char *name, const struct sample *s)
{
    struct counts c = draw_single(s, 21);

    print(name, "one run each, alike", &c);
    CHECK(at_most(c.of[VERDICT_WORSE], .015));
    CHECK(at_most(c.of[VERDICT_BETTER], .015));
    CHECK(s->all[0].span_s > JUDGING_SPAN_S ||
            c.of[VERDICT_CANNOT_TELL] == draws);
}

static void try_pairs(const char *name, const struct sample *s, bool one_thread)
{
    double pairs;
    struct counts c = draw_pairs(s, 0, 31, &pairs);

    print(name, "pairs, alike", &c);
    (void)printf("%42s%.1f pairs in the mean\n", "", pairs);
    CHECK(at_most(c.of[VERDICT_WORSE], .01));
    CHECK(at_most(c.of[VERDICT_BETTER], .01));
    c = draw_pairs(s, .05, 32, &pairs);
    print(name, "pairs, +5 %", &c);
    (void)printf("%42s%.1f pairs in the mean\n", "", pairs);
    CHECK(at_most(c.of[VERDICT_BETTER], .01));
    CHECK(!one_thread || c.of[VERDICT_WORSE] >= draws * 95 / 100);
}

static void try_all(const char *name, const struct noise *n, bool one_thread)
{
    static struct sample s;

    look_at(&s, n);
    try_sets(name, &s, one_thread);
    try_single(name, &s);
    try_pairs(name, &s, one_thread);
}

static void test_made(void)
{
    static const struct {
        const char *name;
        bool one_thread;
        struct noise_kind kind;
    } kinds[] = {
        { "made quiet", true, { .003, .02, .3, .02, .5, .2, .01 } },
        { "made busy", true, { .006, .08, .4, .03, .9, .3, .05 } },
        { "made two threads", false, { .03, .10, .8, .06, .9, .2, .05 } },
    };
    static struct noise n;

    for (size_t i = 0; i < LEN(kinds); i++) {
        noise_make(&n, &kinds[i].kind, 88172645463325252 + i);
        try_all(kinds[i].name, &n, kinds[i].one_thread);
    }
}

/* Of a lower optimisation level: truly slower by 2.2 %, which is at the edge of
 * what matters. */
static void try_slower(const char *phase)
{
    static struct noise n;
    static struct sample base, slower;
    char name[32];

    (void)snprintf(name, sizeof(name), "vad1-base-%s", phase);
    CHECK(noise_read(&n, name));
    look_at(&base, &n);
    (void)snprintf(name, sizeof(name), "vad1-basic-%s", phase);
    CHECK(noise_read(&n, name));
    look_at(&slower, &n);

    struct counts c = draw_sets(&base, &slower, 0, 41);

    print(name, "12 runs, true +2.2 %", &c);
    CHECK(c.of[VERDICT_BETTER] == 0);
}

static int test_recorded(void)
{
    static const char *const names[] = { "vad1-base-quiet", "vad1-base-busy",
        "cls1-base-quiet", "cls1-base-busy", "vad2-base-quiet",
        "vad2-base-busy" };
    static struct noise n;

    if (!noise_read(&n, names[0])) {
        (void)printf("no recordings in " NOISE_FOLDER
                     ": only made runs were judged\n");
        return 77;
    }
    for (size_t i = 0; i < LEN(names); i++) {
        CHECK(noise_read(&n, names[i]));
        try_all(names[i], &n, names[i][3] == '1');
    }
    try_slower("quiet");
    try_slower("busy");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        draws = strtoul(argv[1], NULL, 10);
    test_made();

    int skipped = test_recorded();

    return test_result() ? test_result() : skipped;
}
