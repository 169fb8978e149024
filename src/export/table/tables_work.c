/* tables_work.c -- what ran, and what the program told of it.
 *
 * What the seeds of this project call a thing it is called here, with times in
 * milliseconds; the exact whole numbers that these come from stand beside
 * them. */
#include "export/table/columns.h"
#include "export/table/tables.h"

#include <string.h>

/* --- what ran ------------------------------------------------------------- */

#define ROW inference
static const struct column inference_columns[] = {
    U64("number", number, NULL, IF_SET),
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
    FLAG("sampled", FLAG_PROFILED),
    FLAG("burst", FLAG_OLD_PROFILED),
    FLAG("timed", FLAG_OLD_TIMED),
    FLAG("traced", FLAG_TRACED),
    FLAG("values_read", FLAG_STATS),
    U32("batch", batch, NULL, IF_FLAG(FLAG_SHAPE)),
    U32("sequence", sequence, "tokens", IF_FLAG(FLAG_SEQUENCE)),
    U32("past", past, "tokens", IF_FLAG(FLAG_PAST)),
    U64("in_bytes", in_bytes, "bytes", IF_FLAG(FLAG_INPUT_BYTES)),
    U64("out_bytes", out_bytes, "bytes", IF_FLAG(FLAG_OUTPUT_BYTES)),
    U32("batch_size", batch_size, "samples", IF(has_context)),
    U32("padding", padding, "samples", IF(has_context)),
    U32("queue_depth", queue_depth, "requests", IF(has_context)),
    U64("runtime_ns", runtime_ns, "ns", IF(has_parts)),
    U64("gil_ns", gil_ns, "ns", IF(has_parts)),
    TEXT("error", error),
    U32("generation", generation, NULL, IF_SET),
    U64("lead_ns", lead_ns, "ns", IF_SET),
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

#define ROW operator_run
static const struct column operator_run_columns[] = {
    NUMBER,
    U64("inference", inference, NULL, IF_SET),
    U32("operator", operator_id, NULL, ALWAYS),
    U32("thread", thread, NULL, ALWAYS),
    U32("depth", depth, NULL, ALWAYS),
    U64("start_ns", start_ns, "ns", ALWAYS),
    WALL("start_time", start_ns),
    U64("raw_ns", raw_ns, "ns", UNLESS(raw_unknown)),
    U64("kernel_ns", kernel_ns, "ns", IF(kernel_known)),
    U64("cycles", cycles, "cycles", IF(in_cycles)),
};
#undef ROW
TAKE(operator_run)
EACH(operator_run, operator_run)
ADD(operator_run, operator_run)
TABLE(operator_run, "operator_runs", operator_run, each_operator_run,
        add_operator_run, "each time that a node ran");

/* --- what the store keeps by its description ------------------------------ */

#define DESCRIBED(name) \
    const struct table name##_table = { .type = &name##_rows }

DESCRIBED(operator);
DESCRIBED(operator_edge);
DESCRIBED(operator_tensor);
DESCRIBED(operator_shape);
DESCRIBED(operator_sum);
DESCRIBED(traced_sum);
DESCRIBED(activation);
DESCRIBED(latency_sum);
DESCRIBED(setting);
DESCRIBED(sampler_rate);

/* --- what the program told ------------------------------------------------ */

#define ROW section
static const struct column section_columns[] = {
    NUMBER,
    COLUMN("phase", TEXT, NULL, PHASE, phase, ALWAYS),
    TEXT("section_name", name),
    MS("start_time_ms", start_ns, ALWAYS),
    END_MS("end_time_ms", start_ns, duration_ns),
    MS("duration_ms", duration_ns, ALWAYS),
    COLUMN("energy_mj", REAL, "mJ", F64, energy_mj, IF(has_energy)),
    POWER("avg_power_mw", energy_mj, duration_ns, has_energy),
    U32("process", process, NULL, ALWAYS),
    U32("thread", thread, NULL, ALWAYS),
    U64("start_ns", start_ns, "ns", ALWAYS),
    U64("duration_ns", duration_ns, "ns", ALWAYS),
    U64("parent_id", parent, NULL, IF_SET),
    COLUMN("derived", BOOL, NULL, BOOL, derived, IF(derived)),
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
    COLUMN("token_id", INT, NULL, I64, id, UNLESS(seen)),
    TEXT("token_text", text),
    MS("end_time_ms", time_ns, ALWAYS),
    MS("duration_ms", duration_ns, IF_SET),
    COLUMN("energy_mj", REAL, "mJ", F64, energy_mj, IF(has_energy)),
    POWER("avg_power_mw", energy_mj, duration_ns, has_energy),
    U32("process", process, NULL, ALWAYS),
    U32("thread", thread, NULL, ALWAYS),
    U64("time_ns", time_ns, "ns", ALWAYS),
    U64("duration_ns", duration_ns, "ns", IF_SET),
    COLUMN("probability", REAL, NULL, F64, probability, IF_SET),
    U64("layers_ns", layers_ns, "ns", IF_SET),
    U64("between_ns", between_ns, "ns", IF_EITHER(layers_ns)),
    U64("outside_ns", outside_ns, "ns", IF_EITHER(layers_ns)),
};
#undef ROW
TAKE(token)
EACH(token, token)
ADD(token, token)
TABLE(token, "tokens", token, each_token, add_token,
        "tokens that the program reported, or its inferences made");

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
