/* test_hook_calls.c -- every function that we stand in for gets what it was
 * given, and its answer comes back; what it did is recorded. */
#include "hooked.h"

/* Things that nobody looks into. */
#define THING(type, number) ((struct type *)(uintptr_t)(0x7000 + (number)))

static const struct ort_env *const env = THING(ort_env, 1);
static struct ort_options *const options = THING(ort_options, 2);
static struct ort_session *const session = THING(ort_session, 3);
static struct ort_binding *const binding = THING(ort_binding, 4);
static struct ort_run_options *const run_options = THING(ort_run_options, 5);
static const char *const keys[] = { "key" };
static const char *const values[] = { "value" };
static const char *const openvino_keys[] = { "num_streams", "device_type" };
static const char *const openvino_values[] = { "1", "GPU.0" };
static const char data[] = "model";

/* The last call was that one, with these. */
static void check_call(int slot, const uintptr_t *args, size_t count)
{
    CHECK_INT(fake.last.slot, slot);
    for (size_t i = 0; i < count; i++)
        CHECK_INT(fake.last.args[i], args[i]);
    fake.last.slot = -1;
}

#define CHECK_CALL(name, ...)                                 \
    check_call(ORT_SLOT_##name, (uintptr_t[]){ __VA_ARGS__ }, \
            sizeof((uintptr_t[]){ __VA_ARGS__ }) / sizeof(uintptr_t))

#define PASS_1(name, a)                      \
    do {                                     \
        CHECK(CALL(name)(a) == fake.status); \
        CHECK_CALL(name, U(a));              \
    } while (0)
#define PASS_2(name, a, b)                      \
    do {                                        \
        CHECK(CALL(name)(a, b) == fake.status); \
        CHECK_CALL(name, U(a), U(b));           \
    } while (0)
#define PASS_3(name, a, b, c)                      \
    do {                                           \
        CHECK(CALL(name)(a, b, c) == fake.status); \
        CHECK_CALL(name, U(a), U(b), U(c));        \
    } while (0)
#define PASS_4(name, a, b, c, d)                      \
    do {                                              \
        CHECK(CALL(name)(a, b, c, d) == fake.status); \
        CHECK_CALL(name, U(a), U(b), U(c), U(d));     \
    } while (0)
#define PASS_5(name, a, b, c, d, e)                      \
    do {                                                 \
        CHECK(CALL(name)(a, b, c, d, e) == fake.status); \
        CHECK_CALL(name, U(a), U(b), U(c), U(d), U(e));  \
    } while (0)
#define VOID_1(name, a)         \
    do {                        \
        CALL(name)(a);          \
        CHECK_CALL(name, U(a)); \
    } while (0)

static void sessions(void)
{
    struct ort_session *out = NULL;
    struct ort_prepacked *weights = THING(ort_prepacked, 6);

    PASS_4(CreateSession, env, "m.onnx", options, &out);
    PASS_5(CreateSessionFromArray, env, data, sizeof(data), options, &out);
    PASS_5(CreateSessionWithPrepackedWeightsContainer, env, "m.onnx", options,
            weights, &out);
    CHECK(CALL(CreateSessionFromArrayWithPrepackedWeightsContainer)(env, data,
                  sizeof(data), options, weights, &out) == fake.status);
    CHECK_CALL(CreateSessionFromArrayWithPrepackedWeightsContainer, U(env),
            U(data), sizeof(data), U(options), U(weights), U(&out));
    CHECK(out == (fake.status ? NULL : session));

    const struct ort_api *editor = fake_editor(0);
    const struct ort_model *model = THING(ort_model, 7);

    CHECK(ORT(editor, CreateSessionFromModel)(env, model, options, &out) ==
            fake.status);
    CHECK_CALL(CreateSessionFromModel, U(env), U(model), U(options), U(&out));
    CHECK(ORT(editor, CreateModelEditorSession)(env, "m.onnx", options, &out) ==
            fake.status);
    CHECK_CALL(CreateModelEditorSession, U(env), U("m.onnx"), U(options),
            U(&out));
    CHECK(ORT(editor, CreateModelEditorSessionFromArray)(env, data,
                  sizeof(data), options, &out) == fake.status);
    CHECK_CALL(CreateModelEditorSessionFromArray, U(env), U(data), sizeof(data),
            U(options), U(&out));
    VOID_1(ReleaseSession, session);
    VOID_1(ReleaseSession, NULL);
}

