#include "analyse/verdict/operator_changes.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What was found best on recorded operators. */
#define FALSE_RATE   0.05   /* of those that are named, at most */
#define ADDED_NS     200.0  /* so that the smallest do not swing the most */
#define LEAST_NS     1000.0 /* changes below matter to nobody, */
#define LEAST_WHOLE  0.001  /* nor those below that part of the inference */
#define LEAST_ITSELF 0.05   /* or of the operator */
#define SURE         0.025  /* beyond each end of an interval */

#define MOST_NS 0x1p61 /* of a time, so that differences are numbers, too */

const char *operator_change_kind_name(enum operator_change_kind kind)
{
    static const char *const names[OPERATOR_CHANGE_KINDS] = {
        [OPERATOR_CHANGE_TIME] = "operators",
        [OPERATOR_CHANGE_PLACEMENT] = "placement",
        [OPERATOR_CHANGE_FUSION] = "fusion",
        [OPERATOR_CHANGE_REST] = "rest",
    };

    return names[kind];
}

/* --- rows of all runs, side by side --------------------------------------- */

struct entry {
    struct operator_time time;
    int side;
    size_t run;
};

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static int by_key(const struct entry *x, const struct entry *y)
{
    int order = strcmp(text_of(x->time.name), text_of(y->time.name));

    return order ? order
                 : strcmp(text_of(x->time.op_type), text_of(y->time.op_type));
}

static int by_key_and_run(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = by_key(x, y);

    if (order)
        return order;
    if (x->side != y->side)
        return x->side - y->side;
    return x->run < y->run ? -1 : x->run > y->run;
}

static size_t add_side(struct entry *out, const struct operator_times_of *runs,
        size_t count, int side)
{
    size_t n = 0;

    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < runs[r].count; i++)
            out[n++] = (struct entry){ runs[r].items[i], side, r };
    return n;
}

static size_t rows_of(const struct operator_times_of *runs, size_t count)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += runs[i].count;
    return n;
}

/* --- one operator --------------------------------------------------------- */

/* What one operator took in the runs of each side. */
struct row {
    double *ns[2], *ln[2];
    size_t runs[2];
};

/* As a whole number; what no run has, somebody's database may. */
static int64_t whole_ns(double ns)
{
    return ns > 0 ? llround(fmin(ns, MOST_NS)) : 0;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / (double)count : 0;
}

/* The mean's variance. */
static double error_of(const double *values, size_t count)
{
    double mean = mean_of(values, count), squares = 0;

    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return squares / (double)(count - 1) / (double)count;
}

static void find_interval(struct operator_change *out, const struct row *r)
{
    double a = error_of(r->ns[0], r->runs[0]);
    double b = error_of(r->ns[1], r->runs[1]);
    double change = (double)(out->ns[1] - out->ns[0]), reach = 0;

    if (a + b > 0) {
        double freedom = (a + b) * (a + b) /
                         (a * a / (double)(r->runs[0] - 1) +
                                 b * b / (double)(r->runs[1] - 1));

        reach = interval_student_limit(SURE, freedom) * sqrt(a + b);
    }
    out->has_interval = true;
    out->low_ns = change - reach;
    out->high_ns = change + reach;
}

/* All its entries, first those of before; runs without it took no time. */
static void fill_row(struct row *r, const struct entry *all, size_t count,
        struct operator_change *out)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < r->runs[side]; i++)
            r->ns[side][i] = 0;
    for (size_t i = 0; i < count; i++) {
        const struct entry *x = &all[i];

        r->ns[x->side][x->run] += x->time.ns;
        out->there[x->side] = true;
        out->provider[x->side] = x->time.provider;
    }
    for (int side = 0; side < 2; side++) {
        out->ns[side] = whole_ns(mean_of(r->ns[side], r->runs[side]));
        for (size_t i = 0; i < r->runs[side]; i++)
            r->ln[side][i] = log(r->ns[side][i] + ADDED_NS);
    }
}

static void compare_row(struct operator_change *out, struct row *r,
        const struct entry *all, size_t count)
{
    *out = (struct operator_change){
        .name = all->time.name,
        .op_type = all->time.op_type,
        .verdict = VERDICT_CANNOT_TELL,
        .chance = 1,
    };
    fill_row(r, all, count, out);
    out->kind = !out->there[0] || !out->there[1] ? OPERATOR_CHANGE_FUSION
                : strcmp(text_of(out->provider[0]), text_of(out->provider[1]))
                        ? OPERATOR_CHANGE_PLACEMENT
                        : OPERATOR_CHANGE_TIME;
    if (r->runs[0] < OPERATOR_CHANGES_RUNS ||
            r->runs[1] < OPERATOR_CHANGES_RUNS)
        return;
    out->chance = interval_welch(r->ln[0], r->runs[0], r->ln[1], r->runs[1]);
    find_interval(out, r);
}

