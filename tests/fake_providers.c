/* fake_providers.c -- the fake runtime's devices and providers. */
#include "fake_calls.h"

#include <pthread.h>

struct ort_hardware {
    int type;
};

/* --- devices and providers ------------------------------------------------ */

static struct ort_status *get_devices(const struct ort_env *env,
        const struct ort_device *const **out, size_t *count)
{
    struct ort_status *status = fake_failing("GetEpDevices");

    if (status)
        return status;
    *out = (const struct ort_device *const *)env->devices;
    *count = env->count;
    return NULL;
}

static const char *device_name(const struct ort_device *device)
{
    return device->name;
}

static int hardware_type(const struct ort_hardware *hardware)
{
    return hardware->type;
}

static struct ort_status *create_device(struct ort_ep_factory *factory,
        const struct ort_hardware *hardware,
        const struct ort_key_values *metadata,
        const struct ort_key_values *options, struct ort_device **out)
{
    struct ort_status *status = fake_failing("CreateEpDevice");

    if (status)
        return status;
    if (hardware->type != 0 || metadata || options)
        abort();
    *out = fake_new(sizeof(**out));
    **out = (struct ort_device){ factory->get_name(factory), factory };
    return NULL;
}

/* As the entry of a provider's library, which is found by its name. */
struct ort_status *CreateEpFactories(const char *name,
        const struct ort_api_base *base, const struct ort_logger *logger,
        struct ort_ep_factory **out, size_t max, size_t *count);

static struct ort_status *add_devices(struct ort_env *env, const char *name)
{
    static const struct ort_hardware gpu = { 1 }, cpu = { 0 };
    const struct ort_hardware *hardware[] = { &gpu, &cpu, &cpu };
    struct ort_ep_factory *factory = NULL;
    struct ort_device *found[8] = { NULL };
    size_t count = 0;
    struct ort_status *status =
            CreateEpFactories(name, fake_base(30), NULL, &factory, 1, &count);

    if (!status && count == 1)
        status = factory->get_supported_devices(factory, hardware,
                1 + (size_t)fake.cpus, found, 8, &count);
    for (size_t i = 0; !status && i < count; i++) {
        env->devices[env->count] = found[i];
        env->count++;
    }
    return status;
}

/* A name can be given once. */
static struct ort_status *register_library(struct ort_env *env,
        const char *name, const char *path)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct ort_status *status =
            fake_failing("RegisterExecutionProviderLibrary");

    fake.registered++;
    if (status || strcmp(path, fake.own_path) != 0)
        return status;
    (void)pthread_mutex_lock(&lock);
    for (size_t i = 0; !status && i < env->count; i++)
        if (strcmp(env->devices[i]->name, name) == 0)
            status = fake_status(1);
    if (!status)
        status = add_devices(env, name);
    (void)pthread_mutex_unlock(&lock);
    return status;
}

static struct ort_status *append(struct ort_options *options,
        struct ort_env *env, const struct ort_device *const *devices,
        size_t n_devices, const char *const *keys, const char *const *values,
        size_t count)
{
    struct ort_status *status =
            fake_failing("SessionOptionsAppendExecutionProvider_V2");

    if (status)
        return status;
    if (!env || keys || values || count)
        abort();
    for (size_t i = 0; i < n_devices; i++) {
        options->devices++;
        options->factory = devices[i]->factory;
        fake.appended++;
    }
    return NULL;
}

const struct fake_call fake_provider_calls[] = {
    FAKE_CALL(GetEpDevices, get_devices),
    FAKE_CALL(EpDevice_EpName, device_name),
    FAKE_CALL(HardwareDevice_Type, hardware_type),
    FAKE_CALL(RegisterExecutionProviderLibrary, register_library),
    FAKE_CALL(SessionOptionsAppendExecutionProvider_V2, append),
    { 0, NULL },
};

const struct fake_call fake_device_calls[] = {
    FAKE_CALL(CreateEpDevice, create_device),
    { 0, NULL },
};
