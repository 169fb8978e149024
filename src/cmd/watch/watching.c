#include "cmd/watch/watching.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "os/clock.h"
#include "os/process/pause.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Most of it is never touched when little is watched. */
#define HISTORY_BYTES ((size_t)256 << 20)

/* --- options -------------------------------------------------------------- */

/* "100", or "nvml=5": returns the name's length, 0 where there is none. */
static int parse_rate(double *hz, size_t *name_len, const char *text,
        struct error *e)
{
    const char *equals = strchr(text, '=');
    const char *number = equals ? equals + 1 : text;

    *name_len = equals ? (size_t)(equals - text) : 0;
    if (str_f64(hz, str_of(number)) || *hz < 0 || *hz > 10000 ||
            (!equals && *hz <= 0))
        return fail(e, -EINVAL,
                "--rate takes a number up to 10000, or NAME=NUMBER, not '%s'",
                text);
    return 0;
}

static int parse_pid(uint64_t *out, const char *text, struct error *e)
{
    if (str_u64(out, str_of(text)) || !*out || *out > INT32_MAX)
        return fail(e, -EINVAL, "--pid takes the number of a process, not '%s'",
                text);
    return 0;
}

int watching_check(const struct watching_settings *s, double *hz,
        struct error *e)
{
    uint64_t pid;
    size_t len;
    double rate;
    int rc = 0;

    *hz = 0;
    for (int i = 0; i < s->pids.count && !rc; i++)
        rc = parse_pid(&pid, s->pids.item[i], e);
    for (int i = 0; i < s->rates.count && !rc; i++) {
        rc = parse_rate(&rate, &len, s->rates.item[i], e);
        if (!rc && !len)
            *hz = rate;
    }
    if (!rc && s->max_overhead_percent > 100)
        rc = fail(e, -EINVAL, "--max-overhead takes percent of a core, not %g",
                s->max_overhead_percent);
    return rc;
}

/* --- opening -------------------------------------------------------------- */

struct rates {
    struct sampling_rate item[OPTION_TEXTS_MAX];
    char name[OPTION_TEXTS_MAX][32];
    size_t count;
};

static int name_rates(struct rates *out, const struct option_texts *texts,
        struct error *e)
{
    for (int i = 0; i < texts->count; i++) {
        double hz;
        size_t len;

        (void)parse_rate(&hz, &len, texts->item[i], e);
        if (!len)
            continue;
        if (len >= sizeof(out->name[0]))
            return fail(e, -EINVAL, "there is no sampler like '%s'",
                    texts->item[i]);
        memcpy(out->name[out->count], texts->item[i], len);
        out->item[out->count] =
                (struct sampling_rate){ out->name[out->count], hz };
        out->count++;
    }
    return 0;
}

static int open_sampling(struct watching *w, const struct watching_settings *s,
        struct error *e)
{
    uint64_t pids[OPTION_TEXTS_MAX + 1];
    struct rates rates = { .count = 0 };
    struct target_plan targets = {
        .pids = pids,
        .names = s->names.item,
        .name_count = (size_t)s->names.count,
        .children = s->children || w->child,
    };
    int rc = name_rates(&rates, &s->rates, e);

    if (rc)
        return rc;
    for (int i = 0; i < s->pids.count; i++)
        (void)parse_pid(&pids[targets.pid_count++], s->pids.item[i], NULL);
    if (w->child)
        pids[targets.pid_count++] = child_pid(w->child);
    w->by_pid = targets.pid_count && !targets.name_count;
    w->budget = s->max_overhead_percent > 0
                        ? s->max_overhead_percent / 100
                        : rates_budget((enum rates_profile)s->profile);

    struct sampling_plan sampling = {
        .targets = targets.pid_count || targets.name_count ? &targets : NULL,
        .costly = s->costly,
        .hz = w->hz,
        .rates = rates.item,
        .rate_count = rates.count,
        .budget = w->budget,
    };

    return loop_open(&w->loop,
            &(struct loop_plan){ .sampling = &sampling,
                    .to = &w->to,
                    .keeps_board = true },
            e);
}

