#include "fake_ort.h"

#include "fake_kernels.h"
#include "hook/ops/ops.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct fake fake;

/* --- tensors and errors --------------------------------------------------- */

static int fake_GetErrorCode(const struct ort_status *status)
{
    return status->code;
}

static const char *fake_GetErrorMessage(const struct ort_status *status)
{
    return status->text;
}

static void fake_ReleaseStatus(struct ort_status *status)
{
    if (!status)
        abort();
    (void)atomic_fetch_add_explicit(&fake.statuses_released, 1,
            memory_order_relaxed);
}

const struct ort_value *fake_real(const struct ort_value *v)
{
    return v->type == FAKE_CELL
                   ? ((const struct fake_cell *)(const void *)v)->real
                   : v;
}

static struct ort_status *fake_IsTensor(const struct ort_value *value, int *out)
{
    *out = !fake_real(value)->no_tensor;
    return fake.shapes;
}

/* The description of a value is the value. */
static struct ort_status *fake_GetTensorTypeAndShape(
        const struct ort_value *value, struct ort_tensor_info **out)
{
    if (fake.shapes)
        return fake.shapes;
    (void)atomic_fetch_add_explicit(&fake.descriptions, 1,
            memory_order_relaxed);
    *out = (struct ort_tensor_info *)(uintptr_t)fake_real(value);
    return NULL;
}

static void fake_ReleaseTensorTypeAndShapeInfo(struct ort_tensor_info *info)
{
    if (!info)
        abort();
    (void)atomic_fetch_sub_explicit(&fake.descriptions, 1,
            memory_order_relaxed);
}

static const struct ort_value *value_of(const struct ort_tensor_info *info)
{
    return (const struct ort_value *)(const void *)info;
}

static struct ort_status *fake_GetTensorElementType(
        const struct ort_tensor_info *info, int *out)
{
    *out = value_of(info)->type;
    return NULL;
}

static struct ort_status *fake_GetDimensionsCount(
        const struct ort_tensor_info *info, size_t *out)
{
    *out = value_of(info)->rank;
    return NULL;
}

static struct ort_status *fake_GetDimensions(const struct ort_tensor_info *info,
        int64_t *dims, size_t count)
{
    memcpy(dims, value_of(info)->dims, count * sizeof(*dims));
    return NULL;
}

static struct ort_status *fake_GetTensorElementTypeAndShapeDataReference(
        const struct ort_value *value, int *type, const int64_t **dims,
        size_t *rank)
{
    static struct ort_status no_tensor = { 2, "not a tensor" };

    value = fake_real(value);
    if (fake.shapes || value->no_tensor)
        return fake.shapes ? fake.shapes : &no_tensor;
    *type = value->type;
    *dims = value->dims;
    *rank = value->rank;
    return NULL;
}

static void *data_of(const struct ort_value *v)
{
    v = v ? fake_real(v) : NULL;
    for (size_t i = 0; i < sizeof(fake.held) / sizeof(fake.held[0]); i++)
        if (v && fake.held[i].of == v)
            return fake.held[i].data;
    return NULL;
}

/* Where a tensor lies: the value itself stands for the place. */
static struct ort_status *fake_GetTensorMemoryInfo(
        const struct ort_value *value, const struct ort_memory_info **out)
{
    *out = (const struct ort_memory_info *)(const void *)value;
    return NULL;
}

static struct ort_status *fake_MemoryInfoGetName(
        const struct ort_memory_info *info, const char **out)
{
    *out = data_of((const void *)info) ? "Cpu" : "Cuda";
    return NULL;
}

static struct ort_status *fake_GetTensorMutableData(struct ort_value *value,
        void **out)
{
    *out = data_of(value);
    return NULL;
}

static const char *fake_EpDevice_EpName(const struct ort_device *device)
{
    return device->name;
}

/* --- tables --------------------------------------------------------------- */

#define PAGE 4096

/* Each on pages of its own, so that their protection can be looked at. */
static alignas(PAGE) struct table {
    _Atomic ort_function slot[FAKE_SLOTS];
} tables[FAKE_RUNTIMES], editors[FAKE_RUNTIMES];

