/* ort_api.h -- the part of ONNX Runtime's C API that we call or wrap, as one
 * list.
 *
 * OrtGetApiBase()->GetApi(v) returns one static table of functions; members are
 * only ever appended, so a slot's number never changes.  Each line of the list
 * is: slot, the first API version that has it, name, result, arguments.  The
 * API version is the runtime's minor version (1.23.2 has version 23).  No
 * header of ONNX Runtime is needed to build.
 *
 *     struct ort_status *st = ORT(api, CreateEnv)(ORT_LOG_WARNING, "x", &env);
 *
 * Plain C with no dependency: the hook, the program and the tests use it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ort_status;
struct ort_env;
struct ort_session;
struct ort_options;     /* OrtSessionOptions */
struct ort_run_options; /* OrtRunOptions */
struct ort_value;
struct ort_type_info;
struct ort_tensor_info; /* OrtTensorTypeAndShapeInfo */
struct ort_memory_info;
struct ort_allocator;
struct ort_binding; /* OrtIoBinding */
struct ort_prepacked;
struct ort_device; /* OrtEpDevice */
struct ort_pairs;  /* OrtKeyValuePairs */
struct ort_model;
struct ort_custom_domain;  /* OrtCustomOpDomain */
struct ort_kernel_context; /* OrtKernelContext */
struct ort_kernel_info;    /* OrtKernelInfo */

typedef void (*ort_function)(void);
typedef void (*ort_async_done)(void *user_data, struct ort_value **outputs,
        size_t n_outputs, struct ort_status *status);

struct ort_api {
    ort_function slot[1]; /* as many as the runtime's version has */
};

struct ort_api_base {
    const struct ort_api *(*get_api)(uint32_t version);
    const char *(*get_version_string)(void);
};

enum ort_log_level {
    ORT_LOG_WARNING = 2,
    ORT_LOG_ERROR = 3,
    ORT_LOG_FATAL = 4,
};

/* GraphOptimizationLevel. */
enum ort_level {
    ORT_LEVEL_OFF = 0,
    ORT_LEVEL_BASIC = 1,
    ORT_LEVEL_EXTENDED = 2,
    ORT_LEVEL_ALL = 99,
};

/* ONNXType: what kind of thing an input is. */
enum ort_kind { ORT_KIND_TENSOR = 1 };
enum ort_allocator_type { ORT_ALLOCATOR_ARENA = 1 };
enum ort_memory_type { ORT_MEMORY_DEFAULT = 0 };

/* ONNXTensorElementDataType. */
enum ort_type {
    ORT_TYPE_UNDEFINED,
    ORT_TYPE_FLOAT,
    ORT_TYPE_UINT8,
    ORT_TYPE_INT8,
    ORT_TYPE_UINT16,
    ORT_TYPE_INT16,
    ORT_TYPE_INT32,
    ORT_TYPE_INT64,
    ORT_TYPE_STRING,
    ORT_TYPE_BOOL,
    ORT_TYPE_FLOAT16,
    ORT_TYPE_DOUBLE,
    ORT_TYPE_UINT32,
    ORT_TYPE_UINT64,
    ORT_TYPE_COMPLEX64,
    ORT_TYPE_COMPLEX128,
    ORT_TYPE_BFLOAT16,
    ORT_TYPE_FLOAT8E4M3FN,
    ORT_TYPE_FLOAT8E4M3FNUZ,
    ORT_TYPE_FLOAT8E5M2,
    ORT_TYPE_FLOAT8E5M2FNUZ,
    ORT_TYPE_UINT4,
    ORT_TYPE_INT4,
    ORT_TYPES
};

/* clang-format off */
#define ORT_RUN_ARGS \
    struct ort_session *session, const struct ort_run_options *run_options, \
    const char *const *in_names, const struct ort_value *const *in, \
    size_t n_in, const char *const *out_names, size_t n_out, \
    struct ort_value **out

