/* tables_program.c -- the run, its processes, and what they had of ONNX
 * Runtime. */
#include "export/table/columns.h"
#include "export/table/tables.h"

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
    TEXT("experiment_name", experiment),
    TEXT("prompt", prompt),
    TEXT("response", response),
    TEXT("profiling_depth", depth),
    U64("input_tokens", input_tokens, "tokens", IF_EITHER(output_tokens)),
    U64("output_tokens", output_tokens, "tokens", IF_EITHER(input_tokens)),
    COLUMN("total_energy_mj", REAL, "mJ", F64, energy_mj, IF(has_energy)),
    COLUMN("energy_method", TEXT, NULL, METHOD, energy_method, IF(has_energy)),
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
    TEXT("untraced", untraced),
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
    if (l->untraced)
        store_set_untraced(s, l->id, l->untraced);
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
    U64("end_ns", end_ns, "ns", IF_SET),
    TEXT("error", error),
    U32("operators_of", operators_of, NULL, IF_SET),
};
#undef ROW
TAKE(session)
EACH(session, session)

static void add_session(struct store *s, const void *row)
{
    const struct session *x = row;

    store_add_session(s, x);
    if (x->end_ns)
        store_add_session_end(s, x->id, x->end_ns);
    if (x->operators_of)
        store_set_operators_of(s, x->id, x->operators_of);
}
TABLE(session, "sessions", session, each_session, add_session,
        "inference sessions, and how long they took to make");
