/* findings.h -- what stands out in a run and what would make it faster, each
 * with its evidence.  A rule that has none says nothing.
 *
 * Every rule is one file, rule_*.c, and one line in the table of findings.c. */
#pragma once

#include "analyse/finding/causes.h"
#include "analyse/summary.h"
#include "base/buf.h"

enum finding_severity {
    FINDING_NOTE,    /* good to know */
    FINDING_LOOK,    /* worth a look: there is something to gain */
    FINDING_TROUBLE, /* it is wrong, or will be */
};

const char *finding_severity_name(enum finding_severity s);

#define FINDING_EVIDENCE 8
#define FINDING_NAMED    8 /* operators, inferences */

struct finding {
    const char *rule; /* "leak" */
    enum finding_severity severity;
    struct buf text;   /* one sentence, without a full stop */
    struct buf detail; /* what to do about it; "": nothing is known */
    double gain_ns;    /* of an inference, expected; NAN: not known */
    struct finding_evidence {
        const char *name, *unit;
        double value;
    } evidence[FINDING_EVIDENCE];
    size_t evidence_count;
    uint32_t operators[FINDING_NAMED]; /* ids, the dearest first */
    size_t operator_count;
    uint64_t inferences[FINDING_NAMED]; /* numbers, the slowest first */
    size_t inference_count;
};

/* An inference that was slow. */
struct finding_slow {
    uint64_t number, start_ns, duration_ns;
    uint32_t session;
    uint8_t phase;
    double expected_ns; /* as those around it */
    uint32_t causes;    /* bits: which of the causes were there */
};

struct findings {
    struct finding *items; /* the worst first, then by gain */
    size_t count;
    /* Of the session that most time was spent in, in its main phase. */
    struct {
        bool known;         /* there were enough inferences to say */
        size_t count, of;   /* slow ones, and how many were looked at */
        double least_ratio; /* slow ones took so many times as long, */
        uint64_t limit_ns;  /* and so long, at least; 0: there are none */
        struct {
            const char *name;
            struct cause_found found;
        } causes[16];
        size_t cause_count;
        struct finding_slow *items; /* `count` of them, in order */
    } slow;
};

int findings_read(struct findings *out, const struct summary *summary,
        struct store *s, int64_t run, struct error *e);
/* Only which inferences were slow, and why. */
int findings_read_slow(struct findings *out, const struct summary *summary,
        struct store *s, int64_t run, struct error *e);
void findings_release(struct findings *f);

/* --- for rules ------------------------------------------------------------ */

/* What a rule looks at. */
struct finding_case {
    const struct summary *summary;
    /* The session that most time was spent in; its inferences that count, of
     * the phase that took most of it, without warm-up, in order. */
    const struct summary_session *session; /* NULL: there is none */
    unsigned phase;
    struct inference *inferences; /* no error text */
    size_t count;
    struct store *store;
    int64_t run;
};

/* Adds a finding, for the rule to fill in. */
struct finding *findings_add(struct findings *f, const char *rule,
        enum finding_severity severity);
void finding_evidence(struct finding *f, const char *name, double value,
        const char *unit);

/* Each adds what it finds. */
typedef int finding_rule(struct findings *f, const struct finding_case *c,
        struct error *e);
finding_rule rule_alert, rule_batch, rule_constant_work, rule_fallback,
        rule_gil, rule_leak, rule_level_shift, rule_modes, rule_new_shapes,
        rule_not_numbers, rule_optimisation_off, rule_padding, rule_round_trips,
        rule_slow, rule_spinning, rule_threads, rule_unfused;
