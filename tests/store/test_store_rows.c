/* test_store_rows.c -- what is written is what is read: every field, and those
 * that are not known. */
#include "model/limits.h"
#include "stored_same.h"

/* How many of a kind were read. */
static size_t seen;

/* --- one function a kind: the cases, and how two are compared ------------- */

static const struct process processes[] = {
    { .id = 1,
            .pid = 4711,
            .parent = 0,
            .start_ns = 5,
            .program = "node app.js",
            .lost = 7,
            .untimed = 8,
            .torn = 9,
            .hook_ns = 91 },
    { .id = 2, .pid = UINT32_MAX, .parent = 1, .start_ns = LIMIT_NS },
};

static void take_process(void *context, const struct process *got)
{
    const struct process *want = &processes[seen++ % LEN(processes)];

    (void)context;
    SAME(id);
    SAME(pid);
    SAME(parent);
    SAME(start_ns);
    SAME_TEXT(program);
    SAME(lost);
    SAME(untimed);
    SAME(torn);
    SAME(hook_ns);
}

static const struct library libraries[] = {
    { 1, 1, "/lib/libonnxruntime.so.1", "1.23.2", "Node.js", 47,
            "it is older than 1.15" },
    { 2, 1, "/lib/state.so", NULL, NULL, 0, NULL },
    { 3, 2, NULL, "1.10.0", NULL, 40, NULL },
};

static void take_library(void *context, const struct library *got)
{
    const struct library *want = &libraries[seen++ % LEN(libraries)];

    (void)context;
    SAME(id);
    SAME(process);
    SAME_TEXT(path);
    SAME_TEXT(version);
    SAME_TEXT(language);
    SAME(slots);
    SAME_TEXT(untraced);
}

static const struct session sessions[] = {
    { .id = 1,
            .process = 1,
            .library = 1,
            .model = "/m/a b.onnx",
            .model_bytes = 0,
            .providers = "[\"CPUExecutionProvider\"]",
            .options = "{}",
            .start_ns = 12,
            .duration_ns = 34,
            .read_ns = 10,
            .initialise_ns = 20,
            .thread = 56,
            .operators_of = 1 },
    { .id = 2,
            .process = 1,
            .library = 2,
            .model_bytes = UINT32_MAX + UINT64_C(1),
            .start_ns = 0,
            .duration_ns = 0, /* known, and nothing */
            .error = "no \"such\" file",
            .thread = 1 },
    { .id = 3, .process = 2, .seen_late = true, .start_ns = 99 },
};

static void take_session(void *context, const struct session *got)
{
    const struct session *want = &sessions[seen++ % LEN(sessions)];

    (void)context;
    SAME(id);
    SAME(process);
    SAME(library);
    SAME_TEXT(model);
    SAME(model_bytes);
    SAME_TEXT(providers);
    SAME_TEXT(options);
    SAME_TEXT(error);
    SAME(seen_late);
    SAME(start_ns);
    SAME(duration_ns);
    SAME(read_ns);
    SAME(initialise_ns);
    SAME(thread);
    SAME(operators_of);
}

#define ALL_READ                                                         \
    (FLAG_INPUT_BYTES | FLAG_OUTPUT_BYTES | FLAG_SHAPE | FLAG_SEQUENCE | \
            FLAG_PAST)

static const struct inference inferences[] = {
    { .session = 1,
            .process = 1,
            .thread = 77,
            .phase = PHASE_DECODE,
            .flags = ALL_READ | FLAG_ASYNC | FLAG_PROFILED,
            .has_context = true,
            .start_ns = 1000,
            .duration_ns = 2000,
            .batch = 3,
            .sequence = 4,
            .past = 5,
            .batch_size = 6,
            .padding = 7,
            .queue_depth = 8,
            .in_bytes = 9,
            .out_bytes = 10 },
    /* All of it read, and all of it nothing. */
    { .flags = ALL_READ, .has_context = true },
    /* Nothing read. */
    { .session = 2, .process = 1, .flags = 0 },
    { .session = 2, .flags = FLAG_FAILED, .error = "bad shape" },
    { .session = 3, .flags = FLAG_FAILED, .error = "bad shape" },
    { .flags = FLAG_FAILED, .error = "" },
};