int watching_open(struct watching *w, const struct watching_settings *s,
        char *const *argv, struct error *e)
{
    int rc;

    *w = (struct watching){ 0 };
    w->to = subscriber_to_all(&w->all);
    rc = watching_check(s, &w->hz, e);
    w->begun_ns = mono_ns();
    if (!rc && argv)
        rc = child_start(&w->child,
                &(struct child_plan){ .argv = argv, .stdout_to_stderr = true },
                e);
    if (!rc)
        rc = open_sampling(w, s, e);
    if (rc)
        return rc;
    w->sampling = loop_sampling(w->loop);
    w->board = loop_board(w->loop);
    w->history = history_new(HISTORY_BYTES);
    w->to_history = history_subscriber(w->history);
    subscribers_add(&w->all, &w->to_history);
    w->start_ns = mono_ns();
    w->mono_to_wall_ns = wall_ns() - w->start_ns;
    w->start_cpu_ns = own_cpu_ns();
    return 0;
}

void watching_tell(struct watching *w, const struct subscriber *x,
        const struct run *run)
{
    subscribers_add(&w->all, x);
    x->begin(x->context, run);
}

void watching_close(struct watching *w)
{
    if (w->child && !w->ended)
        child_ask_to_end(w->child, &w->end);
    loop_close(w->loop);
    history_free(w->history);
    child_close(w->child);
    free(w->ends);
}

/* --- stepping ------------------------------------------------------------- */

const struct watching_end *watching_end_of(const struct watching *w,
        uint32_t subject)
{
    for (size_t i = 0; i < w->end_count; i++)
        if (w->ends[i].subject == subject)
            return &w->ends[i];
    return NULL;
}

static void note_end(struct watching *w, const struct target *t)
{
    if (watching_end_of(w, t->subject))
        return;
    if (w->end_count == w->end_cap) {
        w->end_cap = w->end_cap ? 2 * w->end_cap : 16;
        w->ends = alloc_resize(w->ends, w->end_cap * sizeof(*w->ends));
    }
    w->ends[w->end_count++] = (struct watching_end){
        .subject = t->subject,
        .known = t->exit_known,
        .exit_code = t->exit_code,
        .signal = t->exit_signal,
    };
}

/* Ended ones stay for one look, so that this sees them. */
static void look_for_ends(struct watching *w)
{
    struct targets *targets = sampling_targets(w->sampling);
    size_t alive = 0;

    if (!targets)
        return;
    for (size_t i = 0; i < targets_count(targets); i++) {
        const struct target *t = targets_at(targets, i);

        if (t->ended)
            note_end(w, t);
        alive += !t->ended;
    }
    if (!alive && w->by_pid && !w->child)
        w->ended = true;
}

void watching_refresh(struct watching *w)
{
    (void)loop_board(w->loop);
}

void watching_settle(struct watching *w)
{
    loop_tell(w->loop);
}

/* What the last step read. */
static void took(struct watching *w)
{
    w->tick_ns = loop_tick_ns(w->loop);
    look_for_ends(w);
}

/* The last figures of a child of ours are there until it is waited for. */
static void child_ended(struct watching *w)
{
    loop_read_all(w->loop);
    took(w);
    w->ended = child_wait(w->child, 0, &w->end);
}

bool watching_step(struct watching *w, uint64_t latest_ns)
{
    uint64_t next_ns = loop_next_ns(w->loop);
    uint64_t until_ns = next_ns < latest_ns ? next_ns : latest_ns;

    if (w->child && !w->ended && child_ends_by(w->child, until_ns)) {
        child_ended(w);
        return true;
    }
    if ((!w->child || w->ended) && !sleep_until(until_ns))
        return false;
    if (!loop_step(w->loop))
        return false;
    took(w);
    return true;
}

/* The kernel tells when a process began in hundredths of a second. */
#define BEGIN_NS UINT64_C(20000000)

bool watching_saw_begin(const struct watching *w, const struct subject *x)
{
    return x->kind == SUBJECT_PROCESS && x->start_ns + BEGIN_NS >= w->begun_ns;
}

double watching_cost(const struct watching *w, uint64_t now_ns)
{
    return now_ns > w->start_ns ? (double)(own_cpu_ns() - w->start_cpu_ns) /
                                          (double)(now_ns - w->start_ns)
                                : 0;
}
