#include "analyse/verdict/budget.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/toml.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_LEAST 4     /* of fewer, a value is not known well enough */
#define CHANCE       0.005 /* that it is beyond, on one side */

/* --- reading -------------------------------------------------------------- */

static const struct {
    const char *name;
    bool of_time;
    double factor;
} units[] = {
    { "ns", true, 1 },
    { "us", true, 1e3 },
    { "µs", true, 1e3 },
    { "ms", true, 1e6 },
    { "s", true, 1e9 },
    { "B", false, 1 },
    { "kB", false, 1e3 },
    { "MB", false, 1e6 },
    { "GB", false, 1e9 },
    { "J", false, 1 },
    { "mJ", false, 1e-3 },
    { "/s", false, 1 },
};

static char *copy(struct str s)
{
    char *out = alloc_zero(s.len + 1, 1);

    memcpy(out, s.p, s.len);
    return out;
}

/* Where the number ends. */
static size_t digits(struct str s)
{
    size_t n = 0;

    while (n < s.len && strchr("0123456789.+-eE", s.p[n]))
        n++;
    return n;
}

/* "5%", "12 ms", "300 MB", "0.2 J", "100/s". */
static int read_limit(struct budget *b, struct str text, bool time)
{
    struct str s = str_trim(text);
    size_t n = digits(s);
    struct str unit = str_trim((struct str){ s.p + n, s.len - n });

    if (str_f64(&b->limit, (struct str){ s.p, n }) || !(b->limit > 0))
        return -EINVAL;
    if (str_is(unit, "%")) {
        b->relative = true;
        b->limit /= 100;
        return 0;
    }
    for (size_t i = 0; i < LEN(units); i++)
        if (str_is(unit, units[i].name) && units[i].of_time == time) {
            b->limit *= units[i].factor;
            return 0;
        }
    return -EINVAL;
}

static int find_figure(struct budget *b, struct str key)
{
    for (int i = 0; i < JUDGED_FIGURES; i++)
        if (str_is(key, judged_kinds[i].name)) {
            b->figure = (enum judged_figure)i;
            return 0;
        }
    return -EINVAL;
}

struct reader {
    struct budgets *out;
    const char *file;
    struct error *error;
    int rc;
};

/* Of which model: "models.NAME". */
static int read_table(struct budget *b, struct str table)
{
    if (!table.len || str_is(table, "operators"))
        return 0;
    if (!str_starts(table, "models."))
        return -EINVAL;

    struct str name = { table.p + strlen("models."),
        table.len - strlen("models.") };

    b->model = copy(name);
    return name.len ? 0 : -EINVAL;
}

static void drop(struct budget *b)
{
    free(b->model);
    free(b->operators);
    free(b->text);
}

static void take(void *to, const struct toml_value *v)
{
    struct reader *r = to;
    struct budget b = { 0 };
    const char *wrong = NULL;

    if (r->rc)
        return;
    b.text = copy(v->text);
    if (read_table(&b, v->table))
        wrong = "is in a table that is none of ours: [models.NAME] and "
                "[operators] are";
    else if (str_is(v->table, "operators"))
        b.operators = copy(v->key);
    else if (find_figure(&b, v->key))
        wrong = "is no figure that has a budget";
    if (!wrong && read_limit(&b, v->text,
                          b.operators || judged_kinds[b.figure].per_unit > 1))
        wrong = "needs a limit like \"5%\", \"12 ms\" or \"300 MB\"";
    if (wrong) {
        r->rc = fail(r->error, -EINVAL, "%.100s: line %llu: %.*s %s", r->file,
                (unsigned long long)v->line,
                (int)(v->key.len < 60 ? v->key.len : 60), v->key.p, wrong);
        drop(&b);
        return;
    }
    r->out->items = alloc_resize(r->out->items,
            (r->out->count + 1) * sizeof(*r->out->items));
    r->out->items[r->out->count++] = b;
}

int budgets_read(struct budgets *out, struct str text, const char *file,
        struct error *e)
{
    struct reader r = { out, file, e, 0 };
    struct error why = { 0 };

    *out = (struct budgets){ 0 };

    int rc = toml_read(text, take, &r, &why);

    if (rc && !r.rc)
        r.rc = fail(e, rc, "%.100s: %s", file, why.text);
    if (!r.rc && !out->count)
        r.rc = fail(e, -EINVAL, "%.100s has no budget in it", file);
    if (r.rc)
        budgets_release(out);
    return r.rc;
}

void budgets_release(struct budgets *b)
{
    for (size_t i = 0; i < b->count; i++)
        drop(&b->items[i]);
    free(b->items);
    *b = (struct budgets){ 0 };
}

/* --- whether they hold ---------------------------------------------------- */

const char *budget_state_name(enum budget_state state)
{
    return state == BUDGET_KEPT   ? "kept"
           : state == BUDGET_OVER ? "over"
                                  : "undecided";
}

bool budget_concerns(const struct budget *b, const char *model)
{
    return !b->model || strstr(model, b->model);
}

/* Where the change may be, and where it must not. */
static enum budget_state of_change(const struct interval *i, double limit,
        bool more_is_better)
{
    double low = more_is_better ? -i->high : i->low;
    double high = more_is_better ? -i->low : i->high;
    double middle = more_is_better ? -i->middle : i->middle;

    if (high < log1p(limit))
        return BUDGET_KEPT;
    return low > 0 && middle >= log1p(limit) ? BUDGET_OVER : BUDGET_UNDECIDED;
}

static enum budget_state of_values(const double *values, size_t count,
        double limit, bool more_is_better)
{
    double sum = 0, squares = 0, n = (double)count;

    if (count < VALUES_LEAST)
        return BUDGET_UNDECIDED;
    for (size_t i = 0; i < count; i++)
        sum += log(values[i]);
    for (size_t i = 0; i < count; i++)
        squares += (log(values[i]) - sum / n) * (log(values[i]) - sum / n);

    double reach =
            interval_student_limit(CHANCE, n - 1) * sqrt(squares / (n - 1) / n);
    double off = sum / n - log(limit);

    if (more_is_better)
        off = -off;
    if (off + reach <= 0)
        return BUDGET_KEPT;
    return off - reach > 0 ? BUDGET_OVER : BUDGET_UNDECIDED;
}

enum budget_state budget_of_figure(const struct budget *b,
        const struct judged_change *c, const double *values, size_t count)
{
    bool more = judged_kinds[b->figure].more_is_better;

    if (b->relative)
        return of_change(&c->interval, b->limit, more);
    return of_values(values, count, b->limit, more);
}

static bool is_meant(const struct budget *b, const struct operator_change *x)
{
    return strcmp(b->operators, x->name) == 0 ||
           strcmp(b->operators, x->op_type) == 0;
}

enum budget_state budget_of_operators(const struct budget *b,
        const struct operator_changes *c)
{
    enum budget_state state = BUDGET_UNDECIDED;

    for (size_t i = 0; i < c->count; i++) {
        const struct operator_change *x = &c->items[i];
        double change = (double)(x->ns[1] - x->ns[0]);
        double limit = b->relative ? b->limit * (double)x->ns[0]
                                   : b->limit - (double)x->ns[0];

        if (!is_meant(b, x) || !x->has_interval)
            continue;
        if (x->verdict == VERDICT_WORSE && change > limit && x->low_ns > 0)
            return BUDGET_OVER;
        if (x->verdict != VERDICT_SAME && x->high_ns > limit)
            return BUDGET_UNDECIDED;
        state = BUDGET_KEPT;
    }
    return state;
}
