#include "export/otlp/otlp_parts.h"

#include "base/pb.h"
#include "base/utf8.h"

void otlp_string(struct buf *out, uint32_t field, const char *text)
{
    size_t begun = pb_begin(out, field);

    utf8_add(out, str_of(text));
    pb_end(out, begun);
}

/* Begins a KeyValue, up to what is in its value; both ends are told. */
static size_t begin_pair(struct buf *out, uint32_t field, const char *key,
        size_t *any)
{
    size_t pair = pb_begin(out, field);

    pb_text(out, 1, key);
    *any = pb_begin(out, 2);
    return pair;
}

void otlp_text(struct buf *out, uint32_t field, const char *key,
        const char *value)
{
    if (!value || !*value)
        return;

    size_t any;
    size_t pair = begin_pair(out, field, key, &any);

    otlp_string(out, 1, value);
    pb_end(out, any);
    pb_end(out, pair);
}

void otlp_int(struct buf *out, uint32_t field, const char *key, int64_t value)
{
    size_t any;
    size_t pair = begin_pair(out, field, key, &any);

    pb_i64(out, 3, value);
    pb_end(out, any);
    pb_end(out, pair);
}

void otlp_double(struct buf *out, uint32_t field, const char *key, double value)
{
    size_t any;
    size_t pair = begin_pair(out, field, key, &any);

    pb_double(out, 4, value);
    pb_end(out, any);
    pb_end(out, pair);
}

/* The program's own name: the first word's last part. */
static struct str program_of(const char *command)
{
    struct str word = str_before(str_of(command), ' ');
    struct str name = str_after_last(word, '/');

    return name.len ? name : word;
}

void otlp_resource(struct buf *out, const struct otlp_source *source)
{
    const struct run_metrics_about *a = source->about;
    size_t resource = pb_begin(out, 1);
    struct buf program = { 0 };
    struct str name = program_of(a->command);

    buf_add(&program, name.p, name.len);
    if (source->service && *source->service)
        otlp_text(out, 1, "service.name", source->service);
    else
        otlp_text(out, 1, "service.name",
                name.len ? buf_cstr(&program) : "unknown_service");
    otlp_text(out, 1, "service.instance.id", a->run);
    otlp_text(out, 1, "host.name", a->host_name);
    otlp_text(out, 1, "process.command_line", a->command);
    otlp_text(out, 1, "telemetry.sdk.name", "ortmeter");
    otlp_text(out, 1, "telemetry.sdk.language", "c");
    otlp_text(out, 1, "telemetry.sdk.version", a->version);
    buf_release(&program);
    pb_end(out, resource);
}

void otlp_scope(struct buf *out, const struct otlp_source *source)
{
    size_t scope = pb_begin(out, 1);

    pb_text(out, 1, "ortmeter");
    if (*source->about->version)
        pb_text(out, 2, source->about->version);
    pb_end(out, scope);
}
