/* Sessions and devices, made up: what the report says of them. */
#include "analyse/operators/session_device.h"

#include "cmd/text/summary_text.h"
#include "export/json/summary_json.h"
#include "summed.h"

#define EP(name) "\"" name "ExecutionProvider\""

#define NVIDIA "NVIDIA A100, nvidia, 0000:02:00.0"

static void add_device(struct summed *x, uint32_t id, const char *name,
        const char *detail)
{
    store_add_subject(x->store, id,
            &(struct subject){ .kind = SUBJECT_DEVICE,
                    .name = name,
                    .detail = detail,
                    .source = "made up" });
}

static void add_session(struct summed *x, uint32_t id, const char *providers,
        const char *error)
{
    store_add_session(x->store, &(struct session){ .id = id,
                                        .process = 1,
                                        .model = "m.onnx",
                                        .providers = providers,
                                        .error = error });
    if (!error)
        summed_run(x, id, 100 * id, 10);
}

static struct buf text, json;

static const struct summary *show(struct summed *x)
{
    const struct summary *s = summed_read(x);

    buf_clear(&text);
    buf_clear(&json);
    summary_text(&text, s, false);
    summary_json(&json, s);
    return s;
}

static bool said(const struct buf *where, const char *words)
{
    return memmem(where->p, where->len, words, strlen(words)) != NULL;
}

static void one_fits(void)
{
    struct summed x = summed_begin();

    add_device(&x, 3, "gpu0", NVIDIA);
    add_device(&x, 4, "npu0", "Intel NPU, intel_vpu, 0000:00:0b.0");
    add_session(&x, 1, "[" EP("CUDA") "," EP("CPU") "]", NULL);
    add_session(&x, 2, "[" EP("CPU") "]", NULL);
    add_session(&x, 3, NULL, NULL);
    add_session(&x, 4, "[" EP("CUDA") "]", "no such file");
    add_session(&x, 5, "[" EP("ROCM") "]", NULL);

    const struct summary *s = show(&x);

    CHECK_INT(s->sessions[0].device.kind, DEVICE_MATCH_FOUND);
    CHECK_INT(s->sessions[0].device.count, 1);
    CHECK(strcmp(s->sessions[0].device.devices[0].name, "gpu0") == 0);
    CHECK(strcmp(s->sessions[0].device.devices[0].detail, NVIDIA) == 0);
    CHECK(!s->sessions[0].device.reason);
    for (int i = 1; i < 4; i++) {
        CHECK_INT(s->sessions[i].device.kind, DEVICE_MATCH_CPU);
        CHECK_INT(s->sessions[i].device.count, 0);
        CHECK(!s->sessions[i].device.reason);
    }
    CHECK_INT(s->sessions[4].device.kind, DEVICE_MATCH_ABSENT);
    CHECK(said(&text, "    on gpu0 (" NVIDIA ")\n"));
    CHECK(said(&text, "    device: no device was found that ROCM"));
    CHECK(said(&json, "\"match\": \"found\""));
    CHECK(said(&json, "\"match\": \"absent\""));
    CHECK(said(&json, "\"detail\": \"" NVIDIA "\""));
    summed_end(&x);
}

static void several_fit(void)
{
    struct summed x = summed_begin();

    add_device(&x, 1, "gpu0", NVIDIA);
    add_device(&x, 2, "gpu1", "NVIDIA A100, nvidia, 0000:03:00.0");
    add_session(&x, 1, "[" EP("CUDA") "," EP("CPU") "]", NULL);

    const struct summary *s = show(&x);

    CHECK_INT(s->sessions[0].device.kind, DEVICE_MATCH_UNSURE);
    CHECK_INT(s->sessions[0].device.count, 2);
    CHECK(said(&text, "    device: cannot tell: several devices fit"));
    CHECK(said(&json, "\"reason\": \"cannot tell: several devices fit"));
    CHECK(said(&json, "\"name\": \"gpu1\""));
    summed_end(&x);
}

/* OpenVINO computes on what it was told to. */
static void option_tells(void)
{
    struct summed x = summed_begin();

    add_device(&x, 1, "gpu0", "Intel Arc, xe, 0000:00:02.0");
    add_device(&x, 2, "npu0", "Intel NPU, intel_vpu, 0000:00:0b.0");
    store_add_session(x.store,
            &(struct session){ .id = 1,
                    .process = 1,
                    .model = "m.onnx",
                    .providers = "[" EP("OpenVINO") "]",
                    .options = "{\"ep.openvinoexecutionprovider.device_type\": "
                               "\"NPU\"}" });
    summed_run(&x, 1, 100, 10);

    const struct summary *s = show(&x);

    CHECK_INT(s->sessions[0].device.kind, DEVICE_MATCH_FOUND);
    CHECK_INT(s->sessions[0].device.count, 1);
    CHECK(said(&text, "    on npu0 (Intel NPU"));
    summed_end(&x);
}

/* A run that was imported says nothing of the machine's devices. */
static void nobody_looked(void)
{
    struct summed x = summed_begin();

    add_session(&x, 1, "[" EP("CUDA") "]", NULL);
    add_session(&x, 2, "[" EP("CPU") "]", NULL);
    CHECK_INT(show(&x)->sessions[0].device.kind, DEVICE_MATCH_UNSURE);
    CHECK(said(&text, "cannot tell: no device was looked for"));
    CHECK(!said(&text, "no device was found"));
    CHECK_INT(x.summary.sessions[1].device.kind, DEVICE_MATCH_CPU);
    summed_end(&x);
}

int main(void)
{
    one_fits();
    several_fit();
    option_tells();
    nobody_looked();
    buf_release(&text);
    buf_release(&json);
    return test_result();
}
