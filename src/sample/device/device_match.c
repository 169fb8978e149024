#include "sample/device/device_match.h"

#include "base/compiler.h"
#include "base/json_read.h"

#include <stdio.h>
#include <string.h>

/* As ONNX Runtime names an option of a provider, and so does the hook. */
#define OPENVINO_DEVICE "ep.openvinoexecutionprovider.device_type"

/* What a provider computes on.  No kind: the CPU. */
struct wish {
    const char *provider;
    const char *kind;  /* "gpu", "npu"; "*": of either kind */
    const char *maker; /* NULL: of any */
    const char *doubt; /* the provider chooses, and does not say what */
};

static const struct wish wishes[] = {
    { "CPUExecutionProvider", NULL, NULL, NULL },
    { "XnnpackExecutionProvider", NULL, NULL, NULL },
    { "DnnlExecutionProvider", NULL, NULL, NULL },
    { "ACLExecutionProvider", NULL, NULL, NULL },
    { "ArmNNExecutionProvider", NULL, NULL, NULL },
    { "CUDAExecutionProvider", "gpu", "NVIDIA", NULL },
    { "TensorrtExecutionProvider", "gpu", "NVIDIA", NULL },
    { "NvTensorRTRTXExecutionProvider", "gpu", "NVIDIA", NULL },
    { "ROCMExecutionProvider", "gpu", "AMD", NULL },
    { "MIGraphXExecutionProvider", "gpu", "AMD", NULL },
    { "VitisAIExecutionProvider", "npu", "AMD", NULL },
    { "DmlExecutionProvider", "gpu", NULL, NULL },
    { "WebGpuExecutionProvider", "gpu", NULL, NULL },
    { "QNNExecutionProvider", "npu", "Qualcomm", NULL },
    { "CoreMLExecutionProvider", "*", "Apple",
            "CoreML chooses between CPU, GPU and Neural Engine" },
};

/* What follows the quote of a text; empty: it was not told. */
static struct str openvino_device(const char *options)
{
    struct str rest = str_of(options ? options : ""), key, value;

    while (json_next_member(&rest, &key, &value) > 0)
        if (str_is(key, OPENVINO_DEVICE))
            return str_after(value, '"');
    return (struct str){ 0 };
}

/* OpenVINO's option names the device. */
static struct wish openvino_wish(struct str name)
{
    struct wish w = { "OpenVINOExecutionProvider", "*", "Intel", NULL };

    if (str_starts(name, "CPU"))
        w.kind = NULL;
    else if (str_starts(name, "GPU"))
        w.kind = "gpu";
    else if (str_starts(name, "NPU"))
        w.kind = "npu";
    else if (name.len)
        w.doubt = "OpenVINO was asked to choose the device";
    else
        w.doubt = "OpenVINO's option device_type is not known";
    return w;
}

static struct wish wish_of(struct str provider, const char *options)
{
    if (str_is(provider, "OpenVINOExecutionProvider"))
        return openvino_wish(openvino_device(options));
    for (size_t i = 0; i < LEN(wishes); i++)
        if (str_is(provider, wishes[i].provider))
            return wishes[i];
    return (struct wish){ "", "*", NULL, "this provider is not known" };
}

static bool fits(const struct subject *x, const struct wish *w)
{
    if (x->kind != SUBJECT_DEVICE)
        return false;
    if (w->kind[0] != '*' && !str_starts(str_of(x->name), w->kind))
        return false;
    return !w->maker || (x->detail && str_starts(str_of(x->detail), w->maker));
}

static void add(struct device_match *m, uint32_t device)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->device[i] == device)
            return;
    if (m->count < DEVICE_MATCHES)
        m->device[m->count++] = device;
}

/* What one provider adds to what is known. */
static void take(struct device_match *m, const struct subjects *s,
        const struct wish *w)
{
    unsigned fitting = 0;

    if (!w->kind)
        return;
    for (size_t i = 0; i < subjects_count(s); i++)
        if (fits(subjects_get(s, (uint32_t)i), w)) {
            add(m, (uint32_t)i);
            fitting++;
        }
    if (w->doubt || fitting > 1) {
        m->kind = DEVICE_MATCH_UNSURE;
        (void)snprintf(m->words, sizeof(m->words), "cannot tell: %s",
                w->doubt ? w->doubt
                         : "several devices fit, and they may be numbered "
                           "differently by the provider");
    } else if (!fitting && m->kind == DEVICE_MATCH_CPU) {
        m->kind = DEVICE_MATCH_ABSENT;
        (void)snprintf(m->words, sizeof(m->words),
                "no device was found that %s could compute on", w->provider);
    } else if (fitting && m->kind != DEVICE_MATCH_UNSURE) {
        m->kind = DEVICE_MATCH_FOUND;
    }
}

static void name_devices(struct device_match *m, const struct subjects *s)
{
    size_t len = 0;

    for (size_t i = 0; i < m->count && len < sizeof(m->words); i++) {
        int n = snprintf(m->words + len, sizeof(m->words) - len, "%s%s",
                i ? ", " : "", subjects_get(s, m->device[i])->name);

        len += n > 0 ? (size_t)n : 0;
    }
}

void device_match(struct device_match *out, const struct subjects *s,
        struct str providers, const char *options)
{
    struct str rest = str_after(providers, '"');

    *out = (struct device_match){ .kind = DEVICE_MATCH_CPU };
    while (rest.len) {
        struct str name = str_before(rest, '"');
        struct wish w = wish_of(name, options);

        take(out, s, &w);
        /* Behind its end, and behind the next one's beginning. */
        rest = str_after(str_after(rest, '"'), '"');
    }
    if (out->kind == DEVICE_MATCH_CPU)
        (void)snprintf(out->words, sizeof(out->words), "the CPU");
    else if (out->kind == DEVICE_MATCH_FOUND)
        name_devices(out, s);
}

const char *device_match_kind_name(enum device_match_kind kind)
{
    static const char *const names[DEVICE_MATCH_KINDS] = {
        [DEVICE_MATCH_CPU] = "cpu",
        [DEVICE_MATCH_FOUND] = "found",
        [DEVICE_MATCH_UNSURE] = "unsure",
        [DEVICE_MATCH_ABSENT] = "absent",
    };

    return names[kind];
}
