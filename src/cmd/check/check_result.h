/* check_result.h -- what a check found, and how it is told. */
#pragma once

#include "analyse/verdict/budget.h"
#include "analyse/verdict/judgement.h"
#include "cmd/check/check_settings.h"

struct check_budget {
    const struct budget *budget;
    enum budget_state state;
};

struct check_result {
    const struct check_settings *settings;
    char *names[2];  /* what base and head are */
    const char *way; /* how it was measured */
    size_t pairs;
    /* The runs, pair by pair. */
    struct judged_run runs[2][VERDICT_PAIRS_MAX];
    double seconds; /* that it took */
    struct judged_change changes[JUDGED_FIGURES];
    enum verdict verdict; /* of the headline */
    bool stopped;         /* somebody asked it to end */
    bool recorded;        /* `judgement` is of runs that were recorded beside */
    struct judgement judgement;
    struct budgets budgets;
    struct check_budget *kept; /* one for each budget that concerns it */
    size_t kept_count;
};

/* After every pair: what is known by now.  False: more pairs are needed to
 * decide. */
bool check_judge(struct check_result *r);

/* What the command exits with. */
int check_exit_code(const struct check_result *r);

void check_result_release(struct check_result *r);

/* One sentence: "worse: +5.1 % ...". */
void check_sentence(struct buf *out, const struct check_result *r);

void check_text(struct buf *out, const struct check_result *r, bool colours);
void check_json(struct buf *out, const struct check_result *r);

/* For build servers: JUnit's XML, a comment in Markdown, and the values of head
 * for who keeps their history: github-action-benchmark (customSmallerIsBetter),
 * Bencher's metric format. */
void check_junit(struct buf *out, const struct check_result *r);
void check_markdown(struct buf *out, const struct check_result *r);
void check_benchmark(struct buf *out, const struct check_result *r);
void check_bencher(struct buf *out, const struct check_result *r);