static const char *versions[FAKE_RUNTIMES];

#define PER_RUNTIME(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)

#define X(n)                                                      \
    static const struct ort_api *get_api_##n(uint32_t version)    \
    {                                                             \
        (void)version;                                            \
        return (const struct ort_api *)(const void *)&tables[n];  \
    }                                                             \
    static const char *get_version_##n(void)                      \
    {                                                             \
        return versions[n];                                       \
    }                                                             \
    static const struct ort_api *get_editor_##n(void)             \
    {                                                             \
        return (const struct ort_api *)(const void *)&editors[n]; \
    }                                                             \
    static const struct ort_api_base base_##n = { get_api_##n,    \
        get_version_##n };                                        \
    static const struct ort_api_base *get_base_##n(void)          \
    {                                                             \
        return &base_##n;                                         \
    }
PER_RUNTIME(X)
#undef X

static const struct {
    const struct ort_api_base *(*base)(void);
    const struct ort_api *(*editor)(void);
} entries[FAKE_RUNTIMES] = {
#define X(n) { get_base_##n, get_editor_##n },
    PER_RUNTIME(X)
#undef X
};

/* The functions above, each in its place. */
#define AT(name) [ORT_SLOT_##name] = (ort_function)fake_##name
static const ort_function others[FAKE_SLOTS] = {
    AT(GetErrorCode),
    AT(GetErrorMessage),
    AT(ReleaseStatus),
    AT(IsTensor),
    AT(GetTensorTypeAndShape),
    AT(ReleaseTensorTypeAndShapeInfo),
    AT(GetTensorElementType),
    AT(GetDimensionsCount),
    AT(GetDimensions),
    AT(GetTensorElementTypeAndShapeDataReference),
    AT(GetTensorMemoryInfo),
    AT(MemoryInfoGetName),
    AT(GetTensorMutableData),
    AT(EpDevice_EpName),
};

static ort_function nobody(uint32_t slot)
{
    return (ort_function)((uintptr_t)0x100000 + slot);
}

ort_function fake_original(size_t number, uint32_t slot)
{
    if (slot == ORT_SLOT_GetModelEditorApi)
        return (ort_function)entries[number].editor;
    if (others[slot])
        return others[slot];
    if (slot < fake_kernel_calls_count && fake_kernel_calls[slot])
        return fake_kernel_calls[slot];
    return fake_calls[slot] ? fake_calls[slot] : nobody(slot);
}

ort_function fake_editor_original(uint32_t slot)
{
    return fake_editor_calls[slot] ? fake_editor_calls[slot] : nobody(slot);
}

const struct ort_api *fake_runtime(size_t number, const char *version)
{
    versions[number] = version;
    for (uint32_t i = 0; i < FAKE_SLOTS; i++) {
        atomic_store(&tables[number].slot[i], fake_original(number, i));
        atomic_store(&editors[number].slot[i], fake_editor_original(i));
    }
    return entries[number].base()->get_api(1);
}

const struct ort_api *fake_editor(size_t number)
{
    return entries[number].editor();
}

/* The whole of this program, as the linker knows it. */
extern const char __executable_start, _end;

struct candidate fake_candidate(size_t number)
{
    return (struct candidate){
        .get_base = entries[number].base,
        .path = "/opt/lib/libonnxruntime.so.1",
        .image = { .start = (uintptr_t)&__executable_start,
                .end = (uintptr_t)&_end,
                .segments = { { (uintptr_t)&__executable_start,
                        (uintptr_t)&_end, PROT_READ | PROT_WRITE } },
                .segment_count = 1 },
    };
}

/* What find_linux.c knows of a process with the hook in it. */

void hook_in_child(void)
{
    ops_in_child();
}

bool hook_find_object(struct image *out, const char *name,
        _Atomic uintptr_t *seen, size_t count)
{
    (void)name, (void)seen, (void)count;
    if (!fake.loaded)
        return false;
    *out = *fake.loaded;
    fake.loaded = NULL;
    return true;
}
