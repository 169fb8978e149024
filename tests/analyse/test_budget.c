#include "analyse/verdict/budget.h"

#include "base/compiler.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void test_read(void)
{
    static const char text[] = "p10 = \"5%\"\n"
                               "inferences_per_s = \"100/s\"\n"
                               "[models.silero]\n"
                               "p99 = \"12 ms\" # not above\n"
                               "peak_rss = \"300 MB\"\n"
                               "[operators]\n"
                               "Conv = \"80 us\"\n";
    static const struct {
        const char *model, *operators;
        enum judged_figure figure;
        bool relative;
        double limit;
    } want[] = {
        { NULL, NULL, JUDGED_P10, true, .05 },
        { NULL, NULL, JUDGED_RATE, false, 100 },
        { "silero", NULL, JUDGED_P99, false, 12e6 },
        { "silero", NULL, JUDGED_MEMORY, false, 300e6 },
        { NULL, "Conv", JUDGED_P10, false, 80e3 },
    };
    struct budgets b;
    struct error e = { 0 };

    CHECK_INT(budgets_read(&b, str_of(text), "b.toml", &e), 0);
    CHECK_INT(b.count, LEN(want));
    for (size_t i = 0; i < LEN(want) && i < b.count; i++) {
        const struct budget *x = &b.items[i];

        CHECK_INT(x->figure, want[i].figure);
        CHECK_INT(x->relative, want[i].relative);
        CHECK(fabs(x->limit / want[i].limit - 1) < 1e-12);
        CHECK(!x->model == !want[i].model &&
                !x->operators == !want[i].operators);
        CHECK(!x->model || strcmp(x->model, want[i].model) == 0);
        CHECK(!x->operators || strcmp(x->operators, want[i].operators) == 0);
    }
    CHECK(budget_concerns(&b.items[0], "any.onnx"));
    CHECK(budget_concerns(&b.items[2], "/m/silero_v5.onnx"));
    CHECK(!budget_concerns(&b.items[2], "/m/cls.onnx"));
    budgets_release(&b);
}

/* One sentence that names the file, the line and what is wrong. */
static void test_refusals(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "p11 = \"5%\"", "p11 is no figure" },
        { "\np10 = \"fast\"", "line 2: p10 needs a limit" },
        { "p10 = \"-5%\"", "needs a limit" },
        { "p10 = \"0%\"", "needs a limit" },
        { "p10 = \"300 MB\"", "needs a limit" }, /* a time is not in bytes */
        { "peak_rss = \"3 ms\"", "needs a limit" },
        { "[model.x]\np10 = \"5%\"", "table" },
        { "[models.]\np10 = \"5%\"", "" },
        { "p10 = ", "" },
        { "", "no budget" },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct budgets b;
        struct error e = { 0 };

        CHECK(budgets_read(&b, str_of(cases[i].text), "b.toml", &e) < 0);
        CHECK(strstr(e.text, "b.toml") && strstr(e.text, cases[i].says));
        CHECK_INT(b.count, 0);
    }
}

static enum budget_state of_change(double low, double middle, double high)
{
    struct budget b = { .figure = JUDGED_P10, .relative = true, .limit = .05 };
    struct judged_change c = { .interval = { log1p(middle), log1p(low),
                                       log1p(high) } };

    return budget_of_figure(&b, &c, NULL, 0);
}

static void test_shares(void)
{
    struct budget rate = { .figure = JUDGED_RATE,
        .relative = true,
        .limit = .05 };
    struct judged_change slower = { .interval = { -.1, -.12, -.08 } };

    CHECK_INT(of_change(-.01, .01, .03), BUDGET_KEPT);
    CHECK_INT(of_change(.02, .03, .049), BUDGET_KEPT); /* slower, within */
    CHECK_INT(of_change(.04, .06, .08), BUDGET_OVER);
    CHECK_INT(of_change(-.01, .03, .07), BUDGET_UNDECIDED);
    CHECK_INT(of_change(.01, .03, .07), BUDGET_UNDECIDED);
    CHECK_INT(of_change(NAN, NAN, NAN), BUDGET_UNDECIDED);
    CHECK_INT(budget_of_figure(&rate, &slower, NULL, 0), BUDGET_OVER);
}

static void test_values(void)
{
    static const double near[] = { 9.9e6, 10e6, 10.1e6, 10e6 };
    struct budget b = { .figure = JUDGED_P99, .limit = 12e6 };

    CHECK_INT(budget_of_figure(&b, NULL, near, 4), BUDGET_KEPT);
    CHECK_INT(budget_of_figure(&b, NULL, near, 3), BUDGET_UNDECIDED);
    b.limit = 8e6;
    CHECK_INT(budget_of_figure(&b, NULL, near, 4), BUDGET_OVER);
    b.limit = 10.1e6; /* within what the runs differ by */
    CHECK_INT(budget_of_figure(&b, NULL, near, 4), BUDGET_UNDECIDED);
    b = (struct budget){ .figure = JUDGED_RATE, .limit = 12e6 };
    CHECK_INT(budget_of_figure(&b, NULL, near, 4), BUDGET_OVER);
}

static void test_operators(void)
{
    char conv[] = "Conv";
    struct budget b = { .operators = conv, .relative = true, .limit = .1 };
    struct operator_change x = {
        .name = "c",
        .op_type = "Conv",
        .there = { true, true },
        .ns = { 100000, 130000 },
        .has_interval = true,
        .low_ns = 25000,
        .high_ns = 35000,
        .verdict = VERDICT_WORSE,
    };
    struct operator_changes c = { .items = &x, .count = 1 };

    CHECK_INT(budget_of_operators(&b, &c), BUDGET_OVER);
    b.limit = .5;
    CHECK_INT(budget_of_operators(&b, &c), BUDGET_KEPT);
    b.limit = .1;
    x.verdict = VERDICT_CANNOT_TELL;
    CHECK_INT(budget_of_operators(&b, &c), BUDGET_UNDECIDED);
    x.verdict = VERDICT_SAME;
    CHECK_INT(budget_of_operators(&b, &c), BUDGET_KEPT);
    x.op_type = "Gemm"; /* none of those meant */
    CHECK_INT(budget_of_operators(&b, &c), BUDGET_UNDECIDED);
    b = (struct budget){ .operators = conv, .limit = 120e3 };
    x.op_type = "Conv";
    x.verdict = VERDICT_WORSE;
    CHECK_INT(budget_of_operators(&b, &c), BUDGET_OVER);
}

int main(void)
{
    test_read();
    test_refusals();
    test_shares();
    test_values();
    test_operators();
    return test_result();
}
