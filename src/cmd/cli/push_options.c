#include "cmd/cli/push_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_LEAST_S 0.1
#define INTERVAL_MOST_S  3600

const char *const push_encodings[] = { "protobuf", "json", NULL };

int push_options_open(struct push **out, const struct push_settings *s,
        struct error *e)
{
    return push_new(out,
            &(struct push_plan){
                    .otlp = s->otlp,
                    .otlp_json =
                            strcmp(push_encodings[s->encoding], "json") == 0,
                    .otlp_headers = getenv("OTEL_EXPORTER_OTLP_HEADERS"),
                    .service = getenv("OTEL_SERVICE_NAME"),
                    .remote_write = s->remote_write,
                    .interval_ns = (uint64_t)(s->interval_s * 1e9),
                    .only_readings = s->only_readings,
            },
            e);
}

int push_options_check(const struct push_settings *s, struct error *e)
{
    struct push *push = NULL;

    if (!s->otlp && !s->remote_write)
        return 0;
    if (s->interval_s < INTERVAL_LEAST_S || s->interval_s > INTERVAL_MOST_S)
        return fail(e, -EINVAL,
                "--push-interval takes seconds from %g to %d, not %g",
                INTERVAL_LEAST_S, INTERVAL_MOST_S, s->interval_s);

    int rc = push_options_open(&push, s, e);

    push_free(push);
    return rc;
}
