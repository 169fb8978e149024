#include "model/limits.h"

#include "base/compiler.h"
#include "model/reading.h"
#include "model/run.h"

#include <math.h>
#include <string.h>

/* clang-format off */
#define NUMBER(table, column, from, ...) \
    { table, column, LIMIT_IS_NUMBER, .least = (from), .most = __VA_ARGS__ }
#define ID(table) \
    NUMBER(table, "id", 1, INT32_MAX, .needed = true, .gap = LIMIT_GAP)
#define REFERENCE(column, table) \
    NUMBER(NULL, column, 0, INT32_MAX, .refers = table)
#define REAL(column)   { NULL, column, LIMIT_IS_REAL, .most = 0 }
#define SENSED(column) { NULL, column, LIMIT_IS_SENSED, .most = 0 }
#define ANY(column)    { NULL, column, LIMIT_IS_ANY, .most = 0 }
#define TEXT(column) { NULL, column, LIMIT_IS_TEXT, .most = LIMIT_TEXT }
#define NEEDED(column) \
    { NULL, column, LIMIT_IS_TEXT, .needed = true, .most = LIMIT_TEXT }

/* The first that fits counts. */
static const struct limit limits[] = {
    /* What is known by its number. */
    ID("processes"), ID("libraries"), ID("sessions"), ID("operators"),
    ID("layer_metrics"), ID("component_metrics"), ID("deep_operation_metrics"),
    NUMBER("subjects", "id", 0, INT32_MAX, .needed = true),
    NUMBER(NULL, "id", 1, INT64_MAX, .needed = true),
    NUMBER("subjects", "number", 0, LIMIT_COUNT),
    NUMBER(NULL, "number", 1, LIMIT_COUNT, .needed = true),
    NUMBER("layer_metrics", "token_id", 0, LIMIT_COUNT),
    NUMBER(NULL, "token_id", INT64_MIN, INT64_MAX),

    /* What refers to it. */
    NUMBER("processes", "parent", 0, INT32_MAX),
    NUMBER("subjects", "parent", 0, INT32_MAX),
    REFERENCE("process", "processes"),
    REFERENCE("library", "libraries"),
    REFERENCE("session", "sessions"),
    REFERENCE("operators_of", "sessions"),
    REFERENCE("operator", "operators"),
    REFERENCE("from_operator", "operators"),
    REFERENCE("to_operator", "operators"),
    REFERENCE("parent", "operators"),
    NUMBER("pipeline_sections", "parent_id", 0, LIMIT_COUNT),
    REFERENCE("layer_metric_id", "layer_metrics"),
    REFERENCE("component_metric_id", "component_metrics"),
    NUMBER(NULL, "inference", 0, LIMIT_COUNT),
    NUMBER(NULL, "generation", 0, LIMIT_COUNT),
    NUMBER(NULL, "subject", 0, INT32_MAX),
    NUMBER(NULL, "metric", 0, INT32_MAX),
    NUMBER(NULL, "host_id", 1, INT64_MAX),

    /* Times. */
    NUMBER(NULL, "start_mono_ns", 0, INT64_MAX / 2),
    NUMBER("power_samples", "timestamp", 0, LIMIT_NS),
    NUMBER(NULL, "timestamp", 0, INT64_MAX / 2),
    NUMBER("rollups", "second", 0, LIMIT_NS / 1000000000, .gap = 1 << 20),
    NUMBER(NULL, "width_s", 1, 86400),
    NUMBER(NULL, "place", 0, LIMIT_NS / 1000000000),
    NUMBER(NULL, "span_kind", 0, SPAN_OPERATOR),
    NUMBER(NULL, "span_*", 0, 2 * LIMIT_NS),
    NUMBER(NULL, "*_ns", 0, LIMIT_NS),

    /* One of a few. */
    NUMBER(NULL, "phase", 0, UINT8_MAX),
    NUMBER(NULL, "status", 0, RUN_STATUS_LAST),
    NUMBER(NULL, "method", 0, READING_METHODS - 1),
    NUMBER(NULL, "energy_method", 0, READING_METHODS - 1),
    NUMBER(NULL, "flags", 0, UINT16_MAX),
    NUMBER("events", "kind", 0, 1),
    NUMBER(NULL, "summed", 0, 1),
    NUMBER(NULL, "exit_code", INT32_MIN, INT32_MAX),
    NUMBER(NULL, "signal", 0, 255),
    NUMBER(NULL, "is_output", 0, 1),
    NUMBER(NULL, "traced", 0, 1),
    NUMBER(NULL, "is_constant", 0, 1),
    NUMBER(NULL, "derived", 0, 1),
    NUMBER(NULL, "element_type", 0, UINT8_MAX),

    /* Figures of a call. */
    NUMBER(NULL, "pid", 0, UINT32_MAX),
    NUMBER(NULL, "meter_pid", 0, UINT32_MAX),
    NUMBER(NULL, "thread", 0, UINT32_MAX),
    NUMBER(NULL, "slots", 0, UINT32_MAX),
    NUMBER(NULL, "batch", 0, UINT32_MAX),
    NUMBER(NULL, "sequence", 0, UINT32_MAX),
    NUMBER(NULL, "past", 0, UINT32_MAX),
    NUMBER(NULL, "batch_size", 0, UINT32_MAX),
    NUMBER(NULL, "padding", 0, UINT32_MAX),
    NUMBER(NULL, "queue_depth", 0, UINT32_MAX),
    NUMBER(NULL, "token_index", 0, UINT32_MAX),
    NUMBER(NULL, "node_index", 0, INT32_MAX),
    NUMBER(NULL, "since_version", 0, INT32_MAX),
    NUMBER(NULL, "position", 0, INT32_MAX),
    NUMBER(NULL, "output", 0, UINT16_MAX),
    NUMBER(NULL, "layer_index", 0, 65535),
    NUMBER(NULL, "depth", 0, 255),

    /* Counts. */
    NUMBER(NULL, "*_bytes", 0, LIMIT_COUNT),
    NUMBER(NULL, "*_tokens", 0, LIMIT_COUNT),
    NUMBER(NULL, "count", 0, LIMIT_COUNT),
    NUMBER(NULL, "*_count", 0, LIMIT_COUNT),
    NUMBER(NULL, "lost", 0, LIMIT_COUNT),
    NUMBER(NULL, "untimed", 0, LIMIT_COUNT),
    NUMBER(NULL, "torn", 0, LIMIT_COUNT),
    NUMBER(NULL, "cycles", 0, LIMIT_COUNT),
    NUMBER(NULL, "inferences", 0, LIMIT_COUNT),
    NUMBER(NULL, "failed", 0, LIMIT_COUNT),
    NUMBER(NULL, "looked_at", 0, LIMIT_COUNT),
    NUMBER(NULL, "reads", 0, LIMIT_COUNT),
    NUMBER(NULL, "missed", 0, LIMIT_COUNT),
    NUMBER(NULL, "beside", 0, LIMIT_COUNT),
    NUMBER(NULL, "operator_runs", 0, LIMIT_COUNT),
    NUMBER(NULL, "doubtful", 0, LIMIT_COUNT),
    NUMBER(NULL, "shapeless", 0, LIMIT_COUNT),
    NUMBER(NULL, "elements", 0, LIMIT_COUNT),
    NUMBER(NULL, "elements_read", 0, LIMIT_COUNT),
    NUMBER(NULL, "nans", 0, LIMIT_COUNT),
    NUMBER(NULL, "infinities", 0, LIMIT_COUNT),
    NUMBER(NULL, "near_zero", 0, LIMIT_COUNT),
    NUMBER(NULL, "negative", 0, LIMIT_COUNT),

    /* What was read or computed. */
    { "settings", "value", LIMIT_IS_TEXT, .most = LIMIT_TEXT },
    REAL("*_mj"), REAL("*_mw"), REAL("*_ms"), SENSED("value"), REAL("threshold"),
    SENSED("min"), SENSED("mean"), SENSED("max"), REAL("activation_*"),
    REAL("*_entropy"), REAL("*_sparsity"), REAL("*_weight"), REAL("*_ratio"),
    REAL("probability"), REAL("hz"), REAL("*_hz"), ANY("squares"), ANY("mean_abs"), ANY("std_dev"), ANY("max_abs"),

    /* Texts. */
    { NULL, "run_id", LIMIT_IS_TEXT, .needed = true, .most = RUN_ID_LEN },
    { "profiling_runs", "version", LIMIT_IS_TEXT, .needed = true, .most = 256 },
    { "metrics", "name", LIMIT_IS_TEXT, .needed = true, .most = 256 },
    { "labels", "name", LIMIT_IS_TEXT, .needed = true, .most = LIMIT_TEXT },
    { "subjects", "kind", LIMIT_IS_TEXT, .needed = true, .most = 256 },
    { "sampler_rates", "reason", LIMIT_IS_TEXT, .most = LIMIT_TEXT },
    NEEDED("command"), NEEDED("reason"),
    NEEDED("rule"), NEEDED("component_name"),
    NEEDED("operation_type"),
    NEEDED("operation_name"),
    TEXT("directory"), TEXT("tags"), TEXT("*_name"), TEXT("prompt"),
    TEXT("response"), TEXT("profiling_depth"), TEXT("note"), TEXT("program"),
    TEXT("path"), TEXT("version"), TEXT("language"), TEXT("untraced"),
    TEXT("model"),
    TEXT("providers"), TEXT("options"), TEXT("error"), TEXT("name"),
    TEXT("op_type"), TEXT("domain"), TEXT("provider"), TEXT("inputs"),
    TEXT("outputs"), TEXT("shape"), TEXT("spread"), TEXT("detail"),
    TEXT("graph"), TEXT("*_per_head"),
    TEXT("source"), TEXT("text"), TEXT("*_text"), TEXT("kind"), TEXT("info"),
};
/* clang-format on */

