/* test_json_run.c -- a run with a row of every table, as JSON: nested as it
 * should be, and every cell of every row read back. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/json_read.h"
#include "export/formats.h"
#include "import/import.h"
#include "stored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_depth(struct store *s)
{
    static const struct depth_values none = { NAN, NAN, NAN, NAN };

    store_add_power_sample(s, &(struct power_sample){ .time_ns = 5,
                                      .cpu_power_mw = 1500.25,
                                      .gpu_power_mw = NAN,
                                      .ane_power_mw = NAN,
                                      .dram_power_mw = NAN,
                                      .total_power_mw = 1500.25,
                                      .phase = PHASE_DECODE,
                                      .method = READING_MODELLED });
    store_add_layer(s, &(struct layer_metric){ .id = 1,
                               .token_id = 1,
                               .layer_index = 3,
                               .duration_ns = 2000,
                               .energy_mj = 0.5,
                               .activation = { 1, 2, 3, 0.25 } });
    store_add_layer(s, &(struct layer_metric){ .id = 2,
                               .duration_ns = 9,
                               .energy_mj = NAN,
                               .activation = none });
    for (uint32_t i = 1; i <= 2; i++)
        store_add_component(s, &(struct component_metric){
                                       .id = i,
                                       .layer_metric_id = i == 1,
                                       .component_name = "q_proj",
                                       .count = 7,
                                       .duration_ns = 1,
                                       .energy_mj = NAN,
                                       .activation = none,
                               });
    store_add_deep_operation(s, &(struct deep_operation_metric){
                                        .id = 1,
                                        .component_metric_id = 1,
                                        .operation_type = "attention",
                                        .operation_name = "softmax",
                                        .count = 1,
                                        .energy_mj = NAN,
                                        .attention_entropy = 0.125,
                                        .attention_sparsity = NAN,
                                        .max_attention_weight = NAN,
                                        .activation_kill_ratio = NAN,
                                        .variance_ratio = NAN,
                                });
}

static void add_all(struct store *s)
{
    store_add_process(s, &(struct process){ .id = 1,
                                 .pid = 100,
                                 .program = "a \"b\" \xff" });
    store_add_library(s, &(struct library){ .id = 1, .process = 1 });
    store_add_session(s, &(struct session){ .id = 1,
                                 .process = 1,
                                 .providers = "[\"CPU\"]",
                                 .options = "{broken",
                                 .seen_late = true });
    store_add_session_end(s, 1, 77);
    store_add_section(s, &(struct section){ .process = 1,
                                 .thread = 7,
                                 .phase = PHASE_PRE,
                                 .start_ns = 9000,
                                 .duration_ns = 90001,
                                 .energy_mj = 1.5,
                                 .has_energy = true });
    store_add_token(s, &(struct token){ .process = 1,
                               .thread = 7,
                               .id = -4,
                               .text = "",
                               .time_ns = 1 });
    (void)store_add_inference(s, &(struct inference){ .session = 1,
                                         .process = 1,
                                         .flags = FLAG_FAILED | FLAG_PAST,
                                         .past = 0,
                                         .has_context = true,
                                         .error = "no\n" });
    store_add_operator(s, &(struct operator){ .id = 1,
                                  .session = 1,
                                  .inputs = "[{\"float\":[1]}]",
                                  .node_index = UINT32_MAX });
    store_add_operator_edge(s, &(struct operator_edge){ 1, 1 });
    store_add_operator_run(s, &(struct operator_run){ .operator_id = 1,
                                      .in_cycles = true,
                                      .cycles = 5 });
    store_add_mark(s, &(struct note){ 1, 7, "here", 9500 });
    store_add_thread(s, &(struct note){ 1, 7, "main", 1 });
    store_add_subject(s, 1,
            &(struct subject){ .kind = SUBJECT_DEVICE, .name = "gpu0" });
    store_add_reading(s, &(struct reading){ .time_ns = 3,
                                 .value = 0.1,
                                 .subject = 1,
                                 .metric = METRIC_inferences_per_second });
    store_add_rollup(s, &(struct rollup){ .subject = 1,
                                .metric = METRIC_inferences_per_second,
                                .count = 1 });
    store_add_absence(s, &(struct absence_note){ METRIC_run_info, 1, "why" });
    add_depth(s);
}

static void export_as(struct buf *out, const char *format, const struct tree *t,
        struct store *s, int64_t row)
{
    char piece[4096];
    struct sink *sink = NULL;
    struct error e = { 0 };
    const char *path = tree_path(t, "run.json");

    CHECK_INT(sink_open(&sink, path, false, &e), 0);
    CHECK_INT(export_format_find(format)->write(sink, s, row, &e), 0);
    CHECK_INT(sink_close(sink, true, &e), 0);

    FILE *f = fopen(path, "rb");
    size_t n;

    while (f && (n = fread(piece, 1, sizeof(piece), f)) > 0)
        buf_add(out, piece, n);
    CHECK(f && !fclose(f));
}

static void export(struct buf *out, const struct tree *t, struct store *s,
        int64_t row)
{
    export_as(out, "json", t, s, row);
}

/* The value of a member; empty: there is none. */
static struct str member(struct str object, const char *name)
{
    struct str key, value;

    while (json_next_member(&object, &key, &value) > 0)
        if (str_is(key, name))
            return value;
    return (struct str){ "", 0 };
}

