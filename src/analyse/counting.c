#include "analyse/counting.h"

#include "analyse/generation/generation.h"
#include "base/alloc.h"
#include "base/hist.h"
#include "model/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cost {
    uint64_t inferences, ns;
};

struct counted_session {
    uint32_t id;
    uint32_t table;
    uint64_t looked_at;
    uint64_t plain[PHASES], traced[PHASES];
    bool first_traced;
    uint8_t first_phase;
    struct hist *durations;
    struct cost cost[PHASES]; /* where it is the table */
};

struct counting {
    struct counted_session *sessions;
    size_t count;
    uint64_t plain_tokens[TOKEN_KINDS];
    bool tokens_known; /* all of them */
};

struct counting *counting_new(void)
{
    return alloc_zero(1, sizeof(struct counting));
}

void counting_free(struct counting *c)
{
    for (size_t i = 0; c && i < c->count; i++)
        free(c->sessions[i].durations);
    if (c)
        free(c->sessions);
    free(c);
}

static struct counted_session *find(const struct counting *c, uint32_t id)
{
    if (id && id <= c->count && c->sessions[id - 1].id == id)
        return &c->sessions[id - 1];
    for (size_t i = 0; i < c->count; i++)
        if (c->sessions[i].id == id)
            return &c->sessions[i];
    return NULL;
}

static struct counted_session *session_of(struct counting *c, uint32_t id)
{
    struct counted_session *x = find(c, id);

    if (x)
        return x;
    c->sessions =
            alloc_resize(c->sessions, (c->count + 1) * sizeof(*c->sessions));
    x = &c->sessions[c->count++];
    *x = (struct counted_session){
        .id = id,
        .table = id,
        .durations = alloc_zero(1, sizeof(*x->durations)),
    };
    return x;
}

static uint8_t phase_of(uint8_t phase)
{
    return phase < PHASES ? phase : PHASE_OTHER;
}

static uint64_t sum_of(const uint64_t by_phase[PHASES])
{
    uint64_t sum = 0;

    for (int i = 0; i < PHASES; i++)
        sum += by_phase[i];
    return sum;
}

void counting_add(struct counting *c, const struct inference *i)
{
    struct counted_session *x = session_of(c, i->session);
    uint8_t phase = phase_of(i->phase);
    bool first = !sum_of(x->plain) && !x->looked_at && !sum_of(x->traced);

    if (i->flags & FLAG_FAILED)
        return;
    if (i->flags & FLAG_STATS) {
        x->looked_at++;
        return;
    }
    if (inference_is_traced(i)) {
        x->traced[phase]++;
        if (first) {
            x->first_traced = true;
            x->first_phase = phase;
        }
    } else {
        x->plain[phase]++;
    }
    hist_add(x->durations, i->duration_ns);
}

void counting_add_sum(struct counting *c, const struct latency_sum *sum)
{
    struct counted_session *x = session_of(c, sum->session);
    uint8_t phase = phase_of(sum->phase);

    x->looked_at += sum->looked_at;
    if (sum->traced)
        x->traced[phase] += sum->count;
    else
        x->plain[phase] += sum->count;
    if (sum->spread)
        (void)hist_read(x->durations, str_of(sum->spread));
}

void counting_share(struct counting *c, uint32_t session, uint32_t table)
{
    if (table)
        session_of(c, session)->table = table;
}

void counting_cost(struct counting *c, const struct traced_sum *sum)
{
    session_of(c, sum->session)->cost[phase_of(sum->phase)] =
            (struct cost){ sum->count, sum->cost_ns };
}

/* What tracing one costs; of a phase of which that is not known, as of the
 * others.  False: it is not known at all. */
static bool cost_of(double *ns, const struct counting *c,
        const struct counted_session *x, unsigned phase)
{
    const struct counted_session *table = find(c, x->table);
    struct cost sum = { 0 };

    if (!table)
        return false;
    if (phase < PHASES)
        sum = table->cost[phase];
    for (int i = 0; i < PHASES && !sum.inferences; i++)
        sum = table->cost[i];
    if (!sum.inferences)
        return false;
    *ns = (double)sum.ns / (double)sum.inferences;
    return true;
}

/* --- the rule ------------------------------------------------------------- */

static enum counted rule(enum touched touched, uint64_t others)
{
    if (touched == UNTOUCHED)
        return COUNTED;
    if (touched == LOOKED_AT)
        return LEFT_OUT;
    return others >= COUNTING_OTHERS ? LEFT_OUT : COUNTED_MARKED;
}

static enum touched touched_by_tracing(const struct counting *c,
        const struct counted_session *x, uint8_t phase)
{
    double ns;

    return cost_of(&ns, c, x, phase) &&
                           ns < COUNTING_SHARE * hist_median(x->durations)
                   ? UNTOUCHED
                   : SLOWED;
}