static void session_options(void)
{
    struct ort_options *out = NULL;

    PASS_1(CreateSessionOptions, &out);
    PASS_2(CloneSessionOptions, options, &out);
    PASS_2(SetSessionExecutionMode, options, 1);
    PASS_2(SetSessionGraphOptimizationLevel, options, 99);
    PASS_2(SetIntraOpNumThreads, options, 3);
    PASS_2(SetInterOpNumThreads, options, 4);
    PASS_2(SessionOptionsSetEpSelectionPolicy, options, 5);
    PASS_2(EnableProfiling, options, "prefix");
    PASS_1(DisableProfiling, options);
    PASS_1(EnableMemPattern, options);
    PASS_1(DisableMemPattern, options);
    PASS_1(EnableCpuMemArena, options);
    PASS_1(DisableCpuMemArena, options);
    PASS_1(DisablePerSessionThreads, options);
    PASS_3(AddSessionConfigEntry, options, "key", "value");
    PASS_2(SetLanguageProjection, env, 6);
    VOID_1(ReleaseSessionOptions, options);
    VOID_1(ReleaseSessionOptions, NULL);
}

static void providers(void)
{
    const void *theirs = data;
    /* In place of a struct that begins with it. */
    static const char *const old_openvino[] = { "NPU" };
    static struct ort_device device = { "QNNExecutionProvider" };
    const struct ort_device *const devices[] = { &device, &device };

    PASS_2(SessionOptionsAppendExecutionProvider_CUDA, options, theirs);
    PASS_2(SessionOptionsAppendExecutionProvider_CUDA_V2, options, theirs);
    PASS_2(SessionOptionsAppendExecutionProvider_ROCM, options, theirs);
    PASS_2(SessionOptionsAppendExecutionProvider_MIGraphX, options, theirs);
    PASS_2(SessionOptionsAppendExecutionProvider_TensorRT, options, theirs);
    PASS_2(SessionOptionsAppendExecutionProvider_TensorRT_V2, options, theirs);
    PASS_2(SessionOptionsAppendExecutionProvider_OpenVINO, options,
            old_openvino);
    PASS_2(SessionOptionsAppendExecutionProvider_CANN, options, theirs);
    PASS_2(SessionOptionsAppendExecutionProvider_Dnnl, options, theirs);
    PASS_4(SessionOptionsAppendExecutionProvider_OpenVINO_V2, options,
            openvino_keys, openvino_values, 2);
    PASS_4(SessionOptionsAppendExecutionProvider_VitisAI, options, keys, values,
            1);
    PASS_5(SessionOptionsAppendExecutionProvider, options, "XNNPACK", keys,
            values, 1);
    CHECK(CALL(SessionOptionsAppendExecutionProvider_V2)(options,
                  (struct ort_env *)(uintptr_t)env, devices, 2, keys, values,
                  1) == fake.status);
    CHECK_CALL(SessionOptionsAppendExecutionProvider_V2, U(options), U(env),
            U(devices), 2, U(keys), U(values), 1);
}

static void bindings(void)
{
    static const struct ort_value value = { ORT_TYPE_FLOAT, 2, { 1, 2 }, 0 };
    const struct ort_memory_info *info = THING(ort_memory_info, 8);

    PASS_3(BindInput, binding, "x", &value);
    PASS_3(BindOutput, binding, "y", &value);
    PASS_3(BindOutputToDevice, binding, "z", info);
    PASS_3(RunWithBinding, session, run_options, binding);
    VOID_1(ClearBoundInputs, binding);
    VOID_1(ClearBoundOutputs, binding);
    VOID_1(ReleaseIoBinding, binding);
    VOID_1(ReleaseIoBinding, NULL);
}