static struct str element(struct str array, size_t at)
{
    struct str value = { "", 0 };

    for (size_t i = 0; i <= at; i++)
        if (json_next_element(&array, &value) <= 0)
            return (struct str){ "", 0 };
    return value;
}

static size_t length(struct str array)
{
    struct str value;
    size_t count = 0;

    while (json_next_element(&array, &value) > 0)
        count++;
    return count;
}

static bool ends(struct str s, const char *end)
{
    size_t len = strlen(end);

    return s.len >= len && !memcmp(s.p + s.len - len, end, len);
}

/* In sections of CSV, what a row lies in stands at its end. */
static void check_places(const struct tree *t, struct store *s, int64_t row)
{
    static const struct {
        const char *title, *names, *rows[2];
    } want[] = {
        { "# layer_metrics", ",token_index,token_text", { ",0,\"\"", ",," } },
        { "# component_metrics", ",layer_index,token_index,token_text",
                { ",3,0,\"\"", ",,," } },
        { "# deep_operation_metrics",
                ",component_name,layer_index,token_index,token_text",
                { ",q_proj,3,0,\"\"", "" } },
    };
    struct buf out = { 0 };
    struct str line, rest;
    size_t found = 0;

    export_as(&out, "csv", t, s, row);
    rest = buf_str(&out);
    while (found < LEN(want) && str_line(&line, &rest)) {
        if (!str_is(line, want[found].title))
            continue;
        CHECK(str_line(&line, &rest));
        CHECK(ends(line, want[found].names));
        for (size_t i = 0; i < 2; i++) {
            CHECK(str_line(&line, &rest));
            CHECK(ends(line, want[found].rows[i]));
        }
        found++;
    }
    CHECK_INT(found, LEN(want));
    buf_release(&out);
}

static void check_nesting(struct str document)
{
    struct str token = element(member(document, "tokens"), 0);
    struct str layer = element(member(token, "layers"), 0);
    struct str component = element(member(layer, "components"), 0);
    struct str operation = element(member(component, "deep_operations"), 0);

    CHECK(str_is(member(layer, "layer_index"), "3"));
    CHECK(str_is(member(layer, "avg_power_mw"), "250000"));
    CHECK(str_is(member(component, "component_name"), "\"q_proj\""));
    CHECK(str_is(member(operation, "attention_entropy"), "0.125"));
    CHECK(!member(operation, "variance_ratio").len);
    /* What belongs to nothing lies beside it. */
    CHECK_INT(length(member(document, "layer_metrics")), 1);
    CHECK_INT(length(member(document, "component_metrics")), 1);
    CHECK_INT(length(member(document, "deep_operation_metrics")), 0);
    CHECK_INT(length(member(document, "power_samples")), 1);
    CHECK_INT(length(member(document, "events")), 2);
    CHECK(str_is(member(token, "token_text"), "\"\""));
    /* Sound JSON stands there as such, other texts do not. */
    struct str session = element(member(document, "sessions"), 0);

    CHECK(str_is(member(session, "providers"), "[\"CPU\"]"));
    CHECK(str_is(member(session, "options"), "\"{broken\""));
    CHECK(!member(session, "duration_ns").len);
    CHECK(str_is(member(session, "end_ns"), "77"));
}

/* Into another database, in pieces of `step` bytes. */
static void import(const struct tree *t, struct str text, size_t step,
        struct buf *again)
{
    struct store *s = stored_open(t, STORE_WRITE);
    struct run run = { .id = "" };
    struct import_tally tally = { 0 };
    struct error e = { 0 };
    void *state = alloc_zero(1, import_json.state_size);

    CHECK(import_json.recognise(text));
    import_json.begin(state, s, &run);
    for (size_t at = 0; at < text.len; at += step)
        import_json.feed(state, text.p + at,
                text.len - at < step ? text.len - at : step);
    CHECK_INT(import_json.end(state, &tally, &e), 0);
    if (*e.text)
        (void)fprintf(stderr, "%s\n", e.text);
    export(again, t, s, run.row);
    import_json.release(state);
    free(state);
    for (size_t i = 0; i < tally.text_count; i++)
        buf_release(&tally.texts[i]);
    free(tally.texts);
    store_close(s);
}

int main(void)
{
    struct tree t = tree_open(), other = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run run = stored_run(s, 1700000000123456789);
    struct buf text = { 0 }, again = { 0 };
    struct error e = { 0 };

    add_all(s);
    stored_flush(s);
    run.status = RUN_COMPLETE;
    run.host = "{}";
    run.energy_mj = 12.5;
    run.has_energy = true;
    CHECK_INT(store_end_run(s, &run, &e), 0);
    export(&text, &t, s, run.row);
    CHECK(json_is_sound(buf_str(&text)));
    check_nesting(buf_str(&text));
    check_places(&t, s, run.row);
    import(&other, buf_str(&text), 100, &again);
    CHECK(str_eq(buf_str(&text), buf_str(&again)));
    if (!str_eq(buf_str(&text), buf_str(&again)))
        (void)fprintf(stderr, "%s\n%s\n", text.p, again.p);
    buf_release(&text);
    buf_release(&again);
    store_close(s);
    tree_close(&t);
    tree_close(&other);
    return test_result();
}