static void take_inference(void *context, const struct inference *got)
{
    const struct inference *want = &inferences[seen++ % LEN(inferences)];

    (void)context;
    SAME(session);
    SAME(process);
    SAME(thread);
    SAME(phase);
    SAME(flags);
    SAME(has_context);
    SAME(start_ns);
    SAME(duration_ns);
    SAME(batch);
    SAME(sequence);
    SAME(past);
    SAME(batch_size);
    SAME(padding);
    SAME(queue_depth);
    SAME(in_bytes);
    SAME(out_bytes);
    SAME_TEXT(error);
}

static const struct operator_run operator_runs[] = {
    { .inference = 1,
            .operator_id = 2,
            .thread = 3,
            .depth = 4,
            .start_ns = 5,
            .raw_ns = 6,
            .kernel_ns = 7,
            .kernel_known = true },
    { .inference = 1,
            .operator_id = 1,
            .in_cycles = true,
            .raw_unknown = true,
            .cycles = 8 },
    { .inference = 1,
            .operator_id = 1,
            .raw_unknown = true,
            .kernel_ns = 9,
            .kernel_known = true },
    { .inference = 1, .operator_id = 1, .raw_ns = 0, .kernel_ns = 0 },
};

static void take_operator_run(void *context, const struct operator_run *got)
{
    const struct operator_run *want =
            &operator_runs[seen++ % LEN(operator_runs)];

    (void)context;
    SAME(inference);
    SAME(operator_id);
    SAME(thread);
    SAME(depth);
    SAME(start_ns);
    SAME(raw_ns);
    SAME(raw_unknown);
    SAME(kernel_ns);
    SAME(kernel_known);
    SAME(in_cycles);
    SAME(cycles);
}

static const struct section sections[] = {
    /* known, and nothing */
    { 1, 77, PHASE_PRE, "tokenise", 10, 20, 0, true, 0, false },
    { 1, 77, PHASE_OTHER, NULL, 0, 0, 0, false, 1, true },
    { 2, 78, PHASE_POST, "tokenise", 30, 40, 12.5, true, 2, false },
};

static void take_section(void *context, const struct section *got)
{
    const struct section *want = &sections[seen++ % LEN(sections)];

    (void)context;
    SAME(process);
    SAME(thread);
    SAME(phase);
    SAME_TEXT(name);
    SAME(start_ns);
    SAME(duration_ns);
    SAME(has_energy);
    SAME(parent);
    SAME(derived);
    CHECK(got->energy_mj == want->energy_mj);
}

static const struct token tokens[] = {
    { 1, 77, 0, -1, "Grüße", 11, 5, 0.25, true, false, 0.125, 4, 1, 0 },
    { 1, 77, UINT32_MAX, INT64_MIN + 1, NULL, 12, 0, 0, false, false, 0, 0, 0,
            0 },
    { 1, 77, 3, INT64_MIN, NULL, 13, 7, 0, false, true, 1, 9, 0, 2 },
};

static void take_token(void *context, const struct token *got)
{
    const struct token *want = &tokens[seen++ % LEN(tokens)];

    (void)context;
    SAME(process);
    SAME(thread);
    SAME(index);
    SAME(id);
    SAME_TEXT(text);
    SAME(time_ns);
    SAME(duration_ns);
    SAME(has_energy);
    SAME(layers_ns);
    SAME(between_ns);
    SAME(outside_ns);
    CHECK(got->energy_mj == want->energy_mj);
    CHECK(got->probability == want->probability);
}

static const struct note marks[] = { { 1, 77, "now", 5 }, { 2, 0, NULL, 0 } };
static const struct note threads[] = { { 1, 78, "worker", 6 } };

static void take_note(void *context, const struct note *got)
{
    const struct note *want = (const struct note *)context + seen++;

    SAME(process);
    SAME(thread);
    SAME_TEXT(text);
    SAME(time_ns);
}

/* --- writing and reading them --------------------------------------------- */

static void write_all(struct store *s)
{
    for (size_t i = 0; i < LEN(processes); i++) {
        store_add_process(s, &processes[i]);
        store_end_process(s, &processes[i]);
    }
    for (size_t i = 0; i < LEN(libraries); i++) {
        store_add_library(s, &libraries[i]);
        if (libraries[i].language)
            store_add_language(s, libraries[i].id, libraries[i].language);
    }
    for (size_t i = 0; i < LEN(sessions); i++)
        store_add_session(s, &sessions[i]);
    store_add_session_end(s, 1, 4321);
    store_set_operators_of(s, 1, 1);
    store_set_untraced(s, 1, libraries[0].untraced);
    for (size_t i = 0; i < LEN(sections); i++)
        store_add_section(s, &sections[i]);
    for (size_t i = 0; i < LEN(tokens); i++)
        store_add_token(s, &tokens[i]);
    for (size_t i = 0; i < LEN(marks); i++)
        store_add_mark(s, &marks[i]);
    store_add_thread(s, &threads[0]);
    for (size_t i = 0; i < LEN(inferences); i++)
        CHECK_INT(store_add_inference(s, &inferences[i]), i + 1);
    for (size_t i = 0; i < LEN(operator_runs); i++)
        store_add_operator_run(s, &operator_runs[i]);
    CHECK_INT(store_waiting(s), LEN(inferences) + LEN(operator_runs));
    stored_flush(s);
    CHECK_INT(store_waiting(s), 0);
}

