/* push_options.h -- options of the commands that can send on what they see
 * while they see it: --otlp, --remote-write. */
#pragma once

#include "cmd/cli/options.h"
#include "push/push.h"

/* Starts as PUSH_SETTINGS. */
struct push_settings {
    const char *otlp, *remote_write; /* NULL: not given */
    int encoding;                    /* of push_encodings */
    double interval_s;
    bool only_readings; /* of a command that does not look at ONNX Runtime */
};

extern const char *const push_encodings[];

#define PUSH_SETTINGS     \
    {                     \
        .interval_s = 10, \
    }

/* Rows of a verb's table of options, for a member that is one of those. */
#define PUSH_OPTIONS(settings, member)                                        \
    OPTION_TEXT("otlp", 0, settings, member.otlp, "URL",                      \
            "send metrics and spans to an OpenTelemetry receiver while it "   \
            "runs: http://localhost:4318",                                    \
            .rare = true),                                                    \
            OPTION_CHOICE("otlp-encoding", 0, settings, member.encoding,      \
                    push_encodings, "NAME", "protobuf (default) or json",     \
                    .rare = true),                                            \
            OPTION_TEXT("remote-write", 0, settings, member.remote_write,     \
                    "URL",                                                    \
                    "send metrics as Prometheus's remote write: "             \
                    "http://localhost:8428/api/v1/write",                     \
                    .rare = true),                                            \
            OPTION_REAL("push-interval", 0, settings, member.interval_s, "S", \
                    "so often, in seconds; 10 if not given", .rare = true)

#define PUSH_OPTIONS_NOTES                                               \
    "  OTEL_EXPORTER_OTLP_HEADERS  headers for --otlp: name=value,...\n" \
    "  OTEL_SERVICE_NAME   the service's name, instead of the program's\n"

/* -EINVAL with a sentence that names an option. */
int push_options_check(const struct push_settings *s, struct error *e);

/* NULL where there is nobody to push to. */
int push_options_open(struct push **out, const struct push_settings *s,
        struct error *e);