#define ORT_CALLS(X) \
    X(0, 1, CreateStatus, struct ort_status *, (int code, const char *text)) \
    X(1, 1, GetErrorCode, int, (const struct ort_status *status)) \
    X(2, 1, GetErrorMessage, const char *, (const struct ort_status *status)) \
    X(3, 1, CreateEnv, struct ort_status *, \
        (int log_level, const char *log_id, struct ort_env **out)) \
    X(6, 1, DisableTelemetryEvents, struct ort_status *, \
        (const struct ort_env *env)) \
    X(7, 1, CreateSession, struct ort_status *, \
        (const struct ort_env *env, const char *path, \
        const struct ort_options *options, struct ort_session **out)) \
    X(8, 1, CreateSessionFromArray, struct ort_status *, \
        (const struct ort_env *env, const void *data, size_t len, \
        const struct ort_options *options, struct ort_session **out)) \
    X(9, 1, Run, struct ort_status *, (ORT_RUN_ARGS)) \
    X(10, 1, CreateSessionOptions, struct ort_status *, \
        (struct ort_options **out)) \
    X(12, 1, CloneSessionOptions, struct ort_status *, \
        (const struct ort_options *options, struct ort_options **out)) \
    X(13, 1, SetSessionExecutionMode, struct ort_status *, \
        (struct ort_options *options, int value)) \
    X(14, 1, EnableProfiling, struct ort_status *, \
        (struct ort_options *options, const char *prefix)) \
    X(15, 1, DisableProfiling, struct ort_status *, \
        (struct ort_options *options)) \
    X(16, 1, EnableMemPattern, struct ort_status *, \
        (struct ort_options *options)) \
    X(17, 1, DisableMemPattern, struct ort_status *, \
        (struct ort_options *options)) \
    X(18, 1, EnableCpuMemArena, struct ort_status *, \
        (struct ort_options *options)) \
    X(19, 1, DisableCpuMemArena, struct ort_status *, \
        (struct ort_options *options)) \
    X(23, 1, SetSessionGraphOptimizationLevel, struct ort_status *, \
        (struct ort_options *options, int value)) \
    X(24, 1, SetIntraOpNumThreads, struct ort_status *, \
        (struct ort_options *options, int value)) \
    X(25, 1, SetInterOpNumThreads, struct ort_status *, \
        (struct ort_options *options, int value)) \
    X(26, 1, CreateCustomOpDomain, struct ort_status *, \
        (const char *domain, struct ort_custom_domain **out)) \
    X(27, 1, CustomOpDomain_Add, struct ort_status *, \
        (struct ort_custom_domain *domain, const void *op)) \
    X(28, 1, AddCustomOpDomain, struct ort_status *, \
        (struct ort_options *options, struct ort_custom_domain *domain)) \
    X(30, 1, SessionGetInputCount, struct ort_status *, \
        (const struct ort_session *session, size_t *out)) \
    X(31, 1, SessionGetOutputCount, struct ort_status *, \
        (const struct ort_session *session, size_t *out)) \
    X(33, 1, SessionGetInputTypeInfo, struct ort_status *, \
        (const struct ort_session *session, size_t index, \
        struct ort_type_info **out)) \
    X(34, 1, SessionGetOutputTypeInfo, struct ort_status *, \
        (const struct ort_session *session, size_t index, \
        struct ort_type_info **out)) \
    X(36, 1, SessionGetInputName, struct ort_status *, \
        (const struct ort_session *session, size_t index, \
        struct ort_allocator *allocator, char **out)) \
    X(37, 1, SessionGetOutputName, struct ort_status *, \
        (const struct ort_session *session, size_t index, \
        struct ort_allocator *allocator, char **out)) \
    X(39, 1, CreateRunOptions, struct ort_status *, \
        (struct ort_run_options **out)) \
    X(49, 1, CreateTensorWithDataAsOrtValue, struct ort_status *, \
        (const struct ort_memory_info *info, void *data, size_t bytes, \
        const int64_t *shape, size_t rank, int type, struct ort_value **out)) \
    X(50, 1, IsTensor, struct ort_status *, \
        (const struct ort_value *value, int *out)) \
    X(51, 1, GetTensorMutableData, struct ort_status *, \
        (struct ort_value *value, void **out)) \
    X(55, 1, CastTypeInfoToTensorInfo, struct ort_status *, \
        (const struct ort_type_info *info, \
        const struct ort_tensor_info **out)) \
    X(56, 1, GetOnnxTypeFromTypeInfo, struct ort_status *, \
        (const struct ort_type_info *info, int *out)) \
    X(60, 1, GetTensorElementType, struct ort_status *, \
        (const struct ort_tensor_info *info, int *out)) \
    X(61, 1, GetDimensionsCount, struct ort_status *, \
        (const struct ort_tensor_info *info, size_t *out)) \
    X(62, 1, GetDimensions, struct ort_status *, \
        (const struct ort_tensor_info *info, int64_t *dims, size_t count)) \
    X(63, 1, GetSymbolicDimensions, struct ort_status *, \
        (const struct ort_tensor_info *info, const char **names, \
        size_t count)) \
    X(65, 1, GetTensorTypeAndShape, struct ort_status *, \
        (const struct ort_value *value, struct ort_tensor_info **out)) \
    X(67, 1, GetValueType, struct ort_status *, \
        (const struct ort_value *value, int *out)) \
    X(69, 1, CreateCpuMemoryInfo, struct ort_status *, \
        (int allocator_type, int memory_type, struct ort_memory_info **out)) \
    X(71, 1, MemoryInfoGetName, struct ort_status *, \
        (const struct ort_memory_info *info, const char **out)) \
    X(76, 1, AllocatorFree, struct ort_status *, \
        (struct ort_allocator *allocator, void *p)) \
    X(78, 1, GetAllocatorWithDefaultOptions, struct ort_status *, \
        (struct ort_allocator **out)) \
    X(88, 1, KernelContext_GetInputCount, struct ort_status *, \
        (const struct ort_kernel_context *context, size_t *out)) \
    X(89, 1, KernelContext_GetOutputCount, struct ort_status *, \
        (const struct ort_kernel_context *context, size_t *out)) \
    X(90, 1, KernelContext_GetInput, struct ort_status *, \
        (const struct ort_kernel_context *context, size_t index, \
        const struct ort_value **out)) \
    X(91, 1, KernelContext_GetOutput, struct ort_status *, \
        (struct ort_kernel_context *context, size_t index, \
        const int64_t *shape, size_t rank, struct ort_value **out)) \
    X(92, 1, ReleaseEnv, void, (struct ort_env *env)) \
    X(93, 1, ReleaseStatus, void, (struct ort_status *status)) \
    X(94, 1, ReleaseMemoryInfo, void, (struct ort_memory_info *info)) \
    X(95, 1, ReleaseSession, void, (struct ort_session *session)) \
    X(96, 1, ReleaseValue, void, (struct ort_value *value)) \
    X(97, 1, ReleaseRunOptions, void, (struct ort_run_options *options)) \
    X(98, 1, ReleaseTypeInfo, void, (struct ort_type_info *info)) \
    X(99, 1, ReleaseTensorTypeAndShapeInfo, void, \
        (struct ort_tensor_info *info)) \
    X(100, 1, ReleaseSessionOptions, void, (struct ort_options *options)) \
    X(101, 1, ReleaseCustomOpDomain, void, \
        (struct ort_custom_domain *domain)) \
    X(110, 2, SessionEndProfiling, struct ort_status *, \
        (struct ort_session *session, struct ort_allocator *allocator, \
        char **out)) \
    X(120, 3, DisablePerSessionThreads, struct ort_status *, \
        (struct ort_options *options)) \
    X(125, 4, GetAvailableProviders, struct ort_status *, \
        (char ***out, int *count)) \
    X(126, 4, ReleaseAvailableProviders, struct ort_status *, \
        (char **providers, int count)) \
    X(130, 5, AddSessionConfigEntry, struct ort_status *, \
        (struct ort_options *options, const char *key, const char *value)) \
    X(131, 5, CreateAllocator, struct ort_status *, \
        (const struct ort_session *session, \
        const struct ort_memory_info *info, struct ort_allocator **out)) \
    X(132, 5, ReleaseAllocator, void, (struct ort_allocator *allocator)) \
    X(133, 5, RunWithBinding, struct ort_status *, \
        (struct ort_session *session, \
        const struct ort_run_options *run_options, \
        const struct ort_binding *binding)) \
    X(134, 5, CreateIoBinding, struct ort_status *, \
        (struct ort_session *session, struct ort_binding **out)) \
    X(135, 5, ReleaseIoBinding, void, (struct ort_binding *binding)) \
    X(136, 5, BindInput, struct ort_status *, \
        (struct ort_binding *binding, const char *name, \
        const struct ort_value *value)) \
    X(137, 5, BindOutput, struct ort_status *, \
        (struct ort_binding *binding, const char *name, \
        const struct ort_value *value)) \
    X(138, 5, BindOutputToDevice, struct ort_status *, \
        (struct ort_binding *binding, const char *name, \
        const struct ort_memory_info *info)) \
    X(141, 5, ClearBoundInputs, void, (struct ort_binding *binding)) \
    X(142, 5, ClearBoundOutputs, void, (struct ort_binding *binding)) \
    X(145, 5, SetLanguageProjection, struct ort_status *, \
        (const struct ort_env *env, int language)) \
    X(152, 6, SessionOptionsAppendExecutionProvider_CUDA, \
        struct ort_status *, \
        (struct ort_options *options, const void *provider_options)) \
    X(153, 6, SessionOptionsAppendExecutionProvider_ROCM, \
        struct ort_status *, \
        (struct ort_options *options, const void *provider_options)) \
    X(154, 6, SessionOptionsAppendExecutionProvider_OpenVINO, \
        struct ort_status *, \
        (struct ort_options *options, const void *provider_options)) \
    X(159, 7, SessionOptionsAppendExecutionProvider_TensorRT, \
        struct ort_status *, \
        (struct ort_options *options, const void *provider_options)) \
    X(168, 8, CreateSessionWithPrepackedWeightsContainer, \
        struct ort_status *, \
        (const struct ort_env *env, const char *path, \
        const struct ort_options *options, struct ort_prepacked *weights, \
        struct ort_session **out)) \
    X(169, 8, CreateSessionFromArrayWithPrepackedWeightsContainer, \
        struct ort_status *, \
        (const struct ort_env *env, const void *data, size_t len, \
        const struct ort_options *options, struct ort_prepacked *weights, \
        struct ort_session **out)) \
    X(170, 9, SessionOptionsAppendExecutionProvider_TensorRT_V2, \
        struct ort_status *, \
        (struct ort_options *options, const void *provider_options)) \
    X(171, 9, CreateTensorRTProviderOptions, struct ort_status *, \
        (void **out)) \
    X(174, 9, ReleaseTensorRTProviderOptions, void, (void *options)) \
    X(192, 10, HasValue, struct ort_status *, \
        (const struct ort_value *value, int *out)) \
    X(194, 10, GetTensorMemoryInfo, struct ort_status *, \
        (const struct ort_value *value, \
        const struct ort_memory_info **out)) \
    X(204, 11, SessionOptionsAppendExecutionProvider_CUDA_V2, \
        struct ort_status *, \
        (struct ort_options *options, const void *provider_options)) \
    X(205, 11, CreateCUDAProviderOptions, struct ort_status *, (void **out)) \
    X(208, 11, ReleaseCUDAProviderOptions, void, (void *options)) \
    X(209, 11, SessionOptionsAppendExecutionProvider_MIGraphX, \
        struct ort_status *, \
        (struct ort_options *options, const void *provider_options)) \
    X(216, 12, SessionOptionsAppendExecutionProvider, struct ort_status *, \
        (struct ort_options *options, const char *name, \
        const char *const *keys, const char *const *values, size_t count)) \
    X(220, 13, SessionOptionsAppendExecutionProvider_CANN, \
        struct ort_status *, \
        (struct ort_options *options, const void *provider_options)) \
    X(232, 14, KernelInfo_GetInputName, struct ort_status *, \
        (const struct ort_kernel_info *info, size_t index, char *out, \
        size_t *size)) \
    X(233, 14, KernelInfo_GetOutputName, struct ort_status *, \
        (const struct ort_kernel_info *info, size_t index, char *out, \
        size_t *size)) \
    X(234, 14, KernelInfo_GetInputTypeInfo, struct ort_status *, \
        (const struct ort_kernel_info *info, size_t index, \
        struct ort_type_info **out)) \
    X(239, 15, SessionOptionsAppendExecutionProvider_Dnnl, \
        struct ort_status *, \
        (struct ort_options *options, const void *provider_options)) \
    X(244, 15, KernelInfo_GetNodeName, struct ort_status *, \
        (const struct ort_kernel_info *info, char *out, size_t *size)) \
    X(249, 15, KernelInfoGetConstantInput_tensor, struct ort_status *, \
        (const struct ort_kernel_info *info, size_t index, int *is_constant, \
        const struct ort_value **out)) \
    X(254, 15, GetBuildInfoString, const char *, (void)) \
    X(260, 16, RunAsync, struct ort_status *, \
        (ORT_RUN_ARGS, ort_async_done done, void *user_data)) \
    X(275, 17, SessionOptionsAppendExecutionProvider_OpenVINO_V2, \
        struct ort_status *, \
        (struct ort_options *options, const char *const *keys, \
        const char *const *values, size_t count)) \
    X(276, 18, SessionOptionsAppendExecutionProvider_VitisAI, \
        struct ort_status *, \
        (struct ort_options *options, const char *const *keys, \
        const char *const *values, size_t count)) \
    X(291, 22, GetModelEditorApi, const struct ort_api *, (void)) \
    X(298, 22, GetKeyValuePairs, void, \
        (const struct ort_pairs *pairs, const char *const **keys, \
        const char *const **values, size_t *count)) \
    X(300, 22, ReleaseKeyValuePairs, void, (struct ort_pairs *pairs)) \
    X(304, 22, SessionOptionsAppendExecutionProvider_V2, \
        struct ort_status *, \
        (struct ort_options *options, struct ort_env *env, \
        const struct ort_device *const *devices, size_t n_devices, \
        const char *const *keys, const char *const *values, size_t count)) \
    X(305, 22, SessionOptionsSetEpSelectionPolicy, struct ort_status *, \
        (struct ort_options *options, int value)) \
    X(312, 22, EpDevice_EpName, const char *, \
        (const struct ort_device *device)) \
    X(318, 23, GetTensorSizeInBytes, struct ort_status *, \
        (const struct ort_value *value, size_t *out)) \
    X(319, 23, AllocatorGetStats, struct ort_status *, \
        (const struct ort_allocator *allocator, struct ort_pairs **out)) \
    X(392, 24, KernelInfo_GetOperatorDomain, struct ort_status *, \
        (const struct ort_kernel_info *info, char *out, size_t *size)) \
    X(393, 24, KernelInfo_GetOperatorType, struct ort_status *, \
        (const struct ort_kernel_info *info, char *out, size_t *size)) \
    X(394, 24, KernelInfo_GetOperatorSinceVersion, struct ort_status *, \
        (const struct ort_kernel_info *info, int *out)) \
    X(414, 24, GetTensorElementTypeAndShapeDataReference, \
        struct ort_status *, \
        (const struct ort_value *value, int *type, const int64_t **dims, \
        size_t *rank))

