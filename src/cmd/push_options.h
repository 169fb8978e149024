/* push_options.h -- options of the commands that can send on what they see
 * while they see it: --otlp, --remote-write. */
#pragma once

#include "cmd/options.h"
#include "push/push.h"

/* Starts as PUSH_SETTINGS. */
struct push_settings {
    const char *otlp, *remote_write; /* NULL: not given */
    struct option_choice encoding;   /* of OTLP */
    double interval_s;
    bool only_readings; /* of a command that does not look at ONNX Runtime */
};

extern const char *const push_encodings[];

#define PUSH_SETTINGS                                            \
    {                                                            \
        .encoding = { .all = push_encodings }, .interval_s = 10, \
    }

/* Lines of a command's table of options, for a struct push_settings. */
#define PUSH_OPTIONS(settings)                                            \
    { "otlp", 0, OPTION_TEXT, &(settings).otlp },                         \
            { "otlp-encoding", 0, OPTION_CHOICE, &(settings).encoding },  \
            { "remote-write", 0, OPTION_TEXT, &(settings).remote_write }, \
    {                                                                     \
        "push-interval", 0, OPTION_REAL, &(settings).interval_s           \
    }

#define PUSH_OPTIONS_HELP                                                     \
    "  --otlp URL      send metrics and spans to an OpenTelemetry receiver\n" \
    "                  while it runs: http://localhost:4318\n"                \
    "  --otlp-encoding NAME  protobuf (default) or json\n"                    \
    "  --remote-write URL    send metrics as Prometheus's remote write:\n"    \
    "                  http://localhost:8428/api/v1/write\n"                  \
    "  --push-interval S     so often, in seconds (default 10)\n"

#define PUSH_OPTIONS_ENVIRONMENT                                         \
    "  OTEL_EXPORTER_OTLP_HEADERS  headers for --otlp: name=value,...\n" \
    "  OTEL_SERVICE_NAME   the service's name, instead of the program's\n"

/* -EINVAL with a sentence that names an option. */
int push_options_check(const struct push_settings *s, struct error *e);

/* NULL where there is nobody to push to. */
int push_options_open(struct push **out, const struct push_settings *s,
        struct error *e);
