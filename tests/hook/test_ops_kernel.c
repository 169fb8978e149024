/* test_ops_kernel.c -- who a kernel is, and what its tensors are. */
#include "traced_runs.h"

static const char *version;
static enum fake_form form;

static void who(void)
{
    const struct record *k;

    start("all", version);
    make_kernels(form);
    infer(conv_relu);
    k = nth(RECORD_KERNEL, 0);
    CHECK_INT(k->kernel.kernel, (uintptr_t)&conv);
    CHECK(hooked_text(k->kernel.name, "conv1"));
    CHECK(hooked_text(k->kernel.op_type, "Conv"));
    CHECK(hooked_text(k->kernel.provider, "CPUExecutionProvider"));
    CHECK_INT(k->kernel.node_index, 3);
    k = nth(RECORD_KERNEL, 1);
    CHECK(hooked_text(k->kernel.name, "a name that is longer than others"));
    CHECK(hooked_text(k->kernel.op_type, "Relu"));
    if (strcmp(version, "1.24.0") >= 0) {
        CHECK(hooked_text(k->kernel.domain, "ai.onnx"));
        CHECK_INT(k->kernel.since_version, 13);
    } else {
        CHECK_INT(k->kernel.domain, 0);
        CHECK_INT(k->kernel.since_version, 0);
    }
}

static void only_branch(void)
{
    struct fake_frame frame = { 0 };

    fake_kernel_run(&branch, &frame);
}

static void unnamed(void)
{
    start("all", version);
    make_kernels(form);
    infer(only_branch);
    CHECK_INT(nth(RECORD_KERNEL, 0)->kernel.name, 0);
    CHECK(hooked_text(nth(RECORD_KERNEL, 0)->kernel.op_type, "If"));
}

/* A text of neither form, and one whose name is another's. */
static void no_type(void)
{
    start("all", "1.17.0");
    conv.node[1] = 16;
    relu.node[2]--;
    infer(conv_relu);
    CHECK_INT(nth(RECORD_KERNEL, 0)->kernel.op_type, 0);
    CHECK_INT(nth(RECORD_KERNEL, 1)->kernel.op_type, 0);
    CHECK(hooked_text(nth(RECORD_KERNEL, 0)->kernel.name, "conv1"));
}

/* --- providers ------------------------------------------------------------ */

static struct {
    uintptr_t table;
    uintptr_t words[12];
    char room[64];
} ep;
static uintptr_t ep_type[2], ep_table[2];

static void provider_of_class(const char *name)
{
    ep_type[1] = (uintptr_t)name;
    ep_table[0] = (uintptr_t)ep_type;
    ep.table = (uintptr_t)&ep_table[1];
    conv.description[3] = relu.description[3] = (uintptr_t)&ep;
}

static void providers(void)
{
    start("all", "1.30.0");
    provider_of_class(
            "N11onnxruntime11openvino_ep25OpenVINOExecutionProviderE");
    infer(conv_relu);
    CHECK(hooked_text(nth(RECORD_KERNEL, 0)->kernel.provider,
            "OpenVINOExecutionProvider"));
}

/* Those that come from others have one class, and a name. */
static void plugin_provider(void)
{
    const char *name = "SomebodysExecutionProvider";

    start("all", "1.30.0");
    provider_of_class("N11onnxruntime23PluginExecutionProviderE");
    memcpy(ep.room, name, strlen(name) + 1);
    ep.words[5] = (uintptr_t)ep.room;
    ep.words[6] = strlen(name);
    infer(conv_relu);
    CHECK(hooked_text(nth(RECORD_KERNEL, 0)->kernel.provider, name));
}

static const char *strange_class;

static void strange_provider(void)
{
    start("all", "1.30.0");
    provider_of_class(strange_class);
    infer(conv_relu);
    CHECK_INT(nth(RECORD_KERNEL, 0)->kernel.provider, 0);
}

static void provider_nowhere(void)
{
    start("all", "1.30.0");
    conv.description[3] = 24;
    relu.description[3] = 0;
    infer(conv_relu);
    CHECK_INT(nth(RECORD_KERNEL, 0)->kernel.provider, 0);
    CHECK_INT(nth(RECORD_KERNEL, 1)->kernel.provider, 0);
}

/* --- tensors -------------------------------------------------------------- */

static bool plain_vectors;

static void conv_only(void)
{
    struct fake_frame frame = { .plain_vectors = plain_vectors };

    fake_kernel_run(&conv, &frame);
}

