/* tensor.c -- the inputs and outputs of a kernel that has just run.
 *
 * Inputs are asked for by the API.  Outputs cannot be: asking for one is how a
 * kernel makes it.  They are found where ONNX Runtime keeps them:
 *
 *     context:  ?, frame, kernel, ?, ?, three ints: where in the frame's list
 *               the node's inputs, implicit inputs and outputs begin
 *     frame:    ?, list, values ...
 *     list:     a vector of ints: which value each is, or negative
 *     values:   a vector of values, 24 bytes each
 *
 * Vectors are of one of two libraries, and what is found must be right for all
 * the inputs, which the API tells; else the outputs are left to those who take
 * them as inputs. */
#include "base/compiler.h"
#include "hook/memory.h"
#include "hook/ops/ops.h"
#include "hook/text.h"

enum { CONTEXT_FRAME = 1, CONTEXT_STARTS = 5 };
enum { FRAME_LIST = 1, FRAME_VALUES = 2, FRAME_WORDS = 6 };
enum { START_INPUTS = 0, START_OUTPUTS = 2 };

#define VALUE_BYTES 24
#define VALUES_MAX  (1 << 20) /* of a graph */
#define TENSORS_MAX 1024      /* of a kernel */

static bool ok(const struct kernel *k, struct ort_status *status)
{
    if (status)
        ORT(k->lib->api, ReleaseStatus)(status);
    return !status;
}

static const struct ort_kernel_context *context_of(const struct kernel *k)
{
    return (const struct ort_kernel_context *)k->context;
}

static const struct ort_kernel_info *info_of(const struct kernel *k)
{
    return (const struct ort_kernel_info *)k->info;
}

static const struct ort_value *input(const struct kernel *k, size_t i)
{
    const struct ort_value *v = NULL;

    return ok(k, ORT(k->lib->api, KernelContext_GetInput)(context_of(k), i, &v))
                   ? v
                   : NULL;
}

static size_t count_inputs(const struct kernel *k)
{
    size_t n = 0;

    if (!ok(k, ORT(k->lib->api, KernelContext_GetInputCount)(context_of(k),
                       &n)))
        return 0;
    return n < TENSORS_MAX ? n : TENSORS_MAX;
}

static size_t count_outputs(const struct kernel *k)
{
    size_t n = 0;

    if (!ok(k, ORT(k->lib->api, KernelContext_GetOutputCount)(context_of(k),
                       &n)))
        return 0;
    return n < TENSORS_MAX ? n : TENSORS_MAX;
}

/* --- where the outputs are ------------------------------------------------ */

struct vector {
    const void *data;
    size_t count;
};

/* Abseil's: count and whether they are elsewhere in one word, then where, or
 * the elements themselves. */
static struct vector inlined(const uintptr_t *at)
{
    return (struct vector){ at[0] & 1 ? (const void *)at[1] : at + 1,
        at[0] >> 1 };
}

/* The C++ library's: where they begin and end. */
static struct vector plain(const uintptr_t *at, size_t size)
{
    return (struct vector){ (const void *)at[0], (at[1] - at[0]) / size };
}

static bool is_there(struct vector v, size_t size)
{
    return v.count && v.count < VALUES_MAX &&
           memory_readable(v.data, v.count * size);
}

struct layout {
    struct vector list, values;
    const int32_t *starts;
};

static const char *value_at(const struct layout *l, int32_t start, size_t i)
{
    size_t at = (size_t)start + i;

    if (start < 0 || at >= l->list.count)
        return NULL;

    int32_t value = ((const int32_t *)l->list.data)[at];

    return value >= 0 && (size_t)value < l->values.count
                   ? (const char *)l->values.data + (size_t)value * VALUE_BYTES
                   : NULL;
}

static bool agrees(const struct kernel *k, const struct layout *l,
        size_t n_inputs)
{
    for (size_t i = 0; i < n_inputs; i++) {
        const struct ort_value *v = input(k, i);

        if (v && (const char *)v != value_at(l, l->starts[START_INPUTS], i))
            return false;
    }
    return true;
}

static struct layout read_layout(const struct kernel *k, enum vectors vectors)
{
    const uintptr_t *frame = (const uintptr_t *)k->context[CONTEXT_FRAME];
    const uintptr_t *list = (const uintptr_t *)frame[FRAME_LIST];
    struct layout l = {
        .starts = (const int32_t *)(k->context + CONTEXT_STARTS),
    };

    if (vectors == VECTORS_INLINED) {
        l.list = inlined(list);
        l.values = inlined(frame + FRAME_VALUES);
    } else {
        l.list = plain(list, sizeof(int32_t));
        l.values = plain(frame + FRAME_VALUES, VALUE_BYTES);
    }
    return l;
}

