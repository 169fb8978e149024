#include "analyse/verdict/operator_changes.h"

#include "base/compiler.h"
#include "noise.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 10
#define ROWS 60

/* Runs of a model of many operators; each takes 1 to 60 us, and differs a
 * little from run to run. */
struct made {
    struct operator_time items[2][RUNS][ROWS];
    struct operator_times_of runs[2][RUNS];
};

static char names[ROWS][8];

static void make(struct made *m, struct dice *d)
{
    for (int side = 0; side < 2; side++)
        for (size_t r = 0; r < RUNS; r++) {
            double whole = 5000.4;

            for (size_t i = 0; i < ROWS; i++) {
                double ns =
                        1000.0 * (double)(i + 1) * exp(.02 * dice_normal(d));

                m->items[side][r][i] =
                        (struct operator_time){ names[i], "Conv", "CPU", ns };
                whole += ns;
            }
            m->runs[side][r] = (struct operator_times_of){ m->items[side][r],
                ROWS, whole };
        }
}

static void slow_down(struct made *m, size_t row, double by)
{
    for (size_t r = 0; r < RUNS; r++) {
        m->runs[1][r].whole_ns += m->items[1][r][row].ns * (by - 1);
        m->items[1][r][row].ns *= by;
    }
}

static const struct operator_change *find(const struct operator_changes *c,
        const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->items[i].name, name) == 0)
            return &c->items[i];
    (void)fprintf(stderr, "there is no operator %s\n", name);
    exit(1);
}

/* The parts are the whole, to the nanosecond. */
static void check_sum(const struct operator_changes *c)
{
    int64_t sum = 0;

    for (int i = 0; i < OPERATOR_CHANGE_KINDS; i++)
        sum += c->part_ns[i];
    CHECK_INT(sum, c->whole_ns[1] - c->whole_ns[0]);
    sum = c->part_ns[OPERATOR_CHANGE_REST];
    for (size_t i = 0; i < c->count; i++)
        sum += c->items[i].ns[1] - c->items[i].ns[0];
    CHECK_INT(sum, c->whole_ns[1] - c->whole_ns[0]);
}

static size_t named(const struct operator_changes *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->count; i++)
        n += c->items[i].verdict == VERDICT_WORSE ||
             c->items[i].verdict == VERDICT_BETTER;
    return n;
}

/* One slower operator is named, and explains nearly all of it. */
static void test_slower(void)
{
    static struct made m;
    struct dice d = { 7 };
    struct operator_changes c;

    make(&m, &d);
    slow_down(&m, 40, 2);
    operator_changes_find(&c, m.runs[0], RUNS, m.runs[1], RUNS);

    const struct operator_change *x = &c.items[0];

    CHECK(c.judged && strcmp(x->name, names[40]) == 0);
    CHECK_INT(x->verdict, VERDICT_WORSE);
    CHECK(x->has_interval && x->low_ns > 35000 && x->high_ns < 47000);
    CHECK(operator_change_explains(&c, x) > .8 &&
            operator_change_explains(&c, x) < 1.2);
    CHECK_INT(x->kind, OPERATOR_CHANGE_TIME);
    check_sum(&c);
    operator_changes_release(&c);
}

/* Of one run a side differences are shown, and none is judged. */
static void test_single(void)
{
    static struct made m;
    struct dice d = { 8 };
    struct operator_changes c;

    make(&m, &d);
    slow_down(&m, 40, 2);
    operator_changes_find(&c, m.runs[0], 1, m.runs[1], 1);
    CHECK(!c.judged && !c.items[0].has_interval);
    CHECK(strcmp(c.items[0].name, names[40]) == 0);
    CHECK_INT(named(&c), 0);
    check_sum(&c);
    operator_changes_release(&c);
}

/* Fused away, and moved to another provider. */
static void test_kinds(void)
{
    static struct made m;
    struct dice d = { 9 };
    struct operator_changes c;

    make(&m, &d);
    for (size_t r = 0; r < RUNS; r++) {
        m.items[1][r][50].name = "fused";
        m.items[1][r][51].provider = "XNNPACK";
    }
    operator_changes_find(&c, m.runs[0], RUNS, m.runs[1], RUNS);
    CHECK_INT(c.count, ROWS + 1);
    CHECK_INT(find(&c, "fused")->kind, OPERATOR_CHANGE_FUSION);
    CHECK(!find(&c, "fused")->there[0] && find(&c, "fused")->there[1]);
    CHECK_INT(find(&c, names[50])->kind, OPERATOR_CHANGE_FUSION);
    CHECK_INT(find(&c, names[50])->verdict, VERDICT_BETTER);
    CHECK_INT(find(&c, names[51])->kind, OPERATOR_CHANGE_PLACEMENT);
    check_sum(&c);
    operator_changes_release(&c);
    operator_changes_find(&c, NULL, 0, NULL, 0);
    CHECK_INT(c.count, 0);
    check_sum(&c);
    operator_changes_release(&c);
}

/* Runs that are alike: how often is any of sixty operators named?  And with one
 * that is 1.2 times slower: is it? */
static void test_chance(void)
{
    static struct made m;
    struct dice d = { 10 };
    size_t draws = 200, false_alarms = 0, found = 0, named_all = 0;
    struct operator_changes c;

    for (size_t n = 0; n < draws; n++) {
        make(&m, &d);
        operator_changes_find(&c, m.runs[0], RUNS, m.runs[1], RUNS);
        false_alarms += named(&c) > 0;
        operator_changes_release(&c);
        slow_down(&m, 30, 1.2);
        operator_changes_find(&c, m.runs[0], RUNS, m.runs[1], RUNS);
        found += find(&c, names[30])->verdict == VERDICT_WORSE;
        named_all += named(&c);
        operator_changes_release(&c);
    }
    (void)printf("any operator named of runs alike: %zu of %zu; one 1.2 times "
                 "slower found: %zu; others named beside it: %zu\n",
            false_alarms, draws, found, named_all - found);
    CHECK(false_alarms <= draws / 50);
    CHECK(found >= draws * 95 / 100);
    CHECK(named_all - found <= draws / 10);
}

int main(void)
{
    for (size_t i = 0; i < ROWS; i++)
        (void)snprintf(names[i], sizeof(names[i]), "op%zu", i);
    test_slower();
    test_single();
    test_kinds();
    test_chance();
    return test_result();
}
