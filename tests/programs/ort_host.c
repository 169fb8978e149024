/* ort_host.c -- see ort_host.h. */
#include "ort_host.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 8 };

void die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    exit(1);
}

uint64_t number(const char *text)
{
    char *end = NULL;

    errno = 0;
    uint64_t n = strtoull(text, &end, 10);

    if (errno || end == text || *end)
        die("%s is not a number", text);
    return n;
}

void host_check(const struct host *h, struct ort_status *status)
{
    if (status)
        die("%s", ORT(h->api, GetErrorMessage)(status));
}

void host_open(struct host *h, const struct ort_api_base *base)
{
    if (!base)
        die("ONNX Runtime has no API to give");

    const char *text = base->get_version_string(); /* "1.23.2" */
    char *end = NULL;

    if (strtoul(text, &end, 10) != 1 || *end != '.')
        die("ONNX Runtime calls itself %s", text);
    h->version = (uint32_t)strtoul(end + 1, NULL, 10);
    h->api = base->get_api(h->version);
    if (!h->api)
        die("ONNX Runtime %s has no API of its own version", text);
    host_check(h, ORT(h->api, CreateEnv)(ORT_LOG_WARNING, "program", &h->env));
    host_check(h, ORT(h->api, CreateCpuMemoryInfo)(ORT_ALLOCATOR_ARENA,
                          ORT_MEMORY_DEFAULT, &h->memory));
}

void *library_open(const char *path, int flags)
{
    void *library = dlopen(path, RTLD_NOW | flags);

    if (!library)
        die("%s", dlerror());
    return library;
}

ort_function library_find(void *library, const char *name)
{
    void *address = dlsym(library, name);
    ort_function function = NULL;

    if (!address)
        die("%s", dlerror());
    memcpy(&function, &address, sizeof(function));
    return function;
}

const struct ort_api_base *library_base(void *library)
{
    typedef const struct ort_api_base *(*get_base)(void);

    return ((get_base)library_find(library, "OrtGetApiBase"))();
}

void host_close(struct host *h)
{
    ORT(h->api, ReleaseMemoryInfo)(h->memory);
    ORT(h->api, ReleaseEnv)(h->env);
}

struct ort_options *host_options(const struct host *h, int threads)
{
    struct ort_options *options = NULL;

    host_check(h, ORT(h->api, CreateSessionOptions)(&options));
    host_check(h, ORT(h->api, SetIntraOpNumThreads)(options, threads));
    return options;
}

static size_t type_bytes(int type)
{
    switch (type) {
    case ORT_TYPE_FLOAT:
    case ORT_TYPE_INT32: return 4;
    case ORT_TYPE_INT64: return 8;
    case ORT_TYPE_FLOAT16: return 2;
    case ORT_TYPE_BOOL: return 1;
    default: die("tensors of type %d are not provided for", type);
    }
}

/* Dimensions that the host names for this input take the place of its own. */
static void given_dims(const struct host *h, const char *name, int64_t *dims,
        size_t *rank)
{
    size_t len = strlen(name);

    for (char *const *s = h->shapes; s && *s; s++) {
        if (strncmp(*s, name, len) != 0 || (*s)[len] != '=')
            continue;
        *rank = 0;
        for (char *at = *s + len; *at && *rank < MAX_RANK;)
            dims[(*rank)++] = strtol(at + 1, &at, 10);
    }
}

/* The size of a tensor in bytes; open dimensions become 1. */
static size_t tensor_bytes(const struct host *h, const char *name,
        const struct ort_tensor_info *info, int *type, int64_t *dims,
        size_t *rank)
{
    host_check(h, ORT(h->api, GetTensorElementType)(info, type));
    host_check(h, ORT(h->api, GetDimensionsCount)(info, rank));
    if (*rank > MAX_RANK)
        die("a tensor has %zu dimensions", *rank);
    host_check(h, ORT(h->api, GetDimensions)(info, dims, *rank));
    given_dims(h, name, dims, rank);

    size_t bytes = type_bytes(*type);

    for (size_t i = 0; i < *rank; i++) {
        if (dims[i] < 0)
            dims[i] = 1;
        bytes *= (size_t)dims[i];
    }
    return bytes;
}

/* A mask lets everything through. */
static void fill_mask(int64_t *data, size_t count)
{
    for (size_t i = 0; i < count; i++)
        data[i] = 1;
}

static void fill(void *data, size_t bytes, int type)
{
    for (size_t i = 0; i < bytes / type_bytes(type); i++) {
        if (type == ORT_TYPE_FLOAT)
            ((float *)data)[i] = (float)(i % 17) / 17;
        else if (type == ORT_TYPE_INT32)
            ((int32_t *)data)[i] = (int32_t)(i % 7);
        else if (type == ORT_TYPE_INT64)
            ((int64_t *)data)[i] = (int64_t)(i % 7);
        else if (type == ORT_TYPE_BOOL)
            ((char *)data)[i] = 1;
        else
            ((uint16_t *)data)[i] = (uint16_t)(0x3000 + i % 64);
    }
}

