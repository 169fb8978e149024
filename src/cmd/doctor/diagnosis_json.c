#include "cmd/doctor/diagnosis.h"

#include "cmd/cli/database.h"

#include "base/json.h"
#include "cmd/text/sources_json.h"
#include "os/clock.h"

#include <stdlib.h>

#define SCHEMA_VERSION 1

const char *const diagnosis_variables[] = { "ORTMETER_DB", "ORTMETER_ORT",
    "ORTMETER_STORE", "ORTMETER_NVML", "ORTMETER_POWERMETRICS", NULL };

static void add_runtime(struct json *j, const struct diagnosis *d)
{
    json_object(j, "ort");
    json_bool(j, "found", d->runtime != NULL);
    if (!d->runtime) {
        json_text(j, "reason", d->no_runtime.text);
        json_end(j);
        return;
    }
    json_text(j, "version", d->runtime->version);
    json_text(j, "path", d->runtime->path);
    json_text(j, "came_from", d->runtime->came_from);
    json_u64(j, "api_version", d->runtime->api_version);
    json_array(j, "providers");
    for (int i = 0; i < d->runtime->provider_count; i++)
        json_text(j, NULL, d->runtime->providers[i]);
    json_end(j);
    if (d->runtime->build_info)
        json_text(j, "build_info", d->runtime->build_info);
    json_end(j);
}

static void add_source(struct json *j, const struct source_status *s)
{
    json_object(j, NULL);
    json_text(j, "name", s->name);
    json_text(j, "gives", s->gives);
    json_bool(j, "available", s->state == SOURCE_AVAILABLE);
    json_text(j, "state", source_state_name(s->state));
    if (s->detail[0])
        json_text(j, "detail", s->detail);
    if (s->state != SOURCE_AVAILABLE)
        json_text(j, "reason", s->why.text);
    if (s->why.remedy[0])
        json_text(j, "remedy", s->why.remedy);
    if (s->hz > 0) {
        json_fixed(j, "hz", s->hz, 3);
        json_fixed(j, "most_hz", s->most_hz, 3);
    }
    json_end(j);
}

void diagnosis_machine_json(struct json *j, const struct diagnosis *d)
{
    host_json(j, "host", &d->host);
    add_runtime(j, d);
}

void diagnosis_sources_json(struct json *j, const struct diagnosis *d)
{
    json_array(j, "sources");
    for (size_t i = 0; i < d->source_count; i++)
        add_source(j, &d->source[i]);
    json_end(j);
    if (d->sampling) {
        sources_json_samplers(j, d->sampling, mono_ns());
        sources_json_missing(j, d->sampling);
    }
}

static void add_setting(struct json *j, const struct config_entry *x)
{
    json_object(j, NULL);
    if (x->verb[0])
        json_text(j, "verb", x->verb);
    json_text(j, "option", x->key);
    json_text(j, "value", x->value);
    json_text(j, "file", x->file);
    json_u64(j, "line", x->line);
    json_end(j);
}

static void add_configuration(struct json *j, const struct diagnosis *d)
{
    json_object(j, "configuration");
    if (d->database) {
        json_object(j, "database");
        json_text(j, "path", d->database);
        json_text(j, "came_from", d->database_came_from);
        json_end(j);
    }
    json_object(j, "encryption");
    json_text(j, "method", STORE_ENCRYPTION);
    json_text(j, "key", database_key_origin());
    json_end(j);
    json_object(j, "environment");
    for (const char *const *v = diagnosis_variables; *v; v++) {
        const char *value = getenv(*v);

        if (value && value[0])
            json_text(j, *v, value);
    }
    json_end(j);
    json_array(j, "files");
    for (size_t i = 0; d->files && i < config_count(d->files); i++)
        add_setting(j, config_at(d->files, i));
    json_end(j);
    json_end(j);
}

void diagnosis_json(struct buf *out, const struct diagnosis *d)
{
    struct json j = json_into(out);

    json_object(&j, NULL);
    json_int(&j, "schema_version", SCHEMA_VERSION);
    json_text(&j, "ortmeter_version", ORTMETER_VERSION);
    diagnosis_machine_json(&j, d);
    json_array(&j, "pythons");
    for (size_t i = 0; i < d->python_count; i++) {
        json_object(&j, NULL);
        json_text(&j, "program", d->python[i].program);
        json_text(&j, "python", d->python[i].python);
        json_text(&j, "package", d->python[i].package);
        json_text(&j, "version", d->python[i].version);
        json_text(&j, "captured", pythons_captured(&d->python[i]));
        json_end(&j);
    }
    json_end(&j);
    diagnosis_sources_json(&j, d);
    add_configuration(&j, d);
    json_end(&j);
    buf_char(out, '\n');
}