/* Which vectors the library is built with is found by a kernel with inputs. */
static enum vectors find_vectors(const struct kernel *k, size_t n_inputs)
{
    const uintptr_t *frame = (const uintptr_t *)k->context[CONTEXT_FRAME];
    const size_t words = 3 * sizeof(uintptr_t);

    if (!n_inputs || !memory_readable(frame, FRAME_WORDS * sizeof(*frame)) ||
            frame[FRAME_LIST] % sizeof(uintptr_t) ||
            !memory_readable((const void *)frame[FRAME_LIST], words))
        return VECTORS_UNKNOWN;
    for (enum vectors v = VECTORS_INLINED; v <= VECTORS_PLAIN; v++) {
        struct layout l = read_layout(k, v);
        bool all_absent = true;

        for (size_t i = 0; i < n_inputs; i++)
            all_absent &= !input(k, i);
        if (!all_absent && is_there(l.list, sizeof(int32_t)) &&
                is_there(l.values, VALUE_BYTES) && agrees(k, &l, n_inputs))
            return v;
    }
    return VECTORS_UNKNOWN;
}

/* False: it is not known where they are. */
static bool find_outputs(const struct kernel *k, size_t n_inputs,
        struct layout *out)
{
    if (k->lib->vectors == VECTORS_UNKNOWN)
        k->lib->vectors = find_vectors(k, n_inputs);
    if (k->lib->vectors == VECTORS_UNKNOWN)
        return false;
    *out = read_layout(k, k->lib->vectors);
    return out->list.count < VALUES_MAX && out->values.count < VALUES_MAX &&
           agrees(k, out, n_inputs);
}

static const struct ort_value *output(const struct layout *l, size_t i)
{
    return (const struct ort_value *)value_at(l, l->starts[START_OUTPUTS], i);
}

/* --- one tensor ----------------------------------------------------------- */

static void put_dims(struct record *r, int type, const int64_t *dims,
        size_t rank)
{
    r->tensor.type = type > 0 && type < 256 ? (uint8_t)type : 0;
    r->tensor.rank = rank < 255 ? (uint8_t)rank : 255;
    if (rank > TENSOR_DIMS)
        r->flags |= TENSOR_CUT;
    for (size_t i = 0; i < rank && i < TENSOR_DIMS; i++) {
        if (dims[i] < 0 || dims[i] > UINT32_MAX)
            r->flags |= TENSOR_CUT;
        r->tensor.dims[i] = (uint32_t)dims[i];
    }
}

/* What the model says of a weight that is not there any more. */
static void put_declared(struct record *r, const struct kernel *k, size_t i)
{
    const struct ort_api *api = k->lib->api;
    struct ort_type_info *info = NULL;
    const struct ort_tensor_info *tensor = NULL;
    int64_t dims[TENSOR_DIMS];
    size_t rank = 0;
    int type = 0;

    if (!ok(k, ORT(api, KernelInfo_GetInputTypeInfo)(info_of(k), i, &info)))
        return;
    if (ok(k, ORT(api, CastTypeInfoToTensorInfo)(info, &tensor)) && tensor &&
            ok(k, ORT(api, GetTensorElementType)(tensor, &type)) &&
            ok(k, ORT(api, GetDimensionsCount)(tensor, &rank)) &&
            rank <= TENSOR_DIMS &&
            ok(k, ORT(api, GetDimensions)(tensor, dims, rank)))
        put_dims(r, type, dims, rank);
    ORT(api, ReleaseTypeInfo)(info);
}

static bool has_value(const struct kernel *k, const struct ort_value *v)
{
    int has = 0;

    return ok(k, ORT(k->lib->api, HasValue)(v, &has)) && has;
}

static bool is_tensor(const struct kernel *k, const struct ort_value *v)
{
    int kind = 0;

    return ok(k, ORT(k->lib->api, GetValueType)(v, &kind)) &&
           kind == ORT_KIND_TENSOR;
}

/* False: there is nothing. */
static bool put_value(struct record *r, const struct kernel *k,
        const struct ort_value *v)
{
    struct shape s;

    if (!v || !has_value(k, v))
        return false;
    if (is_tensor(k, v) && shape_read(k->lib, v, &s))
        put_dims(r, s.type, s.dims, s.rank);
    else
        r->flags |= TENSOR_OTHER;
    return true;
}

static bool is_constant(const struct kernel *k, size_t i)
{
    const struct ort_value *v = NULL;
    int is = 0;

    return ok(k, ORT(k->lib->api, KernelInfoGetConstantInput_tensor)(info_of(k),
                         i, &is, &v)) &&
           is;
}

typedef struct ort_status *(*copy_name)(const struct ort_kernel_info *info,
        size_t index, char *out, size_t *size);

