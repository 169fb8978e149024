#include "cmd/advise/advise_try.h"

#include "base/json_member.h"
#include "base/json_read.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process/child.h"
#include "os/process/self.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ANSWER_MAX (1 << 20)
#define SECONDS    "30"

/* One option of check, for base and head. */
struct trial {
    const char *what, *base_option, *head_option;
};

static const struct trial level = { "graph optimisation", "--base-level",
    "--head-level" };
static const struct trial threads = { "threads", "--base-threads",
    "--head-threads" };

static int64_t number_in(const char *object, const char *key, int64_t otherwise)
{
    int64_t n;

    return object && !str_i64(&n, json_member(str_of(object), key)) ? n
                                                                    : otherwise;
}

/* --- one ------------------------------------------------------------------ */

static double real_in(struct str object, const char *key)
{
    double x;

    return str_f64(&x, json_member(object, key)) ? NAN : x;
}

/* What check wrote; the first figure is that of an undisturbed inference. */
static int read_answer(struct tried *t, struct str answer)
{
    struct buf verdict = { 0 };
    struct str figures = json_member(answer, "figures"), first = { 0 };
    struct str interval, bound;

    if (!json_member_text(&verdict, answer, "verdict") ||
            json_next_element(&figures, &first) <= 0) {
        buf_release(&verdict);
        return -EINVAL;
    }
    (void)snprintf(t->verdict, sizeof(t->verdict), "%s", buf_cstr(&verdict));
    buf_release(&verdict);
    t->change = real_in(first, "change");
    t->before_us = real_in(first, "before");
    t->low = t->high = NAN;
    interval = json_member(first, "interval");
    if (json_next_element(&interval, &bound) > 0 && str_f64(&t->low, bound))
        t->low = NAN;
    if (json_next_element(&interval, &bound) > 0 && str_f64(&t->high, bound))
        t->high = NAN;
    return 0;
}

static int run_check(char *const *argv, const char *log, struct error *e)
{
    const struct child_plan plan = { .argv = argv, .output = log };
    struct child_end end = { 0 };
    struct child *child = NULL;
    int rc = child_start(&child, &plan, e);

    if (rc)
        return rc;
    while (!child_wait(child, 1000, &end))
        ;
    child_close(child);
    /* Worse and undecided are answers, too. */
    if (end.signal ||
            (end.exit_code && end.exit_code != 3 && end.exit_code != 4))
        return -EIO;
    return 0;
}

/* `folder` gets two files. */
static int measure(struct tried *t, const struct trial *x, const char *model,
        const char *folder, struct error *e)
{
    static char answer[ANSWER_MAX];
    char self[PATH_MAX], out[PATH_MAX], log[PATH_MAX];
    int rc = self_path(self, sizeof(self));

    if (rc)
        return fail(e, rc, "cannot find out where ortmeter itself lies");
    (void)snprintf(out, sizeof(out), "%s/answer.json", folder);
    (void)snprintf(log, sizeof(log), "%s/log", folder);

    const char *argv[] = { self, "check", model, "--no-operators", "--quiet",
        "--duration", SECONDS, "-o", out, x->base_option, t->from,
        x->head_option, t->to, NULL };

    rc = run_check((char *const *)argv, log, e);
    if (rc) {
        int n = file_read(answer, sizeof(answer), "%s", log);

        rc = fail(e, rc, "%s: %.*s", model, n > 0 ? n > 200 ? 200 : n : 0,
                answer);
    } else {
        int n = file_read(answer, sizeof(answer), "%s", out);

        rc = n < 0 ? n : read_answer(t, (struct str){ answer, (size_t)n });
        if (rc)
            rc = fail(e, rc, "%s: check gave no answer", model);
    }
    return rc;
}

/* --- all ------------------------------------------------------------------ */

static struct tried *add(struct trials *out, const struct trial *x)
{
    struct tried *t = &out->items[out->count];

    *t = (struct tried){ .what = x->what };
    return t;
}

static const char *level_name(int64_t n)
{
    return n == 0 ? "disabled" : n == 1 ? "basic" : "extended";
}

static int try_all(struct trials *out, const struct summary_session *s,
        int64_t cpus, const char *folder, struct error *e)
{
    int64_t now = number_in(s->options, "graph_optimization_level", 99);
    int64_t many = number_in(s->options, "intra_op_num_threads", 0);
    int rc = 0;

    if (now >= 0 && now <= 2) {
        struct tried *t = add(out, &level);

        (void)snprintf(t->from, sizeof(t->from), "%s", level_name(now));
        (void)snprintf(t->to, sizeof(t->to), "all");
        rc = measure(t, &level, s->model, folder, e);
        out->count += !rc;
    }
    if (!rc && many >= 0 && many <= 1024) {
        struct tried *t = add(out, &threads);

        (void)snprintf(t->from, sizeof(t->from), "%lld", (long long)many);
        (void)snprintf(t->to, sizeof(t->to), "%lld",
                (long long)(many == 1 && cpus > 1 ? cpus : 1));
        if (strcmp(t->from, t->to) != 0) {
            rc = measure(t, &threads, s->model, folder, e);
            out->count += !rc;
        }
    }
    return rc;
}

int advise_try(struct trials *out, const struct summary *s, struct error *e)
{
    const struct summary_session *most = NULL;
    char folder[PATH_MAX];
    int64_t cpus = 0;

    *out = (struct trials){ .count = 0 };
    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].inferences && !s->sessions[i].aside &&
                (!most || s->sessions[i].total_ns > most->total_ns))
            most = &s->sessions[i];
    if (!most || !most->model)
        return fail(e, -ENOENT,
                "nothing can be tried: the run has no session whose model is "
                "a file");

    int rc = path_readable("%s", most->model);

    if (rc)
        return fail(e, rc, "nothing can be tried: cannot read %.200s: %s",
                most->model, strerror(-rc));
    rc = path_make_temporary(folder, sizeof(folder), "ortmeter-advise");
    if (rc)
        return fail(e, rc, "cannot make a temporary folder: %s", strerror(-rc));
    if (s->run.host &&
            str_i64(&cpus, json_member(json_member(str_of(s->run.host), "cpu"),
                                   "threads")))
        cpus = 0;
    rc = try_all(out, most, cpus, folder, e);
    (void)path_remove_folder(folder);
    return rc;
}