static void make_input(struct job *j, size_t i)
{
    const struct host *h = j->host;
    struct ort_type_info *type_info = NULL;
    const struct ort_tensor_info *info = NULL;
    int64_t dims[MAX_RANK];
    size_t rank = 0;
    int type = 0;

    host_check(h,
            ORT(h->api, SessionGetInputTypeInfo)(j->session, i, &type_info));
    host_check(h, ORT(h->api, CastTypeInfoToTensorInfo)(type_info, &info));

    size_t bytes = tensor_bytes(h, j->in_name[i], info, &type, dims, &rank);

    ORT(h->api, ReleaseTypeInfo)(type_info);
    j->in_data[i] = malloc(bytes ? bytes : 1);
    if (!j->in_data[i])
        die("no memory for an input");
    if (type == ORT_TYPE_INT64 && strcmp(j->in_name[i], "attention_mask") == 0)
        fill_mask(j->in_data[i], bytes / sizeof(int64_t));
    else
        fill(j->in_data[i], bytes, type);
    host_check(h, ORT(h->api, CreateTensorWithDataAsOrtValue)(h->memory,
                          j->in_data[i], bytes, dims, rank, type, &j->in[i]));
}

void job_open(struct job *j, const struct host *h, const char *model,
        const struct ort_options *options)
{
    struct ort_allocator *allocator = NULL;

    j->host = h;
    host_check(h,
            ORT(h->api, CreateSession)(h->env, model, options, &j->session));
    host_check(h, ORT(h->api, SessionGetInputCount)(j->session, &j->n_in));
    host_check(h, ORT(h->api, SessionGetOutputCount)(j->session, &j->n_out));
    if (j->n_in > JOB_TENSORS || j->n_out > JOB_TENSORS)
        die("%s has more than %d inputs or outputs", model, JOB_TENSORS);
    host_check(h, ORT(h->api, GetAllocatorWithDefaultOptions)(&allocator));
    for (size_t i = 0; i < j->n_in; i++) {
        host_check(h, ORT(h->api, SessionGetInputName)(j->session, i, allocator,
                              &j->in_name[i]));
        make_input(j, i);
    }
    for (size_t i = 0; i < j->n_out; i++)
        host_check(h, ORT(h->api, SessionGetOutputName)(j->session, i,
                              allocator, &j->out_name[i]));
}

/* FNV-1a. */
static uint64_t mix(uint64_t sum, const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ data[i]) * UINT64_C(0x100000001b3);
    return sum;
}

uint64_t job_take(const struct job *j, struct ort_value **out, uint64_t sum)
{
    const struct host *h = j->host;

    for (size_t i = 0; i < j->n_out; i++) {
        struct ort_tensor_info *info = NULL;
        int64_t dims[MAX_RANK];
        size_t rank = 0;
        void *data = NULL;
        int type = 0;

        host_check(h, ORT(h->api, GetTensorTypeAndShape)(out[i], &info));

        size_t bytes = tensor_bytes(h, "", info, &type, dims, &rank);

        ORT(h->api, ReleaseTensorTypeAndShapeInfo)(info);
        host_check(h, ORT(h->api, GetTensorMutableData)(out[i], &data));
        sum = mix(sum, data, bytes);
        ORT(h->api, ReleaseValue)(out[i]);
        out[i] = NULL;
    }
    return sum;
}

uint64_t job_run(const struct job *j, uint64_t sum)
{
    const struct host *h = j->host;
    struct ort_value *out[JOB_TENSORS] = { NULL };

    host_check(h,
            ORT(h->api, Run)(j->session, NULL, (const char *const *)j->in_name,
                    (const struct ort_value *const *)j->in, j->n_in,
                    (const char *const *)j->out_name, j->n_out, out));
    return job_take(j, out, sum);
}

uint64_t job_repeat(const struct job *j, uint64_t count)
{
    uint64_t sum = SUM_START;

    for (uint64_t i = 0; i < count; i++)
        sum = job_run(j, sum);
    return sum;
}

void job_close(struct job *j)
{
    const struct host *h = j->host;
    struct ort_allocator *allocator = NULL;

    host_check(h, ORT(h->api, GetAllocatorWithDefaultOptions)(&allocator));
    for (size_t i = 0; i < j->n_in; i++) {
        ORT(h->api, ReleaseValue)(j->in[i]);
        free(j->in_data[i]);
        host_check(h, ORT(h->api, AllocatorFree)(allocator, j->in_name[i]));
    }
    for (size_t i = 0; i < j->n_out; i++)
        host_check(h, ORT(h->api, AllocatorFree)(allocator, j->out_name[i]));
    ORT(h->api, ReleaseSession)(j->session);
}

void job_open_alone(struct job *j, const struct host *h, const char *model)
{
    struct ort_options *options = host_options(h, 1);

    job_open(j, h, model, options);
    ORT(h->api, ReleaseSessionOptions)(options);
}

void host_session(const struct ort_api_base *base, const char *name,
        const char *model, uint64_t count)
{
    struct host h = { 0 };
    struct job j = { 0 };

    host_open(&h, base);
    job_open_alone(&j, &h, model);
    printf("%s %" PRIu64 " %016" PRIx64 "\n", name, count,
            job_repeat(&j, count));
    job_close(&j);
    host_close(&h);
}
