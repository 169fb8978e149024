/* object.c -- sessions, options and providers as records.
 *
 * An option is sent when it is set, with the address of the options that it
 * was set on; the collector puts them together, so nothing is kept here. */
#include "hook/ops/ops.h"
#include "hook/text.h"

#include <stdatomic.h>

void object_error(const struct library *lib, const struct ort_status *status,
        uint32_t thread)
{
    channel_send(&(struct record){
            .kind = RECORD_ERROR,
            .place = record_place(PHASE_OTHER, lib->index),
            .error = {
                .text = channel_text(
                        ORT(lib->api, GetErrorMessage)(status)),
                .thread = thread,
                .code = ORT(lib->api, GetErrorCode)(status),
            },
    });
}

void object_library(struct library *lib, const char *path, const char *version,
        uint32_t slots)
{
    lib->found = (struct record){
        .kind = RECORD_LIBRARY,
        .place = record_place(PHASE_OTHER, lib->index),
        .flags = (uint16_t)lib->tracing,
        .library_found = {
            .time = channel_now(),
            .path = channel_text(path),
            .version = channel_text(version),
            .slots = slots,
        },
    };
    lib->version = version;
    channel_send(&lib->found);
}

void object_tracing(struct library *lib, enum tracing tracing)
{
    struct record again = lib->found;

    atomic_store(&lib->tracing, tracing);
    again.flags = (uint16_t)tracing;
    if (again.kind) /* else it is about to be sent */
        channel_send(&again);
}

void object_static_library(const char *path, const char *reason)
{
    channel_send(&(struct record){
            .kind = RECORD_STATIC_LIBRARY,
            .library_found = {
                .time = channel_now(),
                .path = channel_text(path),
                .version = channel_text(reason),
            },
    });
}

void object_language(const struct library *lib, const void *env, int language)
{
    channel_send(&(struct record){
            .kind = RECORD_LANGUAGE,
            .place = record_place(PHASE_OTHER, lib->index),
            .option = { .options = (uintptr_t)env, .number = language },
    });
}

/* --- sessions ------------------------------------------------------------- */

struct loading object_loading(const struct library *lib,
        const struct ort_options *options, const char *path, size_t bytes)
{
    return (struct loading){ lib, channel_now(), options, path, bytes };
}

void object_loaded(const struct loading *l, const struct ort_session *session,
        const struct ort_status *status)
{
    struct record r = {
        .kind = RECORD_SESSION,
        .flags = status ? FLAG_FAILED : 0,
        .place = record_place(PHASE_OTHER, l->lib->index),
        .session = {
            .start = l->start,
            .end = channel_now(),
            .session = status ? 0 : (uintptr_t)session,
            .options = (uintptr_t)l->options,
            .model = channel_text(l->path),
            .model_bytes = l->bytes,
            .thread = channel_thread(),
        },
    };

    if (status)
        object_error(l->lib, status, r.session.thread);
    channel_send(&r);
    ops_install_providers(&hook_libraries[l->lib->index]);
}

void object_session_end(const struct library *lib,
        const struct ort_session *session)
{
    if (!session)
        return;
    shape_forget(session);
    choose_forget(session);
    channel_send(&(struct record){
            .kind = RECORD_SESSION_END,
            .place = record_place(PHASE_OTHER, lib->index),
            .session = { .end = channel_now(), .session = (uintptr_t)session },
    });
}

/* --- options -------------------------------------------------------------- */

static void send_option(enum record_kind kind, const struct library *lib,
        const struct ort_options *options, const struct record *what)
{
    struct record r = *what;

    r.kind = (uint8_t)kind;
    r.place = record_place(PHASE_OTHER, lib->index);
    r.option.options = (uintptr_t)options;
    channel_send(&r);
}

struct ort_status *object_options(const struct library *lib,
        const struct ort_options *options, const struct ort_options *from,
        struct ort_status *status)
{
    if (status)
        return status;
    send_option(from ? RECORD_OPTIONS_CLONE : RECORD_OPTIONS, lib, options,
            &(struct record){ .option = { .from = (uintptr_t)from } });
    return status;
}

void object_options_end(const struct library *lib,
        const struct ort_options *options)
{
    if (options)
        send_option(RECORD_OPTIONS_END, lib, options, &(struct record){ 0 });
}

struct ort_status *object_option(const struct library *lib,
        const struct ort_options *options, const char *key, int64_t number,
        struct ort_status *status)
{
    if (!status)
        send_option(RECORD_OPTION, lib, options,
                &(struct record){ .option = { .key = channel_text(key),
                                          .number = number } });
    return status;
}

struct ort_status *object_option_text(const struct library *lib,
        const struct ort_options *options, const char *key, const char *value,
        struct ort_status *status)
{
    if (!status)
        send_option(RECORD_OPTION, lib, options,
                &(struct record){ .option = { .key = channel_text(key),
                                          .value = channel_text(value) } });
    return status;
}

/* As ONNX Runtime itself names an option of a provider. */
#define OPENVINO_DEVICE "ep.openvinoexecutionprovider.device_type"

struct ort_status *object_provider_keys(const struct library *lib,
        const struct ort_options *options, const char *name,
        const char *const *keys, const char *const *values, size_t count,
        struct ort_status *status)
{
    if (object_provider(lib, options, name, status) ||
            !text_begins(name, "OpenVINO"))
        return status;
    for (size_t i = 0; keys && values && i < count; i++)
        if (keys[i] && values[i] && text_is(keys[i], "device_type"))
            (void)object_option_text(lib, options, OPENVINO_DEVICE, values[i],
                    NULL);
    return status;
}

struct ort_status *object_provider(const struct library *lib,
        const struct ort_options *options, const char *name,
        struct ort_status *status)
{
    if (status)
        return status;
    send_option(RECORD_PROVIDER, lib, options,
            &(struct record){ .option = { .key = channel_text(name) } });
    ops_install_providers(&hook_libraries[lib->index]);
    return NULL;
}