static void done(void *user_data, struct ort_value **out, size_t n_out,
        struct ort_status *status)
{
    CHECK(user_data == data);
    CHECK_INT(n_out, 1);
    CHECK(out != NULL && status == NULL);
}

static void runs(void)
{
    static struct ort_value value = { ORT_TYPE_FLOAT, 2, { 1, 2 }, 0 };
    const struct ort_value *const in[] = { &value };
    const char *const in_names[] = { "x" }, *const out_names[] = { "y" };
    struct ort_value *out[] = { &value };

    CHECK(CALL(Run)(session, run_options, in_names, in, 1, out_names, 1, out) ==
            fake.status);
    CHECK_CALL(Run, U(session), U(run_options), U(in_names), U(in), 1,
            U(out_names), 1, U(out));

    /* Of RunAsync the callback is ours, and theirs is called by it. */
    CHECK(CALL(RunAsync)(session, run_options, in_names, in, 1, out_names, 1,
                  out, done, (void *)(uintptr_t)data) == fake.status);
    CHECK_CALL(RunAsync, U(session), U(run_options), U(in_names), U(in), 1,
            U(out_names), 1, U(out));
    CHECK_INT(fake_async_done(NULL), fake.status == NULL);
}

static void all_calls(void)
{
    fake.made = session;
    sessions();
    session_options();
    providers();
    bindings();
    runs();
}

static struct ort_status failure = { 7, "it failed" };

static const char *ops;

static void pass_through(void)
{
    CHECK(setenv("ORTMETER_OPS", ops, 1) == 0);
    hooked_begin("1.30.0");
    all_calls();
    CHECK(hooked_read() > 40);
    fake.status = &failure;
    all_calls();
    CHECK_INT(atomic_load(&fake.statuses_released), 0); /* they are theirs */
}

/* What was taken stays ours when the collector's folder is gone. */
static void pass_through_unheard(void)
{
    hooked_begin("1.30.0");
    hooked_end();
    hooked.api = fake_candidate(0).get_base()->get_api(1);
    all_calls();
    fake.status = &failure;
    all_calls();
}

/* --- what is recorded of it ----------------------------------------------- */

static const struct {
    const char *key;
    int64_t number;
} numbers[] = {
    { "execution_mode", 1 },
    { "graph_optimization_level", 99 },
    { "intra_op_num_threads", 3 },
    { "inter_op_num_threads", 4 },
    { "ep_selection_policy", 5 },
    { "profiling", 1 },
    { "profiling", 0 },
    { "mem_pattern", 1 },
    { "mem_pattern", 0 },
    { "cpu_mem_arena", 1 },
    { "cpu_mem_arena", 0 },
    { "per_session_threads", 0 },
};

static void check_options(void)
{
    size_t n = 0;

    (void)hooked_read();
    for (size_t i = 0; i < hooked.count; i++) {
        const struct record *r = &hooked.records[i];

        if (r->kind != RECORD_OPTION)
            continue;
        CHECK_INT(r->option.options, U(options));
        if (r->option.value) {
            CHECK(hooked_text(r->option.key, "key"));
            CHECK(hooked_text(r->option.value, "value"));
            continue;
        }
        CHECK(hooked_text(r->option.key, numbers[n].key));
        CHECK_INT(r->option.number, numbers[n].number);
        n++;
    }
    CHECK_INT(n, sizeof(numbers) / sizeof(numbers[0]));
    CHECK_INT(hooked_count(RECORD_OPTION), n + 1);
}

static void option_records(void)
{
    hooked_begin("1.30.0");
    fake.made = THING(ort_options, 20);
    session_options();
    check_options();
    CHECK_INT(hooked_last(RECORD_OPTIONS)->option.options, 0x7000 + 20);
    CHECK_INT(hooked_last(RECORD_OPTIONS_CLONE)->option.options, 0x7000 + 20);
    CHECK_INT(hooked_last(RECORD_OPTIONS_CLONE)->option.from, U(options));
    CHECK_INT(hooked_last(RECORD_OPTIONS_END)->option.options, U(options));
    CHECK_INT(hooked_count(RECORD_OPTIONS_END), 1); /* NULL is nothing */
    CHECK_INT(hooked_last(RECORD_LANGUAGE)->option.number, 6);

    /* What failed was not done. */
    size_t before = hooked_read();

    fake.status = &failure;
    session_options();
    CHECK_INT(hooked_read(), before + 2); /* the language, and the end */
}