/* OrtModelEditorApi, a second table of the same kind: GetModelEditorApi(). */
#define ORT_EDITOR_CALLS(X) \
    X(14, 22, CreateSessionFromModel, struct ort_status *, \
        (const struct ort_env *env, const struct ort_model *model, \
        const struct ort_options *options, struct ort_session **out)) \
    X(15, 22, CreateModelEditorSession, struct ort_status *, \
        (const struct ort_env *env, const char *path, \
        const struct ort_options *options, struct ort_session **out)) \
    X(16, 22, CreateModelEditorSessionFromArray, struct ort_status *, \
        (const struct ort_env *env, const void *data, size_t len, \
        const struct ort_options *options, struct ort_session **out))
/* clang-format on */

#define X(number, since, name, result, args) typedef result(*ort_##name) args;
ORT_CALLS(X)
ORT_EDITOR_CALLS(X)
#undef X

#define X(number, since, name, result, args) ORT_SLOT_##name = number,
enum ort_slot { ORT_CALLS(X) ORT_EDITOR_CALLS(X) };
#undef X

#define X(number, since, name, result, args) ORT_SINCE_##name = since,
enum ort_since { ORT_CALLS(X) ORT_EDITOR_CALLS(X) };
#undef X

/* The function behind a slot.  The caller has made sure that the runtime's
 * version has it. */
#define ORT(api, name) ((ort_##name)(api)->slot[ORT_SLOT_##name])
