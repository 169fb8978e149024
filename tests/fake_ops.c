/* fake_ops.c -- the fake runtime's tables, and a program that uses them. */
#include "fake_calls.h"

#include <pthread.h>

/* As many as the real ones have: a slot further is noticed. */
#define SLOTS_30     426
#define SLOTS_23     390
#define EP_SLOTS     72
#define EDITOR_SLOTS 20

struct fake fake = { .own_path = "/lib/libortmeter.so", .cpus = 1 };

static ort_function table_30[SLOTS_30], table_23[SLOTS_23];
static ort_function ep_table[EP_SLOTS], editor_table[EDITOR_SLOTS];

/* --- memory --------------------------------------------------------------- */

static struct block {
    struct block *next, **from;
} * blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *fake_new(size_t bytes)
{
    struct block *b = calloc(1, sizeof(*b) + bytes);

    if (!b)
        abort();
    (void)pthread_mutex_lock(&lock);
    b->next = blocks;
    b->from = &blocks;
    if (blocks)
        blocks->from = &b->next;
    blocks = b;
    (void)pthread_mutex_unlock(&lock);
    return b + 1;
}

void fake_delete(void *p)
{
    struct block *b = (struct block *)p - 1;

    (void)pthread_mutex_lock(&lock);
    *b->from = b->next;
    if (b->next)
        b->next->from = b->from;
    (void)pthread_mutex_unlock(&lock);
    free(b);
}

/* --- statuses ------------------------------------------------------------- */

struct ort_status *fake_status(int code)
{
    struct ort_status *status = fake_new(sizeof(*status));

    status->code = code;
    fake.statuses++;
    return status;
}

struct ort_status *fake_failing(const char *call)
{
    return fake.fails && strcmp(fake.fails, call) == 0 ? fake_status(fake.code)
                                                       : NULL;
}

static void release_status(struct ort_status *status)
{
    fake.statuses--;
    fake_delete(status);
}

static int error_code(const struct ort_status *status)
{
    return status->code;
}

static const char *error_message(const struct ort_status *status)
{
    (void)status;
    return "as the test wants it";
}

/* --- the tables ----------------------------------------------------------- */

static const struct ort_api *get_ep_api(void)
{
    return (const struct ort_api *)ep_table;
}

static const struct ort_api *get_editor_api(void)
{
    return (const struct ort_api *)editor_table;
}

static const struct fake_call common[] = {
    FAKE_CALL(ReleaseStatus, release_status),
    FAKE_CALL(GetErrorCode, error_code),
    FAKE_CALL(GetErrorMessage, error_message),
    FAKE_CALL(GetEpApi, get_ep_api),
    FAKE_CALL(GetModelEditorApi, get_editor_api),
    { 0, NULL },
};

static void fill(ort_function *table, uint32_t slots,
        const struct fake_call *calls)
{
    for (; calls->function; calls++)
        if (calls->slot < slots)
            table[calls->slot] = calls->function;
}

static void fill_all(ort_function *table, uint32_t slots)
{
    fill(table, slots, common);
    fill(table, slots, fake_option_calls);
    fill(table, slots, fake_provider_calls);
    fill(table, slots, fake_run_calls);
}

static const struct ort_api *api_30(uint32_t version)
{
    (void)version;
    return (const struct ort_api *)table_30;
}

static const struct ort_api *api_23(uint32_t version)
{
    (void)version;
    return (const struct ort_api *)table_23;
}

static const char *version_30(void)
{
    return "1.30.0";
}

static const char *version_23(void)
{
    return "1.23.2";
}

static const struct ort_api_base base_30 = { api_30, version_30 };
static const struct ort_api_base base_23 = { api_23, version_23 };

static const struct ort_api_base *get_base_30(void)
{
    return &base_30;
}

static const struct ort_api_base *get_base_23(void)
{
    return &base_23;
}

const struct ort_api_base *fake_base(uint32_t minor)
{
    return minor == 30 ? &base_30 : &base_23;
}

struct library *fake_library(const struct ort_api *api)
{
    for (size_t i = 0; i < LIBRARIES; i++)
        if (hook_libraries[i].api == api)
            return &hook_libraries[i];
    return NULL;
}

/* --- what the loader made of it ------------------------------------------- */

/* An object whose two streams are resolved; they lie in the C++ library. */
static void install_bracket(const struct ort_api *api)
{
    static const char names[] = "\0_ZNSt8ios_baseC2Ev\0_ZNSt8ios_baseD2Ev";
    static const ElfW(Sym)
            symbols[] = { { 0 }, { .st_name = 1 }, { .st_name = 20 } };
    const ElfW(Rela) relocations[] = {
        { .r_offset = (uintptr_t)&fake_streams[0],
                .r_info = ELF64_R_INFO((uint64_t)1, 0) },
        { .r_offset = (uintptr_t)&fake_streams[1],
                .r_info = ELF64_R_INFO((uint64_t)2, 0) },
    };
    const ElfW(Dyn) dynamic[] = {
        { DT_SYMTAB, { .d_ptr = (uintptr_t)symbols } },
        { DT_STRTAB, { .d_ptr = (uintptr_t)names } },
        { DT_RELA, { .d_ptr = (uintptr_t)relocations } },
        { DT_RELASZ, { .d_val = sizeof(relocations) } },
        { DT_NULL, { 0 } },
    };
    struct candidate c = { .dynamic = dynamic };

    if (!bracket_install(&c, fake_library(api)))
        abort();
}

const struct ort_api *fake_start(const char *asked, uint32_t minor)
{
    struct candidate c = {
        .get_base = minor == 30 ? get_base_30 : get_base_23,
        .path = "/lib/libonnxruntime.so",
        .start = 1,
        .end = UINTPTR_MAX,
    };
    const struct ort_api *api = fake_base(minor)->get_api(1);

    fake.asked = asked;
    ops_init();
    fill(ep_table, EP_SLOTS, fake_event_calls);
    fill(ep_table, EP_SLOTS, fake_device_calls);
    if (minor == 30)
        fill_all(table_30, SLOTS_30);
    else
        fill_all(table_23, SLOTS_23);
    if (!patch(&c))
        abort();
    if (minor == 30)
        install_bracket(api);
    fake_library(api)->quiet_pools = true;
    return api;
}

/* --- a program ------------------------------------------------------------ */

struct ort_env *fake_env(void)
{
    static struct ort_device cpu = { "CPUExecutionProvider", NULL };
    struct ort_env *env = fake_new(sizeof(*env));

    env->devices[env->count++] = &cpu;
    return env;
}

struct ort_session *fake_load(const struct ort_api *api, struct ort_env *env,
        const struct ort_options *options)
{
    struct ort_session *s = NULL;
    struct ort_status *status =
            ORT(api, CreateSession)(env, "m.onnx", options, &s);

    if (status)
        ORT(api, ReleaseStatus)(status);
    return s;
}

struct ort_options *fake_options(const struct ort_api *api)
{
    struct ort_options *options = NULL;

    (void)ORT(api, CreateSessionOptions)(&options);
    return options;
}

struct ort_run_options *fake_run_options(const struct ort_api *api)
{
    struct ort_run_options *options = NULL;

    (void)ORT(api, CreateRunOptions)(&options);
    return options;
}

bool fake_run(const struct ort_api *api, struct ort_session *s,
        const struct ort_run_options *options)
{
    struct ort_status *status =
            ORT(api, Run)(s, options, NULL, NULL, 0, NULL, 0, NULL);

    if (status)
        ORT(api, ReleaseStatus)(status);
    return !status;
}