/* --- all of them ---------------------------------------------------------- */

static bool matters(const struct operator_changes *c,
        const struct operator_change *x)
{
    double change = fabs((double)(x->ns[1] - x->ns[0]));
    double itself = (double)(x->there[0] ? x->ns[0] : x->ns[1]);

    return change >= LEAST_NS &&
           change >= LEAST_WHOLE * (double)c->whole_ns[0] &&
           change >= LEAST_ITSELF * itself;
}

static void judge(struct operator_changes *c)
{
    double *chances = alloc_zero(c->count + 1, sizeof(*chances));
    bool *found = alloc_zero(c->count + 1, sizeof(*found));

    for (size_t i = 0; i < c->count; i++)
        chances[i] = c->items[i].chance;
    interval_discoveries(found, chances, c->count, FALSE_RATE);
    for (size_t i = 0; i < c->count; i++) {
        struct operator_change *x = &c->items[i];

        if (!matters(c, x))
            x->verdict = VERDICT_SAME;
        else if (found[i])
            x->verdict = x->ns[1] > x->ns[0] ? VERDICT_WORSE : VERDICT_BETTER;
    }
    free(chances);
    free(found);
}

static int by_change(const void *a, const void *b)
{
    const struct operator_change *x = a, *y = b;
    int64_t p = llabs(x->ns[1] - x->ns[0]), q = llabs(y->ns[1] - y->ns[0]);

    if (p != q)
        return p < q ? 1 : -1;
    return strcmp(text_of(x->name), text_of(y->name));
}

static int64_t whole_of(const struct operator_times_of *runs, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += runs[i].whole_ns;
    return count ? whole_ns(sum / (double)count) : 0;
}

/* Of numbers that make no sense any sum will do, but it has to be one. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* What is left of the whole is the rest. */
static void add_up(struct operator_changes *c)
{
    int64_t rest = c->whole_ns[1] - c->whole_ns[0];

    for (size_t i = 0; i < c->count; i++) {
        const struct operator_change *x = &c->items[i];

        c->part_ns[x->kind] = plus(c->part_ns[x->kind], x->ns[1] - x->ns[0]);
        rest = plus(rest, x->ns[0] - x->ns[1]);
    }
    c->part_ns[OPERATOR_CHANGE_REST] = rest;
}

static void row_init(struct row *r, size_t before, size_t after)
{
    r->runs[0] = before;
    r->runs[1] = after;
    for (int side = 0; side < 2; side++) {
        r->ns[side] = alloc_zero(r->runs[side] + 1, sizeof(double));
        r->ln[side] = alloc_zero(r->runs[side] + 1, sizeof(double));
    }
}

static void row_release(struct row *r)
{
    for (int side = 0; side < 2; side++) {
        free(r->ns[side]);
        free(r->ln[side]);
    }
}

void operator_changes_find(struct operator_changes *out,
        const struct operator_times_of *before, size_t before_count,
        const struct operator_times_of *after, size_t after_count)
{
    size_t most = rows_of(before, before_count) + rows_of(after, after_count);
    struct entry *all = alloc_zero(most + 1, sizeof(*all));
    size_t count = add_side(all, before, before_count, 0);
    struct row row;

    count += add_side(all + count, after, after_count, 1);
    qsort(all, count, sizeof(*all), by_key_and_run);
    row_init(&row, before_count, after_count);
    *out = (struct operator_changes){
        .items = alloc_zero(count + 1, sizeof(*out->items)),
        .whole_ns = { whole_of(before, before_count),
                whole_of(after, after_count) },
        .judged = before_count >= OPERATOR_CHANGES_RUNS &&
                  after_count >= OPERATOR_CHANGES_RUNS,
    };
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && by_key(&all[i], &all[end]) == 0;)
            end++;
        compare_row(&out->items[out->count++], &row, all + i, end - i);
    }
    add_up(out);
    if (out->judged)
        judge(out);
    qsort(out->items, out->count, sizeof(*out->items), by_change);
    row_release(&row);
    free(all);
}

void operator_changes_release(struct operator_changes *c)
{
    free(c->items);
    *c = (struct operator_changes){ 0 };
}

double operator_change_explains(const struct operator_changes *c,
        const struct operator_change *x)
{
    int64_t whole = c->whole_ns[1] - c->whole_ns[0];

    return whole ? (double)(x->ns[1] - x->ns[0]) / (double)whole : NAN;
}