enum touched counting_touched(const struct counting *c,
        const struct inference *i)
{
    const struct counted_session *x = find(c, i->session);

    if (i->flags & FLAG_STATS)
        return LOOKED_AT;
    if (!inference_is_traced(i))
        return UNTOUCHED;
    return x ? touched_by_tracing(c, x, phase_of(i->phase)) : SLOWED;
}

enum counted counting_of(const struct counting *c, const struct inference *i)
{
    const struct counted_session *x = find(c, i->session);

    return rule(counting_touched(c, i), x ? x->plain[phase_of(i->phase)] : 0);
}

bool counting_knows_cost(const struct counting *c, const struct inference *i)
{
    const struct counted_session *x = find(c, i->session);
    double ns;

    return x && cost_of(&ns, c, x, phase_of(i->phase));
}

void counting_add_tokens(struct counting *c, enum token_kind kind,
        enum touched touched, uint64_t count)
{
    if (touched == UNTOUCHED && !c->tokens_known)
        c->plain_tokens[kind] += count;
}

enum counted counting_token(const struct counting *c, enum token_kind kind,
        enum touched touched)
{
    return rule(touched, c->plain_tokens[kind]);
}

struct counting_session counting_session(const struct counting *c,
        uint32_t session)
{
    const struct counted_session *x = find(c, session);
    struct counting_session out = { 0 };

    if (!x)
        return out;
    out = (struct counting_session){
        .plain = sum_of(x->plain),
        .traced = sum_of(x->traced),
        .looked_at = x->looked_at,
        .first_traced = x->first_traced,
        .first_phase = x->first_phase,
        .median_ns = hist_median(x->durations),
    };

    double all_ns = 0;

    for (unsigned i = 0; i < PHASES; i++) {
        enum counted how =
                rule(touched_by_tracing(c, x, (uint8_t)i), x->plain[i]);
        double ns;

        if (!x->traced[i])
            continue;
        out.left_out += how == LEFT_OUT ? x->traced[i] : 0;
        out.marked += how == COUNTED_MARKED ? x->traced[i] : 0;
        out.cost_known = cost_of(&ns, c, x, i);
        all_ns += out.cost_known ? ns * (double)x->traced[i] : 0;
    }
    if (out.cost_known)
        out.cost_ns = all_ns / (double)out.traced;
    return out;
}

/* --- of a stored run ------------------------------------------------------ */

static void take_inference(void *to, const struct inference *i)
{
    counting_add(to, i);
}

static void take_session(void *to, const struct session *x)
{
    counting_share(to, x->id, x->operators_of);
}

static void take_sum(void *to, const struct traced_sum *x)
{
    counting_cost(to, x);
}

static void take_text(void *to, const struct inference *i)
{
    if (!(i->flags & FLAG_FAILED))
        (void)generations_add(to, i);
}

/* Whether anything was slowed, so that others must be there to leave it out. */
static bool any_slowed(const struct counting *c)
{
    for (size_t i = 0; i < c->count; i++)
        for (unsigned k = 0; k < PHASES; k++)
            if (c->sessions[i].traced[k] &&
                    touched_by_tracing(c, &c->sessions[i], (uint8_t)k) ==
                            SLOWED)
                return true;
    return false;
}

/* When all inferences are known. */
static int read_tokens(struct counting *c, struct store *s, int64_t run,
        struct error *e)
{
    struct generations *g = generations_new(c);
    struct summary_tokens sum;
    int rc = store_each_inference(s, run, take_text, g, e);

    generations_finish(g, &sum);
    c->tokens_known = true;
    return rc;
}

struct reading_sums {
    struct counting *counting;
    bool any;
};

static void take_latency(void *to, const struct latency_sum *x)
{
    struct reading_sums *r = to;

    r->any = true;
    counting_add_sum(r->counting, x);
}

#define WIDEST_S 3600 /* of LATENCY_WIDTHS */

int counting_read_sums(struct counting **out, struct store *s, int64_t run,
        struct error *e)
{
    struct counting *c = counting_new();
    struct reading_sums r = { c, false };
    int rc = store_each_session(s, run, take_session, c, e);

    if (!rc)
        rc = store_each_traced_sum(s, run, take_sum, c, e);
    if (!rc)
        rc = store_each_latency_within(s, run, WIDEST_S, 0, LIMIT_NS,
                take_latency, &r, e);
    if (!rc && !r.any)
        rc = -ENOENT;
    if (rc)
        counting_free(c);
    else
        *out = c;
    return rc;
}

int counting_read(struct counting **out, struct store *s, int64_t run,
        struct error *e)
{
    struct counting *c = counting_new();
    int rc = store_each_session(s, run, take_session, c, e);

    if (!rc)
        rc = store_each_traced_sum(s, run, take_sum, c, e);
    if (!rc)
        rc = store_each_inference(s, run, take_inference, c, e);
    if (!rc && any_slowed(c))
        rc = read_tokens(c, s, run, e);
    if (rc)
        counting_free(c);
    else
        *out = c;
    return rc;
}
