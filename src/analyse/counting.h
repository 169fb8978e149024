/* counting.h -- which inferences and tokens count in latency, phases, tokens,
 * percentiles and charts: one rule for all of them.
 *
 * A traced inference is slower by what tracing it costs: its kernels times what
 * a line costs, as measured in that process.  It counts like any other where
 * that is less than 1 % of its session's median.  Else it is left out where at
 * least 30 others of its session and phase are there; or it counts, and is
 * marked: so no phase vanishes because all of it was traced.  Of an imported
 * profile the cost is not known: it is taken to be more.
 *
 * The time to a first token, and that of a further one, is slowed by any step
 * in it that is; of either kind, 30 others must be there to leave it out.
 *
 * One whose values were looked at (--stats) is left out.  The longest time is
 * what the program saw: that of any inference that was not looked at so. */
#pragma once

#include "base/error.h"
#include "model/run.h"
#include "model/traced.h"
#include "store/store.h"

#define COUNTING_SHARE  0.01
#define COUNTING_OTHERS 30

enum counted {
    COUNTED,
    COUNTED_MARKED, /* tracing slowed it, and there are too few others */
    LEFT_OUT,
};

/* Its operators are known. */
static inline bool inference_is_traced(const struct inference *i)
{
    return i->flags & (FLAG_TRACED | FLAG_PROFILED);
}

/* What was done to one, or to the steps that made a token. */
enum touched {
    UNTOUCHED, /* nothing that is worth the mention */
    SLOWED,    /* by tracing */
    LOOKED_AT, /* its values were (--stats) */
};

enum token_kind {
    TOKEN_FIRST, /* of a text: its time is that to the first token */
    TOKEN_NEXT,
    TOKEN_KINDS,
};

struct counting;

struct counting *counting_new(void);
void counting_free(struct counting *c);

/* An inference that came, in any order; failed ones are passed over. */
void counting_add(struct counting *c, const struct inference *i);
/* Sessions that share a table of operators share what tracing costs. */
void counting_share(struct counting *c, uint32_t session, uint32_t table);
/* What tracing inferences of a table and phase costs, so far. */
void counting_cost(struct counting *c, const struct traced_sum *sum);

/* Tokens that came; of a stored run they are known, and this does nothing. */
void counting_add_tokens(struct counting *c, enum token_kind kind,
        enum touched touched, uint64_t count);

/* By what came so far. */
enum counted counting_of(const struct counting *c, const struct inference *i);
enum touched counting_touched(const struct counting *c,
        const struct inference *i);
enum counted counting_token(const struct counting *c, enum token_kind kind,
        enum touched touched);
/* Whether it is known what tracing one like this costs. */
bool counting_knows_cost(const struct counting *c, const struct inference *i);

/* Of a session; zeroed where nothing came. */
struct counting_session {
    uint64_t plain, traced, looked_at; /* that did not fail */
    uint64_t left_out, marked;         /* of the traced ones */
    bool first_traced;                 /* its first inference was, */
    uint8_t first_phase;               /* and of this phase */
    double median_ns;                  /* of all that were not looked at */
    bool cost_known;
    double cost_ns; /* of tracing one, in the mean */
};

struct counting_session counting_session(const struct counting *c,
        uint32_t session);

/* Some at once: the latencies of a stretch of time. */
void counting_add_sum(struct counting *c, const struct latency_sum *sum);

/* Of a stored run, by its latencies in hours: without reading its inferences,
 * so first_traced, first_phase and the tokens are not known.  -ENOENT: it has
 * none, as it was recorded before they were kept. */
int counting_read_sums(struct counting **out, struct store *s, int64_t run,
        struct error *e);

/* Of a stored run. */
int counting_read(struct counting **out, struct store *s, int64_t run,
        struct error *e);
