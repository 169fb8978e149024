/* routes.c -- the table: every path, who may ask for it, with what, and what it
 * answers.  openapi.c, docs/api.md and the router are made from it. */
#include "serve/answer/run_about.h"

#include <string.h>

#define P "/api/profiling"
#define END \
    {       \
        0   \
    }
#define TEXT_MAX 256

#define RUN_PARAM                                                              \
    {                                                                          \
        "run", PARAM_RUN,                                                      \
                .about =                                                       \
                        "a run's id, 4 characters or more of it, or last; if " \
                        "not given, the newest that is live, else the last"    \
    }
#define TIME_PARAM(name_, about_)          \
    {                                      \
        name_, PARAM_TIME, .about = about_ \
    }
#define FROM_TO                                                      \
    TIME_PARAM("from", "from when on: RFC 3339, nanoseconds since "  \
                       "1970, -15m, or 1.5s since the run's start"), \
            TIME_PARAM("to", "until when, likewise")
#define INT_PARAM(name_, least_, most_, usual_, about_)                    \
    {                                                                      \
        name_, PARAM_INT, .least = least_, .most = most_, .usual = usual_, \
                          .about = about_                                  \
    }
#define TEXT_PARAM(name_, about_)                            \
    {                                                        \
        name_, PARAM_TEXT, .most = TEXT_MAX, .about = about_ \
    }
#define CHOICE_PARAM(name_, words_, usual_, about_)                            \
    {                                                                          \
        name_, PARAM_CHOICE, .words = words_, .usual = usual_, .about = about_ \
    }
#define LIST_PARAM(name_, words_, most_, about_)                           \
    {                                                                      \
        name_, PARAM_LIST, .words = words_, .most = most_, .about = about_ \
    }
#define PHASE_PARAM                                                            \
    CHOICE_PARAM("phase", "other|pre_inference|prefill|decode|post_inference", \
            NULL, "inferences of one phase only")
#define SESSION_PARAM INT_PARAM("session", 1, 4294967295, NULL, "its number")

static const struct param run_only[] = { RUN_PARAM, END };

static const struct param runs_params[] = {
    TEXT_PARAM("model", "part of a model's path, in any case"),
    TIME_PARAM("date_from", "begun then or later"),
    TIME_PARAM("date_to", "begun then or before; a date: to its end"),
    LIST_PARAM("tags", NULL, 16, "each is part of one of the run's tags"),
    TEXT_PARAM("experiment", "its whole name"),
    TEXT_PARAM("prompt", "part of the prompt"),
    TEXT_PARAM("host", "part of the host's name"),
    TEXT_PARAM("q", "part of id, command, model or tags"),
    CHOICE_PARAM("status", "running|complete|interrupted|failed|killed", NULL,
            "how it ended"),
    CHOICE_PARAM("sort_by", "date|duration|energy", "date",
            "the greatest first, unknown last"),
    CHOICE_PARAM("order", "asc|desc", "desc", "the other way round"),
    TEXT_PARAM("figures", "a metric of scope run, with each row"),
    INT_PARAM("limit", 1, 1000, "100", "how many"),
    INT_PARAM("offset", 0, 1000000000, "0", "how many to leave out"),
    END,
};

static const struct param run_params[] = {
    LIST_PARAM("parts", "run|power_samples|pipeline_sections|tokens", 4,
            "these members only"),
    END,
};

static const struct param export_params[] = {
    CHOICE_PARAM("format",
            "json|csv|jsonl|parquet|markdown|html|junit|chrome|perfetto|etl|"
            "tensorboard|prometheus|otlp",
            "json", "of the file"),
    TEXT_PARAM("table", "one table of the run only"),
    TEXT_PARAM("shape", "another content of that format"),
    CHOICE_PARAM("compress", "gzip", NULL, "the file, packed"),
    END,
};

static const struct param history_params[] = {
    RUN_PARAM,
    LIST_PARAM("metric", NULL, 16,
            "names of metrics or of the data models; if not given, the system "
            "metric"),
    FROM_TO,
    { "step", PARAM_REAL, .least = 0, .most = 86400,
            .about = "seconds, 0.001 or more; if not given, 600 points at "
                     "most; 0: readings as they were made" },
    INT_PARAM("width", 16, 8192, NULL, "pixels, in place of step"),
    LIST_PARAM("agg", "avg|min|max|sum|count|p50|p90|p95|p99|p99_9|buckets", 11,
            "what becomes of the values in a step; several with "
            "form=pieces"),
    CHOICE_PARAM("form", "pieces", NULL,
            "values at equal steps, in place of points"),
    END,
};