static bool fits(const char *pattern, const char *name)
{
    /* Most differ at once: this is asked of every column of every query. */
    if (*pattern != '*' && *pattern != *name)
        return false;

    const char *star = strchr(pattern, '*');
    size_t before = star ? (size_t)(star - pattern) : 0;
    size_t len = strlen(name);

    if (!star)
        return strcmp(pattern, name) == 0;
    if (strncmp(pattern, name, before) != 0)
        return false;
    star++;
    return len >= strlen(star) && strcmp(name + len - strlen(star), star) == 0;
}

const struct limit *limit_find(const char *table, const char *column)
{
    for (size_t i = 0; i < LEN(limits); i++) {
        const struct limit *l = &limits[i];

        if (fits(l->column, column) &&
                (!l->table || (table && strcmp(l->table, table) == 0)))
            return l;
    }
    return NULL;
}

bool limit_allows_number(const struct limit *l, int64_t value)
{
    if (l->kind != LIMIT_IS_NUMBER)
        return limit_allows_real(l, (double)value);
    return value >= l->least && value <= l->most;
}

bool limit_allows_real(const struct limit *l, double value)
{
    return (l->kind == LIMIT_IS_ANY && !isnan(value)) ||
           (l->kind == LIMIT_IS_REAL && fabs(value) <= LIMIT_REAL) ||
           (l->kind == LIMIT_IS_SENSED &&
                   (fabs(value) <= LIMIT_REAL || isinf(value)));
}

bool limit_allows_text(const struct limit *l, struct str text)
{
    return l->kind == LIMIT_IS_TEXT && (int64_t)text.len <= l->most;
}
