/* tables.c -- the tables of a run: a line a column.
 *
 * What the seeds of this project call a thing it is called here, with times in
 * milliseconds; the exact whole numbers that these come from stand beside
 * them.  `number` is the row's place in its table, and what other tables mean
 * by `inference`; `session`, `process`, `operator` and `library` are ids. */
#include "base/compiler.h"
#include "export/table.h"

#include <stddef.h>
#include <string.h>

/* Of the table being described. */
#define IN(member) offsetof(struct ROW, member)

/* clang-format off */
#define COLUMN(n, kind, u, how, m, ...) \
    { .name = n, .type = COLUMN_##kind, .unit = u, .form = FORM_##how, \
      .at = IN(m), __VA_ARGS__ }
#define NUMBER { .name = "number", .type = COLUMN_INT, .form = FORM_NUMBER }
#define U32(n, m, u, ...)  COLUMN(n, INT, u, U32, m, __VA_ARGS__)
#define U64(n, m, u, ...)  COLUMN(n, INT, u, U64, m, __VA_ARGS__)
#define MS(n, m, ...)      COLUMN(n, REAL, "ms", MS, m, __VA_ARGS__)
#define END_MS(n, m, len)  COLUMN(n, REAL, "ms", END_MS, m, .other = IN(len))
#define TEXT(n, m)         COLUMN(n, TEXT, NULL, TEXT, m, .when = WHEN_SET)
#define JSON(n, m) \
    COLUMN(n, TEXT, NULL, TEXT, m, .when = WHEN_SET, .json = true)
#define WALL(n, m)         COLUMN(n, TIME, NULL, WALL, m, ALWAYS)
#define FLAG(n, bit)       COLUMN(n, BOOL, NULL, FLAG, flags, .mask = (bit))

#define ALWAYS        .when = WHEN_ALWAYS
#define IF_SET        .when = WHEN_SET
#define IF_FLAG(bit)  .when = WHEN_FLAG, .other = IN(flags), .mask = (bit)
#define IF(m)         .when = WHEN_TRUE, .other = IN(m)
#define UNLESS(m)     .when = WHEN_FALSE, .other = IN(m)
#define IF_EITHER(m)  .when = WHEN_EITHER, .other = IN(m)
/* clang-format on */