#define READ(name, take, cases)                                               \
    do {                                                                      \
        seen = 0;                                                             \
        CHECK_INT(store_each_##name(s, row, take, (void *)(uintptr_t)(cases), \
                          NULL),                                              \
                0);                                                           \
        CHECK_INT(seen, LEN(cases));                                          \
    } while (0)

static void read_all(struct store *s, int64_t row)
{
    READ(process, take_process, processes);
    READ(library, take_library, libraries);
    READ(session, take_session, sessions);
    READ(inference, take_inference, inferences);
    READ(operator_run, take_operator_run, operator_runs);
    READ(section, take_section, sections);
    READ(token, take_token, tokens);
    READ(mark, take_note, marks);
    READ(thread, take_note, threads);
}

/* Two runs, written one after the other: neither sees the other's rows. */
static void rows(void)
{
    struct tree t = tree_open();

    for (int i = 0; i < 2; i++) {
        struct store *s = stored_open(&t, STORE_WRITE);
        struct run r = stored_run(s, 1);

        write_all(s);
        read_all(s, r.row);
        store_close(s);
        s = stored_open(&t, STORE_READ);
        read_all(s, 1);
        read_all(s, r.row);
        store_close(s);
    }
    /* A text is kept once. */
    CHECK_INT(stored_number(&t,
                      "SELECT count(*) FROM texts WHERE text = 'tokenise'"),
            1);
    CHECK_INT(stored_number(&t, "SELECT max(end_ns) FROM sessions"), 4321);
    tree_close(&t);
}

/* In the file, what is not known is NULL, and what is nothing is 0. */
static void nothing_is_not_unknown(void)
{
    static const struct {
        const char *sql;
        int64_t count;
    } cases[] = {
        { "inferences WHERE batch = 0 AND sequence = 0 AND past = 0"
          " AND in_bytes = 0 AND out_bytes = 0 AND batch_size = 0"
          " AND padding = 0 AND queue_depth = 0",
                1 },
        { "inferences WHERE batch IS NULL AND sequence IS NULL"
          " AND past IS NULL AND in_bytes IS NULL AND out_bytes IS NULL"
          " AND batch_size IS NULL AND padding IS NULL AND queue_depth IS NULL",
                4 },
        { "inferences WHERE error IS NULL", 3 },
        { "processes WHERE parent IS NULL AND hook_ns = 91", 1 },
        { "processes WHERE parent = 1 AND hook_ns IS NULL AND lost = 0", 1 },
        { "sessions WHERE duration_ns IS NULL AND thread IS NULL"
          " AND library IS NULL",
                1 },
        { "sessions WHERE duration_ns = 0", 1 },
        { "sessions WHERE model_bytes IS NULL", 2 },
        { "operator_runs WHERE kernel_ns IS NULL", 2 },
        { "operator_runs WHERE raw_ns = 0 AND cycles IS NULL", 1 },
        { "operator_runs WHERE raw_ns IS NULL AND cycles = 8", 1 },
        { "operator_runs WHERE raw_ns IS NULL AND kernel_ns = 9", 1 },
        { "tokens WHERE token_text IS NULL", 2 },
        { "profiling_runs WHERE duration_ns IS NULL AND exit_code IS NULL"
          " AND signal IS NULL AND directory IS NULL AND tags IS NULL",
                1 },
    };
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);

    (void)stored_run(s, 1);
    write_all(s);
    store_close(s);
    for (size_t i = 0; i < LEN(cases); i++) {
        char sql[400];

        (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s",
                cases[i].sql);
        CHECK_INT(stored_number(&t, sql), cases[i].count);
        if (stored_number(&t, sql) != cases[i].count)
            (void)fprintf(stderr, "%s\n", sql);
    }
    tree_close(&t);
}

int main(void)
{
    rows();
    nothing_is_not_unknown();
    return test_result();
}