static const struct param timeline_params[] = {
    RUN_PARAM,
    FROM_TO,
    LIST_PARAM("op", NULL, 16, "types or ids of operations, in any case"),
    TEXT_PARAM("provider", "CPU, GPU, NPU, Mixed, or a provider's name"),
    INT_PARAM("inference", 1, 9007199254740992, NULL, "of this one only"),
    INT_PARAM("limit", 1, 100000, "1000", "how many of each list"),
    INT_PARAM("after", 0, 9007199254740992, "0",
            "next_after of the answer before: the operations that follow"),
    END,
};

static const struct param spans_params[] = {
    RUN_PARAM,
    FROM_TO,
    INT_PARAM("width", 16, 8192, NULL,
            "pixels: spans that are shorter than one are joined"),
    LIST_PARAM("kinds", "phase|section|load|inference|operator", 5,
            "these only"),
    SESSION_PARAM,
    INT_PARAM("inference", 1, 9007199254740992, NULL, "of this one only"),
    CHOICE_PARAM("clock", "seen|net", "seen",
            "net: without what tracing cost, where that is known"),
    END,
};

static const struct param events_params[] = {
    RUN_PARAM,
    LIST_PARAM("kind", "mark|load|lost|alert|slow", 5, "these only"),
    FROM_TO,
    INT_PARAM("limit", 1, 10000, "200", "how many"),
    INT_PARAM("after", 0, 9007199254740992, "0",
            "next_after of the answer before"),
    END,
};

static const struct param tokens_params[] = {
    RUN_PARAM,
    INT_PARAM("generation", 1, 4294967295, "1", "which text of the run"),
    CHOICE_PARAM("rows", "layer|component", "layer", "what the rows are"),
    CHOICE_PARAM("value",
            "duration_us|energy_mj|activation_mean|activation_std|"
            "activation_max|activation_sparsity",
            "duration_us", "what the values are"),
    INT_PARAM("width", 16, 8192, NULL,
            "pixels: of more tokens, several are one column"),
    END,
};

static const struct param operators_params[] = {
    RUN_PARAM,
    SESSION_PARAM,
    PHASE_PARAM,
    FROM_TO,
    CHOICE_PARAM("by", "node|type|layer|component|same", "node",
            "one row for each; same: one node of all layers"),
    CHOICE_PARAM("sort", "total|self|mean|count|joules", "total",
            "the greatest first"),
    TEXT_PARAM("find", "part of a name or type"),
    INT_PARAM("id", 1, 4294967295, NULL, "this operator only"),
    INT_PARAM("limit", 1, 10000, "1000", "how many"),
    INT_PARAM("offset", 0, 1000000000, "0", "how many to leave out"),
    END,
};

static const struct param graph_params[] = { RUN_PARAM, SESSION_PARAM,
    PHASE_PARAM, END };

static const struct param compare_params[] = {
    { "a", PARAM_TEXT, .most = TEXT_MAX, .required = true,
            .about = "before: a run's id, 4 characters or more of it, last; or "
                     "a baseline or a tag, which are all of its runs" },
    { "b", PARAM_TEXT, .most = TEXT_MAX, .required = true,
            .about = "after, likewise" },
    TEXT_PARAM("model", "part of the path of the model to judge by"),
    { "least", PARAM_REAL, .least = 0.001, .most = 1,
            .about = "the smallest change that matters, as a ratio" },
    END,
};

static const struct param view_params[] = {
    RUN_PARAM,
    FROM_TO,
    INT_PARAM("width", 16, 8192, "240", "steps of the series"),
    END,
};

#define ONE   (ROUTE_STORE | ROUTE_ONE_RUN)
#define QUICK ROUTE_QUICK

