#include "sample/device/device_match.h"

#include "base/compiler.h"
#include "driven.h"
#include "sample/device/device_subject.h"

#define LAPTOP 1 /* an NVIDIA GPU, an Intel GPU and an Intel NPU */
#define SERVER 2 /* two NVIDIA GPUs */
#define RYZEN  3 /* an AMD GPU and an AMD NPU */
#define PLAIN  4 /* nothing */
#define MAC    5

static struct subjects *machine(int which)
{
    struct subjects *s = subjects_new("host");

    if (which == LAPTOP || which == SERVER)
        (void)device_subject_add(s, "gpu", "nvml",
                "NVIDIA GeForce RTX 4070, nvidia, 0000:01:00.0");
    if (which == SERVER)
        (void)device_subject_add(s, "gpu", "nvml",
                "NVIDIA A100, nvidia, 0000:02:00.0");
    if (which == LAPTOP) {
        (void)device_subject_add(s, "gpu", "intel-gpu",
                "Intel Arc, xe, 0000:00:02.0");
        (void)device_subject_add(s, "npu", "intel-npu",
                "Intel NPU, intel_vpu, 0000:00:0b.0");
    }
    if (which == RYZEN) {
        (void)device_subject_add(s, "gpu", "amdgpu",
                "AMD Radeon 890M, amdgpu, 0000:c1:00.0");
        (void)device_subject_add(s, "npu", "amd-npu",
                "AMD NPU, amdxdna, 0000:c2:00.1");
    }
    if (which == MAC) {
        (void)device_subject_add(s, "gpu", "powermetrics", "Apple GPU");
        (void)device_subject_add(s, "npu", "powermetrics", "Apple ANE");
    }
    return s;
}

#define EP(name) "\"" name "ExecutionProvider\""
#define CPU      EP("CPU")

static const struct {
    int machine;
    const char *providers, *openvino;
    enum device_match_kind kind;
    const char *words; /* or their beginning */
    size_t count;
} cases[] = {
    { LAPTOP, "[" CPU "]", NULL, DEVICE_MATCH_CPU, "the CPU", 0 },
    { LAPTOP, "[]", NULL, DEVICE_MATCH_CPU, "the CPU", 0 },
    { LAPTOP, "", NULL, DEVICE_MATCH_CPU, "the CPU", 0 },
    { LAPTOP, "[" EP("CUDA") "," CPU "]", NULL, DEVICE_MATCH_FOUND, "gpu0", 1 },
    { LAPTOP, "[" EP("Tensorrt") ", " EP("CUDA") ", " CPU "]", NULL,
            DEVICE_MATCH_FOUND, "gpu0", 1 },
    { SERVER, "[" EP("CUDA") "," CPU "]", NULL, DEVICE_MATCH_UNSURE,
            "cannot tell: several", 2 },
    { PLAIN, "[" EP("CUDA") "," CPU "]", NULL, DEVICE_MATCH_ABSENT,
            "no device was found that CUDAExecutionProvider", 0 },
    { LAPTOP, "[" EP("ROCM") "]", NULL, DEVICE_MATCH_ABSENT, "no device", 0 },
    { RYZEN, "[" EP("MIGraphX") "," CPU "]", NULL, DEVICE_MATCH_FOUND, "gpu0",
            1 },
    { RYZEN, "[" EP("VitisAI") "," CPU "]", NULL, DEVICE_MATCH_FOUND, "npu0",
            1 },
    { RYZEN, "[" EP("VitisAI") "," EP("Dml") "]", NULL, DEVICE_MATCH_FOUND,
            "npu0, gpu0", 2 },
    { LAPTOP, "[" EP("Dml") "]", NULL, DEVICE_MATCH_UNSURE, "cannot tell", 2 },
    { LAPTOP, "[" EP("OpenVINO") "]", "GPU", DEVICE_MATCH_FOUND, "gpu1", 1 },
    { LAPTOP, "[" EP("OpenVINO") "]", "NPU", DEVICE_MATCH_FOUND, "npu0", 1 },
    { LAPTOP, "[" EP("OpenVINO") "]", "GPU.0", DEVICE_MATCH_FOUND, "gpu1", 1 },
    { LAPTOP, "[" EP("OpenVINO") "]", "CPU_FP32", DEVICE_MATCH_CPU, "the CPU",
            0 },
    { LAPTOP, "[" EP("OpenVINO") "]", "CPU", DEVICE_MATCH_CPU, "the CPU", 0 },
    { LAPTOP, "[" EP("OpenVINO") "]", "AUTO:GPU,NPU", DEVICE_MATCH_UNSURE,
            "cannot tell: OpenVINO was asked to choose", 2 },
    { LAPTOP, "[" EP("OpenVINO") "]", NULL, DEVICE_MATCH_UNSURE,
            "cannot tell: OpenVINO's option", 2 },
    { MAC, "[" EP("CoreML") "," CPU "]", NULL, DEVICE_MATCH_UNSURE,
            "cannot tell: CoreML", 2 },
    { LAPTOP, "[" EP("Mystery") "]", NULL, DEVICE_MATCH_UNSURE,
            "cannot tell: this provider", 3 },
    { LAPTOP, "[\"CUDAExecutionProvider", NULL, DEVICE_MATCH_FOUND, "gpu0", 1 },
};

/* A device that is built into the processor knows what includes it. */
static void packages(void)
{
    struct subjects *s = subjects_new("host");

    CHECK_INT(device_subject_package(s), 0);

    uint32_t zone = subjects_add(s,
            &(struct subject){ .kind = SUBJECT_ZONE, .name = "package-0" });
    uint32_t npu = device_subject_add_in(s, device_subject_package(s), "npu",
            "intel-npu", "Intel NPU, intel_vpu, 0000:00:0b.0");
    uint32_t gpu = device_subject_add(s, "gpu", "nvml",
            "NVIDIA A100, nvidia, 0000:02:00.0");

    CHECK_INT(device_subject_package(s), zone);
    CHECK_INT(subjects_get(s, npu)->parent, zone);
    CHECK_INT(subjects_get(s, gpu)->parent, 0);
    CHECK_INT(device_subject_by_pci(s, "0000:00:0b.0"), npu);
    CHECK_INT(device_subject_by_pci(s, "0000:02:00.0"), gpu);
    CHECK_INT(device_subject_by_pci(s, "0000:03:00.0"), 0);
    CHECK_INT(device_subject_by_pci(s, ""), 0);
    subjects_free(s);
}

int main(void)
{
    packages();
    for (size_t i = 0; i < LEN(cases); i++) {
        struct subjects *s = machine(cases[i].machine);
        struct device_match m;
        int before = test_failures;

        char options[128];

        (void)snprintf(options, sizeof(options),
                "{\"intra_op_num_threads\": 4, "
                "\"ep.openvinoexecutionprovider.device_type\": \"%s\"}",
                cases[i].openvino ? cases[i].openvino : "");
        device_match(&m, s, str_of(cases[i].providers),
                cases[i].openvino ? options : NULL);
        CHECK_INT(m.kind, cases[i].kind);
        CHECK_INT(m.count, cases[i].count);
        CHECK(str_starts(str_of(m.words), cases[i].words));
        CHECK(device_match_kind_name(m.kind));
        if (test_failures != before)
            (void)fprintf(stderr, "  %s: %s\n", cases[i].providers, m.words);
        subjects_free(s);
    }
    return test_result();
}
