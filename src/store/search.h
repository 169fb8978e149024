/* search.h -- what is asked of runs, as SQL, and how many fulfil it.  Not for
 * others than the store. */
#pragma once

#include "base/buf.h"
#include "store/sqlite.h"

#define CONDITIONS_MAX 40

struct condition {
    struct buf check; /* of a run "r", as SQL */
    const char *keys; /* with `from` a query for all that fulfil it: the id */
    struct buf from;  /* of each, and what runs are sorted by */
    bool repeats;     /* the ids may repeat */
    bool rough;       /* it finds more than those: they are checked, too */
    bool counted;     /* it need not be weighed */
    uint64_t few;     /* up to how many are few, */
    uint64_t count;   /* and how many there are, if they are few */
};

/* Starts zeroed, with `store`, `filter` and `error` set. */
struct search {
    struct store *store;
    const struct run_filter *filter;
    struct condition condition[CONDITIONS_MAX];
    size_t count;
    int64_t label;    /* one that all runs must have; 0: none */
    bool nothing;     /* a condition that no run fulfils */
    struct buf grams; /* what the prompt's text is looked up by */
    struct buf found; /* the ids that were, as JSON */
    struct buf tags;  /* parts of them, as JSON */
    struct error *error;
};

/* Finds out the conditions, and weighs them. */
int search_ask(struct search *x);
void search_release(struct search *x);

/* The condition that fewest fulfil; NULL: none that are few. */
const struct condition *search_fewest(const struct search *x);

/* Prepares a statement with what the conditions need; it may have a limit and
 * an offset at ?3 and ?4, and the name of the metric at ?5. */
int search_prepare(struct search *x, sqlite3_stmt **st, const char *sql);
