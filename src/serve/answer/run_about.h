/* run_about.h -- the run that a request is about: finding it, the stretch of it
 * that is meant, its row; and the handlers.  Not for others. */
#pragma once

#include "export/json/shapes.h"
#include "serve/route.h"

/* A run that a request is about. */
struct run_about {
    int64_t row;
    char id[RUN_ID_LEN + 1];
    enum run_status status;
    bool live;                           /* it is being recorded */
    uint64_t start_wall_ns, end_wall_ns; /* the end of a live one is now */
    uint64_t start_mono_ns;
};

/* By a name of the contract: an id, its beginning, "last"; NULL: the newest
 * that is live, else the last.  Not 0: the answer is a problem. */
int run_named(struct call *c, struct answer *a, const char *name,
        struct run_about *out);
/* The one in the path, and that of the parameter `run`. */
int run_of_path(struct call *c, struct answer *a, struct run_about *out);
int run_of_query(struct call *c, struct answer *a, struct run_about *out);

/* Something of ours went wrong: 500, without internals. */
void answer_failed(struct answer *a, const struct error *e);

/* The parameters `from` and `to`, in ns since the run's start; what lies
 * outside is clipped to [0, its length].  Not 0: the answer is a problem. */
int range_of_query(struct call *c, struct answer *a, const struct run_about *r,
        uint64_t *from_ns, uint64_t *to_ns);

/* Time and energy of a run: the sum of its sections where there are any, else
 * of the whole. */
struct run_totals {
    bool has_duration, has_energy;
    double duration_ms, energy_mj;
};

struct run_totals run_totals(struct store *s, const struct run *r);

/* Members of the row of a run; `whole`: with directory, host, note, version. */
void run_members(struct json *j, struct store *s, const struct run_line *l,
        bool whole);
/* The same as an object, by the run's row in the store. */
int run_row_json(struct json *j, const char *key, struct store *s, int64_t row,
        bool whole, struct error *e);

/* Handlers, by file. */
handler answer_runs, answer_run, answer_run_summary, answer_pipeline,
        answer_export, answer_delete, answer_patch;
handler answer_report, answer_operators, answer_sessions, answer_graph,
        answer_compare, answer_tokens;
handler answer_timeline, answer_spans, answer_events, answer_findings;
handler answer_history, answer_current, answer_metrics;
handler answer_control, answer_steer;
handler answer_page, answer_asset, answer_healthz, answer_system,
        answer_sources, answer_powermetrics, answer_openapi, answer_view,
        answer_socket;

/* What /api/view answers to a viewer, as an element of the page; nothing where
 * it cannot be had. */
void view_script(struct call *c, struct buf *out);

/* The same, as members for /api/view. */
int sessions_members(struct json *j, struct call *c, const struct run_about *r,
        struct error *e);