/* "": it has none. */
static const char *read_name(const struct kernel *k, enum ort_slot slot,
        size_t i)
{
    size_t size = THREAD_TEXT;

    return ok(k, ((copy_name)k->lib->api->slot[slot])(info_of(k), i, k->text,
                         &size))
                   ? k->text
                   : "";
}

static void put_name(struct record *r, const char *name)
{
    if (*name)
        r->tensor.name = channel_text(name);
    else
        r->flags |= TENSOR_ABSENT;
}

static struct record tensor(const struct kernel *k, size_t i)
{
    return (struct record){
        .kind = RECORD_TENSOR,
        .place = record_place(PHASE_OTHER, k->lib->index),
        .tensor = { .kernel = (uintptr_t)k->self,
                .trace = k->trace,
                .index = (uint16_t)i },
    };
}

static bool send_input(const struct kernel *k, size_t i, bool names)
{
    struct record r = tensor(k, i);
    const struct ort_value *v = input(k, i);

    if (!v)
        r.flags |= TENSOR_ABSENT;
    else if (!put_value(&r, k, v))
        r.flags |= TENSOR_NO_VALUE;
    if (names) {
        put_name(&r, read_name(k, ORT_SLOT_KernelInfo_GetInputName, i));
        if (is_constant(k, i))
            r.flags |= TENSOR_CONSTANT;
        if (r.flags & TENSOR_NO_VALUE)
            put_declared(&r, k, i);
    }
    return channel_try(&r);
}

static bool send_output(const struct kernel *k, size_t i,
        const struct layout *l, bool names)
{
    struct record r = tensor(k, i);

    r.flags = TENSOR_OUTPUT;
    if (l && !put_value(&r, k, output(l, i)))
        r.flags |= TENSOR_NO_VALUE;
    if (names)
        put_name(&r, read_name(k, ORT_SLOT_KernelInfo_GetOutputName, i));
    return channel_try(&r);
}

bool tensor_send_all(const struct kernel *k, bool names)
{
    size_t n_inputs = count_inputs(k), n_outputs = count_outputs(k);
    struct layout layout;
    bool found = find_outputs(k, n_inputs, &layout);
    bool all = true;

    for (size_t i = 0; i < n_inputs; i++)
        all &= send_input(k, i, names);
    for (size_t i = 0; i < n_outputs && (found || names); i++)
        all &= send_output(k, i, found ? &layout : NULL, names);
    return all;
}

/* --- values --------------------------------------------------------------- */

static bool is_in_memory(const struct kernel *k, const struct ort_value *v)
{
    const struct ort_api *api = k->lib->api;
    const struct ort_memory_info *info = NULL;
    const char *name = NULL;

    return ok(k, ORT(api, GetTensorMemoryInfo)(v, &info)) && info &&
           ok(k, ORT(api, MemoryInfoGetName)(info, &name)) && name &&
           text_is(name, "Cpu");
}

static uint32_t to_32(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void send_values(const struct kernel *k, size_t i,
        const struct ort_value *v)
{
    uint64_t start = channel_now(), elements = 1;
    struct values found;
    struct shape s;
    void *data = NULL;

    if (!v || !has_value(k, v) || !is_tensor(k, v) ||
            !shape_read(k->lib, v, &s) || !is_in_memory(k, v) ||
            !ok(k, ORT(k->lib->api, GetTensorMutableData)(
                           (struct ort_value *)(uintptr_t)v, &data)))
        return;
    for (size_t d = 0; d < s.rank && d < 8; d++)
        elements *= (uint64_t)s.dims[d];
    if (!elements || !data || !values_look(&found, data, s.type, elements))
        return;
    heads_send(k, i, &s, data);
    (void)channel_try(&(struct record){
            .kind = RECORD_STATS,
            .place = record_place(PHASE_OTHER, k->lib->index),
            .stats = {
                .kernel = (uintptr_t)k->self,
                .elements = elements,
                .trace = k->trace,
                .index = (uint16_t)i,
                .type = (uint8_t)s.type,
                .read = to_32(found.read),
                .nans = found.nans & STATS_COUNT,
                .infinities = found.infinities & STATS_COUNT,
                .near_zero = found.near_zero & STATS_COUNT,
                .negative = to_32(found.negative),
                .mean_abs = (float)found.mean_abs,
                .std_dev = (float)found.std_dev,
                .max_abs = (float)found.max_abs,
                .cost = to_32(channel_now() - start),
            },
    });
}

void tensor_send_values(const struct kernel *k)
{
    size_t n_inputs = count_inputs(k), n_outputs = count_outputs(k);
    struct layout layout;

    if (!find_outputs(k, n_inputs, &layout))
        return;
    for (size_t i = 0; i < n_outputs; i++)
        send_values(k, i, output(&layout, i));
}
