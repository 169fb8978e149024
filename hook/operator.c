/* operator.c -- what ran inside an inference, as records.
 *
 * ONNX Runtime tells of a node's start, describes its inputs as text, runs the
 * kernel, describes the outputs, and tells of the end; its own duration covers
 * all of that.  The texts are made with streams whose constructor and
 * destructor we see: the first stream that goes after the start ends the
 * inputs' text, so the kernel begins; the next that is made ends the kernel.
 * Where kernels are timed themselves (kernel.c), that is not needed. */
#include "base/ring.h"
#include "hook/ops.h"
#include "hook/set.h"
#include "hook/text.h"

#define OPERATORS 32768 /* a power of 2 */
#define FRAMES    12    /* events within events that are kept apart */
#define NAME_MOST 512

struct frame {
    uint64_t start;
    uint64_t kernel_start;
    uint64_t kernel_end;
    const void *kernel; /* NULL: not seen, only the streams around it */
    uint16_t streams;   /* that many, or more */
};

static _Thread_local struct frame frames[FRAMES];
static _Thread_local uint32_t depth;

static _Atomic uint64_t described[OPERATORS];
static uint64_t generation; /* of fork(): each describes for itself */

/* --- when ----------------------------------------------------------------- */

static struct frame *innermost(void)
{
    return depth && depth <= FRAMES ? &frames[depth - 1] : NULL;
}

uint32_t operator_depth(void)
{
    return depth;
}

void operator_return(uint32_t to)
{
    depth = to;
}

void operator_in_child(void)
{
    generation++;
}

void operator_started(void)
{
    depth++;

    struct frame *f = innermost();

    if (f)
        *f = (struct frame){ .start = channel_now() };
}

void operator_stream_made(void)
{
    struct frame *f = innermost();

    if (f && f->kernel_start && !f->kernel_end)
        f->kernel_end = channel_now();
}

void operator_kernel(const void *kernel, uint64_t start, uint64_t end)
{
    struct frame *f = innermost();

    if (!f)
        return;
    f->kernel = kernel;
    f->kernel_start = start;
    f->kernel_end = end;
}

void operator_stream_gone(void)
{
    struct frame *f = innermost();

    if (!f)
        return;
    if (f->streams < UINT16_MAX)
        f->streams++;
    if (!f->kernel_start)
        f->kernel_start = channel_now();
}

/* --- what ----------------------------------------------------------------- */

static uint64_t hash(uint64_t h, const char *text)
{
    const uint64_t prime = UINT64_C(1099511628211);

    for (; text && *text; text++)
        h = (h ^ (unsigned char)*text) * prime;
    return (h ^ 0xff) * prime; /* where it ends counts, too */
}

static const struct ort_api *ep_api(const struct library *lib)
{
    return ORT(lib->api, GetEpApi)();
}

static void drop(const struct library *lib, struct ort_status *status)
{
    if (status)
        ORT(lib->api, ReleaseStatus)(status);
}

static const char *argument(const struct library *lib,
        const struct ort_event *event, const char *key)
{
    const char *value = NULL;

    drop(lib, ORT(ep_api(lib), ProfilingEvent_GetArgValue)(event, key, &value));
    return value;
}

/* False: it does not tell, or no number. */
static bool number(const struct library *lib, const struct ort_event *event,
        const char *key, uint64_t *out)
{
    const char *text = argument(lib, event, key);
    uint64_t n = 0;

    if (!text || !*text)
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        n = n * 10 + (uint64_t)(*text - '0');
    if (*text)
        return false;
    *out = n;
    return true;
}

/* Another model, or another branch of the same, may use the name again. */
static uint64_t identify(const struct library *lib,
        const struct ort_event *event, const char *name)
{
    static const char *const keys[] = { "op_name", "provider", "node_index",
        "input_type_shape" };
    uint64_t id = hash(UINT64_C(14695981039346656037), name);

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        id = hash(id, argument(lib, event, keys[i]));
    return id ? id : 1;
}

/* "Conv_12_kernel_time" is Conv_12. */
static uint64_t name_text(const char *event_name)
{
    static const char tail[] = "_kernel_time";
    size_t len = text_len(event_name), cut = sizeof(tail) - 1;
    char name[NAME_MOST];

    if (len > cut && text_is(event_name + len - cut, tail))
        len -= cut;
    if (len >= sizeof(name))
        len = sizeof(name) - 1;
    for (size_t i = 0; i < len; i++)
        name[i] = event_name[i];
    name[len] = 0;
    return channel_text(name);
}

static void describe(const struct library *lib, uint64_t id, const char *name,
        const struct ort_event *event)
{
    struct record r = {
        .kind = RECORD_OPERATOR,
        .place = record_place(PHASE_OTHER, lib->index),
        .operator_found = { .id = id },
    };
    struct record sizes = { .kind = RECORD_OPERATOR_SIZES,
        .operator_sizes = { .id = id } };
    uint64_t index;

    r.operator_found.name = name_text(name);
    r.operator_found.op_type = channel_text(argument(lib, event, "op_name"));
    r.operator_found.provider = channel_text(argument(lib, event, "provider"));
    r.operator_found.inputs =
            channel_text(argument(lib, event, "input_type_shape"));
    r.operator_found.outputs =
            channel_text(argument(lib, event, "output_type_shape"));
    r.operator_found.node_index = number(lib, event, "node_index", &index)
                                          ? (uint32_t)index
                                          : UINT32_MAX;
    channel_send(&r);
    if (number(lib, event, "activation_size",
                &sizes.operator_sizes.activation) &&
            number(lib, event, "parameter_size",
                    &sizes.operator_sizes.parameter) &&
            number(lib, event, "output_size", &sizes.operator_sizes.output))
        channel_send(&sizes);
}

static void send(const struct library *lib, uint32_t sample,
        const struct frame *f, uint32_t level, const struct ort_event *event)
{
    const char *name = NULL;
    int64_t took_us = 0;

    drop(lib, ORT(ep_api(lib), ProfilingEvent_GetName)(event, &name));
    drop(lib, ORT(ep_api(lib), ProfilingEvent_GetDurationUs)(event, &took_us));
    if (!name)
        return;

    uint64_t id = identify(lib, event, name);
    uint64_t mark = id + generation ? id + generation : 1;

    if (!set_has(described, OPERATORS, mark)) {
        describe(lib, id, name, event);
        set_add(described, OPERATORS, mark);
    }

    bool whole = f->kernel_end > f->kernel_start;

    if (sample == ops_current())
        kernel_learn(f->kernel, id);
    else
        ops_elsewhere(sample);
    channel_send_many(&(struct record){
            .kind = RECORD_OPERATOR_RUN,
            .flags = f->kernel ? FLAG_KERNEL : 0,
            .operator_run = {
                .id = id,
                .start = whole ? f->kernel_start : f->start,
                .raw_ns = (uint64_t)took_us * 1000,
                .kernel =
                        whole ? f->kernel_end - f->kernel_start : 0,
                .sample = sample,
                .thread = channel_thread(),
                .level = (uint16_t)level,
                .streams = f->streams,
            },
    });
}

void operator_stopped(const struct library *lib, uint32_t sample,
        const struct ort_event *event)
{
    const struct frame *f = innermost();
    int category = ORT_EVENT_SESSION;

    if (!depth)
        return;
    if (f && sample) {
        drop(lib,
                ORT(ep_api(lib), ProfilingEvent_GetCategory)(event, &category));
        if (category == ORT_EVENT_NODE)
            send(lib, sample, f, depth, event);
    }
    depth--;
}
