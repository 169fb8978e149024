/* stub_ort.c -- an ONNX Runtime 1.30 that does nothing, as fast as can be.
 *
 * Run() is empty, so whatever time is seen around it is not ONNX Runtime's.
 * Tensors keep their type and shape and tell them, because the hook asks for
 * them at each run.  A call that is not here fails with a status, as it would
 * in a build of ONNX Runtime that lacks the feature. */
#include "wire/ort_api.h"

#include <stdlib.h>
#include <string.h>

const struct ort_api_base *OrtGetApiBase(void);

enum {
    SLOTS = 426, /* of 1.30.0 */
    MAX_RANK = 8,
    FAIL = 1,
    NOT_IMPLEMENTED = 9,
};

struct ort_status {
    int code;
};

struct ort_env {
    int unused;
};

struct ort_session {
    int unused;
};

struct ort_options {
    int unused;
};

struct ort_memory_info {
    int unused;
};

struct ort_value {
    int type;
    size_t rank;
    int64_t dims[MAX_RANK];
};

static struct ort_status not_here = { NOT_IMPLEMENTED };
static struct ort_status no_memory = { FAIL };

static struct ort_status *refuse(void)
{
    return &not_here;
}

static int get_code(const struct ort_status *status)
{
    return status->code;
}

static const char *get_message(const struct ort_status *status)
{
    return status == &not_here ? "the stub has no such function"
                               : "the stub has no memory";
}

static void release_status(struct ort_status *status)
{
    (void)status; /* static */
}

/* --- things that are there and do nothing --------------------------------- */

static struct ort_status *create_env(int log_level, const char *log_id,
        struct ort_env **out)
{
    static struct ort_env env;

    (void)log_level, (void)log_id;
    *out = &env;
    return NULL;
}

static struct ort_status *create_memory_info(int allocator_type,
        int memory_type, struct ort_memory_info **out)
{
    static struct ort_memory_info info;

    (void)allocator_type, (void)memory_type;
    *out = &info;
    return NULL;
}

static struct ort_status *create_options(struct ort_options **out)
{
    *out = calloc(1, sizeof(**out));
    return *out ? NULL : &no_memory;
}

static struct ort_status *set_threads(struct ort_options *options, int value)
{
    (void)options, (void)value;
    return NULL;
}

static struct ort_status *create_session(const struct ort_env *env,
        const char *path, const struct ort_options *options,
        struct ort_session **out)
{
    (void)env, (void)path, (void)options;
    *out = calloc(1, sizeof(**out));
    return *out ? NULL : &no_memory;
}

static void keep(void *thing)
{
    (void)thing;
}

static const struct ort_api *no_editor(void)
{
    return NULL;
}

/* --- tensors and the run -------------------------------------------------- */

static struct ort_status *create_tensor(const struct ort_memory_info *info,
        void *data, size_t bytes, const int64_t *shape, size_t rank, int type,
        struct ort_value **out)
{
    (void)info, (void)data, (void)bytes;
    if (rank > MAX_RANK)
        return &not_here;

    struct ort_value *v = calloc(1, sizeof(*v));

    if (!v)
        return &no_memory;
    v->type = type;
    v->rank = rank;
    memcpy(v->dims, shape, rank * sizeof(*shape));
    *out = v;
    return NULL;
}

static struct ort_status *is_tensor(const struct ort_value *value, int *out)
{
    (void)value;
    *out = 1;
    return NULL;
}

static struct ort_status *lend_shape(const struct ort_value *value, int *type,
        const int64_t **dims, size_t *rank)
{
    *type = value->type;
    *dims = value->dims;
    *rank = value->rank;
    return NULL;
}

static struct ort_status *run(ORT_RUN_ARGS)
{
    (void)session, (void)run_options, (void)in_names, (void)in, (void)n_in;
    (void)out_names, (void)n_out, (void)out;
    return NULL;
}

/* --- the table ------------------------------------------------------------ */

static ort_function table[SLOTS];

__attribute__((constructor)) static void fill_table(void)
{
    for (size_t i = 0; i < SLOTS; i++)
        table[i] = (ort_function)refuse;

    table[ORT_SLOT_GetErrorCode] = (ort_function)get_code;
    table[ORT_SLOT_GetErrorMessage] = (ort_function)get_message;
    table[ORT_SLOT_ReleaseStatus] = (ort_function)release_status;
    table[ORT_SLOT_CreateEnv] = (ort_function)create_env;
    table[ORT_SLOT_ReleaseEnv] = (ort_function)keep;
    table[ORT_SLOT_CreateCpuMemoryInfo] = (ort_function)create_memory_info;
    table[ORT_SLOT_ReleaseMemoryInfo] = (ort_function)keep;
    table[ORT_SLOT_CreateSessionOptions] = (ort_function)create_options;
    table[ORT_SLOT_SetIntraOpNumThreads] = (ort_function)set_threads;
    table[ORT_SLOT_ReleaseSessionOptions] = (ort_function)free;
    table[ORT_SLOT_CreateSession] = (ort_function)create_session;
    table[ORT_SLOT_ReleaseSession] = (ort_function)free;
    table[ORT_SLOT_CreateTensorWithDataAsOrtValue] =
            (ort_function)create_tensor;
    table[ORT_SLOT_ReleaseValue] = (ort_function)free;
    table[ORT_SLOT_IsTensor] = (ort_function)is_tensor;
    table[ORT_SLOT_GetTensorElementTypeAndShapeDataReference] =
            (ort_function)lend_shape;
    table[ORT_SLOT_GetModelEditorApi] = (ort_function)no_editor;
    table[ORT_SLOT_Run] = (ort_function)run;
}

static const char *version(void)
{
    return "1.30.0";
}

static const struct ort_api *get_api(uint32_t wanted)
{
    return wanted && wanted <= 30 ? (const struct ort_api *)table : NULL;
}

const struct ort_api_base *OrtGetApiBase(void)
{
    static const struct ort_api_base base = { get_api, version };

    return &base;
}