static void tensors(void)
{
    const struct record *x, *w, *y;

    start("all", version);
    infer(conv_only);
    CHECK_INT(hooked_count(RECORD_TENSOR), 3);
    x = nth(RECORD_TENSOR, 0);
    w = nth(RECORD_TENSOR, 1);
    y = nth(RECORD_TENSOR, 2);
    CHECK(hooked_text(x->tensor.name, "x"));
    CHECK_INT(x->flags, 0);
    CHECK_INT(x->tensor.type, ORT_TYPE_FLOAT);
    CHECK_INT(x->tensor.rank, 4);
    CHECK_INT(x->tensor.dims[1], 3);
    CHECK_INT(x->tensor.trace, nth(RECORD_TRACED, 0)->traced.trace);
    CHECK_INT(w->flags, TENSOR_CONSTANT);
    CHECK_INT(w->tensor.index, 1);
    CHECK_INT(w->tensor.dims[0], 5);
    CHECK_INT(y->flags, TENSOR_OUTPUT);
    CHECK(hooked_text(y->tensor.name, "y"));
    CHECK_INT(y->tensor.rank, 4);
    CHECK_INT(atomic_load(&fake.descriptions), 0); /* all given back */
}

/* Absent, packed away, no tensor, too large to be written down. */
static void odd_tensors(void)
{
    static struct ort_value packed = { .type = ORT_TYPE_FLOAT,
        .rank = 2,
        .dims = { 7, 9 },
        .no_tensor = FAKE_NO_VALUE };
    static struct ort_value sequence = { .no_tensor = 1 };
    static struct ort_value large = { .type = ORT_TYPE_INT64,
        .rank = 9,
        .dims = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } };

    start("all", "1.30.0");
    conv.n_in = 4;
    conv.in[0] = NULL;
    conv.in_name[0] = "";
    conv.in[1] = &packed;
    conv.in[2] = &sequence;
    conv.in[3] = &large;
    conv.in_name[2] = conv.in_name[3] = "z";
    infer(conv_only);
    CHECK_INT(nth(RECORD_TENSOR, 0)->flags, TENSOR_ABSENT);
    CHECK_INT(nth(RECORD_TENSOR, 1)->flags, TENSOR_NO_VALUE | TENSOR_CONSTANT);
    CHECK_INT(nth(RECORD_TENSOR, 1)->tensor.dims[1], 9);
    CHECK_INT(nth(RECORD_TENSOR, 2)->flags, TENSOR_OTHER);
    CHECK_INT(nth(RECORD_TENSOR, 3)->flags, TENSOR_CUT);
}

static void conv_in_another_frame(void)
{
    struct fake_frame frame = { 0 };

    frame.plain_vectors = true;
    conv.during = NULL;
    fake_kernel_run(&relu, &frame);
}

static void scramble(struct fake_kernel *k, void *context)
{
    struct fake_frame *frame = (struct fake_frame *)((void **)context)[1];

    (void)k;
    frame->list[0] = 1; /* says otherwise than the API */
}

static void conv_scrambled(void)
{
    struct fake_frame frame = { 0 };

    conv.during = scramble;
    fake_kernel_run(&conv, &frame);
}

/* What does not agree with the API is not believed: names only. */
static void outputs_unknown(void)
{
    const struct record *y;

    start("all", "1.30.0");
    infer(conv_scrambled);
    y = nth(RECORD_TENSOR, 2);
    CHECK_INT(y->flags, TENSOR_OUTPUT);
    CHECK(hooked_text(y->tensor.name, "y"));
    CHECK_INT(y->tensor.type, 0);
    CHECK_INT(hook_libraries[0].vectors, VECTORS_UNKNOWN);
    infer(conv_in_another_frame);
    CHECK_INT(nth(RECORD_TENSOR, 5)->tensor.type, ORT_TYPE_FLOAT);
    CHECK_INT(hook_libraries[0].vectors, VECTORS_PLAIN);
}

int main(void)
{
    static const char *const versions[] = { "1.15.1", "1.17.0", "1.30.0" };
    static const char *const classes[] = { "", "N", "N3abc", "N99abcE", "Nxyz",
        "3abc", "N99999999999999999999abcE" };

    for (size_t i = 0; i < 3; i++)
        for (form = FAKE_LONG; form <= FAKE_SHORT; form++) {
            version = versions[i];
            HOOKED(who);
            HOOKED(unnamed);
        }
    HOOKED(no_type);
    HOOKED(providers);
    HOOKED(plugin_provider);
    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
        strange_class = classes[i];
        HOOKED(strange_provider);
    }
    HOOKED(provider_nowhere);
    version = "1.17.0";
    HOOKED(tensors);
    plain_vectors = true;
    HOOKED(tensors);
    version = "1.30.0";
    HOOKED(tensors);
    HOOKED(odd_tensors);
    HOOKED(outputs_unknown);
    return test_result();
}