const struct route routes[] = {
    { "GET", "/", ROLE_NONE, ROUTE_STORE | ROUTE_PAGE, "the page", NULL, NULL,
            "text/html; charset=utf-8", answer_page },
    { "GET", "/assets/{file}", ROLE_NONE, QUICK | ROUTE_PAGE,
            "a file of the page", NULL, NULL, "application/octet-stream",
            answer_asset },
    { "GET", "/embed/{panel}", ROLE_NONE, QUICK | ROUTE_PAGE,
            "the page, for one panel", NULL, NULL, "text/html; charset=utf-8",
            answer_page },
    { "GET", "/healthz", ROLE_NONE, QUICK, "whether the server is well", NULL,
            "{status:s}", NULL, answer_healthz },
    { "GET", "/metrics", ROLE_VIEWER, ONE, "live runs, as Prometheus reads it",
            run_only, NULL, "text/plain; version=0.0.4; charset=utf-8",
            answer_metrics },
    { "GET", "/metrics/current", ROLE_VIEWER, QUICK | ROUTE_ONE_RUN,
            "the newest of everything that is live", run_only,
            "{timestamp_ns:i,system?:System,inferences:[Inference],"
            "runs:[Run]}",
            NULL, answer_current },
    { "GET", "/metrics/history", ROLE_VIEWER, ONE, "how figures went",
            history_params,
            "{from_ns:i,to_ns:i,step_s:n,agg:s,system?:[System],"
            "series?:[Series]}",
            NULL, answer_history },
    { "GET", "/timeline", ROLE_VIEWER, ONE,
            "inferences, operations, sections and events of a stretch",
            timeline_params,
            "{run_id:s,from_ns:i,to_ns:i,inferences:[o],"
            "operations:[Operation],sections:[o],events:[Event],total:i,"
            "limit:i,next_after?:i}",
            NULL, answer_timeline },
    { "GET", P "/runs", ROLE_VIEWER, ROUTE_STORE, "the recorded runs",
            runs_params, "{runs:[Run],total:i,limit:i,offset:i}", NULL,
            answer_runs },
    { "GET", P "/run/{run_id}", ROLE_VIEWER, ONE,
            "a run: tokens, layers, components, operations", run_params,
            "RunNested", NULL, answer_run },
    { "PATCH", P "/run/{run_id}", ROLE_OPERATOR,
            ROUTE_CHANGES | ROUTE_ONE_RUN | ROUTE_BODY | ROUTE_NEEDS_ID,
            "changes its tags, experiment or note", NULL, "Run", NULL,
            answer_patch },
    { "DELETE", P "/run/{run_id}", ROLE_ADMIN,
            ROUTE_CHANGES | ROUTE_ONE_RUN | ROUTE_NEEDS_ID,
            "deletes it and all that belongs to it", NULL,
            "{success:b,message:s,run_id:s}", NULL, answer_delete },
    { "GET", P "/run/{run_id}/control", ROLE_VIEWER, ONE,
            "how it is being recorded", NULL, "Control", NULL, answer_control },
    { "POST", P "/run/{run_id}/control", ROLE_OPERATOR,
            ONE | ROUTE_BODY | ROUTE_NEEDS_ID,
            "changes how a live run is recorded, and answers with what its "
            "collector confirmed",
            NULL, "Control", NULL, answer_steer },
    { "GET", P "/run/{run_id}/summary", ROLE_VIEWER, ONE,
            "a run in figures, as EP-030 has it", NULL, "RunSummary", NULL,
            answer_run_summary },
    { "GET", P "/run/{run_id}/pipeline", ROLE_VIEWER, ONE,
            "its phases and sections, in percent", NULL, "Pipeline", NULL,
            answer_pipeline },
    { "GET", P "/export/{run_id}", ROLE_VIEWER, ONE, "a run as a file",
            export_params, NULL, "*/*", answer_export },
    { "POST", P "/generate", ROLE_OPERATOR, ROUTE_BODY | ROUTE_GENERATES,
            "makes a text by a model below --model-root, and records it", NULL,
            "Generated", NULL, NULL },
    { "GET", P "/powermetrics/status", ROLE_VIEWER, QUICK,
            "whether macOS tells its power here", NULL,
            "{available:b,message:s,remedy?:s}", NULL, answer_powermetrics },
    { "GET", "/api/view", ROLE_VIEWER, ONE, "the page's first paint",
            view_params,
            "{timestamp_ns:i,you:{role:s,token?:s},recorded?:b,runs:[Run],"
            "session?:i,phase?:s,from_ns?:i,to_ns?:i,step_s?:n,processes:["
            "Process],"
            "sessions:[Session],series:[Series],operators:o,events:[Event],"
            "findings:[Finding],meters:[o],missing:[Missing]}",
            NULL, answer_view },
    { "GET", "/api/report", ROLE_VIEWER, ONE, "report --json", run_only, "o",
            NULL, answer_report },
    { "GET", "/api/sessions", ROLE_VIEWER, ONE, "its sessions and processes",
            run_only,
            "{sessions:[Session],processes:[Process],missing:[Missing]}", NULL,
            answer_sessions },
    { "GET", "/api/operators", ROLE_VIEWER, ONE, "where the time goes",
            operators_params, "Operators", NULL, answer_operators },
    { "GET", "/api/tokens", ROLE_VIEWER, ONE,
            "the tokens of a text, and what is inside them", tokens_params,
            "Tokens", NULL, answer_tokens },
    { "GET", "/api/graph", ROLE_VIEWER, ONE, "the graph as it ran",
            graph_params,
            "{run_id:s,session:i,model?:s,nodes:[Operator],"
            "edges:[{from:i,to:i,bytes?:i}],gone:[o],file_nodes?:i,"
            "missing:[Missing]}",
            NULL, answer_graph },
    { "GET", "/api/compare", ROLE_VIEWER, ROUTE_STORE | ROUTE_COMPARES,
            "runs of before and of after beside each other", compare_params,
            "{before:s,after:s,"
            "verdict:'better|worse|same|cannot_tell|refused',because?:s,"
            "advice?:s,least:n,model:s,runs:{before:[o],after:[o],history:i,"
            "in_turns:b},differs:[{what:s,unit?:s,before?:a,after?:a}],figures:"
            "[o],"
            "latency:{before:[i],after:[i],shift_us:[[n]]},not_alike:[s],"
            "operators:[o],change_us?:o,missing:[Missing]}",
            NULL, answer_compare },
    { "GET", "/api/spans", ROLE_VIEWER, ONE, "what took time, in columns",
            spans_params,
            "{run_id:s,from_ns:i,to_ns:i,clock:'seen|net',tracks:[Track],"
            "total:i,missing:[Missing]}",
            NULL, answer_spans },
    { "GET", "/api/events", ROLE_VIEWER, ONE, "what happened", events_params,
            "{events:[Event],total:i,limit:i,next_after?:i}", NULL,
            answer_events },
    { "GET", "/api/findings", ROLE_VIEWER, ONE,
            "what stands out in a run, the worst first", run_only,
            "{findings:[Finding],slow?:{count:i,of:i,limit_ms?:n,"
            "causes:[{cause:s,slow:i,share_of_time:n,in_others:n,"
            "effect_ms:n}]},missing:[Missing]}",
            NULL, answer_findings },
    { "GET", "/api/system", ROLE_VIEWER, 0, "the machine and this server", NULL,
            "{ortmeter_version:s,api_version:i,host?:o,ort?:o,server:o,"
            "you:{role:s,token?:s},formats:[s],missing:[Missing]}",
            NULL, answer_system },
    { "GET", "/api/sources", ROLE_VIEWER, 0, "what can be measured here", NULL,
            "{sources:[{name:s,gives:s,available:b,state:s,reason?:s,"
            "remedy?:s}],samplers?:[o],missing?:[o],looked_ns:i,took_ms:n}",
            NULL, answer_sources },
    { "GET", "/api/openapi.json", ROLE_VIEWER, QUICK, "this table, as OpenAPI",
            NULL, "o", NULL, answer_openapi },
    { "GET", "/ws/metrics", ROLE_VIEWER, ROUTE_SOCKET | QUICK,
            "figures and inferences as they come", NULL, NULL, NULL,
            answer_socket },
    { "GET", "/ws/profiling", ROLE_VIEWER, ROUTE_SOCKET | QUICK,
            "what happens in live runs", NULL, NULL, NULL, answer_socket },
    { 0 },
};

const char *route_body(const struct route *r)
{
    static const struct {
        const char *method, *path, *schema;
    } bodies[] = {
        { "PATCH", P "/run/{run_id}", "Patch" },
        { "POST", P "/run/{run_id}/control", "ControlWish" },
        { "POST", P "/generate", "Generate" },
    };

    for (size_t i = 0; i < LEN(bodies); i++)
        if (strcmp(bodies[i].method, r->method) == 0 &&
                strcmp(bodies[i].path, r->path) == 0)
            return bodies[i].schema;
    return NULL;
}