/* Which device OpenVINO was told to use, and none of the other options. */
static void device_records(void)
{
    static const char *const devices[] = { "NPU", "GPU.0" };
    size_t n = 0;

    for (size_t i = 0; i < hooked.count; i++)
        if (hooked.records[i].kind == RECORD_OPTION && n < 2) {
            CHECK(hooked_text(hooked.records[i].option.key,
                    "ep.openvinoexecutionprovider.device_type"));
            CHECK(hooked_text(hooked.records[i].option.value, devices[n++]));
        }
    CHECK_INT(hooked_count(RECORD_OPTION), 2);
}

static void provider_records(void)
{
    static const char *const names[] = { "CUDAExecutionProvider",
        "CUDAExecutionProvider", "ROCMExecutionProvider",
        "MIGraphXExecutionProvider", "TensorrtExecutionProvider",
        "TensorrtExecutionProvider", "OpenVINOExecutionProvider",
        "CANNExecutionProvider", "DnnlExecutionProvider",
        "OpenVINOExecutionProvider", "VitisAIExecutionProvider", "XNNPACK",
        "QNNExecutionProvider" };
    size_t n = 0;

    hooked_begin("1.30.0");
    providers();
    (void)hooked_read();
    for (size_t i = 0; i < hooked.count; i++)
        if (hooked.records[i].kind == RECORD_PROVIDER) {
            CHECK(hooked_text(hooked.records[i].option.key, names[n++]));
            CHECK_INT(hooked.records[i].option.options, U(options));
        }
    CHECK_INT(n, sizeof(names) / sizeof(names[0])); /* two devices are one */
    device_records();
    fake.status = &failure;
    providers();
    CHECK_INT(hooked_count(RECORD_PROVIDER), n);
}

static void check_session(const char *model, uint64_t bytes)
{
    const struct record *r = hooked_last(RECORD_SESSION);

    CHECK(hooked_text(r->session.model, model));
    CHECK_INT(r->session.model_bytes, bytes);
    CHECK_INT(r->session.options, U(options));
    CHECK_INT(r->session.session, fake.status ? 0 : U(session));
    CHECK_INT(r->flags, fake.status ? FLAG_FAILED : 0);
    CHECK(r->session.start && r->session.end >= r->session.start);
    CHECK_INT(r->session.thread, getpid());
}

static void session_records(void)
{
    struct ort_session *out = NULL;

    hooked_begin("1.30.0");
    fake.made = session;
    (void)CALL(CreateSession)(env, "/m/a.onnx", options, &out);
    check_session("/m/a.onnx", 0);
    (void)CALL(CreateSessionFromArray)(env, data, 6, options, &out);
    check_session(NULL, 6);
    CALL(ReleaseSession)(session);
    CHECK_INT(hooked_last(RECORD_SESSION_END)->session.session, U(session));
    CHECK_INT(hooked_count(RECORD_ERROR), 0);

    /* Why comes just before, of the same thread. */
    fake.status = &failure;
    (void)CALL(CreateSession)(env, "/m/b.onnx", options, &out);
    check_session("/m/b.onnx", 0);

    const struct record *r = hooked_last(RECORD_ERROR);

    CHECK(hooked_text(r->error.text, "it failed"));
    CHECK_INT(r->error.code, 7);
    CHECK_INT(r->error.thread, getpid());
    CHECK(r < hooked_last(RECORD_SESSION));
}

int main(void)
{
    ops = "off";
    HOOKED(pass_through);
    ops = "all";
    HOOKED(pass_through);
    HOOKED(pass_through_unheard);
    HOOKED(option_records);
    HOOKED(provider_records);
    HOOKED(session_records);
    return test_result();
}