/* store_each_*() have a type each; a table has none. */
#define TAKE(type)                                              \
    struct take_##type {                                        \
        struct_taker *take;                                     \
        void *context;                                          \
    };                                                          \
    static void take_##type(void *to, const struct type *x)     \
    {                                                           \
        ((struct take_##type *)to)                              \
                ->take(((struct take_##type *)to)->context, x); \
    }
#define EACH(name, type)                                                     \
    static int each_##name(struct store *s, int64_t run, struct_taker *take, \
            void *context, struct error *e)                                  \
    {                                                                        \
        return store_each_##name(s, run, take_##type,                        \
                &(struct take_##type){ take, context }, e);                  \
    }
#define ADD(name, type)                                      \
    static void add_##name(struct store *s, const void *row) \
    {                                                        \
        store_add_##name(s, (const struct type *)row);       \
    }
#define TABLE(variable, title, type, read, write, line) \
    static const struct table variable##_table = {      \
        .name = title,                                  \
        .about = line,                                  \
        .columns = variable##_columns,                  \
        .column_count = LEN(variable##_columns),        \
        .row_size = sizeof(struct type),                \
        .each = read,                                   \
        .add = write,                                   \
    };                                                  \
    _Static_assert(LEN(variable##_columns) <= TABLE_COLUMNS_MAX, title)

/* --- the run -------------------------------------------------------------- */

#define ROW run
static const struct column run_columns[] = {
    COLUMN("run_id", TEXT, NULL, CHARS, id, ALWAYS),
    COLUMN("timestamp", TIME, NULL, TIME, started_wall_ns, ALWAYS),
    COLUMN("status", TEXT, NULL, STATUS, status, ALWAYS),
    U64("duration_ns", duration_ns, "ns", IF_SET),
    MS("total_duration_ms", duration_ns, IF_SET),
    TEXT("command", command),
    TEXT("directory", directory),
    TEXT("tags", tags),
    TEXT("version", version),
    TEXT("note", note),
    COLUMN("ended", BOOL, NULL, BOOL, ended, ALWAYS),
    COLUMN("exit_code", INT, NULL, I32, exit_code, .when = WHEN_EXITED),
    COLUMN("signal", INT, NULL, I32, signal, IF_SET),
    U64("peak_rss_bytes", peak_rss_bytes, "bytes", IF_SET),
    U64("user_cpu_ns", user_cpu_ns, "ns", IF(ended)),
    U64("system_cpu_ns", system_cpu_ns, "ns", IF(ended)),
    U64("meter_cpu_ns", meter_cpu_ns, "ns", IF_SET),
    U64("meter_rss_bytes", meter_rss_bytes, "bytes", IF_SET),
    U32("meter_pid", meter_pid, NULL, ALWAYS),
    U64("start_mono_ns", start_mono_ns, "ns", ALWAYS),
    JSON("host", host),
};
#undef ROW
TAKE(run)

static int each_run(struct store *s, int64_t row, struct_taker *take,
        void *context, struct error *e)
{
    return store_read_run(s, row, take_run, &(struct take_run){ take, context },
            e);
}
TABLE(run, "runs", run, each_run, NULL, "the run itself: one row");

/* --- the program ---------------------------------------------------------- */

#define ROW process
static const struct column process_columns[] = {
    U32("id", id, NULL, ALWAYS),
    U32("pid", pid, NULL, ALWAYS),
    U32("parent", parent, NULL, IF_SET),
    U64("start_ns", start_ns, "ns", ALWAYS),
    WALL("start_time", start_ns),
    TEXT("program", program),
    U32("hook_ns", hook_ns, "ns", IF_SET),
    U64("lost", lost, "records", ALWAYS),
    U64("untimed", untimed, "inferences", ALWAYS),
    U64("torn", torn, "records", ALWAYS),
};
#undef ROW
TAKE(process)
EACH(process, process)

static void add_process(struct store *s, const void *row)
{
    store_add_process(s, row);
    store_end_process(s, row);
}
TABLE(process, "processes", process, each_process, add_process,
        "processes that used ONNX Runtime");

#define ROW library
static const struct column library_columns[] = {
    U32("id", id, NULL, ALWAYS),
    U32("process", process, NULL, ALWAYS),
    TEXT("path", path),
    TEXT("version", version),
    TEXT("language", language),
    U32("slots", slots, NULL, ALWAYS),
};
#undef ROW
TAKE(library)
EACH(library, library)

static void add_library(struct store *s, const void *row)
{
    const struct library *l = row;

    store_add_library(s, l);
    if (l->language)
        store_add_language(s, l->id, l->language);
}
TABLE(library, "libraries", library, each_library, add_library,
        "copies of ONNX Runtime in them");

#define ROW session
static const struct column session_columns[] = {
    U32("id", id, NULL, ALWAYS),
    U32("process", process, NULL, ALWAYS),
    U32("library", library, NULL, IF_SET),
    U32("thread", thread, NULL, UNLESS(seen_late)),
    TEXT("model", model),
    U64("model_bytes", model_bytes, "bytes", IF_SET),
    JSON("providers", providers),
    JSON("options", options),
    U64("start_ns", start_ns, "ns", ALWAYS),
    WALL("start_time", start_ns),
    U64("duration_ns", duration_ns, "ns", UNLESS(seen_late)),
    U64("read_ns", read_ns, "ns", IF_EITHER(initialise_ns)),
    U64("initialise_ns", initialise_ns, "ns", IF_EITHER(read_ns)),
    TEXT("error", error),
};
#undef ROW
TAKE(session)
EACH(session, session)
ADD(session, session)
TABLE(session, "sessions", session, each_session, add_session,
        "inference sessions, and how long they took to make");

/* --- what ran ------------------------------------------------------------- */

#define ROW inference
static const struct column inference_columns[] = {
    NUMBER,
    U32("session", session, NULL, ALWAYS),
    U32("process", process, NULL, ALWAYS),
    U32("thread", thread, NULL, ALWAYS),
    U64("start_ns", start_ns, "ns", ALWAYS),
    WALL("start_time", start_ns),
    U64("duration_ns", duration_ns, "ns", ALWAYS),
    COLUMN("phase", TEXT, NULL, PHASE, phase, ALWAYS),
    FLAG("failed", FLAG_FAILED),
    FLAG("asynchronous", FLAG_ASYNC),
    FLAG("binding", FLAG_BINDING),
    FLAG("sampled", FLAG_SAMPLED),
    FLAG("burst", FLAG_BURST),
    U32("batch", batch, NULL, IF_FLAG(FLAG_SHAPE)),
    U32("sequence", sequence, "tokens", IF_FLAG(FLAG_SEQUENCE)),
    U32("past", past, "tokens", IF_FLAG(FLAG_PAST)),
    U64("in_bytes", in_bytes, "bytes", IF_FLAG(FLAG_INPUT_BYTES)),
    U64("out_bytes", out_bytes, "bytes", IF_FLAG(FLAG_OUTPUT_BYTES)),
    U32("batch_size", batch_size, "samples", IF(has_context)),
    U32("padding", padding, "samples", IF(has_context)),
    U32("queue_depth", queue_depth, "requests", IF(has_context)),
    TEXT("error", error),
};
#undef ROW
TAKE(inference)
EACH(inference, inference)

static void add_inference(struct store *s, const void *row)
{
    (void)store_add_inference(s, row);
}
TABLE(inference, "inferences", inference, each_inference, add_inference,
        "every inference: when, how long, how large");

#define ROW operator
static const struct column operator_columns[] = {
    U32("id", id, NULL, ALWAYS),
    U32("session", session, NULL, ALWAYS),
    TEXT("name", name),
    TEXT("op_type", op_type),
    TEXT("provider", provider),
    JSON("inputs", inputs),
    JSON("outputs", outputs),
    U32("node_index", node_index, NULL, .when = WHEN_U32),
    U64("activation_bytes", activation_bytes, "bytes", IF(sizes_known)),
    U64("parameter_bytes", parameter_bytes, "bytes", IF(sizes_known)),
    U64("output_bytes", output_bytes, "bytes", IF(sizes_known)),
};
#undef ROW
TAKE(operator)
EACH(operator, operator)
ADD(operator, operator)
TABLE(operator, "operators", operator, each_operator, add_operator,
        "the nodes that ran, with their types and shapes");

#define ROW operator_edge
static const struct column operator_edge_columns[] = {
    U32("from_operator", from, NULL, ALWAYS),
    U32("to_operator", to, NULL, ALWAYS),
};
#undef ROW
TAKE(operator_edge)
EACH(operator_edge, operator_edge)
ADD(operator_edge, operator_edge)
TABLE(operator_edge, "operator_edges", operator_edge, each_operator_edge,
        add_operator_edge, "which node reads what which other one made");

#define ROW operator_run
static const struct column operator_run_columns[] = {
    NUMBER,
    U64("inference", inference, NULL, IF_SET),
    U32("operator", operator_id, NULL, ALWAYS),
    U32("thread", thread, NULL, ALWAYS),
    U32("depth", depth, NULL, ALWAYS),
    U64("start_ns", start_ns, "ns", ALWAYS),
    WALL("start_time", start_ns),
    U64("raw_ns", raw_ns, "ns", UNLESS(in_cycles)),
    U64("kernel_ns", kernel_ns, "ns", IF(bracketed)),
    U64("cycles", cycles, "cycles", IF(in_cycles)),
};
#undef ROW
TAKE(operator_run)
EACH(operator_run, operator_run)
ADD(operator_run, operator_run)
TABLE(operator_run, "operator_runs", operator_run, each_operator_run,
        add_operator_run, "each time that a node ran");

/* --- what the program told ------------------------------------------------ */

#define ROW section
static const struct column section_columns[] = {
    NUMBER,
    COLUMN("phase", TEXT, NULL, PHASE, phase, ALWAYS),
    TEXT("section_name", name),
    MS("start_time_ms", start_ns, ALWAYS),
    END_MS("end_time_ms", start_ns, duration_ns),
    MS("duration_ms", duration_ns, ALWAYS),
    U32("process", process, NULL, ALWAYS),
    U32("thread", thread, NULL, ALWAYS),
    U64("start_ns", start_ns, "ns", ALWAYS),
    U64("duration_ns", duration_ns, "ns", ALWAYS),
};
#undef ROW
TAKE(section)
EACH(section, section)
ADD(section, section)
TABLE(section, "pipeline_sections", section, each_section, add_section,
        "sections that the program marked");

#define ROW token
static const struct column token_columns[] = {
    NUMBER,
    U32("token_index", index, NULL, ALWAYS),
    COLUMN("token_id", INT, NULL, I64, id, ALWAYS),
    TEXT("token_text", text),
    MS("end_time_ms", time_ns, ALWAYS),
    U32("process", process, NULL, ALWAYS),
    U32("thread", thread, NULL, ALWAYS),
    U64("time_ns", time_ns, "ns", ALWAYS),
};
#undef ROW
TAKE(token)
EACH(token, token)
ADD(token, token)
TABLE(token, "tokens", token, each_token, add_token,
        "tokens that the program told of");

/* Marks and the names of threads are of one kind in the store. */
struct event {
    const char *kind;
    struct note note;
};

struct take_event {
    struct_taker *take;
    void *context;
    const char *kind;
};

static void take_event(void *to, const struct note *n)
{
    struct take_event *t = to;

    t->take(t->context, &(struct event){ t->kind, *n });
}

#define ROW event
static const struct column event_columns[] = {
    TEXT("kind", kind),
    U32("process", note.process, NULL, ALWAYS),
    U32("thread", note.thread, NULL, ALWAYS),
    U64("time_ns", note.time_ns, "ns", ALWAYS),
    WALL("time", note.time_ns),
    TEXT("text", note.text),
};
#undef ROW

static int each_event(struct store *s, int64_t run, struct_taker *take,
        void *context, struct error *e)
{
    int rc = store_each_mark(s, run, take_event,
            &(struct take_event){ take, context, "mark" }, e);

    if (!rc)
        rc = store_each_thread(s, run, take_event,
                &(struct take_event){ take, context, "thread" }, e);
    return rc;
}

static void add_event(struct store *s, const void *row)
{
    const struct event *x = row;

    if (x->kind && strcmp(x->kind, "thread") == 0)
        store_add_thread(s, &x->note);
    else
        store_add_mark(s, &x->note);
}
TABLE(event, "events", event, each_event, add_event,
        "marks, and the names of threads");

/* --- all ------------------------------------------------------------------ */

const struct table *const tables[] = {
    &run_table,
    &process_table,
    &library_table,
    &session_table,
    &section_table,
    &token_table,
    &inference_table,
    &operator_table,
    &operator_edge_table,
    &operator_run_table,
    &event_table,
    NULL,
};
